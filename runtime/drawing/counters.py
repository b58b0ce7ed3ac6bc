"""Counters drawn from the data: the sign of the kind, its printed values, the side's colour.

A symbol is as wide and high as SIZE.  Its body has the colour of the text around it (`currentColor`), so one symbol serves all
sides.  What changes in play (name, steps, facing, states) is put over it by who knows the position."""

from __future__ import annotations

import math
import re
from collections import defaultdict
from collections.abc import Container
from typing import TYPE_CHECKING, Any, TypeAlias

from grognard.contract.header import NONE
from grognard.contract.schema import DomainSchema, FieldSchema
from grognard.drawing.glyphs import draw_glyph, glyph_for, glyph_named
from grognard.drawing.look import Look, look_of
from grognard.drawing.patterns import side_defs, side_fill
from grognard.drawing.scene import Source, Space, source_of
from grognard.drawing.shapes import Sheet
from grognard.drawing.svg import document, element, text_node

if TYPE_CHECKING:
    from grognard.play.engine import Engine

SIZE = 44.0
FONT = "system-ui, sans-serif"
#: How a counter looks on a picture: its symbol, the colour of its side, its type, the way it faces in degrees.
Face: TypeAlias = tuple[str, str, str, float | None]
#: Columns that counters have in their lower line, the first three that there are; then those of the upper right corner.
VALUES = (
    "atk", "attack", "fp", "firepower", "combat", "strength", "cs", "a2a", "def", "defence", "defense", "armour", "dr",
    "strike", "move", "ma", "movement", "cross", "move_cost", "full", "price", "output", "vp",
)  # fmt: skip
#: Columns that only things have that go somewhere; all others lie below them in a stack.
GOES = ("move", "moves", "ma", "movement", "move_cost", "cross", "speed")
CORNERS = ("er", "quality", "morale", "fire_cost", "range", "reach", "cost", "number")


def counters_svg(engine: Engine, scenario: str | None = None) -> str:
    """A file of symbols: `body`, `k-KIND-ROW` for each row of a kind that counters are of, `k-PIECE` where they have none, `back`."""
    return document(SIZE, SIZE, element("defs", symbols(engine, look_of(engine), scenario)), class_="symbols")


def symbols(
    engine: Engine, look: Look, scenario: str | None = None, only: Container[str] | None = None
) -> str:
    """All symbols, or only those whose names are wanted."""
    source = source_of(engine, scenario)
    parts = [
        side_defs(),
        _symbol("body", _cardboard()),
        _symbol(
            "back",
            _body() + text_node("?", 22, 31, 26, text_anchor="middle", fill="#1f1f1c", fill_opacity="0.5"),
        ),
    ]
    drawn: set[str] = set()
    for piece in source.schema.doms:
        if piece.sort != "piece":
            continue
        if piece.kind is None:
            if only is not None and f"k-{piece.name}" not in only:
                continue
            glyph = draw_glyph(glyph_for(piece.name), _letters(piece.name), 8, 11)
            parts.append(_symbol(f"k-{piece.name}", _body() + glyph))
        elif piece.kind.name not in drawn:
            drawn.add(piece.kind.name)
            parts += _kind(source, piece, piece.kind, look, only)
    return "".join(parts)


def _symbol(name: str, content: str) -> str:
    return element("symbol", content, id=name, font_family=FONT, viewBox=f"0 0 {SIZE:g} {SIZE:g}")


def _body() -> str:
    """What all counters have in common, by one node each."""
    return element("use", href="#body", width=SIZE, height=SIZE)


