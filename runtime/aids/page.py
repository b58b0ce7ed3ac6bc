"""Pages of HTML that need nothing else: no script, no file beside them; they print on A4 as they are."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape

from grognard.contract.charts import Chart, Line

STYLE = """
:root { --ink: #23211c; --line: #b9b2a0; --head: #e9e4d6; --stripe: #f6f3ea; --note: #6b6557; --accent: #7a3b1d; }
* { box-sizing: border-box; }
body { margin: 0 auto; padding: 1.2rem; max-width: 64rem; color: var(--ink); background: #fffdf8;
  font: 14px/1.4 system-ui, "Segoe UI", "Helvetica Neue", sans-serif; }
h1 { font-size: 1.7rem; margin: 0 0 .2rem; } h2 { font-size: 1.2rem; margin: 1.6rem 0 .5rem; border-bottom: 2px solid var(--accent); }
h3 { font-size: 1rem; margin: 0 0 .2rem; } p { margin: .2rem 0 .6rem; } .says { max-width: 70ch; } .note { color: var(--note); font-size: .85em; }
section.chart { margin: 0 0 1.2rem; break-inside: avoid; } section.chart.long { break-inside: auto; }
table { border-collapse: collapse; font-size: .86em; } thead { display: table-header-group; } tr { break-inside: avoid; }
th, td { border: 1px solid var(--line); padding: .12rem .45rem; text-align: left; vertical-align: top; }
thead th { background: var(--head); } tbody th { background: var(--head); font-weight: 600; }
tbody tr:nth-child(even) td { background: var(--stripe); } table.grid td { text-align: center; }
.outline { list-style: none; padding: 0; margin: 0; } .outline li { padding: .1rem 0; border-bottom: 1px dotted var(--line); }
.cite { color: var(--accent); font-size: .82em; white-space: nowrap; }
code, pre { font-family: ui-monospace, "DejaVu Sans Mono", Menlo, monospace; font-size: .82em; }
pre { background: var(--stripe); border: 1px solid var(--line); padding: .4rem .6rem; overflow-x: auto; margin: .2rem 0 .7rem; white-space: pre-wrap; }
mark { background: #ffe9a8; } nav { columns: 3 14rem; font-size: .9em; } nav a { color: inherit; text-decoration: none; display: block; }
nav a:hover { text-decoration: underline; } .badge { border-radius: .6rem; padding: 0 .5rem; font-size: .75em; border: 1px solid var(--line); white-space: nowrap; }
.asserted { background: #d5ecd0; } .run, .exercised { background: #e6f0d4; } .encoded, .cited { background: #fdf1cc; }
.missing { background: #f6cfc6; } .notapplicable { background: #ececec; }
.sheet { display: flex; flex-wrap: wrap; gap: .7rem; } .sheet figure { margin: 0; width: 6.2rem; text-align: center; break-inside: avoid; }
.sheet figcaption { font-size: .7em; line-height: 1.15; } .sheet svg { width: 58px; height: 58px; }
.map svg { width: 100%; height: auto; } details > summary { cursor: pointer; }
@page { size: A4; margin: 14mm 12mm; }
@media print { body { max-width: none; padding: 0; font-size: 11px; background: white; } nav { display: none; } h2 { break-after: avoid; } .map { break-before: page; } }
"""


def document(title: str, body: str) -> str:
    """A whole page."""
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{escape(title)}</title>\n<style>{STYLE}</style>\n</head>\n<body>\n{body}\n</body>\n</html>\n"
    )


def cited(cites: Iterable[str], link: bool = False) -> str:
    """Sections in brackets; with `link` each leads to its place on the page."""
    shown = [f'<a href="#{anchor(name)}">{escape(name)}</a>' if link else escape(name) for name in cites]
    return f'<span class="cite">[{", ".join(shown)}]</span>' if shown else ""


def anchor(section: str) -> str:
    return "s-" + "".join(c if c.isalnum() else f"-{ord(c):x}-" for c in section)


def chart_html(chart: Chart) -> str:
    """A chart with its heading."""
    notes = "".join(f'<p class="note">{escape(note)}</p>' for note in chart.notes)
    body = _outline(chart) if chart.sort == "sequence" else _table(chart)
    long = " long" if len(chart.lines) > 25 else ""
    heading = f"<h3>{escape(chart.title)} {cited(chart.cites)}</h3>"
    return f'<section class="chart{long}" id="{chart.sort}-{escape(chart.name)}">{heading}{notes}{body}</section>'


def _outline(chart: Chart) -> str:
    lines = []
    for line in chart.lines:
        head, behind = line.cells
        strong = "strong" if line.depth == 0 or (behind == "" and line.cites) else "span"
        shown = (
            f" <code>{escape(behind)}</code>"
            if behind and 1 in line.code
            else f" <em>{escape(behind)}</em>"
            if behind
            else ""
        )
        lines.append(
            f'<li style="padding-left:{1.4 * line.depth:.1f}em"><{strong}>{escape(head)}</{strong}>{shown} {cited(line.cites)}</li>'
        )
    return f'<ol class="outline">{"".join(lines)}</ol>'


def _table(chart: Chart) -> str:
    with_cites = any(line.cites for line in chart.lines)
    heading = ""
    if any(chart.columns):
        shown = "".join(f"<th>{escape(column)}</th>" for column in chart.columns)
        heading = f"<thead><tr>{shown}{'<th>section</th>' if with_cites else ''}</tr></thead>"
    grid = ' class="grid"' if chart.sort == "table" else ""
    rows = "".join(_row(line, chart, with_cites) for line in chart.lines)
    return f"<table{grid}>{heading}<tbody>{rows}</tbody></table>"


def _row(line: Line, chart: Chart, with_cites: bool) -> str:
    cells = []
    for number, cell in enumerate(line.cells):
        shown = f"<code>{escape(cell)}</code>" if cell and number in line.code else escape(cell)
        if number == 0 and line.depth:
            shown = "&emsp;" * line.depth + shown
        tag = "th" if number < chart.heads else "td"
        cells.append(f"<{tag}>{shown}</{tag}>")
    behind = f"<td>{cited(line.cites)}</td>" if with_cites else ""
    return f"<tr>{''.join(cells)}{behind}</tr>"
