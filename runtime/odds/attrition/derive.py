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

from grognard.odds.attrition.grid import AttritionModel
from grognard.odds.attrition.native_probe import make_probe
from grognard.odds.attrition.probe import (
    DECISIVE_HITS,
    SAMPLED_HITS,
    ControlPoint,
    NotAttrition,
    Round,
)
from grognard.odds.attrition.reuse import CachedState, GridCache
from grognard.odds.attrition.sides import GridEnds, Side
from grognard.odds.state_graph import Explorer

#: Grids of up to so many positions are tried in all of them.
EXHAUSTIVE_LIMIT = 100
#: Of larger ones one row of so many, or column if there are more of them, is tried inside: for the first entry of a loop,
#: and for further ones.
FIRST_STRIDE = 4
LATER_STRIDE = 24
#: Losses before an end that is come to by that many hits.
MULTI_HIT_MARGIN = 3


class PreviousGrid(NamedTuple):
    """What is kept of a grid for the next entry of its loop."""

    entry: bytearray
    first: Side
    second: Side
    ends: GridEnds


class Deriver:
    """Makes models by running the rules from entries of a loop.  `every`: try all positions of the grid."""

    def __init__(
        self,
        explorer: Explorer,
        read: Callable[[bytearray], tuple[Any, ...]],
        every: bool = False,
        grid_cache: GridCache | None = None,
    ) -> None:
        self.probe, self.read, self.every, self.grid_cache = make_probe(explorer), read, every, grid_cache
        self.proved: set[object] = set()
        #: whether pieces have come into play in what was run
        self.creates_pieces = False
        #: the first entry of all: what ends are told apart by
        self.base = bytearray()
        #: the last grid of each loop: a side that is the same there need not be followed again
        self.last: dict[object, PreviousGrid] = {}

    def derive(self, entry: bytearray, control_point: ControlPoint) -> AttritionModel:
        """The model from a position where dice fall; Differs if it is none."""
        self.base = self.base or entry
        known = None if self.grid_cache is None else self.grid_cache.find(entry)
        if known is not None and self._is_sufficient(known):
            return known.model.later(known.i, known.j)
        middle = self.probe.control_without_hits(entry)
        if middle == control_point:
            raise NotAttrition("one roll a round")
        grid = self._with_previous_side(entry, control_point, middle) or self._build(
            entry, control_point, middle, None, None
        )
        self.last[control_point] = PreviousGrid(entry, grid.first, grid.second, grid.ends)
        return grid.model

    def total_weight(self, m: int, n: int) -> bool:
        """Whether all positions of a grid of this size are tried."""
        return self.every or m * n <= EXHAUSTIVE_LIMIT

    def _is_sufficient(self, known: CachedState) -> bool:
        """Whether all has been tried there that would be tried here."""
        if known.complete:
            return True
        m, n = known.model.size
        return not self.total_weight(m - known.i, n - known.j)

    def _with_previous_side(
        self, entry: bytearray, control_point: ControlPoint, middle: ControlPoint
    ) -> Grid | None:
        """A grid with a side of the last entry's, if what is different now is not that side's; proved like any other."""
        last = self.last.get(control_point)
        if last is None:
            return None
        first, second = (
            None if side.chain.changed(last.entry, entry) else side for side in (last.first, last.second)
        )
        if first is None and second is None:
            return None
        try:
            return self._build(entry, control_point, middle, first, second)
        except NotAttrition:
            return None

    def _build(
        self,
        entry: bytearray,
        control_point: ControlPoint,
        middle: ControlPoint,
        first: Side | None,
        second: Side | None,
    ) -> Grid:
        how = getattr(self.read, "native_reader", None)
        anew = first is None and second is None
        if first is None:
            first = self.probe.loss_chain(entry, control_point, middle, False, how)
        if second is None:
            second = self._second(entry, control_point, middle, first, how)
        if self.probe.overlap(first, second):
            raise NotAttrition("both sides' losses change the same thing")
        grid = Grid(self, entry, control_point, middle, first, second)
        if anew:
            grid.ends.merge_chains(first, second)
        if control_point in self.last:
            grid.inherit(self.last[control_point])
        grid.verify(anew)
        self.proved.add(control_point)
        self.creates_pieces |= self.probe.creates_pieces()
        if self.grid_cache is not None and not grid.in_python and not self.creates_pieces:
            self.grid_cache.add(entry, first.chain, second.chain, grid.model, grid.complete)
        return grid

    def _second(
        self, entry: bytearray, control_point: ControlPoint, middle: ControlPoint, first: Side, how: Any
    ) -> Side:
        """The chain of the second side, against the last of the first: rounds of few pieces are the quickest."""
        last = bytearray(entry)
        first.chain.put(last, len(first) - 1)
        try:
            return self.probe.loss_chain(last, control_point, middle, True, how)
        except NotAttrition:
            # Who is left at the end may be unable to hit.
            return self.probe.loss_chain(entry, control_point, middle, True)


