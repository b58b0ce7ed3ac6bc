"""The fast way for two sides that wear each other down: round after round each side throws its dice, and what the other
loses follows from the number of hits alone.

Such a procedure is a walk on a grid: (losses of the one, losses of the other).  What the grid needs is taken from the
rules by running them: the chain of positions that one side goes through while the other stays as it is, the dice that it
throws in each of them, and the ends.  Nothing is believed: a position of the grid is put together from the two chains,
the rules run a round from it, and dice, next position and outcomes must be what the grid says.  All positions are tried
if there are few, or if that is asked for.  Else the two chains are tried in all positions, with the dice of both sides:
the first side's while the second has lost nothing, the second's against the last of the first; a round is run to every
end; and rounds come to where every stage of either side (the same kinds of dice) meets every stage of the other, and to
some more places.  If anything differs, the general way is taken.

Positions that were tried before, for another battle, are not tried again (memory.py).
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from typing import Any, NamedTuple

from grognard.odds.attrition.grid import Model
from grognard.odds.attrition.probe import (
    ENOUGH,
    SOME,
    Differs,
    Ends,
    Round,
    Shape,
    Side,
    probe_of,
)
from grognard.odds.attrition.reuse import Known, Memory
from grognard.odds.state_graph import Explorer

#: Grids of up to so many positions are tried in all of them.
WHOLE = 100
#: Of larger ones one row of so many, or column if there are more of them, is tried inside: for the first entry of a loop,
#: and for further ones.
SELDOM = 4
AGAIN = 24
#: Losses before an end that is come to by that many hits.
SEVERAL = 3


class Tried(NamedTuple):
    """What is kept of a grid for the next entry of its loop."""

    entry: bytearray
    first: Side
    second: Side
    ends: Ends


class Deriver:
    """Makes models by running the rules from entries of a loop.  `every`: try all positions of the grid."""

    def __init__(
        self,
        explorer: Explorer,
        read: Callable[[bytearray], tuple[Any, ...]],
        every: bool = False,
        memory: Memory | None = None,
    ) -> None:
        self.probe, self.read, self.every, self.memory = probe_of(explorer), read, every, memory
        self.proved: set[object] = set()
        #: whether pieces have come into play in what was run
        self.creates = False
        #: the first entry of all: what ends are told apart by
        self.base = bytearray()
        #: the last grid of each loop: a side that is the same there need not be followed again
        self.last: dict[object, Tried] = {}

    def derive(self, entry: bytearray, shape: Shape) -> Model:
        """The model from a position where dice fall; Differs if it is none."""
        self.base = self.base or entry
        known = None if self.memory is None else self.memory.find(entry)
        if known is not None and self._will_do(known):
            return known.model.later(known.i, known.j)
        middle = self.probe.idle(entry)
        if middle == shape:
            raise Differs("one roll a round")
        grid = self._again(entry, shape, middle) or self._anew(entry, shape, middle, None, None)
        self.last[shape] = Tried(entry, grid.first, grid.second, grid.ends)
        return grid.model

    def whole(self, m: int, n: int) -> bool:
        """Whether all positions of a grid of this size are tried."""
        return self.every or m * n <= WHOLE

    def _will_do(self, known: Known) -> bool:
        """Whether all has been tried there that would be tried here."""
        if known.complete:
            return True
        m, n = known.model.size
        return not self.whole(m - known.i, n - known.j)

    def _again(self, entry: bytearray, shape: Shape, middle: Shape) -> Grid | None:
        """A grid with a side of the last entry's, if what is different now is not that side's; proved like any other."""
        last = self.last.get(shape)
        if last is None:
            return None
        first, second = (
            None if side.chain.changed(last.entry, entry) else side for side in (last.first, last.second)
        )
        if first is None and second is None:
            return None
        try:
            return self._anew(entry, shape, middle, first, second)
        except Differs:
            return None

    def _anew(
        self, entry: bytearray, shape: Shape, middle: Shape, first: Side | None, second: Side | None
    ) -> Grid:
        how = getattr(self.read, "ending", None)
        anew = first is None and second is None
        if first is None:
            first = self.probe.follow(entry, shape, middle, False, how)
        if second is None:
            second = self._second(entry, shape, middle, first, how)
        if self.probe.meet(first, second):
            raise Differs("both sides' losses change the same thing")
        grid = Grid(self, entry, shape, middle, first, second)
        if anew:
            grid.ends.along(first, second)
        if shape in self.last:
            grid.take_over(self.last[shape])
        grid.prove(anew)
        self.proved.add(shape)
        self.creates |= self.probe.creates()
        if self.memory is not None and not grid.plain and not self.creates:
            self.memory.add(entry, first.chain, second.chain, grid.model, grid.complete)
        return grid

    def _second(self, entry: bytearray, shape: Shape, middle: Shape, first: Side, how: Any) -> Side:
        """The chain of the second side, against the last of the first: rounds of few pieces are the quickest."""
        last = bytearray(entry)
        first.chain.put(last, len(first) - 1)
        try:
            return self.probe.follow(last, shape, middle, True, how)
        except Differs:
            # Who is left at the end may be unable to hit.
            return self.probe.follow(entry, shape, middle, True)


class Grid:
    """The positions of one model, put together from two chains, and the rounds that prove them."""

    def __init__(
        self, deriver: Deriver, entry: bytearray, shape: Shape, middle: Shape, first: Side, second: Side
    ) -> None:
        self.deriver, self.probe = deriver, deriver.probe
        self.entry, self.shape, self.middle = entry, shape, middle
        self.first, self.second = first, second
        #: chains that only Python knows are not remembered
        self.plain = first.plain or second.plain
        self.ends = self.probe.ends(deriver.read, len(first), len(second), deriver.base, self.plain)
        self.model = Model(first, second, self.ends.rim)
        #: whether every position has been tried, here or before
        self.complete = True

    def take_over(self, last: Tried) -> None:
        """Ends that the last grid has come to from the very same positions."""
        if last.second is not self.second:
            return
        here, there = bytearray(self.entry), bytearray(last.entry)
        self.first.chain.put(here, len(self.first) - 1)
        last.first.chain.put(there, len(last.first) - 1)
        if here == there:
            self.ends.take_over(last.ends)

    def prove(self, anew: bool) -> None:
        """`anew`: rounds have been run along both chains: where the second side has lost nothing, and the first all but the last."""
        m, n = self.model.size
        border = self._border()
        unknown = sum(border)
        sample: list[Round] | None = None
        if not self.deriver.whole(m, n):
            self.complete = False
            sample = self._sample(anew)
        self.probe.prove(self.entry, self.first, self.second, self.middle, border, sample, self.ends)
        self.model.tried = unknown if sample is None else len(sample)

    def _sample(self, anew: bool) -> list[Round]:
        """Rounds that are tried of a grid that is too large for all.  What they lead to is compared in all cells, so that it is where
        they come to that is tried: every stage of the one side against every stage of the other, and places far from each other.
        And rounds to ends, to which others come by one hit, by several."""
        m, n = self.model.size
        inside = spread(m, n, AGAIN if self.shape in self.deriver.proved else SELDOM)
        last = m - anew
        rounds = [
            (i - (i > 0), j - (j > 0), int(j > 0), int(i > 0))
            for i, j in (*product(self.first.stages(), self.second.stages()), *inside)
            if i < last and j >= anew
        ]
        for k, (i, j) in enumerate(inside):
            if k % 2:
                rounds.append((max(m - SEVERAL, 0), j, SOME, ENOUGH))
            else:
                rounds.append((i, max(n - SEVERAL, 0), ENOUGH, SOME))
        return rounds

    def _border(self) -> list[int]:
        """For each number of losses of the first side, from how many of the second on all is known."""
        m, n = self.model.size
        border = [n] * m
        # A sample takes less time than it takes to find out what of it is known.
        if self.deriver.memory is None or self.plain or not self.deriver.whole(m, n):
            return border
        rim = self.ends.rim
        lowest = n + 1
        for i, j, known in self.deriver.memory.border(self.entry, self.first.chain, self.second.chain):
            if not known.complete:
                continue
            there, (last, end) = known.model, known.model.size
            if (
                (last - known.i, end - known.j) != (m - i, n - j)
                or not self.first.throws_as(i, there.first, known.i, 1)
                or not self.second.throws_as(j, there.second, known.j, n - j)
            ):
                raise Differs("the dice of one side depend on the other")
            border[i] = j
            rim[n + 1 + i] = there.rim[end + 1 + known.i]
            for at in range(j, lowest):
                if rim[at] is None:
                    rim[at] = there.rim[known.j + at - j]
            lowest = min(lowest, j)
        return border


def spread(m: int, n: int, seldom: int) -> list[tuple[int, int]]:
    """Places of a grid, far from each other: in one row of so many, or column if there are more of them."""
    # Steps by the golden section come to none near the last ones.
    return [(k % m, int(0.618034 * k % 1 * n)) for k in range(0, max(m, n), seldom)]


class Shortcut:
    """Offers a model for a position where one can be made.  A loop that is no such walk is not tried again."""

    def __init__(self, deriver: Deriver) -> None:
        self.deriver = deriver
        self.refused: dict[object, str] = {}

    def __call__(self, cells: bytearray) -> Model | None:
        shape = self.deriver.probe.shape(cells)
        if shape in self.refused:
            return None
        try:
            return self.deriver.derive(cells, shape)
        except Differs as why:
            self.refused[shape] = str(why)
            return None
