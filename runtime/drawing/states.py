"""What a position says of the places of a map: what they are worth, whose they are, which sets of the game name them.

A label is drawn where it stands out: what most of the map says is in the words of a place only."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from grognard.contract.bitsets import elements
from grognard.contract.header import NONE
from grognard.contract.schema import DomainSchema, FieldSchema
from grognard.drawing.look import Look
from grognard.drawing.scene import Source, Space
from grognard.drawing.shapes import Sheet
from grognard.drawing.svg import element, group, many_labels, polygon_path

#: What more of the map than this says does not stand out.
RARE = 0.25
LONGEST = 16


def state_layers(
    source: Source, look: Look, spaces: list[Space], sheets: list[Sheet], colours: dict[str, str]
) -> str:
    """Held ground in its holder's colour, and labels, for maps of hexes and squares."""
    parts = []
    for space, sheet in zip(spaces, sheets):
        if not sheet.cells or space.map.sort == "areas":
            continue
        labels = place_labels(source, look, space)
        # Below the counters; where the map prints something there, above it.
        shown = [
            (", ".join(words)[:LONGEST], cell.x, cell.y + (23 if place.flags else 32))
            for words, cell, place in zip(labels, sheet.cells, space.places)
            if words
        ]
        if space.map.sort == "hexes":
            parts += [
                element("path", d=polygon_path(cell.polygon), fill=colours[holder], fill_opacity="0.3")
                for holder, cell in zip(_holders(source, space), sheet.cells)
                if holder in colours
            ]
        halo = {"paint_order": "stroke", "stroke": "#fffdf2", "stroke_width": 2.5}
        parts.append(many_labels(shown, 8, fill="#8c1d18", font_weight="bold", **halo))
    return group("states", [part for part in parts if part])


def place_labels(source: Source, look: Look, space: Space) -> list[list[str]]:
    """For each place of a space what stands out of its state, in words."""
    told: list[list[tuple[str, str]]] = [[] for _ in space.places]
    for info in _state_fields(source, space):
        if info.name in look.unshown:
            continue
        for n in range(len(space.places)):
            words = _worded(source, info, space.map.base + n)
            if words:
                told[n].append((info.name, words))
    for info, members in _named_sets(source):
        for value in members:
            if info.name not in look.unshown and 0 <= value - space.map.base < len(space.places):
                told[value - space.map.base].append(
                    (info.name, info.name.replace("_", " ").removesuffix("s"))
                )
    common = Counter(name for place in told for name, _ in place)
    return [[words for name, words in place if common[name] <= RARE * len(space.places)] for place in told]


def _state_fields(source: Source, space: Space) -> Iterator[FieldSchema]:
    """The fields of all places of a space that everybody sees."""
    dom = _domain(source, space)
    for info in dom.fields.values():
        if info.field is not None and not info.axes and not info.edge and _open(source, info):
            yield info


def _domain(source: Source, space: Space) -> DomainSchema:
    return next(dom for dom in source.schema.doms if dom.id == space.map.domain)


def _open(source: Source, info: FieldSchema) -> bool:
    hidden = source.schema.secret_fields | source.schema.veiled_fields
    return not info.secret and info.field not in hidden


def _worded(source: Source, info: FieldSchema, value: int) -> str:
    """What a field says of a place; nothing where it says nothing, or whose the place is."""
    sides = (source.schema.seats, source.schema.sides)
    if info.type.sort not in ("int", "flag", "dom") or (info.type.dom is not None and info.type.dom in sides):
        return ""
    what = source.state(info, value)
    words = info.name.replace("_", " ")
    if what == NONE:
        return ""
    if info.type.sort == "dom":
        # The first member of a list says that nothing is the matter.
        dom = info.type.dom
        if dom is None or (not info.type.optional and what == source.data.domains[dom.id].base):
            return ""
        return source.title(dom, what)
    if what == 0:
        return ""
    return words if info.type.sort == "flag" else f"{words} {what}"


def _holders(source: Source, space: Space) -> list[str]:
    """For each place the side that holds it, by a field that names one."""
    sides = (source.schema.seats, source.schema.sides)
    found = [""] * len(space.places)
    for info in _state_fields(source, space):
        dom = info.type.dom
        if info.type.sort != "dom" or dom is None or dom not in sides:
            continue
        for n in range(len(found)):
            what = source.state(info, space.map.base + n)
            if what != NONE and not found[n]:
                found[n] = source.name(dom, what)
    return found


def _named_sets(source: Source) -> Iterator[tuple[FieldSchema, list[int]]]:
    """The game's sets of places, such as its objectives."""
    layout = source.scenario.layout
    for info in source.schema.globals.values():
        dom = info.type.dom
        if info.type.sort != "set" or dom is None or dom.sort != "place" or info.axes or info.field is None:
            continue
        if _open(source, info):
            start, words = layout.field_offset[info.field], layout.field_words[info.field]
            mask = sum((source.cell(start + n) & 0xFFFF_FFFF) << (32 * n) for n in range(words))
            yield info, list(elements(mask, layout.base[dom.id]))
