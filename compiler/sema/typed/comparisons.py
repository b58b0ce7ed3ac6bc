"""`is`, `in`, less and more."""

from __future__ import annotations

from typing import TYPE_CHECKING

from grognard.compiler.sema.scope import Scope, path_of
from grognard.compiler.sema.typed import nodes as t
from grognard.compiler.sema.typed.names import is_free_name
from grognard.compiler.sema.types import FLAG, INT, Dom, FormInfo, Type, dom_type, join
from grognard.compiler.syntax import nodes as syn

if TYPE_CHECKING:
    from grognard.compiler.sema.typed.checker import Checker


def check_is(check: Checker, expr: syn.BinaryExpr, scope: Scope) -> t.Typed:
    from grognard.compiler.sema.typed.checker import widened

    negate = expr.op == "is_not"
    right_name = expr.right.id if isinstance(expr.right, syn.Name) else ""
    if right_name == "empty" and scope.find("empty") is None:
        left = check.value(expr.left, scope)
        if left.type.sort in ("set", "list"):
            return t.Empty(FLAG, left, negate)
        if left.type.sort != "unknown":
            check.sink.error(
                "GR0313", expr.left.span, f"only sets and lists can be empty, this is {left.type}"
            )
        return t.Broken(FLAG)
    kind = check.type_of(expr.left, scope)
    if kind is not None and kind.form is not None:
        alike = _form_is(check, expr, check.value(expr.left, scope), kind.form, scope)
        return t.Not(FLAG, alike) if negate else alike
    if (
        right_name in check.symbols.types
        and scope.find(right_name) is None
        and right_name not in check.symbols.globals
    ):
        left = check.value(expr.left, scope)
        test = _type_test(check, left, check.symbols.types[right_name], expr)
        return t.Not(FLAG, test) if negate else test
    left, right = _pair(check, expr, scope)
    if left.type.sort == "unknown" or right.type.sort == "unknown":
        return t.Broken(FLAG)
    both = join(left.type, right.type)
    if left.type.sort == "set" and right.type.sort == "set":
        if both is None:
            check.sink.error("GR0303", expr.span, f"a {left.type} is never a {right.type}")
            return t.Broken(FLAG)
        return t.Same(FLAG, widened(left, both), widened(right, both), negate)
    if left.type.sort == "list" and right.type.sort == "list" and both is not None:
        return t.Same(FLAG, left, right, negate)
    if not _comparable(check, left.type, right.type, expr):
        return t.Broken(FLAG)
    if left.type.sort == right.type.sort == "int" and (
        left.type.hi < right.type.lo or right.type.hi < left.type.lo
    ):
        check.sink.warning("GR0311", expr.span, f"{left.type} is never {right.type}")
    return t.Same(FLAG, left, right, negate)


def _form_is(check: Checker, expr: syn.BinaryExpr, left: t.Typed, form: FormInfo, scope: Scope) -> t.Typed:
    """Whether a form is of a member, none, or the same as another in all its parts."""
    if left.type.sort != "record":
        return t.Broken(FLAG)
    if isinstance(expr.right, syn.NoneLit):
        return t.OfForm(FLAG, left, None)
    kind = check.type_of(expr.right, scope)
    if kind is not None and kind.form is form:
        return t.SameForm(FLAG, left, check.value(expr.right, scope))
    found = check.checked(expr.right, scope, dom_type(form.names, True))
    return t.Broken(FLAG) if found.type.sort == "unknown" else t.OfForm(FLAG, left, found)


def _comparable(check: Checker, left: Type, right: Type, expr: syn.BinaryExpr) -> bool:
    if left.sort == "none" or right.sort == "none":
        other = right if left.sort == "none" else left
        if not other.optional and other.sort != "unknown":
            path = path_of(expr.left if other is left else expr.right)
            if path is None:
                check.sink.warning("GR0311", expr.span, f"{other.words} is never none")
        return True
    if join(left, right) is None or left.sort in ("record", "list", "set"):
        check.sink.error("GR0303", expr.span, f"{left.words} cannot be compared with {right.words}")
        return False
    return True


def _type_test(check: Checker, left: t.Typed, dom: Dom, expr: syn.BinaryExpr) -> t.Typed:
    if left.type.sort != "dom" or left.type.dom is None or left.type.dom.sort != dom.sort:
        if left.type.sort != "unknown":
            check.sink.error("GR0303", expr.span, f"{left.type} is never a {dom.name}")
        return t.Broken(FLAG)
    if left.type.dom.parts and not any(part.is_in(dom) or dom.is_in(part) for part in left.type.dom.parts):
        check.sink.error("GR0303", expr.span, f"{left.type} is never a {dom.name}")
        return t.Broken(FLAG)
    return t.Belongs(FLAG, left, dom)


