"""A map of Tiled (.tmj or .tmx) as a board."""

from __future__ import annotations

import base64
import gzip
import json
import math
import zlib
from array import array
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

from grognard.geometry.common import GeometryError
from grognard.geometry.offsets import Layout
from grognard.tiled.board import PLACE, Board, Border, Point, TiledError

#: A larger file is no map that a person drew.
MAX_BYTES = 64 * 1024 * 1024
MAX_CELLS = 1_000_000
#: The upper bits of a tile's number say how it is turned.
TURNED = 0x0FFF_FFFF


@dataclass
class Drawing:
    """A map of Tiled, of either form."""

    orientation: str
    columns: int
    rows: int
    tile: tuple[float, float]
    stagger: tuple[str, str]
    properties: dict[str, str] = field(default_factory=dict)
    #: number of a tile -> what it stands for
    tiles: dict[int, str] = field(default_factory=dict)
    #: name -> numbers of tiles, row by row
    layers: dict[str, list[int]] = field(default_factory=dict)
    #: name, number, what it says, points
    lines: list[tuple[str, str, str, list[Point]]] = field(default_factory=list)


def read_tiled(source: Path) -> tuple[Board, list[str]]:
    """The board, and what of the drawing could not be taken; TiledError if it is no such map."""
    try:
        if source.stat().st_size > MAX_BYTES:
            raise TiledError(f"{source} is larger than any map")
        data = source.read_bytes()
    except OSError as error:
        raise TiledError(f"{source} cannot be read: {error.strerror or error}") from error
    try:
        drawing = (
            _from_json(json.loads(data), source) if data.lstrip()[:1] == b"{" else _from_xml(data, source)
        )
    except (
        KeyError,
        TypeError,
        AttributeError,
        ValueError,
        ElementTree.ParseError,
        RecursionError,
        zlib.error,
        EOFError,
        OSError,
    ) as error:
        if isinstance(error, TiledError):
            raise
        raise TiledError(f"{source} is no map of Tiled: {type(error).__name__}: {error}") from error
    return _board(drawing, source)


# ------------------------------------------------------------------------------------------------------- forms


def _from_json(content: dict[str, Any], source: Path) -> Drawing:
    made = Drawing(
        content["orientation"], int(content["width"]), int(content["height"]),
        (float(content["tilewidth"]), float(content["tileheight"])),
        (content.get("staggeraxis", "x"), content.get("staggerindex", "odd")),
        {entry["name"]: str(entry["value"]) for entry in content.get("properties", ())},
    )  # fmt: skip
    _refuse_infinite(bool(content.get("infinite")), made, source)
    for one in content.get("tilesets", ()):
        if "source" in one:
            raise TiledError(
                f"{source}: the tiles of {one['source']} lie in a file of their own: embed the tileset (Map > Embed Tilesets)"
            )
        for tile in one.get("tiles", ()):
            made.tiles[one["firstgid"] + tile["id"]] = (
                tile.get("type") or tile.get("class") or _stem(tile.get("image", ""), one["name"])
            )
    for layer in _flattened(content.get("layers", ())):
        if layer["type"] == "tilelayer":
            found = layer["data"]
            numbers = (
                [int(n) & TURNED for n in found]
                if isinstance(found, list)
                else _unpacked(found, layer.get("compression", ""))
            )
            made.layers[layer["name"]] = numbers
        elif layer["type"] == "objectgroup":
            for one in layer.get("objects", ()):
                if "polyline" in one:
                    points = [(one["x"] + p["x"], one["y"] + p["y"]) for p in one["polyline"]]
                    made.lines.append(
                        (
                            layer["name"],
                            str(one.get("id", "")),
                            one.get("type") or one.get("class") or "yes",
                            points,
                        )
                    )
    return made


def _flattened(layers: Any) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = []
    for layer in layers:
        found += _flattened(layer.get("layers", ())) if layer.get("type") == "group" else [layer]
    return found


def _from_xml(data: bytes, source: Path) -> Drawing:
    if b"<!ENTITY" in data:
        raise TiledError(f"{source} declares entities, which maps of Tiled do not")
    root = ElementTree.fromstring(data)
    if root.tag != "map":
        raise TiledError(f"{source} is no map of Tiled: it begins with <{root.tag}>")
    made = Drawing(
        root.attrib["orientation"], int(root.attrib["width"]), int(root.attrib["height"]),
        (float(root.attrib["tilewidth"]), float(root.attrib["tileheight"])),
        (root.get("staggeraxis", "x"), root.get("staggerindex", "odd")),
        {entry.attrib["name"]: entry.get("value", "") for entry in root.findall("properties/property")},
    )  # fmt: skip
    _refuse_infinite(root.get("infinite") == "1", made, source)
    for one in root.findall("tileset"):
        if one.get("source"):
            raise TiledError(
                f"{source}: the tiles of {one.get('source')} lie in a file of their own: embed the tileset (Map > Embed Tilesets)"
            )
        for tile in one.findall("tile"):
            image = tile.find("image")
            name = (
                tile.get("type")
                or tile.get("class")
                or _stem(image.get("source", "") if image is not None else "", one.get("name", ""))
            )
            made.tiles[int(one.attrib["firstgid"]) + int(tile.attrib["id"])] = name
    for layer in root.iter("layer"):
        held = layer.find("data")
        text = (held.text if held is not None else None) or ""
        if held is None or not text:
            continue
        numbers = (
            [int(n) & TURNED for n in text.split(",")]
            if held.get("encoding") == "csv"
            else _unpacked(text.strip(), held.get("compression", ""))
        )
        made.layers[layer.get("name", "")] = numbers
    for group in root.iter("objectgroup"):
        for one in group.findall("object"):
            line = one.find("polyline")
            if line is not None:
                x, y = float(one.get("x", 0)), float(one.get("y", 0))
                pairs = [part.split(",") for part in line.get("points", "").split()]
                points = [(x + float(a), y + float(b)) for a, b in pairs]
                made.lines.append(
                    (
                        group.get("name", ""),
                        one.get("id", ""),
                        one.get("type") or one.get("class") or "yes",
                        points,
                    )
                )
    return made


