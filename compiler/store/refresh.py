"""Changed data read anew into a cached ruleset, so that a changed cell needs no compiling (driver/ruleset_cache.py)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from grognard.compiler.data.ground import Ground
from grognard.compiler.data.load import load_names
from grognard.compiler.data.tables.pack import (
    load_table,
    load_tables,
    table_needs_map,
    table_ranges,
)
from grognard.compiler.store.digests import is_row, without_rows
from grognard.compiler.syntax import nodes as syn
from grognard.compiler.syntax.from_text.rows import read_row
from grognard.support.diagnostics import Sink

if TYPE_CHECKING:
    from grognard.compiler.sema.symbols import Callable_
    from grognard.compiler.store.ruleset import CompiledRuleset
    from grognard.compiler.store.sections import CachedRuleset
    from grognard.contract.datablock import Scenario
    from grognard.support.source import SourceFile


def refresh(cached: CachedRuleset, changed: Sequence[str]) -> bool:
    """Read the data anew into a cached ruleset; False if the program might have to change, or something is wrong."""
    ruleset = cached.ruleset
    project = ruleset.project
    sink = Sink()
    cached.report_to(sink)
    ranges = table_ranges(ruleset.values)
    known = {name: project.sources.pop(name, None) for name in changed}
    sink.sources.update(project.sources)
    drawn: list[Callable_] = []
    for name in changed:
        if name.endswith(".grog"):
            tables = _new_tables(cached, name, known[name])
            if tables is None:
                return False
            drawn += tables
    if all(name.endswith(".grog") for name in changed) and not any(map(table_needs_map, drawn)):
        good = _read_tables(cached, drawn)
    else:
        good = _read_all(cached)
    return good and not sink.has_errors and table_ranges(ruleset.values) == ranges


def _read_tables(cached: CachedRuleset, tables: Sequence[Callable_]) -> bool:
    """Tables alone: nothing else is read from them."""
    ruleset = cached.ruleset
    ground = Ground(ruleset.symbols, ruleset.sink)
    for entry in tables:
        load_table(ground, ruleset.project, ruleset.merged, ruleset.values, entry)
    for scenario in ruleset.loaded.values():
        for entry in tables:
            if entry.table is None or entry.table not in ruleset.values.tables:
                return False
            scenario.data.tables[entry.table] = ruleset.values.tables[entry.table]
        _prepare_again(ruleset, scenario, scenario)
    places = {(entry.span.file, line) for entry in tables for line in _lines(entry)}
    cached.diagnostics = [
        d for d in cached.diagnostics if d.span is None or (d.span.file, d.span.line) not in places
    ]
    cached.diagnostics += list(ruleset.sink)
    return True


def _lines(entry: Callable_) -> range:
    rows = [row.span.end_line for row in entry.decl.rows]
    return range(entry.decl.span.line, max([entry.decl.span.end_line, *rows]) + 1)


def _read_all(cached: CachedRuleset) -> bool:
    """All data; what is said of it is said anew."""
    from grognard.compiler.data.kinds import load_kinds

    ruleset = cached.ruleset
    symbols, project, merged = ruleset.symbols, ruleset.project, ruleset.merged
    ground = Ground(symbols, ruleset.sink)
    names = [(dom.name, list(dom.members)) for dom in symbols.doms]
    for dom in symbols.doms:
        if isinstance(dom.decl, syn.KindDecl) and dom.decl.source is not None:
            dom.members, dom.titles = [], []
    ruleset.values = load_kinds(ground, project, merged)
    load_tables(ground, project, merged, ruleset.values)
    before = dict(ruleset.loaded)
    ruleset.loaded.clear()
    # The default scenario's map gives the names of places, which rules may use.
    default = ruleset.default_scenario
    if default:
        ground = Ground(symbols, Sink())
        if symbols.spaces and not load_names(ground, project, ruleset.values, default):
            return False
        known = before.get(default)
        made = ruleset.scenario(default, like=known.layout if known is not None else None)
        if made is None:
            return False
        if known is not None:
            _prepare_again(ruleset, made, known)
    cached.diagnostics = [d for d in cached.diagnostics if not d.code.startswith(("GR04", "GR06"))] + list(
        ruleset.sink
    )
    return _names(ground) == names


def _prepare_again(ruleset: CompiledRuleset, scenario: Scenario, before: Scenario) -> None:
    """What engines want of a scenario, as far as it can be taken from what they wanted before."""
    from grognard.contract.prepared_data import DataError, prepare_again

    known, scenario.prepared = before.prepared, None
    if known is None or scenario.layout != before.layout:
        return
    same_maps = scenario.data.maps == before.data.maps
    try:
        scenario.prepared = prepare_again(
            known, ruleset.program, scenario.layout, scenario.data, same_maps=same_maps
        )
    except DataError:
        # Starting an engine reports it.
        return


def _names(ground: Ground) -> list[tuple[str, list[str]]]:
    return [(dom.name, list(ground.members(dom))) for dom in ground.symbols.doms]


def _new_tables(cached: CachedRuleset, name: str, old: SourceFile | None) -> list[Callable_] | None:
    """Put the changed rows of a file in the place of those that are known, and say whose they are; None if that cannot
    be done, because more than rows changed."""
    symbols = cached.ruleset.symbols
    new = cached.ruleset.project.load(name, cached.ruleset.sink)
    if old is None or new is None or without_rows(old.text) != without_rows(new.text):
        return None
    changed = {line for line in range(1, new.line_count + 1) if old.line(line) != new.line(line)}
    if old.line_count != new.line_count or not all(
        is_row(f(n)) for n in changed for f in (old.line, new.line)
    ):
        return None
    found = []
    for entry in symbols.callables.values():
        decl = entry.decl if entry.sort == "table" else None
        lines = {row.span.line for row in decl.rows} if decl is not None and decl.span.file == name else set()
        if decl is None or changed.isdisjoint(lines):
            continue
        rows = tuple(
            read_row(name, row.span.line, new.line(row.span.line)) if row.span.line in changed else row
            for row in decl.rows
        )
        drawn = replace(decl, rows=rows)
        cached.replace_shared(decl, drawn)
        entry.decl = drawn
        found.append(entry)
    return found
