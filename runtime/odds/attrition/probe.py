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
Pool: TypeAlias = tuple[tuple[int, int, int], ...]
#: Which blocks of which machines run.
Shape: TypeAlias = tuple[object, ...]
#: A round: losses of both sides, hits of the first and of the second roll.
Round: TypeAlias = tuple[int, int, int, int]
#: Hits as the dice fall, or enough to end it.
SOME, ENOUGH = -1, -2
#: Hits that are quick to try.
A_FEW = 3
#: The longest chain that is looked at.
LONGEST = 2_000
#: Of the dice that rounds are tried with.
SEED = 1940


class Differs(Exception):
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
class Law:
    """Chances of 0, 1, 2 ... hits after 0, 1, 2 ... losses, one after the other, where each begins (and the last ends),
    and how many dice there are."""

    values: array[float]
    at: array[int]
    dice: array[int]


class Side:
    """One side after so many losses: its dice, and what makes the positions.  Of compiled chains the dice are fetched
    when somebody wants them."""

    __slots__ = ("_pools", "_stages", "chain", "law", "plain")

    def __init__(self, chain: Any, pools: list[Pool] | None = None) -> None:
        self.chain, self._pools = chain, pools
        #: chains that only Python knows
        self.plain = isinstance(chain, PlainChain)
        #: what the dice come to (attrition.py)
        self.law: Law | None = None
        self._stages: list[int] | None = None

    def __len__(self) -> int:
        return len(self.chain)

    @property
    def pools(self) -> list[Pool]:
        if self._pools is None:
            self._pools = [pool_of(*dice) for dice in self.chain.dice()]
        return self._pools

    def throws_as(self, at: int, other: Side, there: int, count: int) -> bool:
        """Whether the dice are the same as those of another side, for so many numbers of losses."""
        if self.plain or other.plain:
            return self.pools[at : at + count] == other.pools[there : there + count]
        return bool(self.chain.throws_as(at, other.chain, there, count))

    def stages(self) -> list[int]:
        """Losses at which the dice become of another kind, and the first and the last of all."""
        if self._stages is None and not self.plain:
            self._stages = self.chain.stages()
        elif self._stages is None:
            kinds = [[dice[:2] for dice in pool] for pool in self.pools]
            last = len(kinds) - 1
            self._stages = [n for n in range(len(kinds)) if n in (0, last) or kinds[n] != kinds[n - 1]]
        return self._stages or []


class Ends:
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
        self.rim: list[tuple[Any, ...] | None] = [None] * (m + n + 1)
        self.cells: dict[int, bytes] = {}
        how = getattr(read, "ending", None)
        self._named: Any = getattr(read, "named", None) if how is not None else None
        # Compiled code asks Python only where it cannot look by itself; else nobody is kept by what it keeps.
        self.quick: Any = (
            None if tables is None else tables.ends(m, n, base, how, self.met if how is None else None)
        )

    def place(self, i: int, j: int) -> int:
        return min(j, self.n) if i >= self.m else self.n + 1 + i

    def met(self, end: int, cells: bytes | bytearray) -> bool:
        """Look at an end; whether that is what was seen there before."""
        values = self.read(cells)  # type: ignore[arg-type]
        known = self.rim[end]
        if known is None:
            self.rim[end] = values
        return known is None or known == values

    def seen(self) -> bool:
        """Take down what compiled code has seen by itself; whether all of it is what was seen before."""
        if self._named is None:
            return True
        named, rim = self._named, self.rim
        seen = [None if found is None else named[found] for found in self.quick.values()]
        same = all(a is None or b is None or a == b for a, b in zip(rim, seen))
        rim[:] = [b if a is None else a for a, b in zip(rim, seen)]
        return same

    def along(self, first: Side, second: Side) -> None:
        """Ends that were looked at when both sides were followed, the second against the last of the first."""
        if self.quick is not None:
            self.quick.along(first.chain, second.chain)

    def take_over(self, last: Ends) -> None:
        """Ends where the first side is gone, from a grid that comes to them from the very same positions."""
        self.rim[: self.n + 1] = last.rim[: self.n + 1]
        self.cells.update((end, cells) for end, cells in last.cells.items() if end <= self.n)
        if self.quick is not None and last.quick is not None:
            self.quick.take(last.quick)


