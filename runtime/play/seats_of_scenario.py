"""Who plays a scenario: the side of each seat, and the seats that its set-up speaks of.

A title may have more powers than a scenario uses.  No rule says which those are, so it is read off the first position: a power
takes part if something of its own is set, if a counter or a place is its, or if any other field names it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from grognard.contract import ir
from grognard.contract.layout import default_value, own_parts

if TYPE_CHECKING:
    from grognard.contract.datablock import Scenario
    from grognard.contract.ruleset import Ruleset


def side_of_seats(ruleset: Ruleset, scenario: Scenario) -> list[int]:
    """The side of each seat, by numbers: the seat itself, or the side that its column names."""
    schema, program, layout = ruleset.schema, ruleset.program, scenario.layout
    seats = layout.count[program.seats]
    if program.seats == program.sides:
        return list(range(seats))
    assert schema.seats is not None
    info = next(i for i in schema.seats.fields.values() if i.type.dom is schema.sides and not i.axes)
    if info.column is not None:
        column = scenario.data.columns[info.column]
        return [column[seat] - layout.base[program.sides] for seat in range(seats)]
    assert info.field is not None
    at = layout.field_offset[info.field]
    return [scenario.cells[at + seat] - layout.base[program.sides] for seat in range(seats)]


def seats_with_sides(ruleset: Ruleset, scenario: Scenario) -> list[tuple[str, str]]:
    """The seats that take part, each with its side, by their names."""
    program, domains = ruleset.program, scenario.data.domains
    sides = side_of_seats(ruleset, scenario)
    return [
        (domains[program.seats].names[seat], domains[program.sides].names[sides[seat]])
        for seat in seats_in_play(program, scenario)
    ]


def seats_in_play(program: ir.Program, scenario: Scenario) -> list[int]:
    """The seats that take part, by numbers.  Sides always do, and so do all powers if the set-up speaks of none."""
    everybody = range(scenario.layout.count[program.seats])
    if program.seats == program.sides:
        return list(everybody)
    named = {*_with_own_values(program, scenario), *_named(program, scenario)}
    return [seat for seat in everybody if seat in named] or list(everybody)


def _with_own_values(program: ir.Program, scenario: Scenario) -> Iterator[int]:
    """Seats of whose own fields one is not as it is without a set-up."""
    layout, cells = scenario.layout, scenario.cells
    for entry in program.fields:
        usual = default_value(entry, layout)
        for start, size in own_parts(entry, layout, program.seats):
            for seat in range(layout.count[program.seats]):
                first = start + seat * size
                if any(cell != usual for cell in cells[first : first + size]):
                    yield seat


def _named(program: ir.Program, scenario: Scenario) -> Iterator[int]:
    """Seats that counters in play, places, constants or the game name."""
    layout, cells = scenario.layout, scenario.cells
    base, count = layout.base[program.seats], layout.count[program.seats]
    for column in program.columns:
        if program.seats not in column.dims and _is_of(column.type, program.seats):
            # Of which rows there are counters does not matter: rather a seat too many than one too few.
            yield from (value - base for value in scenario.data.columns[column.id])
    for entry in program.fields:
        if not _is_of(entry.type, program.seats):
            continue
        start, words = layout.field_offset[entry.id], layout.field_words[entry.id]
        alive = program.domains[entry.dims[0]].alive if entry.dims else None
        each = layout.field_cells[entry.id] // max(1, layout.count[entry.dims[0]]) if entry.dims else 0
        for place in range(0, layout.field_cells[entry.id], words):
            value = cells[start + place : start + place + words]
            if alive is not None:
                if not cells[layout.field_offset[alive] + place // each]:
                    continue
            elif isinstance(entry.type, ir.IntType) and value[0] == default_value(entry, layout):
                continue
            match entry.type:
                case ir.IntType():
                    yield value[0] - base
                case ir.ListType():
                    yield from (item - base for item in value[1 : 1 + value[0]])
                case ir.SetType():
                    yield from (seat for seat in range(count) if value[seat // 32] >> (seat % 32) & 1)


def _is_of(kind: ir.LocalType, domain: int) -> bool:
    match kind:
        case ir.SetType(domain=own):
            return own == domain
        case ir.IntType(show=show) | ir.ListType(show=show):
            return domain in ir.shown_domains(show)
