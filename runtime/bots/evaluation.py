"""How well the sides stand, in numbers between 0 (lost) and 1 (won), by what the title itself declares.

In this order: the outcome of a finished game; the title's `evaluation`; what its `victory` ranks the sides by,
together with the counters that each still has.  A title with none of these is judged by playing on at random.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Protocol

from grognard.contract.backend import Appraisal
from grognard.contract.header import (
    H_OUTCOME,
    H_STATUS,
    NONE,
    STATUS_OVER,
)

if TYPE_CHECKING:
    from grognard.play.setting import Setting

#: A point of what victory counts is worth so many counters.
POINT = 4
#: Positions that are not over yet lie between these: a sure win is worth more than a good position.
BEST_HOPE = 0.9


class Judge:
    """Judges positions of one scenario.  Holds nothing of a game."""

    def __init__(self, setting: Setting) -> None:
        self.setting = setting
        program, layout = setting.program, setting.scenario.layout
        self.sides = layout.count[program.sides]
        self._base = layout.base[program.sides]
        self._side_of_seat = _sides_of_seats(setting)
        self._counters = list(_counters(setting))
        sides = [(self._base + side,) for side in range(self.sides)]
        self._evaluations = (
            [setting.backend.prepared(program.evaluation, side) for side in sides]
            if program.evaluation is not None
            else []
        )
        self._measures = (
            [setting.backend.prepared(program.measure, side) for side in sides]
            if program.measure is not None
            else []
        )
        #: whether a position can be judged without playing on
        self.by_eye = program.evaluation is not None or program.measure is not None or bool(self._counters)

    def side_of(self, seat: int) -> int:
        """The number of the side that a seat plays for."""
        return self._side_of_seat[seat]

    def standing(self, cells: bytearray) -> list[int]:
        """For each side how well it stands, in the title's own units."""
        if self._evaluations:
            return [evaluate(cells) for evaluate in self._evaluations]
        found = [POINT * measure(cells) for measure in self._measures] or [0] * self.sides
        with memoryview(cells) as raw, raw.cast("i") as c:
            for alive, owner, count, first in self._counters:
                for number in range(count):
                    if c[alive + number]:
                        seat = c[owner + number] - first
                        if 0 <= seat < len(self._side_of_seat):
                            found[self._side_of_seat[seat]] += 1
        return found

    def leads(self, cells: bytearray) -> list[int]:
        """For each side how far it is ahead of the best of the others."""
        standing = self.standing(cells)
        if len(standing) == 1:
            return standing
        return [
            mine - max(theirs for other, theirs in enumerate(standing) if other != side)
            for side, mine in enumerate(standing)
        ]

    def appraisal(self, won: int) -> Appraisal:
        """The same leads as back ends work them out by themselves, with so much on top for a game that is won."""
        setting = self.setting
        program = setting.program
        judged = program.evaluation is not None
        return Appraisal(
            sides=self.sides,
            side_base=self._base,
            seat_base=setting.scenario.layout.base[program.seats],
            side_of=tuple(self._side_of_seat),
            function=program.evaluation if judged else program.measure,
            factor=1 if judged else POINT,
            counters=() if judged else tuple((alive, owner, n) for alive, owner, n, _ in self._counters),
            won=won,
        )

    def outcome(self, cells: bytearray) -> list[float] | None:
        """What a finished game is worth to each side; None if it is not over."""
        with memoryview(cells) as raw, raw.cast("i") as c:
            if c[H_STATUS] != STATUS_OVER:
                return None
            winner = c[H_OUTCOME]
        if winner == NONE:
            return [0.5] * self.sides
        return [1.0 if self._base + side == winner else 0.0 for side in range(self.sides)]


class Measure(Protocol):
    """What a position is worth to each side, in some unit; `lost` is as bad as it can be."""

    lost: float

    def worth(self, cells: bytearray) -> list[float]: ...


class Leads:
    """Leads as they are, so that much more is worth more than more; a game won counts so many units on top."""

    def __init__(self, judge: Judge, spread: float, won: float) -> None:
        self.judge = judge
        self.unit = max(spread, 1.0)
        self.won = won * self.unit
        self.lost = -self.won

    def worth(self, cells: bytearray) -> list[float]:
        leads = self.judge.leads(cells)
        over = self.judge.outcome(cells)
        if over is None:
            return [float(lead) for lead in leads]
        return [lead + self.won * (2 * end - 1) for lead, end in zip(leads, over, strict=True)]


class Scale:
    """Turns leads into worth, measured against a position and the spread of what can come of it."""

    lost = 0.0

    def __init__(self, judge: Judge, root: bytearray, spread: float) -> None:
        self.judge = judge
        self.start = judge.leads(root) if judge.by_eye else [0] * judge.sides
        self.unit = max(spread, 1.0)

    def worth(self, cells: bytearray) -> list[float]:
        """For each side between 0 and 1."""
        over = self.judge.outcome(cells)
        if over is not None:
            return over
        if not self.judge.by_eye:
            return [0.5] * self.judge.sides
        reach = BEST_HOPE - 0.5
        return [
            0.5 + reach * math.tanh((lead - before) / (2 * self.unit))
            for lead, before in zip(self.judge.leads(cells), self.start, strict=True)
        ]


def _sides_of_seats(setting: Setting) -> list[int]:
    """The side of each seat: itself, or what the column of a power says."""
    schema, program, layout = setting.schema, setting.program, setting.scenario.layout
    seats = layout.count[program.seats]
    if program.seats == program.sides:
        return list(range(seats))
    assert schema.seats is not None
    info = next(i for i in schema.seats.fields.values() if i.type.dom is schema.sides and not i.axes)
    if info.column is not None:
        column = setting.scenario.data.columns[info.column]
        return [column[seat] - layout.base[program.sides] for seat in range(seats)]
    assert info.field is not None
    at = layout.field_offset[info.field]
    return [setting.scenario.cells[at + seat] - layout.base[program.sides] for seat in range(seats)]


def _counters(setting: Setting) -> Iterator[tuple[int, int, int, int]]:
    """Types of counters with an owner: where their `alive` and their owners lie, how many, the first owner."""
    schema, layout = setting.schema, setting.scenario.layout
    for dom in dict.fromkeys(schema.types.values()):
        if dom.sort == "piece" and dom.alive is not None:
            owner = owner_field(setting, dom)
            if owner is not None:
                count = layout.count[dom.id]
                first = layout.base[setting.program.seats]
                yield layout.field_offset[dom.alive], layout.field_offset[owner], count, first


def owner_field(setting: Setting, dom: Any) -> int | None:
    """The field that says whose counter it is: the first one of the seats' type."""
    for info in dom.fields.values():
        if info.type.sort == "dom" and info.type.dom is setting.schema.seats and not info.axes:
            found: int | None = info.field
            return found
    return None
