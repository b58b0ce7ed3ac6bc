"""Places painted over a map: what is seen, what can be reached, where a rule holds."""

from __future__ import annotations

from collections.abc import Mapping
from html import escape
from typing import TYPE_CHECKING

from grognard.drawing.board import drawn_spaces
from grognard.drawing.shapes import Cell
from grognard.drawing.svg import element, group, polygon_path, text_node

if TYPE_CHECKING:
    from grognard.play.engine import Engine

#: Over places that are not seen; over those that a rule speaks of; around the one that it is asked from.
DARK, WARM, MARKED = "#1b1d2a", "#d9541e", "#c01818"


def veil(engine: Engine, scenario: str | None, hidden: Mapping[str, str], origin: str) -> str:
    """Places that are not seen, each with its reason as a tooltip."""
    parts = []
    for name, cell in _cells(engine, scenario).items():
        if name in hidden:
            tip = element("title", escape(hidden[name]))
            parts.append(element("path", tip, d=polygon_path(cell.polygon), fill=DARK, fill_opacity="0.5"))
    return group("painted", [*parts, _mark(engine, scenario, origin)])


def wash(
    engine: Engine, scenario: str | None, values: Mapping[str, int], origin: str | None, numbers: bool
) -> str:
    """Places that a rule speaks of, with its numbers if they say something."""
    parts = []
    cells = _cells(engine, scenario)
    for name, value in values.items():
        if name in cells:
            cell = cells[name]
            parts.append(
                element(
                    "path",
                    d=polygon_path(cell.polygon),
                    fill=WARM,
                    fill_opacity="0.36",
                    stroke=WARM,
                    stroke_width=1,
                )
            )
            if numbers:
                parts.append(
                    text_node(str(value), cell.x, cell.y + 6, 17, text_anchor="middle", font_weight="bold", fill="#3a0d00",
                              stroke="#fff4e8", stroke_width=2.5, paint_order="stroke")
                )  # fmt: skip
    return group("painted", [*parts, _mark(engine, scenario, origin) if origin is not None else ""])


def changed(engine: Engine, scenario: str | None, places: Mapping[str, str]) -> str:
    """Places that differ, each with what differs as a tooltip."""
    cells = _cells(engine, scenario)
    parts = [
        element("path", element("title", escape(what)), d=polygon_path(cells[name].polygon), fill=WARM,
                fill_opacity="0.3", stroke=MARKED, stroke_width=3)
        for name, what in places.items()
        if name in cells
    ]  # fmt: skip
    return group("painted", parts)


def _cells(engine: Engine, scenario: str | None) -> dict[str, Cell]:
    return {
        place.name: cell
        for space, sheet in drawn_spaces(engine, scenario)
        for place, cell in zip(space.places, sheet.cells)
    }


def _mark(engine: Engine, scenario: str | None, place: str) -> str:
    cell = _cells(engine, scenario).get(place)
    if cell is None:
        return ""
    return element("path", d=polygon_path(cell.polygon), fill="none", stroke=MARKED, stroke_width=4)
