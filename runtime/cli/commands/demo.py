"""`grognard demo`: from rules to a running game, in one command."""

from __future__ import annotations

import argparse
import random
import time
from collections.abc import Iterator
from typing import TYPE_CHECKING

from grognard.cli.board.showing import log_texts, position_lines
from grognard.cli.console import Console, plural, seconds
from grognard.cli.errors import OK, UserError
from grognard.cli.game_text import outcome_line
from grognard.cli.loading import add_backend, load_title

if TYPE_CHECKING:
    from grognard.engine import Engine
    from grognard.play.game import Game

#: Answers that are enough to see how a title plays.
ANSWERS = 40
#: Games to choose from; the interpreter has no time for more than one.
GAMES = 12


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("title", metavar="TITLE", nargs="?", help="another title than the usual one")
    add_backend(parser)
    parser.add_argument(
        "--interpreter", dest="backend", action="store_const", const="interpreter",
        help="the same as --backend interpreter",
    )  # fmt: skip


def _titles(wanted: str | None) -> Iterator[str]:
    """The titles to try: the one wanted, else those whose title.yaml gives them a place in the demo, in that order."""
    from grognard.compiler_access import library_info

    if wanted is not None:
        yield wanted
        return
    places = [(title.demo, title.id) for title in library_info() if title.demo is not None]
    yield from (title for _, title in sorted(places))


def run(args: argparse.Namespace, console: Console) -> int:
    from grognard.compiler_access import compile_title
    from grognard.engine import Engine

    start = time.perf_counter()
    ruleset = None
    with console.progress("checking the rules"):
        for title in _titles(args.title):
            if args.title is not None:
                ruleset = load_title(title, None, console)
                break
            ruleset = compile_title(title, examples=False)
            if ruleset is not None and not ruleset.sink.has_errors:
                break
    if ruleset is None or ruleset.sink.has_errors:
        raise UserError("no shipped title can be shown", "`grognard titles` lists them")
    files = [source for name, source in sorted(ruleset.sources.items()) if name.endswith(".grog")]
    lines = sum(source.line_count for source in files)
    console.print(
        f"{console.style('title', ruleset.name)}: {plural(lines, 'line')} of rules in "
        f"{plural(len(files), 'file')}, checked in {seconds(time.perf_counter() - start)}"
    )
    start = time.perf_counter()
    with console.progress("building the engine") as progress:
        engine = Engine(ruleset, None, args.backend, progress=progress.say)
    console.print(f"{engine.backend} engine ready in {seconds(time.perf_counter() - start)}")
    for notice in engine.notices:
        console.print(notice)
    game = _best(engine)
    console.print()
    for text in log_texts(game.log, console):
        console.print(text)
    console.print()
    for text in position_lines(game.position, console):
        console.print(text)
    console.print(
        f"{outcome_line(game, console)} {plural(len(game.history), 'answer')}; in brackets the sections."
    )
    console.print(f"Now you: grognard play {ruleset.id}")
    return OK


def _best(engine: Engine) -> Game:
    """Of some random games the one with most dice: the same every time, and it shows more than the average."""
    games = [_short(engine, seed) for seed in range(1, GAMES + 1 if engine.backend == "compiled" else 2)]
    return max(games, key=lambda game: sum(line.kind == "roll" for line in game.log))


def _short(engine: Engine, seed: int) -> Game:
    picker = random.Random(seed)
    game = engine.game(seed=seed)
    for _ in range(ANSWERS):
        if game.position.over:
            break
        choices = game.position.legal()
        # Who always passes shows nothing.
        acting = [choice for choice in choices if choice.name not in ("done", "none", "pass", "wait")]
        game.play(picker.choice(acting or choices))
    return game
