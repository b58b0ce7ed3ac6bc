"""How counters, sides and ground look, wherever they are drawn.

A counter is drawn as `[A ↑]`: its code and its facing.  In colour it stands on its side's colour; without, the
brackets tell the sides apart: [ ] the first, ( ) the second, { } the third, < > all others.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from grognard.cli.board.boardview import (
    CounterView,
    EdgeView,
    PlaceView,
    SpaceView,
)
from grognard.cli.console import COLOURS, INKS, SIDE_STYLES, Console, fit, wide

ARROWS = {"n": "↑", "ne": "↗", "e": "→", "se": "↘", "s": "↓", "sw": "↙", "w": "←", "nw": "↖"}
#: Signs of what lies on borders, in the order of its declaration, where the title gives none.
EDGE_SIGNS = "=:#%~+"
BRACKETS = (("[", "]"), ("(", ")"), ("{", "}"), ("<", ">"))


@dataclass(frozen=True, slots=True)
class Look:
    """How a title wants to be drawn: colours of sides and terrain, letters of terrain, by name."""

    seats: Sequence[str]
    titles: Sequence[str]
    colours: dict[str, str]
    symbols: dict[str, str]

    def side_style(self, seat: int | None) -> str:
        if seat is None or not 0 <= seat < len(self.seats):
            return "7"
        name = self.seats[seat]
        # A side that is called red is red.
        wanted = self.colours.get(name, name)
        return COLOURS.get(wanted.lower(), SIDE_STYLES[seat % len(SIDE_STYLES)])

    def title(self, seat: int | None) -> str:
        return self.titles[seat] if seat is not None and 0 <= seat < len(self.titles) else ""

    def ink(self, place: PlaceView) -> str:
        wanted = self.colours.get(place.terrain_id) or self.colours.get(place.terrain, "")
        return INKS.get(wanted.lower(), "")

    def letter(self, place: PlaceView) -> str:
        own = self.symbols.get(place.terrain_id) or self.symbols.get(place.terrain, "")
        return own[0] if own and own[0].isprintable() else place.letter

    def edge(self, edge: EdgeView) -> tuple[str, str]:
        """The sign for something on a border, and its colour."""
        own = self.symbols.get(edge.id) or self.symbols.get(edge.title, "")
        sign = own[0] if own and own[0].isprintable() else EDGE_SIGNS[edge.number % len(EDGE_SIGNS)]
        wanted = self.colours.get(edge.id) or self.colours.get(edge.title, "")
        return sign, INKS.get(wanted.lower(), "bold")

    def ground(self, place: PlaceView) -> str:
        """Letter and level."""
        return self.letter(place) + (str(place.level) if place.level else "")


def facing_of(counter: CounterView, space: SpaceView) -> str:
    """The direction that a counter faces, by name."""
    if counter.facing is None or not 0 <= counter.facing < len(space.directions):
        return ""
    return space.directions[counter.facing]


def counter_cell(
    counter: CounterView, space: SpaceView, look: Look, console: Console, width: int
) -> tuple[str, str]:
    """A counter in exactly so many columns, and its style."""
    name = facing_of(counter, space)
    facing = ARROWS.get(name, name[:2]) if console.unicode else name[:2]
    code = counter.code if counter.count == 1 else f"{counter.count}{counter.code}"
    if console.color:
        room = width - wide(facing)
        return fit(" " + code if room > wide(code) else code, room) + facing, look.side_style(counter.seat)
    if width < 4:
        return fit(code, width), ""
    left, right = _brackets(counter)
    return left + fit(code, width - 2 - wide(facing)) + facing + right, ""


def mark_cell(mark: CounterView, look: Look, console: Console) -> tuple[str, str]:
    """The letter of the side that holds a place."""
    if console.color:
        return mark.code, look.side_style(mark.seat)
    left, right = _brackets(mark)
    return left + mark.code + right, ""


def _brackets(counter: CounterView) -> tuple[str, str]:
    return BRACKETS[min(counter.seat, 3)] if counter.seat is not None else ("|", "|")


def counter_text(
    counter: CounterView, space: SpaceView | None, look: Look, console: Console, owner: int | None = None
) -> str:
    """A counter in words: `3 German Rifles A facing n (spent)`.  The owner of the place needs no naming."""
    side = look.title(counter.seat)
    words = f"{counter.count} " if counter.count > 1 else ""
    if side and console.color:
        words += console.style(look.side_style(counter.seat), f" {counter.label} ")
    elif side and counter.seat != owner and not counter.label.lower().startswith(side.lower()):
        words += f"{side} {counter.label}"
    else:
        words += counter.label
    facing = facing_of(counter, space) if space is not None else ""
    if facing:
        words += f" facing {facing}"
    if counter.states:
        words += f" ({', '.join(counter.states)})"
    return words
