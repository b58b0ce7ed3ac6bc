"""The data block: every constant that the engine loads beside its code.

Rows of kinds, map data, table cells, named symbols and the names people read.  A changed cell changes the block,
never the code.  Both back ends read the same arrays.
"""

from __future__ import annotations

from array import array
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from grognard.contract.header import NONE

if TYPE_CHECKING:
    from grognard.contract.layout import Layout
    from grognard.contract.prepared_data import Prepared

#: A table is one array: [axes, offset of the cells, then for each axis lo, hi, flags, rows, offset of its map,
#: then the maps (one row number, or -1 for a gap, for each value lo..hi), then the cells in row-major order].
TABLE_HEAD = 2
AXIS_CELLS = 5
CLAMP_LOW = 1
CLAMP_HIGH = 2


@dataclass(frozen=True, slots=True)
class DomainData:
    base: int
    count: int
    names: tuple[str, ...]  # ids, as the author writes them
    titles: tuple[str, ...] = ()  # what people read; empty: as the ids

    def title(self, value: int) -> str:
        return (self.titles or self.names)[value - self.base]


@dataclass(frozen=True, slots=True)
class MapData:
    """A space: places base .. base + n - 1 of the place numbering, in local numbers here."""

    sort: Literal["hexes", "squares", "areas"]
    domain: int
    base: int
    n: int
    flat: bool = True
    q: tuple[int, ...] = ()
    r: tuple[int, ...] = ()
    #: hexes: six per hex, NONE off the map; local numbers
    neighbours: tuple[int, ...] = ()
    #: areas: adjacency lists, sorted; adjacent[start[i]:start[i + 1]]
    start: tuple[int, ...] = ()
    adjacent: tuple[int, ...] = ()
    #: edges: domain and first value, ends in local place numbers; edge number (local) per hexside / adjacency entry
    edge_domain: int = -1
    edge_base: int = 0
    edge_a: tuple[int, ...] = ()
    edge_b: tuple[int, ...] = ()
    side_edge: tuple[int, ...] = ()


@dataclass(slots=True)
class DataBlock:
    domains: list[DomainData] = field(default_factory=list)
    columns: list[array[int]] = field(default_factory=list)
    tables: list[array[int]] = field(default_factory=list)
    symbols: list[int] = field(default_factory=list)
    maps: list[MapData] = field(default_factory=list)
    #: classes of places: for each place of the numbering its innermost domain
    place_domain: array[int] = field(default_factory=lambda: array("i"))


@dataclass(slots=True)
class Scenario:
    """A game ready to start."""

    name: str
    title: str
    data: DataBlock
    layout: Layout
    cells: array[int]
    names: dict[str, int] = field(default_factory=dict)
    options: dict[str, str] = field(default_factory=dict)
    #: layout and data as compiled engines want them, where that is known already
    prepared: Prepared | None = field(default=None, repr=False, compare=False)


def pack_table(axes: list[tuple[int, int, int, list[int]]], rows: list[int], cells: list[int]) -> array[int]:
    """Build a table's array; an axis is (lo, hi, flags, map of hi - lo + 1 row numbers)."""
    head = TABLE_HEAD + AXIS_CELLS * len(axes)
    offset = head
    block: list[int] = [len(axes), 0]
    maps: list[int] = []
    for (lo, hi, flags, row_of), count in zip(axes, rows, strict=True):
        block += [lo, hi, flags, count, offset]
        maps += row_of
        offset += len(row_of)
    block[1] = offset
    return array("i", block + maps + cells)


def table_lookup(table: array[int], index: tuple[int, ...]) -> int | None:
    """The cell for these axis values, None outside the table (or in a gap)."""
    place = 0
    for axis, value in enumerate(index):
        lo, hi, flags, rows, offset = table[
            TABLE_HEAD + AXIS_CELLS * axis : TABLE_HEAD + AXIS_CELLS * (axis + 1)
        ]
        if value == NONE:
            return None
        if value < lo:
            if not flags & CLAMP_LOW:
                return None
            value = lo
        elif value > hi:
            if not flags & CLAMP_HIGH:
                return None
            value = hi
        row = table[offset + value - lo]
        if row < 0:
            return None
        place = place * rows + row
    return table[table[1] + place]
