"""Filters that are asked only of elements for which they can be true offer what the interpreter offers, and fail where it fails."""

from __future__ import annotations

import random
import re
from pathlib import Path

import grognard
import pytest
from grognard.compiler.build.build import compiler_available
from grognard.compiler.cython.analysis import plan as emit_plan
from grognard.compiler.cython.modules import emit_source
from grognard.compiler.cython.optimise.prefilter_terms import (
    NOTHING,
    And,
    HeldValues,
    Or,
    conjunction,
    disjunction,
)
from grognard.contract import ir
from small_titles import write_title_of_units

needs_compiler = pytest.mark.skipif(compiler_available() is not None, reason="nothing can be compiled here")

RULES = """\
title prefilters "Prefilters"

sides red, blue

kind UnitType
  name   | pace
  scouts | 4
  guns   | 2

kind Nation
  name  | side
  north | red
  south | blue

space Board: hexes from "maps/board.yaml"
  mud: 0..3 = 0
  ford: 0..12 = 1
  nation: Nation? = none
  state smoke: 0..3
  state owner: Side?
  state seen(Side): flag

piece Unit of UnitType up to 12
  at: Hex?
  tired: flag
  aboard: Unit?
  secret hurt: 0..9 to owner

game
  turns: 0..99
  storm: flag

# By the map alone.
rule bank(h: Hex) -> flag = h.mud > 0 or any(n in neighbours(h) where n.mud is 3)
rule steep(h: Hex) -> 0..9 = (12 / h.ford rounded down) mod 5

# By who is there, by the hex itself, by something that is the same for all.
rule held(h: Hex, s: Side) -> flag = any(u in Unit where u.at is h and u.side is s and u.aboard is none)
rule crowd(h: Hex) -> 0..12 = count(u in Unit where u.at is h)
rule spare(h: Hex) -> 0..12
  = 0 when h.owner is none or h.smoke > 1
  = max(0, 3 - crowd(h)) otherwise
rule mark(h: Hex, s: Side) -> flag = h.smoke is 0 and (held(h, other(s)) or held(h, s) and bank(h))
rule ours(h: Hex, s: Side) -> flag = h.nation is not none and h.nation.side is s and steep(h) < 5
rule quiet(h: Hex, s: Side) -> flag
  let c = crowd(h)
  = no when c > 2 or h.smoke > 2
  = bank(h) and not held(h, other(s)) when storm
  = h.seen(s) or c > 0 or steep(h) > 3 otherwise
rule near(u: Unit, h: Hex) -> flag = u.at is not none and adjacent(u.at, h) and crowd(h) < 3
rule stands(u: Unit) -> Hex?
  = u.aboard.at when u.aboard is not none
  = u.at otherwise
rule able(u: Unit, s: Side, h: Hex) -> flag
  let p = stands(u)
  = no when u.side is not s or u.tired or p is none
  = any(n in neighbours(h) where n.mud < 3) otherwise

action fire "fire"
  choose h: Hex where mark(h, me) "at"
  choose u: Unit where able(u, me, h) and crowd(h) > 0 "with"
  roll die: 1d6
  simultaneously
    for x in Unit where x.at is h
      x.hurt := min(9, x.hurt + die)
    for n in neighbours(h)
      n.smoke := die mod 4
  u.tired := yes
  storm := die > 4
  for x in Unit where x.hurt > 7 and x.at is not none
    x.at := none
  turns += 1
  end game if turns > 60

action walk "walk"
  choose u: Unit where u.side is me and u.at is not none "unit"
  choose h: Hex where near(u, h) "to"
  u.at := h
  u.aboard := best(x in Unit where x.at is h and x.side is me and x is not u by lowest x.hurt)
  h.owner := me
  turns += 1
  end game if turns > 60

action look "look"
  choose h: Hex where quiet(h, me) and not (held(h, me) and storm) "at"
  h.seen(me) := yes
  if spare(h) > 1
    h.smoke := 3
  turns += 1

action rest "rest"
  choose h: Hex where spare(h) > 0 or ours(h, me) and crowd(h) is 0 "at"
  for x in Unit
    x.tired := no
  for n in Hex
    for s in sides
      n.seen(s) := no
  if crowd(h) is 0
    simultaneously
      for n in Hex
        n.smoke := 0
  turns += 1

sequence
  alternate p from red until all pass
    offer p: fire, walk, look, rest

victory
  = none
"""


def write_title(folder: Path, rules: str = RULES) -> Path:
    drawn = ("..m..3..", "...m..f.", ".m...3..", "3..m....", "......m.", "..f....3")
    places = ("0101", "0304", "0502", "0203", "0605", "0404", "0701", "0806")
    legend = '".": {}, m: {mud: 1, nation: north}, "3": {mud: 3, nation: south}, f: {ford: 2}'
    return write_title_of_units(folder, rules, drawn, places, legend, ("guns", "scouts"))


