"""Where titles and series lie: those that come with Grognard, those on the user's path, those of installed packages.

Nothing is parsed: ids are read from title.yaml and series.yaml line by line, since every command looks here first.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path

from grognard.support.userdirs import PATH_VARIABLE, data_dir, path_folders

#: The group of entry points of packages whose folders hold titles or series as rules: any name = package.
RULES_ENTRY_POINTS = "grognard.rules"
#: How deep below a place titles are looked for, and how many folders are looked into: a mistaken path must not
#: search a whole disk.
MAX_DEPTH = 4
MAX_FOLDERS = 2_000
_SKIPPED = re.compile(r"[._]|node_modules$|site-packages$")
_KEY = r"^{}:[ \t]*(?:\"([^\"\n]*)\"|'([^'\n]*)'|([^\"'#\n][^#\n]*))"


@dataclass(frozen=True, slots=True)
class Place:
    """A folder in which titles are looked for, and why."""

    folder: Path
    why: str


@dataclass(frozen=True, slots=True)
class Library:
    """What was found: by id, the shipped first.  Two folders under one id are two titles that share it."""

    places: tuple[Place, ...]
    titles: dict[str, list[Path]] = field(default_factory=dict)
    series: dict[str, list[Path]] = field(default_factory=dict)


def shipped_root() -> Path:
    """The folder of the titles that come with Grognard."""
    from grognard import rulesdef

    return Path(next(iter(rulesdef.__path__)))


def user_folder() -> Path | None:
    """The user's own folder of titles; None for an account without a home."""
    try:
        return data_dir() / "titles"
    except RuntimeError:
        return None


def search_path() -> list[Place]:
    """The places where titles are looked for by id, in order."""
    places = [Place(shipped_root(), "shipped")]
    places += [Place(folder, f"${PATH_VARIABLE}") for folder in path_folders()]
    own = user_folder()
    if own is not None:
        places.append(Place(own, "your titles"))
    return [*places, *_packages(tuple(sys.path))]


@lru_cache(maxsize=4)
def _packages(_where: tuple[str, ...]) -> tuple[Place, ...]:
    """The folders of installed packages that bring rules; nothing of them is imported."""
    import importlib.metadata
    import importlib.util

    found = []
    for entry in importlib.metadata.entry_points(group=RULES_ENTRY_POINTS):
        try:
            spec = importlib.util.find_spec(entry.value)
        except (ImportError, ValueError):
            continue
        folders = list(spec.submodule_search_locations or ()) if spec is not None else []
        found += [Place(Path(folder), f"package {entry.value}") for folder in folders[:1]]
    return tuple(found)


def look_through(places: list[Place]) -> Library:
    """All titles and series of these places."""
    library = Library(tuple(places))
    seen: set[Path] = set()
    for place in places:
        for folder, kind in _below(place.folder):
            if folder not in seen:
                seen.add(folder)
                known = library.titles if kind == "title" else library.series
                known.setdefault(id_of(folder, f"{kind}.yaml"), []).append(folder)
    return library


def library() -> Library:
    return look_through(search_path())


def _below(place: Path) -> Iterator[tuple[Path, str]]:
    """Folders of titles and of series in a place, itself included, in the order of their names."""
    pending = [(str(place), 0)]
    looked = 0
    while pending:
        folder, depth = pending.pop()
        looked += 1
        if looked > MAX_FOLDERS:
            return
        try:
            with os.scandir(folder) as entries:
                inside = sorted(entries, key=lambda entry: entry.name)
        except (OSError, ValueError):
            continue
        names = {entry.name for entry in inside}
        if "title.yaml" in names:
            yield _real(folder), "title"
            continue
        if "series.yaml" in names:
            yield _real(folder), "series"
        if depth < MAX_DEPTH:
            below = [entry for entry in inside if not _SKIPPED.match(entry.name) and _is_folder(entry)]
            pending += [(entry.path, depth + 1) for entry in reversed(below)]


def _real(folder: str) -> Path:
    return Path(os.path.realpath(folder))


def _is_folder(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_dir()
    except OSError:
        return False


def id_of(folder: Path, file: str) -> str:
    """The `id` that title.yaml or series.yaml gives, else the name of the folder."""
    return written(folder / file, "id") or folder.name


def beginning(path: Path, most: int) -> str:
    """The first characters of a file; empty for what is none: a pipe would keep its reader waiting."""
    try:
        if not path.is_file():
            return ""
        with path.open(encoding="utf-8", errors="replace") as file:
            return file.read(most)
    except (OSError, ValueError):
        return ""


def written(path: Path, key: str) -> str:
    """What a file says under a key at the beginning of a line; empty if it does not."""
    text = beginning(path, 64 * 1024)
    found = re.search(_KEY.format(re.escape(key)), text, re.MULTILINE)
    return next((part.strip() for part in found.groups() if part), "") if found else ""
