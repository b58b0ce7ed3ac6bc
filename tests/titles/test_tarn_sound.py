"""Tarn Sound: a title of the size that Next War is played at.  It compiles clean, its examples hold, its forces are as large as
they should be, and the corner of its map is the same ground."""

from __future__ import annotations

import pytest
from every_title import EveryTitle, random_game
from grognard.contract.ruleset import Ruleset
from grognard.engine import Engine
from grognard.play.position import Position

TITLE = "tarn_sound"
#: More decisions than any random game of the small scenario needs.
MOST_DECISIONS = 1500


@pytest.fixture(scope="module")
def engine(ruleset: Ruleset) -> Engine:
    return Engine(ruleset, backend="interpreter")


@pytest.fixture(scope="module")
def campaign(engine: Engine) -> Position:
    return engine.new_game("campaign")


class TestTarnSound(EveryTitle):
    fewest_examples = 8
    fewest_exercised = 20


def test_it_is_as_large_as_it_says(engine: Engine, campaign: Position) -> None:
    assert len(campaign.places("Map")) == 60 * 40
    ground = campaign.pieces("Ground")
    assert len(ground) >= 150
    assert {piece.side for piece in ground} == {"league", "pact"}
    assert len({piece.nation for piece in ground}) == 6
    assert len(campaign.pieces("Naval")) >= 15 and len(campaign.pieces("Site")) >= 30
    assert campaign.state()["game"]["turns"] >= 10
    advanced = engine.new_game("campaign_advanced")
    assert len(advanced.pieces("Air")) >= 40
    # what it does not say otherwise is the campaign's
    assert (
        len(advanced.pieces("Ground")) == len(ground)
        and advanced.state()["game"]["turns"] == campaign.state()["game"]["turns"]
    )


def test_nobody_begins_where_he_cannot_be(engine: Engine) -> None:
    """On land, in supply of a country of its own side, within the limit of the hex."""
    for scenario in engine.scenarios:
        position = engine.new_game(scenario)
        held = {(piece.at, piece.side) for piece in position.pieces("Ground") if piece.at is not None}
        for place, side in held:
            assert position.place("Map", place).terrain != "sea", (scenario, place)
            assert not engine.call("overstacked", (place, side), position), (scenario, place)
            assert engine.call("own_country", (place, side), position), (scenario, place)
            other = "pact" if side == "league" else "league"
            assert (place, other) not in held


def test_the_corner_is_a_part_of_the_map(engine: Engine, campaign: Position) -> None:
    corner = engine.new_game("lumia")
    places = corner.places("Map")
    assert len(places) == 18 * 16
    for place in places:
        whole = campaign.place("Map", place.name)
        assert (place.terrain, place.country, place.city) == (whole.terrain, whole.country, whole.city)


@pytest.mark.parametrize("seed", [1, 2])
def test_random_games_end(engine: Engine, seed: int) -> None:
    position = random_game(engine, "lumia", seed, MOST_DECISIONS)
    assert position.over
    assert position.outcome in (None, "league", "pact")
