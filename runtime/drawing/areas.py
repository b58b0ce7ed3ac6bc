"""Maps of areas: boxes joined by lines, or a real coast cut by the centres of the areas."""

from __future__ import annotations

from grognard.drawing.look import Look
from grognard.drawing.scene import Source, Space
from grognard.drawing.shapes import Sheet
from grognard.drawing.svg import element, group, line_path, polygon_path, text_node

FONT = "system-ui, sans-serif"


def geographic_sheet(space: Space, look: Look) -> Sheet | None:
    """The areas on real geography, where the look file gives their centres."""
    return None


def area_layers(space: Space, sheet: Sheet, look: Look, source: Source) -> list[str]:
    lines = "".join(
        line_path(((sheet.cells[a].x, sheet.cells[a].y), (sheet.cells[b].x, sheet.cells[b].y)))
        for a, b in sheet.connectors
    )
    parts = []
    if lines:
        parts.append(
            group("edges", [element("path", d=lines, stroke="#7a8aa0", stroke_width=4, fill="none")])
        )
    by_style: dict[str, list[str]] = {}
    order = {name: index for index, (name, _) in enumerate(space.grounds)}
    titles = dict(space.grounds)
    for place, cell in zip(space.places, sheet.cells):
        words = place.sort.lower() + " " + titles.get(place.ground, "")
        style = look.ground(place.ground or place.sort, words, order.get(place.ground, 1))
        by_style.setdefault(style.colour, []).append(polygon_path(cell.polygon))
    boxes = [
        element(
            "path", d="".join(paths), fill=colour, stroke="#4a4a42", stroke_width=2, stroke_linejoin="round"
        )
        for colour, paths in by_style.items()
    ]
    parts.append(group("terrain", boxes))
    names = []
    for place, cell in zip(space.places, sheet.cells):
        top = min(y for _, y in cell.polygon)
        names.append(text_node(place.title[:26], cell.x, top + 14, 11, text_anchor="middle"))
    parts.append(group("names", names, font_family=FONT, fill="#2b2a26"))
    return parts
