"""Sheets of errata as a title's files have them: what `grognard errata` lists."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class SheetChange:
    """One change of a sheet as it is written, with the sections that it cites."""

    text: str
    cites: tuple[str, ...]
    line: int


@dataclass(frozen=True, slots=True)
class Sheet:
    """One sheet of errata.  `file` is as shown, `place` the file itself."""

    name: str
    date: str
    source: str
    reason: str
    cites: tuple[str, ...]
    changes: tuple[SheetChange, ...]
    #: in force where a caller names no errata
    in_force: bool
    file: str
    line: int
    place: Path
    text: str


@dataclass(frozen=True, slots=True)
class Sheets:
    """All sheets of a title in the order in which they apply, with the titles of the sections."""

    title: str
    name: str
    folder: Path
    #: the folder that holds all files of the title: its series' folder, or its own
    root: Path
    sheets: tuple[Sheet, ...]
    #: names that title.yaml puts in force; None: all there are
    chosen: tuple[str, ...] | None
    sections: dict[str, str]


class AmendmentError(Exception):
    """A change in short that fits nothing in the title; `hint` says what might be meant."""

    def __init__(self, message: str, hint: str | None = None) -> None:
        super().__init__(message)
        self.hint = hint
