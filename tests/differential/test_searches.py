"""Searches for elements by what their cells hold: sets, counts and questions, whatever the number of elements, and what is
blamed where there is nothing to compare with."""

from __future__ import annotations

import random
from dataclasses import replace
from functools import lru_cache
from typing import Any

import pytest
from grognard.compiler.build.build import build_engine, compiler_available
from grognard.compiler.cython.modules import emit_source
from grognard.contract import ir
from grognard.contract.backend import (
    Io,
    RuleFailure,
    fresh_cells,
)
from grognard.contract.header import NONE
from grognard.contract.layout import compute_layout
from grognard.interpreter.machine import Interpreter
from grognard.native.engine import CompiledEngine
from programs import INT, Builder, Built, c, function_id, loc, op

SIZES = (1, 3, 8, 13, 32, 40, 60, 64, 65, 100, 130)


def searching() -> Built:
    """Men of battles: alive, in a battle, on a side; a battle has a side too."""
    b = Builder("searching")
    man = b.domain("Man", "piece", 60, alive=0)
    battle = b.domain("Battle", "record", 3, base=7)
    alive = b.field("Man.alive", (man,), hi=1)
    where = b.field("Man.battle", (man,), optional=True)
    side = b.field("Man.side", (man,), hi=3)
    of = b.field("Battle.side", (battle,), hi=3)
    b.field("Battle.men", (battle,), ir.SetType(man))
    assert alive == 0
    here = op("eq", ir.Load(where, (loc(1),), b.site("load", "his battle")), loc(0))
    ours = op(
        "eq",
        ir.Load(side, (loc(1),), b.site("load", "his side")),
        ir.Load(of, (loc(0),), b.site("load", "the battle's side")),
    )
    both = op("and", here, ours)
    locals_ = (("b", INT), ("m", INT))
    over = ir.OverDomain(man)
    b.expr("men", 1, locals_, ir.SetBuild(man, 1, over, both, None))
    b.expr("how many", 1, locals_, ir.Aggregate("count", 1, over, both, None, 0))
    b.expr("is any", 1, locals_, ir.Aggregate("any", 1, over, both, None, 0))
    # With the battle's side first nobody need be there for it to fail.
    b.expr("turned", 1, locals_, ir.Aggregate("count", 1, over, op("and", ours, here), None, 0))
    first = ir.Load(of, (loc(0),), b.site("load", "looked up first"))
    again = ir.Load(of, (loc(0),), b.site("load", "looked up again"))
    b.expr("twice", 1, locals_, op("add", op("mul", first, c(10)), again))
    b.expr(
        "sum of sides",
        1,
        locals_,
        ir.Aggregate(
            "sum",
            1,
            ir.OverSet(ir.SetLoad(4, (loc(0),), b.site("load", "the men"))),
            None,
            ir.Load(side, (loc(1),), b.site("load", "side of one")),
            b.site("aggregate", "all of them"),
        ),
    )
    return b.build()


@lru_cache(maxsize=1)
def module() -> Any:
    return build_engine(searching()[0])


def told(backend: Any, cells: bytearray, function: int, args: tuple[int, ...]) -> Any:
    try:
        return backend.call(bytearray(cells), function, args, Io())
    except RuleFailure as failure:
        return failure.kind, failure.site, tuple(failure.detail)


def sized(men: int) -> tuple[Interpreter, CompiledEngine, Any, bytearray]:
    program, _, data, _ = searching()
    entry = replace(data.domains[0], count=men, names=tuple(f"m{i}" for i in range(men)))
    data = replace(data, domains=[entry, *data.domains[1:]])
    layout = compute_layout(program, [d.base for d in data.domains], [d.count for d in data.domains])
    backends = Interpreter(program, layout, data), CompiledEngine(module(), program, layout, data)
    return *backends, layout, fresh_cells(program, layout, 1)


@pytest.mark.skipif(compiler_available() is not None, reason="needs a C compiler")
@pytest.mark.parametrize("men", SIZES)
def test_searches_find_what_the_interpreter_finds(men: int) -> None:
    oracle, engine, layout, cells = sized(men)
    program = oracle.program
    chance = random.Random(men)
    failed = succeeded = 0
    for _ in range(40):
        crowd = chance.choice((0, 1, 3))
        with memoryview(cells) as raw, raw.cast("i") as s:
            for i in range(men):
                s[layout.field_offset[0] + i] = chance.choice((0, 1, 1))
                s[layout.field_offset[1] + i] = chance.choice((NONE, 8, 9, *[6, 99] * (crowd > 1)))
                s[layout.field_offset[2] + i] = chance.randrange(2)
                for b in range(3):
                    words = layout.field_words[4]
                    if chance.randrange(2) and i % 32 < 31:
                        s[layout.field_offset[4] + b * words + i // 32] |= 1 << i % 32
            for b in range(3):
                s[layout.field_offset[3] + b] = chance.randrange(2)
        for function in program.functions:
            for given in (7, 8, 9, 6, 10, 99, NONE):
                wanted = told(oracle, cells, function.id, (given,))
                assert told(engine, cells, function.id, (given,)) == wanted, (function.name, given)
                failed += isinstance(wanted, tuple)
                succeeded += not isinstance(wanted, tuple)
    assert failed > 100 and succeeded > 100


def test_searches_are_made_at_once() -> None:
    program = searching()[0]
    text = emit_source(program)
    for made in ("grog_scan_set(", "grog_scan_count(", "grog_scan_any(", "grog_scan_missing("):
        assert made in text, made


def test_a_parameter_is_checked_where_it_is_first_looked_up() -> None:
    program = searching()[0]
    text = emit_source(program)
    start = text.index("f_twice(grog_ctx")
    body = text[start : text.index("\n\n", start)]
    assert body.count("grog_member(") == 1 and "grog_ix(" not in body
    assert program.functions[function_id(program, "twice")].params == 1
