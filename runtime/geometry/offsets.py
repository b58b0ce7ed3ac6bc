"""Offset layouts: maps printed as straight columns and rows, every second one shoved by half a hex.

Columns and rows count from 0 here; what is printed in the hex is the business of `numbering`.
In "odd-q" the odd columns of a flat-top map lie half a hex lower, in "even-q" the even ones;
in "odd-r" the odd rows of a pointy-top map lie half a hex to the right, in "even-r" the even ones.
"""

from __future__ import annotations

from typing import Final, Literal

from .common import GeometryError
from .directions import Axial, Orientation

Layout = Literal["odd-q", "even-q", "odd-r", "even-r"]

LAYOUTS: Final[tuple[Layout, ...]] = ("odd-q", "even-q", "odd-r", "even-r")


def check_layout(layout: str) -> Layout:
    """The same word, if it names an offset layout."""
    for known in LAYOUTS:
        if layout == known:
            return known
    raise GeometryError(f"unknown offset layout {layout!r}: expected one of {', '.join(LAYOUTS)}")


def layout_orientation(layout: Layout) -> Orientation:
    return "flat" if layout in ("odd-q", "even-q") else "pointy"


def _shift(layout: Layout, line: int) -> int:
    """How far the start of column (or row) `line` has drifted from the axial axis."""
    parity = line & 1
    return (line - parity) // 2 if layout in ("odd-q", "odd-r") else (line + parity) // 2


def offset_to_axial(layout: Layout, column: int, row: int) -> Axial:
    if layout_orientation(layout) == "flat":
        return column, row - _shift(layout, column)
    return column - _shift(layout, row), row


def axial_to_offset(layout: Layout, q: int, r: int) -> tuple[int, int]:
    """(column, row) of an axial position."""
    if layout_orientation(layout) == "flat":
        return q, r + _shift(layout, q)
    return q + _shift(layout, r), r
