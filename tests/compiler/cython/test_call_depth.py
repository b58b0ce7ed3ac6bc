"""Calls inside each other are counted where there could be too many of them, and fail in the same way; elsewhere they are not counted."""

from __future__ import annotations

from dataclasses import replace

import pytest
from grognard.compiler.build.build import build_engine, compiler_available
from grognard.compiler.cython.analysis.plan import Plan
from grognard.compiler.cython.modules import emit_source
from grognard.contract import ir
from grognard.contract.backend import Io, RuleFailure
from grognard.interpreter.machine import Interpreter
from grognard.native.engine import CompiledEngine
from programs import duel, hypothetical

needs_compiler = pytest.mark.skipif(compiler_available() is not None, reason="nothing can be compiled here")

INT = ir.IntType()


def _chain(program: ir.Program, length: int, back: bool = False) -> tuple[ir.Program, int]:
    """The program with so many functions that call each the next one, the last of them `back` to the first; the first's number."""
    first = len(program.functions)
    made = []
    for number in range(first, first + length):
        last = number == first + length - 1
        # Something that runs over elements is no light function.
        loop = ir.For(1, ir.OverRange(ir.Const(1), ir.Const(2)), None, None, None, False, (), 0)
        less = ir.Binary("sub", ir.Local(0), ir.Const(1), 0)
        below: ir.Expr = ir.Call(first if last else number + 1, (less,))
        if last and not back:
            below = ir.Const(7)
        value = ir.If(ir.Binary("lt", ir.Local(0), ir.Const(1), 0), ir.Const(5), below)
        locals_ = (ir.LocalDecl("n", INT), ir.LocalDecl("i", INT))
        made.append(ir.Function(number, f"f{number}", 1, locals_, INT, (loop, ir.Return(value)), 0, True))
    return replace(program, functions=(*program.functions, *made)), first


def test_only_short_chains_go_uncounted() -> None:
    program = duel()[0]
    every = {function.id for function in program.functions}
    assert Plan(program).uncounted == every
    short, first = _chain(program, 60)
    assert Plan(short).uncounted == every | set(range(first, first + 60))
    assert "if not grog_enter" not in emit_source(short)
    assert "if not grog_enter" in emit_source(_chain(program, 150)[0])
    assert not Plan(_chain(program, 150)[0]).uncounted
    assert not Plan(_chain(program, 3, back=True)[0]).uncounted
    # What machines do that are tried out is not seen from here.
    assert not Plan(hypothetical()[0]).uncounted


@needs_compiler
@pytest.mark.parametrize(("length", "back"), [(60, False), (199, False), (230, False), (4, True)])
def test_both_back_ends_come_equally_deep(length: int, back: bool) -> None:
    program, layout, data, cells = duel()
    made, first = _chain(program, length, back)
    both = (Interpreter(made, layout, data), CompiledEngine(build_engine(made), made, layout, data))
    for asked in (0, 5, 59, 150, 198, 199, 200, 201, 240):
        answers = []
        for backend in both:
            try:
                answers.append(str(backend.call(bytearray(cells), first, (asked,), Io())))
            except RuleFailure as failure:
                answers.append(f"{failure.kind}")
        assert answers[0] == answers[1], asked
