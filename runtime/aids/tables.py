"""Tables as charts, read from the data that the engine looks up: what is printed is what runs."""

from __future__ import annotations

import re
from array import array
from collections.abc import Iterable, Sequence
from itertools import product

from grognard.contract.charts import Chart, Line
from grognard.contract.datablock import AXIS_CELLS, CLAMP_HIGH, CLAMP_LOW, TABLE_HEAD
from grognard.contract.header import NONE
from grognard.contract.schema import INT_HI, INT_LO, ValueType
from grognard.drawing.scene import Source

#: Values of an axis that are read alike, in words, and one of them as it is looked up.
Stretch = tuple[str, int]


def table_charts(source: Source) -> list[Chart]:
    found = []
    for entry in source.program.tables:
        declared = source.schema.callables.get(entry.name)
        if declared is None or declared.sort != "table" or declared.result is None:
            continue
        types = [type_ for _, type_ in declared.params]
        found.append(
            _chart(source, entry.name, types, declared.result, source.data.tables[entry.id], declared.cites)
        )
    return found


def _chart(
    source: Source,
    name: str,
    types: Sequence[ValueType],
    result: ValueType,
    table: array[int],
    cites: tuple[str, ...],
) -> Chart:
    axes = [_stretches(source, table, number, type_) for number, type_ in enumerate(types)]
    sizes = [table[TABLE_HEAD + AXIS_CELLS * number + 3] for number in range(len(axes))]

    def cell(rows: Iterable[int]) -> str:
        place = 0
        for size, row in zip(sizes, rows, strict=True):
            place = place * size + row
        return shown(source, result, table[table[1] + place])

    if len(axes) == 1:
        lines = tuple(Line((words, cell((row,)))) for words, row in axes[0])
        return Chart("table", name, title_of(name), (_axis_title(types[0]), ""), lines, cites)
    columns = axes[-1]
    lines = tuple(
        Line(
            (*(words for words, _ in heads), *(cell((*(row for _, row in heads), row)) for _, row in columns))
        )
        for heads in product(*axes[:-1])
    )
    heading = (*(_axis_title(type_) for type_ in types[:-1]), *(words for words, _ in columns))
    return Chart("table", name, title_of(name), heading, lines, cites, heads=len(axes) - 1)


def _axis_title(type_: ValueType) -> str:
    return title_of(type_.dom.name) if type_.dom is not None else ""


def _stretches(source: Source, table: array[int], number: int, type_: ValueType) -> list[Stretch]:
    """The rows of an axis in their order, each with the values that are read in it."""
    lo, hi, flags, _, start = table[TABLE_HEAD + AXIS_CELLS * number :][:AXIS_CELLS]
    values: dict[int, list[int]] = {}
    for value in range(lo, hi + 1):
        row = table[start + value - lo]
        if row >= 0:
            values.setdefault(row, []).append(value)
    found = []
    for row, members in values.items():
        if type_.dom is not None and type_.dom.sort != "range":
            words = " / ".join(source.title(type_.dom, value) for value in members)
        else:
            # An axis of any numbers ends where the rules can get to; the chart says no end.
            low = members[0] == lo and (flags & CLAMP_LOW or type_.lo <= INT_LO)
            high = members[-1] == hi and (flags & CLAMP_HIGH or type_.hi >= INT_HI)
            words = _run(members, bool(low), bool(high))
        found.append((words, row))
    return found


def _run(members: list[int], low: bool, high: bool) -> str:
    first, last = members[0], members[-1]
    if low and high:
        return "any"
    if low:
        return f"≤ {last}"
    if high:
        return f"{first}+"
    if first == last:
        return str(first)
    if members == list(range(first, last + 1)):
        return f"{first}–{last}"
    return ", ".join(map(str, members))


def shown(source: Source, type_: ValueType, value: int) -> str:
    if value == NONE:
        return "–"
    if type_.sort == "flag":
        return "yes" if value else "no"
    if type_.dom is not None and type_.dom.sort != "range":
        return source.title(type_.dom, value)
    return str(value)


def title_of(name: str) -> str:
    """A name of the rules as a heading: `crt_terrain`, `UnitType`."""
    text = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", name.replace("_", " "))
    return text[:1].upper() + (
        text[1:] if text.isupper() else text[1:].lower() if "_" not in name else text[1:]
    )
