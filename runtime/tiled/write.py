"""A board as a map of Tiled: a .tmj with a picture for each tile in a folder beside it."""

from __future__ import annotations

import json
import os
from collections import defaultdict
from pathlib import Path
from typing import Any

from grognard.drawing.look import Look
from grognard.drawing.svg import document, element, polygon_path, text_node
from grognard.tiled.board import HIGH, PLACE, SIDE, SQUARE, WIDE, Board, Border, Point

#: Colours of members that nothing else is known of.
OTHERS = ("#d8cfae", "#b9c99a", "#c9b18a", "#a9bfc9", "#c9a9a9", "#bdb3d1", "#a8c5b5", "#d3b98f")


def write_tiled(
    board: Board, target: Path, look: Look | None = None, through: frozenset[str] = frozenset()
) -> list[Path]:
    """Write `target` (.tmj) and its tiles; the files that were written.  `through`: fields of borders that run from place to
    place, as roads do; the others lie along the border."""
    look = look or Look()
    tiles = target.parent / f"{target.stem}-tiles"
    tiles.mkdir(parents=True, exist_ok=True)
    wide, high = board.tile_size()
    content: dict[str, Any] = {
        "type": "map", "version": "1.10", "tiledversion": "1.10.2", "infinite": False, "renderorder": "right-down",
        "orientation": "orthogonal" if board.layout is None else "hexagonal",
        "width": board.columns, "height": board.rows, "tilewidth": wide, "tileheight": high,
        "properties": _properties(
            {"name": board.name, "numbering": board.numbering, "first_column": board.first[0], "first_number": board.first[1], "first_row": board.first_row}
        ),
    }  # fmt: skip
    if board.layout is not None:
        content |= {
            "staggeraxis": "x" if board.orientation == "flat" else "y",
            "staggerindex": "odd" if board.layout.startswith("odd") else "even",
            "hexsidelength": SIDE,
        }
    written: list[Path] = []
    sets: list[dict[str, Any]] = []
    layers: list[dict[str, Any]] = []
    gid = 1
    for field, values in _fields(board).items():
        drawn = []
        for number, value in enumerate(values):
            picture = tiles / f"{field}-{_file_name(value)}.svg"
            picture.write_text(_tile(board, look, field, value, number), "utf-8")
            written.append(picture)
            drawn.append(
                {
                    "id": number,
                    "type": value,
                    "image": f"{tiles.name}/{picture.name}",
                    "imagewidth": wide,
                    "imageheight": high,
                }
            )
        sets.append({
            "firstgid": gid, "name": field, "tilewidth": wide, "tileheight": high, "tilecount": len(values), "columns": 0,
            "margin": 0, "spacing": 0, "tiles": drawn,
        })  # fmt: skip
        ids = {value: gid + number for number, value in enumerate(values)}
        cells = {cell: {PLACE: PLACE} for cell in board.cells} if field == PLACE else board.cells
        data = [
            ids.get(cells.get((c, r), {}).get(field, ""), 0)
            for r in range(board.rows)
            for c in range(board.columns)
        ]
        layers.append({
            "type": "tilelayer", "id": len(layers) + 1, "name": field, "x": 0, "y": 0, "width": board.columns, "height": board.rows,
            "opacity": 1, "visible": True, "data": data,
        })  # fmt: skip
        gid += len(values)
    objects = 1
    for field, borders in _by_field(board).items():
        made = []
        for border in borders:
            points = (
                (board.centre(border.a), board.centre(border.b))
                if field in through
                else board.side(border.a, border.b)
            )
            made.append(_line(objects, points, border.value))
            objects += 1
        layers.append({
            "type": "objectgroup", "id": len(layers) + 1, "name": field, "x": 0, "y": 0, "opacity": 1, "visible": True,
            "draworder": "topdown", "objects": made, "color": _hexed(look.edge(field, field).colour),
        })  # fmt: skip
    content |= {"tilesets": sets, "layers": layers, "nextlayerid": len(layers) + 1, "nextobjectid": objects}
    temporary = target.with_name(f"{target.name}.tmp")
    temporary.write_text(json.dumps(content, indent=1, ensure_ascii=False) + "\n", "utf-8")
    os.replace(temporary, target)
    return [target, *written]


