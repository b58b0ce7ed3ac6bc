"""Rounds that are tried out: what derive.py asks of positions where a die is thrown for each of some pieces."""

from __future__ import annotations

import random
from array import array
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Protocol, TypeAlias

from grognard.contract.header import (
    H_FP,
    H_STATUS,
    NONE,
    STATUS_OVER,
)
from grognard.odds.dice import chance_at_most
from grognard.odds.state_graph import PAGE, Explorer

#: The dice of a side: (ways of a hit, all ways, how many such dice); without those that never hit.
DicePool: TypeAlias = tuple[tuple[int, int, int], ...]
#: Which blocks of which machines run.
ControlPoint: TypeAlias = tuple[object, ...]
#: A round: losses of both sides, hits of the first and of the second roll.
Round: TypeAlias = tuple[int, int, int, int]
#: Hits as the dice fall, or enough to end it.
SAMPLED_HITS, DECISIVE_HITS = -1, -2
#: Hits that are quick to try.
FEW_HITS = 3
#: The longest chain that is looked at.
MAX_CHAIN = 2_000
#: Of the dice that rounds are tried with.
SEED = 1940


class NotAttrition(Exception):
    """The procedure is no walk on a grid; says why."""


class Chain(Protocol):
    """The positions that a side goes through while the other loses nothing."""

    @property
    def mark(self) -> bytes | bytearray:
        """A byte for each cell: whether losses change it."""

    def changed(self, a: bytearray, b: bytearray) -> bool:
        """Whether two positions differ in a cell that losses change."""

    def put(self, to: bytearray, losses: int) -> None:
        """Put on a position what so many losses change."""


@dataclass(slots=True)
class HitDistributions:
    """Chances of 0, 1, 2 ... hits after 0, 1, 2 ... losses, one after the other, where each begins (and the last ends),
    and how many dice there are."""

    values: array[float]
    at: array[int]
    dice: array[int]


class Side:
    """One side after so many losses: its dice, and what makes the positions.  Of compiled chains the dice are fetched
    when somebody wants them."""

    __slots__ = ("_dice_changes", "_pools", "chain", "distributions", "in_python")

    def __init__(self, chain: Any, pools: list[DicePool] | None = None) -> None:
        self.chain, self._pools = chain, pools
        #: chains that only Python knows
        self.in_python = isinstance(chain, PythonChain)
        #: what the dice come to (attrition.py)
        self.distributions: HitDistributions | None = None
        self._dice_changes: list[int] | None = None

    def __len__(self) -> int:
        return len(self.chain)

    @property
    def pools(self) -> list[DicePool]:
        if self._pools is None:
            self._pools = [dice_pool(*dice) for dice in self.chain.dice()]
        return self._pools

    def same_dice(self, at: int, other: Side, there: int, count: int) -> bool:
        """Whether the dice are the same as those of another side, for so many numbers of losses."""
        if self.in_python or other.in_python:
            return self.pools[at : at + count] == other.pools[there : there + count]
        return bool(self.chain.throws_as(at, other.chain, there, count))

    def dice_changes(self) -> list[int]:
        """Losses at which the dice become of another kind, and the first and the last of all."""
        if self._dice_changes is None and not self.in_python:
            self._dice_changes = self.chain.stages()
        elif self._dice_changes is None:
            kinds = [[dice[:2] for dice in pool] for pool in self.pools]
            last = len(kinds) - 1
            self._dice_changes = [n for n in range(len(kinds)) if n in (0, last) or kinds[n] != kinds[n - 1]]
        return self._dice_changes or []


