"""The fast way for two sides that wear each other down: round after round each side throws its dice, and what the other
loses follows from the number of hits alone.

Such a procedure is a walk on a grid: (losses of the one, losses of the other).  What the grid needs is taken from the
rules by running them: the chain of positions that one side goes through while the other stays as it is, the dice that it
throws in each of them, and the ends.  Nothing is believed: a position of the grid is put together from the two chains,
the rules run a round from it, and dice, next position and outcomes must be what the grid says.  All positions are tried
if there are few, else a sample spread over the grid.  If anything differs, the general way is taken.
"""

from __future__ import annotations

import random
from array import array
from collections.abc import Callable
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, TypeAlias

from grognard.odds.dice import binomial
from grognard.odds.explore import PAGE, Explorer
from grognard.odds.solve import ROUNDING
from grognard.values import H_FP, H_STATUS, NONE, STATUS_OVER

#: The dice of a side: (ways of a hit, all ways) -> how many such dice; without those that never hit.
Pool: TypeAlias = tuple[tuple[int, int, int], ...]
#: Shares below this are left out of a pool's distribution and of the grid; what they sum to is counted as error.
NEGLIGIBLE = 1e-26
#: Positions of the grid from which a round is run for proof: of the first entry of a loop, and of each further one.
#: Both are divided by the length of the chains, since a round of large armies takes longer.
TRIED = 40_000
TRIED_AGAIN = 4_000
#: At least so many, and never fewer than the corners.
TRIED_LEAST = 24
#: The longest chain that is looked at.
LONGEST = 2_000


class _Differs(Exception):
    """The procedure is no such walk; says why."""


@dataclass(slots=True)
class Side:
    """One side's chain: what differs from the first position after so many losses, and the dice it throws then."""

    changes: list[dict[int, int]] = field(default_factory=list)
    pools: list[Pool] = field(default_factory=list)


@dataclass(slots=True)
class Model:
    """The grid of one entry: pools by the losses of each side, outcomes where a side is at its end."""

    #: losses of the side whose dice fall first, and of the other
    first: Side
    second: Side
    outcomes: dict[tuple[int, int], tuple[Any, ...]]
    tried: int = 0
    _arrays: Any = None

    @property
    def size(self) -> tuple[int, int]:
        return len(self.first.pools), len(self.second.pools)


# ------------------------------------------------------------------------------------------------ derivation


