"""Straight lines from the centre of one hex to the centre of another, exactly.

A line is told twice.  Its ITEMS are the hexes it meets, in order from a to b:

    CELL    the line passes through the interior of hex1
    PAIR    the line runs along the whole hexside between hex1 (on its left) and hex2 (on its right)
    CORNER  the line touches hex1 in one corner only, from outside

The first item is always CELL a and the last CELL b.  Every hex that has a point in common with the
line is in exactly one item.

Its CROSSINGS are the hexsides it meets, each exactly once, in order from a to b:

    SIDE    the line goes from hex1 into hex2 through the inside of their common hexside
    VERTEX  the line goes from hex1 into hex2 through an end of their common hexside
    ALONG   the line runs along the hexside between hex1 (left) and hex2 (right)
    TOUCH   the line meets only an end of the hexside and does not pass through that end from hex1
            into hex2; one of the two is a hex whose interior the line leaves (then it is hex1) or
            enters (then it is hex2) at that vertex

The line from b to a gives the same items and crossings in the opposite order, with hex1 and hex2
exchanged where an item has two hexes.  A hex off the map is NONE; so is the hex2 of CELL and CORNER.

Why no fraction is ever needed: measured in thirds of an axial step every hex corner has integer
coordinates, and on which side of the line a corner lies is the sign of one integer cross product.
The axial frame is a sheared picture of the paper, which changes no such sign, so both orientations
share one walk.
"""

from __future__ import annotations

from enum import IntEnum
from functools import lru_cache
from typing import Final, NamedTuple

from .common import NONE
from .directions import STEPS, Axial
from .hexmap import HexMap


class LineKind(IntEnum):
    CELL = 0
    PAIR = 1
    CORNER = 2
    SIDE = 3
    VERTEX = 4
    ALONG = 5
    TOUCH = 6


CELL: Final = LineKind.CELL
PAIR: Final = LineKind.PAIR
CORNER: Final = LineKind.CORNER
SIDE: Final = LineKind.SIDE
VERTEX: Final = LineKind.VERTEX
ALONG: Final = LineKind.ALONG
TOUCH: Final = LineKind.TOUCH


class LineItem(NamedTuple):
    """One item or crossing of a line between two cells of a map."""

    kind: LineKind
    hex1: int
    hex2: int


class Displaced(NamedTuple):
    """One item or crossing of the line that starts in the origin."""

    kind: LineKind
    first: Axial
    second: Axial | None


class Walk(NamedTuple):
    items: tuple[Displaced, ...]
    crossings: tuple[Displaced, ...]


_STEPS: Final = STEPS["flat"]


@lru_cache(maxsize=1 << 16)
def walk(dq: int, dr: int) -> Walk:
    """Items and crossings of the line from (0, 0) to (dq, dr)."""

    def offside(q: int, r: int) -> int:
        """Cross product with the line: negative on its left, zero on it, positive on its right."""
        return dq * r - dr * q

    # How far off the line each neighbour and (in thirds) each corner lies, seen from a centre on the line.
    step_off = [offside(q, r) for q, r in _STEPS]
    corner_off = [step_off[v] + step_off[(v + 1) % 6] for v in range(6)]

    items = [Displaced(CELL, (0, 0), None)]
    crossings: list[Displaced] = []
    q, r = 0, 0
    while (q, r) != (dq, dr):
        off = 3 * offside(q, r)
        corners = [off + c for c in corner_off]
        # Clockwise round the hex, the line comes out where the corners change from its left to its right.
        out = next(v for v in range(6) if corners[v - 1] < 0 <= corners[v])
        left = (q + _STEPS[out][0], r + _STEPS[out][1])
        if corners[out] > 0:
            crossings.append(Displaced(SIDE, (q, r), left))
            items.append(Displaced(CELL, left, None))
            q, r = left
            continue
        # Out through the corner between directions out and out + 1, where three hexes meet.
        turn = _STEPS[(out + 1) % 6]
        here, right = (q, r), (q + turn[0], r + turn[1])
        # The hexside left|right starts at this corner and leads straight away from the hex.
        if corner_off[out] == 0:
            beyond = (left[0] + turn[0], left[1] + turn[1])
            crossings.append(Displaced(TOUCH, here, left))
            crossings.append(Displaced(TOUCH, here, right))
            crossings.append(Displaced(ALONG, left, right))
            crossings.append(Displaced(TOUCH, left, beyond))
            crossings.append(Displaced(TOUCH, right, beyond))
            items.append(Displaced(PAIR, left, right))
            entered = beyond
        else:
            entered, touched = (right, left) if corner_off[out] < 0 else (left, right)
            crossings.append(Displaced(TOUCH, here, touched))
            crossings.append(Displaced(VERTEX, here, entered))
            crossings.append(Displaced(TOUCH, touched, entered))
            items.append(Displaced(CORNER, touched, None))
        items.append(Displaced(CELL, entered, None))
        q, r = entered
    return Walk(tuple(items), tuple(crossings))


def _placed(hexmap: HexMap, a: int, told: tuple[Displaced, ...]) -> list[LineItem]:
    aq, ar = hexmap.coordinates[a]

    def cell(at: Axial | None) -> int:
        return NONE if at is None else hexmap.at(aq + at[0], ar + at[1])

    return [LineItem(kind, cell(first), cell(second)) for kind, first, second in told]


def _walk_between(hexmap: HexMap, a: int, b: int) -> Walk:
    if not (hexmap.has(a) and hexmap.has(b)):
        return Walk((), ())
    (aq, ar), (bq, br) = hexmap.coordinates[a], hexmap.coordinates[b]
    return walk(bq - aq, br - ar)


def line(hexmap: HexMap, a: int, b: int) -> list[LineItem]:
    """The hexes which the line from a to b meets; empty if a or b is no cell of the map."""
    told = _walk_between(hexmap, a, b).items
    return _placed(hexmap, a, told) if told else []


def crossings(hexmap: HexMap, a: int, b: int) -> list[LineItem]:
    """The hexsides which the line from a to b meets; empty if a or b is no cell of the map."""
    told = _walk_between(hexmap, a, b).crossings
    return _placed(hexmap, a, told) if told else []
