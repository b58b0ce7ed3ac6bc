"""A version of a title that a comparison can load: a folder with the errata in force.

The folder is the title's own, one taken out of a revision of git, or a copy with a change that is only tried.  Copies lie in
the cache under a name made of what they hold, so that asking again compiles nothing anew; old ones are removed.
"""

from __future__ import annotations

import hashlib
import io
import os
import shutil
import subprocess
import tarfile
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from grognard.compiler_access import title_root
from grognard.errors import GrognardError
from grognard.support.userdirs import engines_dir

#: Seconds after which a copy that nobody used is removed.
KEPT = 7 * 24 * 3600
#: What a title consists of.
SUFFIXES = (".grog", ".yaml")
#: The sheet that a tried change becomes: later than every other.
TRIED = "what if"
LATEST = "9999-12-31"


class VersionError(GrognardError):
    """A version that cannot be had; says why."""


@dataclass(frozen=True, slots=True)
class Version:
    """`errata`: names of those in force, `all`, none; None: the title's own choice.  `shown`: what people call it."""

    where: str
    errata: tuple[str, ...] | None
    shown: str

    def as_argument(self) -> str | list[str] | None:
        """The errata as grognard.load takes them."""
        if self.errata is None:
            return None
        return list(self.errata) if self.errata else "none"


def at_revision(title: str, revision: str) -> str:
    """The folder of a title as it was in a revision of git; VersionError."""
    folder, root = _root(title)
    top = Path(_git(folder, "rev-parse", "--show-toplevel").decode().strip()).resolve()
    commit = (
        _git(
            folder,
            "rev-parse",
            "--verify",
            "--quiet",
            f"{revision}^{{commit}}",
            told=f"git knows no revision `{revision}`",
        )
        .decode()
        .strip()
    )
    inside = root.relative_to(top).as_posix()
    packed = _git(
        top, "archive", "--format=tar", commit, "--", inside,
        told=f"{inside} is not in the revision `{revision}`: the title was added later, or lay elsewhere",
    )  # fmt: skip
    into = copies_dir() / f"rev-{commit[:16]}-{hashlib.sha256(str(root).encode()).hexdigest()[:8]}"
    if not into.is_dir():
        with _fresh(into) as made, tarfile.open(fileobj=io.BytesIO(packed)) as archive:
            archive.extractall(made, filter="data")
    _touch(into)
    found = into / inside / folder.relative_to(root)
    if not (found / "title.yaml").is_file():
        raise VersionError(f"{folder.name} is not in the revision `{revision}`: there is no title.yaml")
    return str(found)


def tried(title: str, statements: Sequence[str]) -> str:
    """The folder of a copy of a title with these statements as its last sheet of errata."""
    folder, root = _root(title)
    files = _files(root, folder)
    sheet = f'errata "{TRIED}" {LATEST}\n' + "".join(
        f"  {line}\n" for text in statements for line in text.splitlines()
    )
    digest = hashlib.sha256(sheet.encode())
    for path in files:
        digest.update(f"{path.relative_to(root)}\0{path.stat().st_size}\0".encode())
        digest.update(path.read_bytes())
    into = copies_dir() / f"try-{digest.hexdigest()[:24]}"
    if not into.is_dir():
        with _fresh(into) as made:
            for path in files:
                target = Path(made, root.name, path.relative_to(root))
                target.parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(path, target)
            place = Path(made, root.name, folder.relative_to(root), "errata", "zz_what_if.grog")
            place.parent.mkdir(exist_ok=True)
            place.write_text(sheet, encoding="utf-8")
    _touch(into)
    return str(into / root.name / folder.relative_to(root))


def title_files(title: str) -> tuple[Path, Path, list[Path]]:
    """The folder of a title, the one that holds all its files, and these; VersionError if there is no such title."""
    folder, root = _root(title)
    return folder, root, _files(root, folder)


def _root(title: str) -> tuple[Path, Path]:
    found = title_root(title)
    if found is None:
        raise VersionError(f"there is no title `{title}`")
    return found


def _files(root: Path, folder: Path) -> list[Path]:
    """The files of a title and of its series, without those of its sisters."""
    found: list[Path] = []
    for place, folders, names in os.walk(root):
        here = Path(place)
        if here not in (root, folder) and (here / "title.yaml").is_file():
            folders.clear()
            continue
        found += [here / name for name in names if name.endswith(SUFFIXES)]
    return sorted(found)


def copies_dir() -> Path:
    """Where copies lie; what nobody used for long is removed."""
    folder = engines_dir()[0] / "versions"
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    for entry in os.scandir(folder):
        try:
            if time.time() - entry.stat(follow_symlinks=False).st_mtime > KEPT:
                shutil.rmtree(entry.path, ignore_errors=True)
        except OSError:
            continue
    return folder


def _touch(folder: Path) -> None:
    with_times = time.time()
    os.utime(folder, (with_times, with_times))


class _fresh:
    """A folder that gets its name when it is whole."""

    def __init__(self, into: Path) -> None:
        self.into = into

    def __enter__(self) -> str:
        self.made = tempfile.mkdtemp(prefix=".new-", dir=self.into.parent)
        return self.made

    def __exit__(self, kind: object, *rest: object) -> None:
        if kind is None:
            try:
                os.rename(self.made, self.into)
                return
            except OSError:
                if not self.into.is_dir():
                    raise
                # Another process was faster.
        shutil.rmtree(self.made, ignore_errors=True)


def _git(folder: Path, *words: str, told: str = "") -> bytes:
    try:
        done = subprocess.run(
            ["git", "-C", str(folder), *words], capture_output=True, check=False, timeout=120
        )
    except (OSError, subprocess.SubprocessError) as problem:
        raise VersionError(f"git cannot be run: {problem}") from problem
    if done.returncode:
        said = done.stderr.decode("utf-8", "replace").strip().splitlines()
        raise VersionError(told or (said[0] if said else "git says nothing"))
    return done.stdout
