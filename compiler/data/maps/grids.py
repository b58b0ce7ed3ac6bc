"""Map files of hexes and squares: grid, legend, drawing, and single places."""

from __future__ import annotations

from typing import TYPE_CHECKING

from grognard.compiler.data.maps.edges import read_edges
from grognard.compiler.data.maps.sheets import (
    MAP_KEYS,
    MAX_SIDE,
    Row,
    Sheet,
    grid_sheet,
)
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
from grognard.geometry import LAYOUTS, GeometryError, Numbering
from grognard.geometry import Layout as GridLayout
from grognard.support.source import Span
from grognard.support.suggest import hint_for

if TYPE_CHECKING:
    from grognard.compiler.data.maps.load import MapLoader

_GRID_KEYS = ("grid", "default", "legend", "shared_legend", "rows", "grids", "edges")


def read_grid(loader: MapLoader, space: Dom, table: YMap, what: str, board: str) -> Sheet | None:
    sort = space.space_sort
    check_keys(table, loader.sink, what, required=("grid",), optional=(*_GRID_KEYS, sort, *MAP_KEYS))
    grid_node = table.get("grid")
    grid = expect_map(grid_node, loader.sink, f"{what}: grid") if grid_node is not None else None
    if grid is None:
        return None
    optional = ["layout", "numbering", "first", "first_row", "absent"]
    if not check_keys(grid, loader.sink, f"{what}: grid", required=("columns", "rows"), optional=optional):
        return None
    columns = _size(loader, grid, "columns")
    rows = _size(loader, grid, "rows")
    layout = _layout(loader, grid, sort)
    numbering = _numbering(loader, grid, rows or 1)
    if columns is None or rows is None or layout is None or numbering is None:
        return None
    legend = _legend(loader, space, table, what)
    symbols = _symbols(loader, table.get("rows"), columns, rows, what)
    absent = {place for place, (text, _) in symbols.items() if text in legend and legend[text] is None}
    if grid.get("absent") is not None:
        absent |= _absent(loader, grid, numbering, board)
    sheet = grid_sheet(sort, layout, columns, rows, numbering, absent, board)
    places = [(c, r) for c in range(columns) for r in range(rows) if (c, r) not in absent]
    default = loader.declared(
        space, loader.row_of(table.get("default"), f"{what}: default"), f"{what}: default"
    )
    extra = {
        name: _extra_grid(loader, node, columns, rows, f"{what}: {name}")
        for name, node in _grids(loader, space, table, what)
    }
    for place in places:
        row = dict(default)
        sheet.spans.append(_drawn_at(table.get("rows"), place[1]) or grid.span)
        if place in symbols:
            text, span = symbols[place]
            sheet.spans[-1] = span
            if text in legend:
                row.update(legend[text] or {})
            elif legend or table.get("rows") is not None:
                hint = None if loader.sink.full else hint_for(text, legend)
                loader.sink.error("GR0608", span, f"the legend has no `{text}`", hint=hint)
        for name, cells in extra.items():
            if place in cells:
                row[name] = cells[place]
        sheet.rows.append(row)
    sheet.classes = [0] * len(places)
    differing_places(loader, sheet, table.get(sort), f"{what}: {sort}", sort)
    read_edges(loader, sheet, table.get("edges"), what)
    return sheet


def _size(loader: MapLoader, grid: YMap, key: str) -> int | None:
    node = grid.get(key)
    return None if node is None else expect_int(node, loader.sink, f"grid: {key}", 1, MAX_SIDE)


def _layout(loader: MapLoader, grid: YMap, sort: str) -> GridLayout | None:
    node = grid.get("layout")
    if node is None:
        return "odd-q"
    text = expect_text(node, loader.sink, "grid: layout")
    for known in LAYOUTS:
        if text == known and sort == "hexes":
            return known
    if text is not None:
        known_names = LAYOUTS if sort == "hexes" else ()
        loader.sink.error(
            "GR0604",
            node.span,
            f"`{text}` is no layout of {sort}",
            hint=hint_for(text, known_names) or (f"one of {', '.join(known_names)}" if known_names else None),
        )
    return None