# ------------------------------------------------------------------------------------------------ by Python


@dataclass(slots=True)
class PlainChain:
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
    ) -> Ends:
        """Ends of a grid; `plain`: of chains that only Python knows."""
        return Ends(read, m, n, base)

    def creates(self) -> bool:
        """Whether pieces may have come into play in what was run since this was asked."""
        return True

    def shape(self, cells: bytearray) -> Shape:
        """Which machines run, and where each of them stands; empty when it is over."""
        with memoryview(cells) as raw, raw.cast("i") as c:
            if c[H_STATUS] == STATUS_OVER or c[H_FP] == NONE:
                return ()
            return tuple((machine.id, c[place + 1]) for place, machine, _ in self.explorer.alike.frames(c))

    def pool(self, cells: bytearray) -> Pool | None:
        """The dice that are thrown; None if they are not one for each of some elements."""
        rolling = self._rolling(cells)
        if rolling is None:
            return None
        return tuple(sorted((*ways, len(found)) for ways, found in rolling.items() if ways[0]))

    def _rolling(self, cells: bytearray) -> dict[tuple[int, int], list[int]] | None:
        with memoryview(cells) as raw, raw.cast("i") as c:
            stop = self.explorer.falls.stop(c)
            if stop is None or stop.chance.sort != "each":
                return None
            return self.explorer.falls.by_limit(c, stop)

    def fall(self, cells: bytearray, hits: int, seed: int = 0) -> bytearray | None:
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
        return self.explorer.fall(cells, sure + maybe[: hits - len(sure)])

    def thrown(self, cells: bytearray, hits: int) -> bytearray | None:
        """As `fall`, of dice that are one for each piece."""
        if self.pool(cells) is None:
            raise Differs("dice that are not one for each piece")
        return self.fall(cells, hits)

    def idle(self, entry: bytearray) -> Shape:
        """The shape between the two rolls of a round in which nobody hits, which must change nothing."""
        between = self.thrown(entry, 0)
        if between is None or not (middle := self.shape(between)):
            raise Differs("a round without hits ends it")
        if self.thrown(between, 0) != entry:
            raise Differs("a round without hits changes something")
        return middle

    # ---- chains

    def follow(self, entry: bytearray, shape: Shape, middle: Shape, by_first: bool, how: Any = None) -> Side:
        """What a side goes through while the other loses nothing: hits of the first or of the second roll.  `how`: what looks at
        the ends beside it, where compiled code does."""
        chain = PlainChain(entry, mark=bytearray(len(entry) // 4))
        pools: list[Pool] = []
        #: those of the other side, which must stay what they are
        others: set[Pool] = set()
        here = entry
        while True:
            chain.add(here)
            if len(chain.states) > LONGEST:
                raise Differs("a chain that is too long")
            between = self.thrown(here, 1 if by_first else 0)
            after = None
            if between is not None and self.shape(between) == middle:
                # The side that suffers from the first roll throws the second, with the dice that it has before its losses.
                pools.append(self._pool_of(between if by_first else here))
                others.add(self._pool_of(here if by_first else between))
                if len(others) > 1:
                    raise Differs("the dice of one side depend on the other")
                after = self.thrown(between, 0 if by_first else 1)
            if after is None:
                raise Differs("a roll that cannot give exactly one hit")
            following = self.shape(after)
            if not following:
                return Side(chain, pools)
            if following != shape or after == here:
                raise Differs("a hit that leads somewhere else")
            here = after

    def _pool_of(self, cells: bytearray) -> Pool:
        found = self.pool(cells)
        if found is None:
            raise Differs("dice that are not one for each piece")
        return found

    # ---- rounds

    def prove(
        self,
        entry: bytearray,
        first: Side,
        second: Side,
        middle: Shape,
        border: Sequence[int],
        sample: Sequence[Round] | None,
        ends: Ends,
    ) -> None:
        """Rounds from positions of the grid, with hits as the dice fall: from all with fewer losses of the second side than
        `border` has for those of the first, or a sample.  They must go as the grid says.  Ends that are met are read,
        and rounds are run from beside those that were not: before a sample, which then does without these positions."""
        m, n = len(first), len(second)
        beside: set[tuple[int, int]] = set()
        if sample is None:
            tried = ((i, j, SOME, SOME) for i, last in enumerate(border) for j in range(last))
            self._rounds(entry, first, second, middle, tried, ends)
        rims = [*((m, j) for j in range(n + 1)), *((i, n) for i in range(m))]
        for more in range(max(m, n) + 1):
            rims = [
                (i, j) for i, j in rims if ends.rim[ends.place(i, j)] is None and more <= (j if i == m else i)
            ]
            if not rims:
                break
            rounds = [_to_end(i, j, more, m, n) for i, j in rims]
            beside.update((i, j) for i, j, _, _ in rounds)
            self._rounds(entry, first, second, middle, rounds, ends)
        others = (each for each in sample or () if each[2] >= 0 or each[:2] not in beside)
        self._rounds(entry, first, second, middle, others, ends)

    def _rounds(
        self,
        entry: bytearray,
        first: Side,
        second: Side,
        middle: Shape,
        tries: Iterable[Round],
        ends: Ends,
    ) -> None:
        m, n = len(first), len(second)
        for i, j, h, g in tries:
            h = self._some(first.pools[i], n - j, h) if h < 0 else h
            g = self._some(second.pools[j], m - i, g) if g < 0 else g
            here = self._at(entry, first, second, i, j)
            if self.pool(here) != first.pools[i]:
                raise Differs("the dice of one side depend on the other")
            between = self.fall(here, h, self.dice.getrandbits(60) + 1)
            if between is None:
                continue
            if self.shape(between) != middle:
                raise Differs("the second side does not throw")
            if self.pool(between) != second.pools[j]:
                raise Differs("the dice of one side depend on the other")
            after = self.fall(between, g, self.dice.getrandbits(60) + 1)
            if after is None:
                continue
            if i + g >= m or j + h >= n:
                if self.shape(after):
                    raise Differs("it goes on where it should end")
                end = ends.place(i + g, j + h)
                same = ends.cells.setdefault(end, bytes(after)) == after and ends.rim[end] is not None
                if not same and not ends.met(end, after):
                    raise Differs("an end that depends on the way to it")
            elif after != self._at(entry, first, second, i + g, j + h):
                raise Differs("losses that depend on the other side")

    def _at(self, entry: bytearray, first: Side, second: Side, i: int, j: int) -> bytearray:
        """The entry after so many losses of each side."""
        made = bytearray(entry)
        first.chain.put(made, i)
        second.chain.put(made, j)
        return made

    def meet(self, first: Side, second: Side) -> bool:
        """Whether the losses of both change a cell."""
        a, b = first.chain.mark, second.chain.mark
        return bool(int.from_bytes(a, "little") & int.from_bytes(b, "little"))

    def _some(self, pool: Pool, most: int, wanted: int) -> int:
        """Hits as the dice would fall, or, which is quicker to try, a few; now and then any number that would be felt.  Or enough
        to end it, and sometimes one more."""
        how, dice = self.dice.random(), sum(n for _, _, n in pool)
        if wanted == ENOUGH:
            return min(dice, most + int(how < 0.5))
        if how < 0.25:
            return self.dice.randint(0, min(dice, most + 1 if how < 0.1 else A_FEW))
        random_ = self.dice.random
        return sum(random_() * all_ways < ways for ways, all_ways, n in pool for _ in range(n))


def _to_end(i: int, j: int, more: int, m: int, n: int) -> Round:
    """Come to an end from beside it; by more hits at once where those beside it cannot hit any more."""
    if i == m:
        h = max(more, int(j == n))
        return m - 1, max(j - h, 0), h, 1
    return max(i - more, 0), n - 1, 1, more


# ------------------------------------------------------------------------------------------ by compiled code


class QuickProbe(Probe):
    """The same by compiled code (kernels/attrition.h); what that cannot do is left to Python."""

    def __init__(self, explorer: Explorer) -> None:
        super().__init__(explorer)
        self.quick = explorer.quick
        self.quick.created = False
        self.tables = explorer.tables
        #: grids that were proved: each gets dice of its own
        self.proofs = 0

    def ends(
        self, read: Callable[[bytearray], tuple[Any, ...]], m: int, n: int, base: bytearray, plain: bool
    ) -> Ends:
        return Ends(read, m, n, base, None if plain else self.tables)

    def creates(self) -> bool:
        created = bool(self.quick.created)
        self.quick.created = False
        return created

    def shape(self, cells: bytearray) -> Shape:
        found: Shape = self.quick.shape(cells)
        return found

    def pool(self, cells: bytearray) -> Pool | None:
        found = self.quick.limits(cells)
        return None if found is None else pool_of(*found)

    def fall(self, cells: bytearray, hits: int, seed: int = 0) -> bytearray | None:
        found = self.quick.fall(cells, None, hits, seed, *self.explorer.lines)
        return None if found is None else self.explorer.arrived(cells, found)

    def idle(self, entry: bytearray) -> Shape:
        found = self.quick.idle(entry, *self.explorer.lines)
        if isinstance(found, str):
            raise Differs(found)
        return super().idle(entry) if found is None else found

    def meet(self, first: Side, second: Side) -> bool:
        if first.plain or second.plain:
            return super().meet(first, second)
        return bool(first.chain.meets(second.chain))

    def follow(self, entry: bytearray, shape: Shape, middle: Shape, by_first: bool, how: Any = None) -> Side:
        found = self.quick.follow(entry, shape, middle, by_first, LONGEST, how, *self.explorer.lines)
        if found is None:
            return super().follow(entry, shape, middle, by_first)
        if isinstance(found, str):
            raise Differs(found)
        return Side(found)

    def prove(
        self,
        entry: bytearray,
        first: Side,
        second: Side,
        middle: Shape,
        border: Sequence[int],
        sample: Sequence[Round] | None,
        ends: Ends,
    ) -> None:
        done: bool | str = False
        if ends.quick is not None:
            self.proofs += 1
            tried = None if sample is None else array("i", [number for each in sample for number in each])
            done = self.quick.prove(
                entry, first.chain, second.chain, middle, array("q", border) if sample is None else None, tried,
                SEED + self.proofs, ends.quick, bytes(values is not None for values in ends.rim), *self.explorer.lines,
            )  # fmt: skip
        if isinstance(done, str):
            raise Differs(done)
        if done and not ends.seen():
            raise Differs("an end that depends on the way to it")
        if not done:
            # A choice that compiled code does not answer.
            super().prove(entry, first, second, middle, border, sample, ends)


_pools: dict[object, Pool] = {}


def pool_of(dice: int, lo: int, hi: int, limits: dict[int, int]) -> Pool:
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
        if len(_pools) > MOST_POOLS:
            _pools.clear()
        pool = _pools[key] = tuple(sorted((*ways, n) for ways, n in counts.items()))
    return pool


#: Pools that are kept.
MOST_POOLS = 100_000


def probe_of(explorer: Explorer) -> Probe:
    return Probe(explorer) if explorer.quick is None else QuickProbe(explorer)
