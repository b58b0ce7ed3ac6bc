"""Search over completed actions, for titles with a static evaluation.

The moves of the tree are whole plans, as the greedy bot makes them, not single answers.  All plans are evaluated first
by expected value, with dice enumerated where they are few.  The best of them are then sampled in new determinisations
with new dice: each is followed by a continuation (`continuations`), and successive halving removes the worse ones.

Samples are few and noisy, so their means are shrunk towards the common mean (empirical Bayes): the variance between
moves is estimated from all of them, and the more samples a move has, the less it is shrunk.  Where moves do not differ
significantly, the first evaluation decides.
"""

from __future__ import annotations

import random
import time
from dataclasses import dataclass

from grognard.bots.continuations import (
    ROLLOUT_OPTIONS,
    ROLLOUT_PLIES,
    BestReplies,
    Continuation,
    GuidedRollouts,
)
from grognard.bots.determinisation import (
    QUIESCENCE_ANSWERS,
    ForwardModel,
    ply_of,
)
from grognard.bots.evaluation import MarginValue
from grognard.bots.greedy import MAX_PLANS, best_plans
from grognard.bots.knowledge import Knowledge
from grognard.bots.plans import Plan
from grognard.contract.backend import RolloutOptions, RuleFailure

#: Moves that are sampled: this many at least, and one for each so many iterations, so that each has several samples in
#: the first round: a single sample says nothing about the noise.
MIN_MOVES = 4
ITERATIONS_PER_MOVE = 12
#: The bonus of a won game, in units of the spread of margins.
WIN_BONUS = 30.0
#: Ways to sample where time is short, the cheapest first: plies, and what each ply looks at.  The last is the usual one.
EFFORTS = (
    (2, RolloutOptions(plans=6, finalists=2, tries=1)),
    (4, RolloutOptions(plans=16, finalists=3, tries=1)),
    (ROLLOUT_PLIES, ROLLOUT_OPTIONS),
)
#: Samples that there must be time for.
LEAST_SAMPLES = 12
#: Determinisations for one decision.
DETERMINISATIONS = 24


@dataclass(slots=True)
class Move:
    """A plan of the searching seat: its value at once, and the sampled changes of the margin in later turns."""

    answers: tuple[int, ...]
    prior_value: float
    tries: int = 0
    total: float = 0.0
    squares: float = 0.0

    @property
    def mean_change(self) -> float:
        return self.total / max(self.tries, 1)

    def add_sample(self, change: float) -> None:
        self.tries += 1
        self.total += change
        self.squares += change * change


@dataclass(frozen=True, slots=True)
class MoveStatistics:
    """Empirical Bayes over all moves: the variance between moves (signal), the variance between samples of one move
    (noise), and the mean of the moves."""

    signal: float
    noise: float
    mean: float

    @classmethod
    def of(cls, moves: list[Move]) -> MoveStatistics:
        tried = [move for move in moves if move.tries]
        tries = sum(move.tries for move in tried)
        if len(tried) < 2 or tries == len(tried):
            # Single samples say nothing about the noise.
            return cls(0.0, 0.0, 0.0)
        mean = sum(move.mean_change for move in tried) / len(tried)
        between = sum((move.mean_change - mean) ** 2 for move in tried) / (len(tried) - 1)
        within = sum(move.squares - move.tries * move.mean_change**2 for move in tried)
        noise = within / (tries - len(tried))
        by_chance = noise * sum(1 / move.tries for move in tried) / len(tried)
        return cls(max(0.0, between - by_chance), noise, mean)

    def shrinkage(self, tries: int) -> float:
        """The weight of a mean of so many samples: 0 is all noise, 1 all signal."""
        return self.signal / (self.signal + self.noise / tries) if self.signal and tries else 0.0


def rank_moves(moves: list[Move], among: list[Move] | None = None) -> list[Move]:
    """The best move first.  `among` are the moves that the statistics are taken from.  A move without samples gets no
    change."""
    statistics = MoveStatistics.of(among or moves)

    def value(move: Move) -> float:
        return move.prior_value + statistics.shrinkage(move.tries) * (move.mean_change - statistics.mean)

    return sorted(moves, key=value, reverse=True)


