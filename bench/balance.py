"""The balance of a title's scenarios: wins by side, with the same bot on all sides.

    python bench/balance.py storms_of_steel --bot greedy:80 --games 60 --record
    python bench/balance.py --recorded                 # a table of what all titles' scenarios have on record; plays nothing

Every game has a seed of its own: seed, seed + 1, ...  A scenario is called even if the share of the first side (a draw is
half a win) lies between 35 and 65 %.  --record writes the figures into the scenario's file, as `balance`.

Games are kept as they end (`kept_games`): with --seconds, the limit for one scenario, a slow title is measured in parts, and
the same command goes on where it stopped.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

import grognard
from grognard.bots.match import MatchResult, Order, wilson
from grognard.play.catalogue import known_titles, scenarios_of
from grognard.simulate.balance import record_balance
from kept_games import FOLDER, KeptGames, play_within

EVEN = (0.35, 0.65)
#: What a record says of how it was played.
PLAYED = ("bot", "games", "seed")


def record(file: Path, order: Order, result: MatchResult) -> None:
    """Write the figures into the scenario's file."""
    record_balance(file, order.bots[0], order.seed, result.side_wins(), result.draws + result.unfinished)


def share_of(balance: dict[str, str]) -> tuple[float, int]:
    """The share of the points of the first side on record (a draw is half a win), and the number of games."""
    wins = {key: int(value) for key, value in balance.items() if key not in PLAYED and key != "drawn"}
    games = int(balance["games"])
    return (next(iter(wins.values())) + int(balance.get("drawn", 0)) / 2) / games, games


def recorded(title: str | None) -> int:
    """Print what is on record, or why nothing is; 1 if a scenario is uneven or was never measured."""
    print("| title | scenario | bot | games, seed | result | share of the first | 95 % | |")
    print("| --- | --- | --- | --- | --- | --- | --- | --- |")
    uneven = 0
    for name in [title] if title else [known.id for known in known_titles()]:
        for scenario in scenarios_of(name) or ():
            about = scenario.balance
            if not about and scenario.not_balanced:
                print(f"| {name} | {scenario.id} | | | {scenario.not_balanced} | | | |")
                continue
            if not about:
                print(f"| {name} | {scenario.id} | | | nothing on record | | | |")
                uneven += 1
                continue
            told = ", ".join(f"{key} {value}" for key, value in about.items() if key not in PLAYED)
            share, games = share_of(about)
            low, high = wilson(share, games)
            even = EVEN[0] <= share <= EVEN[1]
            uneven += not even
            print(
                f"| {name} | {scenario.id} | {about['bot']} | {games}, {about['seed']} | {told} "
                f"| {share:.0%} | {low:.0%} to {high:.0%} |{'' if even else ' UNEVEN'} |"
            )
    return 1 if uneven else 0


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("title", nargs="?")
    parser.add_argument(
        "--recorded",
        action="store_true",
        help="only print what is on record; of all titles, if none is named",
    )
    parser.add_argument("--scenario", action="append", help="only this one; may be repeated (default: all)")
    parser.add_argument("--bot", default="greedy")
    parser.add_argument("--games", type=int, default=40)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument(
        "--seconds",
        type=float,
        help="of the processor, for one scenario: no game begins that would end later",
    )
    parser.add_argument("--kept", type=Path, default=FOLDER, help="the folder where games are kept")
    parser.add_argument("--record", action="store_true", help="keep the figures in the scenarios' files")
    args = parser.parse_args()
    if args.recorded:
        return recorded(args.title)
    if args.title is None:
        parser.error("name a title, or ask for --recorded")
    engine = grognard.load(args.title)
    kept = KeptGames(args.title, args.kept)
    uneven = 0
    for scenario in args.scenario or engine.scenarios:
        order = Order(args.title, (args.bot, args.bot), scenario, seed=args.seed, paired=False)
        result = play_within(engine, order, args.games, kept, args.seconds)
        first, *_ = (wins := result.side_wins())
        share = (wins[first] + (result.draws + result.unfinished) / 2) / len(result.games)
        low, high = wilson(share, len(result.games))
        even = EVEN[0] <= share <= EVEN[1]
        uneven += not even
        told = ", ".join(f"{side} {number}" for side, number in wins.items())
        lengths = sorted(game.answers for game in result.games)
        print(
            f"{scenario:24} {first} {share:4.0%} ({low:.0%} to {high:.0%})  {len(result.games)} games: {told}, "
            f"{result.draws} drawn, {result.unfinished} not ended, {lengths[0]} to {lengths[-1]} answers, half below "
            f"{lengths[len(lengths) // 2]}{'' if even else '  UNEVEN'}"
        )
        sys.stdout.flush()
        if args.record:
            record(engine.ruleset.about.folder / "scenarios" / f"{scenario}.yaml", order, result)
    return 1 if uneven else 0


if __name__ == "__main__":
    sys.exit(main())
