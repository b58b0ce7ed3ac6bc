"""Names of an Ask's routines, and the call that collects its candidates."""

from __future__ import annotations

from grognard.compiler.cython.analysis.plan import (
    Plan,
)
from grognard.compiler.cython.print.texts import (
    literal,
)
from grognard.contract import ir
from grognard.contract.call_classes import few_candidates


def routine_name(kind: str, plan: Plan, machine: ir.Machine, number: int) -> str:
    return f"{kind}_{plan.machines[machine.id][2:]}_{number}"


def offer_call(plan: Plan, machine: ir.Machine, number: int, ask: ir.Ask, chooser: str) -> str:
    """The line that collects an Ask's candidates."""
    on_view = plan.program.asks[ask.ask].on_view and plan.program.view is not None
    distinct = -1 if ask.distinct is None else ask.distinct
    extra = f"{0 if ask.extra is None else 1 + ask.lone}, {literal(0 if ask.extra is None else ask.extra)}"
    name = routine_name("offer", plan, machine, number)
    ordered = int(comes_in_order(plan.program.functions[ask.candidates]))
    few = few_candidates(ask, plan.finders)
    return f"grog_offer(ctx, fr, {chooser}, {name}, {int(on_view)}, {ordered}, {few}, {distinct}, {extra})"


def comes_in_order(function: ir.Function) -> bool:
    """Whether a function is nothing but a loop over a domain, a set or a range that offers elements as they come."""
    match function.body:
        case (
            ir.For(
                over=ir.OverDomain() | ir.OverSet() | ir.OverRange(),
                key=None,
                var=var,
                body=(ir.Yield(value=ir.Local(index=index)),),
            ),
        ):
            return var == index
    return False
