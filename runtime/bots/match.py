"""Matches: many games of two bots that change sides, on all cores, summed up."""

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
from grognard.bots.evaluation import Judge

if TYPE_CHECKING:
    from grognard.play.engine import BackendName, Engine

#: Games are given up after so many answers.
MAX_ANSWERS = 50_000
#: 95 % of a normal distribution lie within so many deviations.
DEVIATIONS = 1.96


@dataclass(frozen=True, slots=True)
class GameRecord:
    """One game: which bot (0 or 1) played which side, who won, how long it took."""

    number: int
    seed: int
    players: dict[str, int]
    #: the side that won; None: nobody did
    winner: str | None
    finished: bool
    plies: int
    answers: int
    decisions: tuple[int, int]
    seconds: tuple[float, float]


@dataclass(frozen=True, slots=True)
class Order:
    """What a process needs to play games of a match."""

    title: str | Path
    bots: tuple[str, str]
    scenario: str | None = None
    backend: BackendName = "auto"
    errata: list[str] | None = None
    seed: int = 1
    #: two games with the same dice and changed sides; else every game has dice of its own
    paired: bool = True
    max_answers: int = MAX_ANSWERS


@dataclass(slots=True)
class MatchResult:
    """The games of a match in order."""

    bots: tuple[str, str]
    games: list[GameRecord] = field(default_factory=list)

    def wins(self, bot: int) -> int:
        return sum(g.winner is not None and g.players[g.winner] == bot for g in self.games)

    @property
    def draws(self) -> int:
        """Finished games that nobody won."""
        return sum(g.finished and g.winner is None for g in self.games)

    @property
    def unfinished(self) -> int:
        return sum(not g.finished for g in self.games)

    def score(self, bot: int) -> float:
        """Share of the points: a win counts 1, a draw (or a game given up) a half."""
        points = self.wins(bot) + (self.draws + self.unfinished) / 2
        return points / max(len(self.games), 1)

    def interval(self, bot: int) -> tuple[float, float]:
        """Where the true share lies with 95 % confidence (Wilson)."""
        return wilson(self.score(bot), len(self.games))

    def side_wins(self) -> dict[str, int]:
        """Wins by side, whoever played it."""
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
        """Seconds that the bot took for a decision."""
        decisions = sum(g.decisions[bot] for g in self.games)
        return sum(g.seconds[bot] for g in self.games) / max(decisions, 1)


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
    """Play a match.  What comes of it depends on the order and the number of games, not on the number of jobs."""
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
    # Python's own lock lets one thread search at a time, so every core gets a process.
    pool = ProcessPoolExecutor(
        max_workers=min(jobs, games),
        mp_context=multiprocessing.get_context("spawn"),
        initializer=_begin,
        initargs=(order,),
    )
    try:
        for done in as_completed([pool.submit(_one, number) for number in range(games)]):
            yield done.result()
    finally:
        # After Ctrl-C nobody waits for games that have not begun.
        pool.shutdown(wait=True, cancel_futures=True)


_here: list[tuple[Engine, Order]] = []


def _begin(order: Order) -> None:
    _here[:] = [(_load(order), order)]


def _one(number: int) -> GameRecord:
    engine, order = _here[0]
    return play_game(engine, order, number)


def _load(order: Order) -> Engine:
    from grognard.play.load import load

    errata = "none" if order.errata == [] else order.errata
    return load(order.title, order.scenario, order.backend, errata)


def play_game(engine: Engine, order: Order, number: int) -> GameRecord:
    """One game of a match.  Both games of a pair have the same dice, with changed sides."""
    seed = order.seed + (number // 2 if order.paired else number)
    position = engine.new_game(order.scenario, seed)
    judge = Judge(position.setting)
    sides = _side_names(engine)
    seat_side = {seat: sides[judge.side_of(n)] for n, seat in enumerate(engine.seats)}
    players = {side: 0 if place == number % len(sides) else 1 for place, side in enumerate(sides)}
    bots = {seat: make(order.bots[players[side]], seed) for seat, side in seat_side.items()}
    decisions, seconds = [0, 0], [0.0, 0.0]
    answers = 0
    while not position.over and answers < order.max_answers:
        seat = position.to_move
        if seat is None:
            break
        bot = players[seat_side[seat]]
        begun = time.perf_counter()
        choice = bots[seat].choose(position)
        seconds[bot] += time.perf_counter() - begun
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
    )


def _side_names(engine: Engine) -> Sequence[str]:
    sides = engine.ruleset.schema.sides
    assert sides is not None
    return list(sides.members)
