"""Which folder a title is, which series it belongs to, and what its files are called.  Imports little: every command
starts here.

A title names its series in the header of its rules (`title mbt "MBT" of armour`) or in title.yaml (`series: armour`).  The
series is the folder around the title, one beside it, or one that the library has (library.py), in this order.
"""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from pathlib import Path

from grognard.compiler.layers.library import (
    Place,
    beginning,
    id_of,
    library,
    look_through,
    shipped_root,
    written,
)

_HEADER = re.compile(r'^title[ \t]+\w+[ \t]+(?:"[^"\n]*"[ \t]+)?of[ \t]+(\w+)', re.MULTILINE)
#: Of a file of rules, in which the header stands near the top.
_HEADER_CHARACTERS = 256 * 1024


def shipped_titles() -> dict[str, Path]:
    """Title id -> folder, for the titles that come with Grognard."""
    found = look_through([Place(shipped_root(), "shipped")]).titles
    return {name: folders[0] for name, folders in sorted(found.items())}


def library_titles() -> dict[str, Path]:
    """Title id -> folder, for all titles that are found by id: the shipped, those on the path, those of packages.  An
    id that two titles share finds neither."""
    return {name: folders[0] for name, folders in library().titles.items() if len(folders) == 1}


def shared_ids() -> dict[str, list[Path]]:
    """The ids that two titles or more share, with their folders."""
    return {name: folders for name, folders in library().titles.items() if len(folders) > 1}


def scenario_names(folder: Path) -> list[str]:
    """The scenarios of the title in a folder."""
    there = folder / "scenarios"
    return sorted(path.stem for path in there.glob("*.yaml")) if there.is_dir() else []


def find_titles(where: str) -> list[Path]:
    """The folder of a title, by its path (or that of its title.yaml) or by its id; several if they share the id."""
    path = Path(where)
    try:
        if path.is_file() and path.name == "title.yaml":
            path = path.parent
        if path.is_dir():
            return [path.resolve()]
    except (OSError, ValueError):  # such as a name that is too long
        pass
    return library().titles.get(where, [])


def find_title(where: str) -> Path | None:
    """As find_titles; None unless there is exactly one."""
    found = find_titles(where)
    return found[0] if len(found) == 1 else None


# ---------------------------------------------------------------------------------------------------- the series


@dataclass(frozen=True, slots=True)
class SeriesFound:
    """The series of a title: the name that it gives (empty: none), and what bears that name."""

    name: str
    folders: tuple[Path, ...]

    @property
    def folder(self) -> Path | None:
        return self.folders[0] if len(self.folders) == 1 else None


def find_series(folder: Path) -> SeriesFound:
    """The series that a title belongs to: what it names, else the folder around it if that is one."""
    around = folder.parent if (folder.parent / "series.yaml").is_file() else None
    name = named_series(folder)
    if not name:
        return SeriesFound("", (around,) if around is not None else ())
    if around is not None and is_called(around, name):
        return SeriesFound(name, (around,))
    beside = [there for there in _series_in(folder.parent) if is_called(there, name)]
    if beside:
        return SeriesFound(name, tuple(beside))
    known = library().series
    found = known.get(name) or [
        there for group in known.values() for there in group if is_called(there, name)
    ]
    return SeriesFound(name, tuple(found))


def series_of(folder: Path) -> Path | None:
    """The folder of the series that a title belongs to; None if it belongs to none, or to one that is not found."""
    return find_series(folder).folder


def named_series(folder: Path) -> str:
    """The series that a title says it is of; empty if it says nothing."""
    name = written(folder / "title.yaml", "series")
    if name:
        return name
    for path in sorted(folder.glob("*.grog")):
        found = _HEADER.search(beginning(path, _HEADER_CHARACTERS))
        if found is not None:
            return found.group(1)
    return ""


def is_called(series: Path, name: str) -> bool:
    """Whether a series bears this name: its id, else the name in series.yaml."""
    return name in (id_of(series, "series.yaml"), series.name, written(series / "series.yaml", "name"))


def _series_in(folder: Path) -> list[Path]:
    try:
        with os.scandir(folder) as entries:
            names = sorted(entry.path for entry in entries if not entry.name.startswith("."))
    except OSError:
        return []
    return [Path(name) for name in names if os.path.isfile(os.path.join(name, "series.yaml"))]


# ------------------------------------------------------------------------------------------------- names of files


@dataclass(frozen=True, slots=True)
class TitleFiles:
    """What the files of a title are called in messages: those of its series by their path in the series' folder, its
    own below the name of its folder, wherever that lies.  A title without a series is its own root."""

    folder: Path
    series: Path | None

    @property
    def root(self) -> Path:
        return self.series or self.folder

    @property
    def apart(self) -> bool:
        """Whether the title lies outside the folder of its series."""
        return self.series is not None and not self.folder.is_relative_to(self.series)

    @property
    def mount(self) -> str:
        """Below which name the files of a title that lies apart are shown."""
        name, series = self.folder.name or "title", self.series
        taken = (
            series is not None and (series / name).is_dir() and not (series / name / "title.yaml").exists()
        )
        return f"{name} (title)" if taken else name

    def shown(self, path: Path) -> str:
        """The name of a file."""
        if self.apart and path.is_relative_to(self.folder):
            return f"{self.mount}/{path.relative_to(self.folder).as_posix()}"
        return path.relative_to(self.root).as_posix()

    def locate(self, name: str) -> tuple[Path, str]:
        """Where a file lies: the folder that it must not leave, and its path in it."""
        if self.apart:
            first, _, rest = name.partition("/")
            if first == self.mount and rest:
                return self.folder, rest
        return self.root, name

    def bounds(self, base: Path) -> Path:
        """The folder that files of the title's or the series' folder must not leave."""
        return base if self.apart else self.root
