"""Memoised functions give what they would compute, and take the same steps."""

from __future__ import annotations

import random
from pathlib import Path

import grognard
import pytest
from grognard.compiler.build.build import compiler_available
from grognard.compiler.cython.analysis.plan import Plan
from grognard.compiler.cython.modules import emit_source
from grognard.contract.backend import Io, RuleFailure
from grognard.contract.header import H_STATUS, STATUS_DECISION
from small_titles import write_title_of_units

needs_compiler = pytest.mark.skipif(compiler_available() is not None, reason="nothing can be compiled here")

RULES = """\
title memory "Memory"

sides red, blue

kind UnitType
  name   | worth
  rifles | 2
  guns   | 5

space Board: hexes from "maps/board.yaml"
  state smoke: 0..3

piece Unit of UnitType up to 12
  at: Hex
  hidden: flag
  hits: 0..9
  secret all to owner while hidden

game
  shots: 0..99

# Each of these looks at many units, and is asked over and over.
rule stack(h: Hex, s: Side) -> set of Unit = set(u in Unit where u.at is h and u.side is s)
rule wounds(s: Side) -> 0..200 = sum(u in Unit where u.side is s: u.hits)
rule crowd(h: Hex) -> 0..99 = count(u in Unit where u.at is h)
rule strong(h: Hex, s: Side) -> flag = sum(u in stack(h, s): u.worth) > 5 and crowd(h) > 1 and wounds(s) < 20
rule target(h: Hex, s: Side) -> flag = any(n in neighbours(h) where crowd(n) > 0) or stack(h, s) is not empty or strong(h, s)

action fire "fire"
  choose u: Unit where u.side is me "with"
  choose h: Hex where target(h, me) and crowd(h) < 4 "at"
  roll die: 1d6
  for t in Unit where t.at is h and t is not u
    t.hits := min(9, t.hits + crowd(t.at) + (1 if strong(h, me) else 0))
    if wounds(t.side) > 12: t.at := u.at
    if crowd(h) > 2: t.hits := 0
  h.smoke := (crowd(h) + wounds(me) + count(x in stack(h, me) where x.hits > 0)) mod 4
  shots += 1
  u.at := h
  u.hidden := die > 3
  if die is 6 and crowd(h) > 1: destroy u
  end game if shots > 40 or count(x in Unit) < 3

sequence
  alternate p from red until all pass
    offer p: fire

victory
  = none
"""


PLACES = ("0101", "0304", "0502", "0402", "0604", "0601", "0203", "0303")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """A title that is compiled as large ones are."""
    monkeypatch.setattr("grognard.compiler.cython.analysis.plan.SMALL_PROGRAM", 0)
    return str(write_title_of_units(tmp_path / "memory", RULES, 4 * ["......"], PLACES))


def test_what_is_memoised_and_what_invalidates_it(folder: str) -> None:
    program = grognard.load(folder, backend="interpreter").ruleset.program
    plan = Plan(program)
    found = plan.memoised
    marks = {program.functions[number].name: mark for number, mark in found.functions.items()}
    fields = {entry.name: entry.id for entry in program.fields}

    def reads(mark: int | None, field: str) -> bool:
        return mark is not None and bool(found.of_fields([fields[field]]) >> mark & 1)

    assert reads(marks["stack"], "Unit.at") and not reads(marks["stack"], "Unit.hits")
    assert reads(marks["wounds"], "Unit.hits") and not reads(marks["wounds"], "Unit.at")
    assert reads(marks["crowd"], "Unit.alive")
    assert reads(found.view, "Unit.hidden") and not reads(found.view, "game.shots")
    # A write of a field that no function reads invalidates nothing.
    assert not any(reads(mark, "Hex.smoke") for mark in marks.values())


@needs_compiler
def test_a_memoised_value_is_the_computed_one(folder: str) -> None:
    engine = grognard.load(folder)
    text = emit_source(engine.ruleset.program)
    assert "grog_memo_find(ctx, " in text and "grog_memo_find_set(ctx, " in text
    report = grognard.compare_backends(engine.ruleset, games=6, seed=3)
    assert report.agree and report.positions > 80, str(report)


@needs_compiler
def test_a_budget_ends_where_it_would_without_memory(folder: str) -> None:
    """Every budget up to the one that does: both back ends fail at the same place, or not at all."""
    one, other = (
        grognard.load(folder, backend=name).new_game(seed=2) for name in ("compiled", "interpreter")
    )  # type: ignore[arg-type]
    chance = random.Random(3)
    for _ in range(25):
        moves = one.legal()
        if not moves:
            break
        number = chance.randrange(len(moves))
        one, other = one.play(moves[number]), other.play(other.legal()[number])
        assert one.cells == other.cells
    cells = bytearray(one.cells)
    with memoryview(cells) as raw, raw.cast("i") as c:
        assert c[H_STATUS] == STATUS_DECISION
    told: list[list[object]] = [[], []]
    for kept, backend in zip(told, (one.setting.backend, other.setting.backend)):
        for budget in [*range(400), *range(400, 6000, 37)]:
            mine = bytearray(cells)
            try:
                # Any unit, any hex: until the dice have fallen, and on to the next decision.
                for _ in range(3):
                    backend.answer(mine, backend.candidates(mine)[-1], Io(budget=budget))
            except RuleFailure as failure:
                kept.append((failure.kind, failure.site, failure.detail))
            else:
                kept.append(bytes(mine))
    assert told[0] == told[1]
    assert any(isinstance(end, bytes) for end in told[0]) and any(isinstance(end, tuple) for end in told[0])
