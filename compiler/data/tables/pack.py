"""Tables for the engine: read as written, checked for gaps and overlaps, amended by errata, packed into one array each."""

from __future__ import annotations

from itertools import product

from grognard.compiler.data.ground import Ground
from grognard.compiler.data.tables.cover import (
    MAX_CELLS,
    TableAxis,
    check_columns,
    check_order,
    covering_rows,
    read_axis,
)
from grognard.compiler.data.tables.read import Drawn, Line, Table, count_of, read_drawn
from grognard.compiler.data.values import Values, needs_map, plain_number
from grognard.compiler.layers.merge import Merged
from grognard.compiler.layers.project import Project
from grognard.compiler.sema.symbols import Callable_
from grognard.compiler.sema.types import FLAG, Type
from grognard.compiler.syntax import nodes as syn
from grognard.compiler.syntax.print import unparse
from grognard.contract.datablock import (
    AXIS_CELLS,
    CLAMP_HIGH,
    CLAMP_LOW,
    TABLE_HEAD,
    pack_table,
)
from grognard.support.diagnostics import Label

#: Rows or columns of a table that a message lists.
MOST_KEYS = 12


def load_tables(
    ground: Ground, project: Project, merged: Merged, values: Values, *, deferred: bool = False
) -> dict[int, object]:
    """Read and pack the tables into `values.tables`; `deferred` selects those that need a map."""
    for entry in ground.symbols.callables.values():
        if entry.sort != "table" or entry.table is None:
            continue
        if table_needs_map(entry) == deferred:
            load_table(ground, project, merged, values, entry)
    return dict(values.tables)


def load_table(ground: Ground, project: Project, merged: Merged, values: Values, entry: Callable_) -> None:
    """Read, check and pack one table."""
    table = Table(ground, project, merged, values, entry)
    types = [t for _, t in table.entry.params]
    if table.result.sort == "unknown" or any(t.sort == "unknown" for t in types):
        return
    if table.result.sort not in ("int", "flag", "dom"):
        table.sink.error(
            "GR0301",
            table.decl.result.span,
            f"{table.name} gives {table.result}, but cells are numbers, flags or members",
        )
        return
    for axis, type_ in zip(table.decl.axes, types):
        if type_.sort not in ("int", "flag", "dom"):
            table.sink.error("GR0301", axis.span, f"{type_} cannot be the axis of a table")
            return
    drawn = read_drawn(table)
    if drawn is None:
        return
    if not drawn.lines:
        table.sink.error("GR0613", table.decl.span, f"{table.name} has no rows")
        return
    _build(table, drawn, types)


def table_needs_map(entry: Callable_) -> bool:
    """Whether its axes or results are places, so that it can be read only when a map is loaded."""
    if entry.sort != "table" or entry.table is None:
        return False
    types = [t for _, t in entry.params] + ([entry.result] if entry.result else [])
    return any(needs_map(t) for t in types)


def table_ranges(values: Values) -> dict[int, list[tuple[int, int, bool, bool]]]:
    """For each table and axis (lo, hi, clamps below, clamps above)."""
    ranges: dict[int, list[tuple[int, int, bool, bool]]] = {}
    for number, table in values.tables.items():
        axes: list[tuple[int, int, bool, bool]] = []
        for axis in range(table[0]):
            lo, hi, flags = table[TABLE_HEAD + AXIS_CELLS * axis : TABLE_HEAD + AXIS_CELLS * axis + 3]
            axes.append((lo, hi, bool(flags & CLAMP_LOW), bool(flags & CLAMP_HIGH)))
        ranges[number] = axes
    return ranges


