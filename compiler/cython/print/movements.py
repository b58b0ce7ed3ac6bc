"""Movements to Cython: the search, the places that can be reached, the cost of one."""

from __future__ import annotations

from grognard.compiler.cython.analysis.plan import (
    Plan,
)
from grognard.compiler.cython.print.lines import (
    Lines,
)
from grognard.compiler.cython.print.routine import Routine, origin
from grognard.compiler.cython.print.texts import (
    fixed_at,
)
from grognard.compiler.cython.tree import lines
from grognard.compiler.passes.analyses.memoisable import MOST_GIVEN_MOVEMENTS
from grognard.contract import ir


def movement_routines(plan: Plan, how: ir.Movement) -> list[Routine]:
    """The search of a movement, and the two questions that use it."""
    name = plan.movements[how.id]
    args = [f"a{number}" for number in range(how.params)]
    params = ", ".join(["grog_ctx *ctx", *(f"int32_t {arg}" for arg in args)])
    given = ", ".join(["ctx", *args])

    calls: list[str] = []
    constants: set[str] = set()

    def called(routine: str) -> str:
        calls.append(routine)
        return routine

    def named(text: str) -> str:
        constants.add(text.partition("[")[0])
        return text

    def call(function: int, *more: str) -> str:
        passed = (arg for number, arg in enumerate((*args, *more)) if number not in plan.unread[function])
        return f"{called(plan.functions[function])}({', '.join(['ctx', *passed])})"

    def routine(result: str, ending: str, params: str) -> Routine:
        """What has been printed, with the calls in it."""
        nonlocal calls
        made, calls = tuple(calls), []
        declared = lines(*(f"cdef {text}" for text in out.variables))
        body = (*declared, *out.nodes)
        return Routine(
            comments, result, f"{name}_{ending}", params, body, calls=made, constants=frozenset(constants)
        )

    comments = origin(plan.program, how.name, how.site, "movement")
    site = named(plan.numbers.site(how.site))
    out = Lines()
    out.variables += ["int32_t allowance, place, price, spent, stopped", "int64_t i", "int32_t *mark"]
    out.variables += ["const int32_t *around"]
    domain = plan.program.domains[how.space]
    base = "0" if domain.zero_based else fixed_at(plan.program, "base", how.space)
    bounds = f"{base}, {fixed_at(plan.program, 'cnt', how.space)}"
    out.add(f"grog_search_open(ctx, q, {call(how.start)}, {bounds}, {site})")
    with out.block("if q.heap_count == 0:"):
        out.add("return")
    out.add(f"allowance = {call(how.allowance)}")
    with out.block("while grog_search_next(ctx, q, target):"):
        out.add(f"spent = grog_search_spent(ctx, q, {site})")
        out.add("mark = grog_mark(ctx)")
        around = "neighbours(ctx, q.place)" if how.leap == 1 else f"within(ctx, q.place, {how.leap})"
        out.add(f"around = grog_o_{around}")
        with out.block("for i in range(around[0]):"):
            out.add("place = around[i + 1]")
            with out.block("if not grog_search_wants(q, place):"):
                out.add("continue")
            out.add(f"price = {call(how.cost, 'q.place', 'place', 'spent')}")
            with out.block(f"if not grog_search_pays(ctx, q, price, allowance, {int(how.minimum)}, {site}):"):
                out.add("continue")
            stop = "0" if how.stop is None else f"{call(how.stop, 'q.place', 'place')} != 0"
            out.add(f"stopped = {stop}")
            out.add("grog_search_offer(ctx, q, place, stopped, q.spent + price)")
        out.add("grog_release(ctx, mark)")
    search = routine("void", "search", f"{params}, int32_t target, grog_search *q")

    validity = plan.memoised.movements.get(how.id)
    key = ""
    if validity is not None:
        known = (args + ["0"] * MOST_GIVEN_MOVEMENTS)[:MOST_GIVEN_MOVEMENTS]
        number = named(plan.numbers.one(f"M_{name}", how.id))
        under = named(plan.numbers.one(f"V_{name}", validity))
        key = f"{number}, {under}, {', '.join(known)}"
    out = Lines()
    out.variables += ["grog_search own", "grog_search *q = NULL", "int64_t i, slot", "int32_t place"]
    out.add("grog_set_clear(out, words)")
    if key:
        out.add(f"q = grog_search_find(ctx, {key}, GROG_NONE)")
    with out.block("if q == NULL:"):
        if key:
            out.add("q = grog_search_room(ctx, &own)")
        else:
            out.add("grog_search_blank(&own)")
            out.add("q = &own")
        out.add(f"{called(f'{name}_search')}({given}, GROG_NONE, q)")
        if key:
            out.add(f"grog_search_store(ctx, q, {key})")
    with out.block("if q.opened:"), out.block("for i in range(q.count + 1):"):
        out.add("place = grog_search_place(q, i, &slot)")
        skip = "" if how.may_stay else " or place == q.start"
        with out.block(f"if ctx.fail or q.reached[slot] < 0{skip}:"):
            out.add("continue")
        if how.ends is not None:
            with out.block(f"if not {call(how.ends, 'place')}:"):
                out.add("continue")
        out.add(f"grog_set_put(ctx, out, place, first, count, 1, {site})")
    out.add("grog_search_done(q)")
    more = "int32_t *out, int64_t first, int64_t count, int64_t words"
    reach_set = routine("void", "set", f"{params}, {more}")

    out = Lines()
    out.variables += ["grog_search own", "grog_search *q = NULL", "int64_t cost = -1"]
    with out.block("if place == GROG_NONE:"):
        out.add("return GROG_NONE")
    if key:
        out.add(f"q = grog_search_find(ctx, {key}, place)")
    with out.block("if q == NULL:"):
        out.add("grog_search_blank(&own)")
        out.add("q = &own")
        out.add(f"{called(f'{name}_search')}({given}, place, q)")
    with out.block(f"if q.opened{'' if how.may_stay else ' and place != q.start'}:"):
        out.add("cost = grog_search_cost(q, place)")
    out.add("grog_search_done(q)")
    if how.ends is not None:
        with out.block(f"if cost >= 0 and not {call(how.ends, 'place')}:"):
            out.add("return GROG_NONE")
    out.add(f"return GROG_NONE if cost < 0 else grog_total(ctx, cost, {site})")
    reach_cost = routine("int32_t", "cost", f"{params}, int32_t place")
    return [search, reach_set, reach_cost]
