"""The way to each place that can be chosen, and its cost, where a movement of the rules led to the choice."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from grognard.contract import ir
from grognard.contract.backend import RuleFailure
from grognard.contract.header import NONE
from grognard.contract.ir.walk import nodes
from grognard.interpreter.inspection import Inspection
from grognard.interpreter.machine import Interpreter
from grognard.interpreter.reachability import FREE, STOPPED, search

if TYPE_CHECKING:
    from grognard.play.position import Position
    from grognard.play.setting import Setting

_KEPT = "inspecting interpreter"


def inspected(position: Position) -> Inspection | None:
    """The decision that waits, to be looked into; None where nothing is asked."""
    setting = position.setting
    try:
        return Inspection(_interpreter(setting), position.cells)
    except ValueError:
        return None


def _interpreter(setting: Setting) -> Interpreter:
    made = setting.attached.get(_KEPT)
    if made is None:
        scenario = setting.scenario
        made = setting.attached.setdefault(
            _KEPT, Interpreter(setting.program, scenario.layout, scenario.data)
        )
    assert isinstance(made, Interpreter)
    return made


def ways_of(position: Position) -> dict[str, tuple[int, list[str]]]:
    """Of the places that are offered: what the cheapest way costs, and the places on it from the start.

    Empty where the choice is not of places, or no movement in the code around it reaches them all."""
    look = inspected(position)
    if look is None:
        return {}
    offered = set(position.values())
    best: tuple[int, dict[int, tuple[int, list[int]]]] | None = None
    for movement, args in _movements(look):
        if not _of_places(position.setting, offered, movement):
            continue
        try:
            found = _searched(look, movement, args)
        except (RuleFailure, ValueError):
            # Of a part of the code that does not run here.
            continue
        missing = [value for value in offered if value >= 0 and value not in found]
        if not missing and (best is None or len(found) < best[0]):
            best = len(found), found
    if best is None:
        return {}
    names, show = position.setting.names, position.setting.program.asks[look.question.node.ask].show
    return {
        names.answer_name(value, show): (cost, [names.name(step, show) for step in path])
        for value, (cost, path) in best[1].items()
        if value in offered
    }


def _of_places(setting: Setting, offered: set[int], movement: int) -> bool:
    """Whether some of what is offered can be a place of the movement's map."""
    layout = setting.scenario.layout
    space = setting.program.movements[movement].space
    first = layout.base[space]
    real = [value for value in offered if value >= 0]
    return bool(real) and all(first <= value < first + layout.count[space] for value in real)


def _movements(look: Inspection) -> Iterator[tuple[int, list[Any]]]:
    """The movements that the code around the decision speaks of, with their arguments as they are now."""
    seen: list[tuple[int, list[Any]]] = []
    for node in nodes(tuple(block for block in look.machine.blocks)):
        if isinstance(node, ir.ReachSet | ir.ReachCost):
            args = [look.expr(argument) for argument in node.args]
            if (node.movement, args) not in seen:
                seen.append((node.movement, args))
                yield seen[-1]
    given = look.arguments()
    for node in nodes(look.finder.body):
        if isinstance(node, ir.ReachSet | ir.ReachCost):
            args = [look.in_function(look.finder, argument, given) for argument in node.args]
            if (node.movement, args) not in seen:
                seen.append((node.movement, args))
                yield seen[-1]


def _searched(look: Inspection, movement: int, args: list[Any]) -> dict[int, tuple[int, list[int]]]:
    came: dict[tuple[int, int], tuple[int, int]] = {}
    start, reached = search(look.unit, movement, look.frame, args, NONE, came)
    found = {}
    for place, cost in reached.items():
        label = (place, FREE) if (place, FREE) in came else (place, STOPPED)
        path = [place]
        while label in came and len(path) < 200:
            label = came[label]
            path.append(label[0])
        found[place] = cost, path[::-1]
    return found if start != NONE else {}