def _build(table: Table, drawn: Drawn, types: list[Type]) -> None:
    axes = len(types)
    row_axes: list[TableAxis] = []
    for place in range(max(1, axes - 1)):
        row_axes.append(read_axis(table, place, types[place], [line.keys[place] for line in drawn.lines]))
    column_axis = read_axis(table, axes - 1, types[-1], drawn.heading) if axes > 1 else None

    grid = [_read_cells(table, line) for line in drawn.lines]
    if any(len(line.cells) != max(1, len(drawn.heading)) for line in drawn.lines):
        return
    _amend(table, drawn, row_axes, column_axis, grid)
    good = check_columns(table, drawn, column_axis) if column_axis else True
    claims = covering_rows(table, drawn, row_axes)
    if column_axis is not None:
        check_order(table, drawn, column_axis, grid)
    assert table.entry.table is not None
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
            table.sink.error("GR0611", table.decl.span, f"{table.name} has more than {MAX_CELLS:,} cells")
            return
        blank = [int(table.ground.lowest(table.result))] * width  # type: ignore[arg-type]
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
    table.values.tables[table.entry.table] = pack_table(packed, counts, cells)


def _read_cells(table: Table, line: Line) -> list[int]:
    found: list[int] = []
    for text, span in line.cells:
        if text == "?":
            keys = ", ".join(key for key, _ in line.keys)
            table.sink.note("GR0410", span, f"{table.name}: a cell of row {keys} is not given")
            found.append(int(table.ground.lowest(table.result)))  # type: ignore[arg-type]
            continue
        value = table.reader.text(table.result, text, span)
        found.append(value if isinstance(value, int) else int(table.ground.lowest(table.result)))  # type: ignore[arg-type]
    return found


def _amend(
    table: Table, drawn: Drawn, rows: list[TableAxis], column: TableAxis | None, grid: list[list[int]]
) -> None:
    for amend in table.merged.data_amends:
        if amend.sort != "table" or amend.target != table.entry.name:
            continue
        axes = [*rows, *([column] if column else [])]
        if len(amend.key) != len(axes):
            table.sink.error(
                "GR0503",
                amend.span,
                f"the erratum gives {count_of(len(amend.key), 'key')}, {table.name} has {len(axes)} axes",
            )
            continue
        key = [_amend_key(table, info, expr) for info, expr in zip(axes, amend.key)]
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
            # The key whose row or column there is not; of rows with several keys, the whole of them.
            wrong = len(amend.key) - 1 if row is not None else 0
            alone = row is not None or len(rows) == 1
            shown = ", ".join(unparse(expr) for expr in ([amend.key[wrong]] if alone else amend.key))
            heads = drawn.heading if row is not None else [line.keys[0] for line in drawn.lines]
            there = ", ".join(dict.fromkeys(text for text, _ in heads[:MOST_KEYS]))
            what = "column" if row is not None else "row"
            table.sink.error(
                "GR0503",
                amend.key[wrong].span,
                f"{table.name} has no {what} {shown}",
                hint=f"its {what}s are {there}" + (" ..." if len(heads) > MOST_KEYS else "")
                if alone
                else None,
            )
            continue
        old = table.reader.literal(table.result, amend.old)
        new = table.reader.literal(table.result, amend.new)
        if not isinstance(old, int) or not isinstance(new, int):
            continue
        text, span = drawn.lines[row].cells[place]
        if grid[row][place] != old or text == "?":
            found = text if text == "?" else table.ground.show(table.result, grid[row][place])
            table.sink.error(
                "GR0503",
                amend.span,
                f"the cell is {found}, not {table.ground.show(table.result, old)} as the erratum expects",
                labels=(Label(span, "this is what it finds"),),
            )
            continue
        grid[row][place] = new
        drawn.lines[row].cells[place] = (table.ground.show(table.result, new), span)


def _amend_key(table: Table, info: TableAxis, expr: syn.Expr) -> int | None:
    if info.type.sort == "int":
        value = plain_number(expr)
        if isinstance(expr, syn.RangeExpr):
            value = plain_number(expr.lo)
        if value is None:
            table.sink.error("GR0411", expr.span, "a number is needed here")
        return value
    if info.type.sort == "dom" and isinstance(expr, syn.Name):
        assert info.type.dom
        return table.reader.member(info.type.dom, expr.id, expr.span, "GR0411")
    found = table.reader.literal(FLAG if info.type.sort == "flag" else info.type, expr)
    return found if isinstance(found, int) else None
