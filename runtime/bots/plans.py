"""Candidate plans: sequences of a seat's own answers that complete its present action.

A plan ends where dice are rolled, another seat decides, the ply changes, or the game is over."""

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

#: Answers of a plan at most; a longer action is planned again on the way.
MAX_DEPTH = 12


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
        self._next: tuple[tuple[int, int], tuple[int, ...]] | None = None

    def store(self, knowledge: Knowledge, rest: tuple[int, ...]) -> None:
        ply, epoch, _ = knowledge.moment
        self._next = ((ply, epoch + 1), rest) if rest else None

    def next_answer(self, knowledge: Knowledge) -> int | None:
        """The next answer, if the game is where the plan expects it; None: search again."""
        kept, self._next = self._next, None
        if kept is None or knowledge.moment[:2] != kept[0] or kept[1][0] not in knowledge.values:
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
        full = len(made) + len(open_ends) >= most
        path, questions, before, value = open_ends.pop(generator.randrange(len(open_ends)) if full else 0)
        answers, asks = (*path, value), (*questions, pending_question(before)[0])
        after = model.copy(before)
        try:
            model.answer(after, value)
            rolled = generator_state(after) != generator_state(before)
            ended = rolled or model.seat(after) != seat or ply_of(after) != ply or len(answers) >= MAX_DEPTH
            below = [] if ended else model.candidates(after)
        except RuleFailure:
            continue
        if ended:
            made.append(Plan(answers, asks, before, after, rolled))
        elif full:
            open_ends.append((answers, asks, after, generator.choice(below)))
        else:
            open_ends += [(answers, asks, after, choice) for choice in below]
    return made


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
        try:
            if plan.certain_value is None and not plan.rolled and model.is_quiescent(plan.before, plan.after):
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
