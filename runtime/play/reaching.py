"""Where a counter can go by a movement of the rules, whoever's turn it is."""

from __future__ import annotations

from typing import TYPE_CHECKING

from grognard.contract.backend import Io, RuleFailure
from grognard.contract.header import NONE
from grognard.contract.schema import CallableSchema, DomainSchema
from grognard.errors import UnknownName
from grognard.interpreter.frames import Frame, Run
from grognard.interpreter.machine import Interpreter
from grognard.interpreter.reachability import search
from grognard.support.suggest import hint_for

if TYPE_CHECKING:
    from grognard.play.view import View


def reach_of(view: View, counter: str, movement: str | None = None) -> tuple[str, dict[str, int]]:
    """The movement that was asked, and what each place costs that the counter can end in; UnknownName if there is none.

    Without a name, the movement that takes the counter to most places.  Sides that a movement asks for are the view's seat,
    flags are no, numbers the largest: as far as it could go."""
    setting = view.setting
    dom, piece = _counter(view, counter)
    known = {
        name: entry
        for name, entry in setting.schema.callables.items()
        if entry.sort == "movement" and entry.params and dom in _accepted(entry.params[0][1].dom)
    }
    if movement is not None and movement not in known:
        raise UnknownName(f"no movement `{movement}` is of {dom.name}", hint_for(movement, list(known)))
    found: dict[str, dict[str, int]] = {}
    for name, entry in known.items():
        args = _arguments(view, entry, piece) if movement in (None, name) else None
        if args is not None:
            try:
                found[name] = _searched(view, name, args)
            except RuleFailure:
                continue
    if not found:
        wanted = f"the movement `{movement}` cannot be asked" if movement else "no movement can be asked"
        raise UnknownName(f"{wanted} of {counter} where it is now", "")
    best = max(found, key=lambda name: len(found[name]))
    return best, found[best]


def _accepted(dom: DomainSchema | None) -> tuple[DomainSchema, ...]:
    return () if dom is None else (dom, *dom.alternatives)


def _counter(view: View, name: str) -> tuple[DomainSchema, int]:
    for dom in view.setting.schema.doms:
        if dom.sort == "piece" and any(piece.name == name for piece in view.pieces(dom.name)):
            number = view.setting.number_of(dom.id, name)
            assert number is not None
            return dom, view.setting.scenario.data.domains[dom.id].base + number
    names = [p.name for dom in view.setting.schema.doms if dom.sort == "piece" for p in view.pieces(dom.name)]
    raise UnknownName(
        f"there is no counter `{name}` in play that {view.seat} knows of", hint_for(name, names)
    )


def _arguments(view: View, entry: CallableSchema, piece: int) -> list[int] | None:
    seats = (view.setting.schema.seats, view.setting.schema.sides)
    values = [piece]
    for _, kind in entry.params[1:]:
        if kind.sort == "flag":
            values.append(0)
        elif kind.sort == "int":
            values.append(kind.hi)
        elif kind.optional:
            values.append(NONE)
        elif kind.dom is not None and kind.dom in seats:
            name = view.seat if view.seat in kind.dom.members else view.setting.engine.side_of(view.seat)
            number = view.setting.number_of(kind.dom.id, name)
            if number is None:
                return None
            values.append(view.setting.scenario.data.domains[kind.dom.id].base + number)
        else:
            return None
    if entry.uses_me:
        number = view.setting.seat_number(view.seat)
        values.insert(0, number)
    return values


def _searched(view: View, name: str, args: list[int]) -> dict[str, int]:
    setting = view.setting
    scenario = setting.scenario
    unit = Interpreter(setting.program, scenario.layout, scenario.data).unit
    how = next(one for one in setting.program.movements if one.name == name)
    if len(args) != how.params:
        raise RuleFailure(0, how.site, ())
    names = scenario.data.domains[how.space]
    with memoryview(bytearray(view.rule_cells)) as raw, raw.cast("i") as cells:
        frame = Frame(cells, [], Run(Io()))
        start, reached = search(unit, how.id, frame, args, NONE)
        return {
            names.names[place - names.base]: cost
            for place, cost in sorted(reached.items())
            if (place != start or how.may_stay)
            and (how.ends is None or unit.functions[how.ends](frame, [*args, place]))
        }