def _properties(values: dict[str, object]) -> list[dict[str, object]]:
    return [
        {"name": key, "type": "int" if isinstance(value, int) else "string", "value": value}
        for key, value in values.items()
    ]


def _fields(board: Board) -> dict[str, list[str]]:
    """The fields of places in the order in which they are met, each with its values: names as they come, numbers in order."""
    found: dict[str, dict[str, None]] = defaultdict(dict)
    if not all(board.cells.values()):
        # Places that have nothing are on the map all the same.
        found[PLACE][PLACE] = None
    for cell in sorted(board.cells, key=lambda one: (one[1], one[0])):
        for field, value in board.cells[cell].items():
            found[field][value] = None
    return {field: sorted(values, key=_order) for field, values in found.items()}


def _order(value: str) -> tuple[int, str]:
    return (int(value), "") if value.lstrip("-").isdigit() else (0, value)


def _by_field(board: Board) -> dict[str, list[Border]]:
    found: dict[str, list[Border]] = defaultdict(list)
    for border in board.borders:
        found[border.field].append(border)
    return found


def _line(number: int, points: tuple[Point, Point], value: str) -> dict[str, Any]:
    (ax, ay), (bx, by) = points
    return {
        "id": number, "name": "", "type": value, "x": round(ax, 2), "y": round(ay, 2), "width": 0, "height": 0, "rotation": 0,
        "visible": True, "polyline": [{"x": 0, "y": 0}, {"x": round(bx - ax, 2), "y": round(by - ay, 2)}],
    }  # fmt: skip


def _hexed(colour: str) -> str:
    return colour if colour.startswith("#") and len(colour) == 7 else "#7a5a3a"


def _file_name(value: str) -> str:
    return "".join(c if c.isalnum() or c in "-_" else "_" for c in value)


def _outline(board: Board) -> list[Point]:
    if board.layout is None:
        return [(0, 0), (SQUARE, 0), (SQUARE, SQUARE), (0, SQUARE)]
    half, end = HIGH / 2, (WIDE - SIDE) / 2
    flat = [
        (end, 0.0),
        (WIDE - end, 0.0),
        (float(WIDE), half),
        (WIDE - end, float(HIGH)),
        (end, float(HIGH)),
        (0.0, half),
    ]
    return flat if board.orientation == "flat" else [(y, x) for x, y in flat]


def _tile(board: Board, look: Look, field: str, value: str, number: int) -> str:
    """Ground fills the place; flags and numbers are a sign in it, so that layers can lie on each other."""
    wide, high = board.tile_size()
    outline = polygon_path(_outline(board))
    plain = value.lstrip("-").isdigit() or value == "yes"
    if plain:
        words = field.replace("_", " ")[:9] if value == "yes" else value
        inside = element(
            "circle", cx=wide / 2, cy=high * 0.72, r=11, fill="#fffdf5", fill_opacity="0.85", stroke="#7a3b1d"
        )
        inside += text_node(
            words,
            wide / 2,
            high * 0.72 + 4,
            9 if value == "yes" else 12,
            text_anchor="middle",
            fill="#7a3b1d",
        )
    else:
        style = look.grounds.get(value)
        colour = style.get("colour") if isinstance(style, dict) else None
        inside = element(
            "path",
            d=outline,
            fill=str(colour or OTHERS[number % len(OTHERS)]),
            stroke="#6b6557",
            stroke_width=1,
        )
        inside += text_node(
            value.replace("_", " ")[:12], wide / 2, high * 0.3, 9, text_anchor="middle", fill="#2b2a26"
        )
    return document(wide, high, inside, width=wide, height=high)
