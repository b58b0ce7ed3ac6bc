"""Candidate plans: sequences of a seat's own answers that complete its present action.

A plan ends where dice are rolled, another seat decides, the ply changes, or the game is over; and where a question
comes again after something was settled, as when orders are written unit by unit: what is settled can be judged alone.
Where it ends what a seat writes secretly, it is judged as if that were in force.

To take no action is judged by the position as it is: what the rules bring afterwards they bring after other actions, too."""

from __future__ import annotations

import random
from collections.abc import Iterable
from dataclasses import dataclass

from grognard.bots.determinisation import (
    MAX_ANSWERS,
    QUIESCENCE_ANSWERS,
    ForwardModel,
    generator_state,
    pending_question,
    ply_of,
)
from grognard.bots.evaluation import ValueFunction
from grognard.bots.knowledge import Knowledge
from grognard.bots.outcomes import partial_outcomes
from grognard.contract.backend import RuleFailure
from grognard.contract.header import DONE

#: Answers of a plan at most; a longer action is planned again on the way.
MAX_DEPTH = 12
#: The same where counters are chosen by number, one question for each kind: cut short, the last kinds would never be bought.
MAX_COUNTED = 60
#: How often a sampled plan takes the fewest of a group, and how often the most.
FEWEST, MOST_OF_IT = 0.8, 0.14


@dataclass(slots=True)
class Plan:
    """A candidate plan, and the mean value of its samples."""

    answers: tuple[int, ...]
    #: the questions that they answer
    asks: tuple[int, ...]
    #: the position before the last answer, and after it with the dice of the first sample
    before: bytearray
    after: bytearray
    #: whether its last answer rolls dice
    rolled: bool = False
    #: whether it settles a part of a longer decision
    partial: bool = False
    #: whether it takes no action at all
    declines: bool = False
    #: answers of further actions that it is meant to begin
    then: tuple[int, ...] = ()
    #: its value, if it is deterministic
    certain_value: float | None = None
    weight: float = 0.0
    total: float = 0.0

    @property
    def value(self) -> float:
        return self.total / self.weight if self.weight else 0.0

    def add(self, value: float, weight: float = 1.0) -> None:
        self.total += value * weight
        self.weight += weight


class PlannedAnswers:
    """The rest of a chosen plan.  It is valid until dice are rolled or another seat decides: nothing is learnt before."""

    def __init__(self) -> None:
        self._next: tuple[int, tuple[int, ...]] | None = None

    def store(self, knowledge: Knowledge, rest: tuple[int, ...]) -> None:
        self._next = (knowledge.moment[1] + 1, rest) if rest else None

    def next_answer(self, knowledge: Knowledge) -> int | None:
        """The next answer, if the game is where the plan expects it; None: search again."""
        kept, self._next = self._next, None
        if kept is None or knowledge.moment[1] != kept[0] or kept[1][0] not in knowledge.values:
            return None
        self.store(knowledge, kept[1][1:])
        return kept[1][0]


def generate_plans(
    model: ForwardModel, values: Iterable[int], root: bytearray, most: int, generator: random.Random
) -> list[Plan]:
    """About `most` plans at most that begin with one of the values: all of them if there are no more, else a sample that
    contains every first answer.

    Their positions belong to the caller's `copy_scope`."""
    seat = model.seat(root)
    ply = ply_of(root)
    made: list[Plan] = []
    offered = set(model.candidates(root))
    legal = [value for value in values if value in offered]
    nothing: tuple[int, ...] = ()
    open_ends = [(nothing, nothing, root, value) for value in legal]
    while open_ends:
        # Breadth first: if there are too many, branches are cut at random and not all below one node.
        if made and model.late():
            break
        full = len(made) + len(open_ends) >= most
        path, questions, before, value = open_ends.pop(generator.randrange(len(open_ends)) if full else 0)
        answers, asks = (*path, value), (*questions, pending_question(before)[0])
        if value == DONE and not path and model.is_menu(asks[0]):
            made.append(Plan(answers, asks, before, before, partial=True, declines=True))
            continue
        after = model.copy(before)
        try:
            model.answer(after, value)
            rolled = generator_state(after) != generator_state(before)
            written = model.is_written_down(before, after) and not rolled
            partial = written or model.settles(root, after, asks)
            ended = (
                rolled
                or partial
                or model.seat(after) != seat
                or ply_of(after) != ply
                or len(answers) >= (MAX_COUNTED if model.is_number(pending_question(after)[0]) else MAX_DEPTH)
            )
            below = [] if ended else model.candidates(after)
        except RuleFailure:
            continue
        if ended:
            judged = model.disclosed(after) if written else after
            made.append(Plan(answers, asks, before, judged, rolled, partial and not rolled))
        elif full:
            counted = model.is_number(pending_question(after)[0])
            picked = _number(below, generator) if counted else generator.choice(below)
            open_ends.append((answers, asks, after, picked))
        else:
            open_ends += [(answers, asks, after, choice) for choice in below]
    return made


def _number(offered: list[int], generator: random.Random) -> int:
    """Some number of a group: mostly the fewest, else the most, seldom another.  There may be a dozen groups to come: evenly drawn
    numbers would spend on the first of them what there is for all."""
    drawn = generator.random()
    if drawn < FEWEST:
        return min(offered)
    return max(offered) if drawn < FEWEST + MOST_OF_IT else generator.choice(offered)


def sample_plans(
    model: ForwardModel,
    chosen: Iterable[Plan],
    value_function: ValueFunction,
    side: int,
    tries: int,
    generator: random.Random,
) -> None:
    """Add the values of so many samples to each plan."""
    for plan in chosen:
        if model.late():
            return
        try:
            quiet = plan.partial or model.is_quiescent(plan.before, plan.after)
            if plan.certain_value is None and not plan.rolled and quiet:
                plan.certain_value = value_function.value(plan.after)[side]
            if plan.certain_value is not None:
                plan.add(plan.certain_value, tries)
                continue
            for number in range(tries):
                with model.copy_scope():
                    again = plan.rolled and (number or plan.weight)
                    after = model.copy(plan.before if again else plan.after)
                    if again:
                        model.reseed(after, generator)
                        model.answer(after, plan.answers[-1])
                    plan.add(evaluate_quiescent(model, plan.before, after, value_function, generator)[side])
        except RuleFailure:
            plan.add(value_function.loss_value, tries)


def integrate_plans(
    model: ForwardModel,
    chosen: Iterable[Plan],
    value_function: ValueFunction,
    side: int,
    most: int,
    generator: random.Random,
) -> None:
    """Replace each sampled mean by an expected value over about `most` outcomes of the dice."""
    for plan in chosen:
        if not plan.rolled:
            continue
        if model.late():
            return
        try:
            with model.copy_scope():
                found = partial_outcomes(model, plan.before, plan.answers[-1], most, generator)
                values = [
                    (c, evaluate_quiescent(model, plan.before, after, value_function, generator)[side])
                    for c, after in found
                ]
        except RuleFailure:
            continue
        plan.total = plan.weight * sum(chance * value for chance, value in values)


def evaluate_quiescent(
    model: ForwardModel,
    before: bytearray,
    after: bytearray,
    value_function: ValueFunction,
    generator: random.Random,
) -> list[float]:
    """The value of a position to each side; an action in which other seats still decide is completed at random first."""
    if not model.evaluator.is_static:
        model.random_rollout(after, generator, MAX_ANSWERS, MAX_ANSWERS)
    elif not model.is_quiescent(before, after):
        model.random_rollout(after, generator, 1, QUIESCENCE_ANSWERS)
    return value_function.value(after)
