"""A comparison as one page of HTML that needs nothing else: texts, tables and drawn bars."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape

from grognard.compare.report import Report
from grognard.compare.shifted_odds import Case, Moved
from grognard.compare.words import (
    change_place,
    course_words,
    moved_words,
    percent,
    rebuild_words,
    saves_words,
    shift_words,
    value_word,
)

#: Cases of a situation that are drawn, and games that are told one by one.
DRAWN = 6
TOLD = 200

STYLE = """
:root { --ink: #2b2a26; --paper: #fbf9f3; --line: #d8d2c2; --before: #b5483a; --after: #2f6f8f; --soft: #f1ecdf }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e8e4d8; --paper: #23221e; --line: #4a463c; --before: #e08a7c; --after: #7cb8d6; --soft: #2f2d27 } }
body { font: 16px/1.5 system-ui, sans-serif; color: var(--ink); background: var(--paper); max-width: 62rem;
  margin: 2rem auto; padding: 0 1rem }
h1 { font-size: 1.6rem } h2 { font-size: 1.2rem; margin-top: 2.2rem; border-bottom: 1px solid var(--line) }
table { border-collapse: collapse; width: 100%; margin: .6rem 0 } th { text-align: left; font-weight: 600 }
th, td { padding: .25rem .6rem .25rem 0; border-bottom: 1px solid var(--line); vertical-align: top }
td.n { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap }
code, pre { font: .88em/1.45 ui-monospace, monospace } pre { background: var(--soft); padding: .6rem; overflow-x: auto }
.before { color: var(--before) } .after { color: var(--after) } .cite { opacity: .7; font-size: .88em }
svg text { fill: var(--ink); font: 13px system-ui, sans-serif } .wide { overflow-x: auto }
"""


def page(report: Report) -> str:
    title = f"{report.after.name}: what changes"
    body = "\n".join(_body(report))
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{escape(title)}</title><style>{STYLE}</style></head>\n<body>\n<h1>{escape(title)}</h1>\n"
        f'<p><span class="before">{escape(report.before.shown)}</span> → '
        f'<span class="after">{escape(report.after.shown)}</span></p>\n{body}\n</body></html>\n'
    )


def _body(report: Report) -> Iterator[str]:
    if not report.changed:
        yield "<p>Nothing differs.</p>"
        return
    for section in report.sections:
        yield f"<h2>{escape(section.title.capitalize())}</h2>"
        yield '<div class="wide"><table><tr><th>what</th><th>before</th><th>after</th><th>sections</th></tr>'
        for change in section.changes:
            sheet = f'<br><span class="cite">{escape(change.sheet)}</span>' if change.sheet else ""
            place = (
                f'<br><span class="cite">{escape(change.file)}:{change.line}</span>' if change.file else ""
            )
            yield (
                f"<tr><td>{escape(change_place(change))}{place}</td>"
                f'<td class="before">{_written(change.before)}</td><td class="after">{_written(change.after)}</td>'
                f'<td class="cite">{escape(", ".join(change.cites))}{sheet}</td></tr>'
            )
        yield "</table></div>"
        yield from (f"<p>{escape(note)}</p>" for note in section.notes)
    if report.affected:
        yield "<h2>Sections of the rulebook</h2><table>"
        for found in report.affected:
            yield f"<tr><td>{escape(found.id)}</td><td>{escape(found.title)}</td><td>{escape(', '.join(found.names))}</td></tr>"
        yield "</table>"
    if report.situations:
        yield "<h2>Exact odds</h2>"
        for shift in report.situations:
            yield f"<p><b>{escape(shift.title)}</b>: {escape(shift_words(shift))}</p>"
            for case in shift.moved[:DRAWN]:
                yield f"<p>{escape(moved_words(case))}</p>"
                yield bars(case)
            if len(shift.moved) > 1:
                yield "<table><tr><th>case</th><th>outcome</th><th>before</th><th>after</th><th>difference</th></tr>"
                for case in shift.moved[:TOLD]:
                    share = max(case.shares, key=lambda s: abs(s.difference))
                    yield (
                        f"<tr><td>{escape(moved_words(case))}</td><td>{escape(f'{share.outcome}: {value_word(share.value)}')}</td>"
                        f'<td class="n">{percent(share.before)}</td><td class="n">{percent(share.after)}</td>'
                        f'<td class="n">{percent(share.difference, True)}</td></tr>'
                    )
                yield "</table>"
    if report.odds:
        yield f"<h2>Odds of {escape(report.asked)}</h2>"
        yield bars(Case({}, tuple(Moved(s.label, s.value, s.before, s.after) for s in report.odds)))
    apart = [course for course in report.courses if not course.same]
    if apart:
        yield "<h2>Examples of play and games</h2><ul>"
        for course in apart:
            at = "" if course.step is None else f", after answer {course.step} of {course.steps}"
            yield f"<li><b>{escape(course.name)}</b>{at}: {escape(course.what)}</li>"
        yield "</ul>"
    if report.recorded is not None:
        recorded = report.recorded
        yield "<h2>Recorded games</h2>"
        yield f"<p>{len(recorded.parted):,} of {len(recorded.courses):,} games take another course.</p>"
        yield "<table><tr><th>games</th><th>how</th><th>at the question</th></tr>"
        for sort, question, games in recorded.by_decision():
            yield f'<tr><td class="n">{games:,}</td><td>{escape(course_words(sort))}</td><td>{escape(question)}</td></tr>'
        yield "</table>"
        for explained in recorded.explained:
            played = explained.course
            yield f"<p><b>{escape(played.name)}</b>, after answer {played.step} of {played.answers}: {escape(explained.difference)}"
            if explained.reason:
                yield f'<br><span class="cite">because: {escape(explained.reason)}</span>'
            yield "</p>"
    if report.saves is not None or report.rebuilds is not None:
        yield "<h2>Saves and engines</h2><ul>"
        yield from (f"<li>{escape(line)}</li>" for line in (*saves_words(report), *rebuild_words(report)))
        yield "</ul>"


def _written(text: str | None) -> str:
    if text is None:
        return ""
    return f"<pre>{escape(text)}</pre>" if "\n" in text else f"<code>{escape(text)}</code>"


def bars(case: Case) -> str:
    """Two bars for each value of each outcome, before above after."""
    left, wide, row, gap = 220, 420, 15, 10
    parts: list[str] = []
    y = 4
    label = ""
    for share in case.shares:
        if share.outcome != label:
            label = share.outcome
            y += 16
            parts.append(f'<text x="0" y="{y}" font-weight="600">{escape(label)}</text>')
            y += 8
        name = value_word(share.value)
        parts.append(f'<text x="{left - 8}" y="{y + row}" text-anchor="end">{escape(name[:28])}</text>')
        for place, (colour, amount) in enumerate((("before", share.before), ("after", share.after))):
            top = y + place * row
            parts.append(
                f'<rect x="{left}" y="{top}" width="{max(amount * wide, 0.5):.1f}" height="{row - 3}" fill="var(--{colour})"/>'
            )
            parts.append(
                f'<text x="{left + amount * wide + 6:.1f}" y="{top + row - 5}">{percent(amount)}</text>'
            )
        y += 2 * row + gap
    total = left + wide + 90
    return f'<svg viewBox="0 0 {total} {y}" width="{total}" height="{y}" role="img" aria-label="odds before and after">{"".join(parts)}</svg>'
