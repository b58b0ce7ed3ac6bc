"""Hex maps in text, with their outlines: large ones with names and counters, small ones with a letter or two."""

from __future__ import annotations

from grognard.cli.board.boardview import (
    CounterView,
    PlaceView,
    SpaceView,
)
from grognard.cli.board.canvas import Canvas
from grognard.cli.board.looks import (
    ARROWS,
    Look,
    counter_cell,
    facing_of,
    mark_cell,
)
from grognard.cli.console import Console, fit, wide


def large_size(space: SpaceView) -> tuple[int, int]:
    """Columns and lines of the large drawing."""
    if not space.map.n:
        return 0, 0
    q, r = space.map.q, space.map.r
    if space.map.flat:
        down = [2 * rr + qq for qq, rr in zip(q, r)]
        return (max(q) - min(q)) * 6 + 8, (max(down) - min(down)) * 2 + 5
    across = [2 * qq + rr for qq, rr in zip(q, r)]
    return (max(across) - min(across)) * 3 + 7, (max(r) - min(r)) * 4 + 6


def sign(feature: str) -> str:
    """The sign for what a hex has besides its ground: a capital, behind the letter of the ground."""
    return feature[:1].upper()


def draw_hexes(space: SpaceView, look: Look, console: Console, large: bool) -> Canvas:
    if not space.map.n:
        return Canvas()
    if space.map.flat:
        return _large_flat(space, look, console) if large else _small_flat(space, look, console)
    return _large_pointy(space, look, console) if large else _small_pointy(space, look, console)


#: Cells of the hexsides of a hex, from its upper left corner, by the way to the neighbour (q, r); half of them: the
#: other half is the neighbours'.
Sides = dict[tuple[int, int], tuple[tuple[int, int], ...]]
LARGE_FLAT: Sides = {(0, 1): ((3, 4), (4, 4)), (1, -1): ((6, 1), (7, 2)), (1, 0): ((7, 3), (6, 4))}
LARGE_POINTY: Sides = {(1, 0): ((6, 2), (6, 3)), (0, 1): ((5, 4), (4, 5)), (-1, 1): ((1, 4), (2, 5))}
SMALL_FLAT: Sides = {(0, 1): ((1, 2), (2, 2)), (1, -1): ((3, 1),), (1, 0): ((3, 2),)}
SMALL_POINTY: Sides = {(1, 0): ((4, 1),), (0, 1): ((3, 2),), (-1, 1): ((1, 2),)}


def _edges(
    canvas: Canvas, space: SpaceView, look: Look, corners: list[tuple[int, int]], sides: Sides
) -> None:
    """Roads, rivers and walls: signs on the hexsides that they cross or lie on."""
    q, r = space.map.q, space.map.r
    for edge in space.edges:
        for a, b in ((edge.a, edge.b), (edge.b, edge.a)):
            column, line = corners[a]
            for right, below in sides.get((q[b] - q[a], r[b] - r[a]), ()):
                canvas.put(column + right, line + below, *look.edge(edge))


def _large_flat(space: SpaceView, look: Look, console: Console) -> Canvas:
    r"""Flat-top hexes; columns of the map are columns on the screen.

         ____
        /0101\
       /[A ^] \____
       \ w2   /0201\
        \____/
    """
    canvas = Canvas()
    corners: list[tuple[int, int]] = []
    # Twice the row, so that columns which lie half a hex lower come out even.
    down = [2 * r + q for q, r in zip(space.map.q, space.map.r)]
    left, top = min(space.map.q), min(down)
    for place, q, d in zip(space.places, space.map.q, down):
        x, y = (q - left) * 6, (d - top) * 2
        corners.append((x, y))
        canvas.put(x + 2, y, "____", "frame")
        canvas.put(x + 2, y + 4, "____", "frame")
        for line, slope in ((1, "/\\"), (2, "/\\"), (3, "\\/"), (4, "\\/")):
            inset = 1 if line in (1, 4) else 0
            canvas.put(x + inset, y + line, slope[0], "frame")
            canvas.put(x + 7 - inset, y + line, slope[1], "frame")
        canvas.put(x + 2, y + 1, fit(place.name, 4), "dim")
        _inside(canvas, place, space, look, console, (x + 1, y + 2, 6), (x + 1, y + 3, 6))
    _edges(canvas, space, look, corners, LARGE_FLAT)
    return canvas


