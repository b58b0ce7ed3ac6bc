"""A title that is being written: messages follow the files, and what a change cannot affect is not run again."""

from __future__ import annotations

import itertools
import os
from pathlib import Path

import pytest
from grognard.authoring.beginnings import new_title
from grognard.authoring.watching import TitleWatch
from grognard.compiler_access import compile_title, watched_title
from grognard.play.examples import ExampleRunner

MORE = """
example "a step costs what the ground costs" [sample 5]
  board open 5x5
  terrain woods at 0302
  counter blue guns as A at 0301
  expect Hex.0302 in reach(walk(A))

example "hits by the table" [sample 6]
  board open 5x5
  expect hits_of(8) is 0, hits_of(9) is 1, hits_of(12) is 2
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = new_title("Ridge", tmp_path).title
    with (made / "examples" / "fire.grog").open("a", encoding="utf-8") as file:
        file.write(MORE)
    return made


def change(path: Path, old: str, new: str) -> None:
    text = path.read_text(encoding="utf-8")
    assert text.count(old) == 1
    path.write_text(text.replace(old, new), encoding="utf-8")


def test_what_a_change_can_affect(folder: Path) -> None:
    watch = TitleWatch(str(folder))
    first = watch.look()
    titles = [result.title for result in first.results]
    assert len(titles) == 3 and not first.failed and watch.saved() == []
    fire, step, table = titles
    rules = folder / "game.grog"
    clock = itertools.count(1)

    def after(old: str, new: str, path: Path = rules) -> tuple[set[str], set[str]]:
        change(path, old, new)
        os.utime(path, ns=(0, next(clock)))
        assert path in watch.saved()
        look = watch.look()
        found = {result.title for result in look.results}
        # What was not run is as it was: all examples, run anew, fail where the run ones do.
        ruleset = compile_title(str(folder))
        assert ruleset is not None
        runner = ExampleRunner(ruleset, "interpreter")
        failing = {e.title for e in ruleset.examples if not runner.run(e).passed}
        assert failing == {result.title for result in look.failed}
        return found, failing

    assert after('-1 "far away"', '-3 "far away"') == ({fire}, {fire})
    assert after('-3 "far away"', '-1 "far away"') == ({fire}, set())
    assert after("costs b.terrain.cost", "costs b.terrain.cost + 2") == ({step}, {step})
    assert after("costs b.terrain.cost + 2", "costs b.terrain.cost") == ({step}, set())
    assert after("  9..11  | 1", "  9..11  | 2") == ({fire, table}, {fire, table})
    assert after("  9..11  | 2", "  9..11  | 1") == ({fire, table}, set())
    assert after("guns:   {name: Guns, fire: 4, move: 2}", "guns:   {name: Guns, fire: 4, move: 1}", folder / "units.yaml")[1] == {step}  # fmt: skip
    # No declaration says what stands on a map: everything is run.
    assert len(after("grid: {columns: 7", "grid: {columns: 7", folder / "maps" / "field.yaml")[0]) == 3


def test_mistakes_on_the_way(folder: Path) -> None:
    watch = TitleWatch(str(folder))
    watch.look()
    change(folder / "game.grog", "u.moved := yes", "u.mooved := yes")
    assert watch.saved() == [folder / "game.grog"]
    broken = watch.look()
    assert broken.sink.has_errors and not broken.results
    change(folder / "game.grog", "u.mooved := yes", "u.moved := yes")
    (folder / "more.grog").write_text("rule spare() -> 0..9 [sample 1] = 3\n", encoding="utf-8")
    assert len(watch.saved()) == 2
    assert not watch.look().sink.has_errors


@pytest.mark.parametrize("title", ["mbt", "breakthrough"])
def test_some_examples_go_as_among_all(title: str) -> None:
    """They are compiled without the sequence of play and without whatever they do not reach."""
    ruleset = compile_title(title)
    assert ruleset is not None
    among_all = ExampleRunner(ruleset, "interpreter")
    chosen = [example.title for example in ruleset.examples[::4]]
    moment = watched_title(title).now()
    assert moment is not None and len(moment.examples) == len(ruleset.examples)
    few = moment.with_examples(chosen)
    assert few is not None and [example.title for example in few.examples] == chosen
    assert not any(machine.name == "sequence" for machine in few.program.machines)
    alone = ExampleRunner(few, "interpreter")
    for one, example in zip(few.examples, ruleset.examples[::4], strict=True):
        found, wanted = alone.run(one), among_all.run(example)
        assert (found.passed, found.cites) == (wanted.passed, wanted.cites), one.title


def test_the_engine_follows(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    started: list[str] = []

    class Build:
        over = False

        def __init__(self, where: str, errata: object, code_key: str) -> None:
            self.code_key = code_key
            started.append(code_key)

        def stop(self) -> None:
            started.append("stopped")

    monkeypatch.setattr("grognard.authoring.watching.TitleBuild", Build)
    monkeypatch.setattr("grognard.authoring.watching.compiler_available", lambda: None)
    watch = TitleWatch(str(folder))
    watch.look()
    assert watch.build() and watch.build() and len(started) == 1
    # A map is no code: the same engine will do.
    change(folder / "maps" / "field.yaml", "grid: {columns: 7", "grid:  {columns: 7")
    watch.look()
    assert watch.build() and len(started) == 1
    change(folder / "game.grog", '-1 "far away"', '-2 "far away"')
    watch.look()
    assert watch.build() and started[1] == "stopped" and started[2] != started[0]


def test_what_cannot_be_read_is_told_first(folder: Path) -> None:
    """What follows from it, in files whose names come before, is told after it, or not at all."""
    for right, wrong, alone in (
        ("sides blue", "sidse blue", True),
        ("kind UnitType", "kidn UnitType", False),
    ):
        change(folder / "game.grog", right, wrong)
        found = TitleWatch(str(folder)).look().sink.sorted()
        assert found[0].code == "GR0105" and found[0].hint == f"did you mean `{right.split()[0]}`?"
        assert (len(found) == 1) == alone
        change(folder / "game.grog", wrong, right)
