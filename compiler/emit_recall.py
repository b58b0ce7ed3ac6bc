"""What stands before a function whose values are remembered, under its name: it is asked only for what is not known."""

from __future__ import annotations

from collections.abc import Sequence

from grognard.compiler import ir
from grognard.compiler.emit_base import fixed_at
from grognard.compiler.emit_body import Routine
from grognard.compiler.emit_code import INDENT
from grognard.compiler.emit_plan import Plan
from grognard.compiler.remembered import MOST_GIVEN, looks_at_many

ANEW = "anew"


def remembering(plan: Plan, routine: Routine, function: ir.Function) -> list[Routine]:
    """The routines that stand before a function.

    In a small program it is one, with one call, so that the C compiler can write the function out there.  In a large one, in
    which it would not, finding out and keeping is a routine of its own: what is known already is then told without
    saving a register, and what is not remembered now goes straight to the function."""
    number = function.id
    known = [name for name in routine.given if name not in ("ctx", "out")]
    given = (known + ["0"] * MOST_GIVEN)[:MOST_GIVEN]
    key = ", ".join([str(number), str(plan.remembered.functions[number]), *given])
    arguments = f"({', '.join(routine.given)})"
    least = "GROG_REMEMBERS_MUCH" if looks_at_many(function) else "GROG_REMEMBERS"
    if isinstance(function.result, ir.SetType):
        words = fixed_at(plan.program, "words", function.result.domain)
        declared = []
        recall = [f"if grog_known_in(ctx, {key}, out, {words}):", f"{INDENT}return"]
        find = [f"{routine.name}{arguments}"]
        keep, end = f"grog_keep_set(ctx, {key}, steps, out, {words})", []
    else:
        declared = ["cdef const grog_value *known"]
        recall = [
            f"known = grog_known_value(ctx, {key})",
            "if known != NULL:",
            f"{INDENT}return known.value",
        ]
        find = [f"cdef int32_t value = {routine.name}{arguments}"]
        keep, end = f"grog_keep_value(ctx, {key}, steps, value)", ["return value"]
    steps = "cdef int64_t steps = ctx.steps"
    kept = [f"if ctx.remembers >= {least}:", INDENT + keep, *end]
    about = (f"what is remembered of {routine.comments[0]}",)
    name = plan.functions[number]
    if plan.is_small:
        asked = [f"if ctx.remembers >= {least}:", *(INDENT + line for line in recall)]
        lines = [steps, *declared, *asked, *find, *kept]
        return [_routine(about, routine, name, lines)]
    anew = f"{ANEW}_{name}"
    asked = [
        f"if ctx.remembers < {least}:",
        *(INDENT + line for line in _passed_on(routine, routine.name + arguments)),
    ]
    return [
        _routine((f"finds and keeps {routine.comments[0]}",), routine, anew, [steps, *find, *kept]),
        _routine(about, routine, name, [*declared, *asked, *recall, *_passed_on(routine, anew + arguments)]),
    ]


def apart_declarations(routines: Sequence[Routine]) -> list[str]:
    """The declarations in C of the routines that are not to be written out where they are called."""
    return [f"GROG_APART {routine.prototype};" for routine in routines if routine.name.startswith(f"{ANEW}_")]


def _passed_on(routine: Routine, call: str) -> list[str]:
    """A call whose result is the caller's."""
    return [call, "return"] if routine.result == "void" else [f"return {call}"]


def _routine(comments: tuple[str, ...], of: Routine, name: str, lines: list[str]) -> Routine:
    return Routine(comments, of.result, name, of.params, tuple(INDENT + line for line in lines))
