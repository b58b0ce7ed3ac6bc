"""`grognard fmt`: rules files in the one layout."""

from __future__ import annotations

import argparse
import difflib
import sys
from collections.abc import Iterator
from pathlib import Path

from grognard.cli.console import Console
from grognard.cli.errors import FAILED, MISUSE, OK, UserError, quoted


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "places",
        metavar="TITLE|FILE|FOLDER",
        nargs="+",
        help="shipped titles (with their series), .grog files, folders with all that is in them; - reads standard "
        "input and writes standard output",
    )
    parser.add_argument(
        "--check", action="store_true", help="write nothing, name the files that would change"
    )
    parser.add_argument("--diff", action="store_true", help="write nothing, show what would change")


def run(args: argparse.Namespace, console: Console) -> int:
    from grognard.compiler_access import format_rules
    from grognard.support.diagnostics import Sink, format_text
    from grognard.support.source import load_source, source_of_text
    from grognard.support.writing import write_atomically

    if args.places == ["-"]:
        sink = Sink()
        given = source_of_text("<stdin>", Path("<stdin>"), sys.stdin.read(), sink)
        text = format_rules(given, sink) if given is not None else None
        if text is None:
            sys.stderr.write(format_text(sink, sink.sources, False))
            return MISUSE
        if args.diff or args.check:
            return _differs(args, console, "<stdin>", given.text if given else "", text)
        sys.stdout.write(text)
        return OK
    broken = changed = 0
    files = list(dict.fromkeys(file for place in args.places for file in _files(place)))
    for file in files:
        sink = Sink()
        source = load_source(file.name, file.parent, sink, shown=_shown(file))
        text = format_rules(source, sink) if source is not None else None
        if source is None or text is None:
            broken += 1
            console.print(format_text(sink, sink.sources, console.color))
            continue
        if text.encode() == file.read_bytes():
            continue
        changed += 1
        if args.check or args.diff:
            _differs(args, console, _shown(file), source.text, text)
        else:
            write_atomically(file.resolve(), text)
            console.print(f"formatted {_shown(file)}")
    dry = args.check or args.diff
    counts = [
        (changed, "would change" if dry else "formatted"),
        (broken, "with syntax errors, left as they are"),
    ]
    counts.append((len(files) - changed - broken, "in the layout already"))
    console.note(f"{_number(len(files))}: " + ", ".join(f"{n:,} {what}" for n, what in counts if n))
    if broken:
        return MISUSE
    return FAILED if dry and changed else OK


def _number(files: int) -> str:
    return f"{files:,} file{'s' * (files != 1)}"


def _differs(args: argparse.Namespace, console: Console, name: str, old: str, new: str) -> int:
    if old == new:
        return OK
    if args.diff:
        lines = difflib.unified_diff(old.splitlines(), new.splitlines(), name, name, lineterm="")
        sys.stdout.write("\n".join(lines) + "\n")
    else:
        console.print(f"would change {name}")
    return FAILED


def _files(place: str) -> Iterator[Path]:
    """The rules files that an argument means."""
    from grognard.compiler_access import shipped_titles

    path = Path(place)
    if path.is_file():
        if path.suffix != ".grog":
            raise UserError(
                f"{quoted(place)} is no rules file", "only .grog files have a layout; YAML is left as it is"
            )
        yield path
    elif path.is_dir():
        yield from sorted(found for found in path.rglob("*.grog") if found.is_file())
    else:
        folder = shipped_titles().get(place)
        if folder is None:
            raise UserError(f"there is no title, file or folder {quoted(place)}", "see `grognard titles`")
        yield from sorted(folder.rglob("*.grog"))
        if (folder.parent / "series.yaml").is_file():
            yield from sorted(folder.parent.glob("*.grog"))


def _shown(file: Path) -> str:
    try:
        return file.resolve().relative_to(Path.cwd()).as_posix()
    except ValueError:
        return str(file)
