"""A comparison as Markdown, for a post in a forum: what changes, in tables that are short enough to be read."""

from __future__ import annotations

from collections.abc import Iterator

from grognard.compare.report import Report
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

#: Rows of one table, and lines of one list.
ROWS = 40


def markdown(report: Report) -> str:
    return "\n".join(_lines(report)).rstrip() + "\n"


def _lines(report: Report) -> Iterator[str]:
    yield f"# {report.after.name}: what changes"
    yield ""
    yield f"*{report.before.shown}* → *{report.after.shown}*"
    yield ""
    if not report.changed:
        yield "Nothing differs."
        return
    for section in report.sections:
        yield f"## {section.title.capitalize()}"
        yield ""
        blocks: list[str] = []
        rows: list[str] = []
        for change in section.changes:
            cites = ", ".join(change.cites)
            if "\n" in (change.before or "") + (change.after or ""):
                blocks.append(f"**{change.what} {change.name}** {f'[{cites}]' if cites else ''}".rstrip())
                blocks.append("")
                blocks.append("```diff")
                for sign, text in (("-", change.before), ("+", change.after)):
                    blocks += [f"{sign} {line}" for line in (text or "").splitlines()]
                blocks += ["```", ""]
            else:
                rows.append(
                    f"| {_cell(change_place(change))} | {_code(change.before)} | {_code(change.after)} | {_cell(cites)} |"
                )
        if rows:
            yield "| what | before | after | sections |"
            yield "|---|---|---|---|"
            yield from rows[:ROWS]
            if len(rows) > ROWS:
                yield f"| and {len(rows) - ROWS} more | | | |"
            yield ""
        yield from blocks
        for note in section.notes:
            yield f"- {note}"
    if report.affected:
        yield "## Sections"
        yield ""
        for found in report.affected:
            title = f" {found.title}" if found.title else ""
            yield f"- **{found.id}**{title}: {', '.join(found.names)}"
        yield ""
    if report.situations:
        yield "## Exact odds"
        yield ""
        for shift in report.situations:
            yield f"**{shift.title}**: {shift_words(shift)}"
            yield ""
            for case in shift.moved[:3]:
                yield f"{moved_words(case)}:"
                yield ""
                yield "| outcome | before | after | difference |"
                yield "|---|---:|---:|---:|"
                for share in case.shares:
                    if abs(share.difference) > 1e-9:
                        name = f"{share.outcome}: {value_word(share.value)}"
                        yield f"| {_cell(name)} | {percent(share.before)} | {percent(share.after)} | {percent(share.difference, True)} |"
                yield ""
    if report.odds:
        yield f"## Odds of {report.asked}"
        yield ""
        yield "| outcome | before | after |"
        yield "|---|---:|---:|"
        for asked in report.odds:
            yield f"| {_cell(f'{asked.label}: {value_word(asked.value)}')} | {percent(asked.before)} | {percent(asked.after)} |"
        yield ""
    apart = [course for course in report.courses if not course.same]
    if apart:
        yield "## Examples of play and games"
        yield ""
        for course in apart:
            at = "" if course.step is None else f", after answer {course.step} of {course.steps}"
            yield f"- **{course.name}**{at}: {course.what}"
        yield ""
    if report.recorded is not None:
        yield "## Recorded games"
        yield ""
        recorded = report.recorded
        yield f"{len(recorded.parted):,} of {len(recorded.courses):,} games take another course."
        yield ""
        for sort, question, games in recorded.by_decision()[:ROWS]:
            yield f"- {games:,}: {course_words(sort)} ({question})"
        for explained in recorded.explained[:5]:
            yield f"- {explained.course.name}, answer {explained.course.step}: {explained.difference}"
            if explained.reason:
                yield f"  because: {explained.reason}"
        yield ""
    if report.saves is not None or report.rebuilds is not None:
        yield "## Saves and engines"
        yield ""
        yield from (f"- {line}" for line in saves_words(report))
        yield from (f"- {line}" for line in rebuild_words(report))


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("\n", " ")


def _code(text: str | None) -> str:
    return "" if text is None else f"`{_cell(text)}`"
