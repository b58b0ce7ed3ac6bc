"""What C saves in filters, calls and lines shows nowhere: not in the cells, not in what is offered, not in the trace."""

from __future__ import annotations

import random
from dataclasses import replace
from pathlib import Path

import grognard
import pytest
from grognard.compiler.build.build import compiler_available
from grognard.compiler.cython.analysis.drop_parameters import unread_parameters
from grognard.compiler.cython.modules import emit_source
from grognard.compiler.cython.optimise.inline_functions import UNTRACED, guards
from grognard.contract import ir
from programs import hypothetical
from small_titles import write_title_of_units

needs_compiler = pytest.mark.skipif(compiler_available() is not None, reason="nothing can be compiled here")

RULES = """\
title skirmish "Skirmish"

sides red, blue

kind UnitType
  name   | fp
  rifles | 2
  guns   | 5

space Board: hexes from "maps/board.yaml"
  state smoke: 0..3

piece Unit of UnitType up to 12
  at: Hex
  hidden: flag
  hits: 0..9

game
  shots: 0..99

# Nothing is said of the wind.  Where and whether a unit is seen is asked first.
rule endangered(u: Unit, h: Hex, wind: 0..9, hour: 0..99) -> flag
  = no when u.at is not h or u.hidden
  = no when u.hits > 5
  = u.type.fp < 5 or hour > 3 or calm(wind, hour) otherwise

rule calm(wind: 0..9, hour: 0..99) -> flag
  = hour mod 2 is 0

rule haze(a: Hex, b: Hex, wind: 0..9) -> 0..99
  = sum(h in between(a, b): h.smoke) + count(h in line(a, b) where h.smoke > 0)

action fire "fire"
  choose u: Unit where u.side is me "with"
  choose h: Hex where any(t in Unit where endangered(t, h, 3, shots)) "at"
  roll die: 1d6
  let found = set(t in Unit where endangered(t, h, die, shots))
  for t in found: t.hits := min(9, t.hits + distance(u.at, t.at) mod 3)
  h.smoke := (haze(u.at, h, die) + die + sum(x in Hex: x.smoke)) mod 4
  shots += 1
  u.at := h
  u.hidden := die > 4
  end game if shots > 30

sequence
  alternate p from red until all pass
    offer p: fire

victory
  = none
"""


PLACES = ("0101", "0304", "0506", "0702", "0905", "1001", "0203", "0606")


@needs_compiler
def test_filters_that_look_ahead_are_not_heard(tmp_path: Path) -> None:
    folder = str(write_title_of_units(tmp_path / "skirmish", RULES, 6 * ["." * 10], PLACES))
    engine = grognard.load(folder)
    text = emit_source(engine.ruleset.program)
    assert "if ctx.level < 2:" in text and "grog_sum(s" in text
    report = grognard.compare_backends(engine.ruleset, games=4, seed=5)
    assert report.agree, str(report)
    assert report.positions > 60


@needs_compiler
def test_filters_find_the_same_where_nobody_listens(tmp_path: Path) -> None:
    folder = str(write_title_of_units(tmp_path / "skirmish", RULES, 6 * ["." * 10], PLACES))
    games = [
        grognard.load(folder, backend=backend).new_game("only", seed=9)
        for backend in ("compiled", "interpreter")
    ]
    chance = random.Random(4)
    for _ in range(60):
        one, other = (game.legal() for game in games)
        assert [str(move) for move in one] == [str(move) for move in other]
        if not one:
            break
        number = chance.randrange(len(one))
        for game, moves in zip(games, (one, other)):
            game.play_inplace(moves[number])
        assert games[0].cells == games[1].cells


def _function(number: int, params: int, *body: ir.Stmt) -> ir.Function:
    locals_ = tuple(ir.LocalDecl(f"p{n}", ir.IntType()) for n in range(params))
    return ir.Function(number, f"f{number}", params, locals_, ir.IntType(), body, 0, True)


def test_a_parameter_that_is_only_handed_on_is_as_read_as_it_is_there() -> None:
    own, other = ir.Local(0), ir.Local(1)
    functions = (
        # reads its second parameter
        _function(0, 2, ir.Return(other)),
        # hands both on, and to itself
        _function(1, 2, ir.Return(ir.Binary("add", ir.Call(0, (own, other)), ir.Call(1, (own, other)), 0))),
        # the other way round; what is handed on inside an expression is read
        _function(2, 2, ir.Return(ir.Call(0, (other, own)))),
        _function(3, 2, ir.Return(ir.Call(0, (ir.Unary("neg", own), other)))),
        # a parameter that is changed is a variable of its own
        _function(4, 1, ir.Assign(0, ir.Const(1)), ir.Return(ir.Const(0))),
    )
    program, *_ = hypothetical()
    found = unread_parameters(replace(program, functions=functions))
    assert found == [{0}, {0}, {1}, set(), set()]


def test_what_a_rule_asks_first_is_told_up_to_where_it_is_heard() -> None:
    first, second, last = (ir.Load(n, (ir.Local(0),), 0) for n in range(3))
    heard = ir.Note(2, 0, ())
    no = ir.Return(ir.Const(0))
    body = (
        ir.IfStmt(ir.Binary("or", first, second, 0), (heard, no), ()),
        ir.Assign(1, last),
        ir.Note(1, 0, (ir.Local(1),)),
        ir.Return(ir.Local(1)),
    )
    told = list(guards(body))
    assert told == [(ir.Unary("not", first), 2), (ir.Unary("not", second), 2), (last, 1)]
    # A rule that is true early, or does something first, has no such conditions.
    assert not list(guards((ir.IfStmt(first, (ir.Return(ir.Const(1)),), ()), *body)))
    assert list(guards((ir.Return(first),))) == [(first, UNTRACED)]
