"""Hot War: the rules check clean, the examples come out, random games come to their end."""

from __future__ import annotations

import itertools
import random
import shutil
from pathlib import Path

import pytest
from every_title import EveryTitle, random_game
from grognard.compiler.driver.pipeline import compile_title
from grognard.engine import Engine, load
from grognard.play.examples import run_examples
from grognard.support.diagnostics import Sink

SERIES = Path(__file__).parents[2] / "rulesdef" / "art_of_tactic"
TITLE = "hot_war"
#: A game of six turns asks some two hundred times; one that asks more often than this goes in circles.
MOST_ANSWERS = 2000
#: No erratum is published; this one shows that a sheet could be laid over the title without editing it.
SPECIMEN = """errata "specimen" 2012-01-01 [A]
  amend modifiers defence: ambush 1 -> 2 [A]
  amend kind Card: t72.armour 3 -> 4 [A]
example "the specimen is in force" [6.4/8, A]
  board plain 8x8
  counter ussr t72 as T at 0404, strength = 3, guard = ambush
  expect defence(T) is 6
"""


@pytest.fixture(scope="module")
def engine() -> Engine:
    return load(TITLE, backend="interpreter")


class TestHotWar(EveryTitle):
    fewest_examples = 185
    fewest_exercised = 215


def test_an_errata_sheet_lies_on_top(tmp_path: Path) -> None:
    title = tmp_path / "art_of_tactic" / "hot_war"
    shutil.copytree(SERIES, tmp_path / "art_of_tactic")
    shutil.rmtree(title / "examples")
    (title / "errata").mkdir()
    (title / "errata" / "specimen.grog").write_text(SPECIMEN, encoding="utf-8")
    made = compile_title(str(title), sink := Sink())
    assert made is not None and not sink.has_errors
    assert [result.passed for result in run_examples(made, "interpreter")] == [True]


def test_orders_are_as_secret_as_what_they_say(engine: Engine) -> None:
    """Whatever one side writes - orders, targets, routes, smoke - the other sees the same while it writes its own."""
    start = engine.new_game("crossroads", seed=1)
    written = []
    for seed in range(4):
        picker = random.Random(seed)
        position = start
        while position.to_move == start.to_move:
            position = position.play(picker.choice(position.values()))
        written.append(position)
    other = written[0].to_move
    assert other is not None
    assert all(a != b for a, b in itertools.combinations(written, 2))
    assert len({bytes(position.view(other)) for position in written}) == 1
    # An order that is carried out in ambush stays secret after the cards are turned.
    assert start.view("ussr").piece("Unit", "R3").order["toward"] == "ne"
    assert start.view("usa").piece("Unit", "R3").order is None


def test_an_army_is_secret_until_both_are_set_up(engine: Engine) -> None:
    """What one side buys and where it puts it changes nothing that the other sees or is asked while it buys its own."""
    start = engine.new_game("free_battle", seed=1)
    raised = []
    for seed in range(4):
        picker = random.Random(seed)
        position = start
        while position.to_move == start.to_move:
            position = position.play(picker.choice(position.values()))
        raised.append(position)
    assert all(a != b for a, b in itertools.combinations(raised, 2))
    other = raised[0].to_move
    assert other is not None
    assert len({bytes(position.view(other)) for position in raised}) == 1
    assert len({tuple(map(str, position.values())) for position in raised}) == 1


@pytest.mark.parametrize(
    ("scenario", "seed"),
    [
        ("oil_road", 1),
        ("oil_road", 2),
        ("crossroads", 3),
        ("crossroads", 4),
        ("river_line", 5),
        ("river_line", 6),
        ("free_battle", 7),
    ],
)
def test_random_games_end(engine: Engine, scenario: str, seed: int) -> None:
    assert random_game(engine, scenario, seed, MOST_ANSWERS).over
