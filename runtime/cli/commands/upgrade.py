"""`grognard upgrade`: rewrites rules and examples from the language as it was to the language as it is."""

from __future__ import annotations

import argparse
import difflib
import os
import tempfile
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from grognard.cli.console import Console, plural
from grognard.cli.errors import FAILED, MISUSE, OK, UserError, quoted
from grognard.cli.loading import number

if TYPE_CHECKING:
    from grognard.contract.upgrades import FileUpgrade


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "paths",
        metavar="FOLDER|FILE",
        nargs="+",
        help="titles, examples, or pages with blocks of rules: .grog, .md, and mutants.yaml",
    )
    parser.add_argument(
        "--check", action="store_true", help="write nothing; status 1 if something would be rewritten"
    )
    parser.add_argument("--diff", action="store_true", help="write nothing; show what would be rewritten")
    parser.add_argument(
        "--width", type=number(60, 1000), metavar="N", help="also break lines longer than N columns"
    )


def run(args: argparse.Namespace, console: Console) -> int:
    from grognard.compiler_access import upgrade_files

    found: list[FileUpgrade] = []
    for given in args.paths:
        path = Path(given)
        if not path.exists():
            raise UserError(f"there is no file or folder {quoted(given)}")
        found += upgrade_files(path, args.width)
    if not found:
        raise UserError("there is nothing to upgrade: no .grog, .md or mutants.yaml here")
    changed = left = 0
    for file in found:
        for problem in file.problems:
            console.error(f"{problem.file}:{problem.line}:{problem.column}: {problem.message}")
        if file.problems:
            left += 1
        elif file.changed:
            changed += 1
            if args.diff:
                _show(file, console)
            elif args.check:
                console.print(file.file)
            else:
                _write(Path(file.file), file.after)
                console.print(f"rewritten: {file.file}")
    only = args.check or args.diff
    words = "would be rewritten" if only else "rewritten"
    summary = f"{plural(len(found), 'file')}: {changed} {words}, {len(found) - changed - left} as they were"
    console.note(summary + (f", {left} left alone because of mistakes in them" if left else ""))
    if left:
        return MISUSE
    return FAILED if only and changed else OK


def _show(file: FileUpgrade, console: Console) -> None:
    lines = difflib.unified_diff(
        file.before.splitlines(), file.after.splitlines(), file.file, file.file, lineterm=""
    )
    for line in lines:
        console.print(line)


def _write(path: Path, text: str) -> None:
    """Write a file so that it is either as it was or as it shall be."""
    target = path.resolve()
    try:
        handle, name = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.")
        try:
            with os.fdopen(handle, "w", encoding="utf-8", newline="") as file:
                file.write(text)
                file.flush()
                os.fsync(file.fileno())
            os.chmod(name, target.stat().st_mode & 0o7777)
            os.replace(name, target)
        except BaseException:
            with suppress(OSError):
                os.unlink(name)
            raise
    except OSError as error:
        raise UserError(f"{quoted(str(path))} cannot be written: {error.strerror}") from error
