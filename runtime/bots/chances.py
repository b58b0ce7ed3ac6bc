"""What can come of an answer, with its probabilities: the one place where bots meet the dice."""

from __future__ import annotations

import random
from array import array

from grognard.bots.worlds import Worlds, dice_of
from grognard.machineio import Io, RuleFailure
from grognard.values import FAIL_DICE

Outcomes = list[tuple[float, bytearray]]


def sampled(worlds: Worlds, cells: bytearray, value: int, samples: int, generator: random.Random) -> Outcomes:
    """Positions after the answer with their weights (which add up to 1): one if no dice fall, else samples."""
    first = worlds.copy(cells)
    before = dice_of(first)
    worlds.answer(first, value)
    if dice_of(first) == before:
        return [(1.0, first)]
    found = [(1 / samples, first)]
    for _ in range(samples - 1):
        other = worlds.copy(cells)
        worlds.reseed(other, generator)
        worlds.answer(other, value)
        found.append((1 / samples, other))
    return found


def exact(worlds: Worlds, cells: bytearray, value: int, most: int) -> Outcomes | None:
    """All positions after the answer with their probabilities; None if the dice can fall in more than `most` ways.

    The rules are run with the dice written down; where one is missing, they say which faces it has."""
    found: Outcomes = []
    waiting: list[tuple[float, tuple[int, ...]]] = [(1.0, ())]
    while waiting:
        chance, faces = waiting.pop()
        after = worlds.copy(cells)
        try:
            worlds.backend.answer(after, value, Io(script=array("i", faces)))
        except RuleFailure as failure:
            if failure.kind != FAIL_DICE or len(failure.detail) != 2:
                raise
            low, high = failure.detail
            ways = high - low + 1
            if len(found) + len(waiting) + ways > most:
                return None
            waiting += [(chance / ways, (*faces, face)) for face in range(high, low - 1, -1)]
            continue
        found.append((chance, after))
    return found
