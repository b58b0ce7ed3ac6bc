"""Axis & Allies Europe 1940: clean check, examples on both back ends, random games (its odds: tests/odds)."""

from __future__ import annotations

import pytest
from every_title import EveryTitle, random_game
from grognard.engine import Engine, load
from grognard.errors import UnknownName

TITLE = "europe_1940"
#: More answers than any random game of the small scenarios needs.
MOST_ANSWERS = 5000


class TestAxisAllies(EveryTitle):
    fewest_examples = 165
    fewest_exercised = 214


@pytest.fixture(scope="module")
def engine() -> Engine:
    return load(TITLE)


@pytest.mark.parametrize(("scenario", "games"), [("frontier", 8), ("channel", 3)])
def test_random_games_of_small_scenarios_end(engine: Engine, scenario: str, games: int) -> None:
    for seed in range(games):
        assert random_game(engine, scenario, seed, MOST_ANSWERS).over


def test_each_power_plays_for_a_side_that_can_win(engine: Engine) -> None:
    schema = engine.ruleset.schema
    assert schema.sides is not None
    sides = {seat: engine.side_of(seat) for seat in engine.seats}
    assert sides["germany"] == sides["italy"] != sides["ussr"] == sides["uk"]
    assert set(sides.values()) == set(schema.sides.members)
    with pytest.raises(UnknownName):
        engine.side_of("atlantis")
