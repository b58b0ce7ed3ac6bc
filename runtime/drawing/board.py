"""The static layers of a scenario's maps: one path for each kind of ground and of border, one text for all numbers."""

from __future__ import annotations

import math
import re
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from grognard.drawing.counters import counter_roles, first_counters, symbols
from grognard.drawing.look import GroundStyle, Look, look_of, overlays
from grognard.drawing.patterns import pattern_defs
from grognard.drawing.scene import Space, read_spaces, source_of
from grognard.drawing.shapes import HEX, Cell, Sheet, common_border, sheet_of
from grognard.drawing.states import state_layers
from grognard.drawing.svg import (
    Point,
    document,
    element,
    group,
    line_path,
    many_labels,
    number,
    polygon_path,
    text_node,
)

if TYPE_CHECKING:
    from grognard.play.engine import Engine

MARGIN = 16.0
HEADING = 34.0
#: Width by height of the room that a page has for the map.
SCREEN = 1.35
FONT = "system-ui, sans-serif"
INK = "#2b2a26"
_ATTACHED = "drawing"


class Drawn:
    """All spaces of a scenario on one sheet of paper."""

    def __init__(self, engine: Engine, scenario: str | None) -> None:
        self.source = source_of(engine, scenario)
        self.look = look_of(engine)
        self.spaces = read_spaces(self.source)
        self.sheets: list[Sheet] = []
        self.headings: list[tuple[str, float, float]] = []
        #: the corner that is free on the right and below of what is drawn
        wide, y = 0.0, MARGIN
        maps = [space for space in self.spaces if space.places and space.map.sort != "areas"]
        for space in self.spaces:
            if not space.places:
                self.sheets.append(Sheet([], 0, 0))
                continue
            # The only map needs no heading: it is what the boxes lie beside.
            head = HEADING if len(self.spaces) > 1 and [space] != maps else 0.0
            sheet = self._sheet(space, wide)
            x, top = MARGIN, y + head
            if space.map.sort == "areas" and not sheet.coast and wide:
                beside = sheet_of(space, high=y - 2 * MARGIN - head)
                right = wide + beside.width + 3 * MARGIN, max(y, beside.height + head + 2 * MARGIN)
                below = max(wide, sheet.width), y + head + sheet.height + MARGIN
                if _off_screen(*right) < _off_screen(*below):
                    sheet, x, top = beside, wide + 2 * MARGIN, MARGIN + head
            if head:
                self.headings.append((_words(space.name), x, top - 10))
            for cell in sheet.cells:
                cell.move(x, top)
            sheet.barriers = [((a[0] + x, a[1] + top), (b[0] + x, b[1] + top)) for a, b in sheet.barriers]
            wide, y = max(wide, x - MARGIN + sheet.width), max(y, top + sheet.height + MARGIN)
            self.sheets.append(sheet)
        self.width, self.height = wide + 2 * MARGIN, y

    def _sheet(self, space: Space, wide: float) -> Sheet:
        if space.map.sort == "areas":
            from grognard.drawing.areas import geographic_sheet

            drawn = geographic_sheet(space, self.look)
            if drawn is not None:
                return drawn
        return sheet_of(space, wide)


def _drawn(engine: Engine, scenario: str | None) -> Drawn:
    """Worked out once for a scenario; an engine of changed rules has settings of its own."""
    kept = engine.setting(scenario).attached
    made = kept.get(_ATTACHED)
    if made is None:
        made = kept[_ATTACHED] = Drawn(engine, scenario)
    assert isinstance(made, Drawn)
    return made


def board_svg(engine: Engine, scenario: str | None = None) -> str:
    """The maps of a scenario with everything that is printed on them."""
    drawn = _drawn(engine, scenario)
    return document(drawn.width, drawn.height, _layers(drawn), class_="board")


def drawn_spaces(engine: Engine, scenario: str | None = None) -> list[tuple[Space, Sheet]]:
    """The maps of a scenario with where their places lie."""
    drawn = _drawn(engine, scenario)
    return list(zip(drawn.spaces, drawn.sheets))


