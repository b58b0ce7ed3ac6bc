"""Borders of areas on paper: who touches whom, whose border is closed because the rules know no way across it."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterator

from grognard.drawing.geography import box
from grognard.drawing.shapes import Cell, Sheet
from grognard.drawing.svg import Point

#: Samples across the map by which contacts are found.
SAMPLES = 220
#: So many samples side by side are a border; fewer, a corner.
BORDER = 2

#: Two places -> where they touch.
Contacts = dict[tuple[int, int], list[Point]]


def contacts(sheet: Sheet) -> Contacts:
    """Which places touch, the smaller number first, and where, by samples."""
    step = sheet.width / SAMPLES
    rows = _sampled(sheet, step)
    found: Contacts = defaultdict(list)
    for line, row in enumerate(rows):
        for column, here in enumerate(row):
            left = row[column - 1] if column else here
            above = rows[line - 1][column] if line else here
            for other, x, y in ((left, column, line + 0.5), (above, column + 0.5, line)):
                if here != other and here >= 0 and other >= 0:
                    found[min(here, other), max(here, other)].append((x * step, y * step))
    return dict(found)


def closed_borders(sheet: Sheet, touching: Contacts, neighbours: set[tuple[int, int]]) -> None:
    """Notes who touches without being a neighbour, and the pieces of outlines where they do."""
    step = sheet.width / SAMPLES
    for (a, b), where in touching.items():
        if (a, b) in neighbours or len(where) < BORDER:
            continue
        sheet.closed.append((a, b))
        # Of land and sea the coast, which is the land's outline; else either.
        cell = min((sheet.cells[a], sheet.cells[b]), key=_area)
        for p, q in _pieces(cell, step):
            x, y = (p[0] + q[0]) / 2, (p[1] + q[1]) / 2
            if any(abs(x - u) < 0.75 * step and abs(y - v) < 0.75 * step for u, v in where):
                sheet.barriers.append((p, q))


def _area(cell: Cell) -> float:
    left, top, right, bottom = box([point for ring in (cell.polygon, *cell.rings) for point in ring])
    return (right - left) * (bottom - top)


def _pieces(cell: Cell, most: float) -> Iterator[tuple[Point, Point]]:
    """The outlines in pieces that are no longer than a sample is wide."""
    for ring in (cell.polygon, *cell.rings):
        ax, ay = ring[-1]
        for bx, by in ring:
            count = max(1, math.ceil(math.hypot(bx - ax, by - ay) / most))
            for n in range(count):
                yield (
                    (ax + (bx - ax) * n / count, ay + (by - ay) * n / count),
                    (ax + (bx - ax) * (n + 1) / count, ay + (by - ay) * (n + 1) / count),
                )
            ax, ay = bx, by


def _sampled(sheet: Sheet, step: float) -> list[list[int]]:
    """Line by line, which place lies at each sample; -1 none."""
    boxes = [box([point for ring in (cell.polygon, *cell.rings) for point in ring]) for cell in sheet.cells]
    rows: list[list[int]] = []
    for line in range(int(sheet.height / step)):
        y = (line + 0.5) * step
        row = [-1] * SAMPLES
        for n, (_, top, _, bottom) in enumerate(boxes):
            if not top <= y <= bottom:
                continue
            crossings = _crossings(sheet.cells[n], y)
            for left, right in zip(crossings[::2], crossings[1::2]):
                first, after = math.ceil(left / step - 0.5), math.ceil(right / step - 0.5)
                for column in range(max(0, first), min(SAMPLES, after)):
                    row[column] = n
        rows.append(row)
    return rows


def _crossings(cell: Cell, y: float) -> list[float]:
    """Where the outlines of a place cross a line, from left to right: it lies between the first and the second, and so on."""
    found = []
    for ring in (cell.polygon, *cell.rings):
        ax, ay = ring[-1]
        for bx, by in ring:
            if (ay > y) != (by > y):
                found.append((bx - ax) * (y - ay) / (by - ay) + ax)
            ax, ay = bx, by
    found.sort()
    return found
