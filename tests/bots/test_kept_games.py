"""Measurements of bots: games are kept, found again, and played anew where something that decides them has changed."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from engines import engine_for
from grognard.bots.match import Order

BENCH = Path(__file__).parents[2] / "bench"


@pytest.fixture
def kept_games(monkeypatch: pytest.MonkeyPatch):  # type: ignore[no-untyped-def]
    monkeypatch.syspath_prepend(str(BENCH))
    import kept_games

    yield kept_games
    sys.modules.pop("kept_games", None)


def test_a_measurement_goes_on_where_it_stopped(kept_games, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    engine = engine_for("breakthrough", "compiled")
    order = Order("breakthrough", ("greedy:20", "greedy:20"), seed=3, paired=False)
    first = kept_games.play_within(engine, order, 2, kept_games.KeptGames("breakthrough", tmp_path))
    lines = (tmp_path / "breakthrough.jsonl").read_text("utf-8").splitlines()
    assert len(lines) == 2
    # Another process: it reads what the first has kept, and adds what is missing.
    again = kept_games.play_within(engine, order, 3, kept_games.KeptGames("breakthrough", tmp_path))
    assert again.games[:2] == first.games
    assert (tmp_path / "breakthrough.jsonl").read_text("utf-8").splitlines()[:2] == lines
    other = Order("breakthrough", ("greedy:20", "greedy:20"), seed=4, paired=False)
    kept = kept_games.KeptGames("breakthrough", tmp_path)
    assert kept.play(engine, order, 2)[1] is False and kept.play(engine, other, 2)[1] is True


def test_games_depend_on_the_bots_that_play_them(kept_games) -> None:  # type: ignore[no-untyped-def]
    assert kept_games.bots_hash(("random", "random")) == ""
    assert kept_games.bots_hash(("greedy", "random")) == kept_games.bots_hash(("greedy:20",))
    assert kept_games.bots_hash(("mcts:20", "greedy")) != kept_games.bots_hash(("greedy", "greedy"))


def test_games_without_dice_differ_by_their_seed() -> None:
    """Many steps of Breakthrough promise the same: with the same one always taken, all games of greedy would be one."""
    engine = engine_for("breakthrough", "compiled")
    from grognard.bots.match import play_game

    order = Order("breakthrough", ("greedy", "greedy"), seed=1, paired=False)
    lengths = {play_game(engine, order, number).answers for number in range(6)}
    assert len(lengths) > 1
    assert play_game(engine, order, 1).answers == play_game(engine, order, 1).answers
