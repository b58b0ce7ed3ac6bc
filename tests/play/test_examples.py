"""Examples of play, coverage, explanations and the words of the log."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path

import grognard
import pytest
from engines import SKIRMISH
from grognard.compiler.driver.pipeline import compile_title
from grognard.contract.ruleset import Ruleset
from grognard.engine import Engine
from grognard.play.compare_backends import Comparison
from grognard.play.coverage import exercised_by
from grognard.play.examples import ExampleResult, run_examples
from grognard.play.wording import fill
from grognard.support.diagnostics import Diagnostic, Severity

SETTING = """
  scenario "meeting"
  let a = the(u in Unit where u.side is german and u.type is rifles)
  let b = the(u in Unit where u.side is soviet and not u.hidden)
"""


def run(folder: Path, body: str) -> ExampleResult:
    """One example with this body, on the interpreter."""
    shutil.copytree(SKIRMISH, folder)
    text = 'example "the one"   [3]' + SETTING + "".join(f"  {line}\n" for line in body.splitlines())
    (folder / "examples" / "fire.grog").write_text(text, encoding="utf-8")
    ruleset = compile_title(str(folder))
    assert ruleset is not None
    assert not ruleset.sink.has_errors, [d.message for d in ruleset.sink]
    return grognard.run_example(ruleset, ruleset.examples[0], "interpreter")


@pytest.fixture(scope="module")
def ruleset() -> Ruleset:
    made = compile_title(str(SKIRMISH))
    assert made is not None and not made.sink.has_errors
    return made


def test_the_shipped_example_passes_on_both(ruleset: Ruleset) -> None:
    from grognard.compiler.build.build import compiler_available

    results = run_examples(ruleset)
    assert [result.failures for result in results] == [[]] * len(results)
    if compiler_available() is None:
        assert all(result.backends == ("interpreter", "compiled") for result in results)
    assert {"3", "3.1", "3.2", "3.3"} <= results[0].cites


@pytest.mark.parametrize(
    ("body", "code", "words"),
    [
        ("dice 3 4\ndo fire(a, b)\nexpect german.vp is 2", "GR0901", "this does not hold: it is 0"),
        ("dice 3 4\ndo fire(a, b)\nexpect b.hit is none", "GR0901", "this does not hold: it is pinned"),
        ("dice 3 4 5\ndo fire(a, b)\nexpect german.vp is 0", "GR0903", "dice that nobody rolled: 5"),
        (
            "dice 3 4\nanswers hold\ndo fire(a, b)\nexpect german.vp is 0",
            "GR0903",
            "questions that nobody asked: hold",
        ),
        ("dice 3\ndo fire(a, b)\nexpect german.vp is 0", "GR0904", "more dice are rolled than the 1"),
        ("dice 3 9\ndo fire(a, b)\nexpect german.vp is 0", "GR0904", "die 2 shows 9, which is no face"),
        ("expect distance(a.at, 9909) is none", "GR0609", "there is no place 9909 on the map"),
    ],
)
def test_failures(tmp_path: Path, body: str, code: str, words: str) -> None:
    result = run(tmp_path / "title", body)
    assert not result.passed
    assert [failure.code for failure in result.failures] == [code]
    assert words in result.failures[0].message
    assert result.failures[0].span is not None and result.failures[0].span.file == "examples/fire.grog"


def test_a_failed_expectation_shows_the_steps(tmp_path: Path) -> None:
    result = run(tmp_path / "title", "dice 3 4\ndo fire(a, b)\nexpect german.vp is 2")
    notes = result.failures[0].notes
    assert "die, 2d6: 3 + 4 = 7 [3]" in notes and "firepower = 2 [3.1]" in notes


def test_answers_left_over_say_what_was_asked(tmp_path: Path) -> None:
    body = 'choose n: 1..3 by german "how many"\nexpect n is 2\nanswers 2, 3, hold'
    (failure,) = run(tmp_path / "title", body).failures
    assert failure.message == "answers to questions that nobody asked: 3, hold"
    assert [note for note in failure.notes if note.startswith("asked: ") and "(how many), answered 2" in note]
    (failure,) = run(tmp_path / "other", "answers hold\nexpect german.vp is 0").failures
    assert list(failure.notes) == ["nothing was asked"]


def test_counters_are_called_as_the_example_calls_them(tmp_path: Path) -> None:
    body = "counter german rifles as V at 0101\ndice 3 4\ndo fire(a, V)\nexpect german.vp is 2, b.target is V"
    result = run(tmp_path / "title", body)
    assert "Rifles V is hit [3]" in result.failures[0].notes
    body = "counter german rifles as V at 0101\nb.target := V\nexpect b.target is none"
    result = run(tmp_path / "other", body)
    assert result.failures[0].message == "this does not hold: it is Rifles V"


def test_an_erratum_restates_an_example(tmp_path: Path) -> None:
    folder = tmp_path / "title"
    shutil.copytree(SKIRMISH, folder)
    (folder / "errata").mkdir()
    (folder / "errata" / "second.grog").write_text(RESTATED, encoding="utf-8")
    for errata in ([], ["1.1"]):
        ruleset = compile_title(str(folder), errata=errata)
        assert ruleset is not None and not ruleset.sink.has_errors
        (example,) = ruleset.examples
        assert grognard.run_example(ruleset, example, "interpreter").passed
    text = RESTATED.partition("  example")[0]
    (folder / "errata" / "second.grog").write_text(text, encoding="utf-8")
    ruleset = compile_title(str(folder))
    assert ruleset is not None
    assert not grognard.run_example(ruleset, ruleset.examples[0], "interpreter").passed


RESTATED = """errata "1.1" 2020-01-01
  amend rule firepower: a.power -> a.power + 1
  example "3 rifles fire at rifles in the open"
    scenario "meeting"
    expect firepower(the(u in Unit where u.side is german and u.type is rifles)) is 3
