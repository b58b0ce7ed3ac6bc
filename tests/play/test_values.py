"""Orders, routes, named effects, counters of several types, states of hexsides: one small title says them all."""

from __future__ import annotations

import shutil
from pathlib import Path

import grognard
import pytest
from engines import engine_for
from grognard.compiler.driver.pipeline import compile_title
from grognard.compiler.layers.title_paths import shipped_titles
from grognard.contract.ruleset import Ruleset
from grognard.play.examples import run_examples

MANOEUVRE = Path(__file__).parent / "titles" / "manoeuvre"


@pytest.fixture(scope="module")
def ruleset() -> Ruleset:
    made = compile_title(str(MANOEUVRE))
    assert made is not None and not made.sink.has_errors
    return made


def test_its_examples_pass_on_both(ruleset: Ruleset) -> None:
    results = run_examples(ruleset)
    assert len(results) >= 10
    assert {result.title: result.failures for result in results if result.failures} == {}


def test_both_back_ends_play_the_same_games(ruleset: Ruleset) -> None:
    from grognard.compiler.build.build import compiler_available

    if (reason := compiler_available()) is not None:
        pytest.skip(reason)
    found = grognard.compare_backends(ruleset, games=6, max_answers=150, seed=3)
    assert found.games == 6 and found.difference is None


def test_a_step_that_a_life_cycle_does_not_name_fails(tmp_path: Path) -> None:
    folder = tmp_path / "manoeuvre"
    shutil.copytree(MANOEUVRE, folder)
    text = """example "too early"
  scenario "meeting"
  do raise_leader(0404, blue)
  let L = the(x in Leader where x.at is 0404)
  do advance(L, back)
  expect L.mission is back
"""
    (folder / "examples" / "data.grog").write_text(text, encoding="utf-8")
    ruleset = compile_title(str(folder))
    assert ruleset is not None and not ruleset.sink.has_errors
    result = grognard.run_example(
        ruleset, next(e for e in ruleset.examples if e.title == "too early"), "interpreter"
    )
    assert "its states name no such step" in result.failures[0].message


def test_a_counter_face_down_is_not_told_by_type_column_name_or_choice(backend: str) -> None:
    engine = engine_for(str(MANOEUVRE), backend)
    position = engine.new_game(seed=1)
    assert position.question is not None and position.question.name == "probe"
    # The tank is too fast, but red cannot know which of the two it is: both are offered.
    asked = position.play("probe")
    assert [choice.label for choice in asked.legal()] == ["Blip X", "Blip Y"]
    red, blue = position.view("red"), position.view("blue")
    assert [blip.at for blip in red.pieces("Blip")] == [blip.at for blip in blue.pieces("Blip")]
    assert red.get("Blip", "X", "type") is None and blue.get("Blip", "X", "type") == "tank"
    assert red.get("Blip", "X", "move") is None and red.get("Blip", "blip_1", "type") == "foot"
    shown = asked.play(asked.legal()[1]).view("red")
    assert shown.get("Blip", "Y", "type") == "foot" and shown.get("Blip", "X", "type") is None


def test_a_sealed_order_is_secret_in_all_its_parts(backend: str) -> None:
    engine = engine_for(str(MANOEUVRE), backend)
    position = engine.new_game(seed=1)
    while position.question is not None and position.question.name != "write_orders.o":
        position = position.play(position.values()[-1])
    assert position.to_move == "red"
    position = position.play("move")
    while position.question is not None and position.question.name != "write_orders.o":
        position = position.play(position.legal()[0])
    own, other = (position.view(seat).get("Unit", "A", "order") for seat in ("red", "blue"))
    assert own["name"] == "move" and len(own["path"]) > 0 and own["halt"] in own["path"]
    assert other["name"] == "wait" and other["path"] == () and other["halt"] is None


def test_a_procedure_that_asks_gives_back_a_set(tmp_path: Path) -> None:
    folder = tmp_path / "breakthrough"
    shutil.copytree(shipped_titles()["breakthrough"], folder)
    rules = folder / "game.grog"
    text = rules.read_text("utf-8")
    procedure = """procedure one_of(p: Side) -> set of Square
  choose some x in set(y in Square where y.pawn is p) by p up to 2 -> picked
  if count(picked) is 1
    return picked
  return {}

"""
    text = text.replace("action move", procedure + "action move")
    text = text.replace(
        "  a.pawn := none\n",
        "  do one_of(me) -> marked\n  a.pawn := none\n  for m in marked\n    m.pawn := none\n",
    )
    rules.write_text(text, "utf-8")
    ruleset = compile_title(str(folder))
    assert ruleset is not None and not ruleset.sink.has_errors
    found = grognard.compare_backends(ruleset, games=3, max_answers=60, seed=3)
    assert found.difference is None and found.positions > 50


def test_a_question_names_what_it_is_about(backend: str) -> None:
    """`"route of {u}"`: on both back ends the counter is read where the waiting question keeps it."""
    game = engine_for(str(MANOEUVRE), backend).game(seed=1)
    while "go" not in [choice.name for choice in game.position.legal()]:
        game.play(game.position.values()[-1])
    game.play("go")
    unit = game.position.legal()[-1]
    game.play(unit)
    question = game.position.question
    assert question is not None and question.name == "go.r"
    assert question.label == f"route of {unit.label}"
    # So does the line of the log that tells of the answer.
    game.play(game.position.legal()[0])
    assert not [line.text for line in game.log if "{" in line.text]
    assert any(f": route of {unit.label} " in line.text for line in game.log)


def test_a_counter_is_called_by_what_it_is_now(tmp_path: Path) -> None:
    """One that was created in a removed one's room, or has changed its type, does not keep the name of the old one."""
    folder = tmp_path / "hangar"
    (folder / "scenarios").mkdir(parents=True)
    (folder / "title.yaml").write_text("name: Hangar\nscenario: only\n", encoding="utf-8")
    (folder / "game.grog").write_text(
        """sides red, blue
kind Type
  name | cost
  tank | 1
  fighter | 2
piece Unit of Type up to 4
sequence
  for u in Unit where u.side is blue: destroy u
  create Unit of fighter with side = red -> f
  for u in Unit where u.type is tank and u.side is red until settled: u.type := fighter
  log "new {f}"
  choose u: Unit where u.side is red by red "which", else end game
  log "{u}"
victory = red
""",
        encoding="utf-8",
    )
    (folder / "scenarios" / "only.yaml").write_text(
        "name: Only\npieces:\n  - {Unit: tank, side: blue, count: 2}\n  - {Unit: tank, as: A, side: red}\n",
        encoding="utf-8",
    )
    game = grognard.load(str(folder), backend="interpreter").game(seed=1)
    assert [line.text for line in game.log][-1] == "new fighter 1"
    assert [choice.label for choice in game.position.legal()] == ["fighter 1", "fighter A"]
