"""Maps of areas: boxes joined by lines, or a real coast cut by the centres of the areas."""

from __future__ import annotations

import math

from grognard.drawing.borders import closed_borders, contacts
from grognard.drawing.geography import (
    WIDTH,
    Ring,
    box,
    cells,
    coast,
    land_in,
    projection,
    size,
    within,
)
from grognard.drawing.look import Look, LookError
from grognard.drawing.lookfile import Value
from grognard.drawing.scene import Source, Space
from grognard.drawing.shapes import Cell, Sheet
from grognard.drawing.svg import Point, element, group, line_path, polygon_path, text_node
from grognard.support.suggest import hint_for

FONT = "system-ui, sans-serif"
SEA, LAND, LAND_LINE = "#b9d6e6", "#e8e2c6", "#8a7f63"


def geographic_sheet(space: Space, look: Look) -> Sheet | None:
    """The areas on real geography, where the look file gives their centres."""
    wanted = look.geography
    if not wanted:
        return None
    centres = _centres(space, look)
    middle, zoom = wanted.get("middle"), wanted.get("zoom", 20.0)
    if not (isinstance(middle, list) and len(middle) == 2 and all(isinstance(v, float) for v in middle)):
        raise LookError(f"{look.file}: geography: `middle` is [longitude, latitude]")
    if not isinstance(zoom, float) or zoom <= 0:
        raise LookError(f"{look.file}: geography: `zoom` is a number of degrees above 0")
    project = projection((float(middle[0]), float(middle[1])), zoom)  # type: ignore[arg-type]
    points = [[project(point) for point in centre] for centre in centres]
    known = [point for group_ in points for point in group_]
    left, top, right, bottom = box(known)
    edge = (right - left) * 0.03
    scale = WIDTH / (right - left + 2 * edge)

    def onto(point: Point) -> Point:
        return (point[0] - left + edge) * scale, (point[1] - top + edge) * scale

    points = [[onto(point) for point in group_] for group_ in points]
    height = (bottom - top + 2 * edge) * scale
    frame: Ring = [(0, 0), (WIDTH, 0), (WIDTH, height), (0, height)]
    shores = []
    for ring in coast():
        drawn = within([onto(project(point)) for point in ring], frame)
        if len(drawn) > 2:
            shores.append((drawn, box(drawn)))
    at_sea = _at_sea(space, look)
    made: list[Cell | None] = [None] * len(space.places)
    for sea in (False, True):
        indices = [n for n in range(len(space.places)) if at_sea[n] is sea]
        seeds = [(n, point) for n in indices for point in points[n]]
        outlines = cells([point for _, point in seeds], frame)
        parts: dict[int, list[Ring]] = {n: [] for n in indices}
        for (n, _), outline in zip(seeds, outlines):
            land = land_in(outline, shores)
            parts[n] += [outline, *land] if sea else land
        for n in indices:
            made[n] = _cell(points[n][0], parts[n], sea)
    found = [cell for cell in made if cell is not None]
    _room(found)
    sheet = Sheet(found, WIDTH, height, coast=True)
    neighbours = {(a, b) for a, around in enumerate(space.neighbours) for b in around if a < b}
    touching = contacts(sheet)
    sheet.connectors = sorted(neighbours - touching.keys())
    closed_borders(sheet, touching, neighbours)
    return sheet


def _centres(space: Space, look: Look) -> list[list[Point]]:
    """The centres of each area; one without any lies between its neighbours."""
    given = look.geography.get("centres")
    if not isinstance(given, dict):
        raise LookError(
            f"{look.file}: geography: `centres` are missing; write `centres: {{area: [longitude, latitude]}}`"
        )
    names = {place.name: n for n, place in enumerate(space.places)}
    found: list[list[Point]] = [[] for _ in space.places]
    for name, value in given.items():
        if name not in names:
            raise LookError(
                f"{look.file}: geography: the map has no `{name}`; {hint_for(name, names) or ''}".rstrip("; ")
            )
        found[names[name]] = _pairs(look, name, value)
    for n, around in enumerate(space.neighbours):
        if not found[n]:
            near = [found[other][0] for other in around if found[other]]
            if not near:
                raise LookError(
                    f"{look.file}: geography: `{space.places[n].name}` has no centre, nor has a neighbour"
                )
            found[n] = [(sum(x for x, _ in near) / len(near), sum(y for _, y in near) / len(near))]
    return found


def _pairs(look: Look, name: str, value: Value) -> list[Point]:
    numbers = value if isinstance(value, list) else []
    if not numbers or len(numbers) % 2 or not all(isinstance(v, float) for v in numbers):
        raise LookError(
            f"{look.file}: geography: {name}: write [longitude, latitude], or several such pairs in one list"
        )
    flat = [float(v) for v in numbers if isinstance(v, float)]
    return list(zip(flat[::2], flat[1::2]))