class ActionTreeSearch:
    """One search, for one decision."""

    def __init__(
        self, model: ForwardModel, knowledge: Knowledge, turns: int, generator: random.Random
    ) -> None:
        self.model = model
        self.knowledge = knowledge
        self.turns = turns
        self.generator = generator
        self.side = model.evaluator.side_of(knowledge.seat_number)

    def begin(self) -> bool:
        """Judge all plans at once; False if no plan can be completed."""
        generator = self.generator
        determinisations = 1 if self.knowledge.complete else DETERMINISATIONS
        self.known = [self.knowledge.sample(generator) for _ in range(determinisations)]
        self.margin_value = self._margin_value(self.known)
        self.found = best_plans(self.model, self.knowledge, MAX_PLANS, generator, self.margin_value)
        return bool(self.found)

    def search(self, iterations: int) -> tuple[int, ...] | None:
        """The answers of the best plan; with a deadline as many iterations as there is time for."""
        model, known = self.model, self.known
        self.continuation = self._continuation(known[0])
        width = max(MIN_MOVES, iterations // ITERATIONS_PER_MOVE)
        moves = [Move(plan.answers, plan.value) for plan in self._deduplicated(self.found, known[0], width)]
        if not moves:
            return self.found[0].answers
        if model.deadline is not None:
            iterations = self._affordable(moves[0])
            moves = moves[: max(MIN_MOVES, iterations // ITERATIONS_PER_MOVE)]
        everyone = moves
        # Successive halving: the better half of the moves gets the next share of the iterations, until two are left.
        stages = max(len(moves).bit_length() - 1, 1)
        number = 0
        while len(moves) > 1 and not model.late():
            for _ in range(max(1, iterations // stages // len(moves))):
                for move in moves:
                    if model.late():
                        # Some moves have a sample more than others: they count by how many they have.
                        return rank_moves(moves, everyone)[0].answers
                    self._sample_move(move, known[number % len(known)])
                number += 1
            moves = rank_moves(moves, everyone)[: (len(moves) + 1) // 2]
        return moves[0].answers

    def _affordable(self, move: Move) -> int:
        """How many samples there is time for; where one takes long, they are made shorter."""
        deadline = self.model.deadline
        assert deadline is not None
        rollouts = self.continuation if isinstance(self.continuation, GuidedRollouts) else None
        chosen, took = EFFORTS[0], 0.0
        for effort in EFFORTS if rollouts is not None else EFFORTS[:1]:
            if rollouts is not None:
                rollouts.plies, rollouts.options = effort
            begun = time.monotonic()
            self._sample_move(move, self.known[0])
            longer = max(time.monotonic() - begun, 1e-6)
            if took and deadline - time.monotonic() < longer * LEAST_SAMPLES:
                break
            chosen, took = effort, longer
            if deadline - time.monotonic() < took * LEAST_SAMPLES:
                break
        if rollouts is not None:
            rollouts.plies, rollouts.options = chosen
        return max(1, int(max(0.0, deadline - time.monotonic()) / took))

    def _margin_value(self, known: list[bytearray]) -> MarginValue:
        """The value function, with the spread of margins under random play as its unit."""
        for cells in known:
            try:
                spread = self.model.margin_spread(cells, self.generator, 2 * self.turns)
            except RuleFailure:
                # A determinised position may be unreachable in play.
                continue
            return MarginValue(self.model.evaluator, spread, WIN_BONUS)
        return MarginValue(self.model.evaluator, 1.0, WIN_BONUS)

    def _continuation(self, known: bytearray) -> Continuation:
        if self.model.is_stochastic(known):
            return GuidedRollouts(self.model, self.margin_value, self.side, self.generator)
        return BestReplies(self.model, self.margin_value, self.side, self.turns, self.generator)

    def _deduplicated(self, found: list[Plan], known: bytearray, most: int) -> list[Plan]:
        """The best plans; of those that lead to the same position only the first."""
        model = self.model
        kept: list[Plan] = []
        met: set[bytes] = set()
        for plan in found:
            if len(kept) == most:
                break
            with model.copy_scope():
                cells = model.copy(known)
                try:
                    if model.apply_answers(cells, plan.answers):
                        made = bytes(cells)
                        if made in met:
                            continue
                        met.add(made)
                except RuleFailure:
                    continue
            kept.append(plan)
        return kept

    def _sample_move(self, move: Move, known: bytearray) -> None:
        """Add a sample: the change of the margin between the move and the end of its continuation."""
        model = self.model
        try:
            with model.copy_scope():
                cells = model.copy(known)
                model.reseed(cells, self.generator)
                mover, start = model.seat(cells), ply_of(cells)
                if model.apply_answers(cells, move.answers):
                    if ply_of(cells) == start:
                        # An action in which other seats decide too is completed before it is evaluated.
                        model.random_rollout(cells, self.generator, 1, QUIESCENCE_ANSWERS)
                    before = self.margin_value.value(cells)[self.side]
                    move.add_sample(self.continuation.value_after(cells, mover) - before)
        except RuleFailure:
            # A determinised position may be unreachable in play: it gives no sample.
            return
