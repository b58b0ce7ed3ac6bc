"""The routines around a memoised function: look up under its name, compute and store on a miss."""

from __future__ import annotations

from grognard.compiler.cython.analysis.plan import Plan
from grognard.compiler.cython.print.routine import Routine
from grognard.compiler.cython.print.texts import fixed_at
from grognard.compiler.cython.tree import Block, Line, Node, lines
from grognard.compiler.passes.analyses.memoisable import (
    MOST_GIVEN,
    index_lookup,
    is_costly,
    is_index_lookup,
    value_range,
)
from grognard.contract import ir


def memo_routines(plan: Plan, routine: Routine, function: ir.Function) -> list[Routine]:
    """The routines around a memoised function: look up under its name, compute and store on a miss."""
    number = function.id
    given = [name for name in routine.given if name not in ("ctx", "out")]
    name = plan.functions[number]
    memo = plan.numbers.one(f"M_{name}", number)
    under = plan.numbers.one(f"V_{name}", plan.memoised.functions[number])
    key = ", ".join([memo, under, *(given + ["0"] * MOST_GIVEN)[:MOST_GIVEN]])
    call = f"{routine.name}({', '.join(routine.given)})"
    least = "GROG_MEMO_COSTLY" if is_costly(function) else "GROG_MEMO_ALL"
    if isinstance(function.result, ir.SetType):
        words = fixed_at(plan.program, "words", function.result.domain)
        declared = ["cdef int64_t steps = ctx.steps"]
        look: list[Node] = [Block(f"if grog_memo_find_set(ctx, {key}, out, {words}):", lines("return"))]
        keep, end = lines(f"grog_memo_put_set(ctx, {key}, steps, out, {words})"), lines("return")
        ask, leave = call, lines(call, "return")
    else:
        declared = ["cdef int64_t steps = ctx.steps", "cdef int32_t value"]
        look = [
            Line(f"known = grog_memo_find(ctx, {key})"),
            Block("if known != NULL:", lines("return known.value")),
        ]
        keep, end = lines(f"grog_memo_put(ctx, {key}, steps, value)"), lines("return value")
        ask, leave = f"value = {call}", lines(f"return {call}")

    def made(what: str, name: str, body: list[Node], calls: list[str], noinline: bool = False) -> Routine:
        comments = (f"{what} {routine.comments[0]}",)
        return Routine(
            comments, routine.result, name, routine.params, tuple(body), noinline, tuple(calls), constants
        )

    held = index_lookup(function, plan.memoised.indices)
    constants = frozenset([memo, under, *(plan.index_numbers(held[0]) if held is not None else ())])
    title = "memo of"
    pointer = [] if isinstance(function.result, ir.SetType) else lines("cdef const grog_memo_entry *known")
    if plan.is_small:
        # One call only, so that the C compiler can inline the function here.
        asked = f"if ctx.memo_mode >= {least}:"
        body = [*lines(*declared), *pointer, Block(asked, look), Line(ask), Block(asked, keep), *end]
        return [made(title, plan.functions[number], body, [routine.name])]
    alone = f"ctx.memo_mode < {least} or not grog_memo_admits(ctx, {memo})"
    first = _empty_lookup(plan, function, given)
    if is_index_lookup(function, plan.memoised.indices):
        # The inverted index is as quick as the memo, where there is one.
        alone = "ctx.memo_mode != GROG_MEMO_COSTLY"
    # A lookup needs few registers: the rest is a tail call.
    found = plan.miss_name(number)
    last = call.replace(routine.name, found, 1)
    return [
        made("memo miss of", found, [*lines(*declared, ask), *keep, *end], [routine.name], noinline=True),
        made(
            title,
            plan.functions[number],
            [
                *pointer,
                *first,
                Block(f"if {alone}:", leave),
                *look,
                Line(f"return {last}" if pointer else last),
            ],
            [routine.name, found],
        ),
    ]


def _empty_lookup(plan: Plan, function: ir.Function, given: list[str]) -> list[Node]:
    """The lines by which a function that looks for elements with a value returns at once where the inverted index has none."""
    by = index_lookup(function, plan.memoised.indices)
    if by is None:
        return []
    held, param = by
    read = [n for n in range(function.params) if n not in plan.unread[function.id]]
    (domain,) = plan.program.fields[held].dims
    values = value_range(plan.program, held, domain)
    assert values is not None
    count, first, many = (
        fixed_at(plan.program, name, number)
        for name, number in (("cnt", domain), ("base", values), ("cnt", values))
    )
    index = f"{', '.join(plan.index_numbers(held))}, {count}"
    value = f"{given[read.index(param)]}, {first}, {many}"
    leave = lines("return 0")
    if isinstance(function.result, ir.SetType):
        words = fixed_at(plan.program, "words", function.result.domain)
        leave = lines(f"grog_set_clear(out, {words})", "return")
    return [Block(f"if grog_inverted_empty(ctx, {index}, {value}):", leave)]
