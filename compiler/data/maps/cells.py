"""Cells of places and edges: the values of the declared fields."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from grognard.compiler.data.cells import CellReader
from grognard.compiler.data.maps.sheets import (
    LoadedMap,
    Row,
    Sheet,
)
from grognard.compiler.data.values import Index, Value
from grognard.compiler.sema.types import Dom, FieldInfo
from grognard.compiler.support.yamlfile import YNode
from grognard.support.source import Span
from grognard.support.suggest import hint_for


def fill_cells(reader: CellReader, entry: LoadedMap, space: Dom, sheet: Sheet) -> None:
    filler = _Filler(reader, entry)
    for dom in (space, *space.classes):
        for info in data_fields(dom).values():
            assert info.column is not None
            entry.columns.setdefault(info.column, {})
    for place, name in enumerate(sheet.names):
        part = space.classes[sheet.classes[place]] if space.classes else None
        owners = [(space, place)]
        if part is not None:
            owners.append((part, reader.ground.base(space) + place - reader.ground.base(part)))
        fields = {n: i for owner, _ in owners for n, i in data_fields(owner).items()}
        what = f"{space.name if part is None else part.name} {name}"
        row = known_entries(reader, fields, sheet.rows[place], what, state_names(space, part))
        for owner, ordinal in owners:
            filler.fill(data_fields(owner), row, ordinal, what, sheet.spans[place])
    filler.report_missing()
    if space.edges is None:
        return
    fields = data_fields(space.edges)
    edges = {pair: number for number, pair in enumerate(zip(entry.data.edge_a, entry.data.edge_b))}
    for info in fields.values():
        assert info.column is not None
        column = entry.columns.setdefault(info.column, {})
        default = reader.default(info)
        if default is None:  # most edges are empty: a default is not required
            default = reader.ground.plain_default(info.type)
        for number in edges.values():
            reader.spread(info.axes, (number,), column, default)
    for pair, given in sheet.edge_rows.items():
        number = edges[pair]
        what = f"{space.edges.name} {reader.ground.members(space.edges)[number]}"
        for name, (_span, node) in known_entries(reader, fields, given, what, ()).items():
            filler.cell(fields[name], node, number, f"{what}: {name}")


def data_fields(dom: Dom) -> dict[str, FieldInfo]:
    """The cells of a map: constants, and start values of the states of edges."""
    found: dict[str, FieldInfo] = {}
    for name, info in dom.fields.items():
        if info.column is not None:
            found[name] = info
        elif info.printed is not None:
            found[name] = replace(info, field=None, column=info.printed)
    return found


def state_names(space: Dom, part: Dom | None) -> list[str]:
    owners = [space] if part is None else [space, part]
    return [name for owner in owners for name, info in owner.fields.items() if info.field is not None]


def known_entries(
    reader: CellReader, fields: Mapping[str, FieldInfo], row: Row, what: str, state: Iterable[str]
) -> Row:
    """The entries of a row that are declared; a GR0602 for each of the others."""
    good: Row = {}
    for name, (span, node) in row.items():
        if name in fields:
            good[name] = (span, node)
        elif name in state:
            advice = "it changes in play: give it below `places:` of a scenario"
            reader.sink.error("GR0602", span, f"{what}: `{name}` is no map data", hint=advice)
        else:
            hint = None if reader.sink.full else hint_for(name, fields)
            reader.sink.error("GR0602", span, f"{what} has no field `{name}`", hint=hint)
    return good


class _Filler:
    """Fills the cells of places.  A value of the legend serves many places: it is read, and blamed, once."""

    def __init__(self, reader: CellReader, entry: LoadedMap) -> None:
        self.reader = reader
        self.entry = entry
        self._read: dict[tuple[int, int], dict[Index, Value]] = {}
        self._missing: dict[str, list[tuple[str, Span]]] = {}

    def cell(self, info: FieldInfo, node: YNode, ordinal: int, what: str) -> None:
        assert info.column is not None
        key = (info.column, id(node))
        if key not in self._read:
            self._read[key] = {}
            self.reader.column(info, node, (), self._read[key], what)
        column = self.entry.columns[info.column]
        for index, value in self._read[key].items():
            column[(ordinal, *index)] = value

    def fill(self, fields: Mapping[str, FieldInfo], row: Row, ordinal: int, what: str, span: Span) -> None:
        for name, info in fields.items():
            assert info.column is not None
            given = row.get(name)
            if given is not None:
                self.cell(info, given[1], ordinal, f"{what}: {name}")
                continue
            default = self.reader.default(info)
            if default is None:
                # A flag or set that the map does not give is no or empty; any other value must be given.
                if info.type.sort not in ("flag", "set", "unknown"):
                    self._missing.setdefault(name, []).append((what, span))
                default = self.reader.ground.plain_default(info.type)
            self.reader.spread(info.axes, (ordinal,), self.entry.columns[info.column], default)

    def report_missing(self) -> None:
        wrongly_drawn = self._wrongly_drawn() if self._missing else frozenset()
        for name, missing in self._missing.items():
            places = [(what, span) for what, span in missing if span not in wrongly_drawn]
            if not places:
                continue
            what, span = places[0]
            others = f" and {len(places) - 1} more lack" if len(places) > 1 else " lacks"
            hint = "give it in the legend, or for all places below `default:`" if len(places) > 1 else None
            self.reader.sink.error("GR0603", span, f"{what}{others} `{name}`", hint=hint)

    def _wrongly_drawn(self) -> frozenset[Span]:
        """The places whose symbol is missing in the drawing or in the legend, which is reported already."""
        reported = [d.span for d in self.reader.sink if d.code in ("GR0404", "GR0608")]
        return frozenset(span for span in reported if span is not None)
