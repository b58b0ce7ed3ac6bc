"""The memo shows nowhere: stepping on, back and aside gives what the interpreter gives."""

from __future__ import annotations

import random
from dataclasses import replace
from pathlib import Path

import grognard
import pytest
from grognard.compiler.build.build import compiler_available
from grognard.compiler.cython.analysis import plan as emit_plan
from grognard.compiler.cython.analysis.plan import Plan
from grognard.compiler.cython.modules import emit_source
from grognard.compiler.passes.analyses.memoisable import (
    VALIDITIES,
    _with_validities,
    call_depths,
    fields_read,
)
from grognard.contract import ir
from small_titles import write_title_of_units

needs_compiler = pytest.mark.skipif(compiler_available() is not None, reason="nothing can be compiled here")

RULES = """\
title patrol "Patrol"

sides red, blue

kind UnitType
  name   | pace
  scouts | 4
  guns   | 2

space Board: hexes from "maps/board.yaml"
  mud: 0..3 = 0
  state smoke: 0..3

piece Unit of UnitType up to 12
  at: Hex
  secret hurt: 0..9 to owner

game
  turns: 0..99

rule crowd(h: Hex, s: Side) -> 0..12
  = count(u in Unit where u.at is h and u.side is s)

rule held(h: Hex, s: Side) -> flag
  = crowd(h, s) > 0 and any(u in Unit where u.at is h and u.side is s and u.hurt < 4)

rule near_enemy(h: Hex, s: Side) -> flag
  = any(n in neighbours(h) where held(n, other(s)))

rule step_price(u: Unit, a: Hex, b: Hex) -> 0..9?
  = none when held(b, other(u.side))
  = 1 + b.mud + b.smoke + (1 if near_enemy(a, u.side) else 0) otherwise

movement walking(u: Unit) on Board
  start u.at
  allowance u.type.pace
  step from a to b
  costs step_price(u, a, b)
  stops when near_enemy(b, u.side)

rule may_walk(u: Unit) -> flag
  = reach(walking(u)) is not empty

action walk "walk"
  choose u: Unit where u.side is me and may_walk(u) "unit"
  choose h in reach(walking(u)) "to"
  h.smoke := (cost_to(walking(u), h) else 0) mod 4
  u.at := h
  turns += 1
  end game if turns > 40

action fire "fire"
  choose u: Unit where u.side is me and near_enemy(u.at, me) "with"
  choose t: Unit where t.side is not me and adjacent(t.at, u.at) and near_enemy(t.at, t.side) "at"
  roll die: 1d6
  simultaneously
    for x in Unit where x.at is t.at
      x.hurt := min(9, x.hurt + die)
    for x in Unit where near_enemy(x.at, x.side)
      x.at.smoke := 1
  for x in Unit where x.hurt > 6
    destroy x
  turns += 1
  end game if turns > 40

action muster "bring up a unit"
  choose h: Hex where count(u in Unit) < 12 and h.mud is 3 and h.smoke is 0 and not held(h, me) and not near_enemy(h, me) "in"
  create Unit of scouts with at = h, side = me
  turns += 1

sequence
  alternate p from red until all pass
    offer p: walk, fire, muster

victory
  = none
"""


def write_title(folder: Path) -> Path:
    drawn = ("..m..3", "...m..", ".m...3", "3..m..", "......")
    places = ("0101", "0304", "0502", "0203", "0605", "0404")
    legend = '".": {}, m: {mud: 1}, "3": {mud: 3}'
    return write_title_of_units(folder, RULES, drawn, places, legend, ("guns", "scouts"))


@needs_compiler
def test_steps_on_back_and_aside_are_the_interpreters(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # As in a large program, which is where more than searches is memoised.
    monkeypatch.setattr(emit_plan, "SMALL_PROGRAM", 0)
    folder = str(write_title(tmp_path / "patrol"))
    engine, oracle = (grognard.load(folder, backend=name) for name in ("compiled", "interpreter"))
    text = emit_source(engine.ruleset.program)
    for part in ("grog_memo_find(", "grog_search_find(", "grog_invalidate_all("):
        assert part in text, part
    chance = random.Random(3)
    one, other = engine.new_game("only", seed=5), oracle.new_game("only", seed=5)
    known = [(one, other)]
    met: set[int] = set()
    for number in range(400):
        if one.over or number % 7 == 6:
            # Elsewhere, and sometimes to where it has just been.
            one, other = chance.choice(known)
        if one.over:
            one, other = known[0]
        assert one.values() == other.values()
        met.update(value for value in one.values() if one.ply == other.ply)
        before = bytes(one)
        value = chance.choice(one.values())
        after, wanted = one.play(value), other.play(value)
        assert bytes(after) == bytes(wanted) and bytes(one) == before
        assert after.hash == wanted.hash and after == after.clone() and after != one
        if number % 11 == 10 and not after.over:
            # In place, with a clone beside it.
            moved = one.play(value)
            copy, then = moved.clone(), moved.values()[-1]
            moved.play_inplace(then)
            assert bytes(moved) == bytes(wanted.play(then)) and copy == after
        one, other = after, wanted
        known.append((one, other))
        if len(known) > 30:
            known.pop(chance.randrange(1, len(known)))
    assert len(met) > 20
    results = [e.playouts(20, seed=4) for e in (engine, oracle)]
    assert results[0] == results[1]


def test_what_a_function_reads_is_what_all_below_it_read(tmp_path: Path) -> None:
    program = grognard.load(str(write_title(tmp_path / "patrol")), backend="interpreter").ruleset.program
    names = {function.name: function.id for function in program.functions}
    reads = fields_read(program)

    def read(name: str) -> set[str]:
        found = reads[names[name]]
        assert found is not None, name
        return {program.fields[number].name for number in found}

    assert read("crowd") == {"Unit.alive", "Unit.at", "Unit.side"}
    assert read("near_enemy") == read("held") == {*read("crowd"), "Unit.hurt"}
    assert read("step_price") == {*read("held"), "Hex.smoke"}
    assert {"Unit.type", "Hex.smoke"} <= read("may_walk")
    # What offers candidates does more than read.
    assert any(found is None for found in reads)
    depths = call_depths(program, Plan(program).bounded_cost)
    assert depths[names["near_enemy"]] == (depths[names["held"]] or 0) + 1


def test_recursion_has_no_depth() -> None:
    program = grognard.load("connect_four", backend="interpreter").ruleset.program
    locals_ = (ir.LocalDecl("n", ir.IntType()),)
    body = (ir.Return(ir.Call(0, (ir.Local(0),))),)
    again = ir.Function(0, "again", 1, locals_, ir.IntType(), body, 0, True)
    assert call_depths(replace(program, functions=(again,), movements=(), machines=()), ()) == [None]


def test_marks_that_are_shared_are_taken_off_by_all_fields_of_those_that_share_them() -> None:
    wanted = [("function", number, frozenset({number, number // 2, 7})) for number in range(3 * VALIDITIES)]
    made = _with_validities(wanted)
    assert len(set(made.functions.values())) <= VALIDITIES
    for _, number, fields in wanted:
        for field in fields:
            assert made.invalidated_by[field] >> made.functions[number] & 1
