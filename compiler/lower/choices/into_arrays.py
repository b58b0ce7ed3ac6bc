"""Choices made into an element of a procedure-local array."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from grognard.compiler.sema.scope import Scope, Value
from grognard.compiler.sema.types import dom_type
from grognard.compiler.syntax import nodes as syn
from grognard.contract import ir

if TYPE_CHECKING:
    from grognard.compiler.lower.stmts.seam import Stmts


def choose_into(stmts: Stmts, statement: syn.ChooseStmt, scope: Scope, **more: Any) -> None:
    """`choose target(u) in S where free(target)`: in the filter the bare name is the candidate."""
    bound = scope.find_array(statement.name)
    info = None if bound is None else bound.info
    if info is None or info.field is None:
        stmts.sink.error(
            "GR0208",
            statement.name_span,
            f"`{statement.name}` is not declared as a value for each of something",
            hint=f"var {statement.name}(Unit): Hex? = none",
        )
        return
    if len(statement.index) != len(info.axes):
        stmts.sink.error(
            "GR0302",
            statement.name_span,
            f"`{info.name}` has {len(info.axes)} axes, {len(statement.index)} given",
        )
        return
    index = []
    for place, expr in enumerate(statement.index):
        made = Value(dom_type(info.axes[place]), stmts.axis(expr, info, place, scope))
        index.append(stmts.store_argument(made).expr)
    inner = scope.child()
    stmts.choose(replace(statement, index=()), inner, **more)
    bound = inner.names.get(statement.name)
    if bound is None or bound.type.sort == "unknown":
        return
    chosen = stmts.code.value_of(bound)
    stmts.demand(chosen, info.type, statement.span, "what is chosen")
    site = stmts.lowerer.site(
        "write", info.name, statement.span, statement.cites.ids, (info.type.show,), stmts.code.owner
    )
    stmts.code.emit(ir.Store(info.field, tuple(index), chosen.expr, "set", False, site))
