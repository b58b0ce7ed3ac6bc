"""`grognard new title|series NAME`: something small that checks and plays, to write into."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from grognard.cli.console import Console
from grognard.cli.errors import OK, UserError, quoted
from grognard.cli.loading import add_json

if TYPE_CHECKING:
    from grognard.authoring.beginnings import Beginning
    from grognard.authoring.rulebook_text import Heading


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("sort", metavar="SORT", choices=("title", "series"), help="title or series")
    parser.add_argument("name", metavar="NAME", help="its name; the folder is called after it")
    parser.add_argument(
        "--in", dest="into", metavar="DIR", type=Path, help="the folder to make it in (default: this one)"
    )
    parser.add_argument(
        "--of",
        metavar="SERIES",
        help="a title of this series: its id or folder, or a title of it to begin from",
    )
    parser.add_argument(
        "--rulebook", metavar="FILE", type=Path,
        help="a rulebook as text, Markdown or PDF: its sections become the list to work through",
    )  # fmt: skip
    add_json(parser)


def run(args: argparse.Namespace, console: Console) -> int:
    from grognard.authoring.beginnings import BeginningError, new_series, new_title
    from grognard.authoring.rulebook_text import RulebookError, read_rulebook

    if args.of and args.sort == "series":
        raise UserError("--of goes with a title", f"grognard new title {quoted(args.name)} --of SERIES")
    if args.of and args.rulebook:
        raise UserError("a title of a series has the series' rulebook", "leave --rulebook away")
    found: list[Heading] = []
    try:
        if args.rulebook:
            with console.progress(f"reading {args.rulebook}"):
                found = read_rulebook(args.rulebook)
        if args.of:
            made = _of_series(args)
        else:
            make = new_title if args.sort == "title" else new_series
            made = make(args.name, args.into or Path(), found)
    except (BeginningError, RulebookError) as wrong:
        message, _, hint = str(wrong).partition(": ")
        raise UserError(message, hint or None) from wrong
    if not args.of:
        _lay_out(made)
    if args.json:
        console.json(
            {"title": str(made.title), "files": [str(path) for path in made.files], "sections": len(found)}
        )
        return OK
    _tell(args, made, found, console)
    return OK


def _lay_out(made: Beginning) -> None:
    """Columns as `grognard fmt` sets them, which depend on what was left in each file."""
    from grognard.compiler_access import format_rules
    from grognard.support.diagnostics import Sink
    from grognard.support.source import load_source

    for path in made.files:
        if path.suffix == ".grog":
            sink = Sink()
            source = load_source(path.name, path.parent, sink)
            text = format_rules(source, sink) if source is not None else None
            if text is not None:
                path.write_text(text, encoding="utf-8")


def _of_series(args: argparse.Namespace) -> Beginning:
    from grognard.authoring.beginnings import BeginningError, title_of_series
    from grognard.compiler_access import series_folders, title_folders
    from grognard.support.suggest import hint_for

    named, into = Path(args.of), args.into or Path()
    if (named / "series.yaml").is_file():
        series = named.resolve()
        return title_of_series(args.name, _sister(series), args.into or series, series)
    known = series_folders()
    if args.of in known:
        # Found by its id, it lies where nobody should write.
        series = known[args.of][0]
        return title_of_series(args.name, _sister(series), into, series)
    found = title_folders(args.of)
    if found is None or found[1] is None:
        hint = (
            hint_for(args.of, sorted(known))
            or "give its id, the folder with its series.yaml, or a title of it"
        )
        raise BeginningError(f"{quoted(args.of)} is no series: {hint}")
    own = not any(found[1] == folder for folders in known.values() for folder in folders)
    return title_of_series(args.name, found[0], args.into or (found[1] if own else into), found[1])


def _sister(series: Path) -> Path:
    """What a new title of a series begins as: what the series has for that, else the smallest of its titles."""
    from grognard.authoring.beginnings import FIRST, BeginningError

    if (series / FIRST / "title.yaml").is_file():
        return series / FIRST
    sisters = sorted(path.parent for path in series.glob("*/title.yaml"))
    if not sisters:
        raise BeginningError(f"{series} has no title yet to begin from: name one of its titles instead")
    # The smallest is the quickest to change into another.
    return min(sisters, key=lambda folder: sum(p.stat().st_size for p in folder.rglob("*") if p.is_file()))


def _tell(args: argparse.Namespace, made: Beginning, found: list[Heading], console: Console) -> None:
    console.print(f"{console.style('title', args.name)} is begun in {made.title}")
    if not args.of:
        base = made.title if args.sort == "title" else made.title.parent
        for path in made.files:
            console.print(f"  {path.relative_to(base).as_posix():24}{_ABOUT.get(path.name, '')}".rstrip())
    else:
        for path in made.files:
            console.print(f"  {path.relative_to(made.title).as_posix()}")
        console.print("whole as it is, under its own name: change it file by file")
    if found:
        from grognard.authoring.rulebook_text import told

        console.print()
        console.print(f"{args.rulebook}: {told(found)}, none encoded yet; the first are")
        for heading in found[:4]:
            console.print(f"  {heading.id}  {heading.title}")
        console.print("look through rulebook.yaml: what is no section can be deleted there")
    console.print()
    where = made.title
    console.print(f"grognard check {where}    what is wrong with it (nothing yet)")
    console.print(f"grognard test {where}     its examples of play")
    console.print(f"grognard play {where} --against random")
    console.print(f"grognard watch {where}    check and test on every save, while you write")
    if found:
        console.print(f"grognard coverage {where} --list missing    the sections to work through")


_ABOUT = {
    "title.yaml": "what it is",
    "series.yaml": "what the series is",
    "game.grog": "the rules: begin here",
    "rules.grog": "the rules of the series: begin here",
    "units.yaml": "the counters",
    "field.yaml": "the map",
    "first.yaml": "who stands where",
    "fire.grog": "an example of play",
    "rulebook.yaml": "the sections of the rulebook",
}
