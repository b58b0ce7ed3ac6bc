"""Loops that write one constant to all cells of a field become one call."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from grognard.compiler.cython.print.lines import Rank
from grognard.contract import ir
from grognard.contract.header import NONE

if TYPE_CHECKING:
    from grognard.compiler.cython.print.body import Body


def fills_field(node: ir.For, body: Body) -> ir.Store | None:
    """The write, if the loop and those inside it do nothing else and leave out no cell."""
    over: list[int] = []
    index: list[ir.Expr] = []
    here: ir.Stmt = node
    while isinstance(here, ir.For):
        if (
            not isinstance(here.over, ir.OverDomain)
            or here.where is not None
            or here.key is not None
            or body.loops.alive_field(here.over.domain) is not None
            or len(here.body) != 1
        ):
            return None
        over.append(here.over.domain)
        index.append(ir.Local(here.var))
        (here,) = here.body
    if not isinstance(here, ir.Store) or here.op != "set" or here.index != tuple(index):
        return None
    entry = body.program.fields[here.field]
    if entry.dims != tuple(over) or not isinstance(here.value, ir.Const):
        return None
    value = here.value.value
    return here if entry.lo <= value <= entry.hi or (value == NONE and entry.optional) else None


def fill_field(node: ir.For, write: ir.Store, body: Body, step_by_step: Callable[[], None]) -> None:
    """The call, where the budget has the steps that the loop would take; otherwise the loop."""
    counts = [body.count(domain) for domain in body.program.fields[write.field].dims]
    steps = " + ".join(" * ".join(counts[: number + 1]) for number in range(len(counts)))
    steps = steps if len(counts) == 1 else f"({steps})"
    body.touch(Rank.WRITE)
    start, cells = body.offset(write.field), " * ".join(counts)
    with body.out.block(f"if ctx.steps >= {steps} and not ctx.fail:"):
        body.out.add(f"ctx.steps -= {steps}")
        value = body.expressions.value(write.value)
        fill = f"grog_fill(ctx, {start}, {cells}, {value}, {body.writes.journal}, {body.at(write.site)})"
        body.writes.changing(fill, write.field)
        body.put_int(node.var, "0")
    with body.out.block("else:"):
        step_by_step()
