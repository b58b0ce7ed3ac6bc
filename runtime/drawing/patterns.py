"""Patterns of grounds, small enough to repeat."""

from __future__ import annotations

from grognard.drawing.svg import element

#: Name -> size of the tile, lines (path, colour, width), filled shapes (path, colour).
TILES: dict[str, tuple[float, tuple[tuple[str, str, float], ...], tuple[tuple[str, str], ...]]] = {
    "trees": (
        18,
        (("M4.5 9v3M13.5 18v-3", "#5b4a2f", 1),),
        (("M4.5 1l3.6 8h-7.2zM13.5 7.500l3.6 8h-7.2z", "#5f8a4a"),),
    ),
    "marsh": (16, (("M2 6h5M4.500 6v-3M2.800 6l-1-2M6.200 6l1-2M9 13h5M11.500 13v-3", "#4f8a7c", 1),), ()),
    "waves": (20, (("M0 5q2.500-3 5 0t5 0M10 14q2.500-3 5 0t5 0", "#6ea5c7", 1.1),), ()),
    "dots": (12, (), (("M2 3h1.700v1.700h-1.700zM8 9h1.700v1.700h-1.700z", "#8a8a55"),)),
    "peaks": (22, (("M2 11l5-8 5 8M11 20l4-6 4 6", "#8a6a45", 1.2),), ()),
    "rocks": (18, (("M2 6l3-3 3 3zM10 14l3-2 3 3-4 1z", "#8d7a5a", 1),), ()),
    "houses": (18, (), (("M2 3h5v4h-5zM11 10h4v5h-4z", "#9a6a5e"),)),
    "rows": (10, (("M0 2.500h10M0 7.500h10", "#bda04a", 1),), ()),
    "bars": (10, (("M2.500 0v10M7.500 0v10", "#a59f8f", 1),), ()),
    "cross": (12, (("M0 0l12 12M12 0l-12 12", "#a59a78", 0.8),), ()),
}


def pattern_defs(names: list[str]) -> str:
    parts = []
    for name in dict.fromkeys(names):
        size, lines, shapes = TILES[name]
        inside = "".join(
            [
                *(element("path", d=d, fill=colour) for d, colour in shapes),
                *(
                    element("path", d=d, fill="none", stroke=colour, stroke_width=width)
                    for d, colour, width in lines
                ),
            ]
        )
        parts.append(
            element("pattern", inside, id=f"p-{name}", width=size, height=size, patternUnits="userSpaceOnUse")
        )
    return element("defs", "".join(parts)) if parts else ""