def draw_map(
    engine: Engine, scenario: str | None = None, painted: str = "", cells: Sequence[int] | None = None
) -> str:
    """The maps with counters on them, those of the first position or of these cells: a picture that stands alone.
    `painted`: a layer between."""
    drawn = _drawn(engine, scenario)
    source = drawn.source if cells is None else replace(drawn.source, cells=cells)
    colours = drawn.look.side_colours(source.seat_names())
    content = _layers(drawn) + state_layers(source, drawn.look, drawn.spaces, drawn.sheets, colours) + painted
    counters = first_counters(source, drawn.look, drawn.spaces, drawn.sheets)
    used = {name for counter in counters for name in re.findall(r'href="#([^"]+)"', counter)}
    content += element("defs", symbols(engine, drawn.look, only=used))
    content += group("counters", counters)
    return document(
        drawn.width, drawn.height, content, width=number(drawn.width), height=number(drawn.height)
    )


def layout(engine: Engine, scenario: str | None = None) -> dict[str, Any]:
    """Where everything lies, for who puts counters on the board: centres, outlines, neighbours, and the map in words."""
    drawn = _drawn(engine, scenario)
    spaces: dict[str, Any] = {}
    for space, sheet in zip(drawn.spaces, drawn.sheets):
        borders: dict[tuple[int, int], list[str]] = defaultdict(list)
        for edge in space.edges:
            borders[edge.a, edge.b].append(edge.title)
            borders[edge.b, edge.a].append(edge.title)
        cells: dict[str, Any] = {}
        for index, (place, cell) in enumerate(zip(space.places, sheet.cells)):
            entry: dict[str, Any] = {
                "x": round(cell.x, 1),
                "y": round(cell.y, 1),
                "r": round(cell.r, 1),
                "polygon": [_rounded(point) for point in cell.polygon],
                "neighbours": [space.places[other].name for other in space.neighbours[index]],
            }
            if cell.rings:
                entry["rings"] = [[_rounded(point) for point in ring] for ring in cell.rings]
            if place.title != place.name:
                entry["title"] = place.title
            if place.ground_title:
                entry["ground"] = place.ground_title
            if place.level:
                entry["level"] = place.level
            if place.marks:
                entry["marks"] = place.marks
            lies = {
                space.places[other].name: borders[index, other]
                for other in space.neighbours[index]
                if borders.get((index, other))
            }
            if lies:
                entry["borders"] = lies
            cells[place.name] = entry
        spaces[space.name] = {
            "shape": space.shape,
            "flat": space.map.flat,
            "classes": _classes(space),
            "cells": cells,
        }
    names = drawn.source.seat_names()
    return {
        "size": [round(drawn.width, 1), round(drawn.height, 1)],
        "spaces": spaces,
        "boxes": [],
        "tracks": [],
        "sides": drawn.look.side_colours(names),
        "names": {name: str(drawn.look.names[name]) for name in names if drawn.look.names.get(name)},
        "unshown": list(drawn.look.unshown),
        "pieces": counter_roles(drawn.source),
        "overlays": overlays(drawn.look, drawn.source.schema),
    }


def _classes(space: Space) -> list[str]:
    return list(dict.fromkeys(place.sort for place in space.places))


def _rounded(point: Point) -> list[float]:
    return [round(point[0], 1), round(point[1], 1)]


def _words(name: str) -> str:
    """`SeaBox` -> Sea box"""
    parted = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", " ", name.replace("_", " ")).lower()
    return parted[:1].upper() + parted[1:]


def _off_screen(width: float, height: float) -> float:
    """How far a sheet is from the shape of a screen."""
    return abs(math.log(width / height / SCREEN))


# ---------------------------------------------------------------------------------------------------- layers


