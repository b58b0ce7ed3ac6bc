"""All charts of a title: those of its declarations, which the compiler makes, and those of its data."""

from __future__ import annotations

from typing import TYPE_CHECKING

from grognard.aids.kinds import kind_charts
from grognard.aids.scenarios import has_counters, scenario_chart
from grognard.aids.tables import table_charts
from grognard.contract.charts import Chart, DeclaredCharts
from grognard.drawing.scene import source_of
from grognard.play.position import Position

if TYPE_CHECKING:
    from collections.abc import Sequence

    from grognard.contract.titles import ScenarioInfo
    from grognard.play.engine import Engine

#: The order in which charts are printed.
ORDER = ("sequence", "table", "modifiers", "movement", "sight", "kind", "options", "scenario")


def title_charts(
    engine: Engine, declared: DeclaredCharts, scenarios: Sequence[ScenarioInfo], scenario: str | None = None
) -> list[Chart]:
    """The charts as the engine runs them under the errata in force; data is that of `scenario` (otherwise the default)."""
    setting = engine.setting(scenario)
    position = Position(setting, bytearray(memoryview(setting.scenario.cells).cast("B")))
    data = (*table_charts(source_of(engine, scenario)), *kind_charts(position))
    found = [*declared.charts, *(chart for chart in data if chart.name not in declared.judging)]
    for info in scenarios:
        # Without a scenario's name: grounds for examples, where nothing is set up, are left out.
        if scenario == info.id or (scenario is None and has_counters(source_of(engine, info.id))):
            found.append(scenario_chart(source_of(engine, info.id), info))
    return sorted(found, key=lambda chart: ORDER.index(chart.sort))
