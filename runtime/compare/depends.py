"""What a question depends on: the declarations that decide what can be answered, of which some have changed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from grognard.contract import ir
from grognard.contract.header import H_ASK, NONE
from grognard.contract.ir.walk import nodes

if TYPE_CHECKING:
    from grognard.contract.differences import ChangedSection
    from grognard.contract.ruleset import Ruleset
    from grognard.play.position import Position

#: Declarations that have changed, with the sections that the changes cite.
Changed = Mapping[str, tuple[str, ...]]


def changed_names(sections: Iterable[ChangedSection]) -> Changed:
    """What a comparison found, by name."""
    found: dict[str, tuple[str, ...]] = {}
    for change in (change for section in sections for change in section.changes):
        name = change.name.split(" ")[0] if change.what == "exception" else change.name
        found[name] = tuple(dict.fromkeys((*found.get(name, ()), *change.cites)))
    return found


def changed_behind(position: Position, changed: Changed) -> list[str]:
    """The changed declarations that what is offered here depends on, each with its sections."""
    number = position.head(H_ASK)
    if number == NONE:
        return []
    names = _reached(position.engine.ruleset, _candidates(position.setting.program, number))
    return [
        f"{name} [{', '.join(changed[name])}]" if changed[name] else name
        for name in sorted(names & changed.keys())
    ]


def _candidates(program: ir.Program, ask: int) -> list[int]:
    """The functions that give what can be answered."""
    return [
        block.end.candidates
        for machine in program.machines
        for block in machine.blocks
        if isinstance(block.end, ir.Ask) and block.end.ask == ask
    ]


def _reached(ruleset: Ruleset, waiting: list[int]) -> set[str]:
    """The names of rules, lists of modifiers, tables, kinds and movements that functions come to."""
    program = ruleset.program
    columns = {
        info.column: dom.name
        for dom in ruleset.schema.doms
        for info in dom.fields.values()
        if info.column is not None
    }
    found: set[str] = set()
    seen: set[int] = set()
    while waiting:
        number = waiting.pop()
        if number in seen:
            continue
        seen.add(number)
        function = program.functions[number]
        found.add(program.sites[function.site].owner or function.name)
        for node in nodes(function):
            match node:
                case ir.Call(function=other) | ir.SetCall(function=other) | ir.Do(function=other):
                    waiting.append(other)
                case ir.TableGet(table=table):
                    found.add(program.tables[table].name)
                case ir.Data(column=column) if column in columns:
                    found.add(columns[column])
                case ir.ReachSet(movement=way) | ir.ReachCost(movement=way):
                    going = program.movements[way]
                    found.add(going.name)
                    parts = (going.start, going.allowance, going.cost, going.stop, going.ends)
                    waiting += [part for part in parts if part is not None]
    return found