def _large_pointy(space: SpaceView, look: Look, console: Console) -> Canvas:
    r"""Pointy-top hexes; rows of the map are rows on the screen.

          / \
         /   \
        |0101 |
        |[A^] |
         \ w /
          \ /
    """
    canvas = Canvas()
    corners: list[tuple[int, int]] = []
    across = [2 * q + r for q, r in zip(space.map.q, space.map.r)]
    left, top = min(across), min(space.map.r)
    for place, a, r in zip(space.places, across, space.map.r):
        x, y = (a - left) * 3, (r - top) * 4
        corners.append((x, y))
        for line, pair in ((0, "/\\"), (1, "/\\"), (2, "||"), (3, "||"), (4, "\\/"), (5, "\\/")):
            inset = {0: 2, 1: 1, 4: 1, 5: 2}.get(line, 0)
            canvas.put(x + inset, y + line, pair[0], "frame")
            canvas.put(x + 6 - inset, y + line, pair[1], "frame")
        canvas.put(x + 1, y + 2, fit(place.name, 5), "dim")
        _inside(canvas, place, space, look, console, (x + 1, y + 3, 5), (x + 2, y + 4, 3))
    _edges(canvas, space, look, corners, LARGE_POINTY)
    return canvas


def _inside(
    canvas: Canvas,
    place: PlaceView,
    space: SpaceView,
    look: Look,
    console: Console,
    upper: tuple[int, int, int],
    lower: tuple[int, int, int],
) -> None:
    """The top counter in the upper line; ground, holder and the rest of the stack in the lower one.

    Lines are (column, line, width)."""
    column, line, width = upper
    if place.counters:
        text, style = counter_cell(place.counters[0], space, look, console, width)
        canvas.put(column, line, text, style)
    column, line, width = lower
    ground = look.ground(place) + "".join(dict.fromkeys(map(sign, place.features)))
    more = sum(counter.count for counter in place.counters[1:])
    parts: list[tuple[str, str]] = []
    if place.marks:
        parts.append(mark_cell(place.marks[0], look, console))
    if place.states:
        parts.append(("*", "bold"))
    if more:
        parts.append((f"+{more}", "bold"))
    # What does not fit is in the list below the map.
    while parts and wide(ground) + sum(wide(text) for text, _ in parts) > width:
        del parts[-1 if len(parts) == 1 or not more else -2]
    used = sum(wide(text) for text, _ in parts)
    pad = 1 if wide(ground) + used < width else 0
    canvas.put(column + pad, line, ground, look.ink(place))
    at = column + width - used
    for text, style in parts:
        canvas.put(at, line, text, style)
        at += wide(text)


# ----------------------------------------------------------------------------------------------------- small


