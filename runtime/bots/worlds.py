"""Imagined positions, with weights."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Worlds:
    """Positions that fit what a seat knows."""

    #: weight (they add up to 1) and cells
    each: list[tuple[float, bytearray]]
    #: whether these are all that fit
    complete: bool
    #: how many were looked at
    number: int
