"""Continuations: two ways to play on after an action, and the margin that results.

`BestReplies` is for deterministic games: it searches for the best reply among the opponents' plans.  `GuidedRollouts`
is for games with dice: one reply says little there, because the gain of an action shows plies later, so all seats play
on by a cheap greedy rollout policy, many times over.
"""

from __future__ import annotations

import random
from typing import Protocol

from grognard.bots.determinisation import (
    QUIESCENCE_ANSWERS,
    ForwardModel,
    pending_question,
    ply_of,
)
from grognard.bots.evaluation import MarginValue
from grognard.bots.plans import Plan, generate_plans, sample_plans
from grognard.contract.backend import RolloutOptions

#: Plans that are considered for a reply, and successive halving of them: (share that is kept, samples).
REPLY_PLANS = 40
REPLY_ROUNDS = ((1.0, 1), (0.3, 3))
#: Plans that are sampled to see whether a question begins an action.
PROBE_PLANS = 12
#: Plies of one turn that are played; a turn lasts until another seat is to move.
MAX_TURN_PLIES = 3
#: Plies of a guided rollout, and the effort of its policy for each of them.
ROLLOUT_PLIES = 6
ROLLOUT_OPTIONS = RolloutOptions(plans=48, finalists=6, tries=2)


class Continuation(Protocol):
    """A way to play on after an action."""

    def value_after(self, cells: bytearray, mover: int) -> float:
        """The margin of the searching side at the end of the continuation or averaged over it, played in place; `mover` has
        just acted."""


class GuidedRollouts:
    """For some plies every seat takes the best of a few random plans.

    The margin is averaged over the plies: the earlier a change, the more the action has to do with it."""

    def __init__(
        self, model: ForwardModel, margin_value: MarginValue, side: int, generator: random.Random
    ) -> None:
        self.model = model
        self.margin_value = margin_value
        self.side = side
        self.generator = generator
        self.by = model.evaluator.native_evaluation(round(margin_value.won))
        self.plies, self.options = ROLLOUT_PLIES, ROLLOUT_OPTIONS

    def value_after(self, cells: bytearray, mover: int) -> float:
        return self.model.guided_rollout(cells, self.generator, self.plies, self.options, self.by, self.side)


class BestReplies:
    """The rest of the mover's turn, then the turns of the others, each with the best plan of its seat."""

    def __init__(
        self, model: ForwardModel, margin_value: MarginValue, side: int, turns: int, generator: random.Random
    ) -> None:
        self.model = model
        self.margin_value = margin_value
        self.side = side
        self.turns = turns
        self.generator = generator
        #: by question: whether its answer begins an action
        self._action_questions: dict[int, bool] = {}

    def value_after(self, cells: bytearray, mover: int) -> float:
        """The last turn is not played: the value of its best plan is taken instead."""
        model = self.model
        turns, plies = 0, 1
        while True:
            self._answer_interludes(cells)
            seat = model.seat(cells)
            if seat < 0:
                break
            if seat != mover or plies == MAX_TURN_PLIES:
                turns, mover, plies = turns + 1, seat, 0
            best = self._best(cells) if turns < self.turns else None
            if best is None:
                break
            if turns == self.turns - 1 and model.evaluator.sides == 2:
                return best.value if model.evaluator.side_of(seat) == self.side else -best.value
            start = ply_of(cells)
            if not model.apply_answers(cells, best.answers):
                break
            plies += ply_of(cells) != start
        return self.margin_value.value(cells)[self.side]

    def _answer_interludes(self, cells: bytearray) -> None:
        """Answer questions that begin no action (bids, reactions) at random.

        An action completes a ply.  The end of a round raises such questions.  If they counted as turns, passing would
        look like a way to take the others' turns away."""
        model, generator = self.model, self.generator
        for _ in range(QUIESCENCE_ANSWERS):
            if model.seat(cells) < 0 or self._is_action_question(cells):
                return
            model.answer(cells, generator.choice(model.candidates(cells)))

    def _is_action_question(self, cells: bytearray) -> bool:
        """Whether the seat's own answers can complete a ply before another seat decides, by sampled plans."""
        model = self.model
        question = pending_question(cells)[0]
        known = self._action_questions.get(question)
        if known is None:
            with model.copy_scope():
                found = generate_plans(model, model.candidates(cells), cells, PROBE_PLANS, self.generator)
                known = any(ply_of(plan.after) != ply_of(cells) for plan in found)
            self._action_questions[question] = known
        return known

    def _best(self, cells: bytearray) -> Plan | None:
        """The best plan of the seat to move, with few samples; its value is the mover's."""
        model = self.model
        side = model.evaluator.side_of(model.seat(cells))
        with model.copy_scope():
            found = generate_plans(model, model.candidates(cells), cells, REPLY_PLANS, self.generator)
            for share, tries in REPLY_ROUNDS:
                found.sort(key=lambda plan: -plan.value)
                found = found[: max(3, int(share * len(found)))]
                sample_plans(model, found, self.margin_value, side, tries, self.generator)
        return max(found, key=lambda plan: plan.value, default=None)
