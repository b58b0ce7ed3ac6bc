"""A grid of places with what each of them has, and what lies between neighbours."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property

from grognard.errors import GrognardError
from grognard.geometry.directions import Orientation
from grognard.geometry.numbering import Numbering, Place
from grognard.geometry.offsets import Layout, layout_orientation, offset_to_axial

#: Column and row, from 0.
Cell = tuple[int, int]
Point = tuple[float, float]

#: Pixels of a tile: the side of a hex, its width and height with a flat top; the side of a square.
SIDE, WIDE, HIGH = 40, 80, 70
SQUARE = 64

#: The layer that says no more than that there is a place.
PLACE = "place"


class TiledError(GrognardError):
    """A map that cannot be written for Tiled, or that does not come from there."""


@dataclass(slots=True)
class Border:
    a: Cell
    b: Cell
    field: str
    value: str


@dataclass
class Board:
    """`layout` is None for squares."""

    name: str
    columns: int
    rows: int
    layout: Layout | None
    numbering: str
    first: tuple[int, int] = (1, 1)
    first_row: str = "top"
    #: what each place has, as an author writes it; places that are missing are not on the map
    cells: dict[Cell, dict[str, str]] = field(default_factory=dict)
    borders: list[Border] = field(default_factory=list)

    @property
    def orientation(self) -> Orientation:
        return layout_orientation(self.layout) if self.layout is not None else "flat"

    @cached_property
    def _numbers(self) -> Numbering:
        column, row = self.first
        if self.first_row == "bottom":
            return Numbering(self.numbering, column, row + self.rows - 1, 1, -1)
        return Numbering(self.numbering, column, row)

    def number(self, cell: Cell) -> str:
        """What is printed in a place."""
        return self._numbers.print(Place(*cell))

    # ---- where places lie, in Tiled's pixels

    def tile_size(self) -> tuple[int, int]:
        if self.layout is None:
            return SQUARE, SQUARE
        return (WIDE, HIGH) if self.orientation == "flat" else (HIGH, WIDE)

    def centre(self, cell: Cell) -> Point:
        column, row = cell
        if self.layout is None:
            return (column + 0.5) * SQUARE, (row + 0.5) * SQUARE
        odd = self.layout.startswith("odd")
        if self.orientation == "flat":
            shoved = (column & 1) == odd
            return column * (WIDE + SIDE) / 2 + WIDE / 2, row * HIGH + HIGH / 2 + shoved * HIGH / 2
        shoved = (row & 1) == odd
        return column * HIGH + HIGH / 2 + shoved * HIGH / 2, row * (WIDE + SIDE) / 2 + WIDE / 2

    def around(self, cell: Cell) -> Iterator[Cell]:
        """The neighbours of a place that are on the map."""
        column, row = cell
        near = [(column + dc, row + dr) for dc in (-1, 0, 1) for dr in (-1, 0, 1) if dc or dr]
        if self.layout is None:
            near = [other for other in near if abs(other[0] - column) + abs(other[1] - row) == 1]
        else:
            q, r = offset_to_axial(self.layout, column, row)
            near = [
                other
                for other in near
                if (d := offset_to_axial(self.layout, *other))
                and max(abs(d[0] - q), abs(d[1] - r), abs(d[0] + d[1] - q - r)) == 1
            ]
        return (other for other in near if other in self.cells)

    def side(self, a: Cell, b: Cell) -> tuple[Point, Point]:
        """The ends of the border of two neighbours."""
        (ax, ay), (bx, by) = self.centre(a), self.centre(b)
        x, y, dx, dy = (ax + bx) / 2, (ay + by) / 2, bx - ax, by - ay
        long = SQUARE if self.layout is None else SIDE
        scale = long / 2 / math.hypot(dx, dy)
        return (x - dy * scale, y + dx * scale), (x + dy * scale, y - dx * scale)

    @cached_property
    def middles(self) -> dict[tuple[Cell, Cell], Point]:
        """The middle of each border."""
        found = {}
        for a in self.cells:
            for b in self.around(a):
                if a < b:
                    (ax, ay), (bx, by) = self.centre(a), self.centre(b)
                    found[a, b] = (ax + bx) / 2, (ay + by) / 2
        return found

    @cached_property
    def _buckets(self) -> dict[tuple[int, int], list[tuple[tuple[Cell, Cell], Point]]]:
        found: dict[tuple[int, int], list[tuple[tuple[Cell, Cell], Point]]] = {}
        for pair, (x, y) in self.middles.items():
            found.setdefault((int(x // WIDE), int(y // WIDE)), []).append((pair, (x, y)))
        return found

    def border_at(self, point: Point) -> tuple[Cell, Cell] | None:
        """The border whose middle is nearest to a point; None if none is near."""
        x, y = int(point[0] // WIDE), int(point[1] // WIDE)
        near = [
            one for dx in (-1, 0, 1) for dy in (-1, 0, 1) for one in self._buckets.get((x + dx, y + dy), ())
        ]
        best = min(near, key=lambda one: math.dist(one[1], point), default=None)
        return best[0] if best is not None and math.dist(best[1], point) < 0.4 * SIDE else None

    def nearest(self, point: Point) -> str:
        """The number of the place nearest to a point, for messages."""
        cell = min(self.cells, key=lambda one: math.dist(self.centre(one), point), default=None)
        return self.number(cell) if cell is not None else "nothing"