def _cardboard() -> str:
    """A piece of cardboard: its shadow, its face, the edge that catches the light, and a strip at the right that has the
    pattern of the side: it is filled as the element that shows the symbol is."""
    return (
        element("rect", x=2.6, y=2.8, width=41, height=41, rx=4, fill="#14130f", fill_opacity="0.32")
        + element(
            "rect",
            x=1,
            y=1,
            width=41,
            height=41,
            rx=3.5,
            fill="currentColor",
            stroke="#2a2822",
            stroke_width=1,
        )
        + element(
            "path",
            d="M2.200 40v-35.500q0-2.300 2.300-2.300h35.500",
            fill="none",
            stroke="#ffffff",
            stroke_opacity="0.6",
            stroke_width=1,
        )
        + element("path", d="M37.200 11.500h4.300v18.500h-4.300z", fill_opacity="0.75")
    )


def _letters(name: str) -> str:
    words = [word for word in re.split(r"[_\W]+", name) if word]
    if len(words) > 1:
        return "".join(word[0] for word in words)[:3].upper()
    return (words[0][:3] if words else "?").upper()


def _kind(
    source: Source, piece: DomainSchema, kind: DomainSchema, look: Look, only: Container[str] | None
) -> list[str]:
    data = source.data.domains[kind.id]
    own = look.counters.get(kind.name, {})
    wished = own.get("symbols")
    named: dict[str, Any] = wished if isinstance(wished, dict) else {}
    values = own.get("values")
    corner = own.get("corner")
    parts = []
    for row in range(data.base, data.base + data.count):
        name = data.names[row - data.base]
        if only is not None and f"k-{kind.name}-{name}" not in only:
            continue
        title = data.title(row)
        if name in named:
            glyph = glyph_named(str(named[name]))
        else:
            glyph = glyph_for(title, name, _member_words(source, kind, row), piece.name)
        inside = _body() + draw_glyph(glyph, _letters(title), 8, 11)
        printed = [str(v) for v in values] if isinstance(values, list) else default_values(kind)
        texts = [text for text in (_value(source, kind, column, row) for column in printed) if text]
        # Rather less than too small to read.
        while len(texts) > 1 and len("-".join(texts)) > 9:
            texts.pop()
        if texts:
            shown = "-".join(texts)
            inside += text_node(
                shown,
                22,
                40,
                min(11.0, 62 / max(4, len(shown))),
                text_anchor="middle",
                font_weight="bold",
                fill="#1a1a17",
            )
        wanted = str(corner) if corner else next((c for c in CORNERS if c in kind.fields), "")
        upper = _value(source, kind, wanted, row) if wanted else ""
        if upper:
            inside += text_node(upper, 41, 9.5, 8, text_anchor="end", font_weight="bold", fill="#1a1a17")
        parts.append(_symbol(f"k-{kind.name}-{name}", inside))
    return parts


def default_values(kind: DomainSchema) -> list[str]:
    found = [name for name in VALUES if name in kind.fields and kind.fields[name].column is not None]
    return found[:3]


def _member_words(source: Source, kind: DomainSchema, row: int) -> str:
    """What the row's columns of enums and kinds say: `foot`, `tracked`."""
    words = []
    for info in kind.fields.values():
        if (
            info.column is not None
            and not info.axes
            and info.type.sort == "dom"
            and info.type.dom is not None
        ):
            value = source.datum(info, row)
            if value != NONE:
                words.append(source.title(info.type.dom, value))
    return " ".join(words)


def _value(source: Source, kind: DomainSchema, column: str, row: int) -> str:
    """A printed value; of a column by some list, the values for all of it: `3/1`, or for the member behind a point."""
    name, _, member = column.partition(".")
    info = kind.fields.get(name)
    if info is None or info.column is None or info.type.sort not in ("int", "dom"):
        return ""
    if not info.axes:
        value = source.datum(info, row)
        return "" if value == NONE else source.shown(info, value)
    if len(info.axes) > 1:
        return ""
    axis = source.data.domains[info.axes[0].id]
    chosen = [n for n in range(axis.count) if not member or axis.names[n] == member]
    if len(chosen) > 3:
        return ""
    shown = [source.datum(info, row, axis.base + n) for n in chosen]
    return "/".join("-" if value == NONE else str(value) for value in shown)


# ------------------------------------------------------------------------------------------------------ roles


