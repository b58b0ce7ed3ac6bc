"""What a title's files hold, as keys: for rulesets and answers that are cached between runs.

Two keys.  The *code key* covers everything that decides the program: the rules without the rows of their tables, and
this compiler.  The *whole key* covers every file.  Light to import: a cached answer must not cost more than it
saves.
"""

from __future__ import annotations

import errno
import os
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from grognard.compiler.layers.title_paths import TitleFiles
from grognard.compiler.passes.switches import switched_off
from grognard.compiler.store.digests import Digest, digests_of
from grognard.compiler.support.disk_cache import content_key
from grognard.support.version import VERSION

#: Files that belong to the code although they are YAML.
CODE_YAML = ("title.yaml", "series.yaml", "rulebook.yaml")
SUFFIXES = (".grog", ".yaml")


@dataclass(frozen=True)
class CacheKeys:
    """The files of a title and of its series, by the names that they are shown by."""

    place: TitleFiles
    files: dict[str, Digest]

    def code_key(self, variant: str) -> str:
        """`variant` tells apart what is made of the same files in different ways (errata, examples)."""
        place = f"{self.place.root}\0{self.place.folder}\0{variant}"
        code = [
            f"{name}\0{digest.code}"
            for name, digest in self.files.items()
            if name.endswith(".grog") or os.path.basename(name) in CODE_YAML
        ]
        return content_key([compiler_key(), place, *code])

    def whole_key(self) -> str:
        return content_key([f"{name}\0{digest.whole}" for name, digest in self.files.items()])

    def digests(self) -> dict[str, str]:
        return {name: digest.whole for name, digest in self.files.items()}


#: Folders within folders; what is deeper is not cached.
MAX_FOLDERS = 20


def read_cache_keys(folder: Path, series: Path | None) -> CacheKeys | None:
    """Every file that can matter; None if one cannot be read as text."""
    place = TitleFiles(folder, series)
    try:
        paths = set(_below(str(folder)))
        if series is not None:
            for entry in os.scandir(series):
                if entry.is_dir():
                    if not os.path.exists(os.path.join(entry.path, "title.yaml")):
                        paths.update(_below(entry.path))
                elif entry.name.endswith(SUFFIXES):
                    paths.add(entry.path)
    except OSError:
        return None
    found = digests_of(sorted(paths), str(folder))
    if found is None:
        return None
    return CacheKeys(place, {place.shown(Path(path)): digest for path, digest in found.items()})


def _below(folder: str) -> Iterator[str]:
    """The files of a folder and of those in it; OSError if they lie deeper than those of any title."""
    pending = [(folder, 0)]
    while pending:
        place, depth = pending.pop()
        with os.scandir(place) as entries:
            for entry in entries:
                if entry.is_dir(follow_symlinks=False):
                    if depth == MAX_FOLDERS:
                        raise OSError(errno.ELOOP, "too deep to be cached")
                    pending.append((entry.path, depth + 1))
                elif entry.name.endswith(SUFFIXES):
                    yield entry.path


def variant_of(errata: Sequence[str] | None, what: str) -> str:
    """What tells apart things that are made of the same files: errata, passes that are switched off, and what else there is."""
    without = " ".join(sorted(switched_off()))
    return f"{None if errata is None else list(errata)!r}\0{what}" + (
        f"\0without {without}" if without else ""
    )


@lru_cache(maxsize=1)
def compiler_key() -> str:
    """The compiler itself, and what lays data out for engines: what is cached is of no use to another version."""
    from grognard import compiler, grammar, support

    names = [path for folder in compiler.__path__ for path in Path(folder).rglob("*.py")]
    runtime = Path(support.__file__).resolve().parents[1]
    for part in ("support", "geometry", "contract"):
        names += (runtime / part).rglob("*.py")
    # What engines are made from beside the rules.
    templates = Path(next(iter(compiler.__path__))) / "cython" / "templates"
    names += [
        *templates.glob("*.j2"),
        *(runtime / "kernels").glob("*.h"),
        *(runtime / "binding").glob("*.p*"),
    ]
    names += [path for folder in grammar.__path__ for path in Path(folder).glob("*.lark")]
    return content_key([sys.version, *installed(names)])


def installed(paths: Iterable[Path]) -> list[str]:
    """What files of this installation hold; without them (a frozen program) its version, since it never changes."""
    names = sorted(map(str, paths))
    found = digests_of(names, f"installed {content_key(names)}")
    if found is None:
        return [VERSION]
    return [f"{os.path.basename(name)}\0{found[name].whole}" for name in names]
