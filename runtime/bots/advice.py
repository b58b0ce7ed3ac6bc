"""What each choice costs and what it promises, before anybody commits to it: for people at the keyboard."""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from grognard.bots.consequences import happenings
from grognard.bots.determinisation import Worlds
from grognard.bots.evaluation import Scale
from grognard.bots.knowledge import Knowledge
from grognard.bots.outcomes import exact, followed
from grognard.bots.plans import Plan, judged, plans
from grognard.contract import ir
from grognard.contract.backend import RuleFailure

if TYPE_CHECKING:
    from grognard.play.position import Position

#: Plans looked at, ways in which dice are followed exactly, ways of which the first dice are, where there are more.
PLANS = 400
WAYS = 250
SAMPLES = 80
#: The same for an answer upon which the dice fall at once.
MORE_WAYS = 2000
MORE_SAMPLES = 400
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
    #: what the dice can do to counters, that way: (counter, what, chance)
    happenings: list[tuple[str, str, float]] = field(default_factory=list)
    #: what is to be expected of that way, 0 (lost) to 1 (won)
    worth: float = 0.0


def advise(position: Position, with_odds: bool = True, seed: int = 1) -> dict[int, Advice]:
    """Advice on each choice, by its value, from what the deciding seat knows."""
    knowledge = Knowledge(position)
    worlds = Worlds(knowledge.setting)
    generator = random.Random(f"{seed}/{knowledge.moment}")
    made = {value: Advice() for value in knowledge.values}
    root = knowledge.sample(generator)
    with worlds.scratch():
        _look(worlds, knowledge, root, made, with_odds, generator)
    return made


def _look(
    worlds: Worlds,
    knowledge: Knowledge,
    root: bytearray,
    made: dict[int, Advice],
    with_odds: bool,
    generator: random.Random,
) -> None:
    try:
        scale = worlds.scale(root, generator, plies=2) if with_odds else None
        found = plans(worlds, knowledge.values, root, PLANS, generator)
    except RuleFailure:
        # An imagined position can be one that no game comes to: then there is nothing to say.
        return
    for value, advice in made.items():
        ways = [plan for plan in found if plan.answers[0] == value]
        advice.costs = _costs(worlds, knowledge, root, ways)
        if scale is not None and worlds.judge.by_eye:
            _weigh(worlds, knowledge, scale, ways, advice, generator)
        elif len(ways) == 1 and ways[0].rolled and len(ways[0].answers) == 1:
            # The dice fall upon this very answer: nobody should have to ask for the odds.
            _tell(worlds, knowledge, ways[0], advice, generator)


def _costs(
    worlds: Worlds, knowledge: Knowledge, root: bytearray, ways: list[Plan]
) -> dict[str, tuple[int, int]]:
    """What the seat pays, over all ways to complete the action."""
    before = _own_numbers(knowledge, root)
    paid: dict[str, list[int]] = {name: [] for name in before}
    for plan in ways:
        for name, number in _own_numbers(knowledge, plan.after).items():
            paid[name].append(before[name] - number)
    return {
        name: (min(all_), max(all_)) for name, all_ in paid.items() if all_ and min(all_) >= 0 < max(all_)
    }


def _own_numbers(knowledge: Knowledge, cells: bytearray) -> dict[str, int]:
    """The whole numbers of the own seat."""
    setting = knowledge.setting
    seats = setting.schema.seats
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


def _tell(worlds: Worlds, knowledge: Knowledge, plan: Plan, advice: Advice, generator: random.Random) -> None:
    """What the dice can do: exactly, if they can fall in few enough ways to follow them all."""
    try:
        with worlds.scratch():
            after = exact(worlds, plan.before, plan.answers[-1], MORE_WAYS)
            advice.certain = after is not None
            if after is None:
                after = followed(worlds, plan.before, plan.answers[-1], MORE_SAMPLES, generator)
            advice.happenings = happenings(knowledge, plan.before, after)
    except RuleFailure:
        return


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
                after = followed(worlds, plan.before, plan.answers[-1], SAMPLES, generator)
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
            advice.happenings = happenings(knowledge, plan.before, after) if plan.rolled else []
            advice.odds = (better, max(0.0, 1 - better - worse), worse)
            advice.certain = certain
            advice.worth = expected
