"""Fitting the weights of an evaluation by self-play.

Games are played by a bot against itself, with some answers at random so that no two are alike.  Positions on the way are
kept with what the game came to.  How likely a side is to win is then a logistic function of how far it is ahead, and the
weights are those under which the results are most likely.  A quarter of the games takes no part in that: on it the loss is
measured, before and after.
"""

from __future__ import annotations

import math
import random
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from grognard.bots import make
from grognard.bots.evaluation import Evaluator
from grognard.bots.regression import fit, loss
from grognard.bots.weights import Weights, weights_of
from grognard.contract.backend import RuleFailure
from grognard.errors import GrognardError

if TYPE_CHECKING:
    from grognard.engine import Engine

#: Every so manieth answer is a random one; about so many positions of a game are looked at; its answers at most.
RANDOM_SHARE = 0.1
POSITIONS = 40
MAX_ANSWERS = 6_000
#: Every so manieth game is kept back to measure the loss on.
KEPT_BACK = 4
#: How firmly a weight is held to where it was; by how much it may change at once.
STIFFNESS = 0.01
MAX_FACTOR = 3.0


@dataclass(slots=True)
class Sample:
    """Positions of one game: how the leading terms of a side stand, and what it came to for that side."""

    rows: list[list[float]] = field(default_factory=list)
    results: list[float] = field(default_factory=list)


@dataclass(slots=True)
class Tuned:
    """What came of it."""

    weights: Weights
    values: dict[str, int]
    games: int
    positions: int
    kept_back: int
    loss_before: float
    loss_after: float
    seconds: float
    #: weights that no position of the games depended on
    idle: list[str]


def tune(
    engine: Engine,
    scenarios: Sequence[str],
    *,
    games: int,
    seed: int = 1,
    seconds: float | None = None,
    bot: str = "greedy:40",
    progress: Callable[[int], None] = lambda done: None,
) -> Tuned:
    """Play and fit.  Games go round the scenarios; with `seconds` no game begins later."""
    begun = time.monotonic()
    weights = weights_of(engine, scenarios[0])
    played: list[Sample] = []
    for number in range(games):
        if seconds is not None and time.monotonic() - begun > seconds and len(played) >= 2 * KEPT_BACK:
            break
        sample = _play(engine, scenarios[number % len(scenarios)], seed + number, bot, weights, seconds)
        if sample.rows:
            played.append(sample)
        progress(number + 1)
    if len(played) < 2 * KEPT_BACK:
        raise GrognardError(
            f"only {len(played)} games came to an end with a winner, too few to learn from: "
            "play more games, or scenarios that can be won"
        )
    return _fit(played, weights, begun)


def _play(
    engine: Engine, scenario: str, seed: int, bot: str, weights: Weights, seconds: float | None
) -> Sample:
    """One game; the terms are measured only where it came to something."""
    position = engine.new_game(scenario, seed)
    evaluator = Evaluator(position.setting)
    generator = random.Random(seed)
    bots = {seat: make(bot, seed) for seat in engine.seats}
    kept: list[bytearray] = []
    ply, answers, every = -1, 0, 1
    while not position.over and answers < MAX_ANSWERS:
        seat = position.to_move
        assert seat is not None
        if position.ply != ply and generator.random() * every < 1:
            kept.append(bytearray(position.cells))
            if len(kept) > 2 * POSITIONS:
                # Long games: every other position is dropped, and fewer are kept from now on.
                kept, every = kept[::2], 2 * every
        ply = position.ply
        legal = position.legal()
        by_chance = generator.random() < RANDOM_SHARE
        position.play_inplace(generator.choice(legal) if by_chance else bots[seat].choose(position))
        answers += 1
    payoffs = evaluator.outcome(position.cells)
    if payoffs is None:
        return Sample()
    return _measured(engine, scenario, kept, payoffs, weights)


