"""Rows of kinds, from YAML files or drawn in the rules: their names and their cells.

Row names are read before any cell: cells may refer to rows of any kind.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from grognard.compiler.data.amendments import apply_amends
from grognard.compiler.data.cells import CellReader, read_cell
from grognard.compiler.data.ground import Ground
from grognard.compiler.data.maps.directions import settle_directions
from grognard.compiler.data.values import (
    ROW_KEYS,
    DeferredCell,
    Index,
    Value,
    Values,
    needs_map,
)
from grognard.compiler.layers.amended_data import load_amended
from grognard.compiler.layers.merge import Merged
from grognard.compiler.layers.project import Project
from grognard.compiler.sema.types import Dom, FieldInfo
from grognard.compiler.support.yamlfile import (
    YMap,
    YNode,
    YScalar,
    expect_map,
)
from grognard.compiler.syntax import nodes as syn
from grognard.support.diagnostics import Label
from grognard.support.source import Span
from grognard.support.suggest import hint_for


@dataclass(slots=True)
class _YamlRow:
    id: str
    node: YMap
    key_span: Span
    parent: int | None = None


def load_kinds(ground: Ground, project: Project, merged: Merged) -> Values:
    """Rows of all kinds and powers; after this every name that rules can use is known, directions included."""
    settle_directions(ground, project)
    values = Values(merged=merged)
    loader = _KindLoader(ground, project, values)
    loader.names()
    _rename(ground, merged)
    loader.cells()
    apply_amends(ground, CellReader(ground), values.columns, values, deferred=False)
    return values


def _rename(ground: Ground, merged: Merged) -> None:
    """Rows that errata give another name; what was written earlier may go on using the old one."""
    for amend in merged.data_amends:
        if amend.sort != "rename":
            continue
        dom = ground.symbols.types.get(amend.target)
        old, new = (key for key in amend.key if isinstance(key, syn.Name))
        if dom is None or not isinstance(dom.decl, syn.KindDecl):
            ground.sink.error("GR0504", amend.span, f"`{amend.target}` is not a kind")
            continue
        if old.id not in dom.members:
            hint = hint_for(old.id, dom.members)
            ground.sink.error("GR0503", old.span, f"{dom.name} has no row `{old.id}` to rename", hint=hint)
        elif new.id in dom.members:
            ground.sink.error("GR0205", new.span, f"{dom.name} has a row `{new.id}` already")
        else:
            place = dom.members.index(old.id)
            dom.members[place] = new.id
            if place < len(dom.titles):
                dom.titles[place] = amend.label or new.id.replace("_", " ")
            dom.renamed[old.id] = place


def nested_keys(dom: Dom) -> list[str]:
    """The keys under which rows of a nested kind may sit in the rows of its parent."""
    snake = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", dom.name).lower()
    keys: list[str] = []
    for name in (dom.name.lower(), snake):
        plural = name[:-1] + "ies" if re.search(r"[^aeiou]y$", name) else name + "s"
        keys += [plural, name, name + "es"]
    return list(dict.fromkeys(keys))


class _KindLoader:
    def __init__(self, ground: Ground, project: Project, values: Values) -> None:
        self.ground = ground
        self.project = project
        self.values = values
        self.sink = ground.sink
        self.rows: dict[int, list[_YamlRow]] = {}
        self.doms = [
            dom for dom in dict.fromkeys(ground.symbols.types.values()) if isinstance(dom.decl, syn.KindDecl)
        ]

    # ---- names of rows

    def names(self) -> None:
        for dom in self.doms:
            decl = dom.decl
            assert isinstance(decl, syn.KindDecl)
            if decl.source and not decl.source.startswith("scenario."):
                self._file(dom, decl)
            elif not decl.rows and dom.within is None and not decl.source:
                self.sink.warning(
                    "GR0613",
                    dom.span,
                    f"kind `{dom.name}` has no rows",
                    hint=f'draw them here, or say: kind {dom.name} from "file.yaml"',
                )
        pending = [dom for dom in self.doms if dom.within is not None and dom.id not in self.rows]
        pending = [dom for dom in pending if isinstance(dom.decl, syn.KindDecl) and not dom.decl.rows]
        while pending:
            ready = [dom for dom in pending if dom.within not in pending]
            if not ready:  # kinds that lie in each other have no rows at all
                break
            for dom in ready:
                self._nested(dom)
                pending.remove(dom)

    def _file(self, dom: Dom, decl: syn.KindDecl) -> None:
        assert decl.source
        node = load_amended(self.project, decl.source, decl.span, self.sink)
        if node is None:
            self.ground.unread.add(dom.name)
            return
        self.rows[dom.id] = []
        what = f'"{decl.source}"'
        if isinstance(node, YScalar) and node.value is None:
            self.sink.error("GR0613", decl.span, f"{what} has no rows for {dom.name}")
            return
        table = expect_map(node, self.sink, what)
        if table is None:
            self.ground.unread.add(dom.name)
            return
        for key in (dom.name, dom.name.lower()):
            below = table.get(key)
            # A row may bear the name of its kind, and rows that of a column: a section holds nothing but rows.
            if isinstance(below, YMap) and (
                not any(k in dom.fields or k in ROW_KEYS for k in below.entries)
                or (
                    all(isinstance(e.value, YMap) for e in below.entries.values())
                    and not all(k in dom.fields for k in below.entries)
                )
            ):
                self._check_sections(table, decl.source)
                table = below
                break
        for key, entry in table.entries.items():
            row: YNode = entry.value
            if isinstance(row, YScalar) and row.value is None:
                row = YMap({}, entry.key_span)
            cells = expect_map(row, self.sink, f"{dom.name} {key}")
            if cells is not None:
                self.rows[dom.id].append(_YamlRow(key, cells, entry.key_span))
        self._take_names(dom)

    def _check_sections(self, table: YMap, source: str) -> None:
        """Of a file that several kinds or tables share: every section must belong to one of them."""
        known = ["about", "note", "cite"]
        for dom in self.doms:
            if isinstance(dom.decl, syn.KindDecl) and dom.decl.source == source:
                known += [dom.name, dom.name.lower()]
        for entry in self.ground.symbols.callables.values():
            if entry.sort == "table" and entry.decl.source == source:
                known.append(entry.name)
        for key, section in table.entries.items():
            if key not in known:
                self.sink.error(
                    "GR0602",
                    section.key_span,
                    f'"{source}" has a section `{key}` that no kind reads',
                    hint=hint_for(key, known),
                )

    def _nested(self, dom: Dom) -> None:
        assert dom.within is not None
        found: list[_YamlRow] = []
        for place, row in enumerate(self.rows.get(dom.within.id, [])):
            for key in nested_keys(dom):
                node = row.node.get(key)
                if node is None or (isinstance(node, YScalar) and node.value is None):
                    continue
                table = expect_map(node, self.sink, f"{dom.within.name} {row.id}: {key}")
                for name, entry in table.entries.items() if table else ():
                    cells = expect_map(entry.value, self.sink, f"{dom.name} {name}")
                    if cells is not None:
                        found.append(_YamlRow(name, cells, entry.key_span, place))
        counts: dict[str, int] = {}
        for row in found:
            counts[row.id] = counts.get(row.id, 0) + 1
        for row in found:
            if counts[row.id] > 1 and row.parent is not None:
                row.id = f"{self.rows[dom.within.id][row.parent].id}_{row.id}"
        self.rows[dom.id] = found
        self._take_names(dom)

    def _take_names(self, dom: Dom) -> None:
        rows = self.rows[dom.id]
        seen: dict[str, Span] = {}
        for row in rows:
            if row.id in seen:
                self.sink.error(
                    "GR0606",
                    row.key_span,
                    f"{dom.name} has two rows `{row.id}`",
                    labels=(Label(seen[row.id], "first given here"),),
                )
            seen.setdefault(row.id, row.key_span)
        dom.members = [row.id for row in rows]
        dom.titles = []
        for row in rows:
            title = row.node.get("name")
            shown = title.text if isinstance(title, YScalar) and title.value is not None else ""
            dom.titles.append(shown or row.id.replace("_", " "))
        if not rows and dom.within is None:
            self.sink.error("GR0613", dom.span, f"kind `{dom.name}` has no rows")

    # ---- cells

    def cells(self) -> None:
        reader = CellReader(self.ground)
        for dom in self.doms:
            for info in dom.fields.values():
                if info.column is not None:
                    self.values.columns.setdefault(info.column, {})
            if dom.id in self.rows:
                for place, row in enumerate(self.rows[dom.id]):
                    self._row(reader, dom, place, row)
            elif isinstance(dom.decl, syn.KindDecl) and dom.decl.rows:
                self._inline(reader, dom, dom.decl)

    def _row(self, reader: CellReader, dom: Dom, place: int, row: _YamlRow) -> None:
        extra = list(ROW_KEYS)
        for child in self.doms:
            if child.within is dom:
                extra += nested_keys(child)
        fields = {name: info for name, info in dom.fields.items() if info.column is not None}
        back = dom.within.name.lower() if dom.within is not None and row.parent is not None else ""
        if back:
            fields.pop(back, None)
            info = dom.fields[back]
            assert info.column is not None and row.parent is not None
            self.values.columns[info.column][(place,)] = row.parent
        found = reader.row(fields, row.node, f"{dom.name} {row.id}", extra)
        for name, info in fields.items():
            assert info.column is not None
            node = found.get(name)
            what = f"{dom.name} {row.id}: {name}"
            if needs_map(info.type, info.axes):
                self.values.deferred.append(DeferredCell(info, (place,), node, row.key_span, what))
                continue
            out = self.values.columns[info.column]
            read_cell(reader, info, node, (place,), out, what, row.key_span, self.values.spans)

    def _inline(self, reader: CellReader, dom: Dom, decl: syn.KindDecl) -> None:
        heading, *rows = decl.rows
        columns: list[tuple[int, FieldInfo, Index]] = []
        for place, (text, _span) in enumerate(heading.cells[1:], start=1):
            match = re.fullmatch(r"([A-Za-z_]\w*)(?:\((\w+)\))?", text)
            info = dom.fields.get(match[1]) if match else None
            if match is None or info is None or info.column is None:
                continue
            if info.decl is not None and not decl.typed:
                continue
            axis: Index = ()
            if info.axes:
                found = reader.find(info.axes[0], match[2] or "")
                if found is None:
                    continue
                axis = (found - self.ground.first(info.axes[0]),)
            columns.append((place, info, axis))
        for row in rows:
            members = [dom.index(name.strip()) for name in row.cells[0][0].split("/")]
            for place, info, axis in columns:
                if place >= len(row.cells):
                    continue
                text, span = row.cells[place]
                if text == "?":
                    self.sink.note(
                        "GR0410", span, f"{dom.name} {row.cells[0][0]}: `{info.name}` is not given"
                    )
                    value: Value | None = self.ground.lowest(info.type)
                else:
                    value = None if info.type.sort == "unknown" else reader.text(info.type, text, span)
                for member in members:
                    if member is not None and value is not None:
                        assert info.column is not None
                        self.values.columns[info.column][(member, *axis)] = value
                        self.values.spans[info.column, (member, *axis)] = span
        for info in dom.fields.values():  # columns that a later layer added: only their defaults are known
            if (
                info.column is None
                or (info.decl is None and dom.within is None)
                or info in [c[1] for c in columns]
            ):
                continue
            for member, name in enumerate(dom.members):
                what = f"{dom.name} {name}: {info.name}"
                span = dom.span or heading.span
                read_cell(reader, info, None, (member,), self.values.columns[info.column], what, span)
