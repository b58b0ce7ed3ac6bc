"""`grognard perft`: how many lines of play there are, by depth."""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from threading import Thread
from typing import TYPE_CHECKING, TypeVar

from grognard.cli.console import Console, seconds
from grognard.cli.errors import OK
from grognard.cli.loading import add_running, add_title, engine_to_run, number

if TYPE_CHECKING:
    from grognard.play.position import Position

T = TypeVar("T")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_title(parser)
    parser.add_argument(
        "depth", type=number(1, 64), metavar="DEPTH", help="how many plies (completed actions) deep"
    )
    parser.add_argument("--divide", action="store_true", help="the count below each first answer")
    add_running(parser)


def run(args: argparse.Namespace, console: Console) -> int:
    engine = engine_to_run(args, console)
    position = engine.new_game(args.scenario, args.seed)
    start = time.perf_counter()
    rows: list[tuple[int, int, float]] = []
    divided: list[tuple[str, int]] = []
    with console.progress(f"{engine.title}: counting") as progress:
        if args.divide:
            divided = in_background(lambda: _divide(position, args.depth))
        else:
            for depth in range(1, args.depth + 1):
                progress.say(f"{engine.title}: depth {depth}")
                begun = time.perf_counter()
                lines = in_background(lambda depth=depth: engine.perft(depth, position))  # type: ignore[misc]
                rows.append((depth, lines, time.perf_counter() - begun))
    took = time.perf_counter() - start
    if args.json:
        console.json(
            {
                "title": engine.name,
                "scenario": position.scenario,
                "backend": engine.backend,
                "depths": [{"depth": d, "lines": n, "seconds": round(t, 6)} for d, n, t in rows],
                "divide": [{"answer": name, "lines": n} for name, n in divided],
                "lines": sum(n for _, n in divided) if args.divide else sum(n for _, n, _ in rows),
                "seconds": round(took, 6),
            }
        )
        return OK
    console.print(f"{engine.title}, scenario {position.scenario}, {engine.backend}")
    if args.divide:
        console.table(("answer", "lines"), [(name, f"{n:,}") for name, n in divided], right=(1,))
        total = sum(n for _, n in divided)
        console.print(f"depth {args.depth}: {total:,} lines in {seconds(took)}{_rate(total, took)}")
        return OK
    console.table(
        ("depth", "lines", "time"), [(str(d), f"{n:,}", seconds(t)) for d, n, t in rows], right=(0, 1, 2)
    )
    total = sum(n for _, n, _ in rows)
    console.print(f"total: {total:,} lines in {seconds(took)}{_rate(total, took)}")
    return OK


def _rate(count: int, took: float) -> str:
    return f", {count / took:,.0f} a second" if took > 0.001 else ""


def in_background(work: Callable[[], T]) -> T:
    """Do the work in a thread that is not waited for after Ctrl-C: compiled code does not look at signals."""
    results: list[T] = []
    faults: list[BaseException] = []

    def run() -> None:
        try:
            results.append(work())
        except BaseException as fault:
            faults.append(fault)

    thread = Thread(target=run, daemon=True)
    thread.start()
    while thread.is_alive():
        # Without an end to the waiting a signal would be seen only after it.
        thread.join(0.5)
    if faults:
        raise faults[0]
    return results[0]


def _divide(position: Position, depth: int) -> list[tuple[str, int]]:
    """Lines below each first ply.  A ply can be several answers: they are joined as `move A2 B3`."""
    from grognard.play.playouts import perft

    found: list[tuple[str, int]] = []
    first = position.ply
    waiting: list[tuple[tuple[str, ...], Position]] = [((), position)]
    while waiting:
        words, here = waiting.pop()
        if here.ply > first:
            found.append((" ".join(words), perft(here, depth - (here.ply - first))))
            continue
        for choice in reversed(here.legal()):
            waiting.append(((*words, choice.name), here.play(choice)))
    return found
