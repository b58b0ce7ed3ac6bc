"""Targets of writes: a local, or a field with its indexes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from grognard.compiler.sema.scope import Scope, Value
from grognard.compiler.sema.typed.fields import no_field
from grognard.compiler.sema.typed.names import unknown_name
from grognard.compiler.sema.types import FieldInfo, dom_type
from grognard.compiler.syntax import nodes as syn

if TYPE_CHECKING:
    from grognard.compiler.lower.stmts.statements import Stmts


def lvalue(stmts: Stmts, target: syn.Expr, scope: Scope) -> tuple[FieldInfo, tuple[Any, ...]] | Value | None:
    """What can be written: a field with its indexes, or a local."""
    world = stmts.world
    match target:
        case syn.Name(id=name):
            bound = scope.find(name)
            if bound is not None:
                if not bound.mutable:
                    stmts.sink.error(
                        "GR0307",
                        target.span,
                        f"`{name}` does not change",
                        hint=f"declare it with `var {name} = ...`",
                    )
                    return None
                return stmts.code.value_of(bound)
            if name in world.globals:
                return world.globals[name], ()
        case syn.Dot(object=inner, name=name):
            if (
                isinstance(inner, syn.Name)
                and inner.id in ("scenario", "game")
                and scope.find(inner.id) is None
                and name in world.globals
            ):
                return world.globals[name], ()
            if isinstance(inner, syn.Name) and inner.id == "my" and scope.find("my") is None:
                owner = stmts.me(inner.span)
            else:
                owner = stmts.owner(inner, scope)
            if owner.record is not None and name in owner.record:
                whole = lvalue(stmts, inner, scope) if owner.type.form is not None else owner
                if isinstance(whole, tuple):
                    assert whole[0].parts is not None
                    return whole[0].parts[name], whole[1]
                return None if whole is None else owner.record[name]
            return _field_target(stmts, owner, target, ())
        case syn.CallExpr(callee=syn.Name(id=name), args=args):
            array = scope.find_array(name)
            if array is not None and array.info is not None:
                found = array.info
                if len(args) != len(found.axes):
                    stmts.sink.error(
                        "GR0302", target.span, f"`{name}` has {len(found.axes)} axes, {len(args)} given"
                    )
                    return None
                return found, tuple(stmts.axis(a, found, n, scope) for n, a in enumerate(args))
            if name in world.relations:
                info = world.relations[name]
                index = tuple(
                    stmts.checked(a, scope, dom_type(d)).expr for a, d in zip(args, info.axes, strict=False)
                )
                return info, index
            if name in world.globals:
                info = world.globals[name]
                return info, tuple(stmts.axis(a, info, n, scope) for n, a in enumerate(args))
        case syn.CallExpr(callee=syn.Dot() as dot, args=args):
            if isinstance(dot.object, syn.Name) and dot.object.id == "my" and scope.find("my") is None:
                owner = stmts.me(dot.object.span)
            else:
                owner = stmts.owner(dot.object, scope)
            return _field_target(stmts, owner, dot, tuple(args), scope)
    if isinstance(target, syn.Name):
        unknown_name(stmts.check, target, scope, None)
    elif (
        isinstance(target, syn.CallExpr)
        and isinstance(target.callee, syn.Name)
        and (entry := world.callables.get(target.callee.id))
    ):
        stmts.sink.error(
            "GR0307", target.span, f"`{entry.name}` is a {entry.sort}: its value cannot be changed"
        )
    elif not _is_broken(stmts, target, scope):
        stmts.sink.error("GR0307", target.span, "this cannot be written to")
    return None


def _is_broken(stmts: Stmts, target: syn.Expr, scope: Scope) -> bool:
    """Whether it names a symbol whose declaration is in error, which is reported already."""
    if not isinstance(target, syn.CallExpr) or not isinstance(target.callee, syn.Name):
        return False
    bound = scope.find(target.callee.id)
    return target.callee.id in stmts.world.broken or (bound is not None and bound.type.sort == "unknown")


def _field_target(
    stmts: Stmts, owner: Value, dot: syn.Dot, axes: tuple[syn.Expr, ...], scope: Scope | None = None
) -> tuple[FieldInfo, tuple[Any, ...]] | None:
    if owner.type.sort == "unknown":
        return None
    if owner.type.sort != "dom" or owner.type.dom is None:
        what = "a number" if owner.type.sort == "int" else str(owner.type)
        stmts.sink.error("GR0203", dot.name_span, f"{what} has no fields, so no `{dot.name}`")
        return None
    info, _through = stmts.find_field(owner.type.dom, dot.name)
    if info is None:
        no_field(stmts.check, owner.type.dom, dot)
        return None
    if info.column is not None:
        stmts.sink.error(
            "GR0307",
            dot.name_span,
            f"`{dot.name}` is printed on the counter or map: it never changes",
            hint="declare it as a field of the piece, or as `state`",
        )
        return None
    if owner.type.optional and owner.type.dom.sort != "edge":
        stmts.sink.error(
            "GR0305",
            dot.object.span,
            "this may be none, so its fields cannot be written",
            hint="test it first",
        )
        return None
    if len(axes) != len(info.axes):
        stmts.sink.error("GR0302", dot.span, f"`{dot.name}` has {len(info.axes)} axes, {len(axes)} given")
        return None
    assert scope is not None or not axes
    indexes = [stmts.axis(axis, info, n, scope) for n, axis in enumerate(axes)] if scope is not None else []
    return info, (owner.expr, *indexes)
