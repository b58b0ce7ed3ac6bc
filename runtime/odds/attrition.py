"""The fast way for two sides that wear each other down: round after round each side throws its dice, and what the other
loses follows from the number of hits alone.

Such a procedure is a walk on a grid: (losses of the one, losses of the other).  What the grid needs is taken from the
rules by running them: the chain of positions that one side goes through while the other stays as it is, the dice that it
throws in each of them, and the ends.  Nothing is believed: a position of the grid is put together from the two chains,
the rules run a round from it, and dice, next position and outcomes must be what the grid says.  All positions are tried
if there are few, or if that is asked for; else a sample spread over the grid, in which every stage of either side (the
same kinds of dice) meets every stage of the other.  If anything differs, the general way is taken.
"""

from __future__ import annotations

import random
from array import array
from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import product
from typing import Any

from grognard.odds.dice import binomial
from grognard.odds.explore import Explorer
from grognard.odds.probe import Layers, Pool, Shape, probe_of
from grognard.odds.solve import ROUNDING

#: Shares below this are left out of a pool's distribution and of the grid; what they sum to is counted as error.
NEGLIGIBLE = 1e-26
#: Positions of the grid from which a round is run for proof: of the first entry of a loop, and of each further one.
#: Both are divided by the length of the chains, since a round of large armies takes longer.
TRIED = 40_000
TRIED_AGAIN = 4_000
#: The longest chain that is looked at.
LONGEST = 2_000


class _Differs(Exception):
    """The procedure is no such walk; says why."""


@dataclass(slots=True)
class Side:
    """One side's chain: its positions after so many losses, while the other has lost nothing, and its dice then."""

    entry: bytearray
    states: list[bytearray] = field(default_factory=list)
    pools: list[Pool] = field(default_factory=list)
    #: a byte for each cell: whether it ever differs from the entry's
    mark: bytearray = field(default_factory=bytearray)

    def stages(self) -> list[int]:
        """Losses at which the dice become of another kind: the first and last position of each kind."""
        kinds = [tuple(dice[:2] for dice in pool) for pool in self.pools]
        last = len(kinds) - 1
        return [
            n
            for n in range(len(kinds))
            if n in (0, last) or kinds[n] != kinds[n - 1] or kinds[n] != kinds[n + 1]
        ]


@dataclass(slots=True)
class Model:
    """The grid of one entry: pools by the losses of each side, outcomes where a side is at its end."""

    #: dice by losses: of the side whose dice fall first, and of the other
    first: list[Pool]
    second: list[Pool]
    outcomes: dict[tuple[int, int], tuple[Any, ...]]
    tried: int = 0
    _arrays: Any = None

    @property
    def size(self) -> tuple[int, int]:
        return len(self.first), len(self.second)


# ------------------------------------------------------------------------------------------------ derivation