def _numbering(loader: MapLoader, grid: YMap, rows: int) -> Numbering | None:
    node = grid.get("numbering")
    pattern = "{col:02}{row:02}" if node is None else expect_text(node, loader.sink, "grid: numbering")
    first = [1, 1]
    given = grid.get("first")
    if given is not None:
        items = expect_list(given, loader.sink, "grid: first")
        numbers = [expect_int(i, loader.sink, "grid: first", 0) for i in items.items] if items else []
        if len(numbers) != 2 or None in numbers:
            if items is not None and len(numbers) != 2:
                loader.sink.error("GR0604", given.span, "grid: first must be [column, row]")
            return None
        first = [n for n in numbers if n is not None]
    bottom = False
    at = grid.get("first_row")
    if at is not None:
        text = expect_text(at, loader.sink, "grid: first_row")
        if text not in ("top", "bottom"):
            loader.sink.error("GR0604", at.span, "grid: first_row must be `top` or `bottom`")
        bottom = text == "bottom"
    if pattern is None:
        return None
    try:
        if bottom:
            return Numbering(pattern, first[0], first[1] + rows - 1, 1, -1)
        return Numbering(pattern, first[0], first[1])
    except GeometryError as problem:
        assert node is not None
        loader.sink.error("GR0604", node.span, str(problem))
        return None


def _absent(loader: MapLoader, grid: YMap, numbering: Numbering, board: str) -> set[tuple[int, int]]:
    node = grid.get("absent")
    items = expect_list(node, loader.sink, "grid: absent") if node is not None else None
    found: set[tuple[int, int]] = set()
    for item in items.items if items else ():
        text = expect_text(item, loader.sink, "grid: absent")
        try:
            if text is not None:
                column, row, _ = numbering.parse(text)
                found.add((column, row))
        except GeometryError as problem:
            loader.sink.error("GR0609", item.span, str(problem))
    return found


def _legend(loader: MapLoader, space: Dom, table: YMap, what: str) -> dict[str, Row | None]:
    """The symbols of a drawing: those of the file that `shared_legend` names, the map's own on top."""
    found: dict[str, Row | None] = {}
    shared = table.get("shared_legend")
    path = expect_text(shared, loader.sink, f"{what}: shared_legend") if shared is not None else None
    if path is not None and shared is not None:
        found |= _symbols_of(
            loader, space, loader.project.load_data(path, shared.span, loader.sink), f'"{path}"'
        )
    return found | _symbols_of(loader, space, table.get("legend"), what)


def _symbols_of(loader: MapLoader, space: Dom, node: YNode | None, what: str) -> dict[str, Row | None]:
    legend = expect_map(node, loader.sink, f"{what}: legend") if node is not None else None
    found: dict[str, Row | None] = {}
    for key, entry in legend.entries.items() if legend else ():
        if len(key) != 1:
            loader.sink.error("GR0604", entry.key_span, f"`{key}` in the legend must be a single symbol")
        elif isinstance(entry.value, YScalar) and entry.value.value is None:
            found[key] = None  # no place of the map at all
        else:
            row = loader.row_of(entry.value, f"{what}: legend {key}")
            found[key] = loader.declared(space, row, f"{what}: legend {key}")
    return found


def _lines(loader: MapLoader, node: YNode, rows: int, what: str) -> list[tuple[str, YScalar]]:
    items = expect_list(node, loader.sink, what)
    if items is None:
        return []
    if len(items.items) != rows:
        loader.sink.error(
            "GR0404", items.span, f"{what} has {len(items.items)} lines, the grid has {rows} rows"
        )
    lines: list[tuple[str, YScalar]] = []
    for item in items.items[:rows]:
        text = expect_text(item, loader.sink, what)
        if text is not None and isinstance(item, YScalar):
            lines.append((text, item))
        else:
            lines.append(("", YScalar("", item.span, "")))
    return lines


