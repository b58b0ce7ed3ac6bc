"""A board as a map file of a title."""

from __future__ import annotations

import json
from collections import Counter, defaultdict

from grognard.tiled.board import Board, Border, Cell

#: Symbols of the legend, after the first letters of what they stand for.
SPARE = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789+*=%&@"


def map_text(board: Board) -> str:
    """The YAML of a map: a drawn legend for the first field, digits for numbers, single places for the rest, chains of borders."""
    lines = [f"name: {_quoted(board.name)}", "grid:", f"  columns: {board.columns}", f"  rows: {board.rows}"]
    if board.layout is not None:
        lines.append(f"  layout: {board.layout}")
    lines.append(f"  numbering: {_quoted(board.numbering)}")
    if board.first != (1, 1):
        lines.append(f"  first: [{board.first[0]}, {board.first[1]}]")
    if board.first_row != "top":
        lines.append(f"  first_row: {board.first_row}")
    fields = _fields(board)
    ground = next(
        (
            name
            for name, values in fields.items()
            if name != "class" and not _numeric(values) and set(values) != {"yes"}
        ),
        None,
    )
    default = {
        name: values.most_common(1)[0][0]
        for name, values in fields.items()
        if values.total() == len(board.cells)
    }
    if default:
        lines.append(f"default: {_mapping(default)}")
    lines += _drawn(board, ground, default)
    numbers = [name for name, values in fields.items() if _numeric(values) and name != ground]
    lines += _grids(board, numbers, default)
    rest = [name for name in fields if name != ground and name not in numbers]
    lines += _single(board, rest, default)
    lines += _edges(board)
    return "\n".join(lines) + "\n"


def _fields(board: Board) -> dict[str, Counter[str]]:
    found: dict[str, Counter[str]] = defaultdict(Counter)
    for values in board.cells.values():
        for name, value in values.items():
            found[name][value] += 1
    return found


def _numeric(values: Counter[str]) -> bool:
    return all(value.lstrip("-").isdigit() for value in values)


def _quoted(text: str) -> str:
    plain = (
        text.replace("_", "").isalnum()
        and not text.isdigit()
        and text.lower() not in ("yes", "no", "on", "off", "none", "null", "true", "false", "y", "n")
    )
    return text if plain or text in ("yes", "no") else json.dumps(text, ensure_ascii=False)


def _value(text: str) -> str:
    return text if text.lstrip("-").isdigit() else _quoted(text)


def _mapping(values: dict[str, str]) -> str:
    return "{" + ", ".join(f"{name}: {_value(value)}" for name, value in values.items()) + "}"


def _drawn(board: Board, ground: str | None, default: dict[str, str]) -> list[str]:
    """`legend` and `rows`."""
    absent = len(board.cells) < board.columns * board.rows
    if ground is None and not absent:
        return []
    symbols: dict[str, str] = {}
    if ground is not None:
        for value in sorted({values[ground] for values in board.cells.values() if ground in values}):
            if value != default.get(ground):
                symbols[value] = next(
                    s
                    for s in [*value, *value.upper(), *SPARE]
                    if s.isalnum() and s not in symbols.values() and s != "x"
                )
    lines = ["legend:", '  ".": {}']
    lines += [
        f"  {json.dumps(symbol)}: {_mapping({ground or '': value})}" for value, symbol in symbols.items()
    ]
    if absent:
        lines.append('  "x": null')
    lines.append("rows:")
    for row in range(board.rows):
        drawn = (
            symbols.get(board.cells[column, row].get(ground or "", ""), ".")
            if (column, row) in board.cells
            else "x"
            for column in range(board.columns)
        )
        lines.append(f'  - "{" ".join(drawn)}"')
    return lines


def _grids(board: Board, numbers: list[str], default: dict[str, str]) -> list[str]:
    lines = []
    for name in numbers:
        lines.append(f"  {name}:")
        for row in range(board.rows):
            drawn = (board.cells.get((column, row), {}).get(name, "") for column in range(board.columns))
            lines.append(
                '    - "' + " ".join("." if text in ("", default.get(name)) else text for text in drawn) + '"'
            )
    return ["grids:", *lines] if lines else []


def _single(board: Board, names: list[str], default: dict[str, str]) -> list[str]:
    """Places that differ, those of the same values together."""
    found: dict[str, list[Cell]] = defaultdict(list)
    for cell in sorted(board.cells, key=lambda one: (one[0], one[1])):
        own = {
            name: board.cells[cell][name]
            for name in names
            if board.cells[cell].get(name, default.get(name)) != default.get(name)
        }
        if own:
            found[_mapping(own)].append(cell)
    lines = [
        f"  {json.dumps(', '.join(map(board.number, cells)))}: {values}" for values, cells in found.items()
    ]
    return [f"{'hexes' if board.layout is not None else 'squares'}:", *lines] if lines else []


def _edges(board: Board) -> list[str]:
    kinds: dict[tuple[str, str], list[Border]] = defaultdict(list)
    for border in board.borders:
        kinds[border.field, border.value].append(border)
    lines = []
    for (name, value), borders in kinds.items():
        for chain in _chains(borders):
            places = ", ".join(json.dumps(board.number(cell)) for cell in chain)
            lines.append(
                f"  - {{{'along' if len(chain) > 2 else 'between'}: [{places}], {name}: {_value(value)}}}"
            )
    return ["edges:", *lines] if lines else []


def _chains(borders: list[Border]) -> list[list[Cell]]:
    """The borders as few rows of places, each next to the one before."""
    around: dict[Cell, set[Cell]] = defaultdict(set)
    for border in borders:
        around[border.a].add(border.b)
        around[border.b].add(border.a)
    found = []
    while around:
        # Ends and crossings first, so that a row is not cut in the middle.
        start = min(around, key=lambda cell: (len(around[cell]) % 2 == 0, cell))
        chain = [start]
        while around.get(chain[-1]):
            here = chain[-1]
            there = min(around[here])
            for a, b in ((here, there), (there, here)):
                around[a].discard(b)
                if not around[a]:
                    del around[a]
            chain.append(there)
        found.append(chain)
    return found
