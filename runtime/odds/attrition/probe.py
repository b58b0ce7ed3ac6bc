"""Rounds of two rolls, run by the rules: what derive.py asks of positions where one die is rolled for each of some pieces."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Sequence
from functools import cached_property
from typing import Any, TypeAlias

from grognard.contract.header import (
    H_FP,
    H_STATUS,
    NONE,
    STATUS_OVER,
)
from grognard.odds.attrition.sides import DicePool, GridEnds, PythonChain, Side
from grognard.odds.state_graph import Explorer

#: The machine and block of every frame on the stack.
ControlPoint: TypeAlias = tuple[object, ...]
#: A round: losses of both sides, hits of the first and of the second roll.
Round: TypeAlias = tuple[int, int, int, int]
#: Special numbers of hits: drawn from the dice, or enough to end the battle.
SAMPLED_HITS, DECISIVE_HITS = -1, -2
#: A number of hits whose round is cheap.
FEW_HITS = 3
#: The longest chain of losses.
MAX_CHAIN = 2_000
#: The seed of the rounds.
SEED = 1940


class NotAttrition(Exception):
    """The procedure is no attrition grid; the message says why."""


class Probe:
    """Runs rounds in Python on any back end; NativeProbe is the one for compiled engines."""

    def __init__(self, explorer: Explorer) -> None:
        self.explorer = explorer

    @cached_property
    def dice(self) -> random.Random:
        return random.Random(1940)

    def ends(
        self, read: Callable[[bytearray], tuple[Any, ...]], m: int, n: int, base: bytearray, plain: bool
    ) -> GridEnds:
        """The ends of a grid; `plain`: its chains are Python objects."""
        return GridEnds(read, m, n, base)

    def creates_pieces(self) -> bool:
        """Whether pieces may have come into play since the last call."""
        return True

    def control_point(self, cells: bytearray) -> ControlPoint:
        """The control point of a position; empty when the procedure is over."""
        with memoryview(cells) as raw, raw.cast("i") as c:
            if c[H_STATUS] == STATUS_OVER or c[H_FP] == NONE:
                return ()
            return tuple(
                (machine.id, c[place + 1]) for place, machine, _ in self.explorer.canonical.frames(c)
            )

    def pool(self, cells: bytearray) -> DicePool | None:
        """The dice of the roll; None if it is not one die for each of some elements."""
        rolling = self._rolling(cells)
        if rolling is None:
            return None
        return tuple(sorted((*ways, len(found)) for ways, found in rolling.items() if ways[0]))

    def _rolling(self, cells: bytearray) -> dict[tuple[int, int], list[int]] | None:
        with memoryview(cells) as raw, raw.cast("i") as c:
            stop = self.explorer.outcomes.node_at(c)
            if stop is None or stop.chance.sort != "each":
                return None
            return self.explorer.outcomes.elements_by_chance(c, stop)

    def after_hits(self, cells: bytearray, hits: int, seed: int = 0) -> bytearray | None:
        """The position after so many hits, of the first dice or (with a seed) of random ones; None if that is impossible."""
        sure: list[int] = []
        maybe: list[int] = []
        for (ways, all_ways), found in (self._rolling(cells) or {}).items():
            if ways:
                (sure if ways == all_ways else maybe).extend(found)
        if not len(sure) <= hits <= len(sure) + len(maybe):
            return None
        if seed:
            random.Random(seed).shuffle(maybe)
        return self.explorer.successor(cells, sure + maybe[: hits - len(sure)])

    def after_piece_dice(self, cells: bytearray, hits: int) -> bytearray | None:
        """As `after_hits`; NotAttrition if the roll is not one die for each piece."""
        if self.pool(cells) is None:
            raise NotAttrition("dice that are not one for each piece")
        return self.after_hits(cells, hits)

    def control_without_hits(self, entry: bytearray) -> ControlPoint:
        """The control point between the two rolls of a round without hits, which must change nothing."""
        between = self.after_piece_dice(entry, 0)
        if between is None or not (middle := self.control_point(between)):
            raise NotAttrition("a round without hits ends it")
        if self.after_piece_dice(between, 0) != entry:
            raise NotAttrition("a round without hits changes something")
        return middle

    # ---- chains

    def loss_chain(
        self,
        entry: bytearray,
        control_point: ControlPoint,
        middle: ControlPoint,
        by_first: bool,
        native_reader: Any = None,
    ) -> Side:
        """The chain of one side while the other loses nothing: one hit a round, of the first or of the second roll.
        `native_reader`: reads the ends on the way in native code."""
        chain = PythonChain(entry, mark=bytearray(len(entry) // 4))
        pools: list[DicePool] = []
        #: the dice of the other side, which must not change
        others: set[DicePool] = set()
        here = entry
        while True:
            chain.add(here)
            if len(chain.states) > MAX_CHAIN:
                raise NotAttrition("a chain that is too long")
            between = self.after_piece_dice(here, 1 if by_first else 0)
            after = None
            if between is not None and self.control_point(between) == middle:
                # The side that is hit by the first roll makes the second one, with its dice before the losses.
                pools.append(self._pool_of(between if by_first else here))
                others.add(self._pool_of(here if by_first else between))
                if len(others) > 1:
                    raise NotAttrition("the dice of one side depend on the other")
                after = self.after_piece_dice(between, 0 if by_first else 1)
            if after is None:
                raise NotAttrition("a roll that cannot give exactly one hit")
            following = self.control_point(after)
            if not following:
                return Side(chain, pools)
            if following != control_point or after == here:
                raise NotAttrition("a hit that leads somewhere else")
            here = after

    def _pool_of(self, cells: bytearray) -> DicePool:
        found = self.pool(cells)
        if found is None:
            raise NotAttrition("dice that are not one for each piece")
        return found

    # ---- rounds

    def verify(
        self,
        entry: bytearray,
        first: Side,
        second: Side,
        middle: ControlPoint,
        frontier: Sequence[int],
        sample: Sequence[Round] | None,
        ends: GridEnds,
    ) -> None:
        """Run rounds from states of the grid with drawn hits, and compare them with the grid.

        The states are a sample, or all (i, j) with j < frontier[i].  Ends that are reached are read.  For each end that is
        not, rounds are run from adjacent states; they come before a sample, which then omits those states."""
        m, n = len(first), len(second)
        beside: set[tuple[int, int]] = set()
        if sample is None:
            tried = (
                (i, j, SAMPLED_HITS, SAMPLED_HITS) for i, last in enumerate(frontier) for j in range(last)
            )
            self._rounds(entry, first, second, middle, tried, ends)
        missing = [*((m, j) for j in range(n + 1)), *((i, n) for i in range(m))]
        for more in range(max(m, n) + 1):
            missing = [
                (i, j)
                for i, j in missing
                if ends.end_outcomes[ends.index(i, j)] is None and more <= (j if i == m else i)
            ]
            if not missing:
                break
            rounds = [_round_to_end(i, j, more, m, n) for i, j in missing]
            beside.update((i, j) for i, j, _, _ in rounds)
            self._rounds(entry, first, second, middle, rounds, ends)
        others = (each for each in sample or () if each[2] >= 0 or each[:2] not in beside)
        self._rounds(entry, first, second, middle, others, ends)

    def _rounds(
        self,
        entry: bytearray,
        first: Side,
        second: Side,
        middle: ControlPoint,
        tries: Iterable[Round],
        ends: GridEnds,
    ) -> None:
        m, n = len(first), len(second)
        for i, j, h, g in tries:
            h = self._draw_hits(first.pools[i], n - j, h) if h < 0 else h
            g = self._draw_hits(second.pools[j], m - i, g) if g < 0 else g
            here = self._at(entry, first, second, i, j)
            if self.pool(here) != first.pools[i]:
                raise NotAttrition("the dice of one side depend on the other")
            between = self.after_hits(here, h, self.dice.getrandbits(60) + 1)
            if between is None:
                continue
            if self.control_point(between) != middle:
                raise NotAttrition("the second side does not throw")
            if self.pool(between) != second.pools[j]:
                raise NotAttrition("the dice of one side depend on the other")
            after = self.after_hits(between, g, self.dice.getrandbits(60) + 1)
            if after is None:
                continue
            if i + g >= m or j + h >= n:
                if self.control_point(after):
                    raise NotAttrition("it goes on where it should end")
                end = ends.index(i + g, j + h)
                same = (
                    ends.cells.setdefault(end, bytes(after)) == after and ends.end_outcomes[end] is not None
                )
                if not same and not ends.record(end, after):
                    raise NotAttrition("an end that depends on the way to it")
            elif after != self._at(entry, first, second, i + g, j + h):
                raise NotAttrition("losses that depend on the other side")

    def _at(self, entry: bytearray, first: Side, second: Side, i: int, j: int) -> bytearray:
        """The entry after so many losses of each side."""
        made = bytearray(entry)
        first.chain.put(made, i)
        second.chain.put(made, j)
        return made

    def overlap(self, first: Side, second: Side) -> bool:
        """Whether a cell is changed by the losses of both sides."""
        a, b = first.chain.mark, second.chain.mark
        return bool(int.from_bytes(a, "little") & int.from_bytes(b, "little"))

    def _draw_hits(self, pool: DicePool, most: int, wanted: int) -> int:
        """Hits drawn from the dice, or a few (cheaper), or sometimes a uniform number up to one more than is needed; for
        DECISIVE_HITS enough to end the battle, and sometimes one more."""
        native_reader, dice = self.dice.random(), sum(n for _, _, n in pool)
        if wanted == DECISIVE_HITS:
            return min(dice, most + int(native_reader < 0.5))
        if native_reader < 0.25:
            return self.dice.randint(0, min(dice, most + 1 if native_reader < 0.1 else FEW_HITS))
        random_ = self.dice.random
        return sum(random_() * all_ways < ways for ways, all_ways, n in pool for _ in range(n))


def _round_to_end(i: int, j: int, more: int, m: int, n: int) -> Round:
    """A round that reaches an end from an adjacent state, or from `more` states away where adjacent ones cannot hit."""
    if i == m:
        h = max(more, int(j == n))
        return m - 1, max(j - h, 0), h, 1
    return max(i - more, 0), n - 1, 1, more
