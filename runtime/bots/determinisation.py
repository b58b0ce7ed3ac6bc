"""The forward model: steps in determinised positions, the cells that `Knowledge.sample` draws from an information set."""

from __future__ import annotations

import random
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from struct import unpack_from
from typing import TYPE_CHECKING

from grognard.bots.evaluation import Evaluator, NormalisedValue
from grognard.contract.backend import (
    Io,
    NativeEvaluation,
    RolloutOptions,
    RuleFailure,
)
from grognard.contract.generator import seeded
from grognard.contract.header import (
    H_ASK,
    H_BRANCH,
    H_CHOOSER,
    H_PLY,
    H_RNG_HI,
    H_RNG_LO,
    H_STATUS,
    HEADER,
    STATUS_DECISION,
)
from grognard.contract.ir.types import shown_domains
from grognard.contract.layout import JOURNAL_ENTRY
from grognard.play.playouts import guided_rollout, random_rollout

if TYPE_CHECKING:
    from grognard.play.setting import Setting

#: Answers after which a random rollout is abandoned.
MAX_ANSWERS = 4_000
#: Random answers that may be needed to complete an action in which other seats decide too, before it is evaluated.
QUIESCENCE_ANSWERS = 12
#: Random games that show whether a title uses dice.
PROBE_GAMES = 4


