"""Rulesets kept between runs: the same answer as compiling, and no compiling when only data changed."""

from __future__ import annotations

from pathlib import Path

import pytest
from grognard.compiler.data import load as dataload
from grognard.compiler.driver import pipeline as front_end
from grognard.compiler.driver import ruleset_cache as bundle
from grognard.compiler.store.ruleset import CompiledRuleset
from grognard.support.diagnostics import Sink

RULES = """\
sides red, blue
kind UnitType from "units.yaml"
  fire: 0..9
space Board: squares from "maps/board.yaml"
  height: 0..3 = 0
piece Unit of UnitType up to 4
  at: Square?
table result(total: 0..20) -> 0..3
  0..9   | 0
  10..20 | 1
rule outcome(u: Unit, die: 1..6) -> 0..3 = result(u.fire + die)
action stand
  choose u: Unit where mine(u) and outcome(u, 6) < 3
  pass
sequence
  alternate p from red until all pass
    offer p: stand
victory = none
"""


@pytest.fixture
def title(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("GROGNARD_CACHE", str(tmp_path / "cache"))
    folder = tmp_path / "small"
    for name, text in {
        "title.yaml": "name: Small\nscenario: s\n",
        "game.grog": RULES,
        "units.yaml": "rifles: {fire: 3}\nmg: {fire: 6}\n",
        "maps/board.yaml": "grid: {columns: 2, rows: 2, numbering: '{colletter}{row}'}\n",
        "scenarios/s.yaml": "name: s\npieces:\n  - {Unit: rifles, side: red, at: A1}\n  - {Unit: mg, side: blue, at: B2}\n",
    }.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return folder


@pytest.fixture
def compiles(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The titles that were really compiled."""
    done: list[str] = []
    real = front_end.compile_title

    def counted(where: str, *args: object, **more: object) -> CompiledRuleset | None:
        done.append(where)
        return real(where, *args, **more)  # type: ignore[arg-type]

    monkeypatch.setattr(front_end, "compile_title", counted)
    return done


def load(title: Path) -> tuple[CompiledRuleset, Sink]:
    sink = Sink()
    ruleset = bundle.load_ruleset(str(title), sink)
    assert ruleset is not None
    return ruleset, sink


def edit(path: Path, old: str, new: str) -> None:
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new), encoding="utf-8")


def cells(ruleset: CompiledRuleset) -> tuple[object, ...]:
    scenario = ruleset.scenario()
    assert scenario is not None
    return (
        ruleset.program,
        [t.tolist() for t in scenario.data.tables],
        [c.tolist() for c in scenario.data.columns],
        scenario.cells,
    )


def test_the_second_load_compiles_nothing_and_is_the_same(title: Path, compiles: list[str]) -> None:
    first, _ = load(title)
    second, _ = load(title)
    assert len(compiles) == 1
    assert cells(first) == cells(second)


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("game.grog", "10..20 | 1", "10..20 | 2"),
        ("units.yaml", "fire: 3", "fire: 5"),
        ("scenarios/s.yaml", "at: A1", "at: A2"),
    ],
)
def test_changed_data_is_read_without_compiling(
    title: Path, compiles: list[str], name: str, old: str, new: str
) -> None:
    before, _ = load(title)
    edit(title / name, old, new)
    after, _ = load(title)
    assert len(compiles) == 1
    assert after.program == before.program
    assert cells(after) != cells(before)
    fresh = front_end.compile_title(str(title), Sink())
    assert fresh is not None
    assert cells(after) == cells(fresh)


def test_changed_rows_leave_the_code_unread(title: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    load(title)
    before, _ = load(title)
    edit(title / "units.yaml", "fire: 3", "fire: 5")
    monkeypatch.setattr(dataload, "compute_layout", lambda *_: pytest.fail("the layout is known"))
    ruleset, _ = load(title)
    assert cells(ruleset) != cells(before)


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("game.grog", "outcome(u, 6) < 3", "outcome(u, 5) < 3"),
        ("game.grog", "10..20 | 1", "10..19 | 1\n  20 | 3"),
        ("units.yaml", "mg: {fire: 6}", "gun: {fire: 6}\nmg: {fire: 6}"),
        ("maps/board.yaml", "rows: 2", "rows: 3"),
    ],
)
def test_what_rules_rely_on_is_compiled_anew(
    title: Path, compiles: list[str], name: str, old: str, new: str
) -> None:
    load(title)
    edit(title / name, old, new)
    after, sink = load(title)
    assert not sink.has_errors
    assert len(compiles) == 2
    fresh = front_end.compile_title(str(title), Sink())
    assert fresh is not None
    assert cells(after) == cells(fresh)


def test_mistakes_in_changed_data_are_reported(title: Path, compiles: list[str]) -> None:
    load(title)
    edit(title / "units.yaml", "fire: 3", "fire: 33")
    _, sink = load(title)
    assert [d.code for d in sink] == ["GR0605"]
    edit(title / "units.yaml", "fire: 33", "fire: 3")
    _, sink = load(title)
    assert not sink.has_errors


def test_a_damaged_entry_is_made_anew(title: Path, tmp_path: Path, compiles: list[str]) -> None:
    first, _ = load(title)
    for entry in (tmp_path / "cache" / "trees").glob("ruleset-*"):
        entry.write_bytes(entry.read_bytes()[:-10])
    second, _ = load(title)
    assert len(compiles) == 2
    assert cells(first) == cells(second)
