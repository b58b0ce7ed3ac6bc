"""`grognard explain GR0123`: what a message means and how to mend it."""

from __future__ import annotations

import argparse

from grognard.cli.console import Console
from grognard.cli.errors import OK, UserError, quoted
from grognard.cli.loading import add_json


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "code", metavar="CODE", nargs="?", help="the code in the message's brackets, such as GR0201"
    )
    parser.add_argument("--list", action="store_true", help="all codes with their titles")
    add_json(parser)


def run(args: argparse.Namespace, console: Console) -> int:
    from grognard.support.codes import CODES

    if args.list or args.code is None:
        if args.code is None and not args.list:
            raise UserError("which code?", "for example `grognard explain GR0201`; --list shows all")
        known = sorted(CODES.values(), key=lambda code: code.code)
        if args.json:
            console.json({"codes": [{"code": c.code, "title": c.title} for c in known]})
        else:
            for code in known:
                console.print(f"{console.style('number', code.code)}  {code.title}")
        return OK
    wanted = args.code.strip("[]").upper()
    # `201` and `GR201` are meant well.
    digits = wanted.removeprefix("GR")
    if digits.isascii() and digits.isdigit() and len(digits) <= 4:
        wanted = f"GR{int(digits):04}"
    found = CODES.get(wanted)
    if found is None:
        raise UserError(
            f"there is no code {quoted(args.code)}",
            "codes look like GR0201; `grognard explain --list` shows all",
        )
    if args.json:
        console.json({"code": found.code, "title": found.title, "explanation": found.explanation})
        return OK
    console.print(f"{console.style('number', found.code)}  {console.style('title', found.title)}")
    console.print()
    for line in found.explanation.splitlines():
        # What is indented is an example.
        console.print(console.style("cite", line) if line.startswith("    ") else line)
    return OK