def _symbols(
    loader: MapLoader, node: YNode | None, columns: int, rows: int, what: str
) -> dict[tuple[int, int], tuple[str, Span]]:
    """The drawn map: the symbol at each (column, row), with its own span."""
    found: dict[tuple[int, int], tuple[str, Span]] = {}
    if node is None:
        return found
    for row, (text, item) in enumerate(_lines(loader, node, rows, f"{what}: rows")):
        symbols = [(offset, char) for offset, char in enumerate(text) if char != " "]
        if len(symbols) != columns:
            loader.sink.error(
                "GR0404", item.span, f"{len(symbols)} symbols in this row, the grid has {columns} columns"
            )
        for column, (offset, char) in enumerate(symbols[:columns]):
            found[column, row] = (char, _part_span(item, offset, 1))
    return found


def _grids(loader: MapLoader, space: Dom, table: YMap, what: str) -> list[tuple[str, YNode]]:
    rows = loader.declared(space, loader.row_of(table.get("grids"), f"{what}: grids"), f"{what}: grids")
    return [(key, node) for key, (_, node) in rows.items()]


def _extra_grid(
    loader: MapLoader, node: YNode, columns: int, rows: int, what: str
) -> dict[tuple[int, int], tuple[Span, YNode]]:
    """A grid of one field: a digit or symbol for each column, or words with spaces between; `.` leaves it alone.  What the
    symbols mean may stand in a legend of its own."""
    found: dict[tuple[int, int], tuple[Span, YNode]] = {}
    meaning: dict[str, YNode] | None = None
    if isinstance(node, YMap):
        if not check_keys(node, loader.sink, what, required=("legend", "rows")):
            return found
        legend = expect_map(node.entries["legend"].value, loader.sink, f"{what}: legend")
        meaning = {key: entry.value for key, entry in legend.entries.items()} if legend else {}
        node = node.entries["rows"].value
    for row, (text, item) in enumerate(_lines(loader, node, rows, what)):
        cells = (
            _words(text)
            if len(text.split()) == columns
            else [(offset, char) for offset, char in enumerate(text) if char != " "]
        )
        if len(cells) != columns:
            loader.sink.error(
                "GR0404", item.span, f"{len(cells)} numbers in this row, the grid has {columns} columns"
            )
        for column, (offset, word) in enumerate(cells[:columns]):
            if word != ".":
                span = _part_span(item, offset, len(word))
                if meaning is not None:
                    if word in meaning:
                        found[column, row] = (span, meaning[word])
                    else:
                        hint = None if loader.sink.full else hint_for(word, meaning)
                        loader.sink.error("GR0608", span, f"{what}: the legend has no `{word}`", hint=hint)
                    continue
                number: int | str = int(word) if word.lstrip("+-").isdigit() else word
                found[column, row] = (span, YScalar(number, span, word))
    return found


def differing_places(loader: MapLoader, sheet: Sheet, node: YNode | None, what: str, sort: str) -> None:
    """Single places that differ from the drawing."""
    table = expect_map(node, loader.sink, what) if node is not None else None
    if table is None:
        return
    index = sheet.index()
    for key, entry in table.entries.items():
        row = loader.row_of(entry.value, f"{what} {key}")
        for name in (part.strip() for part in key.split(",")):
            place = loader.place(index, name, entry.key_span)
            if place is not None:
                sheet.rows[place].update(row)
                sheet.spans[place] = entry.key_span


def _drawn_at(rows: YNode | None, row: int) -> Span | None:
    """Where a map should draw the places of a row; None if it is not drawn."""
    if isinstance(rows, YList) and row < len(rows.items):
        return rows.items[row].span
    return rows.span if rows is not None else None


def _part_span(item: YScalar, offset: int, length: int) -> Span:
    """The span of a part of a text that is written in one line, with or without quotes."""
    span = item.span
    width = span.end_column - span.column
    quotes = width - len(item.text)
    if span.line != span.end_line or quotes not in (0, 2):
        return span
    start = span.column + quotes // 2 + offset
    return Span(span.file, span.line, start, span.line, start + length)


def _words(text: str) -> list[tuple[int, str]]:
    found: list[tuple[int, str]] = []
    place = 0
    for word in text.split():
        place = text.index(word, place)
        found.append((place, word))
        place += len(word)
    return found
