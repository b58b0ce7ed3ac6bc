"""All charts and excerpts of a compiled title."""

from __future__ import annotations

from grognard.compiler.charts.excerpts import Excerpts
from grognard.compiler.charts.lists import list_charts
from grognard.compiler.charts.sequence import sequence_charts
from grognard.compiler.store.ruleset import CompiledRuleset
from grognard.contract.charts import DeclaredCharts


def declared_charts(ruleset: CompiledRuleset) -> DeclaredCharts:
    decls = [decl for _, decl in ruleset.merged.decls]
    folder = ruleset.about.folder
    inside = folder.name if (folder.parent / "series.yaml").is_file() else ""
    cut = Excerpts(ruleset.sources, inside)
    excerpts = {section: cut.of(spans) for section, spans in ruleset.schema.cited.items()}
    situations = tuple(
        (name, known.title, tuple(known.ground.cites)) for name, known in sorted(ruleset.situations.items())
    )
    return DeclaredCharts((*sequence_charts(decls), *list_charts(decls)), excerpts, situations)
