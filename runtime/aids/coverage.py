"""How much of the rulebook the rules carry out, chapter by chapter."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from grognard.contract.charts import Chart, Line

if TYPE_CHECKING:
    from grognard.play.coverage import Coverage, SectionCoverage

#: Behind all chapters that have numbers.
LAST = 1_000_000
_CHAPTER = re.compile(r"[^\W\d_]+(?= \d+\.) \d+|[^./\s-]+")


def coverage_chart(coverage: Coverage) -> Chart:
    """A line for each chapter: sections that are rules, how many are carried out and asserted, and which are not."""
    chapters: dict[str, list[SectionCoverage]] = {}
    for section in coverage.sections:
        chapters.setdefault(chapter_of(section.id), []).append(section)
    tried = coverage.asserted is not None
    columns = (
        "chapter",
        "",
        "rules",
        "carried out",
        *(("asserted",) if tried else ()),
        "left out",
        "no rules",
    )
    # As in the book, whatever the order in which its sections are listed; chapters that are words keep that order.
    ordered = sorted(chapters.items(), key=lambda item: int(item[0]) if item[0].isdecimal() else LAST)
    lines = [Line(_cells(chapter, sections, tried)) for chapter, sections in ordered]
    told = f"{coverage.encoded} of {coverage.rules} sections that are rules are carried out"
    if tried:
        told += f"; of {coverage.asserted} an example of play notices when they are changed"
    notes = (f"{told}. {coverage.not_applicable} sections need no rule (components, advice).",)
    return Chart("coverage", "rulebook", "Coverage of the rulebook", columns, tuple(lines), notes=notes)


def chapter_of(section: str) -> str:
    """The chapter of a section: `7` of `7.1.2`, `CB` of `CB-1`, `par 4` of `par 4.4.3`."""
    found = _CHAPTER.match(section)
    return found.group() if found is not None else section


def _cells(chapter: str, sections: list[SectionCoverage], tried: bool) -> tuple[str, ...]:
    rules = [section for section in sections if section.state != "not applicable"]
    done = [section for section in rules if section.state != "missing"]
    title = next((section.title for section in sections if section.id == chapter), "")
    asserted = (str(sum(section.asserted is True for section in done)),) if tried else ()
    left = ", ".join(section.id for section in rules if section.state == "missing")
    aside = len(sections) - len(rules)
    return chapter, title, str(len(rules)), str(len(done)), *asserted, left, str(aside) if aside else ""
