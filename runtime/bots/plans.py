"""All ways in which a seat can complete the action that it is about: its own answers up to dice, others, or the end."""

from __future__ import annotations

import random
from collections.abc import Iterable
from dataclasses import dataclass

from grognard.bots.chances import exact, sampled
from grognard.bots.judge import Scale
from grognard.bots.knowledge import Knowledge
from grognard.bots.worlds import LONGEST, SETTLING, Worlds, dice_of, ply_of, question_of
from grognard.machineio import RuleFailure

#: Answers of one action that are planned ahead; longer ones are looked at again on the way.
DEEPEST = 12


@dataclass(slots=True)
class Plan:
    """Own answers, one after the other, and what came of them where they were tried."""

    answers: tuple[int, ...]
    #: the questions that they answer
    asks: tuple[int, ...]
    #: the position before the last answer
    before: bytearray
    weight: float = 0.0
    total: float = 0.0

    @property
    def worth(self) -> float:
        return self.total / self.weight if self.weight else 0.0

    def add(self, worth: float, weight: float = 1.0) -> None:
        self.total += worth * weight
        self.weight += weight


def plans(
    worlds: Worlds, knowledge: Knowledge, root: bytearray, most: int, generator: random.Random
) -> list[Plan]:
    """Up to about `most` plans: all of them if there are no more, else a sample with every first answer in it."""
    seat = worlds.seat(root)
    ply = ply_of(root)
    made: list[Plan] = []
    legal = [value for value in knowledge.values if value in set(worlds.candidates(root))]
    nothing: tuple[int, ...] = ()
    open_ends = [(nothing, nothing, root, value) for value in legal]
    while open_ends:
        # Breadth first: if there are too many, they are cut off at random and not all below one branch.
        full = len(made) + len(open_ends) >= most
        path, questions, before, value = open_ends.pop(generator.randrange(len(open_ends)) if full else 0)
        answers, asks = (*path, value), (*questions, question_of(before)[0])
        after = bytearray(before)
        try:
            worlds.answer(after, value)
            ended = (
                worlds.seat(after) != seat
                or ply_of(after) != ply
                or dice_of(after) != dice_of(before)
                or len(answers) >= DEEPEST
            )
            below = [] if ended else worlds.candidates(after)
        except RuleFailure:
            continue
        if ended:
            made.append(Plan(answers, asks, before))
        elif full:
            open_ends.append((answers, asks, after, generator.choice(below)))
        else:
            open_ends += [(answers, asks, after, choice) for choice in below]
    return made


def try_plans(
    worlds: Worlds, chosen: Iterable[Plan], scale: Scale, side: int, tries: int, generator: random.Random
) -> None:
    """Try each plan so many times, and add what came of it."""
    for plan in chosen:
        try:
            found = sampled(worlds, plan.before, plan.answers[-1], tries, generator)
            for weight, after in found:
                # Without dice there still is chance, if what comes after has to be played out.
                again = tries if len(found) == 1 and not worlds.is_settled(plan.before, after) else 1
                for _ in range(again):
                    worth = judged(worlds, plan.before, bytearray(after), scale, generator)[side]
                    plan.add(worth, weight * tries / again)
        except RuleFailure:
            plan.add(0.0, tries)


def weigh_plans(
    worlds: Worlds, chosen: Iterable[Plan], scale: Scale, side: int, most: int, generator: random.Random
) -> None:
    """Replace what was tried by what is to be expected, for plans whose dice can fall in at most so many ways."""
    for plan in chosen:
        try:
            found = exact(worlds, plan.before, plan.answers[-1], most)
            if found is None or (len(found) == 1 and not worlds.is_settled(plan.before, found[0][1])):
                continue
            worths = [(c, judged(worlds, plan.before, after, scale, generator)[side]) for c, after in found]
        except RuleFailure:
            continue
        plan.total = plan.weight * sum(chance * worth for chance, worth in worths)


def judged(
    worlds: Worlds, before: bytearray, after: bytearray, scale: Scale, generator: random.Random
) -> list[float]:
    """What a position is worth to each side; an action that others still have a say in is brought to its end first."""
    if not worlds.judge.by_eye:
        worlds.wander(after, generator, LONGEST, LONGEST)
    elif not worlds.is_settled(before, after):
        worlds.wander(after, generator, 1, SETTLING)
    return scale.worth(after)
