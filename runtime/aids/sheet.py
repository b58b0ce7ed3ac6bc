"""The player's aids of a title as one page: charts, counters, scenarios, the map."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import TYPE_CHECKING

from grognard.aids.page import chart_html, document
from grognard.contract.charts import Chart
from grognard.drawing.board import draw_map
from grognard.drawing.counters import SIZE, symbols
from grognard.drawing.look import look_of
from grognard.drawing.scene import source_of

if TYPE_CHECKING:
    from grognard.play.engine import Engine

#: The headings of the sorts of charts, in their order.
PARTS = {
    "sequence": "Sequence of play",
    "table": "Tables",
    "modifiers": "Modifiers",
    "movement": "Movement",
    "sight": "Lines of sight",
    "kind": "Kinds and counters",
    "options": "Optional rules",
    "scenario": "Scenarios",
    "coverage": "The rulebook",
}
#: A neutral ground for counters of nobody.
PLAIN = "#e6e1d0"


def aids_page(
    engine: Engine, charts: Sequence[Chart], scenario: str | None = None, with_map: bool = True
) -> str:
    """All charts as HTML that prints on A4."""
    about = engine.ruleset.about
    errata = ", ".join(about.errata)
    parts = [
        f"<h1>{escape(engine.title)}</h1>",
        f'<p class="note">Player’s aids, made from the rules as they run{escape(": with " + errata) if errata else ", without errata"}.</p>',
        _contents(charts),
    ]
    for sort, heading in PARTS.items():
        those = [chart for chart in charts if chart.sort == sort]
        if those:
            parts.append(f'<h2 id="{sort}">{heading}</h2>')
            parts += map(chart_html, those)
        if sort == "kind":
            parts.append(counter_sheet(engine, scenario))
    if with_map:
        parts.append(f'<div class="map"><h2>Map</h2>{draw_map(engine, scenario)}</div>')
    return document(f"{engine.title}: player’s aids", "\n".join(parts))


def _contents(charts: Sequence[Chart]) -> str:
    links = "".join(
        f'<a href="#{chart.sort}-{escape(chart.name)}">{escape(chart.title)}</a>'
        for chart in charts
        if chart.sort != "scenario"
    )
    return f"<nav>{links}</nav>"


def counter_sheet(engine: Engine, scenario: str | None = None) -> str:
    """Each counter's face once, in the colours of the sides that have it."""
    source = source_of(engine, scenario)
    look = look_of(engine)
    seats = [dom for dom in (source.schema.seats, source.schema.sides) if dom is not None]
    colours = look.side_colours(list(dict.fromkeys(name for dom in seats for name in dom.members)))
    figures = []
    drawn: set[str] = set()
    for piece in source.schema.doms:
        if piece.sort != "piece":
            continue
        if piece.kind is None:
            figures.append(_figure(f"k-{piece.name}", piece.name, PLAIN))
        elif piece.kind.name not in drawn:
            drawn.add(piece.kind.name)
            owner = next(
                (
                    f
                    for f in piece.kind.fields.values()
                    if f.column is not None and not f.axes and f.type.dom in seats and f.type.sort == "dom"
                ),
                None,
            )
            rows = source.data.domains[piece.kind.id]
            for value in range(rows.base, rows.base + rows.count):
                colour = PLAIN
                if owner is not None and owner.type.dom is not None:
                    colour = colours.get(source.name(owner.type.dom, source.datum(owner, value)), PLAIN)
                name = rows.names[value - rows.base]
                figures.append(_figure(f"k-{piece.kind.name}-{name}", rows.title(value), colour))
    if not figures:
        return ""
    defs = (
        f'<svg width="0" height="0" aria-hidden="true"><defs>{symbols(engine, look, scenario)}</defs></svg>'
    )
    return f'<h2>Counters</h2>{defs}<div class="sheet">{"".join(figures)}</div>'


def _figure(symbol: str, title: str, colour: str) -> str:
    box = (
        f'<svg viewBox="0 0 {SIZE:g} {SIZE:g}" color="{escape(colour)}"><use href="#{escape(symbol)}"/></svg>'
    )
    return f"<figure>{box}<figcaption>{escape(title)}</figcaption></figure>"
