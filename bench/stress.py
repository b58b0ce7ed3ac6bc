"""Many games of a title: no rule fails, every decision has a candidate, every game ends.

    python bench/stress.py storms_of_steel --games 10000 --compare 200 --greedy 30

Random games are shared out evenly among the scenarios and played on the compiled engine; then some are played again on both
back ends, compared after every answer, and some by greedy bots.  Exit status 1 if anything is wrong; 3 if nothing is wrong
with what was played, but time did not reach to the end of everything that was asked for.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass

import grognard
from grognard.bots import make
from grognard.compiler.driver.ruleset_cache import load_ruleset
from grognard.play.compare_backends import compare_backends
from grognard.play.playouts import playouts
from grognard.support.diagnostics import Sink

#: Games played at one go, between two looks at the clock.
PART = 10
#: Exit status: nothing is wrong, but not everything was played.
NOT_REACHED = 3


@dataclass(slots=True)
class Tally:
    """What came of the games of a scenario."""

    scenario: str
    #: how many were to be played
    asked: int
    games: int = 0
    answers: int = 0
    unfinished: int = 0
    wins: dict[str, int] | None = None
    draws: int = 0
    seconds: float = 0.0
    problem: str | None = None

    @property
    def reached(self) -> bool:
        """Whether all games that were asked for have ended, or one has failed."""
        return self.games >= self.asked or self.problem is not None


def play(engine: grognard.Engine, scenario: str, games: int, seed: int, most: int, seconds: float) -> Tally:
    """Random games of one scenario, to their end; none begins when the time is up."""
    tally = Tally(scenario, games, wins={})
    assert tally.wins is not None
    start = engine.new_game(scenario, seed)
    begun = time.perf_counter()
    while tally.games < games and tally.problem is None and time.perf_counter() - begun <= seconds:
        part = min(PART, games - tally.games)
        try:
            found = playouts(start, part, seed + tally.games, most)
        except grognard.RuleError as error:
            tally.problem = str(error)
            break
        tally.games += part
        tally.answers += found.answers
        tally.unfinished += found.unfinished
        tally.draws += found.draws
        for side, wins in found.wins.items():
            tally.wins[side] = tally.wins.get(side, 0) + wins
    if tally.unfinished and tally.problem is None:
        tally.problem = f"{tally.unfinished} games without an end after {most} answers, or without a choice"
    tally.seconds = time.perf_counter() - begun
    return tally


def play_greedy(
    engine: grognard.Engine, scenario: str, games: int, seed: int, most: int, seconds: float
) -> Tally:
    """Games of greedy bots against each other; none begins, and none goes on, when the time is up."""
    tally = Tally(scenario, games, wins={})
    assert tally.wins is not None
    begun = time.perf_counter()
    for number in range(games):
        if time.perf_counter() - begun > seconds:
            break
        position = engine.new_game(scenario, seed + number)
        bots = {seat: make("greedy", seed + number) for seat in engine.seats}
        given = 0
        try:
            while position.to_move is not None and given < most:
                if time.perf_counter() - begun > seconds:
                    break
                position = position.play(bots[position.to_move].choose(position).value)
                given += 1
        except grognard.RuleError as error:
            tally.problem = f"seed {seed + number}, after {given} answers: {error}"
            break
        tally.answers += given
        if not position.over:
            tally.unfinished += 1
            if given >= most or position.to_move is None:
                tally.problem = f"seed {seed + number}: no end after {given} answers"
                break
            # The time was up: no fault of the rules.
            break
        tally.games += 1
        if position.outcome is None:
            tally.draws += 1
        else:
            tally.wins[position.outcome] = tally.wins.get(position.outcome, 0) + 1
    tally.seconds = time.perf_counter() - begun
    return tally


def shares(total: int, scenarios: list[str]) -> Iterator[tuple[str, int]]:
    for place, scenario in enumerate(scenarios):
        yield scenario, total // len(scenarios) + (place < total % len(scenarios))


def tell(tally: Tally, players: str) -> int:
    """A line about the games; 1 if something was wrong."""
    assert tally.wins is not None
    wins = ", ".join(f"{side} {number}" for side, number in tally.wins.items())
    average = tally.answers / max(tally.games, 1)
    rate = tally.games / max(tally.seconds, 1e-9)
    cut = f", {tally.unfinished} cut off" if tally.unfinished and tally.problem is None else ""
    late = (
        ""
        if tally.reached
        else f"  NOT REACHED: {tally.asked - tally.games} of {tally.asked} for lack of time"
    )
    print(
        f"{tally.scenario:24} {players} {tally.games:6} games  {average:7.1f} answers  {rate:7.2f}/s  "
        f"{wins}, {tally.draws} drawn{cut}{late}"
    )
    if tally.problem is not None:
        print(f"  WRONG: {tally.problem}")
    sys.stdout.flush()
    return int(tally.problem is not None)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("title")
    parser.add_argument("--scenario", action="append", help="only this one; may be repeated (default: all)")
    parser.add_argument(
        "--games", type=int, default=1000, help="games on the compiled engine, of all scenarios"
    )
    parser.add_argument(
        "--seconds", type=float, default=float("inf"), help="for the random games of one scenario, at most"
    )
    parser.add_argument("--compare", type=int, default=0, help="games compared with the interpreter")
    parser.add_argument("--greedy", type=int, default=0, help="games of greedy bots, of all scenarios")
    parser.add_argument(
        "--greedy-seconds", type=float, default=120, help="for those of one scenario, at most"
    )
    parser.add_argument(
        "--backend", choices=("compiled", "python"), default="compiled", help="for all but --compare"
    )
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--max-answers", type=int, default=20_000, help="more are a runaway")
    args = parser.parse_args()
    engine = grognard.load(args.title, backend=args.backend)
    scenarios = args.scenario or engine.scenarios
    wrong = 0
    late: list[str] = []
    for scenario, games in shares(args.games, scenarios):
        if games:
            tally = play(engine, scenario, games, args.seed, args.max_answers, args.seconds)
            wrong += tell(tally, "random")
            late += [] if tally.reached else [f"{scenario} (random)"]
    for scenario, games in shares(args.greedy, scenarios):
        if games:
            tally = play_greedy(engine, scenario, games, args.seed, args.max_answers, args.greedy_seconds)
            wrong += tell(tally, "greedy")
            late += [] if tally.reached else [f"{scenario} (greedy)"]
    if args.compare:
        ruleset = load_ruleset(args.title, Sink(), errata=None, examples=False)
        assert ruleset is not None
        for scenario, games in shares(args.compare, scenarios):
            if games:
                found = compare_backends(ruleset, scenario, games, args.seed, args.max_answers)
                print(f"{scenario:24} both back ends: {found}")
                wrong += not found.agree
                sys.stdout.flush()
    if late:
        print(f"not reached for lack of time: {', '.join(late)}")
    print(f"{wrong} problems" if wrong else "nothing wrong with what was played" if late else "all is well")
    return 1 if wrong else NOT_REACHED if late else 0


if __name__ == "__main__":
    sys.exit(main())
