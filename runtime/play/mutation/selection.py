"""Some of the mutants of a title: those of a file, those on lines that changed since a revision, a random sample."""

from __future__ import annotations

import random
import re
import subprocess
from collections.abc import Sequence
from pathlib import Path

from grognard.contract.mutants import Mutant
from grognard.support.source import SourceFile


class NoRevision(Exception):
    """Git cannot say what has changed; its message says why."""


def in_file(mutants: Sequence[Mutant], name: str) -> list[Mutant]:
    """Those of a file, given as it is shown or by the end of its path."""
    wanted = Path(name).as_posix()
    return [m for m in mutants if m.file == wanted or f"/{m.file}".endswith(f"/{wanted.lstrip('./')}")]


def sample(mutants: Sequence[Mutant], size: int, seed: int) -> list[Mutant]:
    """A random sample, the same for the same seed."""
    chosen = list(mutants)
    if size < len(chosen):
        chosen = random.Random(seed).sample(chosen, size)
    return sorted(chosen, key=lambda mutant: mutant.number)


def since(
    mutants: Sequence[Mutant], sources: dict[str, SourceFile], folder: Path, revision: str
) -> list[Mutant]:
    """Those on lines that differ from a revision of git."""
    top = Path(_git(folder, "rev-parse", "--show-toplevel").strip())
    changed = changed_lines(_git(folder, "diff", "--no-color", "-U0", "--no-ext-diff", revision, "--"))
    new = _git(top, "ls-files", "--others", "--exclude-standard").splitlines()
    found: list[Mutant] = []
    places: dict[str, str] = {}
    for mutant in mutants:
        if mutant.file not in places:
            source = sources.get(mutant.file)
            absolute = source.absolute.resolve() if source is not None else folder
            inside = absolute.is_relative_to(top.resolve())
            places[mutant.file] = absolute.relative_to(top.resolve()).as_posix() if inside else ""
        name = places[mutant.file]
        lines = range(mutant.line, mutant.line + max(1, len(mutant.before.splitlines())))
        if name in new or any(line in changed.get(name, ()) for line in lines):
            found.append(mutant)
    return found


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
            ["git", "-C", str(folder), *words], capture_output=True, text=True, check=False, timeout=60
        )
    except (OSError, subprocess.SubprocessError) as problem:
        raise NoRevision(f"git cannot be run: {problem}") from problem
    if done.returncode:
        said = done.stderr.strip().splitlines()
        raise NoRevision(said[0] if said else "git says nothing")
    return done.stdout
