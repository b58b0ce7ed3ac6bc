"""All charts and excerpts of a compiled title."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from grognard.compiler.charts.excerpts import Excerpts
from grognard.compiler.charts.lists import list_charts
from grognard.compiler.charts.sequence import sequence_charts
from grognard.compiler.driver.errata_sheets import cites_in
from grognard.compiler.layers.rulebook import load_section_texts
from grognard.compiler.sema.lint.judging import only_for_evaluation
from grognard.compiler.sema.symbols import Symbols
from grognard.compiler.store.ruleset import CompiledRuleset
from grognard.compiler.syntax.walk import walk
from grognard.contract.charts import DeclaredCharts
from grognard.support.diagnostics import Sink

#: What odds are seen to come of; rules behind them are many.
SHOWN = ("procedure", "modifiers", "table")


def declared_charts(ruleset: CompiledRuleset) -> DeclaredCharts:
    judging = frozenset(only_for_evaluation(ruleset.symbols, ruleset.merged))
    decls = [decl for _, decl in ruleset.merged.decls if getattr(decl, "name", "") not in judging]
    rulebook = ruleset.schema.rulebook
    texts = load_section_texts(ruleset.project, rulebook, Sink()) if rulebook is not None else {}
    folder = ruleset.about.folder
    inside = folder.name if (folder.parent / "series.yaml").is_file() else ""
    cut = Excerpts(ruleset.sources, inside)
    excerpts = {section: cut.of(spans) for section, spans in ruleset.schema.cited.items()}
    situations = tuple(
        (name, known.title, tuple(dict.fromkeys((*known.ground.cites, *_moved_by(ruleset.symbols, name)))))
        for name, known in sorted(ruleset.situations.items())
    )
    charts = (*sequence_charts(decls), *list_charts(decls))
    return DeclaredCharts(charts, excerpts, situations, texts, judging)


def _moved_by(symbols: Symbols, situation: str) -> Iterator[str]:
    """The sections of the procedures, lists of modifiers and tables that the odds of a situation come of."""
    seen: set[str] = set()
    waiting: list[Any] = [symbols.situations[situation].decl]
    while waiting:
        for node in walk(waiting.pop()):
            name = getattr(node, "id", None) or getattr(node, "name", None)
            entry = symbols.callables.get(name) if isinstance(name, str) else None
            if entry is None or entry.name in seen:
                continue
            seen.add(entry.name)
            trees = [entry.decl, *(exception for _, exception in entry.exceptions)]
            waiting += trees
            if entry.sort in SHOWN:
                yield from cites_in(trees)
