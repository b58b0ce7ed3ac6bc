"""Simple questions about a hex map: distance, neighbours, hexrows and what lies within range.

A question about NONE, or about a cell or direction that does not exist, is answered with NONE
(or with no cells), so that "off the map" passes through a rule without special cases.
"""

from __future__ import annotations

from .common import NONE
from .directions import STEPS, axial_distance, is_direction
from .hexmap import HexMap


def _displacement(hexmap: HexMap, a: int, b: int) -> tuple[int, int]:
    (aq, ar), (bq, br) = hexmap.coordinates[a], hexmap.coordinates[b]
    return bq - aq, br - ar


def distance(hexmap: HexMap, a: int, b: int) -> int:
    """Hexes from a to b, counting b but not a; holes in the map do not lengthen it."""
    if not (hexmap.has(a) and hexmap.has(b)):
        return NONE
    return axial_distance(*_displacement(hexmap, a, b))


def neighbour(hexmap: HexMap, a: int, d: int) -> int:
    """The hex next to a in direction d."""
    return hexmap.neighbours[a][d] if hexmap.has(a) and is_direction(d) else NONE


def direction(hexmap: HexMap, a: int, b: int) -> int:
    """The direction of b from a if the two are adjacent."""
    if not (hexmap.has(a) and hexmap.has(b)):
        return NONE
    step = _displacement(hexmap, a, b)
    steps = STEPS[hexmap.orientation]
    return steps.index(step) if step in steps else NONE


def straight(hexmap: HexMap, a: int, b: int) -> int:
    """The direction of b from a if b lies on a hexrow that starts in a; NONE for a itself."""
    if a == b or not (hexmap.has(a) and hexmap.has(b)):
        return NONE
    dq, dr = _displacement(hexmap, a, b)
    if dq and dr and dq + dr:
        return NONE
    steps_away = axial_distance(dq, dr)
    return STEPS[hexmap.orientation].index((dq // steps_away, dr // steps_away))


def toward(hexmap: HexMap, a: int, d: int, n: int) -> int:
    """The hex n steps from a in direction d; NONE if one of the steps leaves the map."""
    if not (hexmap.has(a) and is_direction(d)) or n < 0:
        return NONE
    cell = a
    for _ in range(n):
        cell = hexmap.neighbours[cell][d]
        if cell == NONE:
            return NONE
    return cell


def ray(hexmap: HexMap, a: int, d: int, n: int) -> list[int]:
    """Up to n cells in direction d, a the first of them, stopping where the map ends."""
    cells: list[int] = []
    if not (hexmap.has(a) and is_direction(d)):
        return cells
    cell = a
    while cell != NONE and len(cells) < n:
        cells.append(cell)
        cell = hexmap.neighbours[cell][d]
    return cells


def within(hexmap: HexMap, a: int, n: int) -> list[int]:
    """All cells at distance n or less from a, a itself among them, in index order."""
    if not hexmap.has(a) or n < 0:
        return []
    aq, ar = hexmap.coordinates[a]
    return [cell for cell, (q, r) in enumerate(hexmap.coordinates) if axial_distance(q - aq, r - ar) <= n]
