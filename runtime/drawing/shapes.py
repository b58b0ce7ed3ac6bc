"""Where places lie on paper: centres, outlines, borders."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

from grognard.drawing.scene import Space
from grognard.drawing.svg import Point

#: From the centre of a hex to its corners; half the side of a square.
HEX = 40.0
SQUARE = 32.0
BOX = (150.0, 96.0)
GAP = 34.0


@dataclass(slots=True)
class Cell:
    """A place on paper."""

    x: float
    y: float
    #: radius of a circle around the centre that is free for counters
    r: float
    polygon: list[Point]
    #: further outlines of the same place: islands; of a sea zone the land inside it
    rings: list[list[Point]] = field(default_factory=list)

    def move(self, dx: float, dy: float) -> None:
        self.x += dx
        self.y += dy
        self.polygon = [(x + dx, y + dy) for x, y in self.polygon]
        self.rings = [[(x + dx, y + dy) for x, y in ring] for ring in self.rings]


@dataclass(slots=True)
class Sheet:
    """The places of a space on paper, from (0, 0) to its size."""

    cells: list[Cell]
    width: float
    height: float
    #: lines between neighbours that no common border shows
    connectors: list[tuple[int, int]] = field(default_factory=list)
    #: common borders on paper that the rules do not know, as lines
    barriers: list[tuple[Point, Point]] = field(default_factory=list)
    #: places that touch on paper and are no neighbours by the rules: barriers lie between them
    closed: list[tuple[int, int]] = field(default_factory=list)
    #: whether places are cut out of a real coast
    coast: bool = False

    @staticmethod
    def of_boxes(cells: list[Cell], joined: list[tuple[int, int]]) -> Sheet:
        sheet = _fitted(cells)
        sheet.connectors = joined
        return sheet


def sheet_of(space: Space, wide: float = 0, high: float = 0) -> Sheet:
    """`wide`, `high`: the room that boxes should keep to, in one of the two directions."""
    if space.map.sort == "hexes":
        return _fitted([_hex(q, r, space.map.flat) for q, r in zip(space.map.q, space.map.r)])
    if space.map.sort == "squares":
        return _fitted([_square(q, r) for q, r in zip(space.map.q, space.map.r)])
    return _boxes(space, wide, high)


def _hex(q: int, r: int, flat: bool) -> Cell:
    """Corner v lies between directions v and v + 1, as in grognard.geometry."""
    if flat:
        x, y, first = 1.5 * HEX * q, math.sqrt(3) * HEX * (r + q / 2), -60
    else:
        x, y, first = math.sqrt(3) * HEX * (q + r / 2), 1.5 * HEX * r, -30
    corners = [math.radians(first + 60 * v) for v in range(6)]
    return Cell(x, y, HEX * 0.82, [(x + HEX * math.cos(a), y + HEX * math.sin(a)) for a in corners])


def _square(q: int, r: int) -> Cell:
    x, y = 2 * SQUARE * q, 2 * SQUARE * r
    ways = ((1, -1), (1, 1), (-1, 1), (-1, -1))
    return Cell(x, y, SQUARE * 0.85, [(x + dx * SQUARE, y + dy * SQUARE) for dx, dy in ways])


def _fitted(cells: list[Cell]) -> Sheet:
    """Moved so that the leftmost and topmost corners lie on the axes."""
    if not cells:
        return Sheet([], 0, 0)
    points = [point for cell in cells for point in cell.polygon]
    left, top = min(x for x, _ in points), min(y for _, y in points)
    for cell in cells:
        cell.move(-left, -top)
    return Sheet(cells, max(x for x, _ in points) - left, max(y for _, y in points) - top)


def box_cell(x: float, y: float, width: float = BOX[0], height: float = BOX[1]) -> Cell:
    w, h = width / 2, height / 2
    return Cell(x, y, h * 0.8, [(x + w, y - h), (x + w, y + h), (x - w, y + h), (x - w, y - h)])


def _boxes(space: Space, wide: float, high: float) -> Sheet:
    """Boxes in rows, neighbours near each other, joined by lines."""
    count = len(space.places)
    joined = [(a, b) for a, around in enumerate(space.neighbours) for b in around if a < b]
    across = max(2, math.ceil(math.sqrt(count * 1.6)))
    if wide:
        across = min(count, max(2, int((wide + GAP) // (BOX[0] + GAP))))
    elif high:
        across = math.ceil(count / max(1, int((high + GAP) // (BOX[1] + GAP))))
    if not high:
        return Sheet.of_boxes(_rows(space, across), joined)
    # As narrow as it can be where no line runs through a box that it does not belong to.
    tries = [_rows(space, number) for number in range(across, min(count, across + 3) + 1)]
    clear = next((cells for cells in tries if not _crossed(cells, joined)), tries[0])
    return Sheet.of_boxes(clear, joined)


def _rows(space: Space, across: int) -> list[Cell]:
    order = _near(space.neighbours)
    cells = [box_cell(0, 0) for _ in order]
    for slot, index in enumerate(order):
        line, column = divmod(slot, across)
        # Rows run to and fro, so that the end of one is beside the start of the next.
        column = across - 1 - column if line % 2 else column
        cells[index] = box_cell(column * (BOX[0] + GAP), line * (BOX[1] + GAP))
    return cells


def _crossed(cells: list[Cell], joined: list[tuple[int, int]]) -> bool:
    """Whether a line between two boxes runs through a third."""
    for a, b in joined:
        for step in range(1, 20):
            x = cells[a].x + (cells[b].x - cells[a].x) * step / 20
            y = cells[a].y + (cells[b].y - cells[a].y) * step / 20
            for index, cell in enumerate(cells):
                if index not in (a, b) and abs(x - cell.x) < BOX[0] / 2 and abs(y - cell.y) < BOX[1] / 2:
                    return True
    return False


def _near(neighbours: list[list[int]]) -> list[int]:
    """All places, each as soon as possible after its neighbours: from an end, along the map."""
    order: list[int] = []
    seen: set[int] = set()
    for start in sorted(range(len(neighbours)), key=lambda n: (len(neighbours[n]), n)):
        stack = [start]
        while stack:
            place = stack.pop()
            if place in seen:
                continue
            seen.add(place)
            order.append(place)
            stack += sorted(neighbours[place], key=lambda n: -len(neighbours[n]))
    return order


def common_border(a: Cell, b: Cell) -> tuple[Point, Point] | None:
    """The side that two outlines share."""
    mine = {(round(x), round(y)): (x, y) for x, y in a.polygon}
    shared = [mine[key] for key in ((round(x), round(y)) for x, y in b.polygon) if key in mine]
    return (shared[0], shared[1]) if len(shared) == 2 else None