def _at_sea(space: Space, look: Look) -> list[bool]:
    given = look.geography.get("sea")
    classes = {place.sort for place in space.places}
    names = [str(item) for item in given] if isinstance(given, list) else [str(given)] if given else []
    for name in names:
        if name not in classes:
            raise LookError(f"{look.file}: geography: sea: there is no class of places `{name}`")
    return [place.sort in names for place in space.places]


def _cell(centre: Point, rings: list[Ring], sea: bool) -> Cell:
    x, y = centre
    if not rings:
        # An island too small for the coast that we have.
        rings = [[(x + 11 * math.cos(a), y + 11 * math.sin(a)) for a in (n * math.pi / 4 for n in range(8))]]
    if not sea:
        rings = sorted(rings, key=size, reverse=True)
    return Cell(x, y, 20, rings[0], rings[1:])


def _room(found: list[Cell]) -> None:
    """How large counters may be: by the nearest other centre."""
    for cell in found:
        nearest = min(math.hypot(cell.x - o.x, cell.y - o.y) for o in found if o is not cell)
        cell.r = max(13.0, min(40.0, nearest * 0.45))


# ----------------------------------------------------------------------------------------------------- layers


def area_layers(space: Space, sheet: Sheet, look: Look, source: Source) -> list[str]:
    return _geographic_layers(space, sheet, look) if look.geography else _box_layers(space, sheet, look)


def _connectors(sheet: Sheet, **style: object) -> list[str]:
    lines = "".join(
        line_path(((sheet.cells[a].x, sheet.cells[a].y), (sheet.cells[b].x, sheet.cells[b].y)))
        for a, b in sheet.connectors
    )
    return [element("path", d=lines, fill="none", **style)] if lines else []


def _barriers(sheet: Sheet, **style: object) -> list[str]:
    """Borders that the rules know no way across."""
    lines = "".join(line_path(piece) for piece in sheet.barriers)
    return [element("path", d=lines, fill="none", **style)] if lines else []


def _geographic_layers(space: Space, sheet: Sheet, look: Look) -> list[str]:
    at_sea = _at_sea(space, look)
    seas = [cell for cell, sea in zip(sheet.cells, at_sea) if sea]
    lands = [cell for cell, sea in zip(sheet.cells, at_sea) if not sea]
    # Without its land a sea zone is its own outline; land is drawn over it.
    water = "".join(polygon_path(ring) for cell in seas for ring in (cell.polygon, *cell.rings))
    ground = "".join(polygon_path(ring) for cell in lands for ring in (cell.polygon, *cell.rings))
    parts = [
        group(
            "terrain",
            [
                element("path", d=water, fill=SEA, fill_rule="evenodd", stroke="#7fa9c2", stroke_width=1.2),
                element(
                    "path",
                    d=ground,
                    fill=LAND,
                    stroke=LAND_LINE,
                    stroke_width=1.2,
                    stroke_linejoin="round",
                    fill_rule="evenodd",
                ),
            ],
        ),
        group(
            "edges",
            _connectors(sheet, stroke="#5d6f86", stroke_width=1.6, stroke_dasharray="2 5")
            + _barriers(sheet, stroke="#4b3a36", stroke_width=4, stroke_opacity="0.55"),
        ),
    ]
    names = []
    for place, cell, sea in zip(space.places, sheet.cells, at_sea):
        title = str(look.names.get(place.name) or place.title)
        if sea:
            number = "".join(c for c in title if c.isdigit())
            title = number or title
        large = max(6.5, min(15.0, cell.r * 0.42))
        shown = _two_lines(title)
        for line, words in enumerate(shown):
            y = cell.y - cell.r * 0.75 - (len(shown) - 1 - line) * large
            names.append(
                text_node(
                    words, cell.x, y, large, text_anchor="middle", fill="#2f5f7d" if sea else "#2b2a26",
                    font_style="italic" if sea else None,
                )
            )  # fmt: skip
    halo = {"paint_order": "stroke", "stroke": "#f6f3e7", "stroke_width": 2, "stroke_opacity": "0.75"}
    parts.append(group("names", names, font_family=FONT, **halo))
    return parts


def _two_lines(title: str) -> list[str]:
    """A long name broken where its halves are most equal."""
    if len(title) < 12:
        return [title]
    breaks = [n for n, sign in enumerate(title) if sign in " /-" and 0 < n < len(title) - 1]
    if not breaks:
        return [title]
    at = min(breaks, key=lambda n: abs(n - len(title) / 2))
    return [title[: at + 1].strip(), title[at + 1 :].strip()]


def _box_layers(space: Space, sheet: Sheet, look: Look) -> list[str]:
    parts = [group("edges", _connectors(sheet, stroke="#7a8aa0", stroke_width=4))]
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
        title = str(look.names.get(place.name) or place.title)
        lines = [title] if len(title) < 24 else _two_lines(title)
        size = min(11.0, 270 / max(1, *map(len, lines)))
        for number, words in enumerate(lines):
            names.append(text_node(words, cell.x, top + 14 + number * 12, size, text_anchor="middle"))
    parts.append(group("names", names, font_family=FONT, fill="#2b2a26"))
    return parts
