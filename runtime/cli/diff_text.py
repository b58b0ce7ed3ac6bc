"""A comparison of two versions as text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from grognard.cli.commands.odds import percent, word
from grognard.cli.console import Console, plural

if TYPE_CHECKING:
    from grognard.compare.report import Report, Side
    from grognard.compare.shifted_odds import Case, Shift
    from grognard.contract.differences import Change, ChangedSection
    from grognard.play.divergence import Divergence

#: Changes of one table, list or kind that are shown without --all; cases of a situation, games of a folder.
SHOWN = 12
CASES = 3
GAMES = 5
#: Characters of a bar of 100 %.
BAR = 40


def show_report(report: Report, console: Console, *, every: bool) -> None:
    _heading(report, console)
    for section in report.sections:
        _section(section, every, console)
    if report.affected:
        console.print()
        console.print(console.style("title", "sections of the rulebook"))
        shown = report.affected if every else report.affected[:SHOWN]
        for found in shown:
            title = f" {found.title}" if found.title else ""
            console.print(f"  {console.style('cite', found.id)}{title}: {', '.join(found.names)}")
        if len(shown) < len(report.affected):
            console.print(f"  and {len(report.affected) - len(shown)} more (--all shows them)")
    _courses(report.courses, console)
    for shift in report.situations:
        _shift(shift, every, console)
    if report.asked:
        _asked(report, console)
    if report.recorded is not None:
        _recorded(report, every, console)
    _consequences(report, console)
    if not report.changed:
        console.print("nothing differs")


def _heading(report: Report, console: Console) -> None:
    """What is compared with what: two titles by their names, two versions of one by their folders."""
    old, new = report.before, report.after
    if not report.apart:
        console.print(f"{console.style('title', new.name)}: {old.shown} -> {new.shown}")
        return

    def told(side: Side, other: Side) -> str:
        folder = f" in {side.folder}" if side.name == other.name else ""
        return f"{console.style('title', side.name)}{folder}, {side.shown}"

    console.print(f"{told(old, new)} -> {told(new, old)}")


def _section(section: ChangedSection, every: bool, console: Console) -> None:
    console.print()
    console.print(console.style("title", section.title))
    groups: dict[tuple[str, str], list[Change]] = {}
    for change in section.changes:
        groups.setdefault((change.what, change.name), []).append(change)
    for (what, name), changes in groups.items():
        place = next((f"  {c.file}:{c.line}" for c in changes if c.file), "")
        cites = list(dict.fromkeys(cite for c in changes for cite in c.cites))
        cited = f"  [{', '.join(cites)}]" if cites else ""
        sheet = ", ".join(dict.fromkeys(c.sheet for c in changes if c.sheet))
        told = f"{cited}{place}{f'  ({sheet})' if sheet else ''}"
        console.print(f"  {what}{' ' if name else ''}{name}{console.style('dim', told)}")
        for change in changes if every else changes[:SHOWN]:
            for text in _change(change, console):
                console.print(f"    {text}")
        if len(changes) > SHOWN and not every:
            console.print(f"    and {len(changes) - SHOWN} more (--all shows them)")
    for note in section.notes:
        console.print(f"  {note}")


def _change(change: Change, console: Console) -> list[str]:
    where = f"{change.where}: " if change.where else ""
    before, after = change.before or "", change.after or ""
    if change.sort == "changed" and len(before) + len(after) < 80 and "\n" not in before + after:
        return [f"{where}{console.style('bad', before)} -> {console.style('good', after)}"]
    lines = []
    for sign, style, text in (("-", "bad", change.before), ("+", "good", change.after)):
        for number, line in enumerate((text or "").splitlines() or ([""] if text is not None else [])):
            lines.append(console.style(style, f"{sign} {where if number == 0 else ''}{line}"))
    return lines


def _courses(divergences: list[Divergence], console: Console) -> None:
    for sort, singular in (("example", "example of play"), ("game", "game")):
        chosen = [divergence for divergence in divergences if divergence.sort == sort]
        if not chosen:
            continue
        apart = [divergence for divergence in chosen if not divergence.same]
        console.print()
        many = "examples of play" if sort == "example" else "games"
        console.print(
            f"{plural(len(chosen), singular, many)} in both: {len(apart) or 'none'} with another course"
        )
        for divergence in apart:
            at = "" if divergence.step is None else f", after answer {divergence.step} of {divergence.steps}"
            console.print(f"  {console.style('bad', divergence.name)}{at}")
            console.print(f"    {divergence.what}")


def _shift(shift: Shift, every: bool, console: Console) -> None:
    from grognard.compare.words import moved_words, shift_words

    console.print()
    console.print(f"odds of {shift.name}: {shift_words(shift)}")
    for case in shift.moved if every else shift.moved[:CASES]:
        console.print(f"  {moved_words(case)}")
        _bars(case, console)
    if len(shift.moved) > CASES and not every:
        console.print(
            f"  and {plural(len(shift.moved) - CASES, 'case')} where they moved less (--all shows them)"
        )


def _bars(case: Case, console: Console) -> None:
    """What moved, as two bars one above the other."""
    from grognard.compare.words import percent as share_percent
    from grognard.compare.words import value_word

    moved = [share for share in case.shares if abs(share.difference) > 1e-9]
    names = [f"{share.outcome} {value_word(share.value)}" for share in moved]
    wide = max(map(len, names))
    mark = "█" if console.unicode else "#"
    for name, share in zip(names, moved):
        difference = share_percent(share.difference, True)
        for part, style, amount in (("before", "bad", share.before), ("after", "good", share.after)):
            bar = console.style(style, mark * round(BAR * amount))
            told = f"{name if part == 'before' else '':{wide}}  {part:6} {share_percent(amount):>9}"
            console.print(f"    {told}  {bar}{f'  {difference}' if part == 'after' else ''}".rstrip())


def _asked(report: Report, console: Console) -> None:
    apart = [share for share in report.odds if not share.same]
    console.print()
    console.print(f"odds of {report.asked}" + ("" if apart else ": the same in both"))
    for label in dict.fromkeys(share.label for share in apart):
        rows = [
            [word(share.value), percent(share.before), percent(share.after)]
            for share in report.odds
            if share.label == label
        ]
        console.table([label, "before", "after"], rows, right=[1, 2])


def _recorded(report: Report, every: bool, console: Console) -> None:
    from grognard.cli.console import seconds
    from grognard.compare.words import course_words

    recorded = report.recorded
    assert recorded is not None
    apart = recorded.parted
    console.print()
    console.print(
        f"{plural(len(recorded.courses), 'recorded game')}: {f'{len(apart):,}' if apart else 'none'} with another course "
        f"({seconds(recorded.seconds)}, {recorded.backend})"
    )
    foreign = sum(course.sort == "foreign" for course in recorded.courses)
    if foreign:
        console.print(f"  {foreign:,} were played by other rules than both: compared as far as they go")
    if recorded.other_titles:
        console.print(f"  {plural(recorded.other_titles, 'file')} of other titles left out")
    for problem in recorded.unreadable[:GAMES]:
        console.print(f"  left out: {problem}")
    if len(recorded.unreadable) > GAMES:
        console.print(f"  and {len(recorded.unreadable) - GAMES} more that are no saves")
    if not apart:
        return
    rows = [(f"{n:,}", course_words(sort), question) for sort, question, n in recorded.by_decision()]
    console.table(("games", "how they part", "question"), rows if every else rows[:SHOWN], right=(0,))
    for explained in recorded.explained if every else recorded.explained[:GAMES]:
        course = explained.course
        answer = ""
        if course.decision is not None:
            answer = f": {course.decision[0]}, {course.decision[1]}: {course.decision[2]}"
        console.print(
            f"  {console.style('bad', course.name)}, answer {course.step} of {course.answers}{answer}"
        )
        console.print(f"    {explained.difference}")
        if explained.reason:
            console.print(f"    because: {explained.reason}")


def _consequences(report: Report, console: Console) -> None:
    from grognard.compare.words import rebuild_words, saves_words

    if not report.changed:
        return
    lines = [*saves_words(report), *rebuild_words(report)]
    if lines:
        console.print()
    for line in lines:
        console.print(line)
