"""Maps in text: hexes with their outlines, boards of squares, areas as a list.

A counter is drawn as `[A ↑]`: its code and its facing.  In colour it stands on its side's colour; without, the
brackets tell the sides apart: [ ] the first, ( ) the second, { } the third, < > all others.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from textwrap import wrap

from grognard.cli.boardview import CounterView, PlaceView, SpaceView
from grognard.cli.canvas import Canvas
from grognard.cli.console import COLOURS, INKS, SIDE_STYLES, Console, fit, wide

ARROWS = {"n": "↑", "ne": "↗", "e": "→", "se": "↘", "s": "↓", "sw": "↙", "w": "←", "nw": "↖"}
BRACKETS = ("[]", "()", "{}", "<>")
#: Areas beyond this number are listed only if something is in them.
ALL_AREAS = 30


@dataclass(frozen=True, slots=True)
class Look:
    """How a title wants to be drawn: colours of sides and terrain, letters of terrain, by name."""

    seats: Sequence[str]
    colours: dict[str, str]
    symbols: dict[str, str]

    def side_style(self, seat: int | None) -> str:
        if seat is None or not 0 <= seat < len(self.seats):
            return "7"
        name = self.seats[seat]
        # A side that is called red is red.
        wanted = self.colours.get(name, name)
        return COLOURS.get(wanted.lower(), SIDE_STYLES[seat % len(SIDE_STYLES)])

    def ink(self, terrain: str) -> str:
        return INKS.get(self.colours.get(terrain, "").lower(), "")

    def letter(self, place: PlaceView) -> str:
        own = self.symbols.get(place.terrain, "")
        return own[0] if own and own[0].isprintable() else place.letter


def draw_space(space: SpaceView, look: Look, console: Console, size: str = "auto") -> list[str]:
    """The lines of a map; `size` is large, small, or auto: the largest that fits the width."""
    if space.map.sort == "hexes":
        draw = _draw_flat if space.map.flat else _draw_pointy
        if size == "auto":
            size = "large" if _hex_width(space) <= console.width else "small"
        lines = draw(space, look, console, size == "large").lines(console)
    elif space.map.sort == "squares":
        lines = _draw_squares(space, look, console).lines(console)
    else:
        return _list_areas(space, look, console)
    return lines + _legend(space, look, console)


# -------------------------------------------------------------------------------------------------- counters


def _counter(counter: CounterView, space: SpaceView, look: Look, console: Console, width: int) -> tuple[str, str]:
    """A counter in exactly so many columns, and its style."""
    facing = ""
    if counter.facing is not None and 0 <= counter.facing < len(space.directions):
        name = space.directions[counter.facing]
        facing = ARROWS.get(name, name[:2]) if console.unicode else name[:2]
    code = counter.code if counter.count == 1 else f"{counter.count}{counter.code}"
    if console.color:
        room = width - wide(facing)
        text = fit(" " + code if width > wide(code) + wide(facing) else code, room)
        return text + facing, look.side_style(counter.seat)
    left, right = BRACKETS[min(counter.seat or 0, 3)] if counter.seat is not None else "||"
    if width < 4:
        return fit(code, width), ""
    return left + fit(code, width - 2 - wide(facing)) + facing + right, ""


def _letter(counter: CounterView, look: Look, console: Console) -> tuple[str, str]:
    """A counter in one column."""
    return counter.code[:1], look.side_style(counter.seat) if console.color else ""


def _ground(place: PlaceView, look: Look) -> str:
    level = str(place.level) if place.level else ""
    return look.letter(place) + level


# ----------------------------------------------------------------------------------------------------- hexes


def _hex_width(space: SpaceView) -> int:
    """Columns of the large drawing."""
    if not space.map.n:
        return 0
    if space.map.flat:
        return (max(space.map.q) - min(space.map.q)) * 6 + 8
    across = [2 * q + r for q, r in zip(space.map.q, space.map.r)]
    return (max(across) - min(across)) * 3 + 7


def _draw_flat(space: SpaceView, look: Look, console: Console, large: bool) -> Canvas:
    r"""Flat-top hexes; columns of the map are columns on the screen.

         ____
        /0101\
       /[A ^] \____
       \ w2   /0201\
        \____/
    """
    canvas = Canvas()
    q, r = space.map.q, space.map.r
    if not q:
        return canvas
    # Twice the row, so that columns which lie half a hex lower come out even.
    down = [2 * rr + qq for qq, rr in zip(q, r)]
    left, top = min(q), min(down)
    for place, qq, dd in zip(space.places, q, down):
        if large:
            x, y = (qq - left) * 6, (dd - top) * 2
            canvas.put(x + 2, y, "____", "frame")
            for column, line, char in (
                (1, 1, "/"), (6, 1, "\\"), (0, 2, "/"), (7, 2, "\\"),
                (0, 3, "\\"), (7, 3, "/"), (1, 4, "\\"), (6, 4, "/"),
            ):  # fmt: skip
                canvas.put(x + column, y + line, char, "frame")
            canvas.put(x + 2, y + 4, "____", "frame")
            canvas.put(x + 2, y + 1, fit(place.name, 4), "dim")
            _inside(canvas, place, space, look, console, (x + 1, y + 2, 6), (x + 1, y + 3, 6))
        else:
            x, y = (qq - left) * 3, dd - top
            canvas.put(x + 1, y, "__", "frame")
            canvas.put(x, y + 1, "/", "frame")
            canvas.put(x + 3, y + 1, "\\", "frame")
            canvas.put(x, y + 2, "\\__/", "frame")
            _narrow(canvas, place, space, look, console, x + 1, y + 1, 2)
    return canvas


def _draw_pointy(space: SpaceView, look: Look, console: Console, large: bool) -> Canvas:
    r"""Pointy-top hexes; rows of the map are rows on the screen.

          / \
         /   \
        |0101 |
        |[A^] |
         \ w /
          \ /
    """
    canvas = Canvas()
    q, r = space.map.q, space.map.r
    if not q:
        return canvas
    across = [2 * qq + rr for qq, rr in zip(q, r)]
    left, top = min(across), min(r)
    for place, aa, rr in zip(space.places, across, r):
        if large:
            x, y = (aa - left) * 3, (rr - top) * 4
            for column, line, char in (
                (2, 0, "/"), (4, 0, "\\"), (1, 1, "/"), (5, 1, "\\"),
                (0, 2, "|"), (6, 2, "|"), (0, 3, "|"), (6, 3, "|"),
                (1, 4, "\\"), (5, 4, "/"), (2, 5, "\\"), (4, 5, "/"),
            ):  # fmt: skip
                canvas.put(x + column, y + line, char, "frame")
            canvas.put(x + 1, y + 2, fit(place.name, 5), "dim")
            _inside(canvas, place, space, look, console, (x + 1, y + 3, 5), (x + 2, y + 4, 3))
        else:
            x, y = (aa - left) * 2, (rr - top) * 2
            canvas.put(x + 1, y, "/", "frame")
            canvas.put(x + 3, y, "\\", "frame")
            canvas.put(x, y + 1, "|", "frame")
            canvas.put(x + 4, y + 1, "|", "frame")
            canvas.put(x + 1, y + 2, "\\", "frame")
            canvas.put(x + 3, y + 2, "/", "frame")
            _narrow(canvas, place, space, look, console, x + 1, y + 1, 3)
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
    """The top counter in the upper line, ground and the rest of the stack in the lower one; (column, line, width)."""
    column, line, width = upper
    if place.counters:
        text, style = _counter(place.counters[0], space, look, console, width)
        canvas.put(column, line, text, style)
    column, line, width = lower
    ground = _ground(place, look)
    more = sum(c.count for c in place.counters[1:])
    extra = f"+{more}" if more else ""
    if place.states:
        extra = "*" + extra
    pad = " " if wide(ground) + wide(extra) + 1 < width else ""
    canvas.put(column, line, pad)
    canvas.put(column + len(pad), line, ground, look.ink(place.terrain))
    if extra:
        canvas.put(column + width - wide(extra), line, extra, "bold")


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
    """One line of two or three columns for all."""
    if not place.counters:
        canvas.put(column + width - 2, line, fit(_ground(place, look), 2), look.ink(place.terrain))
        return
    top = place.counters[0]
    facing = ""
    if top.facing is not None and 0 <= top.facing < len(space.directions) and console.unicode:
        facing = ARROWS.get(space.directions[top.facing], "")
    canvas.put(
        column, line, fit(top.code, width - wide(facing)) + facing, look.side_style(top.seat) if console.color else ""
    )


# --------------------------------------------------------------------------------------------------- squares


def _axis_names(space: SpaceView) -> tuple[dict[int, str], dict[int, str]] | None:
    """Names of columns and rows, if every square is called by the two (A1, or 1A); None otherwise."""
    names = {(q, r): place.name for q, r, place in zip(space.map.q, space.map.r, space.places)}
    columns: dict[int, list[str]] = {}
    rows: dict[int, list[str]] = {}
    for (q, r), name in names.items():
        columns.setdefault(q, []).append(name)
        rows.setdefault(r, []).append(name)
    for first, second in ((_prefix, _suffix), (_suffix, _prefix)):
        across = {q: first(group) for q, group in columns.items()}
        along = {r: second(group) for r, group in rows.items()}
        made = (
            {(q, r): across[q] + along[r] for q, r in names}
            if first is _prefix
            else {(q, r): along[r] + across[q] for q, r in names}
        )
        if made == names:
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


def _draw_squares(space: SpaceView, look: Look, console: Console) -> Canvas:
    """A board with its letters and numbers at the sides; one column for stones, six for counters with names."""
    canvas = Canvas()
    if not space.map.n:
        return canvas
    plain = all(len(c.code) == 1 and c.facing is None for p in space.places for c in p.counters) and all(
        len(p.counters) < 2 for p in space.places
    )
    width = 3 if plain else 7
    axes = _axis_names(space)
    left, top = min(space.map.q), min(space.map.r)
    margin = max((wide(n) for n in axes[1].values()), default=0) + 2 if axes else 2
    height = max(space.map.r) - top + 1
    breadth = (max(space.map.q) - left + 1) * width
    for line in range(1, height + 1):
        canvas.put(margin - 1, line, "│" if console.unicode else "|", "frame")
        canvas.put(margin + breadth, line, "│" if console.unicode else "|", "frame")
    dash = "─" if console.unicode else "-"
    canvas.put(margin - 1, 0, ("┌" if console.unicode else "+") + dash * breadth + ("┐" if console.unicode else "+"), "frame")
    canvas.put(
        margin - 1,
        height + 1,
        ("└" if console.unicode else "+") + dash * breadth + ("┘" if console.unicode else "+"),
        "frame",
    )
    for place, q, r in zip(space.places, space.map.q, space.map.r):
        x, y = margin + (q - left) * width, r - top + 1
        if place.counters and plain:
            letter, style = _letter(place.counters[0], look, console)
            canvas.put(x, y, f" {letter} ", style)
        elif place.counters:
            text, style = _counter(place.counters[0], space, look, console, 5)
            canvas.put(x, y, text, style)
            more = sum(c.count for c in place.counters[1:])
            canvas.put(x + 5, y, f"+{more}" if more else "  ", "bold")
        else:
            canvas.put(x + width // 2, y, (look.letter(place) if place.terrain else "·" if console.unicode else "."), look.ink(place.terrain) or "dim")
    if axes:
        for q, name in axes[0].items():
            canvas.put(margin + (q - left) * width + (width - 1) // 2, height + 2, name, "bold")
        for r, name in axes[1].items():
            canvas.put(margin - 2 - wide(name), r - top + 1, name, "bold")
    return canvas


# ----------------------------------------------------------------------------------------------------- areas


def _list_areas(space: SpaceView, look: Look, console: Console) -> list[str]:
    """Areas by name, with ground, state and counters; of many only those that hold something."""
    lines: list[str] = []
    shown = space.places
    if len(shown) > ALL_AREAS:
        shown = [place for place in shown if place.counters or place.states]
    room = max((wide(place.title) for place in shown), default=0)
    for place in shown:
        parts = []
        if place.terrain:
            parts.append(console.style(look.ink(place.terrain), place.terrain))
        parts += place.states
        parts += [counter_text(counter, space, look, console) for counter in place.counters]
        lines.append(f"  {place.title}{' ' * (room - wide(place.title))}  {', '.join(parts)}".rstrip())
    empty = len(space.places) - len(shown)
    if empty:
        lines.append(f"  (and {empty} empty ones)")
    return lines


def counter_text(counter: CounterView, space: SpaceView | None, look: Look, console: Console) -> str:
    """A counter in words: `3 German Rifles A facing n (spent)`."""
    side = look.seats[counter.seat] if counter.seat is not None and counter.seat < len(look.seats) else ""
    words = f"{counter.count} " if counter.count > 1 else ""
    if side and console.color:
        words += console.style(look.side_style(counter.seat), f" {counter.label} ")
    else:
        own = counter.label.lower().startswith(side.lower()) if side else True
        words += counter.label if own else f"{side} {counter.label}"
    if counter.facing is not None and space is not None and counter.facing < len(space.directions):
        words += f" facing {space.directions[counter.facing]}"
    if counter.states:
        words += f" ({', '.join(counter.states)})"
    return words


# ---------------------------------------------------------------------------------------------------- legend


def _legend(space: SpaceView, look: Look, console: Console) -> list[str]:
    """What the letters stand for, and what cannot be seen in the drawing: whole stacks and states."""
    lines: list[str] = []
    grounds = {look.letter(place): place.terrain for place in space.places if place.terrain}
    if grounds:
        text = "   ".join(f"{letter} {name}" for letter, name in grounds.items())
        lines += wrap(text, max(40, console.width - 2), initial_indent="  ", subsequent_indent="  ")
    for place in space.places:
        stones = space.map.sort == "squares" and all(len(c.code) == 1 and not c.states for c in place.counters)
        if (place.counters and not stones) or place.states:
            inside = [
                f"{counter.code} = {counter_text(counter, space, look, console)}" for counter in place.counters
            ]
            lines.append(f"  {console.style('bold', place.name)}  {', '.join([*inside, *place.states])}")
    return lines
