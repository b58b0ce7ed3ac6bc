"""Tables: drawn in the rules or written in YAML, checked for gaps and overlaps, packed for the engine.

A table of one axis has rows `key | value`; of more axes a heading with the keys of the last axis, and row keys for
the others, with commas between them: `a, b | 1 | 2`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from itertools import product

from grognard.compiler.data.cells import (
    CellReader,
    Values,
    first_value,
    is_late,
    lowest,
    number_key,
    plain_number,
    show_value,
)
from grognard.compiler.layers.merge import Merged
from grognard.compiler.layers.project import Project
from grognard.compiler.sema.types import (
    FLAG,
    INT_HI,
    INT_LO,
    Type,
)
from grognard.compiler.sema.world import Callable_, World
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
from grognard.contract.datablock import (
    AXIS_CELLS,
    CLAMP_HIGH,
    CLAMP_LOW,
    TABLE_HEAD,
    pack_table,
)
from grognard.contract.header import NONE
from grognard.support.diagnostics import Label
from grognard.support.source import Span
from grognard.support.suggest import hint_for

MAX_CELLS = 1_000_000
Cell = tuple[str, Span]


@dataclass(slots=True)
class _Line:
    """A drawn row: one key for each axis but the last (of one axis: its key), and the cells."""

    keys: list[Cell]
    cells: list[Cell]
    span: Span


@dataclass(slots=True)
class _Drawn:
    heading: list[Cell]  # keys of the last axis; empty for a table of one axis
    lines: list[_Line]


@dataclass(slots=True)
class _AxisInfo:
    """How an axis behaves, and which values each key of it takes, in the order of the keys."""

    type: Type
    lo: int = 0
    hi: int = -1
    flags: int = 0
    keys: dict[str, list[int]] = field(default_factory=dict)


def load_tables(
    world: World, project: Project, merged: Merged, values: Values, *, late: bool = False
) -> dict[int, object]:
    """Read and pack the tables into `values.tables`; those whose axes or results are places wait (`late`)."""
    for entry in world.callables.values():
        if entry.sort != "table" or entry.table is None:
            continue
        if is_late_table(entry) == late:
            load_table(world, project, merged, values, entry)
    return dict(values.tables)


def load_table(world: World, project: Project, merged: Merged, values: Values, entry: Callable_) -> None:
    """Read and pack one table."""
    _TableLoader(world, project, merged, values, entry).load()


def is_late_table(entry: Callable_) -> bool:
    """Whether its axes or results are places, so that it can be read only when a map is loaded."""
    types = [t for _, t in entry.params] + ([entry.result] if entry.result else [])
    return any(is_late(t) for t in types)


def table_ranges(world: World, values: Values) -> dict[int, list[tuple[int, int, bool, bool]]]:
    """For each table and axis (lo, hi, clamps below, clamps above)."""
    ranges: dict[int, list[tuple[int, int, bool, bool]]] = {}
    for number, table in values.tables.items():
        axes: list[tuple[int, int, bool, bool]] = []
        for axis in range(table[0]):
            lo, hi, flags = table[TABLE_HEAD + AXIS_CELLS * axis : TABLE_HEAD + AXIS_CELLS * axis + 3]
            axes.append((lo, hi, bool(flags & CLAMP_LOW), bool(flags & CLAMP_HIGH)))
        ranges[number] = axes
    return ranges


class _TableLoader:
    def __init__(
        self, world: World, project: Project, merged: Merged, values: Values, entry: Callable_
    ) -> None:
        self.world = world
        self.project = project
        self.merged = merged
        self.values = values
        self.entry = entry
        self.sink = world.sink
        self.reader = CellReader(world)
        assert isinstance(entry.decl, syn.TableDecl) and entry.result is not None
        self.decl: syn.TableDecl = entry.decl
        self.result: Type = entry.result
        self.name = f"table `{entry.name}`"
        #: a key could not be read: what it would have stood for is not missing
        self.bad_keys = False

    def load(self) -> None:
        types = [t for _, t in self.entry.params]
        if self.result.sort == "unknown" or any(t.sort == "unknown" for t in types):
            return
        if self.result.sort not in ("int", "flag", "dom"):
            self.sink.error(
                "GR0301",
                self.decl.result.span,
                f"{self.name} gives {self.result}, but cells are numbers, flags or members",
            )
            return
        for axis, type_ in zip(self.decl.axes, types):
            if type_.sort not in ("int", "flag", "dom"):
                self.sink.error("GR0301", axis.span, f"{type_} cannot be the axis of a table")
                return
        drawn = self._from_yaml() if self.decl.source else self._from_rows(self.decl.rows)
        if drawn is None:
            return
        if not drawn.lines:
            self.sink.error("GR0613", self.decl.span, f"{self.name} has no rows")
            return
        self._build(drawn, types)

    # ---- the shape, as drawn or from YAML

    def _from_rows(self, rows: Sequence[syn.Row]) -> _Drawn | None:
        axes = len(self.decl.axes)
        drawn = _Drawn([], [])
        rest = list(rows)
        width = 2
        heading: syn.Row | None = None
        if axes > 1 and rest:
            heading = rest.pop(0)
            drawn.heading = list(heading.cells[1:])
            width = len(heading.cells)
        for row in rest:
            if len(row.cells) != width:
                self.sink.error(
                    "GR0404",
                    row.span,
                    f"{_count(len(row.cells) - 1, 'cell')} in this row, "
                    + (f"{width - 1} in the heading" if heading else "1 is needed"),
                    labels=(Label(heading.span, "the heading"),) if heading else (),
                )
            text, span = row.cells[0]
            keys = _split(text, span) if axes > 2 else [(text, span)]
            if len(keys) != max(1, axes - 1):
                self.bad_keys = True
                self.sink.error(
                    "GR0411",
                    span,
                    f"`{text}` gives {_count(len(keys), 'key')}, {self.name} needs {axes - 1} in a row",
                    hint="write them with commas between: a, b",
                )
                continue
            drawn.lines.append(_Line(keys, list(row.cells[1:width]), row.span))
        return drawn

    def _from_yaml(self) -> _Drawn | None:
        assert self.decl.source
        node = self.project.load_data(self.decl.source, self.decl.span, self.sink)
        if node is None:
            return None
        top = expect_map(node, self.sink, f'"{self.decl.source}"')
        if top is None:
            return None
        below = top.get(self.decl.name)
        if below is None:
            self.sink.error(
                "GR0610",
                self.decl.span,
                f'"{self.decl.source}" has no section `{self.decl.name}`',
                hint=hint_for(self.decl.name, top.entries),
            )
            return None
        if isinstance(below, YList):
            rows = []
            for item in below.items:
                text = expect_text(item, self.sink, f"{self.name}: a row")
                if text is not None:
                    rows.append(_yaml_row(text, item))
            return self._from_rows(rows)
        table = expect_map(below, self.sink, self.name)
        return None if table is None else self._from_map(table)

    def _from_map(self, table: YMap) -> _Drawn | None:
        axes = len(self.decl.axes)
        drawn = _Drawn([], [])
        if axes == 1:
            for key, entry in table.entries.items():
                cell = self._scalar(entry.value)
                if cell is not None:
                    drawn.lines.append(_Line([(key, entry.key_span)], [cell], entry.key_span))
            return drawn
        for keys, row in self._descend(table, axes - 1, []):
            if not drawn.heading:
                drawn.heading = [(key, entry.key_span) for key, entry in row.entries.items()]
            names = [key for key, _ in drawn.heading]
            for key, entry in row.entries.items():
                if key not in names:
                    self.sink.error(
                        "GR0411",
                        entry.key_span,
                        f"the first row has no column `{key}`",
                        hint=hint_for(key, names),
                    )
            cells: list[Cell] = []
            for name in names:
                given = row.get(name)
                if given is None:
                    self.sink.error("GR0404", keys[-1][1], f"this row lacks the column `{name}`")
                    cells.append(("?", keys[-1][1]))
                else:
                    cells.append(self._scalar(given) or ("?", given.span))
            drawn.lines.append(_Line(keys, cells, keys[-1][1]))
        return drawn

    def _descend(self, node: YMap, depth: int, keys: list[Cell]) -> Iterable[tuple[list[Cell], YMap]]:
        for key, entry in node.entries.items():
            below = expect_map(entry.value, self.sink, f"{self.name}: {key}")
            if below is None:
                continue
            here = [*keys, (key, entry.key_span)]
            if depth == 1:
                yield here, below
            else:
                yield from self._descend(below, depth - 1, here)

    def _scalar(self, node: YNode) -> Cell | None:
        if not isinstance(node, YScalar):
            self.sink.error("GR0409", node.span, f"a cell must be a single value, not {describe(node)}")
            return None
        if isinstance(node.value, bool):
            return ("yes" if node.value else "no") if self.result.sort == "flag" else node.text, node.span
        return ("-" if node.value is None else node.text), node.span

    # ---- axes

    def _axis(self, place: int, type_: Type, keys: Sequence[Cell]) -> _AxisInfo:
        """Read all keys of an axis: what they stand for, and how far the axis reaches."""
        info = _AxisInfo(type_)
        clamp = self.decl.axes[place].clamp
        if clamp in ("clamped", "clamped_low"):
            info.flags |= CLAMP_LOW
        if clamp in ("clamped", "clamped_high"):
            info.flags |= CLAMP_HIGH
        if type_.sort == "dom":
            assert type_.dom
            info.lo = first_value(type_.dom)
            info.hi = info.lo + len(type_.dom.members) - 1
            for text, span in keys:
                info.keys[text] = self._member_key(type_, text, span)
            return info
        if type_.sort == "flag":
            info.lo, info.hi = 0, 1
            for text, span in keys:
                info.keys[text] = [int(text == "yes")] if text in ("yes", "no") else []
                if not info.keys[text]:
                    self.bad_keys = True
                    self.sink.error("GR0411", span, f"`{text}` must be `yes` or `no`")
            return info
        self._number_axis(info, type_, keys)
        return info

    def _member_key(self, type_: Type, text: str, span: Span) -> list[int]:
        assert type_.dom
        if text == "any" and self.reader.find(type_.dom, "any") is None:
            base = first_value(type_.dom)
            return list(range(base, base + len(type_.dom.members)))
        values: list[int] = []
        for part in text.split("/"):
            value = self.reader.member(type_.dom, part.strip(), span, "GR0411")
            if value is not None:
                values.append(value)
            else:
                self.bad_keys = True
        return values

    def _number_axis(self, info: _AxisInfo, type_: Type, keys: Sequence[Cell]) -> None:
        bounded = type_.lo > INT_LO and type_.hi < INT_HI
        parsed: dict[str, list[tuple[int | None, int | None]]] = {}
        ends: list[int] = []
        for text, span in keys:
            parsed[text] = []
            for part in text.split("/"):
                found = number_key(part)
                if found is None or (None not in found and found[0] > found[1]):  # type: ignore[operator]
                    low, dash, high = part.strip().partition("-")
                    hint = f"a range is written {low}..{high}" if dash and low.isdigit() else None
                    self.bad_keys = True
                    self.sink.error("GR0411", span, f"`{part.strip()}` is no number or range", hint=hint)
                    continue
                parsed[text].append(found)
                ends += [end for end in found if end is not None]
        info.lo = type_.lo if type_.lo > INT_LO else min(ends, default=0)
        info.hi = type_.hi if type_.hi < INT_HI else max(ends, default=0)
        if not bounded:
            if type_.lo <= INT_LO and any(lo is None for found in parsed.values() for lo, _ in found):
                info.flags |= CLAMP_LOW
            if type_.hi >= INT_HI and any(hi is None for found in parsed.values() for _, hi in found):
                info.flags |= CLAMP_HIGH
        if info.hi - info.lo >= MAX_CELLS:
            self.sink.error("GR0611", self.decl.span, f"{self.name} reaches too far: {info.lo}..{info.hi}")
            info.hi = info.lo
            info.keys = {text: [] for text, _ in keys}
            self.bad_keys = True
            return
        spans = dict(keys)
        for text, intervals in parsed.items():
            values: list[int] = []
            for lo, hi in intervals:
                first = info.lo if lo is None else max(lo, info.lo)
                last = info.hi if hi is None else min(hi, info.hi)
                values += range(first, last + 1)
            info.keys[text] = values
            if intervals and not values:
                self.sink.warning(
                    "GR0403",
                    spans[text],
                    f"`{text}` lies outside {info.lo}..{info.hi}: nothing leads there",
                )

    def _show(self, info: _AxisInfo, value: int) -> str:
        return show_value(info.type, value)

    # ---- building

    def _build(self, drawn: _Drawn, types: list[Type]) -> None:
        axes = len(types)
        row_axes: list[_AxisInfo] = []
        for place in range(max(1, axes - 1)):
            row_axes.append(self._axis(place, types[place], [line.keys[place] for line in drawn.lines]))
        column_axis = self._axis(axes - 1, types[-1], drawn.heading) if axes > 1 else None

        grid = [self._cells(line) for line in drawn.lines]
        if any(len(line.cells) != max(1, len(drawn.heading)) for line in drawn.lines):
            return
        self._amends(drawn, row_axes, column_axis, grid)
        good = self._check_columns(drawn, column_axis) if column_axis else True
        claims = self._claims(drawn, row_axes)
        if column_axis is not None:
            self._check_order(drawn, column_axis, grid)
        assert self.entry.table is not None
        if not good:
            return

        width = max(1, len(drawn.heading))
        packed: list[tuple[int, int, int, list[int]]] = []
        counts: list[int] = []
        cells: list[int] = []
        if len(row_axes) == 1:  # one row of cells for each drawn row
            info = row_axes[0]
            rows = [claims.get((value,), -1) for value in range(info.lo, info.hi + 1)]
            packed.append((info.lo, info.hi, info.flags, rows))
            counts.append(len(drawn.lines))
            cells = [value for row in grid for value in row]
        else:  # a row of cells for each combination of values
            size = width
            for info in row_axes:
                span = info.hi - info.lo + 1
                size *= span
                packed.append((info.lo, info.hi, info.flags, list(range(span))))
                counts.append(span)
            if size > MAX_CELLS:
                self.sink.error("GR0611", self.decl.span, f"{self.name} has more than {MAX_CELLS:,} cells")
                return
            blank = [int(lowest(self.result))] * width  # type: ignore[arg-type]
            for combination in product(*(range(info.lo, info.hi + 1) for info in row_axes)):
                row = claims.get(combination, -1)
                cells += grid[row] if row >= 0 else blank
        if column_axis is not None:
            columns: dict[int, int] = {}
            for number, (text, _) in enumerate(drawn.heading):
                for value in column_axis.keys[text]:
                    columns.setdefault(value, number)
            rows = [columns.get(value, -1) for value in range(column_axis.lo, column_axis.hi + 1)]
            packed.append((column_axis.lo, column_axis.hi, column_axis.flags, rows))
            counts.append(width)
        self.values.tables[self.entry.table] = pack_table(packed, counts, cells)

    def _cells(self, line: _Line) -> list[int]:
        found: list[int] = []
        for text, span in line.cells:
            if text == "?":
                keys = ", ".join(key for key, _ in line.keys)
                self.sink.note("GR0410", span, f"{self.name}: a cell of row {keys} is not given")
                found.append(int(lowest(self.result)))  # type: ignore[arg-type]
                continue
            value = self.reader.text(self.result, text, span)
            found.append(value if isinstance(value, int) else int(lowest(self.result)))  # type: ignore[arg-type]
        return found

    def _check_columns(self, drawn: _Drawn, info: _AxisInfo) -> bool:
        seen: dict[str, Span] = {}
        for text, span in drawn.heading:
            if text in seen:
                self.sink.error(
                    "GR0414",
                    span,
                    f"the column `{text}` stands twice",
                    labels=(Label(seen[text], "first here"),),
                )
                return False
            seen[text] = span
        taken: dict[int, Cell] = {}
        for text, span in drawn.heading:
            twice = [value for value in info.keys[text] if value in taken]
            if twice:
                first = taken[twice[0]]
                self.sink.error(
                    "GR0402",
                    span,
                    f"{_ranges(twice, lambda v: self._show(info, v))} lies in the columns `{first[0]}` and `{text}`",
                    labels=(Label(first[1], "the other one"),),
                )
            for value in info.keys[text]:
                taken.setdefault(value, (text, span))
        missing = [value for value in range(info.lo, info.hi + 1) if value not in taken]
        if missing and not self.bad_keys:
            shown = _ranges(missing, lambda v: self._show(info, v))
            last = drawn.heading[-1][1] if drawn.heading else self.decl.span
            self.sink.error("GR0401", last, f"{self.name} has no column for {shown}")
        return True

    def _claims(self, drawn: _Drawn, axes: list[_AxisInfo]) -> dict[tuple[int, ...], int]:
        """Which row each combination of values leads to; gaps and overlaps are told."""
        claims: dict[tuple[int, ...], int] = {}
        total = 1
        for info in axes:
            total *= info.hi - info.lo + 1
        if total > MAX_CELLS:
            return claims
        for number, line in enumerate(drawn.lines):
            twice: list[tuple[int, ...]] = []
            for combination in product(*(info.keys[text] for info, (text, _) in zip(axes, line.keys))):
                if combination in claims:
                    twice.append(combination)
                claims.setdefault(combination, number)
            if twice:
                other = drawn.lines[claims[twice[0]]]
                self.sink.error(
                    "GR0402",
                    line.keys[0][1],
                    f"{self._shown(axes, twice)} lies in two rows",
                    labels=(Label(other.keys[0][1], "the other one"),),
                )
        missing = [
            combination
            for combination in product(*(range(info.lo, info.hi + 1) for info in axes))
            if combination not in claims
        ]
        if missing and not self.bad_keys:
            last = drawn.lines[-1].keys[0][1]
            self.sink.error(
                "GR0401",
                self.decl.span,
                f"{self.name} has no row for {self._shown(axes, missing)}",
                labels=(Label(last, "its last row"),) if self.decl.source else (),
            )
        return claims

    def _shown(self, axes: list[_AxisInfo], combinations: list[tuple[int, ...]]) -> str:
        if len(axes) == 1:
            return _ranges([c[0] for c in combinations], lambda v: self._show(axes[0], v))
        shown = ["(" + ", ".join(self._show(i, v) for i, v in zip(axes, c)) + ")" for c in combinations[:5]]
        more = len(combinations) - len(shown)
        return ", ".join(shown) + (f" and {more} more" if more > 0 else "")

    def _check_order(self, drawn: _Drawn, columns: _AxisInfo, grid: list[list[int]]) -> None:
        """Results that rise (or fall) along every row but one: that one is worth a second look."""
        ordered = self.result.sort == "int" or (
            self.result.dom is not None and self.result.dom.sort == "enum"
        )
        across = columns.type.sort == "int" or (
            columns.type.dom is not None and columns.type.dom.sort in ("enum", "range")
        )
        if not ordered or not across or len(grid) < 3 or len(drawn.heading) < 3:
            return
        # Columns may be drawn in any order; what counts is the order of their values.
        order = sorted(
            (n for n, (text, _) in enumerate(drawn.heading) if columns.keys[text]),
            key=lambda n: min(columns.keys[drawn.heading[n][0]]),
        )
        for sign, other in ((1, -1), (-1, 1)):
            broken = [
                (row, at) for row in range(len(grid)) if (at := self._break(drawn, grid, row, order, sign))
            ]
            against = [row for row in range(len(grid)) if self._break(drawn, grid, row, order, other)]
            if len(broken) == 1 and len(against) >= 2:
                row, at = broken[0]
                text, span = drawn.lines[row].cells[at]
                self.sink.warning(
                    "GR0408",
                    span,
                    f"`{text}` goes against the order of every other row of {self.name}",
                    hint="compare it with the printed table",
                )
                return

    def _break(self, drawn: _Drawn, grid: list[list[int]], row: int, order: list[int], sign: int) -> int:
        """The column of the first cell that goes the other way, 0 if there is none."""
        before: int | None = None
        for place in order:
            value = grid[row][place]
            if value == NONE or drawn.lines[row].cells[place][0] == "?":
                continue
            if before is not None and (value - before) * sign < 0:
                return place
            before = value
        return 0

    # ---- errata

    def _amends(
        self, drawn: _Drawn, rows: list[_AxisInfo], column: _AxisInfo | None, grid: list[list[int]]
    ) -> None:
        for amend in self.merged.data_amends:
            if amend.sort != "table" or amend.target != self.entry.name:
                continue
            axes = [*rows, *([column] if column else [])]
            if len(amend.key) != len(axes):
                self.sink.error(
                    "GR0503",
                    amend.span,
                    f"the erratum gives {_count(len(amend.key), 'key')}, {self.name} has {len(axes)} axes",
                )
                continue
            key = [self._amend_key(info, expr) for info, expr in zip(axes, amend.key)]
            if any(k is None for k in key):
                continue
            row = next(
                (
                    number
                    for number, line in enumerate(drawn.lines)
                    if all(key[n] in rows[n].keys[text] for n, (text, _) in enumerate(line.keys))
                ),
                None,
            )
            place: int | None = 0
            if column is not None:
                place = next(
                    (n for n, (text, _) in enumerate(drawn.heading) if key[-1] in column.keys[text]), None
                )
            if row is None or place is None:
                self.sink.error("GR0503", amend.span, f"{self.name} has no such cell")
                continue
            old = self.reader.literal(self.result, amend.old)
            new = self.reader.literal(self.result, amend.new)
            if not isinstance(old, int) or not isinstance(new, int):
                continue
            text, span = drawn.lines[row].cells[place]
            if grid[row][place] != old or text == "?":
                found = text if text == "?" else show_value(self.result, grid[row][place])
                self.sink.error(
                    "GR0503",
                    amend.span,
                    f"the cell is {found}, not {show_value(self.result, old)} as the erratum expects",
                    labels=(Label(span, "this is what it finds"),),
                )
                continue
            grid[row][place] = new
            drawn.lines[row].cells[place] = (show_value(self.result, new), span)

    def _amend_key(self, info: _AxisInfo, expr: syn.Expr) -> int | None:
        if info.type.sort == "int":
            value = plain_number(expr)
            if isinstance(expr, syn.RangeExpr):
                value = plain_number(expr.lo)
            if value is None:
                self.sink.error("GR0411", expr.span, "a number is needed here")
            return value
        if info.type.sort == "dom" and isinstance(expr, syn.Name):
            assert info.type.dom
            return self.reader.member(info.type.dom, expr.id, expr.span, "GR0411")
        found = self.reader.literal(FLAG if info.type.sort == "flag" else info.type, expr)
        return found if isinstance(found, int) else None


def _count(number: int, word: str) -> str:
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
    """A row written as one text, `key | a | b`; cells keep their places if the text stands in one line."""
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


def _ranges(values: Sequence[int], show: Callable[[int], str]) -> str:
    """Values in few words: `4`, `4..6`, `a, b`."""
    runs: list[tuple[int, int]] = []
    for value in sorted(set(values)):
        if runs and runs[-1][1] == value - 1:
            runs[-1] = (runs[-1][0], value)
        else:
            runs.append((value, value))
    words: list[str] = []
    for lo, hi in runs:
        numbers = show(lo) == str(lo)
        if numbers and hi > lo + 1:
            words.append(f"{lo}..{hi}")
        else:
            words += [show(value) for value in range(lo, hi + 1)]
    shown = words[:8]
    return ", ".join(shown) + (f" and {len(words) - len(shown)} more" if len(words) > len(shown) else "")