def _pair(check: Checker, expr: syn.BinaryExpr, scope: Scope) -> tuple[t.Typed, t.Typed]:
    """Both sides of a comparison, each giving the other the type to look members up in."""
    if is_free_name(check, expr.left, scope) and not is_free_name(check, expr.right, scope):
        right = check.value(expr.right, scope)
        if right.type.sort == "unknown":
            return right, right
        return check.value(expr.left, scope, right.type.required()), right
    left = check.value(expr.left, scope)
    if left.type.sort == "unknown" and is_free_name(check, expr.right, scope):
        # The meaning of the name depends on the other side, whose error is reported already.
        return left, left
    return left, check.value(expr.right, scope, left.type.required())


def check_comparison(check: Checker, expr: syn.BinaryExpr, scope: Scope) -> t.Typed:
    left, right = _pair(check, expr, scope)
    for value, side in ((left, expr.left), (right, expr.right)):
        if value.type.sort not in ("int", "unknown") and not (
            value.type.sort == "dom" and value.type.dom and value.type.dom.sort in ("enum", "range")
        ):
            check.sink.error(
                "GR0303",
                side.span,
                f"{value.type.words} has no order",
                hint="`is` compares for sameness" if value.type.sort == "dom" else None,
            )
            return t.Broken(FLAG)
    if left.type.sort != right.type.sort and "unknown" not in (left.type.sort, right.type.sort):
        check.sink.error("GR0303", expr.span, f"{left.type.words} cannot be compared with {right.type.words}")
    if left.type.sort == right.type.sort == "int" and not left.type.optional and not right.type.optional:
        _constant_comparison(check, expr, left.type, right.type)
    return t.Compared(FLAG, expr.op, left, right)


def _constant_comparison(check: Checker, expr: syn.BinaryExpr, a: Type, b: Type) -> None:
    always = {"lt": a.hi < b.lo, "le": a.hi <= b.lo, "gt": a.lo > b.hi, "ge": a.lo >= b.hi}[expr.op]
    never = {"lt": a.lo >= b.hi, "le": a.lo > b.hi, "gt": a.hi <= b.lo, "ge": a.hi < b.lo}[expr.op]
    if (always or never) and not check.in_phase and not (a.lo == a.hi and b.lo == b.hi):
        check.sink.warning(
            "GR0311", expr.span, f"this is {'always' if always else 'never'} so: {a} against {b}"
        )


def check_in(check: Checker, expr: syn.BinaryExpr, scope: Scope) -> t.Typed:
    right = expr.right
    kind = check.type_of(expr.left, scope)
    if kind is not None and kind.form is not None:
        # A form is in a set if its name is.
        tag = syn.Dot(expr.left, "name", expr.left.span, expr.left.span)
        return check_in(check, syn.BinaryExpr(expr.op, tag, right, expr.span), scope)
    if isinstance(right, syn.RangeExpr):
        left = check.value(expr.left, scope, INT)
        lo = check.value(right.lo, scope, left.type.required())
        hi = check.value(right.hi, scope, left.type.required())
        if any(value.type.sort == "unknown" for value in (left, lo, hi)):
            return t.Broken(FLAG)
        if left.type.sort != lo.type.sort or left.type.sort != hi.type.sort:
            check.sink.error("GR0303", expr.span, f"{left.type} cannot lie in this range")
            return t.Broken(FLAG)
        return t.Within(FLAG, left, lo, hi)
    if isinstance(right, syn.SetLiteral | syn.Items):
        left = check.value(expr.left, scope)
        items: list[t.Typed] = []
        for item in right.items:
            value = check.value(item, scope, left.type.required())
            if value.type.sort == "unknown":
                continue
            if join(left.type, value.type) is None:
                check.sink.error("GR0303", item.span, f"{left.type} cannot be compared with {value.type}")
            items.append(value)
        return t.OneOf(FLAG, left, tuple(items))
    if isinstance(right, syn.Name) and right.id in check.symbols.types and scope.find(right.id) is None:
        return _type_test(check, check.value(expr.left, scope), check.symbols.types[right.id], expr)
    if isinstance(right, syn.Name) and is_free_name(check, right, scope):
        found = check.type_of(expr.left, scope)
        if found is None:
            found = check.value(expr.left, scope).type
        if found.sort == "dom" and found.dom and check.member(right.id, found.dom) is not None:
            check.sink.error(
                "GR0313",
                right.span,
                f"`{right.id}` is one value, not a set",
                hint=f"write `is {right.id}`",
            )
            return t.Broken(FLAG)
    group = check.value(right, scope)
    if group.type.sort == "list":
        return t.InGroup(FLAG, check.value(expr.left, scope, group.type.element), group)
    if group.type.sort != "set" or group.type.dom is None:
        if group.type.sort != "unknown":
            check.sink.error(
                "GR0313",
                right.span,
                f"`in` needs a set, a range or a list of values, this is {group.type}",
            )
        return t.Broken(FLAG)
    left = check.value(expr.left, scope, dom_type(group.type.dom))
    if left.type.sort == "unknown":
        return t.Broken(FLAG)
    if left.type.sort == "int" and group.type.dom.sort == "range":
        return t.InGroup(FLAG, left, group)
    if join(left.type.required(), dom_type(group.type.dom)) is None:
        check.sink.error("GR0303", expr.left.span, f"{left.type} is never in a {group.type}")
        return t.Broken(FLAG)
    return t.InGroup(FLAG, left, group)
