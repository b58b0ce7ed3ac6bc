"""The content of a map file, before its places are numbered for the whole game; grids laid out."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING

from grognard.compiler.sema.types import Dom
from grognard.compiler.support.yamlfile import YNode
from grognard.contract.datablock import MapData
from grognard.contract.header import NONE
from grognard.geometry import HexMap, Numbering, Place, layout_orientation, offset_to_axial
from grognard.geometry import Layout as GridLayout
from grognard.support.source import Span

if TYPE_CHECKING:
    from grognard.compiler.data.values import Cells

SQUARE_STEPS = ((0, -1), (1, -1), (1, 0), (1, 1), (0, 1), (-1, 1), (-1, 0), (-1, -1))
MAX_SIDE = 500
MAP_KEYS = ("name", "about", "cite", "note")


@dataclass(slots=True)
class LoadedMap:
    """A space with its map: structure, constant columns, further names of places."""

    space: Dom
    data: MapData
    columns: Cells = field(default_factory=dict)
    place_domain: list[int] = field(default_factory=list)
    aliases: dict[str, int] = field(default_factory=dict)


@dataclass(slots=True)
class MapChoice:
    """Which map a space takes: a file, a node written out in the scenario, or (without a path) none."""

    space: Dom
    path: str
    span: Span | None
    node: YNode | None = None


#: fields of a place or an edge, by name, and where they are written
Row = dict[str, tuple[Span, YNode]]


@dataclass(slots=True)
class Sheet:
    """The content of a map file, before places are numbered for the whole game."""

    sort: str
    names: list[str] = field(default_factory=list)
    titles: list[str] = field(default_factory=list)
    spans: list[Span] = field(default_factory=list)
    rows: list[Row] = field(default_factory=list)
    classes: list[int] = field(default_factory=list)  # number of the class in its space
    aliases: dict[str, int] = field(default_factory=dict)
    flat: bool = True
    q: list[int] = field(default_factory=list)
    r: list[int] = field(default_factory=list)
    around: list[list[int]] = field(default_factory=list)
    edge_rows: dict[tuple[int, int], Row] = field(default_factory=dict)

    def index(self) -> dict[str, int]:
        return {**self.aliases, **{name: place for place, name in enumerate(self.names)}}


def grid_sheet(
    sort: str,
    layout: GridLayout,
    columns: int,
    rows: int,
    numbering: Numbering,
    absent: set[tuple[int, int]],
    board: str,
) -> Sheet:
    """The cells of a rectangle, column by column; raises GeometryError for a numbering that does not fit."""
    bare = _bare_grid(sort, layout, columns, rows, numbering, frozenset(absent), board)
    sheet = Sheet(sort, list(bare.names), list(bare.names), flat=bare.flat)
    sheet.q, sheet.r = list(bare.q), list(bare.r)
    sheet.around = [list(around) for around in bare.around]
    return sheet


# Editors look at a title after every key, and the grid is the same each time: some sixty by forty names and neighbours.
@lru_cache(maxsize=32)
def _bare_grid(
    sort: str,
    layout: GridLayout,
    columns: int,
    rows: int,
    numbering: Numbering,
    absent: frozenset[tuple[int, int]],
    board: str,
) -> Sheet:
    places = [(c, r) for c in range(columns) for r in range(rows) if (c, r) not in absent]
    names = [numbering.print(Place(c, r, board)) for c, r in places]
    sheet = Sheet(sort, names)
    if sort == "squares":
        at = {place: number for number, place in enumerate(places)}
        sheet.q, sheet.r = [c for c, _ in places], [r for _, r in places]
        sheet.around = [[at.get((c + dc, r + dr), NONE) for dc, dr in SQUARE_STEPS] for c, r in places]
        return sheet
    orientation = layout_orientation(layout)
    axial = [offset_to_axial(layout, c, r) for c, r in places]
    lay_hexes(sheet, HexMap.from_axial(orientation, axial, names))
    return sheet


def lay_hexes(sheet: Sheet, hexmap: HexMap) -> None:
    sheet.flat = hexmap.orientation == "flat"
    sheet.q = [q for q, _ in hexmap.coordinates]
    sheet.r = [r for _, r in hexmap.coordinates]
    sheet.around = [list(around) for around in hexmap.neighbours]
