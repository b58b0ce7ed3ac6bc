"""Tree search over completed actions, where positions can be judged by eye.

The tree's moves are whole plans, as the greedy bot makes them, not single answers.  First all that can be done is judged
by its expected result, dice followed exactly where they are few.  The best of that is then looked into, in positions
imagined anew and with new dice: what comes after an action is played out, against the best reply or for some
plies by a quick eye (`sequels`).

Tries are few and dice are wild, so what tries say is believed as far as it can be told from noise (empirical Bayes): by
how much moves differ in truth is estimated from all of them, and a move is believed the more the oftener it was tried.
Where they do not differ, the exact odds of the first judgement decide.
"""

from __future__ import annotations

import random
from dataclasses import dataclass

from grognard.bots.continuations import (
    Replies,
    Sequel,
    Strolls,
)
from grognard.bots.determinisation import (
    SETTLING,
    Worlds,
    ply_of,
)
from grognard.bots.evaluation import Leads
from grognard.bots.greedy import PLANS, best_plans
from grognard.bots.knowledge import Knowledge
from grognard.bots.plans import Plan
from grognard.contract.backend import RuleFailure

#: Moves that are looked into: so many at least, and one for each so many iterations, so that in the first round each is tried
#: several times: what is tried once tells nothing of the noise.
FEWEST_MOVES = 4
ITERATIONS_PER_MOVE = 12
#: A game won is worth so many units more than the lead that it was won with.
WON = 30.0
#: Positions imagined for one decision.
GUESSES = 24


@dataclass(slots=True)
class Move:
    """A plan of the seat that decides: what it promises at once, and by how much that changed in later turns."""

    answers: tuple[int, ...]
    promise: float
    tries: int = 0
    total: float = 0.0
    squares: float = 0.0

    @property
    def later(self) -> float:
        return self.total / max(self.tries, 1)

    def count(self, change: float) -> None:
        self.tries += 1
        self.total += change
        self.squares += change * change


@dataclass(frozen=True, slots=True)
class Belief:
    """What tries tell of moves, all of them taken together: by how much moves differ in truth and single tries of one move
    do by chance (variances), and the mean of the moves."""

    signal: float
    noise: float
    mean: float

    @classmethod
    def of(cls, moves: list[Move]) -> Belief:
        tried = [move for move in moves if move.tries]
        tries = sum(move.tries for move in tried)
        if len(tried) < 2 or tries == len(tried):
            # What was tried once tells nothing of the noise.
            return cls(0.0, 0.0, 0.0)
        mean = sum(move.later for move in tried) / len(tried)
        between = sum((move.later - mean) ** 2 for move in tried) / (len(tried) - 1)
        within = sum(move.squares - move.tries * move.later**2 for move in tried)
        noise = within / (tries - len(tried))
        by_chance = noise * sum(1 / move.tries for move in tried) / len(tried)
        return cls(max(0.0, between - by_chance), noise, mean)

    def share(self, tries: int) -> float:
        """How far what so many tries say of a move can be told from noise: 0 not at all, 1 wholly."""
        return self.signal / (self.signal + self.noise / tries) if self.signal and tries else 0.0


def ranked(moves: list[Move], among: list[Move] | None = None) -> list[Move]:
    """The best move first, by what is known of all those they were chosen from.  One that could not be tried in any
    imagined position counts as neither better nor worse later."""
    belief = Belief.of(among or moves)

    def value(move: Move) -> float:
        return move.promise + belief.share(move.tries) * (move.later - belief.mean)

    return sorted(moves, key=value, reverse=True)


class Foresight:
    """One search, for one decision."""

    def __init__(self, worlds: Worlds, knowledge: Knowledge, turns: int, generator: random.Random) -> None:
        self.worlds = worlds
        self.knowledge = knowledge
        self.turns = turns
        self.generator = generator
        self.side = worlds.judge.side_of(knowledge.seat_number)

    def search(self, iterations: int) -> tuple[int, ...] | None:
        """The answers of the best plan; None if none can be completed."""
        generator = self.generator
        guesses = 1 if self.knowledge.complete else min(GUESSES, iterations)
        known = [self.knowledge.sample(generator) for _ in range(guesses)]
        self.leads = self._units(known)
        self.sequel = self._sequel(known[0])
        found = best_plans(self.worlds, self.knowledge, PLANS, generator, self.leads)
        width = max(FEWEST_MOVES, iterations // ITERATIONS_PER_MOVE)
        moves = [Move(plan.answers, plan.worth) for plan in self._distinct(found, known[0], width)]
        if not moves:
            return None
        everyone = moves
        # The better half of the moves gets the next share of the iterations, until two are left.
        stages = max(len(moves).bit_length() - 1, 1)
        number = 0
        while len(moves) > 1:
            for _ in range(max(1, iterations // stages // len(moves))):
                for move in moves:
                    self._try(move, known[number % guesses])
                number += 1
            moves = ranked(moves, everyone)[: (len(moves) + 1) // 2]
        return moves[0].answers

    def _units(self, known: list[bytearray]) -> Leads:
        """Leads, with a unit that random play over some plies gives."""
        for cells in known:
            try:
                spread = self.worlds.spread(cells, self.generator, 2 * self.turns)
            except RuleFailure:
                # An imagined position can be one that no game comes to.
                continue
            return Leads(self.worlds.judge, spread, WON)
        return Leads(self.worlds.judge, 1.0, WON)

    def _sequel(self, known: bytearray) -> Sequel:
        if self.worlds.chancy(known):
            return Strolls(self.worlds, self.leads, self.side, self.generator)
        return Replies(self.worlds, self.leads, self.side, self.turns, self.generator)

    def _distinct(self, found: list[Plan], known: bytearray, most: int) -> list[Plan]:
        """The best plans, of those that bring about the same position only one."""
        worlds = self.worlds
        kept: list[Plan] = []
        met: set[bytes] = set()
        for plan in found:
            if len(kept) == most:
                break
            with worlds.scratch():
                cells = worlds.copy(known)
                try:
                    if worlds.give(cells, plan.answers):
                        made = bytes(cells)
                        if made in met:
                            continue
                        met.add(made)
                except RuleFailure:
                    continue
            kept.append(plan)
        return kept

    def _try(self, move: Move, known: bytearray) -> None:
        """By how much the lead changes after the move, up to the end of the last turn that is looked at."""
        worlds = self.worlds
        try:
            with worlds.scratch():
                cells = worlds.copy(known)
                worlds.reseed(cells, self.generator)
                mover, start = worlds.seat(cells), ply_of(cells)
                if worlds.give(cells, move.answers):
                    if ply_of(cells) == start:
                        # An action that others have a say in is not judged before it is complete.
                        worlds.wander(cells, self.generator, 1, SETTLING)
                    before = self.leads.worth(cells)[self.side]
                    move.count(self.sequel.later(cells, mover) - before)
        except RuleFailure:
            # An imagined position can be one that no game comes to: it teaches nothing.
            return
