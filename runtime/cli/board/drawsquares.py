"""Boards of squares in text, with the names of columns and rows at their sides."""

from __future__ import annotations

from collections.abc import Sequence

from grognard.cli.board.boardview import (
    CounterView,
    PlaceView,
    SpaceView,
)
from grognard.cli.board.canvas import Canvas
from grognard.cli.board.looks import Look, counter_cell
from grognard.cli.console import Console, wide

#: Columns of a square: with stones of one letter, and with counters that have names.
STONES = 3
COUNTERS = 7


def pile(place: PlaceView) -> list[CounterView]:
    """What lies on a square; where there are no pieces, its marks are the stones."""
    return place.counters or place.marks


def only_stones(space: SpaceView) -> bool:
    """Whether a letter is enough for each square."""
    return all(
        len(pile(place)) < 2
        and all(len(c.code) == 1 and c.facing is None and c.count == 1 for c in pile(place))
        for place in space.places
    )


def draw_squares(space: SpaceView, look: Look, console: Console) -> Canvas:
    canvas = Canvas()
    if not space.map.n:
        return canvas
    stones = only_stones(space)
    width = STONES if stones else COUNTERS
    axes = _axis_names(space)
    left, top = min(space.map.q), min(space.map.r)
    margin = max((wide(n) for n in axes[1].values()), default=0) + 2 if axes else 2
    height = max(space.map.r) - top + 1
    breadth = (max(space.map.q) - left + 1) * width
    _frame(canvas, console, margin - 1, breadth, height)
    for place, q, r in zip(space.places, space.map.q, space.map.r):
        x, y = margin + (q - left) * width, r - top + 1
        here = pile(place)
        if here and stones:
            canvas.put(x, y, f" {here[0].code} ", look.side_style(here[0].seat) if console.color else "")
        elif here:
            text, style = counter_cell(here[0], space, look, console, 5)
            canvas.put(x, y, text, style)
            more = sum(counter.count for counter in here[1:])
            canvas.put(x + 5, y, f"+{more}"[:2] if more else "  ", "bold")
        else:
            blank = "·" if console.unicode else "."
            ground = look.letter(place) if place.terrain else blank
            canvas.put(x + width // 2, y, ground, look.ink(place) or "dim")
    if axes:
        for q, name in axes[0].items():
            canvas.put(margin + (q - left) * width + (width - 1) // 2, height + 2, name, "bold")
        for r, name in axes[1].items():
            canvas.put(margin - 2 - wide(name), r - top + 1, name, "bold")
    return canvas


def _frame(canvas: Canvas, console: Console, column: int, breadth: int, height: int) -> None:
    bar, dash, corners = ("│", "─", "┌┐└┘") if console.unicode else ("|", "-", "++++")
    canvas.put(column, 0, corners[0] + dash * breadth + corners[1], "frame")
    canvas.put(column, height + 1, corners[2] + dash * breadth + corners[3], "frame")
    for line in range(1, height + 1):
        canvas.put(column, line, bar, "frame")
        canvas.put(column + breadth + 1, line, bar, "frame")


def _axis_names(space: SpaceView) -> tuple[dict[int, str], dict[int, str]] | None:
    """Names of columns and rows, if every square is called by the two (A1, or 1A); None otherwise."""
    names = {(q, r): place.name for q, r, place in zip(space.map.q, space.map.r, space.places)}
    columns: dict[int, list[str]] = {}
    rows: dict[int, list[str]] = {}
    for (q, r), name in names.items():
        columns.setdefault(q, []).append(name)
        rows.setdefault(r, []).append(name)
    across = {q: _prefix(group) for q, group in columns.items()}
    along = {r: _suffix(group) for r, group in rows.items()}
    if all(across[q] + along[r] == name for (q, r), name in names.items()):
        return across, along
    across = {q: _suffix(group) for q, group in columns.items()}
    along = {r: _prefix(group) for r, group in rows.items()}
    if all(along[r] + across[q] == name for (q, r), name in names.items()):
        return across, along
    return None


def _prefix(names: Sequence[str]) -> str:
    shortest = min(names, key=len)
    # One square alone would be all name: at least one sign belongs to the other axis.
    for length in range(len(shortest) - 1, -1, -1):
        if all(name.startswith(shortest[:length]) for name in names):
            return shortest[:length]
    return ""


def _suffix(names: Sequence[str]) -> str:
    return _prefix([name[::-1] for name in names])[::-1]
