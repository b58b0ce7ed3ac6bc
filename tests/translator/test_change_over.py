"""Games that do not wait for their engine: they start on Python and change over between two answers."""

from __future__ import annotations

import os
from pathlib import Path

import grognard
import pytest
from engines import SKIRMISH
from grognard.compiler.build.build import compiler_available
from grognard.engine import Engine
from grognard.play.game import Game
from grognard.translator.machine import PythonBackend

pytestmark = pytest.mark.skipif(compiler_available() is not None, reason=str(compiler_available()))

ANSWERS = 5


@pytest.fixture
def cold(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A cache without engines, and builds without optimisation."""
    monkeypatch.setenv("GROGNARD_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("GROGNARD_QUICK", "1")


def play_on(game: Game, answers: int) -> None:
    for _ in range(answers):
        game.play(game.position.values()[-1])


def ended(engine: Engine) -> None:
    assert engine.build is not None
    engine.build.wait(timeout=600)


@pytest.mark.usefixtures("cold")
def test_the_engine_takes_over_in_the_middle_of_a_game() -> None:
    engine = grognard.load(SKIRMISH, wait=False)
    assert engine.backend == "python"
    assert engine.build is not None
    assert "is being built" in engine.notices[0]
    game = engine.game(seed=5)
    play_on(game, ANSWERS)
    ended(engine)
    play_on(game, ANSWERS)
    assert engine.backend == "compiled"
    assert not isinstance(game.position.setting.backend, PythonBackend)
    assert engine.build is None
    assert len(engine.notices) == 2
    alone = grognard.load(SKIRMISH, backend="python").game(seed=5)
    play_on(alone, 2 * ANSWERS)
    assert bytes(game.position) == bytes(alone.position)
    assert [str(line) for line in game.log] == [str(line) for line in alone.log]
    # The next game finds the engine, and has nothing to say.
    assert grognard.load(SKIRMISH, wait=False).notices == []


@pytest.mark.usefixtures("cold")
def test_a_failed_build_leaves_the_game_running(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    failing = tmp_path / "cc"
    failing.write_text("#!/bin/sh\necho 'no room on the disk' >&2\nexit 1\n")
    failing.chmod(0o755)
    monkeypatch.setenv("CC", os.fspath(failing))
    engine = grognard.load(SKIRMISH, wait=False)
    game = engine.game(seed=5)
    play_on(game, ANSWERS)
    ended(engine)
    play_on(game, ANSWERS)
    assert engine.backend == "python"
    assert engine.build is None
    assert any("the build failed" in notice for notice in engine.notices)
    alone = grognard.load(SKIRMISH, backend="python").game(seed=5)
    play_on(alone, 2 * ANSWERS)
    assert bytes(game.position) == bytes(alone.position)
