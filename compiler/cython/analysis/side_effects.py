"""Whether code can be observed: whether it may fail, be traced, take steps or write.

The answers decide where a loop may be a single pass.  They err on the safe side.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from grognard.contract import ir
from grognard.contract.ir.walk import nodes

if TYPE_CHECKING:
    from grognard.compiler.cython.analysis.plan import Plan

_PLAIN_OPS = {"min", "max", "eq", "ne", "lt", "le", "gt", "ge", "and", "or"}


def stores(plan: Plan, code: Any) -> bool:
    """Whether code may change the position (offering a candidate does not)."""
    return plan.code_writes(tuple(_without_yields(code)))


def _without_yields(code: Any) -> list[Any]:
    """The parts of code that are no Yield by themselves, each without its own parts."""
    kept: list[Any] = []
    for node in nodes(code):
        if isinstance(node, ir.Yield | ir.IfStmt | ir.For | ir.While | ir.ForLine):
            continue
        kept.append(node)
    return kept


def side_effect_free(plan: Plan, code: Any, bounded: Mapping[int, int]) -> bool:
    """Whether code can neither fail nor be noted nor take steps, given locals that are known to be in a domain."""

    def safe(dims: tuple[int, ...], index: tuple[ir.Expr, ...]) -> bool:
        return not dims or (
            len(dims) == 1
            and len(index) == 1
            and isinstance(index[0], ir.Local)
            and bounded.get(index[0].index) == dims[0]
        )

    for node in nodes(code):
        match node:
            case (
                ir.Const()
                | ir.Sym()
                | ir.DomainCount()
                | ir.DomainBase()
                | ir.Local()
                | ir.Head()
                | ir.If()
                | ir.Verb()
                | ir.In()
                | ir.SetCount()
                | ir.SetNext()
                | ir.SetEqual()
                | ir.Subset()
                | ir.SetLocal()
                | ir.ListLocal()
                | ir.ListLength()
                | ir.Yield()
                | ir.Assign()
                | ir.IfStmt()
                | ir.Break()
                | ir.Continue()
            ):
                continue
            case ir.Unary(op="not"):
                continue
            case ir.Binary(op=op) if op in _PLAIN_OPS:
                continue
            case ir.Load(field=number, index=index) | ir.SetLoad(field=number, index=index):
                if safe(plan.program.fields[number].dims, index):
                    continue
            case ir.Data(column=number, index=index) | ir.SetData(column=number, index=index):
                if safe(plan.program.columns[number].dims, index):
                    continue
        return False
    return True
