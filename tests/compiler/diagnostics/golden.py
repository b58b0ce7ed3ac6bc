"""The form of a case: a few files of a title in one text, and what the compiler says about them.

    # what the case shows
    --- rules.grog
    rule cost(h: Hex) -> int = 1
    --- expected
    error[GR0205]: ...

The files are laid over those of `base/`, a small title without a mistake.  `--- name (bytes)` takes Python's
escapes, for what no editor would keep; `--- name (absent)` takes a file of the base away.  Trailing spaces that
matter are written as such a file too.
"""

from __future__ import annotations

import re
import shutil
from dataclasses import dataclass
from pathlib import Path

from grognard.compiler.driver.pipeline import compile_title
from grognard.support.diagnostics import (
    Diagnostic,
    Sink,
    format_text,
)

HERE = Path(__file__).parent
BASE = HERE / "base"
CASES = HERE / "cases"
_SECTION = re.compile(r"^--- (.+)\n", re.MULTILINE)


@dataclass(slots=True)
class Case:
    path: Path
    about: str
    files: dict[str, str]
    expected: str

    @property
    def code(self) -> str:
        """The code that the case is about, by its file's name: gr0101_slug.txt."""
        return self.path.stem[:6].upper()

    def write(self) -> None:
        parts = [self.about, *(f"--- {name}\n{text}" for name, text in self.files.items())]
        self.path.write_text("".join([*parts, "--- expected\n", self.expected]), encoding="utf-8")

    def lay_out(self, folder: Path) -> Path:
        """The files of the case over those of the base, in a folder named `small`."""
        root = folder / "small"
        shutil.copytree(BASE, root)
        for heading, text in self.files.items():
            name, _, how = heading.partition(" (")
            path = root / name
            path.parent.mkdir(parents=True, exist_ok=True)
            if how == "absent)":
                path.unlink()
            elif how == "bytes)":
                raw = text.removesuffix("\n").encode("latin-1", "backslashreplace")
                path.write_bytes(raw.decode("unicode_escape").encode("latin-1"))
            else:
                path.write_text(text, encoding="utf-8")
        return root


def read_case(path: Path) -> Case:
    about, *rest = _SECTION.split(path.read_text(encoding="utf-8"))
    sections = dict(zip(rest[::2], rest[1::2], strict=True))
    expected = sections.pop("expected", "")
    return Case(path, about, sections, expected)


def all_cases() -> list[Case]:
    return [read_case(path) for path in sorted(CASES.glob("*.txt"))]


def compiled(root: Path) -> tuple[list[Diagnostic], str]:
    """What the compiler says of a title, as values and as text."""
    sink = Sink()
    compile_title(str(root), sink)
    found = sink.sorted()
    return found, format_text(found, sink.sources, color=False)
