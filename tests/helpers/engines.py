"""Engines for the tests, each made once, and random games on them; titles that do not compile fail."""

from __future__ import annotations

import random
from functools import cache
from pathlib import Path

import grognard
import pytest
from grognard.compiler.build.build import compiler_available
from grognard.engine import Engine, load
from grognard.play.game import Game

SKIRMISH = Path(__file__).parents[1] / "play" / "titles" / "skirmish"
BACKENDS = ("interpreter", "compiled")


@cache
def engine_for(title: str, backend: str) -> Engine:
    if backend == "compiled" and (reason := compiler_available()) is not None:
        pytest.skip(reason)
    try:
        return load(title, backend=backend)  # type: ignore[arg-type]
    except grognard.RulesetError as error:
        pytest.fail(f"{title} does not compile: {error.diagnostics[0].message}")
    except grognard.BackendUnavailable as error:
        pytest.skip(str(error))


def affordable(engine: Engine, answers: int, least: int = 4) -> int:
    """That many answers; on the interpreter fewer of large titles, the same number on every machine.

    An answer there costs about the square of the size: more pieces, each looked at by more rules."""
    size = len(bytes(engine.new_game(seed=1)))
    if engine.backend == "compiled" or size < 20_000:
        return answers
    return max(least, answers * 20_000**2 // size**2)


def random_game(engine: Engine, seed: int, answers: int = 300, scenario: str | None = None) -> Game:
    """A game with random answers, up to a number of them."""
    picker = random.Random(seed)
    game = engine.game(scenario, seed)
    for _ in range(affordable(engine, answers)):
        values = game.position.values()
        if not values:
            break
        game.play(picker.choice(values))
    return game