def _refuse_infinite(infinite: bool, made: Drawing, source: Path) -> None:
    if infinite:
        raise TiledError(f"{source} is an infinite map: switch that off (Map > Map Properties > Infinite)")
    if not 0 < made.columns * made.rows <= MAX_CELLS or made.columns < 1:
        raise TiledError(f"{source} has {made.columns} x {made.rows} places: a map has 1 to {MAX_CELLS:,}")
    if made.orientation not in ("hexagonal", "orthogonal"):
        raise TiledError(f"{source} is {made.orientation}: maps here are hexagonal or orthogonal")


def _stem(image: str, otherwise: str) -> str:
    """What a tile without a class stands for: the name of its picture, behind the field's."""
    stem = Path(image).stem
    return stem.partition("-")[2] or stem or otherwise


def _unpacked(text: str, compression: str) -> list[int]:
    data = base64.b64decode(text)
    if compression == "zlib":
        data = zlib.decompressobj().decompress(data, 4 * MAX_CELLS)
    elif compression == "gzip":
        data = gzip.decompress(data)
    elif compression:
        raise TiledError(
            f"layers packed with {compression} cannot be read: save them as CSV (Map > Map Properties > Tile Layer Format)"
        )
    numbers = array("I")
    numbers.frombytes(data[: len(data) // 4 * 4])
    return [n & TURNED for n in numbers]


# ------------------------------------------------------------------------------------------------------- board


def _board(drawing: Drawing, source: Path) -> tuple[Board, list[str]]:
    said = drawing.properties
    axis, index = drawing.stagger
    layout: Layout | None = None
    if drawing.orientation == "hexagonal":
        layouts: dict[tuple[str, str], Layout] = {
            ("x", "odd"): "odd-q", ("x", "even"): "even-q", ("y", "odd"): "odd-r", ("y", "even"): "even-r",
        }  # fmt: skip
        layout = layouts[axis, index]
    first = _number(said, "first_column", source), _number(said, "first_number", source)
    row = said.get("first_row", "top")
    board = Board(
        said.get("name", source.stem),
        drawing.columns,
        drawing.rows,
        layout,
        said.get("numbering", "{col:02}{row:02}"),
        first,
        row,
    )
    told: list[str] = []
    unknown: set[int] = set()
    for name, numbers in drawing.layers.items():
        if len(numbers) != drawing.columns * drawing.rows:
            raise TiledError(
                f"{source}: layer {name} has {len(numbers)} tiles, the map {drawing.columns * drawing.rows} places"
            )
        for place, number in enumerate(numbers):
            if number in drawing.tiles:
                cell = place % drawing.columns, place // drawing.columns
                values = board.cells.setdefault(cell, {})
                if name != PLACE:
                    values[name] = drawing.tiles[number]
            elif number:
                unknown.add(number)
    if unknown:
        told.append(
            f"{len(unknown)} sorts of tiles have neither a class nor a picture's name, and are left out"
        )
    if not board.cells:
        raise TiledError(f"{source} has no places: draw at least one layer of tiles")
    try:
        for cell in board.cells:
            board.number(cell)
    except GeometryError as error:
        raise TiledError(f"{source}: {error}; change the property `numbering` of the map") from error
    board.borders = list(_borders(drawing, board, told))
    return board, told


def _number(said: dict[str, str], key: str, source: Path) -> int:
    try:
        return int(said.get(key, "1"))
    except ValueError:
        raise TiledError(f"{source}: the property `{key}` of the map is no number: {said[key]!r}") from None


def _borders(drawing: Drawing, board: Board, told: list[str]) -> list[Border]:
    scale = board.tile_size()[0] / drawing.tile[0], board.tile_size()[1] / drawing.tile[1]
    step = math.dist((0, 0), board.tile_size()) / 2 if board.layout is None else 70.0
    found: dict[tuple[Any, Any, str], Border] = {}
    for layer, number, value, drawn in drawing.lines:
        points = [(x * scale[0], y * scale[1]) for x, y in drawn]
        for a, b in pairwise(points):
            # A line over several places counts once for each border that it crosses or follows.
            parts = max(1, round(math.dist(a, b) / step)) if math.dist(a, b) > 1.2 * step else 1
            for part in range(parts):
                at = (part + 0.5) / parts
                middle = a[0] + (b[0] - a[0]) * at, a[1] + (b[1] - a[1]) * at
                pair = board.border_at(middle)
                if pair is None:
                    told.append(
                        f"{layer}: line {number} lies on no border near {board.nearest(middle)}: draw it from centre to centre or along a side"
                    )
                else:
                    found[(*pair, layer)] = Border(*pair, layer, value)
    return list(found.values())
