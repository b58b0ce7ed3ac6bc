"""The axes of a table: which values each key covers.  Gaps and overlaps are errors."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import product

from grognard.compiler.data.tables.read import Cell, Drawn, Table
from grognard.compiler.data.values import number_key
from grognard.compiler.sema.types import INT_HI, INT_LO, Type
from grognard.contract.datablock import CLAMP_HIGH, CLAMP_LOW
from grognard.contract.header import NONE
from grognard.support.diagnostics import Label
from grognard.support.source import Span

MAX_CELLS = 1_000_000


@dataclass(slots=True)
class TableAxis:
    """The range of an axis, and the values that each key covers, in the order of the keys."""

    type: Type
    lo: int = 0
    hi: int = -1
    flags: int = 0
    keys: dict[str, list[int]] = field(default_factory=dict)


def read_axis(table: Table, place: int, type_: Type, keys: Sequence[Cell]) -> TableAxis:
    """Read the keys of an axis: the values they cover, and the range of the axis."""
    info = TableAxis(type_)
    clamp = table.decl.axes[place].clamp
    if clamp in ("clamped", "clamped_low"):
        info.flags |= CLAMP_LOW
    if clamp in ("clamped", "clamped_high"):
        info.flags |= CLAMP_HIGH
    if type_.sort == "dom":
        assert type_.dom
        info.lo = table.ground.first(type_.dom)
        info.hi = info.lo + len(table.ground.members(type_.dom)) - 1
        for text, span in keys:
            info.keys[text] = _member_key(table, type_, text, span)
        return info
    if type_.sort == "flag":
        info.lo, info.hi = 0, 1
        for text, span in keys:
            info.keys[text] = [int(text == "yes")] if text in ("yes", "no") else []
            if not info.keys[text]:
                table.bad_keys = True
                table.sink.error("GR0411", span, f"`{text}` must be `yes` or `no`")
        return info
    _number_axis(table, info, type_, keys)
    return info


def _member_key(table: Table, type_: Type, text: str, span: Span) -> list[int]:
    assert type_.dom
    if text == "any" and table.reader.find(type_.dom, "any") is None:
        return list(table.ground.values(type_.dom))
    values: list[int] = []
    for part in text.split("/"):
        value = table.reader.member(type_.dom, part.strip(), span, "GR0411")
        if value is not None:
            values.append(value)
        else:
            table.bad_keys = True
    return values


def _number_axis(table: Table, info: TableAxis, type_: Type, keys: Sequence[Cell]) -> None:
    bounded = type_.lo > INT_LO and type_.hi < INT_HI
    parsed: dict[str, list[tuple[int | None, int | None]]] = {}
    ends: list[int] = []
    for text, span in keys:
        parsed[text] = []
        for part in text.split("/"):
            found = number_key(part)
            if found is None or (None not in found and found[0] > found[1]):  # type: ignore[operator]
                low, dash, high = part.strip().partition("-")
                hint = f"a range is written {low}..{high}" if dash and low.isdigit() else None
                table.bad_keys = True
                table.sink.error("GR0411", span, f"`{part.strip()}` is no number or range", hint=hint)
                continue
            parsed[text].append(found)
            ends += [end for end in found if end is not None]
    info.lo = type_.lo if type_.lo > INT_LO else min(ends, default=0)
    info.hi = type_.hi if type_.hi < INT_HI else max(ends, default=0)
    if not bounded:
        if type_.lo <= INT_LO and any(lo is None for found in parsed.values() for lo, _ in found):
            info.flags |= CLAMP_LOW
        if type_.hi >= INT_HI and any(hi is None for found in parsed.values() for _, hi in found):
            info.flags |= CLAMP_HIGH
    if info.hi - info.lo >= MAX_CELLS:
        table.sink.error("GR0611", table.decl.span, f"{table.name} reaches too far: {info.lo}..{info.hi}")
        info.hi = info.lo
        info.keys = {text: [] for text, _ in keys}
        table.bad_keys = True
        return
    spans = dict(keys)
    for text, intervals in parsed.items():
        values: list[int] = []
        for lo, hi in intervals:
            first = info.lo if lo is None else max(lo, info.lo)
            last = info.hi if hi is None else min(hi, info.hi)
            values += range(first, last + 1)
        info.keys[text] = values
        if intervals and not values:
            table.sink.warning(
                "GR0403",
                spans[text],
                f"`{text}` lies outside {info.lo}..{info.hi}: nothing leads there",
            )


def check_columns(table: Table, drawn: Drawn, info: TableAxis) -> bool:
    seen: dict[str, Span] = {}
    for text, span in drawn.heading:
        if text in seen:
            table.sink.error(
                "GR0414",
                span,
                f"the column `{text}` stands twice",
                labels=(Label(seen[text], "first here"),),
            )
            return False
        seen[text] = span
    taken: dict[int, Cell] = {}
    for text, span in drawn.heading:
        twice = [value for value in info.keys[text] if value in taken]
        if twice:
            first = taken[twice[0]]
            table.sink.error(
                "GR0402",
                span,
                f"{_ranges(twice, lambda v: table.ground.show(info.type, v))} lies in the columns `{first[0]}` and `{text}`",
                labels=(Label(first[1], "the other one"),),
            )
        for value in info.keys[text]:
            taken.setdefault(value, (text, span))
    missing = [value for value in range(info.lo, info.hi + 1) if value not in taken]
    if missing and not table.bad_keys:
        shown = _ranges(missing, lambda v: table.ground.show(info.type, v))
        last = drawn.heading[-1][1] if drawn.heading else table.decl.span
        table.sink.error("GR0401", last, f"{table.name} has no column for {shown}")
    return True


def covering_rows(table: Table, drawn: Drawn, axes: list[TableAxis]) -> dict[tuple[int, ...], int]:
    """The row that covers each combination of values.  Gaps and overlaps are reported."""
    claims: dict[tuple[int, ...], int] = {}
    total = 1
    for info in axes:
        total *= info.hi - info.lo + 1
    if total > MAX_CELLS:
        return claims
    for number, line in enumerate(drawn.lines):
        twice: list[tuple[int, ...]] = []
        for combination in product(*(info.keys[text] for info, (text, _) in zip(axes, line.keys))):
            if combination in claims:
                twice.append(combination)
            claims.setdefault(combination, number)
        if twice:
            other = drawn.lines[claims[twice[0]]]
            table.sink.error(
                "GR0402",
                line.keys[0][1],
                f"{_shown(table, axes, twice)} lies in two rows",
                labels=(Label(other.keys[0][1], "the other one"),),
            )
    missing = [
        combination
        for combination in product(*(range(info.lo, info.hi + 1) for info in axes))
        if combination not in claims
    ]
    if missing and not table.bad_keys:
        last = drawn.lines[-1].keys[0][1]
        table.sink.error(
            "GR0401",
            table.decl.span,
            f"{table.name} has no row for {_shown(table, axes, missing)}",
            labels=(Label(last, "its last row"),) if table.decl.source else (),
        )
    return claims


def _shown(table: Table, axes: list[TableAxis], combinations: list[tuple[int, ...]]) -> str:
    if len(axes) == 1:
        return _ranges([c[0] for c in combinations], lambda v: table.ground.show(axes[0].type, v))
    shown = [
        "(" + ", ".join(table.ground.show(i.type, v) for i, v in zip(axes, c)) + ")" for c in combinations[:5]
    ]
    more = len(combinations) - len(shown)
    return ", ".join(shown) + (f" and {more} more" if more > 0 else "")


def check_order(table: Table, drawn: Drawn, columns: TableAxis, grid: list[list[int]]) -> None:
    """Warn of the one row whose results do not rise (or fall) as in every other row."""
    ordered = table.result.sort == "int" or (table.result.dom is not None and table.result.dom.sort == "enum")
    across = columns.type.sort == "int" or (
        columns.type.dom is not None and columns.type.dom.sort in ("enum", "range")
    )
    if not ordered or not across or len(grid) < 3 or len(drawn.heading) < 3:
        return
    # Columns may be written in any order: compare them in the order of their values.
    order = sorted(
        (n for n, (text, _) in enumerate(drawn.heading) if columns.keys[text]),
        key=lambda n: min(columns.keys[drawn.heading[n][0]]),
    )
    for sign, other in ((1, -1), (-1, 1)):
        broken = [
            (row, at)
            for row in range(len(grid))
            if (at := _first_break(table, drawn, grid, row, order, sign))
        ]
        against = [row for row in range(len(grid)) if _first_break(table, drawn, grid, row, order, other)]
        if len(broken) == 1 and len(against) >= 2:
            row, at = broken[0]
            text, span = drawn.lines[row].cells[at]
            table.sink.warning(
                "GR0408",
                span,
                f"`{text}` goes against the order of every other row of {table.name}",
                hint="compare it with the printed table",
            )
            return


def _first_break(
    table: Table, drawn: Drawn, grid: list[list[int]], row: int, order: list[int], sign: int
) -> int:
    """The column of the first cell that breaks the order, 0 if there is none."""
    before: int | None = None
    for place in order:
        value = grid[row][place]
        if value == NONE or drawn.lines[row].cells[place][0] == "?":
            continue
        if before is not None and (value - before) * sign < 0:
            return place
        before = value
    return 0


def _ranges(values: Sequence[int], show: Callable[[int], str]) -> str:
    """Values, with runs of numbers as ranges: `4`, `4..6`, `a, b`."""
    runs: list[tuple[int, int]] = []
    for value in sorted(set(values)):
        if runs and runs[-1][1] == value - 1:
            runs[-1] = (runs[-1][0], value)
        else:
            runs.append((value, value))
    words: list[str] = []
    for lo, hi in runs:
        numbers = show(lo) == str(lo)
        if numbers and hi > lo + 1:
            words.append(f"{lo}..{hi}")
        else:
            words += [show(value) for value in range(lo, hi + 1)]
    shown = words[:8]
    return ", ".join(shown) + (f" and {len(words) - len(shown)} more" if len(words) > len(shown) else "")
