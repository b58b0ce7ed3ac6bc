"""The evaluation function of a title, made from what the title declares.

In this order: the outcome of a finished game; the title's `evaluation`; the measure by which its `victory` ranks the
sides, plus the number of counters that each still has.  A title with none of these has no static evaluation: its
positions are evaluated by random rollouts.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Protocol

from grognard.contract.backend import NativeEvaluation
from grognard.contract.header import (
    H_OUTCOME,
    H_STATUS,
    NONE,
    STATUS_OVER,
)

if TYPE_CHECKING:
    from grognard.play.setting import Setting

#: A victory point counts as many counters.
POINT_WEIGHT = 4
#: The highest value of an undecided position: a won game is always worth more.
MAX_UNDECIDED = 0.9


class Evaluator:
    """Static evaluation of positions of one scenario.  It holds no state of a game."""

    def __init__(self, setting: Setting) -> None:
        self.setting = setting
        program, layout = setting.program, setting.scenario.layout
        self.sides = layout.count[program.sides]
        self._base = layout.base[program.sides]
        self._side_of_seat = setting.side_of_seat
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
        #: whether positions can be evaluated without a rollout
        self.is_static = program.evaluation is not None or program.measure is not None or bool(self._counters)

    def side_of(self, seat: int) -> int:
        """The number of the side that a seat plays for."""
        return self._side_of_seat[seat]

    def scores(self, cells: bytearray) -> list[int]:
        """The score of each side, in the title's own units."""
        if self._evaluations:
            return [evaluate(cells) for evaluate in self._evaluations]
        found = [POINT_WEIGHT * measure(cells) for measure in self._measures] or [0] * self.sides
        with memoryview(cells) as raw, raw.cast("i") as c:
            for alive, owner, count, first in self._counters:
                for number in range(count):
                    if c[alive + number]:
                        seat = c[owner + number] - first
                        if 0 <= seat < len(self._side_of_seat):
                            found[self._side_of_seat[seat]] += 1
        return found

    def margins(self, cells: bytearray) -> list[int]:
        """For each side its score less the best score of the others."""
        scores = self.scores(cells)
        if len(scores) == 1:
            return scores
        return [
            mine - max(theirs for other, theirs in enumerate(scores) if other != side)
            for side, mine in enumerate(scores)
        ]

    def native_evaluation(self, won: int) -> NativeEvaluation:
        """The same margins in the form that back ends compute by themselves; `won` is the bonus for a won game."""
        setting = self.setting
        program = setting.program
        declared = program.evaluation is not None
        return NativeEvaluation(
            sides=self.sides,
            side_base=self._base,
            seat_base=setting.scenario.layout.base[program.seats],
            side_of=tuple(self._side_of_seat),
            function=program.evaluation if declared else program.measure,
            factor=1 if declared else POINT_WEIGHT,
            counters=() if declared else tuple((alive, owner, n) for alive, owner, n, _ in self._counters),
            won=won,
        )

    def outcome(self, cells: bytearray) -> list[float] | None:
        """The payoff of a finished game to each side, 0 to 1; None if it is not over."""
        with memoryview(cells) as raw, raw.cast("i") as c:
            if c[H_STATUS] != STATUS_OVER:
                return None
            winner = c[H_OUTCOME]
        if winner == NONE:
            return [0.5] * self.sides
        return [1.0 if self._base + side == winner else 0.0 for side in range(self.sides)]


class ValueFunction(Protocol):
    """The value of a position to each side, in some unit; `loss_value` is the worst."""

    loss_value: float

    def value(self, cells: bytearray) -> list[float]: ...


class MarginValue:
    """The margins themselves, unbounded, plus a bonus of `won` units for a won game."""

    def __init__(self, evaluator: Evaluator, margin_spread: float, won: float) -> None:
        self.evaluator = evaluator
        self.unit = max(margin_spread, 1.0)
        self.won = won * self.unit
        self.loss_value = -self.won

    def value(self, cells: bytearray) -> list[float]:
        margins = self.evaluator.margins(cells)
        over = self.evaluator.outcome(cells)
        if over is None:
            return [float(margin) for margin in margins]
        return [margin + self.won * (2 * end - 1) for margin, end in zip(margins, over, strict=True)]


class NormalisedValue:
    """Margins mapped to 0..1 by tanh, relative to a root position and to the spread of margins from it."""

    loss_value = 0.0

    def __init__(self, evaluator: Evaluator, root: bytearray, margin_spread: float) -> None:
        self.evaluator = evaluator
        self.start = evaluator.margins(root) if evaluator.is_static else [0] * evaluator.sides
        self.unit = max(margin_spread, 1.0)

    def value(self, cells: bytearray) -> list[float]:
        """For each side between 0 and 1."""
        over = self.evaluator.outcome(cells)
        if over is not None:
            return over
        if not self.evaluator.is_static:
            return [0.5] * self.evaluator.sides
        reach = MAX_UNDECIDED - 0.5
        return [
            0.5 + reach * math.tanh((margin - before) / (2 * self.unit))
            for margin, before in zip(self.evaluator.margins(cells), self.start, strict=True)
        ]


def _counters(setting: Setting) -> Iterator[tuple[int, int, int, int]]:
    """Types of counters with an owner: the offsets of their `alive` and owner fields, their number, the first owner."""
    schema, layout = setting.schema, setting.scenario.layout
    for dom in dict.fromkeys(schema.types.values()):
        if dom.sort == "piece" and dom.alive is not None:
            owner = owner_field(setting, dom)
            if owner is not None:
                count = layout.count[dom.id]
                first = layout.base[setting.program.seats]
                yield layout.field_offset[dom.alive], layout.field_offset[owner], count, first


def counters_of_seats(setting: Setting, cells: bytearray) -> dict[int, int]:
    """How many counters each seat has in play, by its number."""
    found: dict[int, int] = {}
    with memoryview(cells) as raw, raw.cast("i") as c:
        for alive, owner, count, first in _counters(setting):
            for number in range(count):
                seat = c[owner + number] - first
                if seat >= 0:
                    found[seat] = found.get(seat, 0) + (1 if c[alive + number] else 0)
    return found


def owner_field(setting: Setting, dom: Any) -> int | None:
    """The owner field of a counter: its first field of the seats' type."""
    for info in dom.fields.values():
        if info.type.sort == "dom" and info.type.dom is setting.schema.seats and not info.axes:
            found: int | None = info.field
            return found
    return None