def _measured(
    engine: Engine, scenario: str, kept: Sequence[bytearray], payoffs: Sequence[float], weights: Weights
) -> Sample:
    """What each term adds to the lead of each side but the last, as the slope of the lead in its weight."""
    setting = engine.new_game(scenario).setting
    program = setting.program
    assert program.evaluation is not None
    base = setting.scenario.layout.base[program.sides]
    sides = len(payoffs)
    sample = Sample()
    here = Evaluator(setting)
    rows = [[[0.0] * len(weights.terms) for _ in range(sides)] for _ in kept]
    leads = [here.scores(cells) for cells in kept]
    for term, value in enumerate(weights.values):
        reach = max(4, abs(value) // 2)
        for sign in (1, -1):
            values = list(weights.values)
            values[term] += sign * reach
            backend = weights.backend(engine, setting.scenario, values)
            for side in range(sides):
                measure = backend.prepared(program.evaluation, (base + side,))
                for number, cells in enumerate(kept):
                    try:
                        rows[number][side][term] += sign * measure(cells) / (2 * reach)
                    except RuleFailure:
                        continue
    for row, scores in zip(rows, leads, strict=True):
        for side in range(max(1, sides - 1)):
            rivals = [other for other in range(sides) if other != side]
            best = max(rivals, key=lambda other: scores[other], default=None)
            theirs = row[best] if best is not None else [0.0] * len(weights.terms)
            sample.rows.append([mine - other for mine, other in zip(row[side], theirs, strict=True)])
            sample.results.append(payoffs[side])
    return sample


def _fit(played: Sequence[Sample], weights: Weights, begun: float) -> Tuned:
    """The scale first, by the weights as they are; then the weights, held to them; what does not help is not taken."""
    learnt = [one for number, one in enumerate(played) if number % KEPT_BACK]
    tests = [one for number, one in enumerate(played) if number % KEPT_BACK == 0]
    rows, results = _joined(learnt)
    test_rows, test_results = _joined(tests)
    spread = [
        math.sqrt(sum(row[i] ** 2 for row in rows) / max(len(rows), 1)) for i in range(len(weights.terms))
    ]
    now = [float(value) for value in weights.values]
    leads = [[sum(map(float.__mul__, row, now))] for row in rows]
    unit = math.sqrt(sum(lead[0] ** 2 for lead in leads) / max(len(leads), 1)) or 1.0
    # A lead of the usual size, in units in which it means a chance: by the weights as they are.
    scale = max(0.05, fit([[lead[0] / unit] for lead in leads], results, [1.0], [1e-4])[0]) / unit
    start = [value * scale for value in now]
    stiffness = [STIFFNESS / max(abs(value), 1e-6) ** 2 for value in start]
    fitted = fit(rows, results, start, stiffness)
    before = loss(test_rows, test_results, start)
    best, best_loss = now, before
    for share in (1.0, 0.5, 0.25):
        tried = [
            _bounded(value, value + share * (found / scale - value), size)
            for value, found, size in zip(now, fitted, spread, strict=True)
        ]
        found_loss = loss(test_rows, test_results, [value * scale for value in tried])
        if found_loss < best_loss:
            best, best_loss = tried, found_loss
    values = {term: _whole(value) for term, value in zip(weights.terms, best, strict=True)}
    idle = [term for term, size in zip(weights.terms, spread, strict=True) if size == 0]
    return Tuned(
        weights, values, len(played), len(rows) + len(test_rows), len(test_rows), before, best_loss,
        time.monotonic() - begun, idle,
    )  # fmt: skip


def _bounded(value: float, wanted: float, spread: float) -> float:
    """No weight changes its sign, nor its size by more than a factor at once; one that nothing depended on stays."""
    if not spread or not value:
        return value
    low, high = sorted((value / MAX_FACTOR, value * MAX_FACTOR))
    return max(low, min(high, wanted))


def _whole(value: float) -> int:
    """The nearest whole number but 0: a small weight would be lost for good, as no fit could bring it back."""
    return round(value) or (0 if not value else 1 if value > 0 else -1)


def _joined(samples: Sequence[Sample]) -> tuple[list[list[float]], list[float]]:
    return [row for one in samples for row in one.rows], [r for one in samples for r in one.results]