class Grid:
    """The positions of one model, put together from two chains, and the rounds that prove them."""

    def __init__(
        self,
        deriver: Deriver,
        entry: bytearray,
        control_point: ControlPoint,
        middle: ControlPoint,
        first: Side,
        second: Side,
    ) -> None:
        self.deriver, self.probe = deriver, deriver.probe
        self.entry, self.control_point, self.middle = entry, control_point, middle
        self.first, self.second = first, second
        #: chains that only Python knows are not remembered
        self.in_python = first.in_python or second.in_python
        self.ends = self.probe.ends(deriver.read, len(first), len(second), deriver.base, self.in_python)
        self.model = AttritionModel(first, second, self.ends.end_outcomes)
        #: whether every position has been tried, here or before
        self.complete = True

    def inherit(self, last: PreviousGrid) -> None:
        """Ends that the last grid has come to from the very same positions."""
        if last.second is not self.second:
            return
        here, there = bytearray(self.entry), bytearray(last.entry)
        self.first.chain.put(here, len(self.first) - 1)
        last.first.chain.put(there, len(last.first) - 1)
        if here == there:
            self.ends.inherit(last.ends)

    def verify(self, anew: bool) -> None:
        """`anew`: rounds have been run along both chains: where the second side has lost nothing, and the first all but the last."""
        m, n = self.model.size
        frontier = self._frontier()
        unknown = sum(frontier)
        sample: list[Round] | None = None
        if not self.deriver.total_weight(m, n):
            self.complete = False
            sample = self._sample(anew)
        self.probe.verify(self.entry, self.first, self.second, self.middle, frontier, sample, self.ends)
        self.model.checked = unknown if sample is None else len(sample)

    def _sample(self, anew: bool) -> list[Round]:
        """Rounds that are tried of a grid that is too large for all.  What they lead to is compared in all cells, so that it is where
        they come to that is tried: every stage of the one side against every stage of the other, and places far from each other.
        And rounds to ends, to which others come by one hit, by several."""
        m, n = self.model.size
        inside = spread(m, n, LATER_STRIDE if self.control_point in self.deriver.proved else FIRST_STRIDE)
        last = m - anew
        rounds = [
            (i - (i > 0), j - (j > 0), int(j > 0), int(i > 0))
            for i, j in (*product(self.first.dice_changes(), self.second.dice_changes()), *inside)
            if i < last and j >= anew
        ]
        for k, (i, j) in enumerate(inside):
            if k % 2:
                rounds.append((max(m - MULTI_HIT_MARGIN, 0), j, SAMPLED_HITS, DECISIVE_HITS))
            else:
                rounds.append((i, max(n - MULTI_HIT_MARGIN, 0), DECISIVE_HITS, SAMPLED_HITS))
        return rounds

    def _frontier(self) -> list[int]:
        """For each number of losses of the first side, from how many of the second on all is known."""
        m, n = self.model.size
        frontier = [n] * m
        # A sample takes less time than it takes to find out what of it is known.
        if self.deriver.grid_cache is None or self.in_python or not self.deriver.total_weight(m, n):
            return frontier
        end_outcomes = self.ends.end_outcomes
        lowest = n + 1
        for i, j, known in self.deriver.grid_cache.frontier(self.entry, self.first.chain, self.second.chain):
            if not known.complete:
                continue
            there, (last, end) = known.model, known.model.size
            if (
                (last - known.i, end - known.j) != (m - i, n - j)
                or not self.first.same_dice(i, there.first, known.i, 1)
                or not self.second.same_dice(j, there.second, known.j, n - j)
            ):
                raise NotAttrition("the dice of one side depend on the other")
            frontier[i] = j
            end_outcomes[n + 1 + i] = there.end_outcomes[end + 1 + known.i]
            for at in range(j, lowest):
                if end_outcomes[at] is None:
                    end_outcomes[at] = there.end_outcomes[known.j + at - j]
            lowest = min(lowest, j)
        return frontier


def spread(m: int, n: int, seldom: int) -> list[tuple[int, int]]:
    """Places of a grid, far from each other: in one row of so many, or column if there are more of them."""
    # Steps by the golden section come to none near the last ones.
    return [(k % m, int(0.618034 * k % 1 * n)) for k in range(0, max(m, n), seldom)]


class AttritionShortcut:
    """Offers a model for a position where one can be made.  A loop that is no such walk is not tried again."""

    def __init__(self, deriver: Deriver) -> None:
        self.deriver = deriver
        self.rejected: dict[object, str] = {}

    def __call__(self, cells: bytearray) -> AttritionModel | None:
        control_point = self.deriver.probe.control_point(cells)
        if control_point in self.rejected:
            return None
        try:
            return self.deriver.derive(cells, control_point)
        except NotAttrition as why:
            self.rejected[control_point] = str(why)
            return None
