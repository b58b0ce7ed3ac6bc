"""Operators on numbers and sets, conditional values."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from grognard.compiler.lower.code import Value
from grognard.compiler.sema.typed import nodes as t
from grognard.compiler.sema.types import FLAG, INT_HI, dom_type
from grognard.contract import ir
from grognard.contract.header import NONE

if TYPE_CHECKING:
    from grognard.compiler.lower.exprs.expressions import Lowering


def _not(low: Lowering, node: t.Not) -> Value:
    return Value(FLAG, ir.Unary("not", low.test(node.value)))


def _negative(low: Lowering, node: t.Negative) -> Value:
    return Value(node.type, negated(low.lower(node.value).expr))


def negated(expr: ir.Expr) -> ir.Expr:
    """Minus a value; of a number that is written out, the number."""
    if isinstance(expr, ir.Const) and abs(expr.value) < INT_HI:
        return ir.Const(-expr.value)
    return ir.Unary("neg", expr)


def _both(low: Lowering, node: t.Both) -> Value:
    left = low.test(node.left)
    return Value(FLAG, ir.Binary("and", left, low.test(node.right), low.lowerer.nowhere))


def _either(low: Lowering, node: t.Either) -> Value:
    left = low.test(node.left)
    return Value(FLAG, ir.Binary("or", left, low.test(node.right), low.lowerer.nowhere))


def _arithmetic(low: Lowering, node: t.Arithmetic) -> Value:
    left, right = low.lower(node.left), low.lower(node.right)
    site = low.lowerer.site("arithmetic", node.op, node.span, owner=low.code.owner)
    op: Any = node.op
    return Value(node.type, ir.Binary(op, left.expr, right.expr, site))


def _union(low: Lowering, node: t.Union) -> Value:
    left = low.lower(node.left)
    return Value(node.type, ir.SetBinary("union", left.expr, low.lower(node.right).expr))


def _minus(low: Lowering, node: t.Minus) -> Value:
    left = low.lower(node.left)
    return Value(node.type, set_minus(low, left, low.lower(node.right)))


def set_minus(low: Lowering, left: Value, right: Value) -> ir.SetExpr:
    """The members of a set that are not in another one, of the same type or of another class of places."""
    if left.type.dom is right.type.dom:
        return ir.SetBinary("minus", left.expr, right.expr)
    assert left.type.dom
    each = low.code.local("(element)", dom_type(left.type.dom))
    rest = ir.Unary("not", ir.In(ir.Local(each), right.expr))
    return ir.SetBuild(left.type.dom.id, each, ir.OverSet(left.expr), rest, None)


def _widened(low: Lowering, node: t.Widened) -> Value:
    made = low.lower(node.value)
    assert made.type.dom and node.type.dom
    each = low.code.local("(element)", dom_type(made.type.dom))
    return Value(node.type, ir.SetBuild(node.type.dom.id, each, ir.OverSet(made.expr), None, None))


def _picked(low: Lowering, node: t.Picked) -> Value:
    condition = low.test(node.condition)
    then, otherwise = low.lower(node.then), low.lower(node.otherwise)
    if node.type.sort == "set":
        return Value(node.type, ir.SetIf(condition, then.expr, otherwise.expr))
    if then.record is not None and otherwise.record is not None:
        parts = {
            key: Value(part.type, ir.If(condition, part.expr, otherwise.record[key].expr))
            for key, part in then.record.items()
        }
        return Value(node.type, None, parts)
    return Value(node.type, ir.If(condition, then.expr, otherwise.expr), then.record or otherwise.record)


def _or_else(low: Lowering, node: t.OrElse) -> Value:
    first, second = low.lower(node.value), low.lower(node.otherwise)
    site = low.lowerer.site("read", "else", node.span)
    none = ir.Binary("eq", first.expr, ir.Const(NONE), site)
    return Value(node.type, ir.If(none, second.expr, first.expr))


OPERATORS: dict[type, Any] = {
    t.Not: _not,
    t.Negative: _negative,
    t.Both: _both,
    t.Either: _either,
    t.Arithmetic: _arithmetic,
    t.Union: _union,
    t.Minus: _minus,
    t.Widened: _widened,
    t.Picked: _picked,
    t.OrElse: _or_else,
}
