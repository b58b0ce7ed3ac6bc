"""Optional rules that are set for one game: on the command line, in programs, in examples; carried by saves and pickles."""

from __future__ import annotations

import pickle
from pathlib import Path

import grognard
import pytest
from engines import BACKENDS
from grognard.compiler.driver.pipeline import compile_title
from grognard.play.examples import run_examples
from grognard.support.diagnostics import Sink

RULES = """sides red, blue
kind Card
  name | wet
  sun  | no
  rain | yes
option snow "winter" default off
option zoc "zones": free, strict default free
bag Cards of c in Card where c.wet is no or snow, 1 each
game
  told: 0..99
procedure go
  told := 10
  if snow: told += 2
  if zoc is strict: told += 4
  roll d: d6
  if d > 3 and snow: told += 20
situation fall "falls"
  odds of go
  outcome "told" = told
sequence
  phase one
    do go
    choose n: 1..told by red "how many"
    log "{n}"
victory = red
example "as the scenario has it"
  dice 6
  do go
  expect told is 10, remaining(Cards) is 1
example "in winter"
  option snow = on
  option zoc = strict
  dice 6
  do go
  expect told is 36, remaining(Cards) is 2
example "of another scenario"
  scenario "winter"
  option zoc = strict
  dice 1
  do go
  expect told is 16
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "seasons"
    (made / "scenarios").mkdir(parents=True)
    (made / "title.yaml").write_text("name: Seasons\nscenario: plain\n", encoding="utf-8")
    (made / "game.grog").write_text(RULES, encoding="utf-8")
    (made / "scenarios" / "plain.yaml").write_text("name: Plain\n", encoding="utf-8")
    (made / "scenarios" / "winter.yaml").write_text("name: Winter\noptions: {snow: on}\n", encoding="utf-8")
    return made


@pytest.mark.parametrize("backend", BACKENDS)
def test_games_with_options_of_their_own(folder: Path, tmp_path: Path, backend: str) -> None:
    engine = grognard.load(str(folder), backend=backend)  # type: ignore[arg-type]
    plain, strict = engine.new_game(seed=3), engine.new_game(seed=3, options={"zoc": "strict"})
    assert (len(plain.values()), len(strict.values())) == (10, 14)
    assert engine.new_game(seed=3).setting is plain.setting, "another game's options change nothing here"
    assert engine.new_game("winter", options={"snow": False}).bag("Cards") == {"sun": 1}
    game = engine.game(seed=3, options={"snow": True, "zoc": "strict"})
    assert len(game.position.values()) in (16, 36) and game.position.bag("Cards") == {"sun": 1, "rain": 1}
    game.play("2")
    game.save(tmp_path / "game.json")
    other = grognard.load(str(folder), backend=backend)  # type: ignore[arg-type]
    again = grognard.load_game(tmp_path / "game.json", other)
    assert again.position == game.position and again.scenario == game.scenario == "plain+snow=on+zoc=strict"
    assert pickle.loads(pickle.dumps(strict)) == strict
    assert other.position(bytes(strict), strict.scenario) == strict
    always = grognard.load(str(folder), backend=backend, options={"zoc": "strict"})  # type: ignore[arg-type]
    assert always.new_game(seed=3) == strict and len(always.new_game("winter", 3).values()) in (16, 36)
    assert pickle.loads(pickle.dumps(always)).options == {"zoc": "strict"}


def test_odds_are_of_the_rules_that_are_played(folder: Path) -> None:
    told = [
        {str(value): round(float(p), 3) for value, p in engine.weigh("fall").distribution("told").items()}
        for options in ({}, {"snow": "on"}, {"snow": "on", "zoc": "strict"})
        for engine in [grognard.load(str(folder), backend="interpreter", options=options)]
    ]
    assert told == [{"10": 1.0}, {"12": 0.5, "32": 0.5}, {"16": 0.5, "36": 0.5}]


def test_what_the_title_does_not_know_is_refused(folder: Path) -> None:
    engine = grognard.load(str(folder), backend="interpreter")
    for options, words in (
        ({"snwo": "on"}, "has no option `snwo`: did you mean `snow`?"),
        ({"zoc": "loose"}, "has no value `loose`: it is one of free, strict"),
    ):
        for ask in (engine.new_game, engine.game):
            with pytest.raises(grognard.UnknownName, match=words.replace("?", r"\?")):
                ask(options=options)
        with pytest.raises(grognard.UnknownName):
            grognard.load(str(folder), backend="interpreter", options=options)
    with pytest.raises(grognard.UnknownScenario):
        engine.new_game("summer", options={"snow": "on"})


def test_examples_set_options(folder: Path) -> None:
    ruleset = compile_title(str(folder))
    assert ruleset is not None and not ruleset.sink.has_errors
    assert [result.failures for result in run_examples(ruleset)] == [[], [], []]
    text = RULES.replace("option zoc = strict", "option zok = strict", 1).replace(
        "option snow = on", "option snow = deep"
    )
    (folder / "game.grog").write_text(text, encoding="utf-8")
    sink = Sink()
    compile_title(str(folder), sink)
    assert [d.message for d in sink] == ["option `snow` has no value `deep`", "there is no option `zok`"]
