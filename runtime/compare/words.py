"""What a comparison found, in the words that all its forms share."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from grognard.compare.report import Report
from grognard.compare.shifted_odds import Case, Shift

if TYPE_CHECKING:
    from grognard.contract.differences import Change

_COURSES = {
    "set-up": "set up otherwise",
    "asked": "something else is asked, or of somebody else",
    "offered": "something else is offered",
    "position": "something else is written or rolled",
    "outcome": "the game ends otherwise",
    "illegal": "the answer is no longer legal",
    "rule": "a rule fails",
    "missing": "the scenario is only in one version",
}


def course_words(sort: str) -> str:
    """How the course of a game parts."""
    return _COURSES.get(sort, sort)


def change_place(change: Change) -> str:
    name = f"{change.what} {change.name}".strip()
    return f"{name} {change.where}".strip()


def moved_words(case: Case) -> str:
    """A case of a situation by the values of its parameters; numbers that are 0 are left out."""
    told = [f"{name} {value_word(value)}" for name, value in case.values.items() if value not in (0, None)]
    return ", ".join(told) or "everything 0"


def shift_words(shift: Shift) -> str:
    if not shift.tried:
        return shift.note or "nothing to try"
    whole = shift.tried + shift.left >= shift.combinations
    of = "all" if whole and not shift.left else f"{shift.tried:,} of {shift.combinations:,}"
    told = f"odds moved in {len(shift.moved) or 'none'} of {shift.tried:,} cases"
    if of != "all":
        told += f" (tried {of} combinations)"
    if shift.refused:
        told += f"; {shift.refused} cannot be set up"
    if shift.left:
        told += f"; {shift.left} left for want of time"
    return told + (f"; {shift.note}" if shift.note else "")


def percent(share: float, signed: bool = False) -> str:
    return f"{100 * share:{'+' if signed else ''}.3f} %"


def value_word(value: Any) -> str:
    if value is None:
        return "none"
    return ("yes" if value else "no") if isinstance(value, bool) else str(value)


def saves_words(report: Report) -> list[str]:
    saves = report.saves
    if saves is None:
        return []
    if not saves.changed and not saves.gone:
        return ["saves of all scenarios load as they are"]
    told = []
    if saves.as_they_are:
        told.append(f"saves load as they are: {_listed(saves.as_they_are)}")
    if saves.changed:
        told.append(f"saves load with --allow-changed, as far as the rules allow: {_listed(saves.changed)}")
    if saves.gone:
        told.append(f"saves cannot be loaded, the scenario is gone: {_listed(saves.gone)}")
    if report.recorded is not None:
        known = [course for course in report.recorded.courses if course.sort not in ("missing", "foreign")]
        whole = sum(course.playable == course.answers for course in known)
        told.append(f"of the recorded games {whole:,} of {len(known):,} can be played to their last answer")
    return told


def rebuild_words(report: Report) -> list[str]:
    found = report.rebuilds
    if found is None:
        return []
    if not found.games and not found.odds:
        return ["no engine must be built: only data changed"]
    told = ["the engine of games must be built" if found.games else "the engine of games stays as it is"]
    if found.odds is not None:
        told.append("the engine of odds must be built" if found.odds else "the engine of odds stays as it is")
    return told


def _listed(names: tuple[str, ...]) -> str:
    return ", ".join(names)
