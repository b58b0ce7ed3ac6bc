"""All charts and excerpts of a compiled title."""

from __future__ import annotations

from grognard.compiler.charts.excerpts import Excerpts
from grognard.compiler.charts.lists import list_charts
from grognard.compiler.charts.sequence import sequence_charts
from grognard.compiler.layers.rulebook import load_section_texts
from grognard.compiler.sema.lint.judging import only_for_evaluation
from grognard.compiler.store.ruleset import CompiledRuleset
from grognard.contract.charts import DeclaredCharts
from grognard.support.diagnostics import Sink


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
        (name, known.title, tuple(known.ground.cites)) for name, known in sorted(ruleset.situations.items())
    )
    charts = (*sequence_charts(decls), *list_charts(decls))
    return DeclaredCharts(charts, excerpts, situations, texts, judging)
