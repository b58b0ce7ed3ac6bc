"""Random games in compiled code, steps from Python, and the interpreter."""

from __future__ import annotations

import random
from typing import Any

import grognard
from measure import Row, Settings, Speed, race

NO_OPEN_SPIEL = "not measured: pip install 'grognard[bench]' brings OpenSpiel"
#: The title with the largest rules.
LARGEST = "strait"


def open_spiel(name: str) -> Any:
    """A game of OpenSpiel, None if it is not installed."""
    try:
        import pyspiel
    except ImportError:
        return None
    return pyspiel.load_game(name)


def their_games(game: Any, n: int, seed: int = 1) -> tuple[int, int]:
    """Random games stepped from Python: how many, and how many steps they took."""
    pick = random.Random(seed)
    steps = 0
    for _ in range(n):
        state = game.new_initial_state()
        while not state.is_terminal():
            state.apply_action(pick.choice(state.legal_actions()))
            steps += 1
    return n, steps


def playouts(settings: Settings) -> list[Row]:
    rows = []
    for title, games, their_n, wanted in (
        ("connect_four", 40_000, 1_000, 24.0),
        ("breakthrough", 4_000, 400, 6.0),
    ):
        engine = grognard.load(title, backend="compiled")
        start = engine.new_game(seed=1)
        n = settings.many(games)

        def ours(engine: Any = engine, start: Any = start, n: int = n) -> float:
            engine.playouts(n, seed=1, position=start)
            return n

        game = open_spiel(title)
        work, other = f"{title}: random playouts in compiled code", "OpenSpiel stepped from Python"
        speeds: list[Speed]
        if game is None:
            speeds = race(settings, ours)
            rows.append(
                Row("playouts", work, "nothing", "playouts/s", f"{wanted:.0f} x OpenSpiel", speeds[0])
            )
            rows.append(Row("playouts", work, other, "", f"{wanted:.0f} x", notice=NO_OPEN_SPIEL))
            continue
        count = settings.many(their_n)
        speeds = race(settings, ours, lambda game=game, count=count: their_games(game, count)[0])
        rows.append(Row("playouts", work, other, "playouts/s", f"{wanted:.0f} x", *speeds, wanted=wanted))
    return rows


def our_steps(engine: Any, steps: int, seed: int = 1) -> float:
    """legal + play, step by step; games that are over begin anew."""
    pick = random.Random(seed)
    position = engine.new_game(seed=seed)
    for number in range(steps):
        if position.over:
            position = engine.new_game(seed=number)
        position = position.play(pick.choice(position.values()))
    return steps


def stepping(settings: Settings) -> list[Row]:
    engine = grognard.load(LARGEST, backend="compiled")
    work, other = f"{LARGEST}: steps from Python (legal + play)", "OpenSpiel chess stepped from Python"
    n = settings.many(3_000)
    game = open_spiel("chess")
    if game is None:
        (speed,) = race(settings, lambda: our_steps(engine, n))
        return [
            Row("stepping", work, "nothing", "steps/s", "1 x OpenSpiel chess", speed),
            Row("stepping", work, other, "", "1 x", notice=NO_OPEN_SPIEL),
        ]
    speeds = race(settings, lambda: our_steps(engine, n), lambda: their_games(game, settings.many(20))[1])
    return [Row("stepping", work, other, "steps/s", "1 x", *speeds, wanted=1.0)]


def interpreter(settings: Settings) -> list[Row]:
    rows = []
    for title, fast, slow in (("connect_four", 20_000, 20), ("breakthrough", 2_000, 2)):
        engines = [grognard.load(title, backend=name) for name in ("compiled", "interpreter")]
        counts = (settings.many(fast), settings.many(slow))

        def work(number: int, engines: Any = engines, counts: Any = counts) -> float:
            engines[number].playouts(counts[number], seed=1)
            return counts[number]

        speeds = race(settings, lambda work=work: work(0), lambda work=work: work(1))
        rows.append(
            Row("interpreter", f"{title}: playouts", "our interpreter", "playouts/s", "told", *speeds)
        )
    return rows


ROWS = [playouts, stepping, interpreter]
