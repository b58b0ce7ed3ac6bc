"""The living rulebook: section by section what carries it out, what amends it, whether it is proved, odds to try."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from typing import TYPE_CHECKING

from grognard.aids.page import anchor, chart_html, document
from grognard.contract.charts import Chart, DeclaredCharts, Excerpt

if TYPE_CHECKING:
    from grognard.play.coverage import Coverage, SectionCoverage
    from grognard.play.engine import Engine

#: Sorts of declarations that show a rule instead of carrying it out.
SHOWN_BY = ("example", "situation", "policy")


def book_page(engine: Engine, declared: DeclaredCharts, charts: Sequence[Chart], coverage: Coverage) -> str:
    """The rulebook as one page of HTML."""
    by_name: dict[tuple[str, str], Chart] = {(chart.sort, chart.name): chart for chart in charts}
    sections = coverage.sections
    rulebook = engine.ruleset.schema.rulebook
    head = [
        f"<h1>{escape(engine.title)}</h1>",
        '<p class="note">The rulebook as it runs: each section with the rules, tables and examples of play that carry it out. '
        f"{escape(str(coverage))}.</p>",
        "<nav>" + "".join(_link(section) for section in sections) + "</nav>",
    ]
    body = [_section(section, declared, by_name, engine.name) for section in sections]
    others = [name for name in declared.excerpts if rulebook is not None and name not in rulebook.sections]
    if others:
        body.append("<h2>Cited beside the rulebook</h2>")
        for name in sorted(others):
            body.append(f'<h3 id="{anchor(name)}">{escape(name)}</h3>{_excerpts(declared.excerpts[name])}')
            body.append(_odds(name, declared, engine.name))
    return document(f"{engine.title}: the living rulebook", "\n".join([*head, *body]))


def _link(section: SectionCoverage) -> str:
    return f'<a href="#{anchor(section.id)}"><b>{escape(section.id)}</b> {escape(section.title)}</a>'


def _section(
    section: SectionCoverage, declared: DeclaredCharts, charts: Mapping[tuple[str, str], Chart], title: str
) -> str:
    parts = [
        f'<h2 id="{anchor(section.id)}">{escape(section.id)} {escape(section.title)} {_badge(section)}</h2>'
    ]
    if says := declared.texts.get(section.id):
        parts.append(f'<p class="says">{escape(says)}</p>')
    if section.why:
        parts.append(f'<p class="note">{escape(section.why)}.</p>')
    excerpts = declared.excerpts.get(section.id, ())
    rules = [e for e in excerpts if e.sort not in SHOWN_BY]
    examples = [e for e in excerpts if e.sort in SHOWN_BY]
    # A list of modifiers is shown as the excerpt that cites the section; a table as it is looked up.
    for excerpt in rules:
        chart = charts.get(("table", excerpt.name)) if excerpt.sort == "table" else None
        parts.append(chart_html(chart) if chart is not None else _excerpt(excerpt))
    if examples:
        shown = "".join(map(_excerpt, examples))
        many = f"{len(examples)} examples" if len(examples) > 1 else "One example"
        parts.append(f"<details><summary>{many} of play</summary>{shown}</details>")
    parts.append(_odds(section.id, declared, title))
    return "\n".join(parts)


def _odds(section: str, declared: DeclaredCharts, title: str) -> str:
    """The commands that work out what the section comes to."""
    lines = [
        f"<code>grognard odds {escape(title)} {escape(name)}</code><br>"
        for name, _, cites in declared.situations
        if section in cites
    ]
    return f"<p>Odds to try: {''.join(lines)}</p>" if lines else ""


def _badge(section: SectionCoverage) -> str:
    if section.state == "not applicable":
        words, kind = "needs no code", "notapplicable"
    elif section.state == "missing":
        words, kind = "missing", "missing"
    elif section.asserted:
        noticed, tried = section.noticed
        words, kind = f"proved: {noticed} of {tried} changes are noticed", "asserted"
    elif section.run or section.state == "exercised":
        words, kind = "run by examples", "run"
    else:
        words, kind = "encoded", "encoded"
    return f'<span class="badge {kind}">{words}</span>'


def _excerpts(excerpts: Sequence[Excerpt]) -> str:
    return "".join(map(_excerpt, excerpts))


def _excerpt(excerpt: Excerpt) -> str:
    lines = []
    for number, line in enumerate(excerpt.text.split("\n"), 1):
        shown = escape(line)
        lines.append(f"<mark>{shown}</mark>" if number in excerpt.cited else shown)
    amended = excerpt.layer not in ("series", "title")
    source = f"{excerpt.file}, line {excerpt.line}" + (f", erratum “{excerpt.layer}”" if amended else "")
    return f'<p class="note">{escape(source)}</p><pre>{chr(10).join(lines)}</pre>'