class GridEnds:
    """The ends of a grid that were come to.  They are numbered: where the first side is gone by the losses of the second,
    then where only the second is, by the losses of the first."""

    def __init__(
        self,
        read: Callable[[bytearray], tuple[Any, ...]],
        m: int,
        n: int,
        base: bytearray,
        tables: Any = None,
    ) -> None:
        """`tables`: whose compiled code comes to ends of its own; `base`: what these are told apart by."""
        self.read, self.m, self.n = read, m, n
        #: what is looked at in each of them, None: not come to yet
        self.end_outcomes: list[tuple[Any, ...] | None] = [None] * (m + n + 1)
        self.cells: dict[int, bytes] = {}
        how = getattr(read, "native_reader", None)
        self._named: Any = getattr(read, "named", None) if how is not None else None
        # Compiled code asks Python only where it cannot look by itself; else nobody is kept by what it keeps.
        self.native: Any = (
            None if tables is None else tables.ends(m, n, base, how, self.record if how is None else None)
        )

    def index(self, i: int, j: int) -> int:
        return min(j, self.n) if i >= self.m else self.n + 1 + i

    def record(self, end: int, cells: bytes | bytearray) -> bool:
        """Look at an end; whether that is what was seen there before."""
        values = self.read(cells)  # type: ignore[arg-type]
        known = self.end_outcomes[end]
        if known is None:
            self.end_outcomes[end] = values
        return known is None or known == values

    def merge_native(self) -> bool:
        """Take down what compiled code has seen by itself; whether all of it is what was seen before."""
        if self._named is None:
            return True
        named, end_outcomes = self._named, self.end_outcomes
        seen = [None if found is None else named[found] for found in self.native.values()]
        same = all(a is None or b is None or a == b for a, b in zip(end_outcomes, seen))
        end_outcomes[:] = [b if a is None else a for a, b in zip(end_outcomes, seen)]
        return same

    def merge_chains(self, first: Side, second: Side) -> None:
        """Ends that were looked at when both sides were followed, the second against the last of the first."""
        if self.native is not None:
            self.native.along(first.chain, second.chain)

    def inherit(self, last: GridEnds) -> None:
        """Ends where the first side is gone, from a grid that comes to them from the very same positions."""
        self.end_outcomes[: self.n + 1] = last.end_outcomes[: self.n + 1]
        self.cells.update((end, cells) for end, cells in last.cells.items() if end <= self.n)
        if self.native is not None and last.native is not None:
            self.native.take(last.native)


# ------------------------------------------------------------------------------------------------ by Python


