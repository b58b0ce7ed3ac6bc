"""The hex map: numbered cells, their axial coordinates, printed names and neighbours.

A map need not be full: any set of axial positions will do, so ragged rims and holes are fine.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

from .common import NONE, GeometryError
from .directions import ORIENTATIONS, STEPS, Axial, Orientation, check_orientation
from .numbering import Numbering, Place
from .offsets import Layout, check_layout, layout_orientation, offset_to_axial


class MapArrays(NamedTuple):
    """A map as the flat int32 arrays which the C kernel's `grog_map` points at."""

    n: int
    orientation: int  # 0 flat, 1 pointy
    q: array[int]
    r: array[int]
    neighbours: array[int]  # 6 per cell
    qmin: int
    rmin: int
    width: int
    height: int
    grid: array[int]  # cell at (q, r): grid[(r - rmin) * width + (q - qmin)]


@dataclass(frozen=True)
class HexMap:
    """Cells 0..n-1 of a hex map; build one with `from_axial` or `rectangle`."""

    orientation: Orientation
    coordinates: tuple[Axial, ...]
    names: tuple[str, ...]
    index_by_name: Mapping[str, int] = field(hash=False)
    neighbours: tuple[tuple[int, ...], ...] = field(repr=False, compare=False)
    index_by_axial: Mapping[Axial, int] = field(repr=False, compare=False)

    @classmethod
    def from_axial(
        cls,
        orientation: str,
        coordinates: Iterable[Axial],
        names: Sequence[str] | None = None,
        aliases: Mapping[str, int] | None = None,
    ) -> HexMap:
        """A map of these cells, numbered in this order.

        Without names a cell is called "q,r".  Aliases are further names which also find a cell.
        """
        known = check_orientation(orientation)
        cells = tuple((q, r) for q, r in coordinates)
        index_by_axial = {cell: i for i, cell in enumerate(cells)}
        if len(index_by_axial) != len(cells):
            twice = next(cell for i, cell in enumerate(cells) if index_by_axial[cell] != i)
            raise GeometryError(f"two cells of the map lie at axial position {twice}")
        printed = tuple(f"{q},{r}" for q, r in cells) if names is None else tuple(names)
        if len(printed) != len(cells):
            raise GeometryError(f"{len(cells)} cells but {len(printed)} names")
        index_by_name: dict[str, int] = {}
        for name, index in [*((name, i) for i, name in enumerate(printed)), *(aliases or {}).items()]:
            if not 0 <= index < len(cells):
                raise GeometryError(f"name {name!r} is given to cell {index}, which does not exist")
            if index_by_name.setdefault(name, index) != index:
                raise GeometryError(f"two cells of the map are called {name!r}")
        neighbours = tuple(
            tuple(index_by_axial.get((q + dq, r + dr), NONE) for dq, dr in STEPS[known]) for q, r in cells
        )
        return cls(known, cells, printed, index_by_name, neighbours, index_by_axial)

    @classmethod
    def rectangle(
        cls,
        layout: Layout,
        columns: int,
        rows: int,
        numbering: Numbering | None = None,
        order: Literal["columns", "rows"] = "columns",
        absent: Iterable[tuple[int, int]] = (),
    ) -> HexMap:
        """A printed rectangle of columns and rows, less the (column, row) places that are absent.

        order "columns" numbers the cells down the first column, then down the second, and so on.
        """
        missing = set(absent)
        places = rectangle_places(columns, rows, order)
        present = [place for place in places if place not in missing]
        printer = numbering or Numbering("{col},{row}", 0, 0)
        return cls.from_axial(
            layout_orientation(check_layout(layout)),
            [offset_to_axial(layout, column, row) for column, row in present],
            [printer.print(Place(column, row)) for column, row in present],
        )

    @property
    def n(self) -> int:
        return len(self.coordinates)

    def __len__(self) -> int:
        return len(self.coordinates)

    def has(self, cell: int) -> bool:
        return 0 <= cell < len(self.coordinates)

    def at(self, q: int, r: int) -> int:
        """The cell at an axial position, NONE off the map."""
        return self.index_by_axial.get((q, r), NONE)

    def named(self, name: str) -> int:
        """The cell with this printed name; an unknown name is an error."""
        try:
            return self.index_by_name[name]
        except KeyError:
            raise GeometryError(f"no hex of the map is called {name!r}") from None

    def arrays(self) -> MapArrays:
        """The map for the C kernel."""
        qs = [q for q, _ in self.coordinates] or [0]
        rs = [r for _, r in self.coordinates] or [0]
        qmin, rmin = min(qs), min(rs)
        width, height = max(qs) - qmin + 1, max(rs) - rmin + 1
        grid = array("i", [NONE]) * (width * height)
        for index, (q, r) in enumerate(self.coordinates):
            grid[(r - rmin) * width + (q - qmin)] = index
        return MapArrays(
            n=self.n,
            orientation=ORIENTATIONS.index(self.orientation),
            q=array("i", qs),
            r=array("i", rs),
            neighbours=array("i", [cell for around in self.neighbours for cell in around]),
            qmin=qmin,
            rmin=rmin,
            width=width,
            height=height,
            grid=grid,
        )


def rectangle_places(
    columns: int, rows: int, order: Literal["columns", "rows"] = "columns"
) -> list[tuple[int, int]]:
    """All (column, row) of a rectangle in the order in which its cells are numbered."""
    if order == "columns":
        return [(column, row) for column in range(columns) for row in range(rows)]
    return [(column, row) for row in range(rows) for column in range(columns)]
