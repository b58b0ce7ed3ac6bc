"""The outcomes of an answer with their probabilities.  Only this module enumerates dice for bots."""

from __future__ import annotations

import random
from array import array
from collections import deque

from grognard.bots.determinisation import ForwardModel
from grognard.contract.backend import Io, RuleFailure
from grognard.contract.header import FAIL_DICE

Outcomes = list[tuple[float, bytearray]]


def exact_outcomes(model: ForwardModel, cells: bytearray, value: int, most: int) -> Outcomes | None:
    """All positions after the answer with their probabilities; None if there are more than `most` outcomes."""
    return _expand(model, cells, value, most, None)


def partial_outcomes(
    model: ForwardModel, cells: bytearray, value: int, most: int, generator: random.Random
) -> Outcomes:
    """Positions after the answer with their probabilities: the first dice enumerated, later ones sampled.

    About `most` outcomes at most; the probabilities are exact if there are no more."""
    found = _expand(model, cells, value, most, generator)
    assert found is not None
    return found


def _expand(
    model: ForwardModel, cells: bytearray, value: int, most: int, generator: random.Random | None
) -> Outcomes | None:
    """Run the rules with scripted dice; where the script ends, the failure names the faces of the next die."""
    found: Outcomes = []
    waiting: deque[tuple[float, tuple[int, ...]]] = deque([(1.0, ())])
    while waiting:
        chance, faces = waiting.popleft()
        after = model.copy(cells)
        try:
            model.tried += 1
            model.backend.answer(after, value, Io(script=array("i", faces)))
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
