"""What came of the import of another program's file."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True, order=True)
class Remark:
    """Something that was not carried over as it is."""

    line: int
    what: str
    why: str

    def __str__(self) -> str:
        return f"line {self.line}: {self.what}: {self.why}"


@dataclass(frozen=True, slots=True)
class Imported:
    folder: Path
    name: str
    powers: int
    places: int
    objectives: int
    remarks: tuple[Remark, ...]
