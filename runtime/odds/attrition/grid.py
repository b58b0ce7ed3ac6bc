"""The absorption probabilities of an attrition model: a forward sweep over the lattice (losses, losses)."""

from __future__ import annotations

from array import array
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from itertools import accumulate
from typing import Any, TypeAlias

from grognard.odds.attrition.sides import (
    DicePool,
    HitDistributions,
    Side,
)
from grognard.odds.dice import binomial
from grognard.odds.solve import ROUNDING

#: Probabilities below this are dropped from a pool's distribution and from the grid.
NEGLIGIBLE = 1e-26
#: The outcomes in a terminal state.
Values: TypeAlias = "tuple[Any, ...]"


@dataclass(slots=True)
class AttritionModel:
    """The verified grid of one entry: the dice by the losses of each side, the outcomes of the terminal states."""

    #: the side that rolls first, and the other; each begins at i or j losses
    first: Side
    second: Side
    #: outcomes where the first side is gone, by the losses of the second, then where only the second is, by the losses of
    #: the first; None where no round reached
    end_outcomes: list[Values | None]
    i: int = 0
    j: int = 0
    #: states from which the rules were run for this grid
    checked: int = 0
    #: whether every state has been checked, or only a sample of them
    complete: bool = True

    @property
    def size(self) -> tuple[int, int]:
        return len(self.first) - self.i, len(self.second) - self.j

    @property
    def ends(self) -> int:
        """The number of known terminal states."""
        return sum(values is not None for values in self.end_outcomes)

    def subgrid(self, i: int, j: int) -> AttritionModel:
        """The grid from a state of this one on."""
        _, n = self.size
        return AttritionModel(
            self.first,
            self.second,
            self.end_outcomes[j : n + 1] + self.end_outcomes[n + 1 + i :],
            self.i + i,
            self.j + j,
            complete=self.complete,
        )


def hit_distribution(pool: DicePool) -> list[float]:
    """The distribution of the number of hits, die by die; a negligible tail is cut off."""
    spread = [1.0]
    for ways, all_ways, n in pool:
        p, q = ways / all_ways, (all_ways - ways) / all_ways
        for _ in range(n):
            # One more die: a miss or a hit.
            spread = [a * q + b * p for a, b in zip([*spread, 0.0], [0.0, *spread])]
    while len(spread) > 1 and spread[-1] < NEGLIGIBLE:
        spread.pop()
    return spread


def exact_hit_distribution(pool: DicePool) -> list[Fraction]:
    spread = [Fraction(1)]
    for ways, all_ways, n in pool:
        part = [Fraction(w, all_ways**n) for w in binomial(n, ways, all_ways)]
        grown = [Fraction(0)] * (len(spread) + n)
        for place, p in enumerate(spread):
            for k, q in enumerate(part):
                grown[place + k] += p * q
        spread = grown
    return spread


def _compute_distributions(side: Side, kernel: Any) -> HitDistributions:
    """The distributions of a side's hits, by the native kernel if there is one."""
    values, starts = array("d"), array("q")
    spread = getattr(kernel, "hits", None)
    if spread is not None:
        dice = array("q", [number for pool in side.pools for dice in pool for number in dice])
        spreads, places = spread(dice, array("q", accumulate(map(len, side.pools))), NEGLIGIBLE)
        values.frombytes(spreads)
        starts.frombytes(places)
    else:
        starts.append(0)
        for pool in side.pools:
            values.extend(hit_distribution(pool))
            starts.append(len(values))
    return HitDistributions(values, starts, array("q", [sum(n for _, _, n in pool) for pool in side.pools]))


def hit_distributions(side: Side, kernel: Any) -> HitDistributions:
    if side.distributions is None:
        side.distributions = _compute_distributions(side, kernel)
    return side.distributions


def sweep(model: AttritionModel, exact: bool, kernel: Any) -> tuple[list[Any], Any, float]:
    """(probabilities of the terminal states, probability of never ending, bound of the relative error)."""
    if not exact:
        return sweep_floats(model, kernel)
    ends, endless = sweep_exact(model)
    m, n = model.size
    places = [*((m, j) for j in range(n + 1)), *((i, n) for i in range(m))]
    return [ends.get(place, 0) for place in places], endless, 0.0


def sweep_floats(model: AttritionModel, kernel: Any) -> tuple[list[float], float, float]:
    """The sweep in doubles, by the native kernel if there is one."""
    m, n = model.size
    found = None
    if not (model.first.in_python or model.second.in_python):
        found = model.first.chain.sweep(model.i, model.second.chain, model.j, NEGLIGIBLE)
    ends, endless, a, b = _sweep_distributions(model, kernel) if found is None else found
    terms = (min(a, n) + 1) * (min(b, m) + 1)
    return ends, endless, (m + n) * (terms + 4 * (a + b) + 8) * ROUNDING


def _sweep_distributions(model: AttritionModel, kernel: Any) -> tuple[list[float], float, int, int]:
    """(probabilities of the ends, of never ending, the most dice of either side), from distributions of hits."""
    m, n = model.size
    first, second = hit_distributions(model.first, kernel), hit_distributions(model.second, kernel)
    run: Callable[..., tuple[list[float], float]] = getattr(kernel, "attrition", _sweep)
    ends, endless = run(
        m, n, first.values, first.at[model.i :], second.values, second.at[model.j :], NEGLIGIBLE
    )
    return ends, endless, max(first.dice[model.i :]), max(second.dice[model.j :])


def _sweep(
    m: int,
    n: int,
    first: array[float],
    first_at: array[int],
    second: array[float],
    second_at: array[int],
    least: float,
) -> tuple[list[float], float]:
    """The kernel in Python, for the interpreter: the same operations in the same order."""
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
                if share <= least:
                    continue
                row = (i + g) * width + j
                most = min(len(a) - 1, n - j - 1)
                for h in range(1 if g == 0 else 0, most + 1):
                    grid[row + h] += share * a[h]
                if len(a) - 1 > most:
                    grid[row + n - j] += share * tail[most + 1]
    ends = [*grid[m * width :], *(grid[i * width + n] for i in range(m))]
    return ends, sum(grid[i * width + j] for i in range(m) for j in range(n))


def _tails(values: Any) -> list[float]:
    found = [0.0] * (len(values) + 1)
    for place in range(len(values) - 1, -1, -1):
        found[place] = found[place + 1] + values[place]
    return found


def sweep_exact(model: AttritionModel) -> tuple[dict[tuple[int, int], Fraction], Fraction]:
    m, n = model.size
    firsts = [exact_hit_distribution(pool) for pool in model.first.pools[model.i :]]
    seconds = [exact_hit_distribution(pool) for pool in model.second.pools[model.j :]]
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
