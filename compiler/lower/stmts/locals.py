"""Locals: names given to values, writes, and statements about something of a union, one for each of its types."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from grognard.compiler.lower.code import Value, assign_local
from grognard.compiler.lower.exprs.fields import belongs
from grognard.compiler.lower.stmts.writes import changed_set, lower_field_write
from grognard.compiler.sema.typed import nodes as t
from grognard.compiler.syntax import nodes as syn
from grognard.contract import ir

if TYPE_CHECKING:
    from grognard.compiler.lower.exprs.expressions import Lowering
    from grognard.compiler.lower.stmts.statements import Statements


def _let(low: Lowering, node: t.Let) -> None:
    made = low.lower(node.value)
    target = low.code.variable(node.variable.name, node.variable.type)
    low.code.values[node.variable] = target
    if node.value.type.sort != "unknown" and node.variable.type.sort != "unknown":
        assign_local(low.code, target, made)


def _write(low: Lowering, node: t.Write) -> None:
    write_local(low, node.written, low.value_of(node.variable), node.value)


def write_local(low: Lowering, written: syn.AssignStmt, target: Value, value: t.Typed) -> None:
    """Write a local, or a part of a record of locals."""
    code, op = low.code, written.op
    made = low.lower(value)
    if value.type.sort == "unknown" or target.type.sort == "unknown":
        return
    if target.record is None and not isinstance(target.expr, ir.Local | ir.SetLocal | ir.ListLocal):
        return  # what gives it its first value has a mistake
    if target.type.sort == "set" and op != "set":
        number = target.expr.index
        if made.type.sort == "dom":
            code.emit(ir.SetChange(number, made.expr, op == "add"))
        else:
            code.emit(ir.AssignSet(number, changed_set(low, op, target, made)))
        return
    if target.type.sort == "list" and op == "add":
        site = low.lowerer.site("list", "", written.span)
        code.emit(ir.ListAppend(target.expr.index, made.expr, site))
        return
    if op != "set":
        site = low.lowerer.site("arithmetic", "", written.span, owner=code.owner)
        made = Value(target.type, ir.Binary("add" if op == "add" else "sub", target.expr, made.expr, site))
    assign_local(code, target, made)


def _assign(low: Lowering, node: t.Assign) -> None:
    if isinstance(node.target, t.LocalTarget):
        write_local(low, node.written, low.lower(node.target.value), node.value)
    else:
        lower_field_write(low, node)


def _for_each_part(low: Statements, node: t.ForEachPart) -> None:
    value = low.lower(node.value).expr
    tail: tuple[ir.Stmt, ...] = ()
    for part, statement in node.parts:
        body = low.structured(() if statement is None else (statement,))
        tail = (ir.IfStmt(belongs(low, value, part), body, tail),)
    for item in tail:
        low.code.emit(item)


LOCALS: dict[type, Any] = {
    t.Let: _let,
    t.Write: _write,
    t.Assign: _assign,
    t.ForEachPart: _for_each_part,
}