@dataclass(slots=True)
class PythonChain:
    """All positions, and a byte for each cell: whether it ever differs from the entry's."""

    entry: bytearray
    states: list[bytearray] = field(default_factory=list)
    mark: bytearray = field(default_factory=bytearray)

    def add(self, state: bytearray) -> None:
        self.states.append(state)
        for at in range(0, len(state), PAGE):
            if self.entry[at : at + PAGE] != state[at : at + PAGE]:
                for cell in _differing(self.entry, state, at):
                    self.mark[cell // 4] = 1

    def __len__(self) -> int:
        return len(self.states)

    def changed(self, a: bytearray, b: bytearray) -> bool:
        return any(mark and a[4 * n : 4 * n + 4] != b[4 * n : 4 * n + 4] for n, mark in enumerate(self.mark))

    def put(self, to: bytearray, losses: int) -> None:
        state = self.states[losses]
        for at in range(0, len(to), PAGE):
            if self.entry[at : at + PAGE] != state[at : at + PAGE]:
                for cell in _differing(self.entry, state, at):
                    to[cell : cell + 4] = state[cell : cell + 4]


def _differing(a: bytearray, b: bytearray, at: int) -> list[int]:
    """The first bytes of the cells of a page that differ."""
    return [n for n in range(at, min(at + PAGE, len(a)), 4) if a[n : n + 4] != b[n : n + 4]]


class Probe:
    """Done by Python on any back end; see QuickProbe for the compiled one."""

    def __init__(self, explorer: Explorer) -> None:
        self.explorer = explorer

    @cached_property
    def dice(self) -> random.Random:
        return random.Random(1940)

    def ends(
        self, read: Callable[[bytearray], tuple[Any, ...]], m: int, n: int, base: bytearray, plain: bool
    ) -> GridEnds:
        """Ends of a grid; `plain`: of chains that only Python knows."""
        return GridEnds(read, m, n, base)

    def creates_pieces(self) -> bool:
        """Whether pieces may have come into play in what was run since this was asked."""
        return True

    def control_point(self, cells: bytearray) -> ControlPoint:
        """Which machines run, and where each of them stands; empty when it is over."""
        with memoryview(cells) as raw, raw.cast("i") as c:
            if c[H_STATUS] == STATUS_OVER or c[H_FP] == NONE:
                return ()
            return tuple(
                (machine.id, c[place + 1]) for place, machine, _ in self.explorer.canonical.frames(c)
            )

    def pool(self, cells: bytearray) -> DicePool | None:
        """The dice that are thrown; None if they are not one for each of some elements."""
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
        """The position after so many hits, by the first dice or with a seed by any; None if they cannot be."""
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
        """As `fall`, of dice that are one for each piece."""
        if self.pool(cells) is None:
            raise NotAttrition("dice that are not one for each piece")
        return self.after_hits(cells, hits)

    def control_without_hits(self, entry: bytearray) -> ControlPoint:
        """The shape between the two rolls of a round in which nobody hits, which must change nothing."""
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
        how: Any = None,
    ) -> Side:
        """What a side goes through while the other loses nothing: hits of the first or of the second roll.  `how`: what looks at
        the ends beside it, where compiled code does."""
        chain = PythonChain(entry, mark=bytearray(len(entry) // 4))
        pools: list[DicePool] = []
        #: those of the other side, which must stay what they are
        others: set[DicePool] = set()
        here = entry
        while True:
            chain.add(here)
            if len(chain.states) > MAX_CHAIN:
                raise NotAttrition("a chain that is too long")
            between = self.after_piece_dice(here, 1 if by_first else 0)
            after = None
            if between is not None and self.control_point(between) == middle:
                # The side that suffers from the first roll throws the second, with the dice that it has before its losses.
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
        """Rounds from positions of the grid, with hits as the dice fall: from all with fewer losses of the second side than
        `border` has for those of the first, or a sample.  They must go as the grid says.  Ends that are met are read,
        and rounds are run from beside those that were not: before a sample, which then does without these positions."""
        m, n = len(first), len(second)
        beside: set[tuple[int, int]] = set()
        if sample is None:
            tried = (
                (i, j, SAMPLED_HITS, SAMPLED_HITS) for i, last in enumerate(frontier) for j in range(last)
            )
            self._rounds(entry, first, second, middle, tried, ends)
        rims = [*((m, j) for j in range(n + 1)), *((i, n) for i in range(m))]
        for more in range(max(m, n) + 1):
            rims = [
                (i, j)
                for i, j in rims
                if ends.end_outcomes[ends.index(i, j)] is None and more <= (j if i == m else i)
            ]
            if not rims:
                break
            rounds = [_round_to_end(i, j, more, m, n) for i, j in rims]
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
        """Whether the losses of both change a cell."""
        a, b = first.chain.mark, second.chain.mark
        return bool(int.from_bytes(a, "little") & int.from_bytes(b, "little"))

    def _draw_hits(self, pool: DicePool, most: int, wanted: int) -> int:
        """Hits as the dice would fall, or, which is quicker to try, a few; now and then any number that would be felt.  Or enough
        to end it, and sometimes one more."""
        how, dice = self.dice.random(), sum(n for _, _, n in pool)
        if wanted == DECISIVE_HITS:
            return min(dice, most + int(how < 0.5))
        if how < 0.25:
            return self.dice.randint(0, min(dice, most + 1 if how < 0.1 else FEW_HITS))
        random_ = self.dice.random
        return sum(random_() * all_ways < ways for ways, all_ways, n in pool for _ in range(n))


def _round_to_end(i: int, j: int, more: int, m: int, n: int) -> Round:
    """Come to an end from beside it; by more hits at once where those beside it cannot hit any more."""
    if i == m:
        h = max(more, int(j == n))
        return m - 1, max(j - h, 0), h, 1
    return max(i - more, 0), n - 1, 1, more


# ------------------------------------------------------------------------------------------ by compiled code


class NativeProbe(Probe):
    """The same by compiled code (kernels/attrition.h); what that cannot do is left to Python."""

    def __init__(self, explorer: Explorer) -> None:
        super().__init__(explorer)
        self.native = explorer.native
        self.native.created = False
        self.tables = explorer.tables
        #: grids that were proved: each gets dice of its own
        self.proofs = 0

    def ends(
        self, read: Callable[[bytearray], tuple[Any, ...]], m: int, n: int, base: bytearray, plain: bool
    ) -> GridEnds:
        return GridEnds(read, m, n, base, None if plain else self.tables)

    def creates_pieces(self) -> bool:
        created = bool(self.native.created)
        self.native.created = False
        return created

    def control_point(self, cells: bytearray) -> ControlPoint:
        found: ControlPoint = self.native.shape(cells)
        return found

    def pool(self, cells: bytearray) -> DicePool | None:
        found = self.native.limits(cells)
        return None if found is None else dice_pool(*found)

    def after_hits(self, cells: bytearray, hits: int, seed: int = 0) -> bytearray | None:
        found = self.native.fall(cells, None, hits, seed, *self.explorer.packed_policy)
        return None if found is None else self.explorer.finish(cells, found)

    def control_without_hits(self, entry: bytearray) -> ControlPoint:
        found = self.native.idle(entry, *self.explorer.packed_policy)
        if isinstance(found, str):
            raise NotAttrition(found)
        return super().control_without_hits(entry) if found is None else found

    def overlap(self, first: Side, second: Side) -> bool:
        if first.in_python or second.in_python:
            return super().overlap(first, second)
        return bool(first.chain.meets(second.chain))

    def loss_chain(
        self,
        entry: bytearray,
        control_point: ControlPoint,
        middle: ControlPoint,
        by_first: bool,
        how: Any = None,
    ) -> Side:
        found = self.native.follow(
            entry, control_point, middle, by_first, MAX_CHAIN, how, *self.explorer.packed_policy
        )
        if found is None:
            return super().loss_chain(entry, control_point, middle, by_first)
        if isinstance(found, str):
            raise NotAttrition(found)
        return Side(found)

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
        done: bool | str = False
        if ends.native is not None:
            self.proofs += 1
            tried = None if sample is None else array("i", [number for each in sample for number in each])
            done = self.native.prove(
                entry, first.chain, second.chain, middle, array("q", frontier) if sample is None else None, tried,
                SEED + self.proofs, ends.native, bytes(values is not None for values in ends.end_outcomes), *self.explorer.packed_policy,
            )  # fmt: skip
        if isinstance(done, str):
            raise NotAttrition(done)
        if done and not ends.merge_native():
            raise NotAttrition("an end that depends on the way to it")
        if not done:
            # A choice that compiled code does not answer.
            super().verify(entry, first, second, middle, frontier, sample, ends)


_pools: dict[object, DicePool] = {}


def dice_pool(dice: int, lo: int, hi: int, limits: dict[int, int]) -> DicePool:
    """The pool of dice with these limits: {limit: how many}."""
    key = (dice, lo, hi, *limits.items())
    pool = _pools.get(key)
    if pool is None:
        counts: dict[tuple[int, int], int] = {}
        for limit, n in limits.items():
            # An empty limit is never reached; so is one that is lower than every face.
            ways = (0, 1) if limit == NONE else chance_at_most(dice, lo, hi, limit)
            if ways[0]:
                counts[ways] = counts.get(ways, 0) + n
        if len(_pools) > MAX_POOLS:
            _pools.clear()
        pool = _pools[key] = tuple(sorted((*ways, n) for ways, n in counts.items()))
    return pool


#: Pools that are kept.
MAX_POOLS = 100_000


def make_probe(explorer: Explorer) -> Probe:
    return Probe(explorer) if explorer.native is None else NativeProbe(explorer)
