"""Derivation of attrition models: battles in which each side rolls its dice every round, and the losses of the other
follow from the number of hits alone.

Such a battle is a Markov chain on a lattice: (losses of the first side, losses of the second).  The parts of the lattice
come from running the rules: the chain of positions of each side's losses while the other loses nothing, the dice in each
of them, and the terminal states.  Every assumption is checked: states of the grid are composed from the two chains, the
rules run a round from them, and the dice, the next position and the outcomes must be those of the grid.  Small grids, or
all if asked for, are checked in every state, others in a sample (README.md says which).  At the first difference the
model is rejected, and the general state graph is used.

States that were verified for an earlier battle are not checked again (reuse.py).
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

#: Grids of up to so many states are checked in all of them.
EXHAUSTIVE_LIMIT = 100
#: Larger grids are sampled inside in one row of so many (or column, if there are more of them): at the first entry of a
#: loop, and at later ones.
FIRST_STRIDE = 4
LATER_STRIDE = 24
#: The distance to an end that is reached by several hits at once.
MULTI_HIT_MARGIN = 3


class PreviousGrid(NamedTuple):
    """The parts of a grid that the next entry of its loop can reuse."""

    entry: bytearray
    first: Side
    second: Side
    ends: GridEnds


class Deriver:
    """Derives models from entries of a loop.  `every`: check every state of a grid."""

    def __init__(
        self,
        explorer: Explorer,
        read: Callable[[bytearray], tuple[Any, ...]],
        every: bool = False,
        grid_cache: GridCache | None = None,
    ) -> None:
        self.probe, self.read, self.every, self.grid_cache = make_probe(explorer), read, every, grid_cache
        self.proved: set[object] = set()
        #: whether pieces have come into play in any round
        self.creates_pieces = False
        #: the first entry: ends are stored as differences from it
        self.base = bytearray()
        #: the last grid of each loop: a side that has not changed is reused
        self.previous: dict[object, PreviousGrid] = {}

    def derive(self, entry: bytearray, control_point: ControlPoint) -> AttritionModel:
        """The model of a chance node; NotAttrition if there is none."""
        self.base = self.base or entry
        known = None if self.grid_cache is None else self.grid_cache.find(entry)
        if known is not None and self._is_sufficient(known):
            return known.model.subgrid(known.i, known.j)
        middle = self.probe.control_without_hits(entry)
        if middle == control_point:
            raise NotAttrition("one roll a round")
        grid = self._with_previous_side(entry, control_point, middle) or self._build(
            entry, control_point, middle, None, None
        )
        self.previous[control_point] = PreviousGrid(entry, grid.first, grid.second, grid.ends)
        return grid.model

    def is_exhaustive(self, m: int, n: int) -> bool:
        """Whether a grid of this size is checked in every state."""
        return self.every or m * n <= EXHAUSTIVE_LIMIT

    def _is_sufficient(self, known: CachedState) -> bool:
        """Whether a cached state was checked as thoroughly as it would be here."""
        if known.complete:
            return True
        m, n = known.model.size
        return not self.is_exhaustive(m - known.i, n - known.j)

    def _with_previous_side(
        self, entry: bytearray, control_point: ControlPoint, middle: ControlPoint
    ) -> GridVerifier | None:
        """A grid that reuses a side of the last entry, if none of that side's cells has changed; verified like any other."""
        last = self.previous.get(control_point)
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
    ) -> GridVerifier:
        native_reader = getattr(self.read, "native_reader", None)
        fresh = first is None and second is None
        if first is None:
            first = self.probe.loss_chain(entry, control_point, middle, False, native_reader)
        if second is None:
            second = self._second_side(entry, control_point, middle, first, native_reader)
        if self.probe.overlap(first, second):
            raise NotAttrition("both sides' losses change the same thing")
        grid = GridVerifier(self, entry, control_point, middle, first, second)
        if fresh:
            grid.ends.merge_chains(first, second)
        if control_point in self.previous:
            grid.inherit(self.previous[control_point])
        grid.verify(fresh)
        self.proved.add(control_point)
        self.creates_pieces |= self.probe.creates_pieces()
        if self.grid_cache is not None and not grid.in_python and not self.creates_pieces:
            self.grid_cache.add(entry, first.chain, second.chain, grid.model, grid.complete)
        return grid

    def _second_side(
        self,
        entry: bytearray,
        control_point: ControlPoint,
        middle: ControlPoint,
        first: Side,
        native_reader: Any,
    ) -> Side:
        """The chain of the second side against the last loss of the first: rounds with few pieces are the cheapest."""
        last = bytearray(entry)
        first.chain.put(last, len(first) - 1)
        try:
            return self.probe.loss_chain(last, control_point, middle, True, native_reader)
        except NotAttrition:
            # The remaining pieces of the first side may be unable to hit.
            return self.probe.loss_chain(entry, control_point, middle, True)


