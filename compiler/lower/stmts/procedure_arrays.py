"""Procedure-local arrays: a value for each member of a type, and choices made into them."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from grognard.compiler.sema.declare.types import axis_dom, resolve_type
from grognard.compiler.sema.scope import (
    Scope,
    Value,
)
from grognard.compiler.sema.types import (
    UNKNOWN,
    FieldInfo,
    Type,
    dom_type,
)
from grognard.compiler.syntax import nodes as syn
from grognard.contract import ir
from grognard.contract.header import NONE

if TYPE_CHECKING:
    from grognard.compiler.lower.stmts.statements import Stmts


def lower_array(stmts: Stmts, statement: syn.ArrayStmt, scope: Scope) -> None:
    """`var target(Unit): Hex? = none`: blank whenever the procedure comes here."""
    world, code = stmts.world, stmts.code
    type_ = resolve_type(world, statement.type)
    axes = [axis_dom(world, axis) for axis in statement.axes]
    doms = tuple(dom for dom in axes if dom is not None)
    if type_.sort in ("unknown", "record") or len(doms) < len(axes):
        if type_.sort == "record":
            stmts.sink.error("GR0202", statement.type.span, "a record cannot be kept for each member")
        stmts.bind(scope, statement.name, Value(UNKNOWN, ir.Const(0)), True, statement.span)
        return
    if statement.value is None and not type_.optional and _first_is_nothing(type_):
        stmts.sink.error(
            "GR0305",
            statement.span,
            f"`{statement.name}` has nothing to begin with: no {type_} is the usual one",
            hint=f"write `: {type_}?`, or what it holds first: `= ...`",
        )
    default = NONE if type_.optional else min(max(0, type_.lo), type_.hi) if type_.sort == "int" else 0
    number = world.new_field(f"({code.owner}.{statement.name})", doms, type_, default)
    world.veiled.add(number)
    info = FieldInfo(statement.name, type_, doms, None, None, field=number)
    world.fields_by_id[number] = info
    code.emit(ir.Reset(number))
    if statement.value is not None:
        _fill(stmts, statement, info, scope)
    stmts.bind(scope, statement.name, Value(UNKNOWN, ir.Const(0)), True, statement.span)
    scope.names[statement.name].info = info


def _first_is_nothing(type_: Type) -> bool:
    """Start values: of numbers 0 or the nearest in range, of enums the first member, of places and counters none."""
    return (
        type_.sort == "dom"
        and type_.dom is not None
        and type_.dom.sort in ("place", "edge", "piece", "record")
    )


def _fill(stmts: Stmts, statement: syn.ArrayStmt, info: FieldInfo, scope: Scope) -> None:
    """The first value of every element."""
    assert statement.value is not None and info.field is not None
    made = stmts.checked(statement.value, scope, info.type, f"`{info.name}`")
    if made.type.sort == "unknown" or made.expr == ir.Const(NONE):
        return
    saved = stmts.store_argument(Value(info.type, made.expr))
    site = stmts.lowerer.site("write", info.name, statement.span, owner=stmts.code.owner)
    items = [stmts.code.local("(item)", dom_type(axis)) for axis in info.axes]
    index = tuple(ir.Local(item) for item in items)
    body: ir.Stmt = (
        ir.StoreSet(info.field, index, saved.expr, site)
        if info.type.sort == "set"
        else ir.StoreList(info.field, index, saved.expr, site)
        if info.type.sort == "list"
        else ir.Store(info.field, index, saved.expr, "set", False, site)
    )
    for item, axis in reversed(list(zip(items, info.axes, strict=True))):
        body = ir.For(item, ir.OverDomain(axis.id), axis.id, None, None, False, (body,), site)
    stmts.code.emit(body)


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
