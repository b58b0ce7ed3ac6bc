"""Arcs of facing: whether a hex lies inside an arc, exactly on its border, or outside.

Bearings are read from a clock of 24 hours.  Even hours are the twelve rays, 30 degrees apart, through
the centres of the neighbours and through the vertices, hour 0 in direction 0.  Odd hours are the open
sectors between two rays.  The borders of all arcs here are rays, so the hour decides everything.
"""

from __future__ import annotations

from typing import Final

from .common import NONE
from .directions import STEPS, Axial, Orientation, is_direction
from .hexmap import HexMap

OUTSIDE: Final = 0
BORDER: Final = 1
INSIDE: Final = 2

ARC_DEGREES: Final = (60, 120, 180, 240, 300)


def _rays(orientation: Orientation) -> tuple[Axial, ...]:
    steps = STEPS[orientation]
    rays: list[Axial] = []
    for d, (q, r) in enumerate(steps):
        next_q, next_r = steps[(d + 1) % 6]
        rays += [(q, r), (q + next_q, r + next_r)]
    return tuple(rays)


_RAYS: Final[dict[Orientation, tuple[Axial, ...]]] = {"flat": _rays("flat"), "pointy": _rays("pointy")}


def clock(orientation: Orientation, dq: int, dr: int) -> int:
    """The hour, 0 to 23, at which the displacement points; NONE for no displacement."""
    rays = _RAYS[orientation]
    # Positive: the displacement points clockwise of this ray.
    offs = [q * dr - r * dq for q, r in rays]
    for i, (q, r) in enumerate(rays):
        # Twice the product of the lengths with the cosine between them tells a ray from its opposite.
        if offs[i] == 0 and q * dq + r * dr + (q + r) * (dq + dr) > 0:
            return 2 * i
        if offs[i] > 0 > offs[(i + 1) % 12]:
            return 2 * i + 1
    return NONE


def _place(hexmap: HexMap, a: int, centre: int, degrees: int, b: int) -> int:
    if degrees not in ARC_DEGREES:
        return NONE
    if not (hexmap.has(a) and hexmap.has(b)):
        return OUTSIDE
    if a == b:
        return INSIDE
    (aq, ar), (bq, br) = hexmap.coordinates[a], hexmap.coordinates[b]
    apart = abs(clock(hexmap.orientation, bq - aq, br - ar) - centre)
    apart = min(apart, 24 - apart)
    border = degrees // 30
    if apart == border:
        return BORDER
    return INSIDE if apart < border else OUTSIDE


def arc_place(hexmap: HexMap, a: int, facing: int, degrees: int, b: int) -> int:
    """Where b lies for the arc of a that is centred on direction `facing`: OUTSIDE, BORDER or INSIDE.

    a lies inside its own arc.  Without a facing, everything is outside.  The answer is NONE for an
    arc of other than 60, 120, 180, 240 or 300 degrees.
    """
    return _place(hexmap, a, 4 * facing, degrees, b) if is_direction(facing) else OUTSIDE


def vertex_arc_place(hexmap: HexMap, a: int, vertex: int, degrees: int, b: int) -> int:
    """The same for an arc centred on a vertex of a; vertex v lies between directions v and v + 1."""
    return _place(hexmap, a, 4 * vertex + 2, degrees, b) if is_direction(vertex) else OUTSIDE
