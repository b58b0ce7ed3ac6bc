"""What a title's files hold, as keys: for rulesets and answers that are kept between runs.

Two keys.  The *code key* covers everything that decides the program: the rules without the rows of their tables, and
this compiler.  The *whole key* covers every file.  Light to import: a remembered answer must not cost more than it
saves.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from grognard.compiler.treecache import content_key

#: Files that belong to the code although they are YAML.
CODE_YAML = ("title.yaml", "series.yaml", "rulebook.yaml")
_ROW = re.compile(r'^[ \t]+[^"#|\n]*\|.*$', re.M)
_TABLE = re.compile(r"^table\b.*(?:\n(?![^\s]).*)*", re.M)


@dataclass(frozen=True)
class Contents:
    """The files of a title by their place below its root."""

    root: Path
    folder: Path
    files: dict[str, str]

    def code_key(self, variant: str) -> str:
        """`variant` tells apart what is made of the same files in different ways (errata, examples)."""
        place = f"{self.root}\0{self.folder}\0{variant}"
        return content_key([_compiler_key(), place, *_code(self.files)])

    def whole_key(self) -> str:
        return content_key([name + "\0" + text for name, text in self.files.items()])

    def digests(self) -> dict[str, str]:
        return {name: hashlib.sha256(text.encode()).hexdigest() for name, text in self.files.items()}


def read_contents(folder: Path, series: Path | None) -> Contents | None:
    """Every file that can matter; None if one cannot be read as text."""
    root = series or folder
    paths = [p for p in folder.rglob("*") if p.suffix in (".grog", ".yaml")]
    if series is not None:
        paths += [p for p in series.glob("*") if p.suffix in (".grog", ".yaml")]
        for other in series.iterdir():
            if other.is_dir() and not (other / "title.yaml").exists():
                paths += [p for p in other.rglob("*") if p.suffix in (".grog", ".yaml")]
    found: dict[str, str] = {}
    try:
        for path in sorted(set(paths)):
            found[path.relative_to(root).as_posix()] = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError, ValueError):
        return None
    return Contents(root, folder, found)


def variant_of(errata: Sequence[str] | None, what: str) -> str:
    return f"{None if errata is None else list(errata)!r}\0{what}"


@lru_cache(maxsize=1)
def _compiler_key() -> str:
    """The compiler itself: what is kept is of no use to another version."""
    here = Path(__file__).resolve().parent
    return content_key(path.read_text(encoding="utf-8") for path in sorted(here.glob("*.py")))


def _code(files: dict[str, str]) -> Iterable[str]:
    """The files' text as far as it decides the program; lines keep their numbers."""
    for name, text in files.items():
        if name.endswith(".grog"):
            yield name + "\0" + _TABLE.sub(lambda table: _ROW.sub("", table.group()), text)
        elif Path(name).name in CODE_YAML:
            yield name + "\0" + text
