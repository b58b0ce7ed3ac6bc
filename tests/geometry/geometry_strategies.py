"""What the property tests draw from: ragged maps, displacements, blocking hexes."""

from __future__ import annotations

from typing import NamedTuple

from grognard.geometry import LAYOUTS, NONE, ORIENTATIONS, HexMap, offset_to_axial
from hypothesis import strategies as st

orientations = st.sampled_from(ORIENTATIONS)
layouts = st.sampled_from(LAYOUTS)
directions = st.integers(0, 5)


@st.composite
def ragged_maps(draw: st.DrawFn, side: int = 9) -> HexMap:
    """A rectangle somewhere on the plane with holes, its cells numbered in any order."""
    layout = draw(layouts)
    columns, rows = draw(st.integers(1, side)), draw(st.integers(1, side))
    left, top = draw(st.integers(-20, 20)), draw(st.integers(-20, 20))
    places = [(left + column, top + row) for column in range(columns) for row in range(rows)]
    holes = draw(st.sets(st.sampled_from(places), max_size=len(places) - 1))
    cells = [offset_to_axial(layout, *place) for place in places if place not in holes]
    if draw(st.booleans()):
        cells = draw(st.permutations(cells))
    return HexMap.from_axial("flat" if layout in ("odd-q", "even-q") else "pointy", cells)


class Asked(NamedTuple):
    """A map and two of its cells, or now and then no cell."""

    hexmap: HexMap
    a: int
    b: int


@st.composite
def asked(draw: st.DrawFn, nowhere: bool = True) -> Asked:
    hexmap = draw(ragged_maps())
    cells = st.integers(0, hexmap.n - 1)
    if nowhere:
        cells = st.one_of(cells, cells, cells, st.sampled_from([NONE, -1, hexmap.n]))
    return Asked(hexmap, draw(cells), draw(cells))
