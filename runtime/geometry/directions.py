"""The six directions of a hex grid, their names, their axial steps and turning.

Directions are numbered 0..5 clockwise.  Flat-top hexes start at north, pointy-top hexes at north-east.
Vertex v of a hex lies between directions v and v + 1.
"""

from __future__ import annotations

from typing import Final, Literal

from .common import NONE, GeometryError

Orientation = Literal["flat", "pointy"]
Axial = tuple[int, int]

ORIENTATIONS: Final[tuple[Orientation, ...]] = ("flat", "pointy")

DIRECTION_NAMES: Final[dict[Orientation, tuple[str, ...]]] = {
    "flat": ("n", "ne", "se", "s", "sw", "nw"),
    "pointy": ("ne", "e", "se", "sw", "w", "nw"),
}

# Both orientations share one axial lattice; only the direction that counts as number 0 differs.
STEPS: Final[dict[Orientation, tuple[Axial, ...]]] = {
    "flat": ((0, -1), (1, -1), (1, 0), (0, 1), (-1, 1), (-1, 0)),
    "pointy": ((1, -1), (1, 0), (0, 1), (-1, 1), (-1, 0), (0, -1)),
}


def check_orientation(orientation: str) -> Orientation:
    """The same word, if it names an orientation."""
    for known in ORIENTATIONS:
        if orientation == known:
            return known
    raise GeometryError(f"unknown hex orientation {orientation!r}: expected 'flat' or 'pointy'")


def is_direction(d: int) -> bool:
    return 0 <= d < 6


def direction_name(orientation: Orientation, d: int) -> str:
    if not is_direction(d):
        raise GeometryError(f"{d} is no direction: expected 0 to 5")
    return DIRECTION_NAMES[orientation][d]


def direction_named(orientation: Orientation, name: str) -> int:
    try:
        return DIRECTION_NAMES[orientation].index(name)
    except ValueError:
        known = ", ".join(DIRECTION_NAMES[orientation])
        raise GeometryError(
            f"{name!r} is no direction of {orientation}-top hexes: expected one of {known}"
        ) from None


def opposite(d: int) -> int:
    """The direction that leads back, NONE for no direction."""
    return (d + 3) % 6 if is_direction(d) else NONE


def turned(d: int, steps: int) -> int:
    """Direction d turned clockwise by so many hexsides (negative: anticlockwise)."""
    return (d + steps) % 6 if is_direction(d) else NONE


def turns_between(d1: int, d2: int) -> int:
    """How many hexsides, 0 to 3, one must turn from d1 to face d2, the shorter way round."""
    if not (is_direction(d1) and is_direction(d2)):
        return NONE
    clockwise = (d2 - d1) % 6
    return min(clockwise, 6 - clockwise)


def axial_distance(dq: int, dr: int) -> int:
    """Steps between two hexes that differ by (dq, dr)."""
    return max(abs(dq), abs(dr), abs(dq + dr))


def rotated_axial(q: int, r: int, steps: int) -> Axial:
    """The position turned clockwise about the origin by steps of 60 degrees."""
    for _ in range(steps % 6):
        q, r = -r, q + r
    return q, r
