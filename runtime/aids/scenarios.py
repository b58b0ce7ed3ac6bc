"""Scenario sheets: what a scenario is about, its optional rules, who sets up what where, how even it was found to be."""

from __future__ import annotations

from collections import Counter, defaultdict

from grognard.aids.tables import title_of
from grognard.contract.charts import Chart, Line
from grognard.contract.header import NONE
from grognard.contract.titles import ScenarioInfo
from grognard.drawing.counters import counter_roles
from grognard.drawing.scene import Source


def scenario_chart(source: Source, info: ScenarioInfo) -> Chart:
    """The sheet of one scenario; `source` is of that scenario."""
    lines = [Line(("Optional rule", title_of(name), value)) for name, value in _options(source).items()]
    for name, field in source.schema.globals.items():
        if (
            field.field is not None
            and not field.axes
            and field.parts is None
            and field.type.sort in ("int", "flag", "dom")
        ):
            value = source.state(field)
            if value not in (0, NONE):
                lines.append(Line(("Game", title_of(name), source.shown(field, value))))
    for owner, places in _counters(source).items():
        for place, counted in places.items():
            held = ", ".join(f"{n} {name}" if n > 1 else name for name, n in counted.items())
            lines.append(Line((owner, place, held)))
    notes = [info.about] if info.about else []
    if info.balance:
        notes.append(
            "Games between equal players: "
            + ", ".join(f"{key} {value}" for key, value in info.balance.items())
            + "."
        )
    return Chart("scenario", info.id, info.name, ("", "", ""), tuple(lines), (), tuple(notes), heads=2)


def has_counters(source: Source) -> bool:
    """Whether anything is set up; always in a title without counters."""
    return bool(_counters(source)) or not any(dom.sort == "piece" for dom in source.schema.doms)


def _options(source: Source) -> dict[str, str]:
    """Those that the scenario sets otherwise than the title does."""
    known = source.schema.options
    return {
        name: value
        for name, value in source.scenario.options.items()
        if name in known and known[name].value != value
    }


def _counters(source: Source) -> dict[str, dict[str, Counter[str]]]:
    """Seat -> place -> how many of what are set up there."""
    roles = counter_roles(source)
    found: dict[str, dict[str, Counter[str]]] = defaultdict(lambda: defaultdict(Counter))
    layout, cells = source.scenario.layout, source.scenario.cells
    for dom in source.schema.doms:
        if dom.sort != "piece" or dom.name not in roles:
            continue
        role = roles[dom.name]
        data = source.data.domains[dom.id]
        alive = source.program.domains[dom.id].alive
        side = dom.fields.get(role["side"] or "")
        kind = dom.fields.get("type")
        for value in range(data.base, data.base + data.count):
            if alive is not None and not cells[layout.field_offset[alive] + value - data.base]:
                continue
            where = "not on the map"
            for field in (dom.fields[name] for name in role["places"]):
                place = source.state(field, value)
                if place != NONE and field.type.dom is not None:
                    where = source.title(field.type.dom, place)
                    break
            owner = ""
            if side is not None and side.type.dom is not None:
                owner = source.title(side.type.dom, source.state(side, value))
            if kind is not None and kind.type.dom is not None and dom.interchangeable:
                name = source.title(kind.type.dom, source.state(kind, value))
            else:
                name = data.title(value)
            found[owner or title_of(dom.name)][where][name] += 1
    return found
