"""Makes coast.json from Natural Earth's land at 1:50 million, as the npm package `world-atlas` packs it (land-50m.json).

Natural Earth is in the public domain (naturalearthdata.com, "Terms of Use"); world-atlas is under ISC.  The result is our own, much
simplified: rings of longitude and latitude in hundredths of a degree, each point as the difference from the one before.

    python -m grognard.drawing.make_coast node_modules/world-atlas/land-50m.json runtime/drawing/coast.json
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from grognard.drawing.svg import Point

#: Where islands crowd, more is kept: west, south, east, north; everywhere else less.
FINE = (-25.0, 30.0, 45.0, 72.0)
FINE_STEP, COARSE_STEP = 0.09, 0.45
FINE_AREA, COARSE_AREA = 0.12, 4.0


def rings_of(topology: dict[str, Any]) -> list[list[Point]]:
    """The rings of a TopoJSON file in degrees."""
    sx, sy = topology["transform"]["scale"]
    tx, ty = topology["transform"]["translate"]
    arcs: list[list[Point]] = []
    for arc in topology["arcs"]:
        x = y = 0
        points = []
        for dx, dy in arc:
            x, y = x + dx, y + dy
            points.append((x * sx + tx, y * sy + ty))
        arcs.append(points)
    rings = []
    for geometry in topology["objects"]["land"]["geometries"]:
        polygons = geometry["arcs"] if geometry["type"] == "MultiPolygon" else [geometry["arcs"]]
        for polygon in polygons:
            for ring in polygon:
                points = []
                for number in ring:
                    part = arcs[number] if number >= 0 else arcs[~number][::-1]
                    points += part[1:] if points else part
                rings.append(points)
    return rings


def simplified(points: list[Point]) -> list[Point]:
    """Douglas and Peucker's way, finer where islands crowd."""
    if len(points) < 5:
        return points
    keep = [False] * len(points)
    keep[0] = keep[-1] = True
    # A closed ring has no two ends: it is cut where it is farthest from its start.
    far = max(range(len(points)), key=lambda n: _apart(points[0], points[n]))
    keep[far] = True
    stack = [(0, far), (far, len(points) - 1)]
    while stack:
        first, last = stack.pop()
        worst, most = -1, 0.0
        for n in range(first + 1, last):
            off = _off(points[n], points[first], points[last]) / (
                FINE_STEP if _fine(points[n]) else COARSE_STEP
            )
            if off > most:
                worst, most = n, off
        if most > 1:
            keep[worst] = True
            stack += [(first, worst), (worst, last)]
    return [point for point, kept in zip(points, keep) if kept]


def _fine(point: Point) -> bool:
    return FINE[0] < point[0] < FINE[2] and FINE[1] < point[1] < FINE[3]


def _apart(a: Point, b: Point) -> float:
    return (a[0] - b[0]) ** 2 + (a[1] - b[1]) ** 2


def _off(p: Point, a: Point, b: Point) -> float:
    dx, dy = b[0] - a[0], b[1] - a[1]
    length = dx * dx + dy * dy
    t = 0.0 if length == 0 else max(0.0, min(1.0, ((p[0] - a[0]) * dx + (p[1] - a[1]) * dy) / length))
    return float(_apart(p, (a[0] + t * dx, a[1] + t * dy)) ** 0.5)


def area(ring: list[Point]) -> float:
    return abs(sum(a[0] * b[1] - b[0] * a[1] for a, b in zip(ring, ring[1:] + ring[:1]))) / 2


def main(source: str, target: str) -> None:
    kept = []
    for ring in rings_of(json.loads(Path(source).read_text("utf-8"))):
        if max(y for _, y in ring) < -60 or area(ring) < (FINE_AREA if _fine(ring[0]) else COARSE_AREA):
            continue
        flat: list[int] = []
        x = y = 0
        for lon, lat in simplified(ring):
            nx, ny = round(lon * 100), round(lat * 100)
            flat += [nx - x, ny - y]
            x, y = nx, ny
        if len(flat) >= 8:
            kept.append(flat)
    text = json.dumps(
        {"source": "Natural Earth 1:50m land (public domain), simplified by make_coast.py", "rings": kept},
        separators=(",", ":"),
    )
    Path(target).write_text(text + "\n", "utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:3])
