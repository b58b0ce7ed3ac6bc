"""MBT, Basic Game: the rules check clean, the rulebook's examples come out, random games come to their end."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from every_title import EveryTitle, random_game
from grognard.compiler.driver.pipeline import compile_title
from grognard.compiler.layers.title_paths import shipped_titles
from grognard.contract.ruleset import Ruleset
from grognard.engine import Engine, load
from grognard.play.examples import run_examples
from grognard.support.diagnostics import Sink

TITLE = "mbt"
#: A game of four turns asks some 130 times; one that asks more often than this goes in circles.
MOST_ANSWERS = 3000


@pytest.fixture(scope="module")
def engine() -> Engine:
    return load(TITLE, backend="interpreter")


class TestMbt(EveryTitle):
    fewest_examples = 120
    fewest_exercised = 115


@pytest.mark.parametrize(
    ("scenario", "seed"),
    [("crossroads", 1), ("crossroads", 2), ("crossroads", 3), ("hedgerows", 4), ("hedgerows", 5)],
)
def test_random_games_end(engine: Engine, scenario: str, seed: int) -> None:
    assert random_game(engine, scenario, seed, MOST_ANSWERS).over


def test_a_search_for_a_lawful_end_of_a_move_stays_small(engine: Engine) -> None:
    # Here a vehicle on a path stands where only more road hexes than are left could help it.
    assert random_game(engine, "crossroads", 16, MOST_ANSWERS).over


DUEL = """\
name: Duel
maps: {Board: maps/proving_ground.yaml}
game: {turns: 8, first_player: us}
pieces:
  - {Vehicle: m1, as: A, side: us, at: "0308", facing: n}
  - {Vehicle: t80bv, as: B, side: soviet, at: "0301", facing: s}
"""


def test_the_log_says_what_a_hit_did(tmp_path: Path) -> None:
    # Front to front at seven hexes either round is one better than the armour: a first hit damages, a second kills.
    shutil.copytree(shipped_titles()[TITLE].parent, tmp_path / "armour")
    title = tmp_path / "armour" / "mbt"
    (title / "scenarios" / "duel.yaml").write_text(DUEL, encoding="utf-8")
    game = load(str(title), backend="interpreter").game("duel", seed=1)
    while not game.position.over:
        offered = [answer for answer in game.position.legal() if answer.name == "fire"]
        game.play((offered or game.position.legal())[0].value)
    told = [line.text for line in game.log_for("us")]
    hits = [text for text in told if " hits " in text]
    assert any(text.endswith(" is damaged") for text in told)
    assert len(hits) == sum(
        text.endswith(("is damaged", "is knocked out", "brews up", "penetrated")) for text in told
    )


SAMPLE = """\
errata "sample, invented to try the patch" 2026-11-17                 [err]
  amend modifiers ap_mods: firer_damaged {old} -> -2                  [err]
  amend table ap_hit: (-2, S) 56 -> 57                                [err]
example "what the sample changes" [D1]
  board open 8x8
  counter us m1 as A at 0407, damaged = yes
  counter soviet t80bv as B at 0404
  expect ap_mods(Shot(firer = A, target = B, ammo = apfsds_105, how = direct, moving = no)) is -2, ap_hit(-2, S) is 57
"""


def _with_sample(tmp_path: Path, old: str) -> Ruleset:
    series = shipped_titles()[TITLE].parent
    shutil.copytree(series, tmp_path / "armour")
    title = tmp_path / "armour" / "mbt"
    shutil.rmtree(title / "examples")
    (title / "errata").mkdir(exist_ok=True)
    (title / "errata" / "invented.grog").write_text(SAMPLE.format(old=old), encoding="utf-8")
    made = compile_title(str(title), Sink())
    assert made is not None
    return made


def test_an_erratum_changes_what_it_names(tmp_path: Path) -> None:
    patched = _with_sample(tmp_path, "-3")
    assert [d.message for d in patched.sink] == []
    assert [r.failures for r in run_examples(patched, "interpreter")] == [[]]


def test_an_erratum_to_another_text_is_refused(tmp_path: Path) -> None:
    patched = _with_sample(tmp_path, "-4")
    assert patched.sink.has_errors
    assert any("firer_damaged" in d.message for d in patched.sink)
