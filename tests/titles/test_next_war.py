"""Next War: the sample title compiles clean, its examples of play hold, and random games come to an end."""

from __future__ import annotations

import random

import pytest
from every_title import EveryTitle, random_game
from grognard.contract.ruleset import Ruleset
from grognard.engine import Engine

TITLE = "strait"
#: More decisions than any random game of the small scenarios needs.
MOST_DECISIONS = 1500


@pytest.fixture(scope="module")
def engine(ruleset: Ruleset) -> Engine:
    return Engine(ruleset, backend="interpreter")


class TestNextWar(EveryTitle):
    fewest_examples = 304
    fewest_exercised = 310


@pytest.mark.parametrize(
    ("scenario", "seed"),
    [
        ("landing", 1),
        ("landing_fog", 2),
        ("landing_advanced", 3),
        ("landing_alternate", 4),
        ("landing_points", 5),
    ],
)
def test_random_games_end(engine: Engine, scenario: str, seed: int) -> None:
    position = random_game(engine, scenario, seed, MOST_DECISIONS)
    assert position.over
    assert position.outcome in (None, "allied", "prc")


def test_who_flies_in_a_hidden_package_is_not_to_be_seen(engine: Engine) -> None:
    """29.2: whoever else is sent along, the enemy sees the same and is told the same."""
    game = engine.game("landing_alternate", 1)
    picker = random.Random(0)
    while values := game.position.values():
        question = game.position.question
        assert question is not None
        if question.name == "fill_package.y" and len(values) > 2:
            enemy = "prc" if question.seat == "allied" else "allied"
            told = set()
            for value in values[:2]:
                game.play(value)
                told.add((bytes(game.position.view(enemy)), "\n".join(map(str, game.log_for(enemy)))))
                game.undo()
            assert len(told) == 1
            return
        game.play(picker.choice(values))
    raise AssertionError("nobody was asked for a second striker")
