"""Tree search over completed actions, where positions can be judged by eye.

The tree's moves are whole plans, as the greedy bot makes them, not single answers.  First all that can be done is judged
by its expected result, dice followed exactly where they are few.  The best of that is then looked into, in positions
imagined anew and with new dice: what comes after an action is played out, against the best reply or for some
plies by a quick eye (`sequels`).

Tries are few and dice are wild, so what tries say is believed as far as it can be told from noise: the share of what
differs between moves in all that differs (empirical Bayes).  Where that is nothing, the exact odds of the
first judgement decide.
"""

from __future__ import annotations

import random
from dataclasses import dataclass

from grognard.bots.greedy import best_plans
from grognard.bots.judge import Leads
from grognard.bots.knowledge import Knowledge
from grognard.bots.plans import Plan
from grognard.bots.sequels import Replies, Sequel, Strolls
from grognard.bots.worlds import SETTLING, Worlds, ply_of
from grognard.machineio import RuleFailure

#: Plans that are judged at the start: so many for each iteration, within these bounds.
PLANS = 2
FEWEST_PLANS, MOST_PLANS = 60, 300
#: Moves that are looked into: so many, or with many iterations one for each so many of them.
WIDTH = 8
ITERATIONS_PER_MOVE = 6
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


def belief(moves: list[Move]) -> float:
    """How far what tries say of moves can be told from noise: 0 not at all, 1 wholly."""
    tried = [move for move in moves if move.tries]
    tries = sum(move.tries for move in tried)
    if len(tried) < 2:
        return 0.0
    mean = sum(move.later for move in tried) / len(tried)
    between = sum((move.later - mean) ** 2 for move in tried) / (len(tried) - 1)
    within = sum(move.squares - move.tries * move.later**2 for move in tried) / max(tries - len(tried), 1)
    noise = within * sum(1 / move.tries for move in tried) / len(tried)
    return max(0.0, between - noise) / between if between > 0 else 0.0


def ranked(moves: list[Move]) -> list[Move]:
    """The best move first.  One that could not be tried in any imagined position counts as neither better nor worse later."""
    trust = belief(moves)
    tried = [move.later for move in moves if move.tries]
    mean = sum(tried) / max(len(tried), 1)

    def value(move: Move) -> float:
        return move.promise + (trust * (move.later - mean) if move.tries else 0.0)

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
        most = min(MOST_PLANS, max(FEWEST_PLANS, PLANS * iterations))
        found = best_plans(self.worlds, self.knowledge, most, generator, self.leads)
        width = max(WIDTH, iterations // ITERATIONS_PER_MOVE)
        moves = [Move(plan.answers, plan.worth) for plan in self._distinct(found, known[0], width)]
        if not moves:
            return None
        # The better half of the moves gets the next share of the iterations, until two are left.
        stages = max(len(moves).bit_length() - 1, 1)
        number = 0
        while len(moves) > 1:
            for _ in range(max(1, iterations // stages // len(moves))):
                for move in moves:
                    self._try(move, known[number % guesses])
                number += 1
            moves = ranked(moves)[: (len(moves) + 1) // 2]
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
