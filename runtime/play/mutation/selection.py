"""Some of the mutants of a title: those of a file, those on lines that changed since a revision, a random sample."""

from __future__ import annotations

import random
import re
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from grognard.contract.mutants import Mutant
from grognard.support.source import SourceFile


class NoRevision(Exception):
    """Git cannot say what has changed; its message says why."""


def in_file(mutants: Sequence[Mutant], name: str) -> list[Mutant]:
    """Those of a file, given as it is shown or by the end of its path; or of all files of a folder, such as a title's own."""
    wanted = Path(name).as_posix()
    return [
        m
        for m in mutants
        if m.file == wanted
        or f"/{m.file}".endswith(f"/{wanted.lstrip('./')}")
        or m.file.startswith(f"{wanted}/")
    ]


def sample(mutants: Sequence[Mutant], size: int, seed: int) -> list[Mutant]:
    """A random sample, the same for the same seed."""
    chosen = list(mutants)
    if size < len(chosen):
        chosen = random.Random(seed).sample(chosen, size)
    return sorted(chosen, key=lambda mutant: mutant.number)


@dataclass(slots=True)
class _Repository:
    """A repository of git, compared with a revision: its files' lines that differ, and its files that are new."""

    top: Path
    changed: dict[str, set[int]]
    new: frozenset[str]


def since(
    mutants: Sequence[Mutant], sources: dict[str, SourceFile], folder: Path, revision: str
) -> list[Mutant]:
    """Those on lines that differ from a revision of git.

    A title and its series may lie in repositories of their own: each file is compared in its own.  The title's must know the
    revision; of files elsewhere that cannot be compared with it, nothing counts as changed."""
    known: dict[Path, _Repository | None] = {}
    home = _compared(folder, revision)
    places: dict[str, tuple[_Repository, str] | None] = {}
    for file in {mutant.file for mutant in mutants}:
        source = sources.get(file)
        absolute = source.absolute.resolve() if source is not None else folder
        if absolute.parent not in known:
            known[absolute.parent] = _compared_elsewhere(absolute.parent, revision, home)
        there = known[absolute.parent]
        places[file] = None if there is None else (there, absolute.relative_to(there.top).as_posix())
    found: list[Mutant] = []
    for mutant in mutants:
        place = places[mutant.file]
        if place is None:
            continue
        there, name = place
        lines = range(mutant.line, mutant.line + max(1, len(mutant.before.splitlines())))
        if name in there.new or any(line in there.changed.get(name, ()) for line in lines):
            found.append(mutant)
    return found


def _compared(folder: Path, revision: str) -> _Repository:
    top = Path(_git(folder, "rev-parse", "--show-toplevel").strip()).resolve()
    # Whatever the user has set for diffs, paths are plain and seen from the top.
    plain = ("--no-color", "-U0", "--no-ext-diff", "--no-relative", "--src-prefix=a/", "--dst-prefix=b/")
    changed = changed_lines(_git(top, "diff", *plain, revision, "--"))
    return _Repository(
        top, changed, frozenset(_git(top, "ls-files", "--others", "--exclude-standard").splitlines())
    )


def _compared_elsewhere(folder: Path, revision: str, home: _Repository) -> _Repository | None:
    """The repository of another folder; None if it has none, or none that knows the revision."""
    try:
        top = Path(_git(folder, "rev-parse", "--show-toplevel").strip()).resolve()
        return home if top == home.top else _compared(folder, revision)
    except NoRevision:
        return None


def changed_lines(diff: str) -> dict[str, set[int]]:
    """File -> its lines that are new, from a diff without context."""
    found: dict[str, set[int]] = {}
    name = ""
    for line in diff.splitlines():
        if line.startswith("+++ "):
            name = line[4:].removeprefix("b/").strip('"')
        elif head := re.match(r"@@ -\S+ \+(\d+)(?:,(\d+))? @@", line):
            first, count = int(head[1]), int(head[2] or 1)
            found.setdefault(name, set()).update(range(first, first + count))
    return found


def _git(folder: Path, *words: str) -> str:
    try:
        done = subprocess.run(
            ["git", "-c", "core.quotepath=off", "-C", str(folder), *words],
            capture_output=True,
            text=True,
            check=False,
            timeout=60,
        )
    except (OSError, subprocess.SubprocessError) as problem:
        raise NoRevision(f"git cannot be run: {problem}") from problem
    if done.returncode:
        said = done.stderr.strip().splitlines()
        raise NoRevision(said[0] if said else "git says nothing")
    return done.stdout
