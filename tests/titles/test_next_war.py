"""Next War: the sample title compiles clean, its examples of play hold, and random games come to an end."""

from __future__ import annotations

import random

import pytest
from grognard.compiler.compile import Ruleset, compile_title
from grognard.compiler.diagnostics import Severity, Sink, format_text
from grognard.compiler.places import shipped_root
from grognard.engine import Engine
from grognard.examplerun import run_examples

TITLE = str(shipped_root() / "next_war" / "strait")
#: More decisions than any random game of the small scenarios needs.
MOST_DECISIONS = 1500


@pytest.fixture(scope="module")
def compiled() -> tuple[Ruleset | None, Sink]:
    sink = Sink()
    return compile_title(TITLE, sink), sink


@pytest.fixture(scope="module")
def engine(compiled: tuple[Ruleset | None, Sink]) -> Engine:
    ruleset, _ = compiled
    assert ruleset is not None
    return Engine(ruleset, backend="interpreter")


def test_check_is_clean(compiled: tuple[Ruleset | None, Sink]) -> None:
    ruleset, sink = compiled
    bad = [d for d in sink.sorted() if d.severity in (Severity.error, Severity.warning)]
    assert ruleset is not None and not bad, format_text(bad, sink.sources, False)


def test_examples_of_play(compiled: tuple[Ruleset | None, Sink]) -> None:
    ruleset, _ = compiled
    assert ruleset is not None
    results = run_examples(ruleset)
    assert len(results) >= 80
    assert [result.title for result in results if not result.passed] == []


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
    chance = random.Random(seed)
    position = engine.new_game(scenario, seed=seed)
    decisions = 0
    while not position.over:
        position.play_inplace(chance.choice(position.values()))
        decisions += 1
        assert decisions < MOST_DECISIONS
    assert position.outcome in (None, "allied", "prc")
