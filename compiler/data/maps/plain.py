"""Plain boards of examples of play, with the terrain that an example sets."""

from __future__ import annotations

from itertools import pairwise

from grognard.compiler.data.cells import CellReader
from grognard.compiler.data.ground import Ground
from grognard.compiler.data.maps.cells import data_fields
from grognard.compiler.data.maps.sheets import (
    LoadedMap,
    Sheet,
    grid_sheet,
)
from grognard.compiler.data.values import Value
from grognard.compiler.sema.types import POINTY_DIRECTIONS, Dom
from grognard.contract.examples import BoardMark, BoardSpec
from grognard.geometry import Layout as GridLayout
from grognard.geometry import Numbering
from grognard.support.source import Span
from grognard.support.suggest import hint_for


def plain_sheet(ground: Ground, space: Dom, spec: BoardSpec) -> Sheet:
    """The orientation of hexes follows the title's directions."""
    pointy = ground.symbols.direction is not None and ground.symbols.direction.members == POINTY_DIRECTIONS
    sort = "squares" if space.space_sort == "squares" else "hexes"
    layout: GridLayout = "odd-r" if pointy else "odd-q"
    sheet = grid_sheet(sort, layout, spec.columns, spec.rows, Numbering("{col:02}{row:02}"), set(), "")
    sheet.classes = [0] * len(sheet.names)
    return sheet


def plain_cells(reader: CellReader, entry: LoadedMap, space: Dom, spec: BoardSpec) -> None:
    terrain = next(
        (i for i in data_fields(space).values() if i.type.dom is not None and i.type.dom.sort == "kind"),
        None,
    )
    span = spec.span or Span("", 0, 0, 0, 0)
    for dom in (space, *space.classes, *([space.edges] if space.edges else [])):
        for info in data_fields(dom).values():
            assert info.column is not None
            column = entry.columns.setdefault(info.column, {})
            value: Value | None = reader.default(info)
            if info is terrain and info.type.sort == "dom":
                assert info.type.dom
                value = reader.member(info.type.dom, spec.terrain, span)
            if value is None:
                value = reader.ground.plain_default(info.type)
            for place in range(len(reader.ground.members(dom))):
                reader.spread(info.axes, (place,), column, value)
    for name, member, where in spec.terrain_at:
        found = reader.member(space, name, where or span)
        if terrain is None or terrain.column is None or terrain.type.dom is None or found is None:
            continue
        value = reader.member(terrain.type.dom, member, where or span)
        if value is not None:
            entry.columns[terrain.column][(found - reader.ground.base(space),)] = value
    for mark in spec.marks:
        _mark_cells(reader, entry, space, mark)


def _mark_cells(reader: CellReader, entry: LoadedMap, space: Dom, mark: BoardMark) -> None:
    """What an example draws on its board."""
    owner = space.edges if mark.along else space
    fields = data_fields(owner) if owner is not None else {}
    info = fields.get(mark.name)
    if info is None or info.column is None or info.axes or owner is None:
        what = "hexsides" if mark.along else "places"
        reader.sink.error(
            "GR0203",
            mark.span,
            f"{what} of {space.name} have no map data `{mark.name}`",
            hint=hint_for(mark.name, fields),
        )
        return
    value = reader.literal(info.type, mark.value)
    found = [(reader.member(space, name, span), span) for name, span in mark.places]
    if value is None or any(place is None for place, _ in found):
        return
    numbers = [(place - reader.ground.base(space), span) for place, span in found if place is not None]
    if not mark.along:
        for number, _ in numbers:
            entry.columns[info.column][(number,)] = value
        return
    edges = {pair: number for number, pair in enumerate(zip(entry.data.edge_a, entry.data.edge_b))}
    for (a, _), (b, span) in pairwise(numbers):
        edge = edges.get((min(a, b), max(a, b)))
        if edge is None:
            names = " and ".join(reader.ground.members(space)[n] for n in (a, b))
            reader.sink.error("GR0609", span, f"{names} are not next to each other")
        else:
            entry.columns[info.column][(edge,)] = value
