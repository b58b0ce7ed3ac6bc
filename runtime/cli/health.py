"""What is installed here, whether it works, and what each part is for."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from importlib import metadata
from pathlib import Path
from typing import Literal

from grognard.cli.browser import BROWSERS
from grognard.cli.console import plural

#: ok: there and working; absent: not there, and not needed by what else is there; wrong: to be mended.
State = Literal["ok", "absent", "wrong"]

#: Extras of the package, as pyproject.toml names them, by what they are for.  Those for work on Grognard itself are left out.
EXTRAS = {
    "compiler": "read, check and compile titles",
    "terminal": "colours, tables and line editing in the terminal",
    "table": "`grognard serve`: games in the browser",
    "postgres": "the table's games in PostgreSQL instead of SQLite",
    "import": "`grognard import`: game files of other programs",
    "editor": "`grognard lsp`: help in the editor while rules are written",
    "plot": "plots of odds",
    "study": "results of `grognard simulate` as Parquet",
    "cluster": "`grognard simulate --cluster`: games on many machines",
    "rulebook": "`grognard new --rulebook`: rulebooks in PDF",
}
NEWEST_UNSUPPORTED = (3, 10)
#: Below this an engine of a large title may not fit.
ROOM = 500_000_000
REQUIREMENT = re.compile(
    r"^(?P<name>[A-Za-z0-9._-]+)(?:\[(?P<extras>[^\]]*)\])?\s*(?:>=(?P<least>[0-9.]+))?.*?;.*extra == ['\"](?P<of>[^'\"]+)['\"]"
)


@dataclass(frozen=True, slots=True)
class Check:
    """One part: whether it is there and works, what was found, what it is for, how it is mended."""

    part: str
    state: State
    found: str
    purpose: str
    hint: str | None = None


def examine() -> Iterator[Check]:
    """All parts, the basic ones first."""
    yield _python()
    yield _package()
    yield from _extras()
    yield from _folders_and_compiler()
    yield _browser()
    yield _git()
    yield from _titles()
    yield _terminal()


# ------------------------------------------------------------------------------------------- Python and packages


def _python() -> Check:
    found = f"{sys.version.split()[0]} ({sys.executable})"
    purpose = "runs everything"
    if sys.version_info[:2] <= NEWEST_UNSUPPORTED:
        return Check("Python", "wrong", found, purpose, "install Python 3.11 or newer")
    return Check("Python", "ok", found, purpose)


def _package() -> Check:
    where = Path(__file__).resolve().parents[1]
    try:
        found = metadata.version("grognard")
    except metadata.PackageNotFoundError:
        hint = "`pip install grognard`, or `./dev` in a clone of the repository"
        return Check("grognard", "wrong", f"not installed ({where})", "the program itself", hint)
    return Check("grognard", "ok", f"{found} ({where})", "the program itself")


@cache
def requirements() -> dict[str, dict[str, str]]:
    """The packages that each extra needs, with the least version of each ("" for any)."""
    direct: dict[str, dict[str, str]] = {}
    others: dict[str, list[str]] = {}
    try:
        lines = metadata.requires("grognard") or []
    except metadata.PackageNotFoundError:
        return {}
    for line in lines:
        match = REQUIREMENT.match(line)
        if match is None:
            continue
        extra = match["of"]
        if match["name"] == "grognard":
            others.setdefault(extra, []).extend(part.strip() for part in match["extras"].split(","))
        else:
            direct.setdefault(extra, {})[match["name"]] = match["least"] or ""

    def whole(extra: str) -> dict[str, str]:
        found = dict(direct.get(extra, {}))
        for other in others.get(extra, ()):
            found |= whole(other)
        return found

    return {extra: whole(extra) for extra in {*direct, *others}}


def _extras() -> Iterator[Check]:
    needed = requirements()
    shown: set[str] = set()
    for extra, purpose in EXTRAS.items():
        packages = needed.get(extra)
        if packages is None:
            continue
        versions = {name: _installed(name) for name in packages}
        missing = sorted(name for name, version in versions.items() if version is None)
        old = sorted(
            f"{name} {version} (needed is {packages[name]})"
            for name, version in versions.items()
            if version is not None and _numbers(version) < _numbers(packages[name])
        )
        install = f"pip install 'grognard[{extra}]'"
        part = f"extra {extra}"
        if old:
            yield Check(part, "wrong", f"too old: {', '.join(old)}", purpose, f"{install} --upgrade")
        elif missing:
            yield Check(part, "absent", f"not installed: {', '.join(missing)}", purpose, install)
        else:
            # What another extra has named already is not named again.
            own = {name: version for name, version in versions.items() if name not in shown} or versions
            shown |= set(own)
            found = ", ".join(f"{name} {version}" for name, version in sorted(own.items()))
            yield Check(part, "ok", found, purpose)


def _installed(name: str) -> str | None:
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return None


def _numbers(version: str) -> tuple[int, ...]:
    """The release of a version; what follows the figures (rc1, .dev2) does not matter here."""
    release = re.match(r"\d+(?:\.\d+)*", version)
    figures = [int(part) for part in release[0].split(".")] if release else []
    while figures and figures[-1] == 0:
        figures.pop()
    return tuple(figures)


# ----------------------------------------------------------------------------------------- folders and compiler


def _folders_and_compiler() -> Iterator[Check]:
    from grognard.support.userdirs import engines_dir

    purpose = "compiled engines, read rules: all of it can be made again"
    usable: Path | None = None
    try:
        folder, trouble = engines_dir()
    except OSError as error:
        hint = "set GROGNARD_CACHE to a folder that can be written"
        yield Check("cache", "wrong", f"no folder can be had: {error.strerror or error}", purpose, hint)
    else:
        usable = folder
        engines, size = _held(folder)
        found = f"{folder}, {plural(engines, 'entry', 'entries')}, {size / 1e6:,.0f} MB"
        free = shutil.disk_usage(folder).free
        if trouble is not None:
            hint = "mend that, or set GROGNARD_CACHE to a folder of your own"
            yield Check("cache", "wrong", f"{trouble}; {folder} takes its place", purpose, hint)
        elif free < ROOM:
            found += f"; only {free / 1e6:,.0f} MB are free on this disk"
            yield Check("cache", "wrong", found, purpose, "make room, or set GROGNARD_CACHE to another disk")
        else:
            yield Check("cache", "ok", found, purpose)
    yield _c_compiler(usable)
    yield _saves()


def _held(folder: Path) -> tuple[int, int]:
    """How many entries lie in the cache, and their size."""
    size = 0
    for place, _, names in os.walk(folder):
        for name in names:
            try:
                size += os.lstat(os.path.join(place, name)).st_size
            except OSError:  # removed meanwhile
                continue
    return sum(1 for entry in os.scandir(folder) if entry.is_dir()), size


def _c_compiler(folder: Path | None) -> Check:
    from grognard.compiler_access import compiler_available, compiler_installed, try_compiler

    purpose = "fast engines; without it rules run on Python, with the same results"
    if not compiler_installed():
        found = "not asked for: the extra compiler is not installed"
        return Check("C compiler", "absent", found, purpose)
    reason = compiler_available()
    if reason is not None:
        hint = "install gcc or clang and Python's headers (Debian: `apt install gcc python3-dev`; macOS: `xcode-select --install`)"
        return Check("C compiler", "absent", reason, purpose, hint)
    if folder is None:
        return Check("C compiler", "wrong", "it needs the cache", purpose)
    named, trouble = try_compiler(folder)
    if trouble is not None:
        hint = "CC names another compiler; GROGNARD_CACHE another folder, where programs may be run"
        return Check("C compiler", "wrong", f"{named}: {trouble}" if named else trouble, purpose, hint)
    return Check("C compiler", "ok", f"{named}; a trial was compiled and loaded", purpose)


def _saves() -> Check:
    from grognard.support.userdirs import data_dir

    purpose = "games that are going on"
    hint = "set GROGNARD_DATA to a folder that can be written"
    try:
        folder = data_dir()
    except RuntimeError as error:
        return Check("saved games", "wrong", str(error), purpose, hint)
    # It is made when the first game is saved: what is there of its path decides.
    there = next(place for place in (folder, *folder.parents) if place.exists())
    if not there.is_dir() or not os.access(there, os.W_OK | os.X_OK):
        return Check("saved games", "wrong", f"{folder} cannot be written", purpose, hint)
    return Check("saved games", "ok", str(folder) + ("" if there == folder else " (not made yet)"), purpose)


# ------------------------------------------------------------------------------------------------ other programs


def _browser() -> Check:
    purpose = "maps as PNG, pages as PDF"
    browser = next(filter(None, map(shutil.which, BROWSERS)), None)
    if browser is None:
        return Check("Chromium", "absent", "not found", purpose, "install the package `chromium`")
    return _program("Chromium", browser, purpose)


def _git() -> Check:
    purpose = "`grognard diff --rev`: two revisions of a title"
    git = shutil.which("git")
    if git is None:
        return Check("git", "absent", "not found", purpose, "install the package `git`")
    return _program("git", git, purpose)


def _program(part: str, command: str, purpose: str) -> Check:
    """A program that tells its version."""
    try:
        done = subprocess.run(
            [command, "--version"], capture_output=True, text=True, timeout=20, check=False, errors="replace"
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        return Check(part, "wrong", f"{command} does not start: {error}", purpose)
    if done.returncode:
        said = (done.stderr or done.stdout).strip().split("\n")[0]
        return Check(part, "wrong", f"{command} does not start: {said}", purpose)
    return Check(part, "ok", f"{done.stdout.strip()} ({command})", purpose)


# ---------------------------------------------------------------------------------------- titles and terminal


def _titles() -> Iterator[Check]:
    from grognard.cli.errors import listed
    from grognard.compiler_access import compiler_installed, library_titles, shared_ids
    from grognard.play.built_titles import installed_titles
    from grognard.support.userdirs import PATH_VARIABLE, path_folders

    purpose = "what can be played by id (`grognard titles`)"
    known = set(installed_titles())
    if compiler_installed():
        known |= set(library_titles())
    found = plural(len(known), "title")
    gone = [str(folder) for folder in path_folders() if not folder.is_dir()]
    shared = shared_ids() if compiler_installed() else {}
    if gone:
        hint = f"mend ${PATH_VARIABLE}"
        yield Check("titles", "wrong", f"{found}; there is no folder {listed(gone)}", purpose, hint)
    elif shared:
        hint = "rename all but one; until then give the folder instead of the id"
        yield Check(
            "titles", "wrong", f"{found}; more than one is called {listed(sorted(shared))}", purpose, hint
        )
    elif not known:
        yield Check(
            "titles", "absent", "none", purpose, f"put titles into a folder, and that into ${PATH_VARIABLE}"
        )
    else:
        yield Check("titles", "ok", found, purpose)


def _terminal() -> Check:
    purpose = "maps and logs as text"
    encoding = (getattr(sys.stdout, "encoding", None) or "ascii").lower()
    if "utf" not in encoding:
        hint = "a locale with UTF-8 (`LANG=C.UTF-8`, or PYTHONUTF8=1) shows arrows and frames"
        return Check("output", "absent", f"{encoding}: signs are shown as ASCII", purpose, hint)
    return Check("output", "ok", encoding, purpose)
