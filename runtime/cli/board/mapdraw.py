"""Maps in text: hexes with their outlines, boards of squares, areas as a list; and what the drawing cannot show."""

from __future__ import annotations

import re
import textwrap
from dataclasses import replace

from grognard.cli.board.boardview import SpaceView
from grognard.cli.board.drawhexes import draw_hexes, large_size, sign
from grognard.cli.board.drawsquares import draw_squares, only_stones
from grognard.cli.board.looks import Look, counter_text
from grognard.cli.console import Console, wide

#: Areas beyond this number are listed only if something is in them.
ALL_AREAS = 30
#: Lines that the drawing leaves to the question and the log.
LINES_KEPT = 3


def draw_space(
    space: SpaceView, look: Look, console: Console, size: str = "auto"
) -> tuple[list[str], list[str]]:
    """The drawing of a map, and for each place what it cannot show, folded; `size` is large, small, or auto: the largest that fits the screen."""
    if space.map.sort == "areas":
        return [], _list_areas(space, look, console)
    if space.map.sort == "hexes":
        if size == "auto":
            columns, lines = large_size(space)
            size = "large" if columns <= console.width and lines + LINES_KEPT <= console.height else "small"
        drawn = draw_hexes(space, look, console, size == "large").lines(console)
    else:
        drawn = draw_squares(space, look, console).lines(console)
    return [*drawn, *_signs(space, look, console)], _lying(space, look, console)


def _list_areas(space: SpaceView, look: Look, console: Console) -> list[str]:
    """Areas by name, with ground, holder, state and counters; of many only those that hold something."""
    lines: list[str] = []
    shown = space.places
    if len(shown) > ALL_AREAS:
        shown = [place for place in shown if place.counters or place.states]
    room = max((wide(place.title) for place in shown), default=0)
    for place in shown:
        parts = []
        if place.terrain:
            parts.append(console.style(look.ink(place), place.terrain))
        for mark in place.marks:
            side = look.title(mark.seat)
            parts.append(
                console.style(look.side_style(mark.seat), f" {side} ") if console.color and side else side
            )
        owner = place.marks[0].seat if place.marks else None
        parts += place.features
        parts += place.states
        sorts = [counter.plain or counter.label for counter in place.counters]
        for counter, sort in zip(place.counters, sorts):
            # A number reads like a level where there is no other of this sort.
            only = replace(counter, label=sort) if sorts.count(sort) == 1 else counter
            parts.append(counter_text(only, space, look, console, owner))
        text = f"  {place.title}{' ' * (room - wide(place.title))}  {', '.join(filter(None, parts))}".rstrip()
        lines.append("\n".join(folded(text, console, room + 4)))
    empty = len(space.places) - len(shown)
    if empty:
        lines.append(f"  (and {empty} empty ones)")
    return lines


def _signs(space: SpaceView, look: Look, console: Console) -> list[str]:
    """What the letters stand for."""
    lines: list[str] = []
    grounds = {look.letter(place): place.terrain for place in space.places if place.terrain}
    if space.map.sort == "hexes":
        grounds |= {look.edge(edge)[0]: f"{edge.title} (hexside)" for edge in space.edges}
        grounds |= {sign(name): name for place in space.places for name in place.features}
        if any(place.states and not place.counters for place in space.places):
            grounds.setdefault("*", "see below")
    if grounds:
        # A sign and what it stands for stay on one line.
        text = "   ".join(f"{letter} {name}".replace(" ", "\0") for letter, name in grounds.items())
        wrapped = textwrap.wrap(
            text,
            max(40, console.width - 2),
            initial_indent="  ",
            subsequent_indent="  ",
            break_long_words=False,
        )
        lines += [line.replace("\0", " ") for line in wrapped]
    return lines


def _lying(space: SpaceView, look: Look, console: Console) -> list[str]:
    """What cannot be seen in the drawing: whole stacks and states."""
    lines: list[str] = []
    # Stones speak for themselves.
    stones = space.map.sort == "squares" and only_stones(space)
    for place in space.places:
        parts = []
        if not stones or any(counter.states for counter in place.counters):
            parts += [f"{c.code} = {counter_text(c, space, look, console)}" for c in place.counters]
        if not stones or place.counters:
            parts += [mark.label for mark in place.marks]
        parts += place.states
        if parts:
            text = f"  {console.style('bold', place.name)}  {', '.join(parts)}"
            lines.append("\n".join(folded(text, console, wide(place.name) + 4)))
    return lines


def folded(text: str, console: Console, indent: int) -> list[str]:
    """A line that may be styled, broken at blanks to the width of the screen; what goes on is indented."""
    width = max(40, console.width - 1)
    lines: list[str] = []
    line, used = "", 0
    for word in re.split(r"(?<=[,)]) (?! )", text):
        length = wide(re.sub(r"\x1b\[[0-9;]*m", "", word))
        if line and used + 1 + length > width:
            lines.append(line)
            line, used = " " * indent + word, indent + length
        else:
            line = f"{line} {word}" if line else word
            used += length + (1 if used else 0)
    return [*lines, line]
