"""How strong the bots are: matches with swapped seats in every title, in one table.

    python bench/strength.py --seconds 600                  # greedy against random, mcts against greedy, all titles
    python bench/strength.py mbt --scenario crossroads --games 40 --mcts mcts:1s

Each pair of games has the same dice, with the seats swapped.  With --seconds no game begins after its share of the time, so
that a slow title has fewer games.  The interval is Wilson's of the share of the points, 95 %.
"""

from __future__ import annotations

import argparse
import sys
import time

import grognard
from grognard.bots.match import MatchResult, Order, play_game

TITLES = ("connect_four", "breakthrough", "mbt", "hot_war", "storms_of_steel", "europe_1940", "strait")


def played(order: Order, engine: grognard.Engine, games: int, seconds: float) -> MatchResult:
    """Whole pairs, until there are so many games or the time is up."""
    result = MatchResult(order.bots)
    begun = time.monotonic()
    for number in range(0, games, 2):
        if number and (time.monotonic() - begun) * (number + 2) / number > seconds:
            break
        result.games += [play_game(engine, order, number), play_game(engine, order, number + 1)]
    return result


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("titles", nargs="*", help="only these (default: all that are shipped)")
    parser.add_argument("--scenario", help="of one title (default: its first)")
    parser.add_argument("--games", type=int, default=40)
    parser.add_argument("--seconds", type=float, default=120.0, help="for one match (default: 120)")
    parser.add_argument("--seed", type=int, default=5000)
    parser.add_argument("--greedy", default="greedy")
    parser.add_argument("--mcts", default="mcts:1s")
    parser.add_argument(
        "--only", choices=("greedy", "mcts"), help="only the matches of this bot against the next weaker"
    )
    args = parser.parse_args()
    print(
        "| title | scenario | bots | games, seed | won, lost, drawn | points | 95 % | a decision, longest |"
    )
    print("| --- | --- | --- | --- | --- | --- | --- | --- |")
    pairs = {"greedy": (args.greedy, "random"), "mcts": (args.mcts, args.greedy)}
    for title in args.titles or TITLES:
        engine = grognard.load(title)
        for name, bots in pairs.items():
            if args.only in (None, name):
                order = Order(title, bots, args.scenario, seed=args.seed)
                result = played(order, engine, args.games, args.seconds)
                low, high = result.interval(0)
                print(
                    f"| {engine.title} | {args.scenario or engine.default_scenario} | `{bots[0]}`, `{bots[1]}` "
                    f"| {len(result.games)}, {args.seed} | {result.wins(0)}, {result.wins(1)}, "
                    f"{result.draws + result.unfinished} | {result.score(0):.0%} | {low:.0%} to {high:.0%} "
                    f"| {result.per_decision(0):.2f} s, {result.longest(0):.2f} s |"
                )
                sys.stdout.flush()
    return 0


if __name__ == "__main__":
    sys.exit(main())
