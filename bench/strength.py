"""How strong the bots are: matches with swapped seats in every title, in one table.

    python bench/strength.py --seconds 600                  # greedy against random, mcts against greedy, all titles
    python bench/strength.py mbt --scenario crossroads --games 40 --mcts mcts:1s

Each pair of games has the same dice, with the seats swapped.  With --seconds no game begins after its share of the time, so
that a slow title has fewer games; games are kept as they end (`kept_games`), and the same command goes on where it stopped.
The interval is Wilson's of the share of the points, 95 %.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

import grognard
from grognard.bots.match import Order
from grognard.play.catalogue import known_titles
from kept_games import FOLDER, KeptGames, play_within


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("titles", nargs="*", help="only these (default: all that are shipped)")
    parser.add_argument("--scenario", help="of one title (default: its first)")
    parser.add_argument("--games", type=int, default=40)
    parser.add_argument(
        "--seconds", type=float, default=120.0, help="of the processor, for one match (default: 120)"
    )
    parser.add_argument("--seed", type=int, default=5000)
    parser.add_argument("--greedy", default="greedy")
    parser.add_argument("--mcts", default="mcts:1s")
    parser.add_argument(
        "--only", choices=("greedy", "mcts"), help="only the matches of this bot against the next weaker"
    )
    parser.add_argument("--kept", type=Path, default=FOLDER, help="the folder where games are kept")
    args = parser.parse_args()
    print(
        "| title | scenario | bots | games, seed | won, lost, drawn | points | 95 % | a decision, longest |"
    )
    print("| --- | --- | --- | --- | --- | --- | --- | --- |")
    pairs = {"greedy": (args.greedy, "random"), "mcts": (args.mcts, args.greedy)}
    for title in args.titles or [known.id for known in known_titles()]:
        engine, kept = grognard.load(title), KeptGames(title, args.kept)
        for name, bots in pairs.items():
            if args.only in (None, name):
                order = Order(title, bots, args.scenario, seed=args.seed)
                result = play_within(engine, order, args.games, kept, args.seconds, step=2)
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
