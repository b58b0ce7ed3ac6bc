"""`grognard match`: bots against each other, summed up."""

from __future__ import annotations

import argparse
import os
import time
from typing import TYPE_CHECKING

from grognard.cli.console import Console, length_in_words, plural, seconds
from grognard.cli.errors import OK, UserError, quoted
from grognard.cli.loading import (
    add_games,
    add_jobs,
    add_running,
    add_title,
    chosen_errata,
    engine_to_run,
    number,
)

if TYPE_CHECKING:
    from grognard.bots import Bot
    from grognard.bots.match import MatchResult


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_title(parser)
    for place in ("first", "second"):
        parser.add_argument(
            place, metavar="BOT", help=f"the {place} bot: random, greedy or mcts (mcts:2000 searches longer)"
        )
    add_games(parser, 20, 1_000_000)
    parser.add_argument(
        "--seconds",
        type=seconds_of,
        metavar="S",
        help="time for a decision of greedy and mcts, which then depends on the machine (default: as long as it takes)",
    )
    add_jobs(parser, None, "one for each core")
    parser.add_argument(
        "--max-answers",
        type=number(1, 1_000_000_000),
        default=50_000,
        metavar="N",
        help="give a game up after so many answers (default: 50,000)",
    )
    add_running(parser)


def seconds_of(text: str) -> float:
    """An argparse type: a time in seconds."""
    try:
        value = float(text)
    except ValueError:
        value = 0.0
    if not 0.01 <= value <= 86_400:
        raise argparse.ArgumentTypeError(f"{quoted(text)} is not a time in seconds from 0.01 up")
    return value


def checked_bot(name: str, seed: int = 1, seconds: float | None = None) -> Bot:
    """The bot of that name; what is wrong with the name is told like any mistake in a command."""
    from grognard.bots import BOTS, make
    from grognard.cli.errors import listed
    from grognard.errors import UnknownName

    try:
        return make(name, seed, seconds)
    except UnknownName as mistake:
        first, _, rest = str(mistake).partition("\n")
        raise UserError(first, rest or f"there are {listed(list(BOTS))}") from None


def run(args: argparse.Namespace, console: Console) -> int:
    from grognard.bots.match import Order, play_match

    for name in (args.first, args.second):
        checked_bot(name)
    # Built here once, with its progress shown; the processes then find it in the cache.
    engine = engine_to_run(args, console)
    order = Order(
        args.title,
        (args.first, args.second),
        args.scenario,
        args.backend,
        chosen_errata(args),
        args.seed,
        max_answers=args.max_answers,
        seconds=args.seconds,
    )
    jobs = args.jobs or os.cpu_count() or 1
    begun = time.perf_counter()
    with console.progress(f"{engine.title}: {args.first} against {args.second}", args.games) as progress:
        result = play_match(order, args.games, jobs, engine, progress.advance)
    took = time.perf_counter() - begun
    scenario = args.scenario or engine.default_scenario
    if args.json:
        console.json(_plain(result, args, engine.name, scenario, engine.backend, took))
        return OK
    console.print(f"{engine.title}, scenario {scenario}, {engine.backend}, seed {args.seed}")
    _show(result, console, took)
    return OK


def _show(result: MatchResult, console: Console, took: float) -> None:
    rows = []
    for bot, name in enumerate(result.bots):
        low, high = result.interval(bot)
        rows.append(
            (
                name,
                f"{result.wins(bot):,}",
                f"{100 * result.score(bot):.1f} %",
                f"{100 * low:.1f} to {100 * high:.1f} %",
                f"{1000 * result.per_decision(bot):.1f} ms",
                seconds(result.longest(bot)),
            )
        )
    console.table(
        ("bot", "wins", "points", "95 % confidence", "a decision", "longest"), rows, right=(1, 2, 3, 4, 5)
    )
    games = len(result.games)
    sides = [f"{side} {wins} ({100 * wins / games:.0f} %)" for side, wins in result.side_wins().items()]
    console.print(f"by side: {', '.join(sides)}; {plural(result.draws, 'draw')}")
    if result.unfinished:
        console.print(f"{plural(result.unfinished, 'game')} given up, counted as drawn")
    console.print(
        f"{plural(games, 'game')} in {seconds(took)}; on average "
        + length_in_words(result.average(lambda g: g.plies), result.average(lambda g: g.answers))
    )


def _plain(
    result: MatchResult, args: argparse.Namespace, title: str, scenario: str, backend: str, took: float
) -> dict[str, object]:
    return {
        "title": title,
        "scenario": scenario,
        "backend": backend,
        "seed": args.seed,
        "games": len(result.games),
        "bots": [
            {
                "bot": name,
                "wins": result.wins(bot),
                "points": result.score(bot),
                "confidence": list(result.interval(bot)),
                "seconds_per_decision": result.per_decision(bot),
                "longest_decision": result.longest(bot),
            }
            for bot, name in enumerate(result.bots)
        ],
        "sides": result.side_wins(),
        "draws": result.draws,
        "unfinished": result.unfinished,
        "plies": result.average(lambda game: game.plies),
        "answers": result.average(lambda game: game.answers),
        "seconds": took,
    }
