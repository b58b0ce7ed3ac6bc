"""Whether a sample can be of a distribution."""

from __future__ import annotations

from collections.abc import Mapping


def likely(counts: Mapping[tuple[object, ...], int], joint: Mapping[tuple[object, ...], float]) -> None:
    """Pearson's test: fails if a sample can hardly be of a distribution (one in a million)."""
    n = sum(counts.values())
    assert counts.keys() <= joint.keys()
    often = {values: p for values, p in joint.items() if n * p >= 10}
    rest = 1 - sum(often.values())
    strange = sum((counts.get(values, 0) - n * p) ** 2 / (n * p) for values, p in often.items())
    if n * rest >= 10:
        seldom = n - sum(counts.get(values, 0) for values in often)
        strange += (seldom - n * rest) ** 2 / (n * rest)
    degrees = len(often)
    # Wilson and Hilferty: the cube root of a chi square is nearly normal.
    assert (strange / degrees) ** (1 / 3) < 1 - 2 / (9 * degrees) + 4.9 * (2 / (9 * degrees)) ** 0.5
