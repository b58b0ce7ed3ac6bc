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

from grognard.compiler_access import title_folders
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


@dataclass(frozen=True, slots=True)
class Tree:
    """A folder with what is in it, and its name in a copy."""

    root: Path
    name: str


def trees_of(title: str) -> tuple[Path, str, list[Tree]]:
    """The folder of a title, where it stands in a copy, and all trees that a copy consists of; VersionError.

    A series around the title holds it; one that lies elsewhere is copied beside it, where it is found by its name, too."""
    found = title_folders(title)
    if found is None:
        raise VersionError(f"there is no title `{title}`")
    folder, series = found
    if series is None:
        return folder, folder.name, [Tree(folder, folder.name)]
    if folder.is_relative_to(series):
        return folder, f"{series.name}/{folder.relative_to(series).as_posix()}", [Tree(series, series.name)]
    beside = series.name if series.name != folder.name else f"{series.name}_series"
    return folder, folder.name, [Tree(folder, folder.name), Tree(series, beside)]


def title_files(title: str) -> tuple[Path, str, list[tuple[Path, str]]]:
    """The folder of a title, where it stands in a copy, and its files and those of its series, each with its path in a copy."""
    folder, inside, trees = trees_of(title)
    found = [
        (path, f"{tree.name}/{path.relative_to(tree.root).as_posix()}")
        for tree in trees
        for path in _files(tree.root, folder)
    ]
    return folder, inside, found


def at_revision(title: str, revision: str) -> str:
    """The folder of a title as it was in a revision of git; VersionError."""
    folder, inside, trees = trees_of(title)
    packed = [_archived(tree.root, revision, told=tree.root == trees[0].root) for tree in trees]
    digest = hashlib.sha256(
        "\0".join(f"{commit}/{tree.root}" for tree, (commit, _, _) in zip(trees, packed)).encode()
    )
    into = copies_dir() / f"rev-{digest.hexdigest()[:24]}"
    if not into.is_dir():
        with _fresh(into) as made:
            for tree, (_commit, below, archive) in zip(trees, packed):
                _unpack(archive, below, Path(made, tree.name), tree.root)
    _touch(into)
    found = into.joinpath(*inside.split("/"))
    if not (found / "title.yaml").is_file():
        raise VersionError(f"{folder.name} is not in the revision `{revision}`: there is no title.yaml")
    return str(found)


def _archived(root: Path, revision: str, *, told: bool) -> tuple[str, str, bytes | None]:
    """The commit, where the folder lies in it, and the folder packed; a series that git does not know stays as it is."""
    try:
        top = Path(_git(root, "rev-parse", "--show-toplevel").decode().strip()).resolve()
        name = f"{revision}^{{commit}}"
        words = ("rev-parse", "--verify", "--quiet", name)
        commit = _git(root, *words, told=f"git knows no revision `{revision}`").decode().strip()
        inside = root.relative_to(top).as_posix()
        missing = f"{inside} is not in the revision `{revision}`: the title was added later, or lay elsewhere"
        return commit, inside, _git(top, "archive", "--format=tar", commit, "--", inside, told=missing)
    except VersionError:
        if told:
            raise
        return "", "", None


def _unpack(archive: bytes | None, below: str, into: Path, root: Path) -> None:
    if archive is None:
        shutil.copytree(root, into)
        return
    with tempfile.TemporaryDirectory(dir=into.parent) as scratch:
        with tarfile.open(fileobj=io.BytesIO(archive)) as packed:
            packed.extractall(scratch, filter="data")
        os.rename(Path(scratch, below), into)


def tried(title: str, statements: Sequence[str]) -> str:
    """The folder of a copy of a title with these statements as its last sheet of errata."""
    _folder, inside, files = title_files(title)
    sheet = f'errata "{TRIED}" {LATEST}\n' + "".join(
        f"  {line}\n" for text in statements for line in text.splitlines()
    )
    digest = hashlib.sha256(sheet.encode())
    for path, name in files:
        data = path.read_bytes()
        digest.update(f"\0{name}\0{len(data)}\0".encode())
        digest.update(data)
    into = copies_dir() / f"try-{digest.hexdigest()[:24]}"
    if not into.is_dir():
        with _fresh(into) as made:
            for path, name in files:
                target = Path(made, *name.split("/"))
                target.parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(path, target)
            place = Path(made, *inside.split("/"), "errata", "zz_what_if.grog")
            place.parent.mkdir(exist_ok=True)
            place.write_text(sheet, encoding="utf-8")
    _touch(into)
    return str(into.joinpath(*inside.split("/")))


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
