"""`grognard export`: a title as wheels, which the runtime alone plays."""

from __future__ import annotations

import argparse
from pathlib import Path

from grognard.cli.console import Console
from grognard.cli.errors import OK, UserError
from grognard.cli.loading import add_errata, add_json, add_title, chosen_errata, load_title


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_title(parser)
    parser.add_argument("--wheel", action="store_true", help="as wheels, for pip (the only form there is)")
    parser.add_argument(
        "--output", metavar="DIR", default="dist", help="the folder to write to (default: dist)"
    )
    parser.add_argument(
        "--no-odds", action="store_true", help="leave out what exact odds need: half the size"
    )
    add_errata(parser)
    add_json(parser)


def run(args: argparse.Namespace, console: Console) -> int:
    from grognard.compiler_access import export_title

    errata = chosen_errata(args)
    # A title with errors is told of as by every other command.
    load_title(args.title, errata, console, examples=False)
    with console.progress(f"exporting {args.title}") as progress:
        try:
            made = export_title(
                args.title, Path(args.output), errata=errata, odds=not args.no_odds, progress=progress.say
            )
        except OSError as error:
            raise UserError(
                f"the wheels cannot be written to {args.output}: {error.strerror}", "give another --output"
            ) from error
    if args.json:
        console.json({"wheels": [{"path": str(path), "bytes": path.stat().st_size} for path in made]})
        return OK
    for path in made:
        console.print(f"{path}  {path.stat().st_size / 1e6:.2f} MB")
    console.print(f"pip install grognard {' '.join(str(path) for path in made)}")
    return OK