def _layers(drawn: Drawn) -> str:
    parts = [
        element(
            "rect", width=number(drawn.width), height=number(drawn.height), fill="#f3eedb", class_="paper"
        ),
        element(
            "rect",
            x=4,
            y=4,
            width=number(drawn.width - 8),
            height=number(drawn.height - 8),
            rx=3,
            fill="none",
            stroke="#8a8266",
            stroke_width=1.5,
        ),
    ]
    for space, sheet in zip(drawn.spaces, drawn.sheets):
        if not sheet.cells:
            continue
        if space.map.sort == "areas":
            from grognard.drawing.areas import area_layers

            parts += area_layers(space, sheet, drawn.look, drawn.source)
            continue
        terrain, patterns = _terrain(space, sheet, drawn.look)
        parts.append(pattern_defs(patterns))
        parts.append(group("terrain", terrain))
        parts.append(group("elevation", _elevation(space, sheet)))
        parts.append(group("grid", [_grid(sheet)]))
        on_sides, through = _edges(space, sheet, drawn.look)
        parts.append(group("edges", on_sides, fill="none", stroke_linecap="round"))
        parts.append(group("roads", through, fill="none", stroke_linecap="round", stroke_linejoin="round"))
        parts.append(group("labels", _labels(space, sheet), font_family="ui-monospace, monospace", fill=INK))
    names = [
        text_node(words, x, y, 20, font_family=FONT, font_weight="bold", fill=INK)
        for words, x, y in drawn.headings
    ]
    parts.append(group("names", names))
    return "".join(parts)


def _terrain(space: Space, sheet: Sheet, look: Look) -> tuple[list[str], list[str]]:
    by_ground: dict[str, list[Cell]] = defaultdict(list)
    for place, cell in zip(space.places, sheet.cells):
        by_ground[place.ground].append(cell)
    order = {name: index for index, (name, _) in enumerate(space.grounds)}
    titles = dict(space.grounds)
    parts: list[str] = []
    patterns: list[str] = []
    checked = space.map.sort == "squares" and set(by_ground) == {""}
    taken: Counter[GroundStyle] = Counter()
    for ground in sorted(by_ground, key=lambda name: order.get(name, -1)):
        style = look.ground(ground, titles.get(ground, ""), order.get(ground, 0))
        taken[style] += 1
        # Grounds that would look the same are told apart by how dark they are.
        style = style.darker(taken[style] - 1)
        outline = "".join(polygon_path(cell.polygon) for cell in by_ground[ground])
        parts.append(element("path", d=outline, fill=style.colour, data_ground=ground or None))
        for pattern in style.patterns:
            patterns.append(pattern)
            parts.append(element("path", d=outline, fill=f"url(#p-{pattern})"))
    if checked:
        dark = [cell for cell, q, r in zip(sheet.cells, space.map.q, space.map.r) if (q + r) % 2]
        parts.append(element("path", d="".join(polygon_path(c.polygon) for c in dark), fill="#d9cfa6"))
    return parts, patterns


def _elevation(space: Space, sheet: Sheet) -> list[str]:
    """Higher ground is darker and has a contour where it falls; lower ground is hatched by its own colour."""
    levels: dict[int, list[Cell]] = defaultdict(list)
    for place, cell in zip(space.places, sheet.cells):
        if place.level:
            levels[place.level].append(cell)
    parts = []
    for level in sorted(levels):
        outline = "".join(polygon_path(cell.polygon) for cell in levels[level])
        colour = "#8a5a2b" if level > 0 else "#3d5a3d"
        parts.append(
            element("path", d=outline, fill=colour, fill_opacity=f"{min(0.55, 0.13 * abs(level)):.2f}")
        )
    contour = ""
    for index, around in enumerate(space.neighbours):
        for other in around:
            if space.places[other].level < space.places[index].level:
                side = common_border(sheet.cells[index], sheet.cells[other])
                if side is not None:
                    contour += line_path(side)
    if contour:
        parts.append(
            element(
                "path", d=contour, fill="none", stroke="#7a4e22", stroke_width=2.2, stroke_linecap="round"
            )
        )
    return parts


