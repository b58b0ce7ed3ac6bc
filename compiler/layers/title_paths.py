"""Folders of titles: the shipped ones, and the one that a user names.  Imports little: every command starts here."""

from __future__ import annotations

import os
from pathlib import Path


def shipped_root() -> Path:
    """The folder of the titles that come with Grognard."""
    from grognard import rulesdef

    return Path(next(iter(rulesdef.__path__)))


def shipped_titles() -> dict[str, Path]:
    """Title id -> folder, for the titles that come with Grognard."""
    found: list[Path] = []
    pending = [str(shipped_root())]
    while pending:
        with os.scandir(pending.pop()) as entries:
            inside = list(entries)
        for entry in inside:
            if entry.name == "title.yaml":
                found.append(Path(entry.path).parent)
            elif entry.is_dir(follow_symlinks=False):
                pending.append(entry.path)
    return {folder.name: folder for folder in sorted(found)}


def scenario_names(folder: Path) -> list[str]:
    """The scenarios of the title in a folder."""
    there = folder / "scenarios"
    return sorted(path.stem for path in there.glob("*.yaml")) if there.is_dir() else []


def find_title(where: str) -> Path | None:
    """The folder of a title, by its path (or that of its title.yaml) or by the id of a shipped one; None if there
    is none."""
    path = Path(where)
    try:
        if path.is_file() and path.name == "title.yaml":
            path = path.parent
        if path.is_dir():
            return path.resolve()
    except (OSError, ValueError):  # such as a name that is too long
        pass
    found = shipped_titles().get(where)
    return found.resolve() if found is not None else None


def series_of(folder: Path) -> Path | None:
    """The folder of the series that a title belongs to; None if it belongs to none."""
    return folder.parent if (folder.parent / "series.yaml").is_file() else None