def _small_flat(space: SpaceView, look: Look, console: Console) -> Canvas:
    r"""Two columns of content; the names of columns above, of rows at the left.

          01    03
          __ 02 __
      01 /. \__/w \
         \__/G1\__/
            \_↘/

    A facing that has no room beside its counter stands on the hexside below it.
    """
    canvas = Canvas()
    corners: list[tuple[int, int]] = []
    down = [2 * r + q for q, r in zip(space.map.q, space.map.r)]
    left, top = min(space.map.q), min(down)
    names = _columns_and_rows(space)
    margin = max((wide(row) for row in names[1].values()), default=-1) + 1
    head = 1 if names[0] else 0
    for place, q, d in zip(space.places, space.map.q, down):
        x, y = margin + (q - left) * 3, head + d - top
        corners.append((x, y))
        canvas.put(x + 1, y, "__", "frame")
        canvas.put(x, y + 1, "/", "frame")
        canvas.put(x + 3, y + 1, "\\", "frame")
        canvas.put(x, y + 2, "\\__/", "frame")
        _narrow(canvas, place, space, look, console, x + 1, y + 1, 2)
    for q, name in names[0].items():
        canvas.put(margin + (q - left) * 3 + 1, 0, fit(name, 2), "bold")
    for d, name in names[1].items():
        canvas.put(margin - 1 - wide(name), head + d - top + 1, name, "bold")
    _edges(canvas, space, look, corners, SMALL_FLAT)
    for place, (x, y) in zip(space.places, corners):
        if place.counters and not _beside(place.counters[0], space, console, 2) and console.unicode:
            counter = place.counters[0]
            style = look.side_style(counter.seat) if console.color else ""
            canvas.put(x + 2, y + 2, ARROWS.get(facing_of(counter, space), ""), style)
    return canvas


def _columns_and_rows(space: SpaceView) -> tuple[dict[int, str], dict[int, str]]:
    """Column -> its name, line of the first column -> name of its row; nothing if names are not made so (0512)."""
    names = [place.name for place in space.places]
    if not all(len(name) == 4 and name.isdigit() for name in names):
        return {}, {}
    columns: dict[int, str] = {}
    for name, q in zip(names, space.map.q):
        if columns.setdefault(q, name[:2]) != name[:2]:
            return {}, {}
    left = min(space.map.q)
    rows = {2 * r + q: name[2:] for name, q, r in zip(names, space.map.q, space.map.r) if q == left}
    return columns, rows


def _small_pointy(space: SpaceView, look: Look, console: Console) -> Canvas:
    r"""Three columns of content.

       / \ / \
      | A^|.  |
       \ / \ /
    """
    canvas = Canvas()
    corners: list[tuple[int, int]] = []
    across = [2 * q + r for q, r in zip(space.map.q, space.map.r)]
    left, top = min(across), min(space.map.r)
    for place, a, r in zip(space.places, across, space.map.r):
        x, y = (a - left) * 2, (r - top) * 2
        corners.append((x, y))
        for line, pair, inset in ((0, "/\\", 1), (1, "||", 0), (2, "\\/", 1)):
            canvas.put(x + inset, y + line, pair[0], "frame")
            canvas.put(x + 4 - inset, y + line, pair[1], "frame")
        _narrow(canvas, place, space, look, console, x + 1, y + 1, 3)
    _edges(canvas, space, look, corners, SMALL_POINTY)
    return canvas


def _narrow(
    canvas: Canvas,
    place: PlaceView,
    space: SpaceView,
    look: Look,
    console: Console,
    column: int,
    line: int,
    width: int,
) -> None:
    """One line of two or three columns for all: the top counter, else the ground and who holds it."""
    if place.counters:
        top = place.counters[0]
        facing = _beside(top, space, console, width)
        style = look.side_style(top.seat) if console.color else ""
        canvas.put(column, line, fit(top.code, width - wide(facing)) + facing, style)
        return
    ground = look.ground(place)
    canvas.put(column, line, fit(ground, width), look.ink(place))
    if place.marks:
        style = look.side_style(place.marks[0].seat) if console.color else ""
        canvas.put(column + width - 1, line, place.marks[0].code, style)
    elif place.states and wide(ground) < width:
        canvas.put(column + width - 1, line, "*", "bold")


def _beside(counter: CounterView, space: SpaceView, console: Console, width: int) -> str:
    """Which counter it is matters more than where it looks: its facing, if there is room; both are in the list below."""
    room = console.unicode and wide(counter.code) < width
    return ARROWS.get(facing_of(counter, space), "") if room else ""
