"""The sums of the fast way: two sides that wear each other down, as a walk on a grid (losses of the one, losses of the
other).  derive.py finds the grid.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from itertools import accumulate
from typing import Any

from grognard.odds.dice import binomial
from grognard.odds.probe import Pool
from grognard.odds.solve import ROUNDING

#: Shares below this are left out of a pool's distribution and of the grid; what they sum to is counted as error.
NEGLIGIBLE = 1e-26


@dataclass(slots=True)
class Model:
    """The grid of one entry: pools by the losses of each side, outcomes where a side is at its end."""

    #: dice by losses: of the side whose dice fall first, and of the other
    first: list[Pool]
    second: list[Pool]
    outcomes: dict[tuple[int, int], tuple[Any, ...]]
    #: positions from which the rules were run for this grid
    tried: int = 0
    _arrays: Any = None

    @property
    def size(self) -> tuple[int, int]:
        return len(self.first), len(self.second)

    def later(self, i: int, j: int) -> Model:
        """The grid from a position of this one on."""
        m, n = self.size
        outcomes = {(m - i, k - j): self.outcomes[m, k] for k in range(j, n + 1) if (m, k) in self.outcomes}
        outcomes |= {(k - i, n - j): self.outcomes[k, n] for k in range(i, m) if (k, n) in self.outcomes}
        made = Model(self.first[i:], self.second[j:], outcomes)
        if self._arrays is not None:
            first, first_at, second, second_at = self._arrays
            made._arrays = first, first_at[i:], second, second_at[j:]
        return made


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


@lru_cache(maxsize=65536)
def dice_of(pool: Pool) -> int:
    """How many there are."""
    return sum(n for _, _, n in pool)


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
    values, starts = array("d"), array("q")
    if kernel is not None:
        dice = array("q", [number for pool in pools for dice in pool for number in dice])
        spreads, places = kernel(dice, array("q", accumulate(map(len, pools))), NEGLIGIBLE)
        values.frombytes(spreads)
        starts.frombytes(places)
        return values, starts
    starts.append(0)
    for pool in pools:
        values.extend(hits(pool))
        starts.append(len(values))
    return values, starts


def arrays(model: Model, kernel: Any) -> tuple[array[float], array[int], array[float], array[int]]:
    """The hits of both sides after so many losses, one after the other, and where each begins."""
    if model._arrays is None:
        spread = getattr(kernel, "hits", None)
        model._arrays = (*_packed(model.first, spread), *_packed(model.second, spread))
    found: tuple[array[float], array[int], array[float], array[int]] = model._arrays
    return found


def sweep(model: Model, exact: bool, kernel: Any) -> tuple[dict[tuple[int, int], Any], Any, float]:
    """({end: probability}, never ends, bound of the relative error)."""
    if not exact:
        return sweep_floats(model, kernel)
    ends, endless = sweep_exact(model)
    return dict(ends), endless, 0.0


def sweep_floats(model: Model, kernel: Any) -> tuple[dict[tuple[int, int], float], float, float]:
    """({end: probability}, never ends, bound of the relative error), by the compiled kernel if there is one."""
    m, n = model.size
    first, first_at, second, second_at = arrays(model, kernel)
    run: Callable[..., array[float]] = getattr(kernel, "attrition", _sweep)
    grid = run(m, n, first, first_at, second, second_at, NEGLIGIBLE)
    width = n + 1
    ends = {(m, j): p for j, p in enumerate(grid[m * width : (m + 1) * width]) if p}
    ends |= {(i, n): grid[i * width + n] for i in range(m) if grid[i * width + n]}
    endless = 0.0
    if () in model.first and () in model.second:
        # Neither side can hit any more: only there something is left inside the grid.
        endless = sum(grid[i * width + j] for i in range(m) for j in range(n))
    most = [max(map(dice_of, pools)) for pools in (model.first, model.second)]
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
