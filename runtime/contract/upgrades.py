"""What `grognard upgrade` does to files, and what it could not do."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Problem:
    """A place that is left as it was."""

    file: str
    line: int
    column: int
    message: str


@dataclass(slots=True)
class FileUpgrade:
    """One file before and after; the same text if nothing is to be done."""

    file: str
    before: str
    after: str
    problems: list[Problem] = field(default_factory=list)

    @property
    def changed(self) -> bool:
        return self.before != self.after
