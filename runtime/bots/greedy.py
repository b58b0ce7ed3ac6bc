"""One-ply search: every plan of the present action, by the expected value of the position that it leads to."""

from __future__ import annotations

import random
from collections.abc import Sequence

from grognard.bots.base import Bot
from grognard.bots.determinisation import ForwardModel
from grognard.bots.evaluation import ValueFunction
from grognard.bots.goals import follow_goals
from grognard.bots.knowledge import Knowledge
from grognard.bots.plans import Plan, PlannedAnswers, generate_plans, integrate_plans, sample_plans
from grognard.contract.backend import RuleFailure

#: Plans that are considered at most; determinisations where something is hidden.
MAX_PLANS = 300
DETERMINISATIONS = 3
#: Successive halving: (share of the plans that is kept, samples of each).
HALVING_ROUNDS = ((1.0, 2), (0.25, 6), (0.06, 8))
#: Outcomes of the dice over which the finalists are integrated: exactly, if there are no more.
MAX_OUTCOMES = 80
#: Answers that are tried for a decision; many of them roll the dice of whole turns.
MAX_TRIED = 8_000
#: The share of the time after which nothing new is begun.
IN_TIME = 0.8
#: Successive halving where each sample is a random rollout to the end of the game.
ROLLOUT_ROUNDS = ((1.0, 16), (0.5, 32))


class Greedy(Bot):
    """Takes the action with the best expected value after it."""

    name = "greedy"

    def __init__(self, seed: int = 1, plans: int = MAX_PLANS, seconds: float | None = None) -> None:
        super().__init__(seed, seconds)
        self.plans = plans
        self._planned = PlannedAnswers()

    def decide(self, knowledge: Knowledge, generator: random.Random) -> int:
        next_answer = self._planned.next_answer(knowledge)
        if next_answer is not None:
            return next_answer
        model = self.model(knowledge)
        # Dice of the last plan may still be integrated when the time is up.
        self.allow(IN_TIME)
        best = best_plans(model, knowledge, self.plans, generator)
        if not best:
            return generator.choice(knowledge.values)
        answers = (*best[0].answers, *best[0].then)
        self._planned.store(knowledge, answers[1:])
        return answers[0]


def best_plans(
    model: ForwardModel,
    knowledge: Knowledge,
    most: int,
    generator: random.Random,
    value_function: ValueFunction | None = None,
    rounds: Sequence[tuple[float, int]] | None = None,
) -> list[Plan]:
    """All sampled plans, best first; with hidden information, over several determinisations.

    Plans that are eliminated in a round are not sampled again, and rank behind all that were kept."""
    side = model.evaluator.side_of(knowledge.seat_number)
    determinisations = 1 if knowledge.complete else DETERMINISATIONS
    merged: dict[tuple[int, ...], Plan] = {}
    for number in range(determinisations):
        model.most_tried = None
        if number and model.late():
            break
        if model.evaluator.is_static:
            model.most_tried = model.tried + MAX_TRIED // determinisations
        root = knowledge.sample(generator)
        tried: list[Plan] = []
        try:
            with model.copy_scope():
                value_function = value_function or model.normalised_value(root, generator, plies=2)
                found = generate_plans(model, knowledge.values, root, most // determinisations, generator)
                for share, tries in rounds or (
                    HALVING_ROUNDS if model.evaluator.is_static else ROLLOUT_ROUNDS
                ):
                    found.sort(key=lambda plan: -plan.value)
                    kept = found[: max(4, int(share * len(found)))]
                    sample_plans(model, kept, value_function, side, tries, generator)
                    if not tried and model.evaluator.is_static:
                        follow_goals(model, kept, root, value_function, side, generator)
                    tried, found = tried + found[len(kept) :], kept
                if rounds is None and model.evaluator.is_static:
                    integrate_plans(model, found, value_function, side, MAX_OUTCOMES, generator)
        except RuleFailure:
            # A determinised position may be unreachable in play.
            continue
        for plan in [*found, *tried]:
            known = merged.setdefault(plan.answers, plan)
            if known is not plan:
                known.add(plan.value, plan.weight)
    model.most_tried = None
    most_tried = max((plan.weight for plan in merged.values()), default=0.0)
    # What promises the same is taken in any order, so that games differ; but to do nothing comes first: a bot does not drive
    # to and fro for want of an aim.
    plans = list(merged.values())
    generator.shuffle(plans)
    return sorted(
        plans,
        key=lambda plan: (plan.weight < most_tried / determinisations, -plan.value, not plan.declines),
    )
