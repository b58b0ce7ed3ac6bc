"""Mutants of data: rows and cells of tables, columns of kinds."""

from __future__ import annotations

from array import array
from itertools import product

from grognard.compiler.data.ground import Ground
from grognard.compiler.data.tables.cover import covering_rows, read_axis
from grognard.compiler.data.tables.pack import table_needs_map
from grognard.compiler.data.tables.read import Drawn, Table, read_drawn
from grognard.compiler.data.values import Index
from grognard.compiler.mutate.source_edits import Texts
from grognard.compiler.sema.symbols import Callable_
from grognard.compiler.sema.types import Dom, FieldInfo, Type
from grognard.compiler.store.ruleset import CompiledRuleset
from grognard.compiler.syntax import nodes as syn
from grognard.contract import ir
from grognard.contract.header import NONE
from grognard.contract.mutants import CellChange, Mutant
from grognard.support.diagnostics import Sink
from grognard.support.source import Span


def table_mutants(ruleset: CompiledRuleset, texts: Texts) -> list[Mutant]:
    """For each row of a table: the row is left out, and two of its cells are swapped."""
    made: list[Mutant] = []
    # Whatever is wrong with a table was reported when it was loaded.
    ground = Ground(ruleset.symbols, Sink())
    for entry in ruleset.symbols.callables.values():
        if entry.sort == "table" and entry.table in ruleset.values.tables and not table_needs_map(entry):
            table = Table(ground, ruleset.project, ruleset.merged, ruleset.values, entry)
            drawn = read_drawn(table)
            if drawn is not None and drawn.lines and entry.table < len(ruleset.program.tables):
                made += _of_table(table, drawn, entry, ruleset.values.tables[entry.table], texts)
    return made


def _of_table(table: Table, drawn: Drawn, entry: Callable_, packed: array[int], texts: Texts) -> list[Mutant]:
    assert entry.table is not None
    width, start = max(1, len(drawn.heading)), packed[1]
    rows = _places(table, drawn, entry)
    made: list[Mutant] = []
    for number, line in enumerate(drawn.lines):
        if texts.source(line.span.file) is None or not rows[number]:
            continue
        at = [start + place * width for place in rows[number]]
        now = packed[at[0] : at[0] + width]
        told = (line.span.file, line.span.line, entry.cites, entry.name)
        other = rows[number - 1 if number else 1] if len(drawn.lines) > 1 else []
        if other:
            source = start + other[0] * width
            instead = packed[source : source + width]
            if instead != now:
                cells = tuple((row + n, value) for row in at for n, value in enumerate(instead))
                change = CellChange("table", entry.table, cells)
                text = texts.without(Span(line.span.file, line.span.line, 1, line.span.line, 1))[1]
                made.append(Mutant(0, "row", *told, text, "", (), (change,)))
        pair = next((n for n in range(width - 1) if now[n] != now[n + 1]), None)
        if pair is not None:
            cells = tuple(c for row in at for c in ((row + pair, now[pair + 1]), (row + pair + 1, now[pair])))
            change = CellChange("table", entry.table, cells)
            left, right = line.cells[pair], line.cells[pair + 1]
            made.append(Mutant(0, "cell", *told, *_swapped(left, right, texts), (), (change,)))
    return made


def _places(table: Table, drawn: Drawn, entry: Callable_) -> list[list[int]]:
    """For each drawn row the rows of cells that it became."""
    types = [t for _, t in entry.params]
    if len(types) <= 2:
        return [[number] for number in range(len(drawn.lines))]
    axes = [
        read_axis(table, n, types[n], [line.keys[n] for line in drawn.lines]) for n in range(len(types) - 1)
    ]
    claims = covering_rows(table, drawn, axes)
    found: list[list[int]] = [[] for _ in drawn.lines]
    for place, combination in enumerate(product(*(range(info.lo, info.hi + 1) for info in axes))):
        if combination in claims:
            found[claims[combination]].append(place)
    return found


