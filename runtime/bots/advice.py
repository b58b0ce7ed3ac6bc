"""Advice for people: the costs, odds and consequences of each choice before it is made."""

from __future__ import annotations

import hashlib
import random
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from grognard.bots.consequences import consequences
from grognard.bots.determinisation import ForwardModel, generator_state
from grognard.bots.evaluation import NormalisedValue
from grognard.bots.knowledge import Knowledge
from grognard.bots.outcomes import Outcomes, exact_outcomes, partial_outcomes
from grognard.bots.plans import Plan, evaluate_quiescent, generate_plans
from grognard.bots.worlds import Worlds
from grognard.contract import ir
from grognard.contract.backend import RuleFailure
from grognard.errors import IllegalChoice, RuleError
from grognard.play.position import Position

if TYPE_CHECKING:
    from grognard.contract.questions import Choice

#: Plans that are considered; outcomes that are enumerated exactly; outcomes where there are more (later dice sampled).
MAX_PLANS = 400
MAX_OUTCOMES = 250
SAMPLED_OUTCOMES = 80
#: The same for an answer that rolls dice at once.
MAX_IMMEDIATE_OUTCOMES = 2000
IMMEDIATE_SAMPLES = 400
#: A smaller change of the own value counts as none.
NOTICEABLE = 0.01
#: Worlds that fit what a seat knows, where something is hidden from it; outcomes of dice in each of several, at least.
MAX_WORLDS = 24
LEAST_OUTCOMES = 36


@dataclass(slots=True)
class Advice:
    """Advice about one choice."""

    #: numbers of the own seat that it lowers: name -> (minimum, maximum)
    costs: dict[str, tuple[int, int]] = field(default_factory=dict)
    #: of the best plan that begins with it: probabilities of being better off, unchanged, worse off; None: unknown
    odds: tuple[float, float, float] | None = None
    #: whether the odds are exact, whatever is hidden
    certain: bool = False
    #: consequences of the dice for counters in that plan: (counter, change, probability)
    consequences: list[tuple[str, str, float]] = field(default_factory=list)
    #: the expected value of that plan, 0 (lost) to 1 (won)
    value: float = 0.0
    #: worlds that all of this is averaged over; 0 if nothing is hidden
    worlds: int = 0
    #: what a rule that waits keeps of something hidden and that cannot be imagined: then nothing is said of odds and dice
    unknown: tuple[str, ...] = ()


def advise(position: Position, with_odds: bool = True, seed: int = 1) -> dict[int, Advice]:
    """Advice on each choice, by its value, from what the deciding seat knows: the same in all positions that it cannot
    tell apart.

    Where something is hidden, everything is averaged over worlds that fit what the seat knows."""
    return advise_after(position, (), with_odds, seed)[1]


def advise_after(
    position: Position, answers: Sequence[str], with_odds: bool = True, seed: int = 1
) -> tuple[list[Choice], dict[int, Advice]]:
    """What the deciding seat can choose after some answers of its own, and advice on it; nothing if another one decides.

    What the answers would bring to light is not known yet: they are given in every world, with dice of its own."""
    knowledge = Knowledge(position)
    model = ForwardModel(knowledge.setting)
    seen = hashlib.blake2b(bytes(knowledge.view)).hexdigest()
    generator = random.Random(f"{seed}/{knowledge.seat}/{seen}")
    worlds = knowledge.worlds(MAX_WORLDS, generator)
    choices = knowledge.legal()
    if answers:
        worlds, choices = _answered(knowledge, worlds, answers)
    number = worlds.number if len(worlds.each) > 1 or not worlds.complete else 0
    made = {choice.value: Advice(worlds=number, unknown=knowledge.doubtful) for choice in choices}
    if made and not knowledge.doubtful:
        with model.copy_scope():
            _fill(model, knowledge, worlds, made, with_odds, generator)
    return choices, made


def _answered(knowledge: Knowledge, worlds: Worlds, answers: Sequence[str]) -> tuple[Worlds, list[Choice]]:
    """The worlds in which the answers can be given and the seat still decides, after them; what it can choose in the first."""
    after: list[tuple[float, Position]] = []
    refusal: IllegalChoice | None = None
    for weight, cells in worlds.each:
        here = Position(knowledge.setting, cells)
        try:
            for name in answers:
                here = here.play(name)
                if here.to_move != knowledge.seat:
                    break
        except RuleError:
            # A determinised position may be unreachable in play.
            continue
        except IllegalChoice as error:
            refusal = error
            continue
        if here.to_move == knowledge.seat:
            after.append((weight, here))
    if refusal is not None and not after:
        raise refusal
    total = sum(weight for weight, _ in after)
    # Compiled engines keep cells in their own way; those of a world are changed in place.
    each = [(weight / total, bytearray(here.cells)) for weight, here in after]
    return replace(worlds, each=each), after[0][1].legal() if after else []


def _fill(
    model: ForwardModel,
    knowledge: Knowledge,
    worlds: Worlds,
    made: dict[int, Advice],
    with_odds: bool,
    generator: random.Random,
) -> None:
    found: list[Plan] = []
    root = worlds.each[0][1]
    for _, root in worlds.each:
        try:
            found = generate_plans(model, made, root, MAX_PLANS, generator)
            spread = model.margin_spread(root, generator, plies=2) if with_odds else 1.0
            break
        except RuleFailure:
            # A determinised position may be unreachable in play: then another one must do.
            found = []
    for value, advice in made.items():
        ways = [plan for plan in found if plan.answers[0] == value]
        advice.costs = _costs(model, knowledge, root, ways)
        if with_odds and found and model.evaluator.is_static:
            _report_odds(model, knowledge, worlds, spread, ways, advice, generator)
        elif len(ways) == 1 and len(ways[0].answers) == 1 and (ways[0].rolled or len(worlds.each) > 1):
            # This answer may roll dice at once: the odds are shown without being asked for.
            _report_consequences(model, knowledge, worlds, ways[0], advice, generator)


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


