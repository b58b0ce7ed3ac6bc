"""The board of a scenario, as its data has it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from grognard.contract.header import NONE
from grognard.contract.schema import DomainSchema, FieldSchema
from grognard.drawing.scene import Source, source_of
from grognard.geometry.common import GeometryError
from grognard.geometry.numbering import Numbering, Place
from grognard.geometry.offsets import LAYOUTS, Layout, axial_to_offset
from grognard.tiled.board import Board, Border, Cell, TiledError

if TYPE_CHECKING:
    from grognard.contract.datablock import MapData
    from grognard.play.engine import Engine

#: How maps are numbered, the most usual first.
PATTERNS = (
    "{col:02}{row:02}", "{colletter}{row}", "{colletter}{row:02}", "{rowletter}{col}", "{rowletter}{col:02}",
    "{col}{row}", "{col:03}{row:03}", "{col},{row}", "{col}.{row}", "{colletter:double}{row}", "{row:02}{col:02}",
)  # fmt: skip


def board_of(engine: Engine, scenario: str | None = None, space: str | None = None) -> Board:
    """A map of hexes or squares of a scenario; TiledError if it has none or it cannot be numbered by one pattern."""
    source = source_of(engine, scenario)
    doms = {dom.id: dom for dom in source.schema.doms}
    grids = [entry for entry in source.data.maps if entry.sort in ("hexes", "squares") and entry.n]
    named = [entry for entry in grids if space is None or doms[entry.domain].name == space]
    if not named:
        have = (
            ", ".join(doms[entry.domain].name for entry in grids) or "only areas and boxes, which are no grid"
        )
        raise TiledError(
            f"{engine.title} has no grid{f' `{space}`' if space else ''} to write: it has {have}"
        )
    return _board(source, doms, named[0], engine.title)


def _board(source: Source, doms: dict[int, DomainSchema], entry: MapData, title: str) -> Board:
    space = doms[entry.domain]
    cells, layout = _offsets(entry)
    columns, rows = max(c for c, _ in cells) + 1, max(r for _, r in cells) + 1
    names = source.data.domains[space.id].names
    numbered = _numbering(dict(zip(cells, names)), rows)
    if numbered is None:
        raise TiledError(
            f"the places of {space.name} are not numbered by one pattern, because several boards are joined: "
            "choose a scenario with one board, join them again in the map file"
        )
    pattern, first, first_row = numbered
    board = Board(title, columns, rows, layout, pattern, first, first_row)
    for number, cell in enumerate(cells):
        value = entry.base + number
        inner = (
            doms.get(source.data.place_domain[value], space)
            if value < len(source.data.place_domain)
            else space
        )
        board.cells[cell] = _place(source, inner, space, value)
    if space.edges is not None:
        board.borders = list(_borders(source, space.edges, entry, cells))
    return board


def _offsets(entry: MapData) -> tuple[list[Cell], Layout | None]:
    if entry.sort == "squares":
        left, top = min(entry.q), min(entry.r)
        return [(q - left, r - top) for q, r in zip(entry.q, entry.r)], None
    flat = entry.flat
    # Of the two layouts the one whose first column (or row) is the map's own.
    for layout in LAYOUTS[:2] if flat else LAYOUTS[2:]:
        cells = [axial_to_offset(layout, q, r) for q, r in zip(entry.q, entry.r)]
        left, top = min(c for c, _ in cells), min(r for _, r in cells)
        if not (left if flat else top) & 1:
            made = [(c - left, r - top) for c, r in cells]
            return made, layout
    # Counted from an odd column, the other columns are the ones that are shoved.
    layout = LAYOUTS[0] if flat else LAYOUTS[2]
    cells = [axial_to_offset(layout, q, r) for q, r in zip(entry.q, entry.r)]
    left, top = min(c for c, _ in cells), min(r for _, r in cells)
    return [(c - left, r - top) for c, r in cells], LAYOUTS[1] if flat else LAYOUTS[3]


def _numbering(names: dict[Cell, str], rows: int) -> tuple[str, tuple[int, int], str] | None:
    """The pattern, the first numbers and the first row by which all places have their names."""
    # What stands before the last mark of a name, as `7-` in 7-G08, is of the board.
    some = next(iter(names.values()))
    prefix = some[: max(some.rfind(mark) for mark in "-_:/ ") + 1].replace("{", "").replace("}", "")
    for pattern in (prefix + core for core in PATTERNS):
        for first in ((1, 1), (0, 0), (1, 0), (0, 1)):
            for row in ("top", "bottom"):
                top = first[1] + rows - 1 if row == "bottom" else first[1]
                numbering = Numbering(pattern, first[0], top, 1, -1 if row == "bottom" else 1)
                try:
                    if all(numbering.print(Place(*cell)) == name for cell, name in names.items()):
                        return pattern, first, row
                except GeometryError:
                    continue
    return None


def _place(source: Source, inner: DomainSchema, space: DomainSchema, value: int) -> dict[str, str]:
    found: dict[str, str] = {"class": inner.name} if inner is not space else {}
    dom: DomainSchema | None = inner
    seen: set[str] = set()
    while dom is not None:
        for name, info in dom.fields.items():
            if (
                name not in seen
                and info.column is not None
                and not info.axes
                and not info.edge
                and "." not in name
            ):
                seen.add(name)
                text = _text(source, info, source.datum(info, value))
                if text is not None:
                    found[name] = text
        dom = dom.parent
    return found


def _text(source: Source, info: FieldSchema, value: int) -> str | None:
    """A value as an author writes it; None where there is nothing to write."""
    if value == NONE or info.type.sort not in ("int", "flag", "dom"):
        return None
    if info.type.sort == "flag":
        return "yes" if value else None
    if info.type.sort == "dom" and info.type.dom is not None:
        return source.name(info.type.dom, value)
    return str(value)


def _borders(source: Source, edges: DomainSchema, entry: MapData, cells: Sequence[Cell]) -> list[Border]:
    found = []
    for info in edges.fields.values():
        if info.axes or (info.column is None and info.printed is None):
            continue
        for number, (a, b) in enumerate(zip(entry.edge_a, entry.edge_b)):
            value = source.datum(info, entry.edge_base + number)
            text = _text(source, info, value)
            dom = info.type.dom if info.type.sort == "dom" else None
            nothing = dom is not None and not info.type.optional and value == source.data.domains[dom.id].base
            if text is not None and not nothing and (info.type.sort != "int" or value):
                found.append(Border(cells[a], cells[b], info.name, text))
    return found