class Deriver:
    """Makes models by running the rules from entries of a loop.  `every`: try all positions of the grid."""

    def __init__(
        self, explorer: Explorer, read: Callable[[bytearray], tuple[Any, ...]], every: bool = False
    ) -> None:
        self.probe, self.read, self.every = probe_of(explorer), read, every
        self.dice = random.Random(1940)
        self.proved: set[object] = set()
        #: the last entry, sides and model of each loop: a side that is the same there need not be followed again
        self.known: dict[object, tuple[bytearray, Side, Side, Model]] = {}

    def derive(self, entry: bytearray) -> Model:
        """The model from a position where dice fall; _Differs if it is none."""
        shape = self.probe.shape(entry)
        between = self._fall(entry, 0)
        if between is None or not (middle := self.probe.shape(between)):
            raise _Differs("a round without hits ends it")
        if middle == shape:
            raise _Differs("one roll a round")
        if self._fall(between, 0) != entry:
            raise _Differs("a round without hits changes something")
        made = self._again(entry, shape, middle) or self._anew(entry, shape, middle, None, None)
        self.known[shape] = made
        return made[3]

    def _again(
        self, entry: bytearray, shape: Shape, middle: Shape
    ) -> tuple[bytearray, Side, Side, Model] | None:
        """A model with a side of the last entry's, if what is different now is not that side's; proved like any other."""
        if shape not in self.known:
            return None
        before, *sides, _model = self.known[shape]
        different = bytearray(len(entry) // 4)
        self.probe.mark(different, before, entry)
        first, second = (None if _meet(different, side.mark) else side for side in sides)
        if first is None and second is None:
            return None
        try:
            return self._anew(entry, shape, middle, first, second)
        except _Differs:
            return None

    def _anew(
        self, entry: bytearray, shape: Shape, middle: Shape, first: Side | None, second: Side | None
    ) -> tuple[bytearray, Side, Side, Model]:
        if second is None:
            second = self._chain(entry, shape, middle, True)
        if first is None:
            first = self._chain(entry, shape, middle, False)
        if _meet(first.mark, second.mark):
            raise _Differs("both sides' losses change the same thing")
        grid = Grid(self, entry, shape, middle, first, second)
        if shape in self.known:
            _, before, other, model = self.known[shape]
            grid.take_over(before, other, model)
        grid.prove(self.every, shape in self.proved)
        self.proved.add(shape)
        return entry, first, second, grid.model

    # ---- small parts

    def _pool(self, cells: bytearray) -> Pool:
        found = self.probe.pool(cells)
        if found is None:
            raise _Differs("dice that are not one for each piece")
        return found

    def _fall(self, cells: bytearray, hits: int) -> bytearray | None:
        """The position after so many hits; None if they cannot be."""
        if self.probe.pool(cells) is None:
            raise _Differs("dice that are not one for each piece")
        return self.probe.fall(cells, hits)

    # ---- chains

    def _chain(self, entry: bytearray, shape: Shape, middle: Shape, by_first: bool) -> Side:
        """What a side goes through while the other loses nothing: hits of the first or of the second roll."""
        side = Side(entry, mark=bytearray(len(entry) // 4))
        here = entry
        while True:
            side.states.append(here)
            self.probe.mark(side.mark, entry, here)
            if len(side.states) > LONGEST:
                raise _Differs("a chain that is too long")
            missed = self._fall(here, 0)
            if by_first:
                # The side that suffers from the first roll throws the second.
                side.pools.append(self._pool(missed) if missed is not None else ())
                between = self._fall(here, 1)
            else:
                side.pools.append(self._pool(here))
                between = missed
            after = None
            if between is not None and self.probe.shape(between) == middle:
                after = self._fall(between, 0 if by_first else 1)
            if after is None:
                raise _Differs("a roll that cannot give exactly one hit")
            following = self.probe.shape(after)
            if not following:
                return side
            if following != shape or after == here:
                raise _Differs("a hit that leads somewhere else")
            here = after


class Grid:
    """The positions of one model, put together from two chains, and the rounds that prove them."""

    def __init__(
        self, deriver: Deriver, entry: bytearray, shape: Shape, middle: Shape, first: Side, second: Side
    ) -> None:
        self.deriver, self.probe, self.dice = deriver, deriver.probe, deriver.dice
        self.entry, self.shape, self.middle = entry, shape, middle
        self.first, self.second = first, second
        self.model = Model(first.pools, second.pools, {})

    def take_over(self, before: Side, other: Side, model: Model) -> None:
        """Ends that the last model has come to from the very same positions."""
        m, _ = self.model.size
        if other is self.second and before.states[-1] == self.first.states[-1]:
            last = model.size[0]
            self.model.outcomes |= {(m, j): values for (i, j), values in model.outcomes.items() if i == last}

    def _at(self, i: int, j: int) -> Layers:
        """What makes the entry the position after so many losses of each side."""
        return [
            (side.entry, side.states[losses])
            for side, losses in ((self.first, i), (self.second, j))
            if losses
        ]

    def prove(self, every: bool, again: bool) -> None:
        m, n = self.model.size
        most = (TRIED_AGAIN if again else TRIED) // (m + n)
        tried: Collection[tuple[int, int]]
        if m * n <= most or every:
            tried = list(product(range(m), range(n)))
        else:
            corners = list(product(self.first.stages(), self.second.stages()))
            more = most // 8 if again else max(0, most - len(corners))
            tried = dict.fromkeys([*corners, *(divmod(self.dice.randrange(m * n), n) for _ in range(more))])
        for i, j in tried:
            h = self._some(self.model.first[i], n - j)
            g = self._some(self.model.second[j], m - i)
            self._try(i, j, h, g)
        self.model.tried = len(tried)
        # Every end must have been seen once.
        for j in range(n + 1):
            self._end(m, j)
        for i in range(m):
            self._end(i, n)

    def _end(self, i: int, j: int) -> None:
        """Come to an end from beside it; by more hits at once where those beside it cannot hit any more."""
        m, n = self.model.size
        for more in range((j if i == m else i) + 1):
            if (i, j) in self.model.outcomes:
                return
            if i == m:
                h = max(more, int(j == n))
                self._try(m - 1, max(j - h, 0), h, 1)
            else:
                self._try(max(i - more, 0), n - 1, 1, more)

    def _some(self, pool: Pool, most: int) -> int:
        """A number of hits: mostly as the dice would fall, now and then any that would be felt."""
        if self.dice.random() < 0.1:
            return self.dice.randint(0, min(sum(n for _, _, n in pool), most + 1))
        random_ = self.dice.random
        return sum(random_() * all_ways < ways for ways, all_ways, n in pool for _ in range(n))

    def _try(self, i: int, j: int, h: int, g: int) -> None:
        """A round from a position of the grid: it must go as the grid says."""
        m, n = self.model.size
        end = i + g >= m or j + h >= n
        target = min(i + g, m), min(j + h, n)
        wanted = None if end else self._at(*target)
        seed = self.dice.getrandbits(60) + 1
        found = self.probe.trial(self.entry, self._at(i, j), h, g, seed, wanted)
        if found.first != self.model.first[i]:
            raise _Differs("the dice of one side depend on the other")
        if found.between is None:
            return
        if found.between != self.middle:
            raise _Differs("the second side does not throw")
        if found.second != self.model.second[j]:
            raise _Differs("the dice of one side depend on the other")
        if found.after is None:
            return
        if end:
            if found.over is None:
                raise _Differs("it goes on where it should end")
            values = self.deriver.read(found.over)
            if self.model.outcomes.setdefault(target, values) != values:
                raise _Differs("an end that depends on the way to it")
        elif not found.same:
            raise _Differs("losses that depend on the other side")


class Shortcut:
    """Offers a model for a position where one can be made.  A loop that is no such walk is not tried again."""

    def __init__(
        self, explorer: Explorer, read: Callable[[bytearray], tuple[Any, ...]], every: bool = False
    ) -> None:
        self.deriver = Deriver(explorer, read, every)
        self.refused: dict[object, str] = {}

    def __call__(self, cells: bytearray) -> Model | None:
        shape = self.deriver.probe.shape(cells)
        if shape in self.refused:
            return None
        try:
            return self.deriver.derive(cells)
        except _Differs as why:
            self.refused[shape] = str(why)
            return None


def _meet(a: bytearray, b: bytearray) -> bool:
    """Whether a cell is marked in both."""
    return bool(int.from_bytes(a, "little") & int.from_bytes(b, "little"))


# -------------------------------------------------------------------------------------------------- solution


def hits(pool: Pool) -> list[float]:
    """The chance of 0, 1, 2 ... hits, die by die; negligible ends are cut off."""
    spread = [1.0]
    for ways, all_ways, n in pool:
        p, q = ways / all_ways, (all_ways - ways) / all_ways
        for _ in range(n):
            # Hits and misses of one more die.
            spread = [a * q + b * p for a, b in zip([*spread, 0.0], [0.0, *spread])]
    while len(spread) > 1 and spread[-1] < NEGLIGIBLE:
        spread.pop()
    return spread


def exact_hits(pool: Pool) -> list[Fraction]:
    spread = [Fraction(1)]
    for ways, all_ways, n in pool:
        part = [Fraction(w, all_ways**n) for w in binomial(n, ways, all_ways)]
        grown = [Fraction(0)] * (len(spread) + n)
        for place, p in enumerate(spread):
            for k, q in enumerate(part):
                grown[place + k] += p * q
        spread = grown
    return spread


def _packed(pools: list[Pool], kernel: Any) -> tuple[array[float], array[int]]:
    values, starts = array("d"), array("q", [0])
    for pool in pools:
        if kernel is None:
            values.extend(hits(pool))
        else:
            values.frombytes(kernel(array("q", [number for dice in pool for number in dice]), NEGLIGIBLE))
        starts.append(len(values))
    return values, starts


def sweep(model: Model, exact: bool, kernel: Any) -> tuple[dict[tuple[int, int], Any], Any, float]:
    """({end: probability}, never ends, bound of the relative error)."""
    if not exact:
        return sweep_floats(model, kernel)
    ends, endless = sweep_exact(model)
    return dict(ends), endless, 0.0


def sweep_floats(model: Model, kernel: Any) -> tuple[dict[tuple[int, int], float], float, float]:
    """({end: probability}, never ends, bound of the relative error), by the compiled kernel if there is one."""
    m, n = model.size
    if model._arrays is None:
        spread = getattr(kernel, "hits", None)
        model._arrays = (*_packed(model.first, spread), *_packed(model.second, spread))
    run: Callable[..., array[float]] = getattr(kernel, "attrition", _sweep)
    grid = run(m, n, *model._arrays, NEGLIGIBLE)
    width = n + 1
    ends = {(m, j): p for j, p in enumerate(grid[m * width : (m + 1) * width]) if p}
    ends |= {(i, n): grid[i * width + n] for i in range(m) if grid[i * width + n]}
    endless = 0.0
    if () in model.first and () in model.second:
        # Neither side can hit any more: only there something is left inside the grid.
        endless = sum(grid[i * width + j] for i in range(m) for j in range(n))
    most = [
        max((sum(d for _, _, d in pool) for pool in pools), default=0)
        for pools in (model.first, model.second)
    ]
    terms = (min(most[0], n) + 1) * (min(most[1], m) + 1)
    return ends, endless, (m + n) * (terms + 4 * (most[0] + most[1]) + 8) * ROUNDING


def _sweep(
    m: int,
    n: int,
    first: array[float],
    first_at: array[int],
    second: array[float],
    second_at: array[int],
    least: float,
) -> array[float]:
    """The kernel in Python, for where nothing is compiled: the same operations in the same order."""
    width = n + 1
    grid = array("d", bytes(8 * (m + 1) * width))
    grid[0] = 1.0
    for i in range(m):
        a = first[first_at[i] : first_at[i + 1]]
        tail = _tails(a)
        for j in range(n):
            here = grid[i * width + j]
            if here <= least:
                grid[i * width + j] = 0.0
                continue
            b = second[second_at[j] : second_at[j + 1]]
            tail_b = _tails(b)
            leave = (tail[1] if len(a) > 1 else 0.0) + a[0] * (tail_b[1] if len(b) > 1 else 0.0)
            if leave <= 0.0:
                continue
            grid[i * width + j] = 0.0
            here /= leave
            for g in range(min(len(b) - 1, m - i) + 1):
                last = g == m - i
                share = here * (tail_b[g] if last else b[g])
                row = (i + g) * width + j
                most = min(len(a) - 1, n - j - 1)
                for h in range(1 if g == 0 else 0, most + 1):
                    grid[row + h] += share * a[h]
                if len(a) - 1 > most:
                    grid[row + n - j] += share * tail[most + 1]
    return grid


def _tails(values: Any) -> list[float]:
    found = [0.0] * (len(values) + 1)
    for place in range(len(values) - 1, -1, -1):
        found[place] = found[place + 1] + values[place]
    return found


def sweep_exact(model: Model) -> tuple[dict[tuple[int, int], Fraction], Fraction]:
    m, n = model.size
    firsts = [exact_hits(pool) for pool in model.first]
    seconds = [exact_hits(pool) for pool in model.second]
    grid: dict[tuple[int, int], Fraction] = {(0, 0): Fraction(1)}
    endless = Fraction(0)
    for i in range(m):
        for j in range(n):
            here = grid.pop((i, j), None)
            if here is None:
                continue
            a, b = firsts[i], seconds[j]
            stay = a[0] * b[0]
            if stay == 1:
                endless += here
                continue
            here /= 1 - stay
            for g, q in enumerate(b):
                for h, p in enumerate(a):
                    if (g or h) and p and q:
                        key = min(i + g, m), min(j + h, n)
                        grid[key] = grid.get(key, Fraction(0)) + here * p * q
    return grid, endless
