"""Operators on numbers and sets, conditional values; the interval of a result."""

from __future__ import annotations

from typing import TYPE_CHECKING

from grognard.compiler.sema.implied_tests import spelled_out, there, through
from grognard.compiler.sema.scope import Scope
from grognard.compiler.sema.typed import nodes as t
from grognard.compiler.sema.typed.comparisons import check_comparison, check_in, check_is
from grognard.compiler.sema.typed.names import is_free_name
from grognard.compiler.sema.types import FLAG, INT, INT_HI, INT_LO, UNKNOWN, Type, int_range, join, set_type
from grognard.compiler.syntax import nodes as syn

if TYPE_CHECKING:
    from grognard.compiler.sema.typed.checker import Checker


def check_unary(check: Checker, expr: syn.UnaryExpr, scope: Scope) -> t.Typed:
    if expr.op == "not":
        check.below_not = True
        return t.Not(FLAG, check.condition(expr.value, scope))
    made = check.checked(expr.value, scope, INT)
    return t.Negative(int_range(-made.type.hi, -made.type.lo), made)


def check_binary(check: Checker, expr: syn.BinaryExpr, scope: Scope, want: Type | None) -> t.Typed:
    match expr.op:
        case "and":
            left = check.condition(expr.left, scope)
            right = check.condition(expr.right, scope.with_narrowed(check.narrow(expr.left, scope, True)))
            return t.Both(FLAG, left, right)
        case "or":
            left = check.condition(expr.left, scope)
            right = check.condition(expr.right, scope.with_narrowed(check.narrow(expr.left, scope, False)))
            return t.Either(FLAG, left, right)
        case "is" | "is_not":
            return check_is(check, expr, scope)
        case "in" | "not_in":
            made = check_in(check, expr, scope)
            return t.Not(FLAG, made) if expr.op == "not_in" else made
        case "lt" | "le" | "gt" | "ge":
            return check_comparison(check, expr, scope)
    return _arithmetic(check, expr, scope, want)


def _arithmetic(check: Checker, expr: syn.BinaryExpr, scope: Scope, want: Type | None) -> t.Typed:
    left = check.value(expr.left, scope, want if want and want.sort == "set" else None)
    if left.type.sort == "set" and expr.op in ("add", "sub"):
        return _set_arithmetic(check, expr, left, scope)
    check.demand(left.type, INT, expr.left.span)
    right = check.checked(expr.right, scope, INT)
    if left.type.sort != "int" or right.type.sort != "int":
        return t.Broken(UNKNOWN)
    if expr.op.startswith("div") or expr.op == "mod":
        if right.type.lo == right.type.hi == 0:
            check.sink.error("GR0315", expr.right.span, "this divides by zero")
        elif right.type.lo <= 0 <= right.type.hi < INT_HI and right.type.lo > INT_LO:
            check.sink.warning(
                "GR0315",
                expr.right.span,
                f"this can be zero: it is {right.type.words}",
                hint="bound it from below: `max(1, ...)`",
            )
    return t.Arithmetic(interval(expr.op, left.type, right.type), expr.op, left, right, expr.span)


def _set_arithmetic(check: Checker, expr: syn.BinaryExpr, left: t.Typed, scope: Scope) -> t.Typed:
    from grognard.compiler.sema.typed.checker import widened

    right = check.value(expr.right, scope, left.type)
    if right.type.sort == "dom" and right.type.dom is not None:
        right = t.SetOf(set_type(right.type.dom), (right,))
    if right.type.sort != "set":
        if right.type.sort != "unknown":
            check.sink.error("GR0313", expr.right.span, f"a set is needed here, this is {right.type}")
        return t.Broken(left.type)
    both = join(left.type, right.type)
    if both is None:
        check.sink.error("GR0301", expr.span, f"a {left.type} and a {right.type} have nothing in common")
        return t.Broken(left.type)
    if expr.op == "sub":
        return t.Minus(left.type, left, right)
    return t.Union(both, widened(left, both), widened(right, both))


def check_ternary(check: Checker, expr: syn.Ternary, scope: Scope, want: Type | None) -> t.Typed:
    from grognard.compiler.sema.typed.checker import widened

    condition = check.condition(expr.condition, scope)
    so = scope.with_narrowed(check.narrow(expr.condition, scope, True))
    then = check.value(expr.then, so, want)
    hint = want if want is not None else then.type.required()
    otherwise = check.value(
        expr.otherwise, scope.with_narrowed(check.narrow(expr.condition, scope, False)), hint
    )
    if want is None and is_free_name(check, expr.then, scope) and then.type.sort == "unknown":
        then = check.value(expr.then, scope, otherwise.type.required())
    both = join(then.type, otherwise.type)
    if both is None:
        check.sink.error(
            "GR0301", expr.span, f"the two values differ in type: {then.type} and {otherwise.type}"
        )
        return t.Broken(UNKNOWN)
    if both.sort == "set":
        return t.Picked(both, condition, widened(then, both), widened(otherwise, both))
    if both.sort == "record":
        assert both.record is not None
        if any(part.sort in ("set", "list") for part in both.record.fields.values()):
            check.sink.error(
                "GR0301",
                expr.span,
                f"{both} cannot be picked with `if` in an expression",
                hint="use `if` lines",
            )
            return t.Broken(UNKNOWN)
    return t.Picked(both, condition, then, otherwise)


def check_or_else(check: Checker, expr: syn.OrElse, scope: Scope, want: Type | None) -> t.Typed:
    """`x else y`; y too where something on the way to x is none."""
    needs = through(check, expr.value, scope)
    if needs:
        *earlier, last = needs
        test = spelled_out(earlier, there(last))
        known = scope.with_narrowed(check.narrow(test, scope, True))
        kind = check.type_of(expr.value, known)
        value = expr if kind is not None and kind.optional else expr.value
        return check_ternary(check, syn.Ternary(test, value, expr.otherwise, expr.span), scope, want)
    first = check.value(expr.value, scope, want)
    second = check.value(expr.otherwise, scope, first.type.required())
    both = join(first.type.required(), second.type)
    if both is None:
        check.sink.error("GR0301", expr.otherwise.span, f"this is {second.type}, the other is {first.type}")
        return t.Broken(UNKNOWN)
    return t.OrElse(both, first, second, expr.span)


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
