"""How even the scenarios of a title are: bots of the same strength on both sides, wins by side.

    python bench/balance.py storms_of_steel --bot greedy --games 60

A scenario is called even if the share of the first side (a draw is half a win) lies between 35 and 65 %.
"""

from __future__ import annotations

import argparse
import os
import sys

import grognard
from grognard.bots.match import Order, play_match, wilson

EVEN = (0.35, 0.65)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("title")
    parser.add_argument("--scenario", action="append", help="only this one; may be repeated (default: all)")
    parser.add_argument("--bot", default="greedy")
    parser.add_argument("--games", type=int, default=40)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    args = parser.parse_args()
    engine = grognard.load(args.title)
    uneven = 0
    for scenario in args.scenario or engine.scenarios:
        order = Order(args.title, (args.bot, args.bot), scenario, seed=args.seed)
        result = play_match(order, args.games, args.jobs, engine)
        first, *_ = (wins := result.side_wins())
        share = (wins[first] + (result.draws + result.unfinished) / 2) / args.games
        low, high = wilson(share, args.games)
        even = EVEN[0] <= share <= EVEN[1]
        uneven += not even
        told = ", ".join(f"{side} {number}" for side, number in wins.items())
        print(
            f"{scenario:24} {first} {share:4.0%} ({low:.0%} to {high:.0%})  {told}, {result.draws} drawn, "
            f"{result.average(lambda game: game.answers):.0f} answers{'' if even else '  UNEVEN'}"
        )
        sys.stdout.flush()
    return 1 if uneven else 0


if __name__ == "__main__":
    sys.exit(main())
