"""What an import could not take over, and why it refuses."""

from __future__ import annotations

from dataclasses import dataclass, field

from grognard.contract.imported import Remark


class ImportRefused(ValueError):
    """A file that cannot be imported at all; `line` is 0 where it is about the whole file."""

    def __init__(self, message: str, line: int = 0) -> None:
        super().__init__(message)
        self.line = line


class NotCarried(Exception):
    """A part of the file that the rules of the series cannot say."""

    def __init__(self, why: str, line: int) -> None:
        super().__init__(why)
        self.why = why
        self.line = line


@dataclass(slots=True)
class Remarks:
    """Remarks as they are made; each once."""

    found: list[Remark] = field(default_factory=list)

    def add(self, line: int, what: str, why: str) -> None:
        remark = Remark(line, " ".join(what.split())[:160], why)
        if remark not in self.found:
            self.found.append(remark)

    def sorted(self) -> list[Remark]:
        return sorted(self.found)
