"""Loops over sets that rules put together need not look whether there are such members; all others do, and fail alike."""

from __future__ import annotations

import random
from array import array
from pathlib import Path

import grognard
import pytest
from grognard.compiler.build.build import compiler_available
from grognard.compiler.cython.analysis.plan import Plan
from grognard.compiler.cython.modules import emit_source
from grognard.contract.backend import Io, RuleFailure
from small_titles import write_title_of_units

needs_compiler = pytest.mark.skipif(compiler_available() is not None, reason="nothing can be compiled here")

RULES = """\
title sound "Sound"

sides red, blue

kind UnitType
  name   | worth
  rifles | 2
  guns   | 5

space Board: hexes from "maps/board.yaml"

piece Unit of UnitType up to 12
  at: Hex
  hits: 0..9

game
  listed: set of Unit

rule made(s: Side) -> set of Unit = set(u in Unit where u.side is s)
rule noted() -> set of Unit = listed
rule passed(s: Side) -> set of Unit = made(s)
rule fewer(s: Side) -> set of Unit = made(s) - listed
rule left_over(s: Side) -> set of Unit = listed - made(s)
rule either(s: Side) -> set of Unit = made(s) + listed
rule chosen(s: Side) -> set of Unit
  = made(s) when s is red
  = listed otherwise

rule of_made(s: Side) -> 0..99 = sum(u in made(s): u.worth)
rule of_passed(s: Side) -> 0..99 = sum(u in passed(s) where u.hits is 0: u.worth)
rule of_noted(s: Side) -> 0..99 = sum(u in noted() where u.side is s: u.worth)
rule of_fewer(s: Side) -> flag = any(u in fewer(s) where u.hits is 0)
rule of_left_over(s: Side) -> 0..99 = sum(u in left_over(s): u.worth)
rule of_either(s: Side) -> 0..99 = sum(u in either(s): u.worth)
rule of_chosen(s: Side) -> flag = any(u in chosen(s) where u.hits is 1)
rule of_given(us: set of Unit) -> 0..99 = sum(u in us: u.worth)
rule of_local(s: Side) -> 0..99
  let us = made(s)
  let others = listed
  = sum(u in us: u.worth) + count(u in others where u.side is s)

action hit "hit"
  choose u: Unit where u.side is me
  u.hits := min(9, u.hits + of_made(me) mod 3 + of_given(passed(me)) mod 2)
  listed += u
  end game if of_local(me) + of_passed(me) + of_noted(me) + of_left_over(me) + of_either(me) > 60 or of_fewer(me) or of_chosen(me)

sequence
  alternate p from red until all pass
    offer p: hit

victory
  = none
"""

PLACES = ("0101", "0304", "0502", "0402", "0604", "0601", "0203")
SOUND = {"made", "passed", "fewer"}
ASKED = ("of_made", "of_passed", "of_noted", "of_fewer", "of_left_over", "of_either", "of_chosen", "of_local")


@pytest.fixture
def folder(tmp_path: Path) -> str:
    return str(write_title_of_units(tmp_path / "sound", RULES, 4 * ["......"], PLACES))


def test_which_sets_are_sound(folder: str) -> None:
    program = grognard.load(folder).ruleset.program
    plan = Plan(program)
    named = {program.functions[number].name for number in plan.in_domain}
    assert named >= SOUND
    assert not named & {"noted", "left_over", "either", "chosen"}
    text = emit_source(program)
    for name, looks in (("of_made", 0), ("of_fewer", 0), ("of_noted", 1), ("of_given", 1), ("of_local", 1)):
        start = text.index(f" f_{name}(grog_ctx")
        body = text[start : text.index("\n\n\n", start)]
        assert body.count("grog_set_members(") == looks, name


@needs_compiler
def test_members_that_there_are_not_fail_alike(folder: str) -> None:
    """Whatever the cells of the set say, both back ends count the same or fail."""
    engine = grognard.load(folder, backend="compiled")
    oracle = grognard.load(folder, backend="interpreter")
    position = engine.new_game(seed=1)
    setting = position.setting
    program, layout = setting.program, setting.scenario.layout
    field = next(f for f in program.fields if f.name == "game.listed")
    at, size = layout.field_offset[field.id], layout.field_cells[field.id]
    numbers = {f.name: f.id for f in program.functions}
    backends = (setting.backend, oracle.new_game(seed=1).setting.backend)
    chance = random.Random(4)
    failed = 0
    for _ in range(60):
        cells = bytearray(position.cells)
        words = [
            chance.choice((0, 5, chance.randrange(1 << 12), chance.randrange(-(1 << 31), 1 << 31)))
            for _ in range(size)
        ]
        with memoryview(cells) as raw, raw.cast("i") as view:
            view[at : at + size] = array("i", words)
        # Where cells are damaged, that it fails is told, not what came first.
        damaged = any(word >> 12 for word in words)
        for name in ASKED:
            for side in (0, 1):
                for budget in (100_000 if damaged else chance.randrange(60), 100_000):
                    found = []
                    for backend in backends:
                        try:
                            found.append(
                                backend.call(bytearray(cells), numbers[name], [side], Io(budget=budget))
                            )
                        except RuleFailure as failure:
                            told = (failure.kind, failure.site, failure.detail)
                            found.append(told[:1] if damaged else told)
                    assert found[0] == found[1], (name, side, budget)
                    failed += isinstance(found[0], tuple)
    assert failed > 100


@needs_compiler
def test_play_is_the_interpreters(folder: str) -> None:
    report = grognard.compare_backends(grognard.load(folder).ruleset, games=4, seed=2)
    assert report.agree, str(report)
