"""All ways in which a seat can complete the action that it is about: its own answers up to dice, others, or the end."""

from __future__ import annotations

import random
from collections.abc import Iterable
from dataclasses import dataclass

from grognard.bots.determinisation import (
    LONGEST,
    SETTLING,
    Worlds,
    dice_of,
    ply_of,
    question_of,
)
from grognard.bots.evaluation import Measure
from grognard.bots.knowledge import Knowledge
from grognard.bots.outcomes import followed
from grognard.contract.backend import RuleFailure

#: Answers of one action that are planned ahead; longer ones are looked at again on the way.
DEEPEST = 12


@dataclass(slots=True)
class Plan:
    """Own answers, one after the other, and what came of them where they were tried."""

    answers: tuple[int, ...]
    #: the questions that they answer
    asks: tuple[int, ...]
    #: the position before the last answer, and after it, as the dice fell the first time
    before: bytearray
    after: bytearray
    #: whether dice fell
    rolled: bool = False
    #: its worth, if chance has no say in it
    sure: float | None = None
    weight: float = 0.0
    total: float = 0.0

    @property
    def worth(self) -> float:
        return self.total / self.weight if self.weight else 0.0

    def add(self, worth: float, weight: float = 1.0) -> None:
        self.total += worth * weight
        self.weight += weight


class Course:
    """What a bot means to answer next.  It holds until dice fall or another seat decides: nothing is learnt before that."""

    def __init__(self) -> None:
        self._next: tuple[tuple[int, int], tuple[int, ...]] | None = None

    def keep(self, knowledge: Knowledge, rest: tuple[int, ...]) -> None:
        ply, epoch, _ = knowledge.moment
        self._next = ((ply, epoch + 1), rest) if rest else None

    def follow(self, knowledge: Knowledge) -> int | None:
        """The next answer, if all went as it was meant; None: think again."""
        kept, self._next = self._next, None
        if kept is None or knowledge.moment[:2] != kept[0] or kept[1][0] not in knowledge.values:
            return None
        self.keep(knowledge, kept[1][1:])
        return kept[1][0]


def plans(
    worlds: Worlds, values: Iterable[int], root: bytearray, most: int, generator: random.Random
) -> list[Plan]:
    """Up to about `most` plans that begin with one of the values: all of them if there are no more, else a sample with
    every first answer in it.

    Their positions are of the caller's `scratch`."""
    seat = worlds.seat(root)
    ply = ply_of(root)
    made: list[Plan] = []
    offered = set(worlds.candidates(root))
    legal = [value for value in values if value in offered]
    nothing: tuple[int, ...] = ()
    open_ends = [(nothing, nothing, root, value) for value in legal]
    while open_ends:
        # Breadth first: if there are too many, they are cut off at random and not all below one branch.
        full = len(made) + len(open_ends) >= most
        path, questions, before, value = open_ends.pop(generator.randrange(len(open_ends)) if full else 0)
        answers, asks = (*path, value), (*questions, question_of(before)[0])
        after = worlds.copy(before)
        try:
            worlds.answer(after, value)
            rolled = dice_of(after) != dice_of(before)
            ended = rolled or worlds.seat(after) != seat or ply_of(after) != ply or len(answers) >= DEEPEST
            below = [] if ended else worlds.candidates(after)
        except RuleFailure:
            continue
        if ended:
            made.append(Plan(answers, asks, before, after, rolled))
        elif full:
            open_ends.append((answers, asks, after, generator.choice(below)))
        else:
            open_ends += [(answers, asks, after, choice) for choice in below]
    return made


def try_plans(
    worlds: Worlds, chosen: Iterable[Plan], scale: Measure, side: int, tries: int, generator: random.Random
) -> None:
    """Try each plan so many times, and add what came of it."""
    for plan in chosen:
        try:
            if plan.sure is None and not plan.rolled and worlds.is_settled(plan.before, plan.after):
                plan.sure = scale.worth(plan.after)[side]
            if plan.sure is not None:
                plan.add(plan.sure, tries)
                continue
            for number in range(tries):
                with worlds.scratch():
                    again = plan.rolled and (number or plan.weight)
                    after = worlds.copy(plan.before if again else plan.after)
                    if again:
                        worlds.reseed(after, generator)
                        worlds.answer(after, plan.answers[-1])
                    plan.add(judged(worlds, plan.before, after, scale, generator)[side])
        except RuleFailure:
            plan.add(scale.lost, tries)


def weigh_plans(
    worlds: Worlds, chosen: Iterable[Plan], scale: Measure, side: int, most: int, generator: random.Random
) -> None:
    """Replace what was tried by what is to be expected, over about so many ways in which the dice can fall."""
    for plan in chosen:
        if not plan.rolled:
            continue
        try:
            with worlds.scratch():
                found = followed(worlds, plan.before, plan.answers[-1], most, generator)
                worths = [
                    (c, judged(worlds, plan.before, after, scale, generator)[side]) for c, after in found
                ]
        except RuleFailure:
            continue
        plan.total = plan.weight * sum(chance * worth for chance, worth in worths)


def judged(
    worlds: Worlds, before: bytearray, after: bytearray, scale: Measure, generator: random.Random
) -> list[float]:
    """What a position is worth to each side; an action that others still have a say in is brought to its end first."""
    if not worlds.judge.by_eye:
        worlds.wander(after, generator, LONGEST, LONGEST)
    elif not worlds.is_settled(before, after):
        worlds.wander(after, generator, 1, SETTLING)
    return scale.worth(after)
