"""What differs between two versions of a ruleset, as values to show."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Change:
    """One difference.  `before` and `after` are texts, None where there is nothing on that side."""

    what: str  # rule table modifiers kind ...
    name: str
    where: str  # inside it: a cell, a label, a line
    before: str | None
    after: str | None
    file: str = ""
    line: int = 0
    #: sections that the declaration, the line or the amendment cites
    cites: tuple[str, ...] = ()
    #: the sheet of errata that makes the change, if one does
    sheet: str = ""

    @property
    def sort(self) -> str:
        return "added" if self.before is None else "removed" if self.after is None else "changed"


@dataclass(slots=True)
class ChangedSection:
    """The differences of one sort: rules, tables, data ..."""

    title: str
    changes: list[Change] = field(default_factory=list)
    #: what could not be compared, and why
    notes: list[str] = field(default_factory=list)
