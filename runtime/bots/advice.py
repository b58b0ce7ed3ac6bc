"""Advice for people: the costs, odds and consequences of each choice before it is made."""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from grognard.bots.consequences import consequences
from grognard.bots.determinisation import ForwardModel
from grognard.bots.evaluation import NormalisedValue
from grognard.bots.knowledge import Knowledge
from grognard.bots.outcomes import exact_outcomes, partial_outcomes
from grognard.bots.plans import Plan, evaluate_quiescent, generate_plans
from grognard.contract import ir
from grognard.contract.backend import RuleFailure

if TYPE_CHECKING:
    from grognard.play.position import Position

#: Plans that are considered; outcomes that are enumerated exactly; outcomes where there are more (later dice sampled).
MAX_PLANS = 400
MAX_OUTCOMES = 250
SAMPLED_OUTCOMES = 80
#: The same for an answer that rolls dice at once.
MAX_IMMEDIATE_OUTCOMES = 2000
IMMEDIATE_SAMPLES = 400
#: A smaller change of the own value counts as none.
NOTICEABLE = 0.01


@dataclass(slots=True)
class Advice:
    """Advice about one choice."""

    #: numbers of the own seat that it lowers: name -> (minimum, maximum)
    costs: dict[str, tuple[int, int]] = field(default_factory=dict)
    #: of the best plan that begins with it: probabilities of being better off, unchanged, worse off; None: unknown
    odds: tuple[float, float, float] | None = None
    #: whether the odds are exact
    certain: bool = False
    #: consequences of the dice for counters in that plan: (counter, change, probability)
    consequences: list[tuple[str, str, float]] = field(default_factory=list)
    #: the expected value of that plan, 0 (lost) to 1 (won)
    value: float = 0.0


def advise(position: Position, with_odds: bool = True, seed: int = 1) -> dict[int, Advice]:
    """Advice on each choice, by its value, from what the deciding seat knows."""
    knowledge = Knowledge(position)
    model = ForwardModel(knowledge.setting)
    generator = random.Random(f"{seed}/{knowledge.moment}")
    made = {value: Advice() for value in knowledge.values}
    root = knowledge.sample(generator)
    with model.copy_scope():
        _fill(model, knowledge, root, made, with_odds, generator)
    return made


def _fill(
    model: ForwardModel,
    knowledge: Knowledge,
    root: bytearray,
    made: dict[int, Advice],
    with_odds: bool,
    generator: random.Random,
) -> None:
    try:
        value_function = model.normalised_value(root, generator, plies=2) if with_odds else None
        found = generate_plans(model, knowledge.values, root, MAX_PLANS, generator)
    except RuleFailure:
        # A determinised position may be unreachable in play: then there is no advice.
        return
    for value, advice in made.items():
        ways = [plan for plan in found if plan.answers[0] == value]
        advice.costs = _costs(model, knowledge, root, ways)
        if value_function is not None and model.evaluator.is_static:
            _report_odds(model, knowledge, value_function, ways, advice, generator)
        elif len(ways) == 1 and ways[0].rolled and len(ways[0].answers) == 1:
            # This answer rolls dice at once: the odds are shown without being asked for.
            _report_consequences(model, knowledge, ways[0], advice, generator)


def _costs(
    model: ForwardModel, knowledge: Knowledge, root: bytearray, ways: list[Plan]
) -> dict[str, tuple[int, int]]:
    """What the seat pays, over all plans of the action."""
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


def _report_consequences(
    model: ForwardModel, knowledge: Knowledge, plan: Plan, advice: Advice, generator: random.Random
) -> None:
    """The consequences of the dice: exact, if there are few enough outcomes."""
    try:
        with model.copy_scope():
            after = exact_outcomes(model, plan.before, plan.answers[-1], MAX_IMMEDIATE_OUTCOMES)
            advice.certain = after is not None
            if after is None:
                after = partial_outcomes(model, plan.before, plan.answers[-1], IMMEDIATE_SAMPLES, generator)
            advice.consequences = consequences(knowledge, plan.before, after)
    except RuleFailure:
        return


def _report_odds(
    model: ForwardModel,
    knowledge: Knowledge,
    value_function: NormalisedValue,
    ways: list[Plan],
    advice: Advice,
    generator: random.Random,
) -> None:
    """The odds of the best of the considered plans."""
    side = model.evaluator.side_of(knowledge.seat_number)
    for plan in ways[:40]:
        try:
            after = exact_outcomes(model, plan.before, plan.answers[-1], MAX_OUTCOMES)
            certain = after is not None
            if after is None:
                after = partial_outcomes(model, plan.before, plan.answers[-1], SAMPLED_OUTCOMES, generator)
            values = [
                (chance, evaluate_quiescent(model, plan.before, cells, value_function, generator)[side])
                for chance, cells in after
            ]
        except RuleFailure:
            continue
        expected = sum(chance * value for chance, value in values)
        if advice.odds is None or expected > advice.value:
            better = sum(chance for chance, value in values if value > 0.5 + NOTICEABLE)
            worse = sum(chance for chance, value in values if value < 0.5 - NOTICEABLE)
            advice.consequences = consequences(knowledge, plan.before, after) if plan.rolled else []
            advice.odds = (better, max(0.0, 1 - better - worse), worse)
            advice.certain = certain
            advice.value = expected
