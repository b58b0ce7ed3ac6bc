"""A map that is a part of another one: for scenarios that need less ground, with the same names of places."""

from __future__ import annotations

from typing import TYPE_CHECKING

from grognard.compiler.data.maps.edges import read_edges
from grognard.compiler.data.maps.grids import differing_places
from grognard.compiler.data.maps.sheets import MAP_KEYS, MapChoice, Sheet
from grognard.compiler.sema.types import Dom
from grognard.compiler.support.yamlfile import YMap, check_keys, expect_list, expect_text
from grognard.contract.header import NONE

if TYPE_CHECKING:
    from grognard.compiler.data.maps.load import MapLoader


def read_part(loader: MapLoader, space: Dom, table: YMap, what: str) -> Sheet | None:
    """The places between two corners of the map that `part_of` names, with what this file says on top."""
    sort = space.space_sort
    required, optional = ("part_of", "corners"), (sort, "edges", *MAP_KEYS)
    if not check_keys(table, loader.sink, what, required=required, optional=optional):
        return None
    path_node = table.entries["part_of"].value
    path = expect_text(path_node, loader.sink, f"{what}: part_of")
    if path is None:
        return None
    if path in loader.within:
        loader.sink.error("GR0604", path_node.span, f'"{path}" is a part of itself')
        return None
    loader.within.append(path)
    whole = loader.sheet(MapChoice(space, path, path_node.span))
    loader.within.pop()
    if whole is None:
        return None
    cells = _cells(whole)
    corners = _corners(loader, whole, cells, table, what)
    if corners is None:
        return None
    (left, top), (right, bottom) = corners
    kept = [p for p, (across, down) in enumerate(cells) if left <= across <= right and top <= down <= bottom]
    sheet = _cut(whole, kept)
    differing_places(loader, sheet, table.get(sort), f"{what}: {sort}", sort)
    read_edges(loader, sheet, table.get("edges"), what)
    return sheet


def _corners(
    loader: MapLoader, whole: Sheet, cells: list[tuple[int, int]], table: YMap, what: str
) -> tuple[tuple[int, int], tuple[int, int]] | None:
    node = table.entries["corners"].value
    items = expect_list(node, loader.sink, f"{what}: corners")
    if items is None:
        return None
    if len(items.items) != 2:
        loader.sink.error("GR0604", node.span, "corners must be two places, [top left, bottom right]")
        return None
    index = whole.index()
    found: list[tuple[int, int]] = []
    for item in items.items:
        name = expect_text(item, loader.sink, f"{what}: corners")
        place = loader.place(index, name, item.span) if name is not None else None
        if place is None:
            return None
        found.append(cells[place])
    return found[0], found[1]


def _cells(sheet: Sheet) -> list[tuple[int, int]]:
    """Column and row of each place.  Lines of hexes are staggered: they are measured in halves of a hex, and two halves
    from the edge of the map on are one line."""
    if sheet.sort != "hexes":
        return list(zip(sheet.q, sheet.r))
    straight, slanted = (sheet.q, sheet.r) if sheet.flat else (sheet.r, sheet.q)
    halves = [2 * b + a for a, b in zip(straight, slanted)]
    edge = min(halves)
    lines = [(half - edge) // 2 for half in halves]
    return list(zip(straight, lines)) if sheet.flat else list(zip(lines, straight))


def _cut(whole: Sheet, kept: list[int]) -> Sheet:
    new = {old: number for number, old in enumerate(kept)}
    sheet = Sheet(whole.sort, flat=whole.flat)
    sheet.names, sheet.titles = [whole.names[p] for p in kept], [whole.titles[p] for p in kept]
    sheet.spans, sheet.rows = [whole.spans[p] for p in kept], [dict(whole.rows[p]) for p in kept]
    sheet.classes = [whole.classes[p] for p in kept]
    sheet.q, sheet.r = [whole.q[p] for p in kept], [whole.r[p] for p in kept]
    sheet.around = [[new.get(other, NONE) for other in whole.around[p]] for p in kept]
    sheet.aliases = {name: new[p] for name, p in whole.aliases.items() if p in new}
    sheet.edge_rows = {
        (new[a], new[b]): dict(row) for (a, b), row in whole.edge_rows.items() if a in new and b in new
    }
    return sheet