class GridVerifier:
    """A candidate grid, composed from two chains, and the choice of the rounds that verify it."""

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
        #: Python chains are not cached
        self.in_python = first.in_python or second.in_python
        self.ends = self.probe.ends(deriver.read, len(first), len(second), deriver.base, self.in_python)
        self.model = AttritionModel(first, second, self.ends.end_outcomes)
        #: whether every state has been checked, here or before
        self.complete = True

    def inherit(self, last: PreviousGrid) -> None:
        """Reuse the ends that the last grid reached from identical positions."""
        if last.second is not self.second:
            return
        here, there = bytearray(self.entry), bytearray(last.entry)
        self.first.chain.put(here, len(self.first) - 1)
        last.first.chain.put(there, len(last.first) - 1)
        if here == there:
            self.ends.inherit(last.ends)

    def verify(self, fresh: bool) -> None:
        """`fresh`: rounds were run along both chains just now, where the second side has no losses, and the first all but one."""
        m, n = self.model.size
        frontier = self._frontier()
        unknown = sum(frontier)
        sample: list[Round] | None = None
        if not self.deriver.is_exhaustive(m, n):
            self.complete = self.model.complete = False
            sample = self._sample(fresh)
        self.probe.verify(self.entry, self.first, self.second, self.middle, frontier, sample, self.ends)
        self.model.checked = unknown if sample is None else len(sample)

    def _sample(self, fresh: bool) -> list[Round]:
        """The rounds that check a large grid.

        All cells of the resulting position are compared, so the target of a round is what it checks: every change of one
        side's kinds of dice against every change of the other's, and scattered states.  Further rounds reach ends by
        several hits at once."""
        m, n = self.model.size
        inside = spread_cells(
            m, n, LATER_STRIDE if self.control_point in self.deriver.proved else FIRST_STRIDE
        )
        last = m - fresh
        rounds = [
            (i - (i > 0), j - (j > 0), int(j > 0), int(i > 0))
            for i, j in (*product(self.first.dice_changes(), self.second.dice_changes()), *inside)
            if i < last and j >= fresh
        ]
        for k, (i, j) in enumerate(inside):
            if k % 2:
                rounds.append((max(m - MULTI_HIT_MARGIN, 0), j, SAMPLED_HITS, DECISIVE_HITS))
            else:
                rounds.append((i, max(n - MULTI_HIT_MARGIN, 0), DECISIVE_HITS, SAMPLED_HITS))
        return rounds

    def _frontier(self) -> list[int]:
        """For each number of losses of the first side, the losses of the second from which on the grid is cached."""
        m, n = self.model.size
        frontier = [n] * m
        # Checking a sample is cheaper than looking up which of its states are cached.
        if self.deriver.grid_cache is None or self.in_python or not self.deriver.is_exhaustive(m, n):
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


def spread_cells(m: int, n: int, seldom: int) -> list[tuple[int, int]]:
    """Scattered states of a grid: in one row of so many, or column if there are more of them."""
    # Golden-section steps keep neighbours apart.
    return [(k % m, int(0.618034 * k % 1 * n)) for k in range(0, max(m, n), seldom)]


class AttritionShortcut:
    """Gives the model of a chance node, if there is one.  A loop that was rejected is not tried again."""

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
