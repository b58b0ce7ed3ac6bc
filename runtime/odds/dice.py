"""Distributions of dice in integer weights over the number of equally likely results, never a rounded probability."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from math import comb, factorial


@lru_cache(maxsize=256)
def totals(dice: int, lo: int, hi: int) -> tuple[tuple[int, int], ...]:
    """(total, weight) of so many dice with faces lo..hi."""
    ways = [1]
    faces = hi - lo + 1
    for _ in range(dice):
        grown = [0] * (len(ways) + faces - 1)
        for place, count in enumerate(ways):
            for face in range(faces):
                grown[place + face] += count
        ways = grown
    return tuple((dice * lo + place, count) for place, count in enumerate(ways))


@lru_cache(maxsize=4096)
def chance_at_most(dice: int, lo: int, hi: int, limit: int) -> tuple[int, int]:
    """(weight, total weight) of the event that the sum of the dice is at most the limit."""
    ways = sum(count for total, count in totals(dice, lo, hi) if total <= limit)
    return ways, (hi - lo + 1) ** dice


@lru_cache(maxsize=4096)
def binomial(n: int, ways: int, all_ways: int) -> tuple[int, ...]:
    """Weights of 0..n successes in n trials, out of all_ways ** n."""
    return tuple(comb(n, k) * ways**k * (all_ways - ways) ** (n - k) for k in range(n + 1))


def multisets(n: int, sizes: Sequence[int]) -> Iterator[tuple[tuple[int, ...], int]]:
    """The multinomial distribution of n dice over classes of faces: (count of each class, weight), out of sum(sizes) ** n."""

    def spread(left: int, place: int) -> Iterator[tuple[int, ...]]:
        if place == len(sizes) - 1:
            yield (left,)
            return
        for here in range(left + 1):
            for rest in spread(left - here, place + 1):
                yield (here, *rest)

    for counts in spread(n, 0):
        weight = factorial(n)
        for count, size in zip(counts, sizes):
            weight = weight // factorial(count) * size**count
        yield counts, weight
