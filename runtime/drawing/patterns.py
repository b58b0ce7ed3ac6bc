"""Patterns of grounds, small enough to repeat."""

from __future__ import annotations

from grognard.drawing.svg import element

#: Name -> size of the tile, lines (path, colour, width), filled shapes (path, colour).
TILES: dict[str, tuple[float, tuple[tuple[str, str, float], ...], tuple[tuple[str, str], ...]]] = {
    # Crowns with the light from the upper left: a shadow, the crown, its lit half.
    "trees": (
        26,
        (),
        (
            (
                "M3 8a4.500 4.500 0 1 0 9 0a4.500 4.500 0 1 0-9 0zM15 5.500a4 4 0 1 0 8 0a4 4 0 1 0-8 0z"
                "M9 19a4.500 4.500 0 1 0 9 0a4.500 4.500 0 1 0-9 0zM18.500 15.500a3.500 3.500 0 1 0 7 0a3.500 3.500 0 1 0-7 0z"
                "M1 20.500a3.500 3.500 0 1 0 7 0a3.500 3.500 0 1 0-7 0z",
                "#3f6134",
            ),
            (
                "M2.500 7a4.200 4.200 0 1 0 8.400 0a4.200 4.200 0 1 0-8.400 0zM14.500 4.600a3.700 3.700 0 1 0 7.400 0a3.700 3.700 0 1 0-7.400 0z"
                "M8.500 18a4.200 4.200 0 1 0 8.400 0a4.200 4.200 0 1 0-8.400 0zM18 14.600a3.200 3.200 0 1 0 6.400 0a3.200 3.200 0 1 0-6.400 0z"
                "M.500 19.600a3.200 3.200 0 1 0 6.400 0a3.200 3.200 0 1 0-6.400 0z",
                "#648f4e",
            ),
            (
                "M3.600 6a1.900 1.900 0 1 0 3.800 0a1.900 1.900 0 1 0-3.800 0zM15.500 3.700a1.700 1.700 0 1 0 3.400 0a1.700 1.700 0 1 0-3.400 0z"
                "M9.600 17a1.900 1.900 0 1 0 3.800 0a1.900 1.900 0 1 0-3.800 0zM18.800 13.800a1.500 1.500 0 1 0 3 0a1.500 1.500 0 1 0-3 0z"
                "M1.300 18.800a1.500 1.500 0 1 0 3 0a1.500 1.500 0 1 0-3 0z",
                "#8ab46c",
            ),
        ),
    ),
    "grass": (
        58,
        (
            (
                "M8 12l1.500-3 1.500 3M40 9l1.200-2.500 1.200 2.500M25 33l1.500-3 1.500 3M49 44l1.200-2.500 1.200 2.500M6 50l1.200-2.500 1.200 2.500",
                "#b9b27f",
                0.9,
            ),
        ),
        (
            (
                "M20 16h1.300v1.300h-1.300zM33 22h1v1h-1zM52 25h1.300v1.300h-1.300zM14 40h1v1h-1zM36 52h1.300v1.300h-1.300zM3 28h1v1h-1z",
                "#c6bd8d",
            ),
        ),
    ),
    "marsh": (16, (("M2 6h5M4.500 6v-3M2.800 6l-1-2M6.200 6l1-2M9 13h5M11.500 13v-3", "#4f8a7c", 1),), ()),
    "waves": (20, (("M0 5q2.500-3 5 0t5 0M10 14q2.500-3 5 0t5 0", "#6ea5c7", 1.1),), ()),
    "dots": (12, (), (("M2 3h1.700v1.700h-1.700zM8 9h1.700v1.700h-1.700z", "#8a8a55"),)),
    "peaks": (
        26,
        (("M2 13l6-10 6 10M13 23l5-8 5 8", "#6f5334", 1),),
        (
            ("M8 3l6 10h-4.500zM18 15l5 8h-3.800z", "#8d6f4a"),
            ("M8 3l1.500 10h-7.500zM18 15l1.200 8h-6.200z", "#d9c5a0"),
        ),
    ),
    "rocks": (18, (("M2 6l3-3 3 3zM10 14l3-2 3 3-4 1z", "#8d7a5a", 1),), ()),
    # Roofs: the lit half and the other.
    "houses": (
        24,
        (("M2.500 4h8v6h-8zM14 13h7v8h-7zM15 3.500h6v5h-6zM3.500 15h6v6h-6z", "#5d3a30", 0.7),),
        (
            ("M2.500 4h8v3h-8zM14 13h3.500v8h-3.500zM15 3.500h6v2.500h-6zM3.500 15h3v6h-3z", "#c98d77"),
            ("M2.500 7h8v3h-8zM17.500 13h3.500v8h-3.500zM15 6h6v2.500h-6zM6.500 15h3v6h-3z", "#a5654f"),
        ),
    ),
    "rows": (10, (("M0 2.500h10M0 7.500h10", "#bda04a", 1),), ()),
    "bars": (10, (("M2.500 0v10M7.500 0v10", "#a59f8f", 1),), ()),
    "cross": (12, (("M0 0l12 12M12 0l-12 12", "#a59a78", 0.8),), ()),
}


#: What tells sides apart without their colours: shapes in a tile of SIDE_TILE, by the number of the side; the first has none.
SIDE_TILE = 6
SIDES = (
    "",
    "M0 0h6v2.600h-6z",
    "M0 6l6-6h-2.500l-3.500 3.500zM6 6v-2.500l-2.500 2.500z",
    "M3 1.200a1.900 1.900 0 1 1-.01 0z",
    "M0 0h3v3h-3zM3 3h3v3h-3z",
    "M2 0h2.200v6h-2.200z",
    "M0 2.200h6v1.600h-6zM2.200 0h1.600v6h-1.600z",
    "M0 0h6v6h-6z",
)


def side_fill(number: int) -> str:
    """What the strip of a side's counters is filled with."""
    return f"url(#side-{number % len(SIDES)})" if number % len(SIDES) else "none"


def side_defs() -> str:
    return "".join(
        element(
            "pattern",
            element("path", d=shapes, fill="#1a1a17"),
            id=f"side-{number}",
            width=SIDE_TILE,
            height=SIDE_TILE,
            patternUnits="userSpaceOnUse",
        )
        for number, shapes in enumerate(SIDES)
        if shapes
    )


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
