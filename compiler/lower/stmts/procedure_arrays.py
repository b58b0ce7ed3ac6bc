"""Procedure-local arrays: a value for each member of a type."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from grognard.compiler.lower.code import Value
from grognard.compiler.sema.typed import nodes as t
from grognard.compiler.sema.types import FieldInfo, dom_type
from grognard.contract import ir
from grognard.contract.header import NONE

if TYPE_CHECKING:
    from grognard.compiler.lower.stmts.statements import Statements


def _array(low: Statements, node: t.Array) -> None:
    """`var target(Unit): Hex? = none`: blank whenever the procedure comes here."""
    builder, code, info = low.builder, low.code, node.info
    type_ = info.type
    default = NONE if type_.optional else min(max(0, type_.lo), type_.hi) if type_.sort == "int" else 0
    number = builder.new_field(f"({code.owner}.{info.name})", info.axes, type_, default)
    builder.veiled.add(number)
    info.field = number
    builder.fields_by_id[number] = info
    code.emit(ir.Reset(number))
    if node.value is not None:
        _fill(low, node, info, node.value)


def _fill(low: Statements, node: t.Array, info: FieldInfo, value: t.Typed) -> None:
    """The first value of every element."""
    assert info.field is not None
    made = low.lower(value)
    if value.type.sort == "unknown" or made.expr == ir.Const(NONE):
        return
    saved = low.store_argument(Value(info.type, made.expr))
    site = low.lowerer.site("write", info.name, node.written.span, owner=low.code.owner)
    items = [low.code.local("(item)", dom_type(axis)) for axis in info.axes]
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
    low.code.emit(body)


ARRAYS: dict[type, Any] = {t.Array: _array}