def counter_roles(source: Source) -> dict[str, Any]:
    """For each type of pieces, which of its fields says where it lies, whose it is, which way it looks, what it is of."""
    found: dict[str, Any] = {}
    for dom in source.schema.doms:
        if dom.sort != "piece":
            continue
        places = _place_fields(dom)
        side = _field_to(dom, source.schema.seats) or _field_to(dom, source.schema.sides)
        facing = _field_to(dom, source.schema.direction)
        follows = places[0].follows if places else None
        entry: dict[str, Any] = {
            "places": [info.name for info in places],
            "side": side.name if side else None,
            "facing": facing.name if facing else None,
            "kind": dom.kind.name if dom.kind else None,
            "type": "type" if "type" in dom.fields else None,
            "carrier": follows,
            "steps": next((name for name in ("left", "steps", "strength") if name in dom.fields), None),
            "alike": dom.interchangeable,
            "goes": dom.kind is not None and any(name in dom.kind.fields for name in GOES),
        }
        if dom.kind is not None:
            data = source.data.domains[dom.kind.id]
            entry["titles"] = dict(zip(data.names, data.titles or data.names))
        found[dom.name] = entry
    return found


def _place_fields(dom: DomainSchema) -> list[FieldSchema]:
    """Fields that can say where a counter lies: `at` first."""
    places = [
        info
        for info in dom.fields.values()
        if info.field is not None
        and not info.axes
        and info.type.sort == "dom"
        and info.type.dom is not None
        and info.type.dom.sort == "place"
    ]
    stays = [
        info for info in places if info.name in ("at", "box", "holding", "where", "location", "area", "place")
    ]
    chosen = stays or places[:1]
    return sorted(chosen, key=lambda info: (info.name != "at",))


def _field_to(dom: DomainSchema, target: DomainSchema | None) -> FieldSchema | None:
    if target is None:
        return None
    for info in dom.fields.values():
        if info.field is not None and not info.axes and info.type.sort == "dom" and info.type.dom is target:
            return info
    return None


# --------------------------------------------------------------------------------------------- first position


def first_counters(source: Source, look: Look, spaces: list[Space], sheets: list[Sheet]) -> list[str]:
    """The counters of the first position in their places, as a picture; equal ones once, with their number."""
    cells = {
        space.map.base + n: cell for space, sheet in zip(spaces, sheets) for n, cell in enumerate(sheet.cells)
    }
    colours = look.side_colours(source.seat_names())
    fills = {colour: side_fill(number) for number, colour in reversed(list(enumerate(colours.values())))}
    stacks: dict[int, dict[Face, int]] = defaultdict(lambda: defaultdict(int))
    turns = _turns(spaces, sheets)
    for dom in source.schema.doms:
        if dom.sort == "piece":
            _collect(source, dom, colours, cells, turns, stacks)
    parts: list[str] = []
    for place, stack in stacks.items():
        cell = cells[place]
        size = min(SIZE, cell.r * 1.3) if len(stack) < 3 else min(SIZE, cell.r)
        step = min(size * 0.45, cell.r * 1.2 / max(1, len(stack)))
        left = cell.x - (size + step * (len(stack) - 1)) / 2
        for index, ((symbol, colour, _, turn), count) in enumerate(stack.items()):
            x, y = left + index * step, cell.y - size / 2 + 3
            fill = fills.get(colour, "none")
            parts.append(
                element("use", href=f"#{symbol}", x=x, y=y, width=size, height=size, color=colour, fill=fill)
            )
            if turn is not None:
                parts.append(_facing(x + size / 2, y + size / 2, size, turn))
            if count > 1:
                parts.append(
                    text_node(
                        str(count),
                        x + size * 0.1,
                        y + size * 0.28,
                        size * 0.3,
                        font_weight="bold",
                        fill="#000",
                    )
                )
    return parts + _stones(source, colours, spaces, sheets)


