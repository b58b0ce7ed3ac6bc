"""Tree search over completed actions, where positions can be judged by eye.

The tree's moves are whole plans, as the greedy bot makes them, not single answers.  First all that can be done is judged
by its expected result, dice followed exactly where they are few.  The best of that is then looked into, in positions
imagined anew and with new dice: the own turn is played to its end, then come the turns of the others; everybody
does what his own plans promise him most, and of the last turn only what it promises is counted, not how its dice fell.

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
from grognard.bots.plans import Plan, plans, try_plans
from grognard.bots.worlds import SETTLING, Worlds, ply_of, question_of
from grognard.machineio import RuleFailure

#: Plans that are judged at the start: so many for each iteration, within these bounds.
PLANS = 6
FEWEST_PLANS, MOST_PLANS = 60, 300
#: Plans that are judged in the tree; rounds of tries there: (share that is kept, tries).
REPLIES = 40
REPLY_ROUNDS = ((1.0, 1), (0.3, 3))
#: Moves that are looked into: so many, or with many iterations one for each so many of them.
WIDTH = 8
ITERATIONS_PER_MOVE = 6
#: Plans by which a question shows whether it is for a seat to act.
PROBES = 12
#: A game won is worth so many units more than the lead that it was won with.
WON = 30.0
#: Positions imagined for one decision.
GUESSES = 24
#: Plies of one turn that are followed; a turn lasts until another seat is to move.
PLIES = 3


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
        #: by the question: whether who is asked it acts
        self._acting: dict[int, bool] = {}

    def search(self, iterations: int) -> tuple[int, ...] | None:
        """The answers of the best plan; None if none can be completed."""
        generator = self.generator
        guesses = 1 if self.knowledge.complete else min(GUESSES, iterations)
        known = [self.knowledge.sample(generator) for _ in range(guesses)]
        self.leads = self._units(known)
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
                    if self._play(cells, plan.answers):
                        made = bytes(cells)
                        if made in met:
                            continue
                        met.add(made)
                except RuleFailure:
                    continue
            kept.append(plan)
        return kept

    def _play(self, cells: bytearray, answers: tuple[int, ...]) -> bool:
        """Give the answers, in place; no if one of them cannot be given here."""
        for value in answers:
            if self.worlds.seat(cells) < 0 or value not in self.worlds.candidates(cells):
                return False
            self.worlds.answer(cells, value)
        return True

    def _try(self, move: Move, known: bytearray) -> None:
        """By how much the lead changes after the move, up to the end of the last turn that is looked at."""
        worlds = self.worlds
        try:
            with worlds.scratch():
                cells = worlds.copy(known)
                worlds.reseed(cells, self.generator)
                mover, start = worlds.seat(cells), ply_of(cells)
                if self._play(cells, move.answers):
                    if ply_of(cells) == start:
                        self._interlude(cells)
                    before = self.leads.worth(cells)[self.side]
                    move.count(self._later(cells, mover) - before)
        except RuleFailure:
            # An imagined position can be one that no game comes to: it teaches nothing.
            return

    def _later(self, cells: bytearray, mover: int) -> float:
        """The own lead after the rest of the mover's turn and the turns that follow, in place."""
        worlds = self.worlds
        turns, plies = 0, 1
        while True:
            self._interlude(cells)
            seat = worlds.seat(cells)
            if seat < 0:
                break
            if seat != mover or plies == PLIES:
                turns, mover, plies = turns + 1, seat, 0
            best = self._best(cells) if turns < self.turns else None
            if best is None:
                break
            if turns == self.turns - 1 and worlds.judge.sides == 2:
                return best.worth if worlds.judge.side_of(seat) == self.side else -best.worth
            start = ply_of(cells)
            if not self._play(cells, best.answers):
                break
            plies += ply_of(cells) != start
        return self.leads.worth(cells)[self.side]

    def _interlude(self, cells: bytearray) -> None:
        """Answer by chance what is not for a seat to act: bids, reactions, choices after dice.

        To act is to complete a ply.  A round that ends brings such questions, and they must not be taken for turns: to
        pass would look like a way to keep the others from theirs."""
        worlds, generator = self.worlds, self.generator
        for _ in range(SETTLING):
            if worlds.seat(cells) < 0 or self._acts(cells):
                return
            worlds.answer(cells, generator.choice(worlds.candidates(cells)))

    def _acts(self, cells: bytearray) -> bool:
        """Whether the seat's own answers can complete a ply before dice fall or others decide, tried by chance."""
        worlds = self.worlds
        question = question_of(cells)[0]
        known = self._acting.get(question)
        if known is None:
            with worlds.scratch():
                found = plans(worlds, worlds.candidates(cells), cells, PROBES, self.generator)
                known = any(ply_of(plan.after) != ply_of(cells) for plan in found)
            self._acting[question] = known
        return known

    def _best(self, cells: bytearray) -> Plan | None:
        """What promises the seat that is to move most, judged cursorily; its worth is the mover's."""
        worlds = self.worlds
        side = worlds.judge.side_of(worlds.seat(cells))
        with worlds.scratch():
            found = plans(worlds, worlds.candidates(cells), cells, REPLIES, self.generator)
            for share, tries in REPLY_ROUNDS:
                found.sort(key=lambda plan: -plan.worth)
                found = found[: max(3, int(share * len(found)))]
                try_plans(worlds, found, self.leads, side, tries, self.generator)
        return max(found, key=lambda plan: plan.worth, default=None)
