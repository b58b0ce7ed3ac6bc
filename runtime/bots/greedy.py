"""One action ahead: every way to complete the present action, judged by the position that it brings about."""

from __future__ import annotations

import random
from collections.abc import Sequence

from grognard.bots.base import Bot
from grognard.bots.determinisation import Worlds
from grognard.bots.evaluation import Measure
from grognard.bots.knowledge import Knowledge
from grognard.bots.plans import Course, Plan, plans, try_plans, weigh_plans
from grognard.contract.backend import RuleFailure

#: Plans looked at, at most; positions imagined where something is hidden.
PLANS = 300
GUESSES = 3
#: Tries of each plan, then of the better part of them, again and again: (share that is kept, tries).
ROUNDS = ((1.0, 2), (0.25, 6), (0.06, 8))
#: The last ones are weighed over so many ways in which the dice can fall: exactly, if there are no more.
WAYS = 80
#: Tries where each is a whole game played at random.
GAMES = ((1.0, 16), (0.5, 32))


class Greedy(Bot):
    """Takes the action with the best expected result, and thinks no further."""

    name = "greedy"

    def __init__(self, seed: int = 1, plans: int = PLANS) -> None:
        super().__init__(seed)
        self.plans = plans
        self._course = Course()

    def decide(self, knowledge: Knowledge, generator: random.Random) -> int:
        going_on = self._course.follow(knowledge)
        if going_on is not None:
            return going_on
        worlds = self.worlds(knowledge)
        best = best_plans(worlds, knowledge, self.plans, generator)
        if not best:
            return generator.choice(knowledge.values)
        answers = best[0].answers
        self._course.keep(knowledge, answers[1:])
        return answers[0]


def best_plans(
    worlds: Worlds,
    knowledge: Knowledge,
    most: int,
    generator: random.Random,
    scale: Measure | None = None,
    rounds: Sequence[tuple[float, int]] | None = None,
) -> list[Plan]:
    """All plans that were tried, best first; with something hidden, over several imagined positions.

    Those that came out last in a round are not tried again, and stand behind all that were."""
    side = worlds.judge.side_of(knowledge.seat_number)
    guesses = 1 if knowledge.complete else GUESSES
    merged: dict[tuple[int, ...], Plan] = {}
    for _ in range(guesses):
        root = knowledge.sample(generator)
        tried: list[Plan] = []
        try:
            with worlds.scratch():
                scale = scale or worlds.scale(root, generator, plies=2)
                found = plans(worlds, knowledge.values, root, most // guesses, generator)
                for share, tries in rounds or (ROUNDS if worlds.judge.by_eye else GAMES):
                    found.sort(key=lambda plan: -plan.worth)
                    kept = found[: max(4, int(share * len(found)))]
                    try_plans(worlds, kept, scale, side, tries, generator)
                    tried, found = tried + found[len(kept) :], kept
                if rounds is None and worlds.judge.by_eye:
                    weigh_plans(worlds, found, scale, side, WAYS, generator)
        except RuleFailure:
            # An imagined position can be one that no game comes to.
            continue
        for plan in [*found, *tried]:
            known = merged.setdefault(plan.answers, plan)
            if known is not plan:
                known.add(plan.worth, plan.weight)
    most_tried = max((plan.weight for plan in merged.values()), default=0.0)
    return sorted(merged.values(), key=lambda plan: (plan.weight < most_tried / guesses, -plan.worth))