@needs_compiler
def test_steps_with_prefilters_are_the_interpreters(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(emit_plan, "SMALL_PROGRAM", 0)
    folder = str(write_title(tmp_path / "prefilters"))
    engine, oracle = (grognard.load(folder, backend=name) for name in ("compiled", "interpreter"))
    text = emit_source(engine.ruleset.program)
    for part in (
        "among",
        "prefilter_index",
        "prefilter_static",
        "prefilter_adjacent",
        "prefilter_cells",
        "prefilter_all",
        "prefilter_static_value",
        "index_in_domain",
        "inverted_empty",
        "scan_index",
        "fill",
    ):
        assert re.search(rf"grog_\w*{part}\((ctx|&)", text), part
    chance = random.Random(8)
    known = [tuple(e.new_game("only", seed=9) for e in (engine, oracle))]
    asked: set[str] = set()
    one, other = known[0]
    for number in range(900):
        if one.over or number % 9 == 8:
            one, other = chance.choice(known)
        if one.over:
            one, other = known[0]
        assert one.values() == other.values()
        assert one.question is not None
        asked.add(one.question.name)
        before, value = bytes(one), chance.choice(one.values())
        after, wanted = one.play(value), other.play(value)
        assert bytes(after) == bytes(wanted) and bytes(one) == before
        # Without a memo there are no prefilters.
        alone = engine.position(before).clone()
        alone.play_inplace(value)
        assert bytes(alone) == bytes(wanted)
        one, other = after, wanted
        known.append((one, other))
        if len(known) > 25:
            known.pop(chance.randrange(1, len(known)))
    assert {"fire.h", "fire.u", "walk.h", "look.h", "rest.h"} <= asked
    assert engine.playouts(30, seed=4) == oracle.playouts(30, seed=4)


@needs_compiler
@pytest.mark.parametrize(
    ("filters", "fails"),
    [
        # What may fail stands before what decides: it fails, wherever that is.
        ("5 / (h.ford - 2) rounded down > 9 and held(h, me)", True),
        # Behind it, it is not asked.
        ("held(h, me) and 5 / (h.ford - 2) rounded down > 0", False),
        # By the map alone, and it fails there.
        ("broken(h) and held(h, me)", True),
        ("held(h, me) and broken(h)", False),
    ],
)
def test_failures_are_not_passed_over(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, filters: str, fails: bool
) -> None:
    monkeypatch.setattr(emit_plan, "SMALL_PROGRAM", 0)
    rules = RULES.replace("where near(u, h)", f"where near(u, h) or {filters}").replace(
        "rule steep", "rule broken(h: Hex) -> flag = 5 / (h.ford - 2) rounded down < 0\nrule steep"
    )
    folder = str(write_title(tmp_path / "fails", rules))
    outcomes = []
    for backend in ("compiled", "interpreter"):
        position = grognard.load(folder, backend=backend).new_game("only", seed=2)
        try:
            for _ in range(3):
                names = [choice.name for choice in position.legal()]
                position = position.play("walk" if "walk" in names else names[0])
            outcomes.append(("fine", bytes(position)))
        except grognard.RuleError as error:
            outcomes.append(("failed", str(error).encode()))
    assert outcomes[0] == outcomes[1]
    assert (outcomes[0][0] == "failed") == fails


def test_terms_are_put_together() -> None:
    one, two, three = HeldValues(1), HeldValues(2), HeldValues(3)
    assert conjunction(None, one) == conjunction(one, None) == one and conjunction(None, None) is None
    assert conjunction(one, NOTHING) == NOTHING and disjunction(one, NOTHING) == one
    assert disjunction(one, None) is None
    assert conjunction(conjunction(one, two), conjunction(two, three)) == And((one, two, three))
    assert disjunction(disjunction(one, two), disjunction(two, three)) == Or((one, two, three))


def test_what_depends_on_the_map_alone_is_asked_once_for_all(tmp_path: Path) -> None:
    program = grognard.load(str(write_title(tmp_path / "prefilters")), backend="interpreter").ruleset.program
    plan = emit_plan.Plan(program)
    number = next(function.id for function in program.functions if function.name == "bank")
    first, second = (
        plan.static_predicate("flag", 3, var, ir.Call(number, (ir.Local(var),)), ("function", number))
        for var in (0, 5)
    )
    assert first == second == "P_f_bank_0"
    third = plan.static_predicate("flag", 4, 0, ir.Call(number, (ir.Local(0),)), ("function", number))
    assert third == "P_f_bank_1" and plan.numbers.known[third].values == (1,)
