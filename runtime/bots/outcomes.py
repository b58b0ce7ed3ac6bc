"""What can come of an answer, with its probabilities: the one place where bots meet the dice."""

from __future__ import annotations

import random
from array import array
from collections import deque

from grognard.bots.determinisation import Worlds
from grognard.contract.backend import Io, RuleFailure
from grognard.contract.header import FAIL_DICE

Outcomes = list[tuple[float, bytearray]]


def exact(worlds: Worlds, cells: bytearray, value: int, most: int) -> Outcomes | None:
    """All positions after the answer with their probabilities; None if the dice can fall in more than `most` ways."""
    return _follow(worlds, cells, value, most, None)


def followed(worlds: Worlds, cells: bytearray, value: int, most: int, generator: random.Random) -> Outcomes:
    """Positions after the answer with their probabilities: the first dice in all ways, the rest by chance.

    Up to about `most` ways; the chances are exact if there are no more."""
    found = _follow(worlds, cells, value, most, generator)
    assert found is not None
    return found


def _follow(
    worlds: Worlds, cells: bytearray, value: int, most: int, generator: random.Random | None
) -> Outcomes | None:
    """The rules are run with the dice written down; where one is missing, they say which faces it has."""
    found: Outcomes = []
    waiting: deque[tuple[float, tuple[int, ...]]] = deque([(1.0, ())])
    while waiting:
        chance, faces = waiting.popleft()
        after = worlds.copy(cells)
        try:
            worlds.backend.answer(after, value, Io(script=array("i", faces)))
        except RuleFailure as failure:
            if failure.kind != FAIL_DICE or len(failure.detail) != 2:
                raise
            low, high = failure.detail
            ways = high - low + 1
            if len(found) + len(waiting) + ways <= most:
                waiting += [(chance / ways, (*faces, face)) for face in range(low, high + 1)]
            elif generator is None:
                return None
            else:
                waiting.append((chance, (*faces, generator.randint(low, high))))
            continue
        found.append((chance, after))
    return found