@dataclass(slots=True)
class _Branch:
    """A plan carried out in one world."""

    weight: float
    root: bytearray
    before: bytearray
    after: Outcomes
    certain: bool


def _carry_out(
    model: ForwardModel, worlds: Worlds, plan: Plan, most: tuple[int, int], generator: random.Random
) -> list[_Branch]:
    """The outcomes of a plan in every world in which it can be carried out.

    `most`: outcomes that are enumerated exactly, and outcomes where there are more.  Worlds share them."""
    shares = [max(one // len(worlds.each), LEAST_OUTCOMES) if len(worlds.each) > 1 else one for one in most]
    made: list[_Branch] = []
    for weight, root in worlds.each:
        try:
            before = _before_last(model, root, plan)
            if before is None:
                continue
            after = exact_outcomes(model, before, plan.answers[-1], shares[0])
            certain = after is not None
            if after is None:
                after = partial_outcomes(model, before, plan.answers[-1], shares[1], generator)
        except RuleFailure:
            continue
        made.append(_Branch(weight, root, before, after, certain))
    return made


def _before_last(model: ForwardModel, root: bytearray, plan: Plan) -> bytearray | None:
    """The position before the last answer of a plan; None if the plan cannot be followed that far in this world."""
    seat, cells = model.seat(root), model.copy(root)
    for answer in plan.answers[:-1]:
        if answer not in model.candidates(cells):
            return None
        model.answer(cells, answer)
        if model.seat(cells) != seat or generator_state(cells) != generator_state(root):
            return None
    return cells if plan.answers[-1] in model.candidates(cells) else None


def _consequences(knowledge: Knowledge, branches: list[_Branch]) -> list[tuple[str, str, float]]:
    """What the dice can do to counters in sight, over all worlds; nothing if no dice are rolled in any."""
    if all(len(branch.after) == 1 for branch in branches):
        return []
    covered = sum(branch.weight for branch in branches)
    return consequences(
        knowledge, [(branch.weight / covered, branch.before, branch.after) for branch in branches]
    )


def _report_consequences(
    model: ForwardModel,
    knowledge: Knowledge,
    worlds: Worlds,
    plan: Plan,
    advice: Advice,
    generator: random.Random,
) -> None:
    """The consequences of the dice: exact, if there are few enough outcomes and worlds."""
    with model.copy_scope():
        most = MAX_IMMEDIATE_OUTCOMES, IMMEDIATE_SAMPLES
        branches = _carry_out(model, worlds, plan, most, generator)
        if not branches:
            return
        alone = [sorted(_consequences(knowledge, [branch])) for branch in branches]
        advice.certain = (
            worlds.complete
            and all(branch.certain for branch in branches)
            and all(told == alone[0] for told in alone)
        )
        advice.consequences = _consequences(knowledge, branches)


def _report_odds(
    model: ForwardModel,
    knowledge: Knowledge,
    worlds: Worlds,
    spread: float,
    ways: list[Plan],
    advice: Advice,
    generator: random.Random,
) -> None:
    """The odds of the best of the considered plans.

    A plan is judged over all worlds together, because the seat must choose it without knowing which is the true one;
    of plans that not every world allows, those count that most allow."""
    side = model.evaluator.side_of(knowledge.seat_number)
    functions = {id(root): NormalisedValue(model.evaluator, root, spread) for _, root in worlds.each}
    widest = 0.0
    for plan in ways[:40]:
        with model.copy_scope():
            branches = _carry_out(model, worlds, plan, (MAX_OUTCOMES, SAMPLED_OUTCOMES), generator)
            covered = sum(branch.weight for branch in branches)
            if not branches or covered < widest - 1e-9:
                continue
            certain = worlds.complete and all(
                # Where others must decide before it can be judged, their answers are drawn.
                branch.certain and all(model.is_quiescent(branch.before, cells) for _, cells in branch.after)
                for branch in branches
            )
            try:
                judged = [
                    _judged(model, branch, functions[id(branch.root)], side, generator) for branch in branches
                ]
            except RuleFailure:
                continue
            shares = [branch.weight / covered for branch in branches]
            better, worse, expected = (
                sum(share * one[what] for share, one in zip(shares, judged, strict=True)) for what in range(3)
            )
            if advice.odds is None or covered > widest + 1e-9 or expected > advice.value:
                advice.consequences = _consequences(knowledge, branches)
                advice.odds = (better, max(0.0, 1 - better - worse), worse)
                advice.certain = certain and all(one[:2] == judged[0][:2] for one in judged)
                advice.value = expected
            widest = max(widest, covered)


def _judged(
    model: ForwardModel, branch: _Branch, value_function: NormalisedValue, side: int, generator: random.Random
) -> tuple[float, float, float]:
    """The probabilities of being better and worse off in one world, and the expected value."""
    values = [
        (chance, evaluate_quiescent(model, branch.before, cells, value_function, generator)[side])
        for chance, cells in branch.after
    ]
    better = sum(chance for chance, value in values if value > 0.5 + NOTICEABLE)
    worse = sum(chance for chance, value in values if value < 0.5 - NOTICEABLE)
    return better, worse, sum(chance * value for chance, value in values)
