"""Who plays a scenario: powers that its set-up does not speak of have no seat in it."""

from __future__ import annotations

from pathlib import Path

import pytest
from engines import engine_for
from grognard.compiler_access import load_ruleset
from grognard.play.seats_of_scenario import seats_with_sides
from grognard.support.diagnostics import Sink

GAMES = Path(__file__).parents[1] / "golden" / "games"


def test_powers_without_anything_have_no_seat() -> None:
    engine = engine_for("storms_of_steel", "interpreter")
    assert engine.seats == ["german", "soviet", "german_2", "soviet_2"]
    assert engine.seats_of("ambush") == ["german", "soviet"]
    assert engine.seats_of("four_armies") == engine.seats
    # On an empty board nobody has anything: then all play.  Sides always do.
    assert (
        engine_for("europe_1940", "interpreter").seats_of("empty")
        == engine_for("europe_1940", "interpreter").seats
    )
    assert engine_for("connect_four", "interpreter").seats_of() == ["red", "yellow"]


@pytest.mark.parametrize("title", ["storms_of_steel", "europe_1940"])
def test_whoever_is_asked_has_a_seat(title: str) -> None:
    ruleset = load_ruleset(title, Sink(), examples=False)
    assert ruleset is not None and ruleset.schema.seats is not None
    for file in sorted((GAMES / title).glob("*.txt")):
        scenario = ruleset.scenario(file.stem.rpartition("-")[0], Sink())
        assert scenario is not None
        first_words = {line.split(" ")[0] for line in file.read_text(encoding="utf-8").splitlines()}
        asked = first_words & set(ruleset.schema.seats.members)
        assert asked and asked <= {seat for seat, _ in seats_with_sides(ruleset, scenario)}, file.name
