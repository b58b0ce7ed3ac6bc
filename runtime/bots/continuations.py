"""What comes after an action: two ways to play on from it, and what the lead is then.

Where nothing is thrown, the best reply tells most: `Replies` looks for it among all that can be done.  Where dice fall one
reply tells little, and what was gained by an action shows plies later, when it was shot at, taken back or kept:
there everybody plays on by a quick eye, many times over (`Strolls`).
"""

from __future__ import annotations

import random
from typing import Protocol

from grognard.bots.determinisation import (
    SETTLING,
    Worlds,
    ply_of,
    question_of,
)
from grognard.bots.evaluation import Leads
from grognard.bots.plans import Plan, plans, try_plans
from grognard.contract.backend import Manner

#: Plans that are judged for a reply; rounds of tries there: (share that is kept, tries).
REPLIES = 40
REPLY_ROUNDS = ((1.0, 1), (0.3, 3))
#: Plans by which a question shows whether it is for a seat to act.
PROBES = 12
#: Plies of one turn that are followed; a turn lasts until another seat is to move.
PLIES = 3
#: Where dice fall, so many plies are played on, and so thoroughly a mover looks at each of them.
STROLL = 6
EYE = Manner(plans=48, finalists=6, tries=2)


class Sequel(Protocol):
    """A way to play on."""

    def later(self, cells: bytearray, mover: int) -> float:
        """The lead of the side that decides, when all have played on in place, or while they do; `mover` has just acted."""


class Strolls:
    """Everybody does what looks best of a few actions made up at random, for some plies.

    What comes sooner after an action has more to do with it: what counts is the lead on the way, not the last one."""

    def __init__(self, worlds: Worlds, leads: Leads, side: int, generator: random.Random) -> None:
        self.worlds = worlds
        self.leads = leads
        self.side = side
        self.generator = generator
        self.by = worlds.judge.appraisal(round(leads.won))

    def later(self, cells: bytearray, mover: int) -> float:
        return self.worlds.stroll(cells, self.generator, STROLL, EYE, self.by, self.side)


class Replies:
    """The rest of the mover's turn, then the turns of the others, each with what promises its seat most."""

    def __init__(self, worlds: Worlds, leads: Leads, side: int, turns: int, generator: random.Random) -> None:
        self.worlds = worlds
        self.leads = leads
        self.side = side
        self.turns = turns
        self.generator = generator
        #: by the question: whether who is asked it acts
        self._acting: dict[int, bool] = {}

    def later(self, cells: bytearray, mover: int) -> float:
        """Of the last turn only what it promises is counted."""
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
            if not worlds.give(cells, best.answers):
                break
            plies += ply_of(cells) != start
        return self.leads.worth(cells)[self.side]

    def _interlude(self, cells: bytearray) -> None:
        """Answer by chance what is not for a seat to act: bids, reactions.

        To act is to complete a ply.  A round that ends brings such questions, and they must not be taken for turns: to
        pass would look like a way to keep the others from theirs."""
        worlds, generator = self.worlds, self.generator
        for _ in range(SETTLING):
            if worlds.seat(cells) < 0 or self._acts(cells):
                return
            worlds.answer(cells, generator.choice(worlds.candidates(cells)))

    def _acts(self, cells: bytearray) -> bool:
        """Whether the seat's own answers can complete a ply before others decide, tried by chance."""
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