class ForwardModel:
    """The back end as bots use it.  Positions are bare cells, changed in place."""

    def __init__(self, setting: Setting) -> None:
        self.setting = setting
        self.backend = setting.backend
        self.evaluator = Evaluator(setting)
        self._base = setting.scenario.layout.base[setting.program.seats]
        self._io = Io()
        self._stochastic: bool | None = None
        #: the cells that rules write: fields and the journal of what is not merged yet
        self._settled = slice(4 * HEADER, 4 * setting.scenario.layout.stack_offset)
        self._journal = setting.scenario.layout.journal_offset
        concrete = {d.id for d in setting.program.domains if d.sort in ("place", "piece")}
        #: by question: whether its answers are counters or places
        self.concrete = [bool(concrete & set(shown_domains(ask.show))) for ask in setting.program.asks]
        #: when to stop looking, by the monotonic clock; None: never
        self.deadline: float | None = None
        #: answers that were tried, and after how many to stop; None: never
        self.tried = 0
        self.most_tried: int | None = None
        self._in_use: list[bytearray] = []
        self._free: list[bytearray] = []

    def late(self) -> bool:
        """Whether the time or the effort for a decision is used up."""
        if self.most_tried is not None and self.tried > self.most_tried:
            return True
        return self.deadline is not None and time.monotonic() > self.deadline

    def copy(self, cells: bytearray) -> bytearray:
        """A copy to play on; it is valid until the enclosing `copy_scope` ends."""
        if self._free:
            made = self._free.pop()
            made[:] = cells
        else:
            made = bytearray(cells)
        self._in_use.append(made)
        return made

    @contextmanager
    def copy_scope(self) -> Iterator[None]:
        """Recycles the copies made in it: bots make thousands a second, and allocation is expensive."""
        first = len(self._in_use)
        try:
            yield
        finally:
            self._free += self._in_use[first:]
            del self._in_use[first:]

    def candidates(self, cells: bytearray) -> list[int]:
        return self.backend.candidates(cells)

    def answer(self, cells: bytearray, value: int) -> None:
        self.tried += 1
        self.backend.answer(cells, value, self._io)

    def apply_answers(self, cells: bytearray, answers: Iterable[int]) -> bool:
        """Give the answers in place; False if one of them is illegal here."""
        for value in answers:
            if self.seat(cells) < 0 or value not in self.candidates(cells):
                return False
            self.answer(cells, value)
        return True

    def is_stochastic(self, root: bytearray) -> bool:
        """Whether the game uses dice, found once by some random games."""
        if self._stochastic is None:
            # A generator of its own: a decision must not depend on whether it was the first.
            generator = random.Random(PROBE_GAMES)
            self._stochastic = any(self._rollout_uses_dice(root, generator) for _ in range(PROBE_GAMES))
        return self._stochastic

    def _rollout_uses_dice(self, root: bytearray, generator: random.Random) -> bool:
        with self.copy_scope():
            cells = self.copy(root)
            try:
                for _ in range(MAX_ANSWERS):
                    if self.seat(cells) < 0:
                        break
                    self.answer(cells, generator.choice(self.candidates(cells)))
                    if generator_state(cells) != generator_state(root):
                        return True
            except RuleFailure:
                # A determinised position may be unreachable in play.
                pass
        return False

    def random_rollout(self, cells: bytearray, generator: random.Random, plies: int, answers: int) -> None:
        """Uniform random answers in place, with newly seeded dice."""
        self.tried += random_rollout(self.setting, cells, generator.getrandbits(64), plies, answers)

    def guided_rollout(
        self,
        cells: bytearray,
        generator: random.Random,
        plies: int,
        how: RolloutOptions,
        by: NativeEvaluation,
        side: int,
    ) -> float:
        """A rollout by the greedy rollout policy, in place, with newly seeded dice; the side's mean margin over its plies."""
        _, stood = guided_rollout(
            self.setting, cells, generator.getrandbits(64), plies, MAX_ANSWERS, how, by, side
        )
        return stood / plies

    def seat(self, cells: bytearray) -> int:
        """The number of the seat to move; negative when no decision is pending."""
        status, chooser = unpack_from("ii", cells, 4 * H_STATUS)
        return chooser - self._base if status == STATUS_DECISION else -1

    def is_quiescent(self, before: bytearray, after: bytearray) -> bool:
        """Whether an action that began at `before` can be evaluated statically: it is complete, or the game is over."""
        return self.seat(after) < 0 or (self.evaluator.is_static and ply_of(after) != ply_of(before))

    def settles(self, before: bytearray, after: bytearray, asks: Sequence[int]) -> bool:
        """Whether the question that a plan began with is asked again, and its answers have changed the position meanwhile.

        Legs of a route and members of a set are asked for one after the other, too, but nothing changes between them."""
        question, _ = pending_question(after)
        if not self.evaluator.is_static or question != asks[0] or self.setting.program.asks[question].menu:
            return False
        return before[self._settled] != after[self._settled]

    def is_written_down(self, before: bytearray, after: bytearray) -> bool:
        """Whether the last answer ended what a seat writes secretly, and another seat writes now."""
        return branch_of(before) >= 0 and branch_of(after) >= 0 and self.seat(before) != self.seat(after)

    def disclosed(self, cells: bytearray) -> bytearray:
        """A copy in which what the seats before this one have written secretly is in force: they are judged by it."""
        made = self.copy(cells)
        with memoryview(made) as raw, raw.cast("i") as c:
            for entry in range(c[H_BRANCH]):
                at = self._journal + entry * JOURNAL_ENTRY
                cell, what, operand = c[at], c[at + 1], c[at + 2]
                if what == 0:
                    c[cell] = operand
                elif what == 1:
                    c[cell] += operand
                elif what == 2:
                    c[cell] |= operand
                else:
                    c[cell] &= ~operand
        return made

    def is_menu(self, question: int) -> bool:
        """Whether the question offers actions, in a title whose positions can be judged without a rollout."""
        return self.evaluator.is_static and self.setting.program.asks[question].menu

    def is_number(self, question: int) -> bool:
        """Whether the question asks how many of a group are chosen."""
        return question >= 0 and self.setting.program.asks[question].numbers is not None

    def reseed(self, cells: bytearray, generator: random.Random) -> None:
        low, high = seeded(generator.getrandbits(64))
        with memoryview(cells) as raw, raw.cast("i") as c:
            c[H_RNG_LO], c[H_RNG_HI] = low, high

    def normalised_value(
        self, root: bytearray, generator: random.Random, plies: int, samples: int = 8
    ) -> NormalisedValue:
        """The normalised value function, scaled by the spread of margins under random play from here."""
        if not self.evaluator.is_static:
            return NormalisedValue(self.evaluator, root, 1.0)
        return NormalisedValue(self.evaluator, root, self.margin_spread(root, generator, plies, samples))

    def margin_spread(self, root: bytearray, generator: random.Random, plies: int, samples: int = 8) -> float:
        """The mean absolute change of the margins under random play."""
        found: list[int] = []
        start = self.evaluator.margins(root)
        for _ in range(samples):
            with self.copy_scope():
                cells = self.copy(root)
                self.random_rollout(cells, generator, plies, MAX_ANSWERS)
                found += [abs(a - b) for a, b in zip(self.evaluator.margins(cells), start)]
        return sum(found) / max(len(found), 1)


def ply_of(cells: bytearray) -> int:
    return int(unpack_from("i", cells, 4 * H_PLY)[0])


def branch_of(cells: bytearray) -> int:
    """Where in the journal the branch of a secret block that runs began; negative outside of one."""
    return int(unpack_from("i", cells, 4 * H_BRANCH)[0])


def generator_state(cells: bytearray) -> bytes:
    """The state of the random generator: it changes when dice are rolled."""
    return bytes(cells[4 * H_RNG_LO : 4 * H_RNG_HI + 4])


def pending_question(cells: bytearray) -> tuple[int, int]:
    """The pending question, and the seat that it is put to."""
    return int(unpack_from("i", cells, 4 * H_ASK)[0]), int(unpack_from("i", cells, 4 * H_CHOOSER)[0])
