"""Targets of writes: a local, or a field with its indexes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from grognard.compiler.sema.scope import Scope
from grognard.compiler.sema.typed import nodes as t
from grognard.compiler.sema.typed.fields import check_axis, check_owner, no_field
from grognard.compiler.sema.typed.names import unknown_name
from grognard.compiler.sema.types import FieldInfo, dom_type
from grognard.compiler.syntax import nodes as syn

if TYPE_CHECKING:
    from grognard.compiler.sema.typed.checker import Checker


def check_target(check: Checker, target: syn.Expr, scope: Scope) -> t.Target | None:
    """What can be written; None if it cannot, which is reported."""
    symbols = check.symbols
    match target:
        case syn.Name(id=name):
            bound = scope.find(name)
            if bound is not None:
                if not bound.mutable:
                    check.sink.error(
                        "GR0307",
                        target.span,
                        f"`{name}` does not change",
                        hint=f"declare it with `var {name} = ...`",
                    )
                    return None
                return t.LocalTarget(t.Given(bound.type, bound.variable))
            if name in symbols.globals:
                return t.FieldTarget(symbols.globals[name], None, ())
        case syn.Dot(object=inner, name=name):
            if (
                isinstance(inner, syn.Name)
                and inner.id in ("scenario", "game")
                and scope.find(inner.id) is None
                and name in symbols.globals
            ):
                return t.FieldTarget(symbols.globals[name], None, ())
            owner = _owner(check, inner, scope)
            record = owner.type.record if owner.type.sort == "record" else None
            if record is not None and name in record.fields:
                if owner.type.form is None:
                    return t.LocalTarget(t.Part(record.fields[name], owner, name))
                return _part_of_form(check, inner, owner, name, scope)
            return _field(check, owner, target, ())
        case syn.CallExpr(callee=syn.Name(id=name), args=args):
            array = scope.find_array(name)
            if array is not None and array.info is not None:
                if len(args) != len(array.info.axes):
                    check.sink.error(
                        "GR0302", target.span, f"`{name}` has {len(array.info.axes)} axes, {len(args)} given"
                    )
                    return None
                return t.FieldTarget(array.info, None, _axes(check, args, array.info, scope))
            if name in symbols.relations:
                info = symbols.relations[name]
                ends = zip(args, info.axes, strict=False)
                return t.FieldTarget(
                    info, None, tuple(check.checked(arg, scope, dom_type(dom)) for arg, dom in ends)
                )
            if name in symbols.globals:
                info = symbols.globals[name]
                return t.FieldTarget(info, None, _axes(check, args, info, scope))
        case syn.CallExpr(callee=syn.Dot() as dot, args=args):
            return _field(check, _owner(check, dot.object, scope), dot, args, scope)
    _not_writable(check, target, scope)
    return None


def _owner(check: Checker, expr: syn.Expr, scope: Scope) -> t.Typed:
    if isinstance(expr, syn.Name) and expr.id == "my" and scope.find("my") is None:
        return check.me(expr.span)
    return check_owner(check, expr, scope)


def _axes(check: Checker, args: Sequence[syn.Expr], info: FieldInfo, scope: Scope) -> tuple[t.Typed, ...]:
    return tuple(check_axis(check, arg, info, place, scope) for place, arg in enumerate(args))


def _part_of_form(check: Checker, expr: syn.Expr, owner: t.Typed, name: str, scope: Scope) -> t.Target | None:
    """A part of a form: of one in a field it is a field, too."""
    whole = check_target(check, expr, scope)
    if isinstance(whole, t.FieldTarget):
        assert whole.info.parts is not None
        return t.FieldTarget(whole.info.parts[name], whole.owner, whole.axes)
    if whole is None:
        return None
    assert owner.type.record is not None
    return t.LocalTarget(t.Part(owner.type.record.fields[name], owner, name))


def _not_writable(check: Checker, target: syn.Expr, scope: Scope) -> None:
    callee = target.callee if isinstance(target, syn.CallExpr) else None
    entry = check.symbols.callables.get(callee.id) if isinstance(callee, syn.Name) else None
    if isinstance(target, syn.Name):
        unknown_name(check, target, scope, None)
    elif entry is not None:
        check.sink.error(
            "GR0307", target.span, f"`{entry.name}` is a {entry.sort}: its value cannot be changed"
        )
    elif not _is_broken(check, callee, scope):
        check.sink.error("GR0307", target.span, "this cannot be written to")


def _is_broken(check: Checker, callee: syn.Expr | None, scope: Scope) -> bool:
    """Whether it names a symbol whose declaration is in error, which is reported already."""
    if not isinstance(callee, syn.Name):
        return False
    bound = scope.find(callee.id)
    return callee.id in check.symbols.broken or (bound is not None and bound.type.sort == "unknown")


def _field(
    check: Checker, owner: t.Typed, dot: syn.Dot, axes: Sequence[syn.Expr], scope: Scope | None = None
) -> t.FieldTarget | None:
    dom = owner.type.dom
    if owner.type.sort == "unknown":
        return None
    if owner.type.sort != "dom" or dom is None:
        what = "a number" if owner.type.sort == "int" else str(owner.type)
        check.sink.error("GR0203", dot.name_span, f"{what} has no fields, so no `{dot.name}`")
        return None
    info, _through = check.find_field(dom, dot.name)
    if info is None:
        no_field(check, dom, dot)
        return None
    if info.column is not None:
        check.sink.error(
            "GR0307",
            dot.name_span,
            f"`{dot.name}` is printed on the counter or map: it never changes",
            hint="declare it as a field of the piece, or as `state`",
        )
        return None
    if owner.type.optional and dom.sort != "edge":
        check.sink.error(
            "GR0305",
            dot.object.span,
            "this may be none, so its fields cannot be written",
            hint="test it first",
        )
        return None
    if len(axes) != len(info.axes):
        check.sink.error("GR0302", dot.span, f"`{dot.name}` has {len(info.axes)} axes, {len(axes)} given")
        return None
    assert scope is not None or not axes
    return t.FieldTarget(info, owner, _axes(check, axes, info, scope) if scope is not None else ())
