"""The files of a folder that hold rules, before and after an upgrade.  Nothing is written here."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from grognard.compiler.upgrade.parsers import Unreadable
from grognard.compiler.upgrade.records import RECORD, upgrade_record, upgraded_line
from grognard.compiler.upgrade.rewrite import declared
from grognard.compiler.upgrade.upgrade import upgrade_text
from grognard.contract.upgrades import FileUpgrade, Problem

_FENCE = re.compile(r"^```grog\b[^\n]*\n(.*?)^```", re.M | re.S)


def is_upgradable(path: Path) -> bool:
    """Rules and examples, pages with blocks of them, and the record of equivalent mutants."""
    return path.suffix in (".grog", ".md") or path.name == RECORD


def upgrade_files(where: Path, width: int | None = None) -> Iterator[FileUpgrade]:
    """The file, or the files of the folder, that hold rules.  All are read before the first is given."""
    paths = [where] if where.is_file() else sorted(p for p in where.rglob("*") if _is_ours(p, where))
    read = {path: _read(path) for path in paths}
    beside = {path: text for path, (text, _) in read.items()}
    if where.is_file():
        beside |= {path: _read(path)[0] for path in sorted(where.parent.glob("*.grog"))}
    own = frozenset(
        name for path, text in beside.items() if path.suffix == ".grog" for name in declared(text)
    )
    for path, (text, problem) in read.items():
        made = FileUpgrade(str(path), text, text)
        if problem:
            made.problems.append(Problem(str(path), 1, 1, problem))
        else:
            _upgrade(made, path, own, width, beside)
        yield made


def _is_ours(path: Path, top: Path) -> bool:
    hidden = any(part.startswith(".") for part in path.relative_to(top).parts)
    return is_upgradable(path) and path.is_file() and not hidden


def _read(path: Path) -> tuple[str, str]:
    """The text with its own line ends; and why it cannot be read."""
    try:
        with path.open(encoding="utf-8", newline="") as file:
            return file.read(), ""
    except UnicodeDecodeError:
        return "", "this is not UTF-8"
    except OSError as error:
        return "", error.strerror or "this cannot be read"


def _upgrade(
    made: FileUpgrade, path: Path, own: frozenset[str], width: int | None, beside: dict[Path, str]
) -> None:
    mark = "\ufeff" if made.before.startswith("\ufeff") else ""
    text = made.before.removeprefix(mark)
    windows = "\r\n" in text
    text = text.replace("\r\n", "\n")
    if path.name == RECORD:
        text, made.problems = upgrade_record(text, made.file, own, lambda f: _source(path, f, beside))
    elif path.suffix == ".md":
        text = _page(text, made, own, width)
    else:
        upgraded = upgrade_text(text, made.file, own, width)
        text, made.problems = upgraded.text, upgraded.problems
    made.after = mark + (text.replace("\n", "\r\n") if windows else text)


def _source(record: Path, file: str, beside: dict[Path, str]) -> str | None:
    """The text of a file that a record names: beside it, or in the folder of the series."""
    for folder in (record.parent, record.parent.parent):
        path = folder / file
        if path in beside:
            return beside[path].replace("\r\n", "\n")
        if path.is_file():
            return _read(path)[0].replace("\r\n", "\n")
    return None


def _page(text: str, made: FileUpgrade, own: frozenset[str], width: int | None) -> str:
    """A page with the blocks of the language rewritten."""
    parts: list[str] = []
    done = 0
    for found in _FENCE.finditer(text):
        block = found[1]
        line = text.count("\n", 0, found.start(1))
        upgraded = upgrade_text(block, made.file, own | declared(block), width)
        new = upgraded.text
        if upgraded.problems:
            # Not declarations: a few statements.
            try:
                new = upgraded_line(block, own)
            except Unreadable:
                made.problems += [
                    Problem(p.file, p.line + line, p.column, p.message) for p in upgraded.problems
                ]
        parts += [text[done : found.start(1)], new]
        done = found.end(1)
    return "".join(parts) + text[done:]
