"""Where counters leave play, on the map as the table draws it: the darker, the more."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from grognard.drawing import board_svg, layout
from grognard.drawing.svg import element, group, polygon_path, text_node

if TYPE_CHECKING:
    from grognard.engine import Engine

COLOUR = "#c0281c"
INK = "#1d1b17"


def heat_map(engine: Engine, scenario: str, places: Mapping[str, int], games: int) -> str:
    """The maps of a scenario with the losses of each place, by its colour and as a number for a hundred games."""
    most = max(places.values(), default=1)
    parts: list[str] = []
    for space in layout(engine, scenario)["spaces"].values():
        for name, cell in space["cells"].items():
            count = places.get(name, 0)
            if not count:
                continue
            outlines = cell.get("rings") or [cell["polygon"]]
            path = "".join(polygon_path([(x, y) for x, y in ring]) for ring in outlines)
            # Areas are seen as large as their share: the root makes few and many both visible.
            strength = 0.12 + 0.68 * (count / most) ** 0.5
            parts.append(
                element(
                    "path",
                    element("title", f"{name}: {count}"),
                    d=path,
                    fill=COLOUR,
                    fill_opacity=f"{strength:.2f}",
                )
            )
            rate = 100 * count / max(games, 1)
            shown = f"{rate:.0f}" if rate >= 9.5 else f"{rate:.1f}"
            parts.append(
                text_node(
                    shown, cell["x"], cell["y"] + cell["r"] * 0.15, max(9.0, cell["r"] * 0.42),
                    text_anchor="middle", font_family="system-ui, sans-serif", font_weight="bold", fill=INK,
                    stroke="#ffffff", stroke_width=2.2, paint_order="stroke",
                )
            )  # fmt: skip
    picture = board_svg(engine, scenario)
    return picture.removesuffix("</svg>") + group("losses", parts) + "</svg>"
