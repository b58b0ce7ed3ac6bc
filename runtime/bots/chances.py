"""What can come of an answer, with its probabilities: the one place where bots meet the dice."""

from __future__ import annotations

import random
from collections.abc import Iterator

from grognard.bots.worlds import Worlds, dice_of


def outcomes(
    worlds: Worlds, cells: bytearray, value: int, samples: int, generator: random.Random
) -> Iterator[tuple[float, bytearray]]:
    """Positions after the answer with their weights (which add up to 1): one if no dice fall, else samples."""
    first = bytearray(cells)
    before = dice_of(first)
    worlds.answer(first, value)
    if dice_of(first) == before:
        yield 1.0, first
        return
    weight = 1 / samples
    yield weight, first
    for _ in range(samples - 1):
        other = bytearray(cells)
        worlds.reseed(other, generator)
        worlds.answer(other, value)
        yield weight, other
