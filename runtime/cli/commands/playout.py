"""`grognard playout`: many random games, summed up."""

from __future__ import annotations

import argparse
import time
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

from grognard.cli.console import Console, length_in_words, plural, seconds
from grognard.cli.errors import OK
from grognard.cli.loading import add_games, add_jobs, add_running, add_title, engine_to_run, number

if TYPE_CHECKING:
    from grognard.play.playouts import Playouts
    from grognard.play.position import Position

#: Games are played in parts, so that there is progress to show and work to share.  How they are cut depends on
#: the number of games alone: the result is the same with any number of threads.
PARTS = 100
#: Keeps the seeds of the parts far from each other.
STRIDE = 0x9E37_79B9_7F4A_7C15


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_title(parser)
    add_games(parser, 1000, 1_000_000_000)
    add_jobs(parser, 1, "1")
    parser.add_argument(
        "--max-answers",
        type=number(1, 1_000_000_000),
        default=1_000_000,
        metavar="N",
        help="give a game up after so many answers (default: a million)",
    )
    add_running(parser)


def run(args: argparse.Namespace, console: Console) -> int:
    engine = engine_to_run(args, console)
    position = engine.new_game(args.scenario, args.seed)
    start = time.perf_counter()
    result = _play(position, args, console, engine.title)
    took = max(time.perf_counter() - start, 1e-9)
    if args.json:
        console.json(
            {
                "title": engine.name,
                "scenario": position.scenario,
                "backend": engine.backend,
                "games": result.games,
                "wins": result.wins,
                "draws": result.draws,
                "unfinished": result.unfinished,
                "plies": result.plies,
                "answers": result.answers,
                "seconds": round(took, 6),
                "games_per_second": round(result.games / took, 3),
            }
        )
        return OK
    console.print(f"{engine.title}, scenario {position.scenario}, {engine.backend}, seed {args.seed}")
    rows = [(f"{side} wins", f"{n:,}", f"{100 * n / result.games:.1f} %") for side, n in result.wins.items()]
    rows.append(("draws", f"{result.draws:,}", f"{100 * result.draws / result.games:.1f} %"))
    if result.unfinished:
        rows.append(
            ("unfinished", f"{result.unfinished:,}", f"{100 * result.unfinished / result.games:.1f} %")
        )
    console.table(("result", "games", ""), rows, right=(1, 2))
    console.print(
        f"{plural(result.games, 'game')} in {seconds(took)}: {result.games / took:,.0f} a second; on average "
        + length_in_words(result.plies / result.games, result.answers / result.games)
    )
    return OK


def _play(position: Position, args: argparse.Namespace, console: Console, title: str) -> Playouts:
    from grognard.play.playouts import Playouts, playouts

    size = -(-args.games // PARTS)
    sizes = [min(size, args.games - begun) for begun in range(0, args.games, size)]

    def part(index: int) -> Playouts:
        seed = (args.seed + index * STRIDE) % 2**64
        return playouts(position, sizes[index], seed, args.max_answers)

    results: list[Playouts] = []
    done = 0
    pool = ThreadPoolExecutor(max_workers=args.jobs)
    try:
        with console.progress(title, args.games) as progress:
            for result in pool.map(part, range(len(sizes))):
                results.append(result)
                done += result.games
                progress.advance(done)
    finally:
        # After Ctrl-C parts that have not begun are not waited for.
        pool.shutdown(wait=True, cancel_futures=True)
    return Playouts(
        games=done,
        wins={side: sum(r.wins[side] for r in results) for side in results[0].wins},
        draws=sum(r.draws for r in results),
        unfinished=sum(r.unfinished for r in results),
        plies=sum(r.plies for r in results),
        answers=sum(r.answers for r in results),
    )
