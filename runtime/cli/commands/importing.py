"""`grognard import triplea FILE --output FOLDER`: a game of another program as a title."""

from __future__ import annotations

import argparse
from collections import Counter
from pathlib import Path

from grognard.cli.console import Console, plural
from grognard.cli.errors import OK, UserError, quoted
from grognard.cli.loading import add_json

#: Remarks of one reason that are shown in the terminal; the title's IMPORT.md has all.
SHOWN = 6


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "form",
        metavar="FORM",
        choices=["triplea"],
        help="triplea: a game file of TripleA, of the 1940 family",
    )
    parser.add_argument("file", metavar="FILE", help="the file to read")
    parser.add_argument("--output", metavar="FOLDER", required=True, help="a new folder for the title")
    parser.add_argument("--id", metavar="ID", help="the title's id (default: made from the folder's name)")
    parser.add_argument(
        "--rounds",
        type=int,
        metavar="N",
        default=20,
        help="rounds after which a game ends without a winner (default: 20)",
    )
    add_json(parser)


def run(args: argparse.Namespace, console: Console) -> int:
    from grognard.compiler_access import import_triplea
    from grognard.errors import CannotImport

    if not 1 <= args.rounds <= 9999:
        raise UserError("--rounds is a number from 1 to 9999")
    if args.id is not None and not args.id.isidentifier():
        raise UserError(f"--id {quoted(args.id)} is no name of letters, digits and `_`")
    try:
        with console.progress(f"reading {args.file}"):
            made = import_triplea(Path(args.file), Path(args.output), rounds=args.rounds, title=args.id)
    except CannotImport as problem:
        line = f"{args.file}:{problem.line}" if problem.line else args.file
        raise UserError(f"{line} cannot be imported: {problem}") from None
    except OSError as error:
        raise UserError(f"the title cannot be written to {args.output}: {error.strerror}") from error
    if args.json:
        console.json(
            {
                "folder": str(made.folder),
                "name": made.name,
                "powers": made.powers,
                "places": made.places,
                "objectives": made.objectives,
                "not_carried": [{"line": r.line, "what": r.what, "why": r.why} for r in made.remarks],
            }
        )
        return OK
    console.print(
        f"{console.style('title', made.name)}: {plural(made.powers, 'power')}, {plural(made.places, 'place')}, "
        f"{plural(made.objectives, 'objective')} in {made.folder}"
    )
    if made.remarks:
        console.print(
            f"{plural(len(made.remarks), 'thing')} not carried over as they are (all in {made.folder}/IMPORT.md):"
        )
        reasons = Counter(remark.why for remark in made.remarks)
        for why, number in reasons.most_common():
            console.print(f"  {why}" + (f" ({number})" if number > 1 else ""))
            for remark in [r for r in made.remarks if r.why == why][:SHOWN]:
                console.print(console.style("dim", f"    {args.file}:{remark.line}: {remark.what}"))
    console.print(
        f"`grognard check {made.folder}` checks it; `grognard play {made.folder} --against greedy` plays it"
    )
    return OK
