"""Steps in imagined positions: what bots do with the cells that `Knowledge.sample` gives them."""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from struct import unpack_from
from typing import TYPE_CHECKING

from grognard.bots.evaluation import Judge, Scale
from grognard.contract.backend import (
    Appraisal,
    Io,
    Manner,
    RuleFailure,
)
from grognard.contract.generator import seeded
from grognard.contract.header import (
    H_ASK,
    H_CHOOSER,
    H_PLY,
    H_RNG_HI,
    H_RNG_LO,
    H_STATUS,
    STATUS_DECISION,
)
from grognard.play.playouts import stroll, wander

if TYPE_CHECKING:
    from grognard.play.setting import Setting

#: Random games are given up after so many answers.
LONGEST = 4_000
#: An action that others have a say in is played on for so many answers before it is judged.
SETTLING = 12
#: Games at random by which a title shows whether dice fall in it.
GAMES = 4


class Worlds:
    """The back end as bots use it.  Positions are bare cells, changed in place."""

    def __init__(self, setting: Setting) -> None:
        self.setting = setting
        self.backend = setting.backend
        self.judge = Judge(setting)
        self._base = setting.scenario.layout.base[setting.program.seats]
        self._io = Io()
        self._chancy: bool | None = None
        self._lent: list[bytearray] = []
        self._spare: list[bytearray] = []

    def copy(self, cells: bytearray) -> bytearray:
        """A copy to play with, until the `scratch` ends in which it was made."""
        if self._spare:
            made = self._spare.pop()
            made[:] = cells
        else:
            made = bytearray(cells)
        self._lent.append(made)
        return made

    @contextmanager
    def scratch(self) -> Iterator[None]:
        """Takes back the copies made in it: bots go through thousands a second, and new memory is dear."""
        first = len(self._lent)
        try:
            yield
        finally:
            self._spare += self._lent[first:]
            del self._lent[first:]

    def candidates(self, cells: bytearray) -> list[int]:
        return self.backend.candidates(cells)

    def answer(self, cells: bytearray, value: int) -> None:
        self.backend.answer(cells, value, self._io)

    def give(self, cells: bytearray, answers: Iterable[int]) -> bool:
        """Give the answers, in place; no if one of them cannot be given here."""
        for value in answers:
            if self.seat(cells) < 0 or value not in self.candidates(cells):
                return False
            self.answer(cells, value)
        return True

    def chancy(self, root: bytearray) -> bool:
        """Whether dice fall in this game, found out once by playing some games at random."""
        if self._chancy is None:
            # Chances of its own: a decision must not depend on whether it was the first.
            generator = random.Random(GAMES)
            self._chancy = any(self._rolls(root, generator) for _ in range(GAMES))
        return self._chancy

    def _rolls(self, root: bytearray, generator: random.Random) -> bool:
        with self.scratch():
            cells = self.copy(root)
            try:
                for _ in range(LONGEST):
                    if self.seat(cells) < 0:
                        break
                    self.answer(cells, generator.choice(self.candidates(cells)))
                    if dice_of(cells) != dice_of(root):
                        return True
            except RuleFailure:
                # An imagined position can be one that no game comes to.
                pass
        return False

    def wander(self, cells: bytearray, generator: random.Random, plies: int, answers: int) -> None:
        """Random answers in place, with new dice."""
        wander(self.setting, cells, generator.getrandbits(64), plies, answers)

    def stroll(
        self, cells: bytearray, generator: random.Random, plies: int, how: Manner, by: Appraisal, side: int
    ) -> float:
        """Actions that look best, in place, with new dice; how far a side is ahead on the way, on average."""
        _, stood = stroll(self.setting, cells, generator.getrandbits(64), plies, LONGEST, how, by, side)
        return stood / plies

    def seat(self, cells: bytearray) -> int:
        """The number of the seat that decides; negative when nothing is asked."""
        status, chooser = unpack_from("ii", cells, 4 * H_STATUS)
        return chooser - self._base if status == STATUS_DECISION else -1

    def is_settled(self, before: bytearray, after: bytearray) -> bool:
        """Whether an action that began at `before` can be judged as it is: it is complete, or the game is over."""
        return self.seat(after) < 0 or (self.judge.by_eye and ply_of(after) != ply_of(before))

    def reseed(self, cells: bytearray, generator: random.Random) -> None:
        low, high = seeded(generator.getrandbits(64))
        with memoryview(cells) as raw, raw.cast("i") as c:
            c[H_RNG_LO], c[H_RNG_HI] = low, high

    def scale(self, root: bytearray, generator: random.Random, plies: int, samples: int = 8) -> Scale:
        """What differences count for, seen from here."""
        if not self.judge.by_eye:
            return Scale(self.judge, root, 1.0)
        return Scale(self.judge, root, self.spread(root, generator, plies, samples))

    def spread(self, root: bytearray, generator: random.Random, plies: int, samples: int = 8) -> float:
        """By how much random play changes the leads, on average."""
        found: list[int] = []
        start = self.judge.leads(root)
        for _ in range(samples):
            with self.scratch():
                cells = self.copy(root)
                self.wander(cells, generator, plies, LONGEST)
                found += [abs(a - b) for a, b in zip(self.judge.leads(cells), start)]
        return sum(found) / max(len(found), 1)


def ply_of(cells: bytearray) -> int:
    return int(unpack_from("i", cells, 4 * H_PLY)[0])


def dice_of(cells: bytearray) -> bytes:
    """The state of the dice, to see whether any were rolled."""
    return bytes(cells[4 * H_RNG_LO : 4 * H_RNG_HI + 4])


def question_of(cells: bytearray) -> tuple[int, int]:
    """The pending question and who is asked."""
    return int(unpack_from("i", cells, 4 * H_ASK)[0]), int(unpack_from("i", cells, 4 * H_CHOOSER)[0])