def _swapped(left: tuple[str, Span], right: tuple[str, Span], texts: Texts) -> tuple[str, str]:
    """The line with two cells before and after; for cells on several lines, the cells themselves."""
    a, b = left[1], right[1]
    if a.file == b.file and a.line == b.line and a.end_column <= b.column and a != b:
        source = texts.source(a.file)
        assert source is not None
        line = source.line(a.line)
        parts = (
            line[: a.column - 1],
            line[a.column - 1 : a.end_column - 1],
            line[a.end_column - 1 : b.column - 1],
        )
        second, rest = line[b.column - 1 : b.end_column - 1], line[b.end_column - 1 :]
        return line, parts[0] + second + parts[2] + parts[1] + rest
    return f"{left[0]} | {right[0]}", f"{right[0]} | {left[0]}"


def column_mutants(ruleset: CompiledRuleset, texts: Texts) -> list[Mutant]:
    """For each column of a kind: every value of it is another."""
    made: list[Mutant] = []
    for dom in dict.fromkeys(ruleset.symbols.types.values()):
        if not isinstance(dom.decl, syn.KindDecl):
            continue
        for name, info in dom.fields.items():
            if info.column is not None and info.column < len(ruleset.program.columns):
                mutant = _of_column(ruleset, dom, name, info, texts)
                if mutant is not None:
                    made.append(mutant)
    return made


def _of_column(ruleset: CompiledRuleset, dom: Dom, name: str, info: FieldInfo, texts: Texts) -> Mutant | None:
    assert info.column is not None
    column = ruleset.program.columns[info.column]
    if isinstance(column.type, ir.SetType) or any(axis.sort in _MOVING for axis in info.axes):
        return None
    counts = [len(axis.members) for axis in (dom, *info.axes)]
    if len(counts) != len(column.dims):
        return None
    changed: dict[Index, int] = {}
    for index, value in ruleset.values.columns.get(info.column, {}).items():
        if isinstance(value, int) and (other := _other(info.type, value)) is not None:
            changed[index] = other
    if not changed:
        return None
    cells = tuple((_cell(index, counts), value) for index, value in sorted(changed.items()))
    where = {index: span for (number, index), span in ruleset.values.spans.items() if number == info.column}
    first = min((index for index in changed if index in where), default=None)
    decl = dom.decl
    assert isinstance(decl, syn.KindDecl)
    span = where[first] if first is not None else decl.span
    old = ruleset.values.columns[info.column][first if first is not None else min(changed)]
    new = changed[first if first is not None else min(changed)]
    words, ground = f"{dom.name}.{name}", Ground(ruleset.symbols, Sink())
    return Mutant(
        0,
        "column",
        span.file,
        span.line,
        (info.decl.cites.ids if info.decl is not None and info.decl.cites else ()) or dom.cites,
        dom.name,
        f"{words}: {ground.show(info.type, old)} (and the others)",
        f"{words}: {ground.show(info.type, new)} (and the others)",
        (),
        (CellChange("column", info.column, cells),),
    )


#: Members of these are known only with a map or a scenario.
_MOVING = ("place", "edge", "piece", "record")


def _cell(index: Index, counts: list[int]) -> int:
    place = 0
    for count, ordinal in zip(counts, index, strict=True):
        place = place * count + ordinal
    return place


def _other(type_: Type, value: int) -> int | None:
    """Another value of the type; None if there is none, or for an empty optional."""
    if value == NONE:
        return None
    if type_.sort == "flag":
        return 1 - value
    if type_.sort == "int":
        return value + 1 if value < type_.hi else value - 1 if value > type_.lo else None
    if type_.sort == "dom" and type_.dom is not None and type_.dom.sort not in _MOVING:
        count, base = len(type_.dom.members), type_.dom.range_lo
        return base + (value - base + 1) % count if count > 1 else None
    return None
