"""What stands before a function whose values are remembered, under its name: it is asked only for what is not known."""

from __future__ import annotations

from grognard.compiler.cython.analysis.plan import Plan
from grognard.compiler.cython.print.body import fixed_at
from grognard.compiler.cython.print.lines import INDENT
from grognard.compiler.cython.print.routine import Routine
from grognard.compiler.passes.analyses.memoisable import (
    MOST_GIVEN,
    is_quick,
    looks_at_many,
    sought,
    value_range,
)
from grognard.contract import ir


def remembering(plan: Plan, routine: Routine, function: ir.Function) -> list[Routine]:
    """What stands before a function whose values are remembered, under its name: it is asked only for what is not known."""
    number = function.id
    given = [name for name in routine.given if name not in ("ctx", "out")]
    key = ", ".join(
        [str(number), str(plan.remembered.functions[number]), *(given + ["0"] * MOST_GIVEN)[:MOST_GIVEN]]
    )
    call = f"{routine.name}({', '.join(routine.given)})"
    least = "GROG_REMEMBERS_MUCH" if looks_at_many(function) else "GROG_REMEMBERS"
    if isinstance(function.result, ir.SetType):
        words = fixed_at(plan.program, "words", function.result.domain)
        declared = ["cdef int64_t steps = ctx.steps"]
        look = [f"if grog_known_in(ctx, {key}, out, {words}):", f"{INDENT}return"]
        keep, end = [f"grog_keep_set(ctx, {key}, steps, out, {words})"], ["return"]
        ask, leave = call, [call, "return"]
    else:
        declared = ["cdef int64_t steps = ctx.steps", "cdef int32_t value"]
        look = [f"known = grog_known_value(ctx, {key})", "if known != NULL:", f"{INDENT}return known.value"]
        keep, end = [f"grog_keep_value(ctx, {key}, steps, value)"], ["return value"]
        ask, leave = f"value = {call}", [f"return {call}"]

    def made(what: str, name: str, lines: list[str], apart: bool = False) -> Routine:
        comments, text = (f"{what} {routine.comments[0]}",), tuple(INDENT + line for line in lines)
        return Routine(comments, routine.result, name, routine.params, text, apart)

    remembers = "what is remembered of"
    pointer = [] if isinstance(function.result, ir.SetType) else ["cdef const grog_value *known"]
    if plan.is_small:
        # One call only, so that the C compiler can write the function out here.
        asked = f"if ctx.remembers >= {least}:"
        lines = [*declared, *pointer, asked, *(INDENT + line for line in look), ask, asked]
        return [made(remembers, plan.functions[number], [*lines, *(INDENT + line for line in keep), *end])]
    alone = f"ctx.remembers < {least} or not grog_trusts(ctx, {number})"
    first = _nobody(plan, function, given)
    if is_quick(function, plan.remembered.indices):
        # What it is looked up by is remembered, which does as well where there is time to find that.
        alone = "ctx.remembers != GROG_REMEMBERS_MUCH"
    # To look is a matter of few registers: whatever else is to be done is done elsewhere, and reached by a jump.
    found = plan.finding(number)
    last = call.replace(routine.name, found, 1)
    return [
        made("to be remembered:", found, [*declared, ask, *keep, *end], apart=True),
        made(
            remembers,
            plan.functions[number],
            [
                *pointer,
                *first,
                f"if {alone}:",
                *(INDENT + line for line in leave),
                *look,
                f"return {last}" if pointer else last,
            ],
        ),
    ]


def _nobody(plan: Plan, function: ir.Function, given: list[str]) -> list[str]:
    """The lines by which a function that looks for holders of a value is over at once where it is known that there are none."""
    by = sought(function, plan.remembered.indices)
    if by is None:
        return []
    held, param = by
    read = [n for n in range(function.params) if n not in plan.unread[function.id]]
    (domain,) = plan.program.fields[held].dims
    values = value_range(plan.program, held, domain)
    indices = plan.remembered.indices
    assert values is not None
    count, first, many = (
        fixed_at(plan.program, name, number)
        for name, number in (("cnt", domain), ("base", values), ("cnt", values))
    )
    index = f"{list(indices).index(held)}, {indices[held]}, {count}"
    value = f"{given[read.index(param)]}, {first}, {many}"
    lines = [f"if grog_nobody(ctx, {index}, {value}):"]
    if isinstance(function.result, ir.SetType):
        words = fixed_at(plan.program, "words", function.result.domain)
        return [*lines, f"{INDENT}grog_set_clear(out, {words})", f"{INDENT}return"]
    return [*lines, f"{INDENT}return 0"]
