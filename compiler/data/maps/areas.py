"""Map files of areas, boxes and tracks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from grognard.compiler.data.maps.edges import read_edges
from grognard.compiler.data.maps.sheets import MAP_KEYS, Sheet
from grognard.compiler.sema.types import Dom
from grognard.compiler.support.yamlfile import (
    YList,
    YMap,
    YNode,
    YScalar,
    check_keys,
    expect_int,
    expect_list,
    expect_map,
    expect_text,
)
from grognard.support.source import Span
from grognard.support.suggest import hint_for

if TYPE_CHECKING:
    from grognard.compiler.data.maps.load import MapLoader

_AREA_KEYS = ("areas", "boxes", "track", "default", "edges")


def read_areas(loader: MapLoader, space: Dom, table: YMap, what: str) -> Sheet | None:
    check_keys(table, loader.sink, what, optional=(*_AREA_KEYS, *MAP_KEYS))
    forms = [key for key in ("areas", "boxes", "track") if key in table.entries]
    if len(forms) != 1:
        lacks = f"{what} lacks `areas`" if not forms else f"{what} lists its places twice: {', '.join(forms)}"
        loader.sink.error("GR0603", table.span, lacks)
        return None
    node = table.entries[forms[0]].value
    sheet = Sheet("areas")
    default = loader.declared(
        space, loader.row_of(table.get("default"), f"{what}: default"), f"{what}: default"
    )
    adjacent: list[list[tuple[str, Span]]] = []
    for name, span, row_node in _area_rows(loader, node, what):
        row = loader.row_of(row_node, f"{what}: {name}")
        part = _class(loader, space, name, row.pop("class", None), span)
        if part is None:
            loader.bad.add(name)
            continue
        title = row.pop("name", None)
        shown = expect_text(title[1], loader.sink, f"{name}: name") if title else None
        adjacent.append(_names(loader, row.pop("adjacent", None), f"{name}: adjacent"))
        for key in ("cite", "note"):
            row.pop(key, None)
        sheet.names.append(name)
        sheet.titles.append(shown or name.replace("_", " "))
        sheet.spans.append(span)
        fields = {**space.fields, **(space.classes[part].fields if space.classes else {})}
        sheet.rows.append({**{k: v for k, v in default.items() if k in fields}, **row})
        sheet.classes.append(part)
    _adjacency(loader, sheet, adjacent, space.space_sort == "track")
    read_edges(loader, sheet, table.get("edges"), what)
    return sheet


def _area_rows(loader: MapLoader, node: YNode, what: str) -> list[tuple[str, Span, YNode | None]]:
    """Areas with their rows; boxes without fields may be a list of names, or how many there are."""
    if isinstance(node, YScalar) and isinstance(node.value, int) and not isinstance(node.value, bool):
        count = expect_int(node, loader.sink, what, 1, 10_000) or 0
        return [(str(number), node.span, None) for number in range(1, count + 1)]
    if isinstance(node, YList):
        found: list[tuple[str, Span, YNode | None]] = []
        for item in node.items:
            name = expect_text(item, loader.sink, f"{what}: a place")
            if name is not None and any(name == known for known, _, _ in found):
                loader.sink.error("GR0606", item.span, f"the place `{name}` is given twice")
            elif name is not None:
                found.append((name, item.span, None))
        return found
    table = expect_map(node, loader.sink, f"{what}: areas")
    if table is None:
        return []
    return [
        (key, e.key_span, None if isinstance(e.value, YScalar) and e.value.value is None else e.value)
        for key, e in table.entries.items()
    ]


def _class(
    loader: MapLoader, space: Dom, name: str, given: tuple[Span, YNode] | None, span: Span
) -> int | None:
    names = [part.name for part in space.classes]
    if given is None:
        if names:
            loader.sink.error("GR0603", span, f"{name} lacks `class`", hint=f"one of {', '.join(names)}")
            return None
        return 0
    text = expect_text(given[1], loader.sink, f"{name}: class")
    if text is None:
        return None
    if text not in names:
        loader.sink.error(
            "GR0608", given[1].span, f"{space.name} has no class `{text}`", hint=hint_for(text, names)
        )
        return None
    return names.index(text)


def _names(loader: MapLoader, given: tuple[Span, YNode] | None, what: str) -> list[tuple[str, Span]]:
    if given is None:
        return []
    items = expect_list(given[1], loader.sink, what)
    found: list[tuple[str, Span]] = []
    for item in items.items if items else ():
        name = expect_text(item, loader.sink, what)
        if name is not None:
            found.append((name, item.span))
    return found


def _adjacency(loader: MapLoader, sheet: Sheet, adjacent: list[list[tuple[str, Span]]], track: bool) -> None:
    index = sheet.index()
    links: list[set[int]] = [set() for _ in sheet.names]
    places: list[tuple[int, int, Span]] = []
    for a, names in enumerate(adjacent):
        for name, span in names:
            b = loader.place(index, name, span)
            if b == a:
                loader.sink.error("GR0614", span, f"`{name}` cannot be next to itself")
            elif b is not None:
                links[a].add(b)
                places.append((a, b, span))
    if track and not places:
        links = [{b for b in (a - 1, a + 1) if 0 <= b < len(links)} for a in range(len(links))]
    for a, b, span in places:
        if a not in links[b]:
            loader.sink.warning(
                "GR0612",
                span,
                f"`{sheet.names[a]}` is next to `{sheet.names[b]}`, but not the other way round",
                hint=f"add `{sheet.names[a]}` to the neighbours of `{sheet.names[b]}`; taken as mutual",
            )
    for a, b, _ in places:
        links[b].add(a)
    sheet.around = [sorted(link) for link in links]
