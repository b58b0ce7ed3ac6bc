"""Engines for the tests, each made once; titles that do not compile at the moment are skipped, not hidden."""

from __future__ import annotations

import random
import time
from functools import cache
from pathlib import Path

import grognard
import pytest
from grognard.compiler.build import compiler_available
from grognard.compiler.project import shipped_titles
from grognard.engine import Engine, load
from grognard.game import Game

SKIRMISH = Path(__file__).parent / "titles" / "skirmish"
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


@cache
def _pace(engine: Engine) -> float:
    """Answers a second in random play, roughly: large titles are slow on the interpreter."""
    picker = random.Random(0)
    position = engine.new_game(seed=1)
    began = time.perf_counter()
    given = 0
    while given < 60 and not position.over and time.perf_counter() - began < 1.0:
        position = position.play(picker.choice(position.values()))
        given += 1
    return max(given, 1) / (time.perf_counter() - began)


def affordable(engine: Engine, answers: int, seconds: float = 1.5) -> int:
    """That many answers, or as many as fit into the time; the same number whenever it is asked."""
    return max(4, min(answers, int(_pace(engine) * seconds)))


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


@pytest.fixture(params=BACKENDS)
def backend(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(params=[*sorted(shipped_titles()), str(SKIRMISH)], ids=lambda name: Path(name).name)
def title(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def engine(title: str, backend: str) -> Engine:
    return engine_for(title, backend)


@pytest.fixture
def skirmish(backend: str) -> Engine:
    return engine_for(str(SKIRMISH), backend)


@pytest.fixture
def connect_four(backend: str) -> Engine:
    return engine_for("connect_four", backend)
