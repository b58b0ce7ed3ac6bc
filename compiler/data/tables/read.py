"""Tables as written: rows drawn in the rules, or in YAML.

A table of one axis has rows `key | value`.  With more axes a heading has the keys of the last axis, and each row has keys
for the others, separated by commas: `a, b | 1 | 2`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from grognard.compiler.data.cells import CellReader
from grognard.compiler.data.ground import Ground
from grognard.compiler.data.values import Values
from grognard.compiler.layers.amended_data import load_amended
from grognard.compiler.layers.merge import Merged
from grognard.compiler.layers.project import Project
from grognard.compiler.sema.symbols import Callable_
from grognard.compiler.sema.types import Type
from grognard.compiler.support.yamlfile import (
    YList,
    YMap,
    YNode,
    YScalar,
    describe,
    expect_map,
    expect_text,
)
from grognard.compiler.syntax import nodes as syn
from grognard.support.diagnostics import Label
from grognard.support.source import Span
from grognard.support.suggest import hint_for

Cell = tuple[str, Span]


@dataclass(slots=True)
class Line:
    """A drawn row: one key for each axis but the last (of one axis: its key), and the cells."""

    keys: list[Cell]
    cells: list[Cell]
    span: Span


@dataclass(slots=True)
class Drawn:
    """A table as written."""

    heading: list[Cell]  # keys of the last axis; empty for a table of one axis
    lines: list[Line]


class Table:
    """A declared table while it is read."""

    def __init__(
        self, ground: Ground, project: Project, merged: Merged, values: Values, entry: Callable_
    ) -> None:
        self.ground = ground
        self.project = project
        self.merged = merged
        self.values = values
        self.entry = entry
        self.sink = ground.sink
        self.reader = CellReader(ground)
        assert isinstance(entry.decl, syn.TableDecl) and entry.result is not None
        self.decl: syn.TableDecl = entry.decl
        self.result: Type = entry.result
        self.name = f"table `{entry.name}`"
        #: a key could not be read, so that missing values are not reported
        self.bad_keys = False


def read_drawn(table: Table) -> Drawn | None:
    """The table as written; None after an error."""
    return _from_yaml(table) if table.decl.source else _from_rows(table, table.decl.rows)


def _from_rows(table: Table, rows: Sequence[syn.Row]) -> Drawn | None:
    axes = len(table.decl.axes)
    drawn = Drawn([], [])
    rest = list(rows)
    width = 2
    heading: syn.Row | None = None
    if axes > 1 and rest:
        heading = rest.pop(0)
        drawn.heading = list(heading.cells[1:])
        width = len(heading.cells)
    for row in rest:
        if len(row.cells) != width:
            table.sink.error(
                "GR0404",
                row.span,
                f"{count_of(len(row.cells) - 1, 'cell')} in this row, "
                + (f"{width - 1} in the heading" if heading else "1 is needed"),
                labels=(Label(heading.span, "the heading"),) if heading else (),
            )
        text, span = row.cells[0]
        keys = _split(text, span) if axes > 2 else [(text, span)]
        if len(keys) != max(1, axes - 1):
            table.bad_keys = True
            table.sink.error(
                "GR0411",
                span,
                f"`{text}` gives {count_of(len(keys), 'key')}, {table.name} needs {axes - 1} in a row",
                hint="write them with commas between: a, b",
            )
            continue
        drawn.lines.append(Line(keys, list(row.cells[1:width]), row.span))
    return drawn


def _from_yaml(table: Table) -> Drawn | None:
    assert table.decl.source
    node = load_amended(table.project, table.decl.source, table.decl.span, table.sink)
    if node is None:
        return None
    top = expect_map(node, table.sink, f'"{table.decl.source}"')
    if top is None:
        return None
    below = top.get(table.decl.name)
    if below is None:
        table.sink.error(
            "GR0610",
            table.decl.span,
            f'"{table.decl.source}" has no section `{table.decl.name}`',
            hint=hint_for(table.decl.name, top.entries),
        )
        return None
    if isinstance(below, YList):
        rows = []
        for item in below.items:
            text = expect_text(item, table.sink, f"{table.name}: a row")
            if text is not None:
                rows.append(_yaml_row(text, item))
        return _from_rows(table, rows)
    rows_by_key = expect_map(below, table.sink, table.name)
    return None if rows_by_key is None else _from_map(table, rows_by_key)


def _from_map(table: Table, node: YMap) -> Drawn | None:
    axes = len(table.decl.axes)
    drawn = Drawn([], [])
    if axes == 1:
        for key, entry in node.entries.items():
            cell = _scalar(table, entry.value)
            if cell is not None:
                drawn.lines.append(Line([(key, entry.key_span)], [cell], entry.key_span))
        return drawn
    for keys, row in _descend(table, node, axes - 1, []):
        if not drawn.heading:
            drawn.heading = [(key, entry.key_span) for key, entry in row.entries.items()]
        names = [key for key, _ in drawn.heading]
        for key, entry in row.entries.items():
            if key not in names:
                table.sink.error(
                    "GR0411",
                    entry.key_span,
                    f"the first row has no column `{key}`",
                    hint=hint_for(key, names),
                )
        cells: list[Cell] = []
        for name in names:
            given = row.get(name)
            if given is None:
                table.sink.error("GR0404", keys[-1][1], f"this row lacks the column `{name}`")
                cells.append(("?", keys[-1][1]))
            else:
                cells.append(_scalar(table, given) or ("?", given.span))
        drawn.lines.append(Line(keys, cells, keys[-1][1]))
    return drawn


def _descend(table: Table, node: YMap, depth: int, keys: list[Cell]) -> Iterable[tuple[list[Cell], YMap]]:
    for key, entry in node.entries.items():
        below = expect_map(entry.value, table.sink, f"{table.name}: {key}")
        if below is None:
            continue
        here = [*keys, (key, entry.key_span)]
        if depth == 1:
            yield here, below
        else:
            yield from _descend(table, below, depth - 1, here)


def _scalar(table: Table, node: YNode) -> Cell | None:
    if not isinstance(node, YScalar):
        table.sink.error("GR0409", node.span, f"a cell must be a single value, not {describe(node)}")
        return None
    if isinstance(node.value, bool):
        return ("yes" if node.value else "no") if table.result.sort == "flag" else node.text, node.span
    return ("-" if node.value is None else node.text), node.span


def count_of(number: int, word: str) -> str:
    return f"{number} {word}{'s' * (number != 1)}"


def _split(text: str, span: Span) -> list[Cell]:
    """The keys of a row, each with its own span."""
    cells: list[Cell] = []
    start = 0
    for part in text.split(","):
        lead = len(part) - len(part.lstrip())
        column = span.column + start + lead
        word = part.strip()
        cells.append((word, Span(span.file, span.line, column, span.line, column + max(1, len(word)))))
        start += len(part) + 1
    return cells


def _yaml_row(text: str, item: YNode) -> syn.Row:
    """A row written as one text, `key | a | b`; cells have their own spans if the text is on one line."""
    span = item.span
    quotes = span.end_column - span.column - len(text)
    exact = span.line == span.end_line and quotes in (0, 2)
    cells: list[Cell] = []
    start = 0
    for part in text.split("|"):
        word = part.strip()
        lead = len(part) - len(part.lstrip())
        place = span
        if exact:
            column = span.column + quotes // 2 + start + lead
            place = Span(span.file, span.line, column, span.line, column + max(1, len(word)))
        cells.append((word, place))
        start += len(part) + 1
    return syn.Row(tuple(cells), span)
