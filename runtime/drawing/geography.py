"""Areas on real geography: the coast, cut by the centres of the areas.

Land belongs to the area on land whose centre is nearest, sea to the nearest area at sea; an area may have several centres.  The
projection looks at the earth from above the middle of the map and draws the far parts together, so that the crowded middle has
room.  Plane geometry on floats: nothing of the rules depends on it."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Sequence
from functools import lru_cache
from pathlib import Path

from grognard.drawing.svg import Point

Ring = list[Point]
#: Width of a map in units of drawings.
WIDTH = 2200.0
#: Angle from the middle beyond which the coast is not followed.
HORIZON = 128.0


@lru_cache(maxsize=1)
def coast() -> tuple[tuple[Point, ...], ...]:
    """Rings of the coast in longitude and latitude."""
    data = json.loads(Path(__file__).with_name("coast.json").read_text("utf-8"))
    rings = []
    for flat in data["rings"]:
        x = y = 0
        points = []
        for dx, dy in zip(flat[::2], flat[1::2]):
            x, y = x + dx, y + dy
            points.append((x / 100, y / 100))
        rings.append(tuple(points))
    return tuple(rings)


def projection(middle: Point, zoom: float) -> Callable[[Point], Point]:
    """Longitude and latitude to the plane, north up at the middle; `zoom` degrees from it the scale is half."""
    lon0, lat0 = math.radians(middle[0]), math.radians(middle[1])

    def project(point: Point) -> Point:
        lon, lat = math.radians(point[0]) - lon0, math.radians(point[1])
        cosine = math.sin(lat0) * math.sin(lat) + math.cos(lat0) * math.cos(lat) * math.cos(lon)
        far = math.degrees(math.acos(max(-1.0, min(1.0, cosine))))
        x = math.cos(lat) * math.sin(lon)
        y = math.cos(lat0) * math.sin(lat) - math.sin(lat0) * math.cos(lat) * math.cos(lon)
        length = math.hypot(x, y) or 1.0
        r = zoom * math.log1p(min(far, HORIZON) / zoom)
        return x / length * r, -y / length * r

    return project


def cells(seeds: Sequence[Point], frame: Ring) -> list[Ring]:
    """The convex cell around each point: nearer to it than to any other."""
    found = []
    for a in seeds:
        ring = frame
        # Near ones first: most far ones then cut nothing off.
        for b in sorted(seeds, key=lambda p: (p[0] - a[0]) ** 2 + (p[1] - a[1]) ** 2)[1:60]:
            ring = clipped(ring, a, b)
        found.append(ring)
    return found


def clipped(ring: Ring, a: Point, b: Point) -> Ring:
    """The part of a ring that is nearer to a than to b."""
    mx, my, nx, ny = (a[0] + b[0]) / 2, (a[1] + b[1]) / 2, b[0] - a[0], b[1] - a[1]
    sides = [(x - mx) * nx + (y - my) * ny for x, y in ring]
    if all(side <= 0 for side in sides):
        return ring
    made: Ring = []
    for n, (x, y) in enumerate(ring):
        before, here = sides[n - 1], sides[n]
        if (before > 0) != (here > 0):
            px, py = ring[n - 1]
            t = before / (before - here)
            made.append((px + t * (x - px), py + t * (y - py)))
        if here <= 0:
            made.append((x, y))
    return made


def within(ring: Ring, convex: Ring) -> Ring:
    """The part of any ring inside a convex one, whose corners go round clockwise on paper."""
    for n, b in enumerate(convex):
        a = convex[n - 1]
        if not ring:
            return ring
        # The half plane to the right of the way from a to b.
        nx, ny = b[1] - a[1], a[0] - b[0]
        sides = [(x - a[0]) * nx + (y - a[1]) * ny for x, y in ring]
        if all(side <= 0 for side in sides):
            continue
        made: Ring = []
        for k, (x, y) in enumerate(ring):
            before, here = sides[k - 1], sides[k]
            if (before > 0) != (here > 0):
                px, py = ring[k - 1]
                t = before / (before - here)
                made.append((px + t * (x - px), py + t * (y - py)))
            if here <= 0:
                made.append((x, y))
        ring = made
    return ring


def box(ring: Ring) -> tuple[float, float, float, float]:
    xs, ys = [x for x, _ in ring], [y for _, y in ring]
    return min(xs), min(ys), max(xs), max(ys)


def land_in(cell: Ring, rings: Sequence[tuple[Ring, tuple[float, float, float, float]]]) -> list[Ring]:
    left, top, right, bottom = box(cell)
    found = []
    for ring, (west, north, east, south) in rings:
        if west < right and east > left and north < bottom and south > top:
            part = within(ring, cell)
            if len(part) > 2 and size(part) > 3:
                found.append(part)
    return found


def size(ring: Ring) -> float:
    return abs(sum(a[0] * b[1] - b[0] * a[1] for a, b in zip(ring, ring[1:] + ring[:1]))) / 2


def inside(ring: Ring, x: float, y: float) -> bool:
    odd = False
    for n, (bx, by) in enumerate(ring):
        ax, ay = ring[n - 1]
        if (ay > y) != (by > y) and x < (bx - ax) * (y - ay) / (by - ay) + ax:
            odd = not odd
    return odd
