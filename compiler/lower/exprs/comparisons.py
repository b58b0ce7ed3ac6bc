"""`is`, `in`, less and more."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from grognard.compiler.lower.exprs.fields import belongs
from grognard.compiler.lower.geometry.routes import leads_anywhere
from grognard.compiler.sema.scope import (
    Scope,
    Value,
    path_of,
)
from grognard.compiler.sema.types import (
    FLAG,
    INT,
    Dom,
    FormInfo,
    Type,
    dom_type,
    join,
)
from grognard.compiler.syntax import nodes as syn
from grognard.contract import ir
from grognard.contract.header import NONE

if TYPE_CHECKING:
    from grognard.compiler.lower.exprs.expressions import Exprs

COMPARISONS = {"lt": "lt", "le": "le", "gt": "gt", "ge": "ge"}


def lower_is(exprs: Exprs, expr: syn.BinaryExpr, scope: Scope) -> Value:
    negate = expr.op == "is_not"
    site = exprs.lowerer.nowhere
    right_name = expr.right.id if isinstance(expr.right, syn.Name) else ""
    if right_name == "empty" and scope.find("empty") is None:
        left = exprs.value(expr.left, scope)
        if left.type.sort == "set":
            able = leads_anywhere(exprs.lowerer, left.expr)
            if able is not None:
                return Value(FLAG, able if negate else ir.Unary("not", able))
            size: Any = ir.SetCount(left.expr)
        elif left.type.sort == "list":
            size = ir.ListLength(left.expr)
        else:
            if left.type.sort != "unknown":
                exprs.sink.error(
                    "GR0313", expr.left.span, f"only sets and lists can be empty, this is {left.type}"
                )
            return Value(FLAG, ir.Const(0))
        return Value(FLAG, ir.Binary("ne" if negate else "eq", size, ir.Const(0), site))
    kind = exprs.type_of(expr.left, scope)
    if kind is not None and kind.form is not None:
        alike = _form_is(exprs, expr, exprs.value(expr.left, scope), kind.form, scope)
        return Value(FLAG, ir.Unary("not", alike) if negate else alike)
    if (
        right_name in exprs.world.types
        and scope.find(right_name) is None
        and right_name not in exprs.world.globals
    ):
        left = exprs.value(expr.left, scope)
        test = _type_test(exprs, left, exprs.world.types[right_name], expr)
        return Value(FLAG, ir.Unary("not", test) if negate else test)
    left, right = _pair(exprs, expr, scope)
    if left.type.sort == "unknown" or right.type.sort == "unknown":
        return Value(FLAG, ir.Const(0))
    if left.type.sort == "set" and right.type.sort == "set":
        both = join(left.type, right.type)
        if both is None:
            exprs.sink.error("GR0303", expr.span, f"a {left.type} is never a {right.type}")
            return Value(FLAG, ir.Const(0))
        left, right = exprs.widened(left, both), exprs.widened(right, both)
        same = ir.SetEqual(left.expr, right.expr)
        return Value(FLAG, ir.Unary("not", same) if negate else same)
    if left.type.sort == "list" and right.type.sort == "list" and join(left.type, right.type) is not None:
        equal = _same_lists(exprs, left, right)
        return Value(FLAG, ir.Unary("not", equal) if negate else equal)
    _comparable(exprs, left, right, expr)
    if left.type.sort == right.type.sort == "int" and (
        left.type.hi < right.type.lo or right.type.hi < left.type.lo
    ):
        exprs.sink.warning("GR0311", expr.span, f"{left.type} is never {right.type}")
    return Value(FLAG, ir.Binary("ne" if negate else "eq", left.expr, right.expr, site))


def _form_is(exprs: Exprs, expr: syn.BinaryExpr, left: Value, form: FormInfo, scope: Scope) -> ir.Expr:
    """Whether a form is of a member, none, or the same as another in all its parts."""
    site = exprs.lowerer.nowhere
    assert left.record is not None
    name = left.record["name"]
    if isinstance(expr.right, syn.NoneLit):
        return ir.Binary("eq", name.expr, ir.Const(NONE), site)
    kind = exprs.type_of(expr.right, scope)
    if kind is not None and kind.form is form:
        right = exprs.value(expr.right, scope)
        assert right.record is not None
        same: Any = None
        for key, part in left.record.items():
            other = right.record[key]
            if part.type.sort == "set":
                test: Any = ir.SetEqual(part.expr, other.expr)
            elif part.type.sort == "list":
                test = _same_lists(exprs, part, other)
            else:
                test = ir.Binary("eq", part.expr, other.expr, site)
            same = test if same is None else ir.Binary("and", same, test, site)
        return same
    found = exprs.checked(expr.right, scope, dom_type(form.names, True))
    if found.type.sort == "unknown":
        return ir.Const(0)
    return ir.Binary("eq", name.expr, found.expr, site)


def _same_lists(exprs: Exprs, left: Value, right: Value) -> ir.Expr:
    """The same values in the same order."""
    site = exprs.lowerer.nowhere
    var = exprs.code.local("(place)", INT)
    place = ir.Local(var)
    items = ir.Binary("eq", ir.ListItem(left.expr, place, site), ir.ListItem(right.expr, place, site), site)
    long = ir.Binary("eq", ir.ListLength(left.expr), ir.ListLength(right.expr), site)
    each = ir.OverRange(ir.Const(1), ir.ListLength(left.expr))
    return ir.Binary("and", long, ir.Aggregate("all", var, each, None, items, site), site)


def _comparable(exprs: Exprs, left: Value, right: Value, expr: syn.BinaryExpr) -> None:
    if left.type.sort == "none" or right.type.sort == "none":
        other = right if left.type.sort == "none" else left
        if not other.type.optional and other.type.sort != "unknown":
            path = path_of(expr.left if other is left else expr.right)
            if path is None:
                exprs.sink.warning("GR0311", expr.span, f"{other.type.words} is never none")
        return
    if join(left.type, right.type) is None or left.type.sort in ("record", "list", "set"):
        exprs.sink.error("GR0303", expr.span, f"{left.type.words} cannot be compared with {right.type.words}")


def _type_test(exprs: Exprs, left: Value, dom: Dom, expr: syn.BinaryExpr) -> Any:
    if left.type.sort != "dom" or left.type.dom is None or left.type.dom.sort != dom.sort:
        if left.type.sort != "unknown":
            exprs.sink.error("GR0303", expr.span, f"{left.type} is never a {dom.name}")
        return ir.Const(0)
    if left.type.dom.parts and not any(part.is_in(dom) or dom.is_in(part) for part in left.type.dom.parts):
        exprs.sink.error("GR0303", expr.span, f"{left.type} is never a {dom.name}")
        return ir.Const(0)
    return belongs(exprs, left.expr, dom)


def _pair(exprs: Exprs, expr: syn.BinaryExpr, scope: Scope) -> tuple[Value, Value]:
    """Both sides of a comparison, each giving the other the type to look members up in."""
    if is_free_name(exprs, expr.left, scope) and not is_free_name(exprs, expr.right, scope):
        right = exprs.value(expr.right, scope)
        if right.type.sort == "unknown":
            return right, right
        return exprs.value(expr.left, scope, right.type.required()), right
    left = exprs.value(expr.left, scope)
    if left.type.sort == "unknown" and is_free_name(exprs, expr.right, scope):
        # The meaning of the name depends on the other side, whose error is reported already.
        return left, left
    return left, exprs.value(expr.right, scope, left.type.required())


def is_free_name(exprs: Exprs, expr: syn.Expr, scope: Scope) -> bool:
    """A bare name that only a type can give a meaning (a member)."""
    return (
        isinstance(expr, syn.Name)
        and scope.find(expr.id) is None
        and expr.id not in exprs.world.globals
        and expr.id not in ("me", "base")
        and expr.id not in exprs.world.callables
    )


def lower_comparison(exprs: Exprs, expr: syn.BinaryExpr, scope: Scope) -> Value:
    left, right = _pair(exprs, expr, scope)
    for value, side in ((left, expr.left), (right, expr.right)):
        if value.type.sort not in ("int", "unknown") and not (
            value.type.sort == "dom" and value.type.dom and value.type.dom.sort in ("enum", "range")
        ):
            exprs.sink.error(
                "GR0303",
                side.span,
                f"{value.type.words} has no order",
                hint="`is` compares for sameness" if value.type.sort == "dom" else None,
            )
            return Value(FLAG, ir.Const(0))
    if left.type.sort != right.type.sort and "unknown" not in (left.type.sort, right.type.sort):
        exprs.sink.error("GR0303", expr.span, f"{left.type.words} cannot be compared with {right.type.words}")
    if left.type.sort == right.type.sort == "int" and not left.type.optional and not right.type.optional:
        _constant_comparison(exprs, expr, left.type, right.type)
    return Value(FLAG, ir.Binary(COMPARISONS[expr.op], left.expr, right.expr, exprs.lowerer.nowhere))  # type: ignore[arg-type]


def _constant_comparison(exprs: Exprs, expr: syn.BinaryExpr, a: Type, b: Type) -> None:
    always = {"lt": a.hi < b.lo, "le": a.hi <= b.lo, "gt": a.lo > b.hi, "ge": a.lo >= b.hi}[expr.op]
    never = {"lt": a.lo >= b.hi, "le": a.lo > b.hi, "gt": a.hi <= b.lo, "ge": a.hi < b.lo}[expr.op]
    if (always or never) and not exprs.in_phase and not (a.lo == a.hi and b.lo == b.hi):
        exprs.sink.warning(
            "GR0311", expr.span, f"this is {'always' if always else 'never'} so: {a} against {b}"
        )


def lower_in(exprs: Exprs, expr: syn.BinaryExpr, scope: Scope) -> Any:
    site = exprs.lowerer.nowhere
    right = expr.right
    kind = exprs.type_of(expr.left, scope)
    if kind is not None and kind.form is not None:
        # A form is in a set if its name is.
        tag = syn.Dot(expr.left, "name", expr.left.span, expr.left.span)
        return lower_in(exprs, syn.BinaryExpr(expr.op, tag, right, expr.span), scope)
    if isinstance(right, syn.RangeExpr):
        left = exprs.value(expr.left, scope, INT)
        lo = exprs.value(right.lo, scope, left.type.required())
        hi = exprs.value(right.hi, scope, left.type.required())
        if any(v.type.sort == "unknown" for v in (left, lo, hi)):
            return ir.Const(0)
        if left.type.sort != lo.type.sort or left.type.sort != hi.type.sort:
            exprs.sink.error("GR0303", expr.span, f"{left.type} cannot lie in this range")
            return ir.Const(0)
        return ir.Binary(
            "and",
            ir.Binary("ge", left.expr, lo.expr, site),
            ir.Binary("le", left.expr, hi.expr, site),
            site,
        )
    if (
        isinstance(right, syn.Name)
        and is_free_name(exprs, right, scope)
        and right.id not in exprs.world.types
    ):
        left = exprs.value(expr.left, scope)
        if left.type.sort == "dom" and left.type.dom and exprs.member(right.id, left.type.dom) is not None:
            exprs.sink.error(
                "GR0313",
                right.span,
                f"`{right.id}` is one value, not a set",
                hint=f"write `is {right.id}`",
            )
            return ir.Const(0)
    if isinstance(right, syn.SetLiteral | syn.Items):
        left = exprs.value(expr.left, scope)
        made: Any = None
        for item in right.items:
            value = exprs.value(item, scope, left.type.required())
            if value.type.sort == "unknown":
                continue
            if join(left.type, value.type) is None:
                exprs.sink.error("GR0303", item.span, f"{left.type} cannot be compared with {value.type}")
            test = ir.Binary("eq", left.expr, value.expr, site)
            made = test if made is None else ir.Binary("or", made, test, site)
        return made if made is not None else ir.Const(0)
    if isinstance(right, syn.Name) and right.id in exprs.world.types and scope.find(right.id) is None:
        return _type_test(exprs, exprs.value(expr.left, scope), exprs.world.types[right.id], expr)
    group = exprs.value(right, scope)
    if group.type.sort == "list":
        left = exprs.value(expr.left, scope, group.type.element)
        var = exprs.code.local("(item)", group.type.element or INT)
        return ir.Aggregate(
            "any",
            var,
            ir.OverList(group.expr),
            ir.Binary("eq", ir.Local(var), left.expr, site),
            None,
            site,
        )
    if group.type.sort != "set" or group.type.dom is None:
        if group.type.sort != "unknown":
            exprs.sink.error(
                "GR0313",
                right.span,
                f"`in` needs a set, a range or a list of values, this is {group.type}",
            )
        return ir.Const(0)
    left = exprs.value(expr.left, scope, dom_type(group.type.dom))
    if left.type.sort == "unknown":
        return ir.Const(0)
    if left.type.sort == "int" and group.type.dom.sort == "range":
        return ir.In(left.expr, group.expr)
    if join(left.type.required(), dom_type(group.type.dom)) is None:
        exprs.sink.error("GR0303", expr.left.span, f"{left.type} is never in a {group.type}")
        return ir.Const(0)
    return ir.In(left.expr, group.expr)