def _collect(
    source: Source,
    dom: DomainSchema,
    colours: dict[str, str],
    cells: dict[int, Any],
    turns: dict[int, list[float | None]],
    stacks: dict[int, dict[Face, int]],
) -> None:
    data = source.data.domains[dom.id]
    alive = source.program.domains[dom.id].alive
    places = _place_fields(dom)
    side = _field_to(dom, source.schema.seats) or _field_to(dom, source.schema.sides)
    facing = _field_to(dom, source.schema.direction)
    kind = dom.fields.get("type")
    layout = source.scenario.layout
    for value in range(data.base, data.base + data.count):
        if alive is not None and not source.cell(layout.field_offset[alive] + value - data.base):
            continue
        where = next((at for at in (source.state(info, value) for info in places) if at in cells), None)
        if where is None:
            continue
        owner = source.state(side, value) if side is not None else NONE
        colour = "#e6e1d0"
        if side is not None and side.type.dom is not None and owner != NONE:
            colour = colours.get(source.name(side.type.dom, owner), colour)
        symbol = f"k-{dom.name}"
        if kind is not None and kind.type.dom is not None:
            symbol = f"k-{kind.type.dom.name}-{source.name(kind.type.dom, source.state(kind, value))}"
        way = source.state(facing, value) if facing is not None else NONE
        around = turns[where]
        turn = around[way] if 0 <= way < len(around) else None
        stacks[where][symbol, colour, dom.name, turn] += 1


def _turns(spaces: list[Space], sheets: list[Sheet]) -> dict[int, list[float | None]]:
    """For each place where its directions point to, in degrees from the top of the picture.  On a grid they are the same
    everywhere, so that those that leave the map are known from places further in."""
    found: dict[int, list[float | None]] = {}
    for space, sheet in zip(spaces, sheets):
        entry = space.map
        around = len(entry.neighbours) // entry.n if entry.n and entry.sort != "areas" else 0
        turns: list[float | None] = [None] * around
        for n, cell in enumerate(sheet.cells):
            for way in range(around):
                other = entry.neighbours[n * around + way]
                if turns[way] is None and other != NONE:
                    to = sheet.cells[other]
                    turns[way] = round(math.degrees(math.atan2(to.x - cell.x, cell.y - to.y)), 1)
        for n in range(len(sheet.cells)):
            found[entry.base + n] = turns
    return found


def _facing(x: float, y: float, size: float, turn: float) -> str:
    """An arrowhead at the edge that a counter looks over."""
    a = math.radians(turn)
    far = size / 2 / max(abs(math.sin(a)), abs(math.cos(a)))
    tip = size * 0.2
    return element(
        "path",
        d=f"M0 {-tip:.1f}l{tip / 2:.1f} {tip:.1f}h{-tip:.1f}z",
        fill="#b3261e",
        stroke="#fffdf2",
        stroke_width=0.8,
        transform=f"translate({x:.1f} {y:.1f}) rotate({turn:g}) translate(0 {-min(far, size * 0.57) + tip * 0.4:.1f})",
    )


def _stones(source: Source, colours: dict[str, str], spaces: list[Space], sheets: list[Sheet]) -> list[str]:
    """Squares that are somebody's: a stone of that colour."""
    parts = []
    for space, sheet in zip(spaces, sheets):
        dom = next(d for d in source.schema.doms if d.id == space.map.domain)
        sides = (source.schema.seats, source.schema.sides)
        for info in dom.fields.values():
            if info.field is None or info.axes or info.type.sort != "dom" or info.type.dom not in sides:
                continue
            if space.map.sort != "squares" or info.type.dom is None:
                continue
            for n, cell in enumerate(sheet.cells):
                owner = source.state(info, space.map.base + n)
                if owner != NONE:
                    colour = colours.get(source.name(info.type.dom, owner), "#ccc")
                    parts.append(
                        element(
                            "circle",
                            cx=cell.x,
                            cy=cell.y,
                            r=20,
                            fill=colour,
                            stroke="#33312b",
                            stroke_width=2,
                        )
                    )
    return parts
