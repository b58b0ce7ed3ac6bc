"""The plainest line of sight: a map of hexes that block, and a policy for lines that graze them."""

from __future__ import annotations

from collections.abc import Sequence
from enum import IntEnum

from .common import NONE
from .hexmap import HexMap
from .lines import CELL, PAIR, line


class SightPolicy(IntEnum):
    """What blocks a line besides the hexes whose interior it passes."""

    BOTH = 0
    """A line along a hexside is blocked when both hexes of it block."""
    EITHER = 1
    """A line along a hexside is blocked when one hex of it blocks."""
    CORNERS = 2
    """As EITHER, and a hex touched in a corner blocks too."""


def sight_simple(hexmap: HexMap, blocks: Sequence[int], a: int, b: int, policy: int) -> bool:
    """Whether a sees b.  The two end hexes never block, nor does anything off the map."""
    if not (hexmap.has(a) and hexmap.has(b)):
        return False

    def blocking(cell: int) -> bool:
        return cell != NONE and bool(blocks[cell])

    for kind, hex1, hex2 in line(hexmap, a, b)[1:-1]:
        if kind == CELL:
            blocked = blocking(hex1)
        elif kind == PAIR:
            sides = (blocking(hex1), blocking(hex2))
            blocked = all(sides) if policy == SightPolicy.BOTH else any(sides)
        else:
            blocked = policy == SightPolicy.CORNERS and blocking(hex1)
        if blocked:
            return False
    return True
