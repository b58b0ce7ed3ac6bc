"""`grognard why`: how an answer of a saved game came to its result."""

from __future__ import annotations

import argparse

from grognard.cli.console import Console, plural
from grognard.cli.errors import OK, UserError
from grognard.cli.loading import add_backend, add_json, number
from grognard.cli.reasons import reason_lines
from grognard.cli.saves import add_save_options, open_save


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", metavar="FILE", help="a saved game")
    parser.add_argument(
        "n", metavar="N", nargs="?", type=number(1), help="which answer, from 1 (default: the last)"
    )
    parser.add_argument("--view", metavar="SIDE", help="only what this side may know")
    parser.add_argument("--places", action="store_true", help="with file and line of each rule")
    add_json(parser)
    add_save_options(parser)
    add_backend(parser)


def run(args: argparse.Namespace, console: Console) -> int:
    from grognard.support.suggest import hint_for

    game = open_save(args.file, args, console)
    played = len(game.history)
    if not played:
        raise UserError(f"nothing was played in {args.file}")
    which = args.n or played
    if which > played:
        raise UserError(
            f"{args.file} has {plural(played, 'answer')}: there is no number {which}",
            f"give a number from 1 to {played}",
        )
    if args.view is not None and args.view not in game.engine.seats:
        hint = hint_for(args.view, game.engine.seats) or f"the sides are {', '.join(game.engine.seats)}"
        raise UserError(f"{game.engine.title} has no side `{args.view}`", hint)
    reason = game.why(which - 1, args.view)
    if args.json:
        console.json({"answer": which, "answers": played, "reason": reason.as_dict()})
        return OK
    console.print(f"answer {which} of {played}")
    for line in reason_lines(reason, console, args.places):
        console.print(line)
    return OK
