"""Operators on numbers and sets, conditional values; the interval of a result."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from grognard.compiler.lower.exprs.comparisons import (
    is_free_name,
    lower_comparison,
    lower_in,
    lower_is,
)
from grognard.compiler.sema.implied_tests import spelled_out, there, through
from grognard.compiler.sema.scope import Scope, Value
from grognard.compiler.sema.types import (
    FLAG,
    INT,
    INT_HI,
    INT_LO,
    UNKNOWN,
    Type,
    dom_type,
    int_range,
    join,
    set_type,
)
from grognard.compiler.syntax import nodes as syn
from grognard.contract import ir
from grognard.contract.header import NONE

if TYPE_CHECKING:
    from grognard.compiler.lower.exprs.expressions import Exprs


def lower_unary(exprs: Exprs, expr: syn.UnaryExpr, scope: Scope, want: Type | None) -> Value:
    if expr.op == "not":
        exprs.below_not = True
        return Value(FLAG, ir.Unary("not", exprs.condition(expr.value, scope)))
    made = exprs.checked(expr.value, scope, INT)
    return Value(int_range(-made.type.hi, -made.type.lo), negated(made.expr))


def negated(expr: ir.Expr) -> ir.Expr:
    """Minus a value; of a number that is written out, the number."""
    if isinstance(expr, ir.Const) and abs(expr.value) < INT_HI:
        return ir.Const(-expr.value)
    return ir.Unary("neg", expr)


def lower_binary(exprs: Exprs, expr: syn.BinaryExpr, scope: Scope, want: Type | None) -> Value:
    match expr.op:
        case "and":
            left = exprs.condition(expr.left, scope)
            right = exprs.condition(expr.right, scope.with_narrowed(exprs.narrow(expr.left, scope, True)))
            return Value(FLAG, ir.Binary("and", left, right, exprs.lowerer.nowhere))
        case "or":
            left = exprs.condition(expr.left, scope)
            right = exprs.condition(expr.right, scope.with_narrowed(exprs.narrow(expr.left, scope, False)))
            return Value(FLAG, ir.Binary("or", left, right, exprs.lowerer.nowhere))
        case "is" | "is_not":
            return lower_is(exprs, expr, scope)
        case "in" | "not_in":
            made = lower_in(exprs, expr, scope)
            return Value(FLAG, ir.Unary("not", made)) if expr.op == "not_in" else Value(FLAG, made)
        case "lt" | "le" | "gt" | "ge":
            return lower_comparison(exprs, expr, scope)
    return _arithmetic(exprs, expr, scope, want)


def _arithmetic(exprs: Exprs, expr: syn.BinaryExpr, scope: Scope, want: Type | None) -> Value:
    left = exprs.value(expr.left, scope, want if want and want.sort == "set" else None)
    if left.type.sort == "set" and expr.op in ("add", "sub"):
        return _set_arithmetic(exprs, expr, left, scope)
    exprs.demand(left, INT, expr.left.span)
    right = exprs.checked(expr.right, scope, INT)
    if left.type.sort != "int" or right.type.sort != "int":
        return Value(UNKNOWN, ir.Const(0))
    if expr.op.startswith("div") or expr.op == "mod":
        if right.type.lo == right.type.hi == 0:
            exprs.sink.error("GR0315", expr.right.span, "this divides by zero")
        elif right.type.lo <= 0 <= right.type.hi < INT_HI and right.type.lo > INT_LO:
            exprs.sink.warning(
                "GR0315",
                expr.right.span,
                f"this can be zero: it is {right.type.words}",
                hint="bound it from below: `max(1, ...)`",
            )
    site = exprs.lowerer.site("arithmetic", expr.op, expr.span, owner=exprs.code.owner)
    op: Any = expr.op
    return Value(interval(expr.op, left.type, right.type), ir.Binary(op, left.expr, right.expr, site))


def _set_arithmetic(exprs: Exprs, expr: syn.BinaryExpr, left: Value, scope: Scope) -> Value:
    right = exprs.value(expr.right, scope, left.type)
    if right.type.sort == "dom" and right.type.dom is not None:
        right = Value(set_type(right.type.dom), ir.SetOf(right.type.dom.id, (right.expr,)))
    if right.type.sort != "set":
        if right.type.sort != "unknown":
            exprs.sink.error("GR0313", expr.right.span, f"a set is needed here, this is {right.type}")
        return left
    both = join(left.type, right.type)
    if both is None:
        exprs.sink.error("GR0301", expr.span, f"a {left.type} and a {right.type} have nothing in common")
        return left
    if expr.op == "sub":
        return Value(left.type, set_minus(exprs, left, right))
    left, right = exprs.widened(left, both), exprs.widened(right, both)
    return Value(both, ir.SetBinary("union", left.expr, right.expr))


def set_minus(exprs: Exprs, left: Value, right: Value) -> ir.SetExpr:
    """The members of a set that are not in another one, of the same type or of another class of places."""
    if left.type.dom is right.type.dom:
        return ir.SetBinary("minus", left.expr, right.expr)
    assert left.type.dom
    each = exprs.code.local("(element)", dom_type(left.type.dom))
    rest = ir.Unary("not", ir.In(ir.Local(each), right.expr))
    return ir.SetBuild(left.type.dom.id, each, ir.OverSet(left.expr), rest, None)


def lower_ternary(exprs: Exprs, expr: syn.Ternary, scope: Scope, want: Type | None) -> Value:
    condition = exprs.condition(expr.condition, scope)
    then = exprs.value(expr.then, scope.with_narrowed(exprs.narrow(expr.condition, scope, True)), want)
    hint = want if want is not None else then.type.required()
    otherwise = exprs.value(
        expr.otherwise, scope.with_narrowed(exprs.narrow(expr.condition, scope, False)), hint
    )
    if want is None and is_free_name(exprs, expr.then, scope) and then.type.sort == "unknown":
        then = exprs.value(expr.then, scope, otherwise.type.required())
    both = join(then.type, otherwise.type)
    if both is None:
        exprs.sink.error(
            "GR0301", expr.span, f"the two values differ in type: {then.type} and {otherwise.type}"
        )
        return Value(UNKNOWN, ir.Const(0))
    if both.sort == "set":
        then, otherwise = exprs.widened(then, both), exprs.widened(otherwise, both)
        return Value(both, ir.SetIf(condition, then.expr, otherwise.expr))
    if both.sort == "record":
        assert then.record is not None and otherwise.record is not None
        if any(part.type.sort in ("set", "list") for part in then.record.values()):
            exprs.sink.error(
                "GR0301",
                expr.span,
                f"{both} cannot be picked with `if` in an expression",
                hint="use `if` lines",
            )
            return Value(UNKNOWN, ir.Const(0))
        parts = {
            k: Value(v.type, ir.If(condition, v.expr, otherwise.record[k].expr))
            for k, v in then.record.items()
        }
        return Value(both, None, parts)
    return Value(both, ir.If(condition, then.expr, otherwise.expr))


def lower_or_else(exprs: Exprs, expr: syn.OrElse, scope: Scope, want: Type | None) -> Value:
    """`x else y`; y too where something on the way to x is none."""
    needs = through(exprs, expr.value, scope)
    if needs:
        *earlier, last = needs
        test = spelled_out(earlier, there(last))
        known = scope.with_narrowed(exprs.narrow(test, scope, True))
        kind = exprs.type_of(expr.value, known)
        value = expr if kind is not None and kind.optional else expr.value
        return lower_ternary(exprs, syn.Ternary(test, value, expr.otherwise, expr.span), scope, want)
    first = exprs.value(expr.value, scope, want)
    second = exprs.value(expr.otherwise, scope, first.type.required())
    both = join(first.type.required(), second.type)
    if both is None:
        exprs.sink.error("GR0301", expr.otherwise.span, f"this is {second.type}, the other is {first.type}")
        return Value(UNKNOWN, ir.Const(0))
    site = exprs.lowerer.site("read", "else", expr.span)
    none = ir.Binary("eq", first.expr, ir.Const(NONE), site)
    return Value(both, ir.If(none, second.expr, first.expr))


def interval(op: str, a: Type, b: Type) -> Type:
    """Interval arithmetic; what leaves 32 bits is cut there (and fails when it happens)."""
    if op == "add":
        return int_range(a.lo + b.lo, a.hi + b.hi)
    if op == "sub":
        return int_range(a.lo - b.hi, a.hi - b.lo)
    if op == "mul":
        corners = [a.lo * b.lo, a.lo * b.hi, a.hi * b.lo, a.hi * b.hi]
        return int_range(min(corners), max(corners))
    if op == "mod":
        return int_range(0, max(0, b.hi - 1)) if b.lo > 0 else INT
    # Division: the quotient is never further from zero than the dividend; with a fixed divisor it is exact.
    if b.lo == b.hi and b.lo > 0:
        down, up = (lambda n: n // b.lo), (lambda n: -(-n // b.lo))
        lo = {"div_down": down, "div_up": up, "div_near": down}[op](a.lo)
        hi = {"div_down": down, "div_up": up, "div_near": up}[op](a.hi)
        return int_range(lo, hi)
    edge = max(abs(a.lo), abs(a.hi))
    return int_range(-edge if a.lo < 0 or b.lo < 0 else 0, edge)
