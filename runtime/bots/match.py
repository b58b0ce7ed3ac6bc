"""Matches: many games of two bots that swap sides, in parallel processes, with a summary."""

from __future__ import annotations

import math
import multiprocessing
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from grognard.bots import make
from grognard.bots.evaluation import Evaluator
from grognard.support.child_processes import quiet_children

if TYPE_CHECKING:
    from grognard.engine import Engine
    from grognard.play.engine import BackendName

#: Answers after which a game is abandoned.
MAX_ANSWERS = 50_000
#: Standard deviations of a 95 % confidence interval.
DEVIATIONS = 1.96


@dataclass(frozen=True, slots=True)
class GameRecord:
    """One game: which bot (0 or 1) played which side, the winner, the time."""

    number: int
    seed: int
    players: dict[str, int]
    #: the side that won; None: a draw, or unfinished
    winner: str | None
    finished: bool
    plies: int
    answers: int
    decisions: tuple[int, int]
    seconds: tuple[float, float]
    #: the longest decision of each bot
    longest: tuple[float, float] = (0.0, 0.0)


@dataclass(frozen=True, slots=True)
class Order:
    """The specification of a match."""

    title: str | Path
    bots: tuple[str, str]
    scenario: str | None = None
    backend: BackendName = "auto"
    errata: list[str] | None = None
    seed: int = 1
    #: whether games come in pairs with the same dice and swapped sides; else every game has dice of its own
    paired: bool = True
    max_answers: int = MAX_ANSWERS
    #: time for a decision; None: as long as it takes
    seconds: float | None = None


@dataclass(slots=True)
class MatchResult:
    """The games of a match in order."""

    bots: tuple[str, str]
    games: list[GameRecord] = field(default_factory=list)

    def wins(self, bot: int) -> int:
        return sum(g.winner is not None and g.players[g.winner] == bot for g in self.games)

    @property
    def draws(self) -> int:
        """Finished games without a winner."""
        return sum(g.finished and g.winner is None for g in self.games)

    @property
    def unfinished(self) -> int:
        return sum(not g.finished for g in self.games)

    def score(self, bot: int) -> float:
        """The share of the points: a win counts 1, a draw (or an abandoned game) a half."""
        points = self.wins(bot) + (self.draws + self.unfinished) / 2
        return points / max(len(self.games), 1)

    def interval(self, bot: int) -> tuple[float, float]:
        """The 95 % confidence interval of the share (Wilson)."""
        return wilson(self.score(bot), len(self.games))

    def side_wins(self) -> dict[str, int]:
        """Wins by side, of both bots."""
        found: dict[str, int] = {}
        for game in self.games:
            for side in game.players:
                found.setdefault(side, 0)
            if game.winner is not None:
                found[game.winner] += 1
        return found

    def average(self, what: Callable[[GameRecord], int]) -> float:
        return sum(what(g) for g in self.games) / max(len(self.games), 1)

    def per_decision(self, bot: int) -> float:
        """The mean time of the bot for a decision, in seconds."""
        decisions = sum(g.decisions[bot] for g in self.games)
        return sum(g.seconds[bot] for g in self.games) / max(decisions, 1)

    def longest(self, bot: int) -> float:
        """The longest time of the bot for a decision, in seconds."""
        return max((g.longest[bot] for g in self.games), default=0.0)


def wilson(share: float, games: int) -> tuple[float, float]:
    """The Wilson interval of a share."""
    if not games:
        return 0.0, 1.0
    z = DEVIATIONS**2 / games
    centre = (share + z / 2) / (1 + z)
    reach = math.sqrt(share * (1 - share) * z + z * z / 4) / (1 + z)
    return max(0.0, centre - reach), min(1.0, centre + reach)


def play_match(
    order: Order,
    games: int,
    jobs: int = 1,
    engine: Engine | None = None,
    progress: Callable[[int], None] = lambda done: None,
) -> MatchResult:
    """Play a match.  The result depends on the order and the number of games, not on the number of jobs."""
    result = MatchResult(order.bots)
    for record in _play(order, games, jobs, engine):
        result.games.append(record)
        progress(len(result.games))
    result.games.sort(key=lambda game: game.number)
    return result


def _play(order: Order, games: int, jobs: int, engine: Engine | None) -> Iterator[GameRecord]:
    if jobs <= 1 or games <= 1:
        here = engine or _load(order)
        for number in range(games):
            yield play_game(here, order, number)
        return
    # The global interpreter lock lets one thread search at a time, so every core gets a process.
    others = set(multiprocessing.active_children())
    pool = ProcessPoolExecutor(
        max_workers=min(jobs, games),
        mp_context=multiprocessing.get_context("spawn"),
        initializer=_start_process,
        initargs=(order,),
    )
    try:
        with quiet_children():
            begun = [pool.submit(_play_one, number) for number in range(games)]
        for done in as_completed(begun):
            yield done.result()
    except BaseException:
        # They did not hear of it, and a game may be long.
        for child in set(multiprocessing.active_children()) - others:
            child.terminate()
        raise
    finally:
        # After Ctrl-C games that have not begun are cancelled.
        pool.shutdown(wait=True, cancel_futures=True)


_process_state: list[tuple[Engine, Order]] = []


def _start_process(order: Order) -> None:
    _process_state[:] = [(_load(order), order)]


def _play_one(number: int) -> GameRecord:
    engine, order = _process_state[0]
    return play_game(engine, order, number)


def _load(order: Order) -> Engine:
    from grognard.engine import load

    errata = "none" if order.errata == [] else order.errata
    return load(order.title, order.scenario, order.backend, errata)


def play_game(engine: Engine, order: Order, number: int) -> GameRecord:
    """One game of a match.  Both games of a pair have the same dice, with swapped sides."""
    seed = order.seed + (number // 2 if order.paired else number)
    position = engine.new_game(order.scenario, seed)
    evaluator = Evaluator(position.setting)
    sides = _side_names(engine)
    seat_side = {seat: sides[evaluator.side_of(n)] for n, seat in enumerate(engine.seats)}
    players = {side: 0 if place == number % len(sides) else 1 for place, side in enumerate(sides)}
    bots = {seat: make(order.bots[players[side]], seed, order.seconds) for seat, side in seat_side.items()}
    decisions, seconds, longest = [0, 0], [0.0, 0.0], [0.0, 0.0]
    answers = 0
    while not position.over and answers < order.max_answers:
        seat = position.to_move
        if seat is None:
            break
        bot = players[seat_side[seat]]
        begun = time.perf_counter()
        choice = bots[seat].choose(position)
        took = time.perf_counter() - begun
        seconds[bot] += took
        longest[bot] = max(longest[bot], took)
        decisions[bot] += 1
        position.play_inplace(choice)
        answers += 1
    return GameRecord(
        number,
        seed,
        players,
        position.outcome if position.over else None,
        position.over,
        position.ply,
        answers,
        (decisions[0], decisions[1]),
        (seconds[0], seconds[1]),
        (longest[0], longest[1]),
    )


def _side_names(engine: Engine) -> Sequence[str]:
    sides = engine.ruleset.schema.sides
    assert sides is not None
    return list(sides.members)
