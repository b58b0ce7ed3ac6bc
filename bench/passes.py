"""What each pass of the compiler is worth: random games of a title with the pass, and with it switched off.

    python bench/passes.py TITLE... [--only PASS] [--seconds 2] [--repeat 5]

Each row is a ratio of answers a second, with all passes : without this one, medians of alternating runs in processor time; 1.00 is worth
nothing.  Engines are built as users have them, each title once for every pass: large titles take minutes for a row."""

from __future__ import annotations

import argparse
import os
import statistics
import time

import grognard
from grognard.compiler.passes.switches import SWITCHES, VARIABLE
from grognard.play.engine import Engine


def engine_without(title: str, name: str) -> Engine:
    """An engine of the title without a pass; without a name, with all of them."""
    os.environ[VARIABLE] = name
    try:
        return grognard.load(title, backend="compiled")
    finally:
        del os.environ[VARIABLE]


def answers_per_second(engine: Engine, seed: int, seconds: float) -> float:
    """Random games for so long, in processor time."""
    given, begun = 0, time.process_time()
    while True:
        given += engine.playouts(20, seed=seed, max_answers=2000).answers
        seed += 1
        spent = time.process_time() - begun
        if spent > seconds:
            return given / spent


def worth(title: str, name: str, seconds: float, repeat: int) -> tuple[float, float, float]:
    """The median of the ratios, with the lowest and the highest."""
    whole, without = engine_without(title, ""), engine_without(title, name)
    ratios = []
    for seed in range(repeat):
        first, second = (whole, without) if seed % 2 == 0 else (without, whole)
        speed = {id(engine): answers_per_second(engine, 100 * seed, seconds) for engine in (first, second)}
        ratios.append(speed[id(whole)] / speed[id(without)])
    return statistics.median(ratios), min(ratios), max(ratios)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("titles", nargs="+")
    parser.add_argument("--only", action="append", help="only this pass (may be repeated)")
    parser.add_argument("--seconds", type=float, default=2.0)
    parser.add_argument("--repeat", type=int, default=5)
    args = parser.parse_args()
    for title in args.titles:
        for switch in SWITCHES:
            if args.only and switch.name not in args.only:
                continue
            middle, low, high = worth(title, switch.name, args.seconds, args.repeat)
            print(f"{title:18}{switch.name:24}{middle:6.2f}  ({low:.2f} .. {high:.2f})", flush=True)


if __name__ == "__main__":
    main()