"""


def test_coverage(ruleset: Ruleset) -> None:
    found = grognard.measure_coverage(ruleset)
    states = {section.id: section.state for section in found.sections}
    assert states["3.1"] == "exercised" and states["4"] == "encoded"
    assert states["7"] == "missing" and states["6"] == "not applicable"
    assert (found.rules, found.encoded, found.exercised, found.missing, found.not_applicable) == (
        9,
        8,
        4,
        1,
        1,
    )
    assert str(found) == (
        "9 rules: 8 encoded, 4 of them exercised by examples, 1 missing; 1 sections need no code"
    )
    assert not grognard.measure_coverage(ruleset, ()).exercised


def test_a_declaration_is_exercised_by_an_example_that_names_it(tmp_path: Path) -> None:
    """Section 7 stands at a declaration alone, which leaves no trace; section 4 at rules that the example passes by,
    so that naming it is not enough; nor is an example that fails, nor a section that only examples name."""
    shutil.copytree(SKIRMISH, tmp_path / "skirmish")
    with (tmp_path / "skirmish" / "game.grog").open("a", encoding="utf-8") as rules:
        rules.write("\nenum Weather [7]: dry, wet\n")
    ruleset = compile_title(str(tmp_path / "skirmish"))
    assert ruleset is not None
    result = run_examples(ruleset, "interpreter")[0]
    assert "7" not in exercised_by(ruleset, [result])
    naming = replace(result, example=replace(result.example, cites=("4", "6", "7")))
    assert exercised_by(ruleset, [naming]) == result.cites | {"7"}
    failed = replace(naming, failures=[Diagnostic("GR0901", Severity.error, "no", None)])
    assert exercised_by(ruleset, [failed]) == result.cites


def test_why_is_a_tree(skirmish: Engine) -> None:
    game = skirmish.game(seed=2)
    for answer in ("advance", "hold", "shoot", "A"):
        game.play(answer)
    reason = game.why()
    found = {child.text: child for child in reason.walk()}
    fire = found["fire"]
    assert fire.kind == "enter" and fire.cites == ("3",)
    inside = [child.text for child in fire.children]
    assert inside[0].startswith("die, 2d6: ") and "firepower = 2" in inside and "fire_mods = 1" in inside
    assert [child.text for child in found["fire_mods = 1"].children] == ["advancing +1"]
    assert any(text.startswith("table effect(") for text in inside)
    assert "(game.grog:" in reason.format(places=True)


def test_dice_in_words(skirmish: Engine) -> None:
    game = skirmish.game(seed=2)
    for answer in ("advance", "hold", "shoot", "A"):
        game.play(answer)
    rolls = [line for line in game.last_lines if line.kind == "roll"]
    assert len(rolls) == 1 and rolls[0].cites == ("3",)
    first, second, total = rolls[0].text.removeprefix("die, 2d6: ").replace(" = ", " + ").split(" + ")
    assert int(first) + int(second) == int(total)


def test_what_names_no_section_has_that_of_its_procedure(skirmish: Engine) -> None:
    game = skirmish.game(seed=2)
    game.play("advance")
    assert [(line.kind, line.cites) for line in game.last_lines] == [("choice", ("2",)), ("log", ("2",))]


def test_texts_are_filled_in_one_pass() -> None:
    assert fill("{0} and {1}, {x} {9}", ["{1}", "b"]) == "{1} and b, {x} {9}"


def test_a_difference_is_told() -> None:
    report = Comparison(games=1, positions=3, difference="cell 4 is 1 and 2", answers=[7], seed=5)
    assert not report.agree and str(report) == "game with seed 5, after the answers [7]: cell 4 is 1 and 2"
