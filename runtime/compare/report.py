"""Everything that a comparison found, as one value: shown as text, JSON, Markdown or a page."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any

from grognard.compare.shifted_odds import Shift

if TYPE_CHECKING:
    from grognard.compare.recorded_games import RecordedGames
    from grognard.contract.differences import Change, ChangedSection
    from grognard.play.divergence import Divergence


@dataclass(frozen=True, slots=True)
class Side:
    """One of the two versions."""

    folder: str
    name: str
    errata: tuple[str, ...]
    shown: str


@dataclass(frozen=True, slots=True)
class Affected:
    """A section of the rulebook that a change cites, with the declarations that change under it."""

    id: str
    title: str
    names: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Share:
    """The probability of one value of an outcome that was asked for, before and after."""

    label: str
    value: Any
    before: float
    after: float

    @property
    def same(self) -> bool:
        # Far above the rounding of doubles, far below what any change of a rule makes.
        return abs(self.before - self.after) <= 1e-11 * max(self.before, self.after)


@dataclass(frozen=True, slots=True)
class Saves:
    """Whether saves of the version before can be loaded by the one after: scenarios whose games are as they were, those whose
    games are played by other rules or data (with --allow-changed), those that are gone."""

    as_they_are: tuple[str, ...]
    changed: tuple[str, ...]
    gone: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Rebuilds:
    """What must be compiled again: the engine of games, the one of odds.  Data alone never needs it."""

    games: bool
    odds: bool | None


@dataclass(slots=True)
class Report:
    title: str
    before: Side
    after: Side
    #: whether two titles or folders are compared, not two sets of errata
    apart: bool = False
    sections: list[ChangedSection] = field(default_factory=list)
    affected: list[Affected] = field(default_factory=list)
    courses: list[Divergence] = field(default_factory=list)
    asked: str = ""
    odds: list[Share] = field(default_factory=list)
    situations: list[Shift] = field(default_factory=list)
    recorded: RecordedGames | None = None
    saves: Saves | None = None
    rebuilds: Rebuilds | None = None

    @property
    def changed(self) -> bool:
        return (
            bool(self.sections)
            or any(not divergence.same for divergence in self.courses)
            or any(not share.same for share in self.odds)
            or any(shift.moved or shift.note for shift in self.situations)
            or bool(self.recorded is not None and self.recorded.parted)
        )

    def as_json(self) -> dict[str, Any]:
        recorded = self.recorded
        return {
            "title": self.title,
            "before": _side(self.before),
            "after": _side(self.after),
            "changed": self.changed,
            "sections": [_section(section) for section in self.sections],
            "affected": [asdict(section) for section in self.affected],
            "courses": [_course(divergence) for divergence in self.courses],
            "odds": [
                {"outcome": s.label, "value": s.value, "before": s.before, "after": s.after}
                for s in self.odds
            ],
            "situations": [_shift(shift) for shift in self.situations],
            "recorded": None if recorded is None else _recorded(recorded),
            "saves": None if self.saves is None else asdict(self.saves),
            "rebuild": None if self.rebuilds is None else asdict(self.rebuilds),
        }


def affected_sections(sections: Sequence[ChangedSection], titles: dict[str, str]) -> list[Affected]:
    """The sections that changes cite, those of the rulebook in its order, then the others."""
    found: dict[str, dict[str, None]] = {}
    for section in sections:
        for change in section.changes:
            for cite in change.cites:
                found.setdefault(cite, {})[f"{change.what} {change.name}".strip()] = None
    known = [cite for cite in titles if cite in found]
    rest = [cite for cite in found if cite not in titles]
    return [Affected(cite, titles.get(cite, ""), tuple(found[cite])) for cite in (*known, *rest)]


def named_members(sections: Sequence[ChangedSection]) -> list[str]:
    """The names that changed cells are about: rows of kinds, keys of tables."""
    found: dict[str, None] = {}
    for section in sections:
        for change in section.changes:
            if change.what == "kind":
                found[change.where.partition(".")[0]] = None
            elif change.what == "table":
                found.update(dict.fromkeys(part.strip() for part in change.where.strip("()").split(",")))
    return list(found)


def _side(side: Side) -> dict[str, Any]:
    return {"folder": side.folder, "name": side.name, "errata": list(side.errata), "shown": side.shown}


def _section(section: ChangedSection) -> dict[str, Any]:
    return {
        "section": section.title,
        "notes": section.notes,
        "changes": [_change(change) for change in section.changes],
    }


def _change(change: Change) -> dict[str, Any]:
    return {
        "sort": change.sort,
        "what": change.what,
        "name": change.name,
        "where": change.where,
        "before": change.before,
        "after": change.after,
        "cites": list(change.cites),
        "sheet": change.sheet,
        "file": change.file,
        "line": change.line,
    }


def _course(divergence: Divergence) -> dict[str, Any]:
    return {
        "sort": divergence.sort,
        "name": divergence.name,
        "same": divergence.same,
        "step": divergence.step,
        "steps": divergence.steps,
        "difference": divergence.what,
    }


def _shift(shift: Shift) -> dict[str, Any]:
    return {
        "situation": shift.name,
        "title": shift.title,
        "tried": shift.tried,
        "combinations": shift.combinations,
        "refused": shift.refused,
        "left": shift.left,
        "note": shift.note,
        "moved": [
            {
                "values": case.values,
                "difference": case.size,
                "shares": [
                    {
                        "outcome": share.outcome,
                        "value": share.value,
                        "before": share.before,
                        "after": share.after,
                        "difference": share.difference,
                    }
                    for share in case.shares
                ],
            }
            for case in shift.moved
        ],
    }


def _recorded(recorded: RecordedGames) -> dict[str, Any]:
    reasons = {e.course.name: e for e in recorded.explained}
    return {
        "games": len(recorded.courses),
        "changed": len(recorded.parted),
        "other_titles": recorded.other_titles,
        "unreadable": recorded.unreadable,
        "foreign": sum(course.sort == "foreign" for course in recorded.courses),
        "seconds": recorded.seconds,
        "backend": recorded.backend,
        "by_decision": [
            {"sort": sort, "question": question, "games": games}
            for sort, question, games in recorded.by_decision()
        ],
        "courses": [
            {
                "file": course.name,
                "scenario": course.scenario,
                "sort": course.sort,
                "answers": course.answers,
                "step": course.step,
                "playable": course.playable,
                "decision": None
                if course.decision is None
                else dict(zip(("seat", "ask", "answer"), course.decision, strict=True)),
                "difference": reasons[course.name].difference if course.name in reasons else "",
                "reason": reasons[course.name].reason if course.name in reasons else "",
            }
            for course in recorded.parted
        ],
    }