def _grid(sheet: Sheet) -> str:
    outline = "".join(polygon_path(cell.polygon) for cell in sheet.cells)
    return element("path", d=outline, fill="none", stroke="#4f4a38", stroke_width=0.9, stroke_opacity="0.45")


def _bends(cell: Cell, ends: list[Point]) -> str:
    """A way through a place, from border to border in one bend; where it ends or forks, to the middle."""
    if len(ends) == 2:
        (x, y), (to_x, to_y) = ends
        return f"M{number(x)} {number(y)}Q{number(cell.x)} {number(cell.y)} {number(to_x)} {number(to_y)}"
    return "".join(line_path(((cell.x, cell.y), end)) for end in ends)


def _edges(space: Space, sheet: Sheet, look: Look) -> tuple[list[str], list[str]]:
    """What lies on hexsides, and what runs through them from centre to centre."""
    lines: dict[tuple[str, str], str] = defaultdict(str)
    titles: dict[tuple[str, str], str] = {}
    ways: dict[tuple[str, str], dict[int, list[Point]]] = defaultdict(lambda: defaultdict(list))
    for edge in space.edges:
        a, b = sheet.cells[edge.a], sheet.cells[edge.b]
        key = edge.column, edge.id
        titles[key] = edge.title
        if look.edge(*key).through:
            middle = (a.x + b.x) / 2, (a.y + b.y) / 2
            ways[key][edge.a].append(middle)
            ways[key][edge.b].append(middle)
        else:
            side = common_border(a, b)
            if side is not None:
                lines[key] += line_path(side)
    for key, cells in ways.items():
        lines[key] = "".join(_bends(sheet.cells[index], ends) for index, ends in cells.items())
    on_sides: list[str] = []
    casings: list[str] = []
    through: list[str] = []
    for key, path in sorted(lines.items(), key=lambda item: look.edge(*item[0]).width):
        style = look.edge(*key)
        drawn = element(
            "path",
            element("title", titles[key]),
            d=path,
            stroke=style.colour,
            stroke_width=style.width,
            stroke_dasharray=style.dashes or None,
            data_edge=key[1],
        )
        if style.through:
            if not style.dashes:
                casings.append(element("path", d=path, stroke="#5d4a30", stroke_width=style.width + 2.4))
            through.append(drawn)
        else:
            on_sides.append(drawn)
    return on_sides, casings + through


def _labels(space: Space, sheet: Sheet) -> list[str]:
    """Printed numbers at the upper rim of each place; levels and marks at the lower one."""
    hexes = space.map.sort == "hexes"
    numbers = [
        (place.title, cell.x, cell.y - (25 if space.map.flat else 24))
        if hexes
        else (place.title, cell.x - 21, cell.y - 21)
        for place, cell in zip(space.places, sheet.cells)
    ]
    halo = {"paint_order": "stroke", "stroke": "#f6f3e7", "stroke_width": 2, "stroke_opacity": "0.7"}
    parts = [many_labels(numbers, 8.5 if hexes else 9, fill_opacity="0.72", **halo)]
    heights = [
        (str(place.level), cell.x + HEX * 0.55, cell.y + 4)
        for place, cell in zip(space.places, sheet.cells)
        if place.level
    ]
    parts.append(many_labels(heights, 12, fill="#6b3f16", font_weight="bold", **halo))
    # What more than half of the map says, and figures, are in the words of the place only.
    common = Counter(flag for place in space.places for flag in place.flags)
    marks = []
    for place, cell in zip(space.places, sheet.cells):
        told = [flag for flag in place.flags if common[flag] * 2 <= len(space.places)]
        if told and hexes:
            marks.append((" ".join(told)[:14], cell.x, cell.y + 31))
    parts.append(many_labels(marks, 7.5, fill="#7c1f1f", font_weight="bold", **halo))
    return [part for part in parts if part]
