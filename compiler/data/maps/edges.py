"""Edges of a map file: between two places, along several, by the sides of one."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise
from typing import TYPE_CHECKING

from grognard.compiler.data.maps.sheets import Sheet
from grognard.compiler.sema.types import FLAT_DIRECTIONS, POINTY_DIRECTIONS
from grognard.compiler.support.yamlfile import (
    YMap,
    YNode,
    expect_list,
    expect_map,
    expect_text,
)
from grognard.contract.header import NONE

if TYPE_CHECKING:
    from grognard.compiler.data.maps.load import MapLoader


def read_edges(loader: MapLoader, sheet: Sheet, node: YNode | None, what: str) -> None:
    items = expect_list(node, loader.sink, f"{what}: edges") if node is not None else None
    index = sheet.index()
    for item in items.items if items else ():
        entry = expect_map(item, loader.sink, f"{what}: an edge")
        if entry is None:
            continue
        row = {
            key: (e.key_span, e.value)
            for key, e in entry.entries.items()
            if key not in ("between", "along", "of", "sides")
        }
        for a, b in _pairs(loader, sheet, index, entry):
            sheet.edge_rows.setdefault((min(a, b), max(a, b)), {}).update(row)


def _pairs(loader: MapLoader, sheet: Sheet, index: Mapping[str, int], entry: YMap) -> list[tuple[int, int]]:
    forms = [key for key in ("between", "along", "of") if key in entry.entries]
    if len(forms) != 1:
        loader.sink.error(
            "GR0603",
            entry.span,
            "an edge lacks `between`" if not forms else "an edge is given in two ways",
            hint="write between: [a, b], along: [a, b, c], or of: a with sides: [n, ne]",
        )
        return []
    form = forms[0]
    node = entry.entries[form].value
    if form == "of":
        return _sides(loader, sheet, index, entry, node)
    items = expect_list(node, loader.sink, form)
    if items is None:
        return []
    if len(items.items) < 2 or (form == "between" and len(items.items) != 2):
        loader.sink.error("GR0604", node.span, f"`{form}` needs two places")
        return []
    places: list[tuple[int, YNode]] = []
    for item in items.items:
        name = expect_text(item, loader.sink, form)
        place = loader.place(index, name, item.span) if name is not None else None
        if place is None:
            return []
        places.append((place, item))
    pairs: list[tuple[int, int]] = []
    for (a, _), (b, item) in pairwise(places):
        if b not in sheet.around[a]:
            around = [sheet.names[other] for other in sheet.around[a] if other != NONE]
            loader.sink.error(
                "GR0609",
                item.span,
                f"`{sheet.names[b]}` is not next to `{sheet.names[a]}`",
                hint=f"next to it {'lies' if len(around) == 1 else 'lie'} {', '.join(around[:12])}"
                if around
                else None,
            )
            continue
        pairs.append((a, b))
    return pairs


def _sides(
    loader: MapLoader, sheet: Sheet, index: Mapping[str, int], entry: YMap, node: YNode
) -> list[tuple[int, int]]:
    name = expect_text(node, loader.sink, "of")
    place = loader.place(index, name, node.span) if name is not None else None
    sides_node = entry.get("sides")
    if sides_node is None:
        loader.sink.error("GR0603", entry.span, "an edge with `of` lacks `sides`")
        return []
    sides = expect_list(sides_node, loader.sink, "sides")
    if sheet.sort == "squares":
        names = ["n", "ne", "e", "se", "s", "sw", "w", "nw"]
    else:
        names = FLAT_DIRECTIONS if sheet.flat else POINTY_DIRECTIONS
    pairs: list[tuple[int, int]] = []
    for item in sides.items if sides and place is not None else ():
        text = expect_text(item, loader.sink, "sides")
        if text is None or place is None:
            continue
        if text not in names or sheet.sort not in ("hexes", "squares"):
            loader.sink.error("GR0608", item.span, f"`{text}` is no direction of this map")
            continue
        other = sheet.around[place][names.index(text)]
        if other == NONE:
            loader.sink.error("GR0609", item.span, f"`{name}` lies on the rim: nothing is {text} of it")
            continue
        pairs.append((place, other))
    return pairs
