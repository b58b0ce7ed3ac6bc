"""What each choice costs and what it promises, before anybody commits to it: for people at the keyboard."""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from grognard.bots.chances import exact, sampled
from grognard.bots.judge import Scale
from grognard.bots.knowledge import Knowledge
from grognard.bots.plans import Plan, judged, plans
from grognard.bots.worlds import Worlds
from grognard.compiler import ir
from grognard.machineio import RuleFailure

if TYPE_CHECKING:
    from grognard.position import Position

#: Plans looked at, ways in which dice are followed exactly, samples where there are more.
PLANS = 400
WAYS = 250
SAMPLES = 60
#: A change of the own worth by less than this is no change.
NOTICEABLE = 0.01


@dataclass(slots=True)
class Advice:
    """What is to be said about one choice."""

    #: numbers of the own seat that it lowers: name -> (least, most)
    costs: dict[str, tuple[int, int]] = field(default_factory=dict)
    #: of the best way to go on with it: chances that one is better off, as before, worse off; None: not known
    odds: tuple[float, float, float] | None = None
    #: whether the odds are exact
    certain: bool = False
    #: what is to be expected of that way, 0 (lost) to 1 (won)
    worth: float = 0.0


def advise(position: Position, with_odds: bool = True, seed: int = 1) -> dict[int, Advice]:
    """Advice on each choice, by its value, from what the deciding seat knows."""
    knowledge = Knowledge(position)
    worlds = Worlds(knowledge.setting)
    generator = random.Random(f"{seed}/{knowledge.moment}")
    made = {value: Advice() for value in knowledge.values}
    root = knowledge.sample(generator)
    try:
        scale = worlds.scale(root, generator, plies=2) if with_odds else None
        found = plans(worlds, knowledge, root, PLANS, generator)
    except RuleFailure:
        # An imagined position can be one that no game comes to: then there is nothing to say.
        return made
    for value, advice in made.items():
        ways = [plan for plan in found if plan.answers[0] == value]
        advice.costs = _costs(worlds, knowledge, root, ways)
        if scale is not None and worlds.judge.by_eye:
            _weigh(worlds, knowledge, scale, ways, advice, generator)
    return made


def _costs(
    worlds: Worlds, knowledge: Knowledge, root: bytearray, ways: list[Plan]
) -> dict[str, tuple[int, int]]:
    """What the seat pays, over all ways to complete the action."""
    before = _own_numbers(knowledge, root)
    paid: dict[str, list[int]] = {name: [] for name in before}
    for plan in ways:
        after = bytearray(plan.before)
        try:
            worlds.answer(after, plan.answers[-1])
        except RuleFailure:
            continue
        for name, number in _own_numbers(knowledge, after).items():
            paid[name].append(before[name] - number)
    return {
        name: (min(all_), max(all_)) for name, all_ in paid.items() if all_ and min(all_) >= 0 < max(all_)
    }


def _own_numbers(knowledge: Knowledge, cells: bytearray) -> dict[str, int]:
    """The whole numbers of the own seat."""
    setting = knowledge.setting
    seats = setting.world.seats
    assert seats is not None
    layout, program = setting.scenario.layout, setting.program
    with memoryview(cells) as raw, raw.cast("i") as c:
        return {
            info.name: c[layout.field_offset[info.field] + knowledge.seat_number]
            for info in seats.fields.values()
            if info.field is not None
            and not info.axes
            and isinstance(program.fields[info.field].type, ir.IntType)
            and info.type.sort == "int"
            and not info.type.optional
        }


def _weigh(
    worlds: Worlds,
    knowledge: Knowledge,
    scale: Scale,
    ways: list[Plan],
    advice: Advice,
    generator: random.Random,
) -> None:
    """The odds of the best way to go on, of those that are looked at."""
    side = worlds.judge.side_of(knowledge.seat_number)
    for plan in ways[:40]:
        try:
            after = exact(worlds, plan.before, plan.answers[-1], WAYS)
            certain = after is not None
            if after is None:
                after = sampled(worlds, plan.before, plan.answers[-1], SAMPLES, generator)
            worths = [
                (chance, judged(worlds, plan.before, cells, scale, generator)[side])
                for chance, cells in after
            ]
        except RuleFailure:
            continue
        expected = sum(chance * worth for chance, worth in worths)
        if advice.odds is None or expected > advice.worth:
            better = sum(chance for chance, worth in worths if worth > 0.5 + NOTICEABLE)
            worse = sum(chance for chance, worth in worths if worth < 0.5 - NOTICEABLE)
            advice.odds = (better, max(0.0, 1 - better - worse), worse)
            advice.certain = certain
            advice.worth = expected