class Deriver:
    """Makes models by running the rules from entries of a loop."""

    def __init__(self, explorer: Explorer, read: Callable[[bytearray], tuple[Any, ...]]) -> None:
        self.explorer, self.read = explorer, read
        self.dice = random.Random(1940)
        self.proved: set[object] = set()
        #: the last entry and model of each loop: a side that is the same there need not be followed again
        self.known: dict[object, tuple[bytearray, Model]] = {}

    def derive(self, entry: bytearray) -> Model:
        """The model from a position where dice fall; _Differs if it is none."""
        shape = self._shape(entry)
        between = self._fall(entry, 0)
        if between is None or self._over(between):
            raise _Differs("a round without hits ends it")
        middle = self._shape(between)
        if middle == shape or self._over(between):
            raise _Differs("one roll a round")
        back = self._fall(between, 0)
        if back != entry:
            raise _Differs("a round without hits changes something")
        model = self._again(entry, shape, middle) or self._anew(entry, shape, middle, None, None)
        self.known[shape] = entry, model
        return model

    def _again(self, entry: bytearray, shape: object, middle: object) -> Model | None:
        """A model with a side of the last entry's, if what is different now is not that side's; proved like any other."""
        if shape not in self.known:
            return None
        before, model = self.known[shape]
        different = set(_changes(before, entry))
        kept = [
            None if different & {cell for change in side.changes for cell in change} else side
            for side in (model.first, model.second)
        ]
        if kept == [None, None]:
            return None
        try:
            return self._anew(entry, shape, middle, *kept)
        except _Differs:
            return None

    def _anew(
        self, entry: bytearray, shape: object, middle: object, first: Side | None, second: Side | None
    ) -> Model:
        if second is None:
            second = Side()
            self._chain(entry, shape, middle, second, True)
        if first is None:
            first = Side()
            self._chain(entry, shape, middle, first, False)
        mine = {cell for change in first.changes for cell in change}
        others = {cell for change in second.changes for cell in change}
        if mine & others:
            raise _Differs("both sides' losses change the same thing")
        model = Model(first, second, {})
        self._prove(entry, shape, middle, model)
        return model

    # ---- small parts

    def _shape(self, cells: bytearray) -> tuple[tuple[int, int], ...]:
        """Which machines run, and where each of them stands."""
        with memoryview(cells) as raw, raw.cast("i") as c:
            if c[H_STATUS] == STATUS_OVER or c[H_FP] == NONE:
                return ()
            return tuple((machine.id, c[place + 1]) for place, machine, _ in self.explorer.alike.frames(c))

    def _over(self, cells: bytearray) -> bool:
        return self._shape(cells) == ()

    def _rolling(self, cells: bytearray) -> dict[tuple[int, int], list[int]]:
        with memoryview(cells) as raw, raw.cast("i") as c:
            stop = self.explorer.falls.stop(c)
            if stop is None or stop.chance.sort != "each":
                raise _Differs("dice that are not one for each piece")
            return self.explorer.falls.by_limit(c, stop)

    def _pool(self, cells: bytearray) -> Pool:
        rolling = self._rolling(cells)
        return tuple(sorted((*ways, len(found)) for ways, found in rolling.items() if ways[0]))

    def _fall(self, cells: bytearray, hits: int, mixed: bool = False) -> bytearray | None:
        """The position after so many hits; None if they cannot be.  `mixed`: by any of the dice."""
        sure: list[int] = []
        maybe: list[int] = []
        for (ways, all_ways), found in self._rolling(cells).items():
            if ways:
                (sure if ways == all_ways else maybe).extend(found)
        if not len(sure) <= hits <= len(sure) + len(maybe):
            return None
        if mixed:
            self.dice.shuffle(maybe)
        fallen = sure + maybe[: hits - len(sure)]
        with memoryview(cells) as raw, raw.cast("i") as c:
            return self.explorer.fall(cells, c, fallen)

    def _round(
        self, cells: bytearray, middle: object, h: int, g: int, mixed: bool = False
    ) -> bytearray | None:
        between = self._fall(cells, h, mixed)
        if between is None or self._shape(between) != middle:
            return None
        return self._fall(between, g, mixed)

    # ---- chains

    def _chain(self, entry: bytearray, shape: object, middle: object, side: Side, by_first: bool) -> None:
        """What a side goes through while the other loses nothing: hits of the first or of the second roll."""
        here = entry
        while True:
            side.changes.append(_changes(entry, here))
            if len(side.changes) > LONGEST:
                raise _Differs("a chain that is too long")
            if by_first:
                # The side that suffers from the first roll throws the second.
                thrown = self._fall(here, 0)
                side.pools.append(self._pool(thrown) if thrown is not None else ())
                after = self._round(here, middle, 1, 0)
            else:
                side.pools.append(self._pool(here))
                after = self._round(here, middle, 0, 1)
            if after is None:
                raise _Differs("a roll that cannot give exactly one hit")
            if self._over(after):
                return
            if self._shape(after) != shape or after == here:
                raise _Differs("a hit that leads somewhere else")
            here = after

    # ---- proof

    def _joint(self, entry: bytearray, model: Model, i: int, j: int) -> bytearray:
        cells = bytearray(entry)
        with memoryview(cells) as raw, raw.cast("i") as c:
            for change in (model.first.changes[i], model.second.changes[j]):
                for cell, value in change.items():
                    c[cell] = value
        return cells

    def _prove(self, entry: bytearray, shape: object, middle: object, model: Model) -> None:
        m, n = model.size
        everything = [(i, j) for i in range(m) for j in range(n)]
        most = max(TRIED_LEAST, (TRIED_AGAIN if shape in self.proved else TRIED) // (m + n))
        if len(everything) > most:
            edges = {(i, j) for i in (0, m // 2, m - 1) for j in (0, n // 2, n - 1)}
            everything = sorted(edges | set(self.dice.sample(everything, most)))
        for i, j in everything:
            h = self._some(model.first.pools[i], n - j)
            g = self._some(model.second.pools[j], m - i)
            self._try(entry, shape, middle, model, i, j, h, g)
        # Every end must have been seen once.
        for i, j in [*((m, j) for j in range(n + 1)), *((i, n) for i in range(m))]:
            if (i, j) not in model.outcomes:
                self._try(entry, shape, middle, model, max(0, i - 1) if i == m else i, max(0, j - 1) if j == n else j, int(j == n), int(i == m))  # fmt: skip
        model.tried = len(everything)
        self.proved.add(shape)

    def _some(self, pool: Pool, most: int) -> int:
        """A number of hits: mostly as the dice would fall, now and then any that would be felt."""
        if self.dice.random() < 0.1:
            return self.dice.randint(0, min(sum(n for _, _, n in pool), most + 1))
        return sum(self.dice.randrange(all_ways) < ways for ways, all_ways, n in pool for _ in range(n))

    def _try(
        self, entry: bytearray, shape: object, middle: object, model: Model, i: int, j: int, h: int, g: int
    ) -> None:
        """A round from a position of the grid: it must go as the grid says."""
        m, n = model.size
        here = self._joint(entry, model, i, j)
        if self._pool(here) != model.first.pools[i]:
            raise _Differs("the dice of one side depend on the other")
        between = self._fall(here, h, True)
        if between is None:
            return
        if self._shape(between) != middle:
            raise _Differs("the second side does not throw")
        if self._pool(between) != model.second.pools[j]:
            raise _Differs("the dice of one side depend on the other")
        after = self._fall(between, g, True)
        if after is None:
            return
        target = min(i + g, m), min(j + h, n)
        if target[0] == m or target[1] == n:
            if not self._over(after):
                raise _Differs("it goes on where it should end")
            values = self.read(after)
            if model.outcomes.setdefault(target, values) != values:
                raise _Differs("an end that depends on the way to it")
        elif after != self._joint(entry, model, *target):
            raise _Differs("losses that depend on the other side")


class Shortcut:
    """Offers a model for a position where one can be made.  A loop that is no such walk is not tried again."""

    def __init__(self, explorer: Explorer, read: Callable[[bytearray], tuple[Any, ...]]) -> None:
        self.deriver = Deriver(explorer, read)
        self.refused: dict[object, str] = {}

    def __call__(self, cells: bytearray) -> Model | None:
        shape = self.deriver._shape(cells)
        if shape in self.refused:
            return None
        try:
            return self.deriver.derive(cells)
        except _Differs as why:
            self.refused[shape] = str(why)
            return None


def _changes(before: bytearray, after: bytearray) -> dict[int, int]:
    """The cells that differ, with what they hold after."""
    found: dict[int, int] = {}
    with memoryview(before) as a, memoryview(after) as b, a.cast("i") as left, b.cast("i") as right:
        for start in range(0, len(left), PAGE):
            if before[4 * start : 4 * (start + PAGE)] != after[4 * start : 4 * (start + PAGE)]:
                for cell in range(start, min(start + PAGE, len(left))):
                    if left[cell] != right[cell]:
                        found[cell] = right[cell]
    return found


# -------------------------------------------------------------------------------------------------- solution


def hits(pool: Pool) -> list[float]:
    """The chance of 0, 1, 2 ... hits; negligible ends are cut off."""
    spread = [1.0]
    for ways, all_ways, n in pool:
        whole = all_ways**n
        part = [w / whole for w in binomial(n, ways, all_ways)]
        grown = [0.0] * (len(spread) + n)
        for place, p in enumerate(spread):
            for k, q in enumerate(part):
                grown[place + k] += p * q
        spread = grown
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


def _packed(side: Side) -> tuple[array[float], array[int]]:
    values, starts = array("d"), array("q", [0])
    for pool in side.pools:
        values.extend(hits(pool))
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
        model._arrays = (*_packed(model.first), *_packed(model.second))
    run: Callable[..., array[float]] = kernel or _sweep
    grid = run(m, n, *model._arrays, NEGLIGIBLE)
    width = n + 1
    ends = {(m, j): p for j, p in enumerate(grid[m * width : (m + 1) * width]) if p}
    ends |= {(i, n): grid[i * width + n] for i in range(m) if grid[i * width + n]}
    endless = 0.0
    if () in model.first.pools and () in model.second.pools:
        # Neither side can hit any more: only there something is left inside the grid.
        endless = sum(grid[i * width + j] for i in range(m) for j in range(n))
    most = [
        max((sum(d for _, _, d in pool) for pool in side.pools), default=0)
        for side in (model.first, model.second)
    ]
    terms = (min(most[0], n) + 1) * (min(most[1], m) + 1)
    return ends, endless, (m + n) * (terms + most[0] + most[1] + 8) * ROUNDING


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
    firsts = [exact_hits(pool) for pool in model.first.pools]
    seconds = [exact_hits(pool) for pool in model.second.pools]
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
