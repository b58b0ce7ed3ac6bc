"""`grognard replay`: a saved game once more, verified, with its log."""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING

from grognard.cli.board.showing import log_texts, position_lines
from grognard.cli.console import Console, plural
from grognard.cli.errors import FAILED, OK
from grognard.cli.game_text import outcome_line
from grognard.cli.loading import add_backend, add_errata, add_json
from grognard.cli.saves import add_save_options, open_save

if TYPE_CHECKING:
    from grognard.play.game import Game


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", metavar="FILE", help="a saved game")
    parser.add_argument(
        "--step", action="store_true", help="the board after every answer; waits in a terminal"
    )
    parser.add_argument("--log", action="store_true", help="the log alone, without the board")
    add_json(parser)
    add_save_options(parser)
    add_backend(parser)
    add_errata(parser)


def run(args: argparse.Namespace, console: Console) -> int:
    saved = open_save(args.file, args, console)
    again = saved.replay()
    failed = saved.no_longer_legal is not None
    if args.json:
        position = saved.position
        console.json(
            {
                "title": saved.engine.name,
                "scenario": saved.scenario,
                "seed": saved.seed,
                "verified": not failed,
                "answers": [{"seat": p.seat, "ask": p.question, "answer": p.name} for p in saved.history],
                "log": [
                    {"text": line.text, "cites": list(line.cites), "kind": line.kind} for line in saved.log
                ],
                "over": position.over,
                "outcome": position.outcome,
                "hash": f"{position.hash:016x}",
            }
        )
        return FAILED if failed else OK
    console.print(
        f"{console.style('title', saved.engine.title)}, scenario {saved.scenario}, seed {saved.seed}"
    )
    if args.step:
        for _ in saved.history:
            again.undo()
        _step(again, len(saved.history), console, not args.log)
    else:
        for text in log_texts(saved.log, console):
            console.print(text)
    if not args.log and not args.step:
        console.print()
        for text in position_lines(saved.position, console):
            console.print(text)
    told = "replayed as far as the rules allow" if failed else "replayed and verified"
    console.print(f"{outcome_line(saved, console)} {plural(len(saved.history), 'answer')} {told}.")
    return FAILED if failed else OK


def _step(game: Game, answers: int, console: Console, boards: bool) -> None:
    waiting = console.terminal and sys.stdin.isatty()
    for number in range(answers + 1):
        for text in log_texts(game.last_lines, console):
            console.print(text)
        if boards:
            for text in position_lines(game.position, console):
                console.print(text)
        if number == answers:
            return
        if waiting:
            try:
                input(f"answer {number + 1} of {answers}: Enter goes on, Ctrl-D ends ")
            except (EOFError, KeyboardInterrupt):
                console.print()
                return
        game.redo()
