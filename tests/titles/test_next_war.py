"""Next War: the sample title compiles clean, its examples of play hold, and random games come to an end."""

from __future__ import annotations

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
