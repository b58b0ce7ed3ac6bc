"""Reads of fields: of counters, places and the game, of records and forms, of unions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from grognard.compiler.sema.scope import Scope, Variable
from grognard.compiler.sema.typed import nodes as t
from grognard.compiler.sema.typed.literals import place_named
from grognard.compiler.sema.typed.rules import check_rule
from grognard.compiler.sema.types import FLAG, UNKNOWN, Dom, FieldInfo, Type, dom_type, int_range, join
from grognard.compiler.syntax import nodes as syn
from grognard.support.source import Span
from grognard.support.suggest import hint_for

if TYPE_CHECKING:
    from grognard.compiler.sema.typed.checker import Checker

Axes = Sequence[syn.Expr]


def check_dot(check: Checker, expr: syn.Dot, scope: Scope) -> t.Typed:
    if isinstance(expr.object, syn.Name) and scope.find(expr.object.id) is None:
        owner = expr.object.id
        if owner in ("scenario", "game"):
            info = check.symbols.globals.get(expr.name)
            if info is None:
                check.sink.error(
                    "GR0203",
                    expr.name_span,
                    f"the game has no field `{expr.name}`",
                    hint=hint_for(expr.name, list(check.symbols.globals)),
                )
                return t.Broken(UNKNOWN)
            return t.Read(info.type, info, None, (), expr.span)
        if owner == "my":
            return field_of(check, check.me(expr.object.span), expr, scope, ())
        if owner in check.symbols.types and owner not in check.symbols.globals:
            dom = check.symbols.types[owner]
            made = check.member(expr.name, dom)
            if made is not None:
                return made
            if dom.sort == "place" and not check.around.places_known:
                return place_named(check, expr.name, dom, expr.name_span)
            check.sink.error(
                "GR0204",
                expr.name_span,
                f"{dom.name} has no `{expr.name}`",
                hint=hint_for(expr.name, dom.members),
            )
            return t.Broken(UNKNOWN)
    return field_of(check, check_owner(check, expr.object, scope), expr, scope, ())


def check_owner(check: Checker, expr: syn.Expr, scope: Scope) -> t.Typed:
    """The owner of a field; `0404.terrain` means the place of that name."""
    if isinstance(expr, syn.Number) and check.symbols.spaces:
        return check.value(expr, scope, dom_type(check.symbols.spaces[0]))
    return check.value(expr, scope)


def field_of(check: Checker, owner: t.Typed, expr: syn.Dot, scope: Scope, axes: Axes) -> t.Typed:
    if owner.type.sort == "unknown":
        return t.Broken(UNKNOWN)
    if owner.type.sort == "record":
        return _record_part(check, owner, expr, scope, axes)
    dom = owner.type.dom
    if owner.type.sort != "dom" or dom is None:
        what = "a number" if owner.type.sort == "int" else str(owner.type)
        check.sink.error("GR0203", expr.name_span, f"{what} has no fields, so no `{expr.name}`")
        return t.Broken(UNKNOWN)
    if dom.parts:
        return _union_field(check, owner, dom, expr, scope, axes)
    info, through_kind = check.find_field(dom, expr.name)
    if info is None:
        no_field(check, dom, expr)
        return t.Broken(UNKNOWN)
    if info.type.dom is not None and info.type.dom.callable_type is not None and axes and not info.axes:
        return _named_rule(check, field_of(check, owner, expr, scope, ()), expr, axes, scope)
    if owner.type.optional:
        if dom.sort == "edge":
            return _edge_field(check, owner, info, expr)
        return _may_be_none(check, expr)
    indexes = tuple(check_axis(check, axis, info, place, scope) for place, axis in enumerate(axes))
    if len(axes) != len(info.axes):
        check.sink.error(
            "GR0302",
            expr.span,
            f"`{expr.name}` has {len(info.axes)} axes, {len(axes)} given",
            hint=f"write {expr.name}({', '.join(a.name for a in info.axes)})" if info.axes else None,
        )
        return t.Broken(UNKNOWN)
    if through_kind:
        return t.KindRead(info.type, info, dom.fields["type"], owner, indexes, expr.span)
    return t.Read(info.type, info, owner, indexes, expr.span)


def _union_field(
    check: Checker, owner: t.Typed, dom: Dom, expr: syn.Dot, scope: Scope, axes: Axes
) -> t.Typed:
    """A field that all parts of a union have: read from the one that the value belongs to."""
    made: Type | None = None
    parts: list[tuple[Dom, t.Typed]] = []
    slot = Variable("(owner)", owner.type)
    for part in reversed(dom.parts):
        one = field_of(check, t.Given(dom_type(part, owner.type.optional), slot), expr, scope, axes)
        if one.type.sort == "unknown":
            return one
        if one.type.sort in ("set", "list", "record"):
            check.sink.error(
                "GR0301",
                expr.name_span,
                f"`{expr.name}` is {one.type.words}: test first which type this is",
            )
            return t.Broken(UNKNOWN)
        parts.append((part, one))
        both = one.type if made is None else join(made, one.type)
        if both is None:
            assert made is not None
            check.sink.error(
                "GR0301",
                expr.name_span,
                f"`{expr.name}` is {one.type.words} of {part.name}, and {made.words} of another",
            )
            return t.Broken(UNKNOWN)
        made = both
    assert made is not None
    return t.UnionRead(made, owner, slot, tuple(parts))


def _may_be_none(check: Checker, expr: syn.Dot) -> t.Typed:
    check.sink.error(
        "GR0305",
        expr.object.span,
        "this may be none, so its fields cannot be read",
        hint="test it first: `x is not none and ...`",
    )
    return t.Broken(UNKNOWN)


def _named_rule(check: Checker, tag: t.Typed, expr: syn.Dot, args: Axes, scope: Scope) -> t.Typed:
    """`c.effect(u)` of a column that names a rule: the value of the rule that it names."""
    dom = tag.type.dom
    if tag.type.sort == "unknown" or dom is None or dom.callable_type is None:
        return t.Broken(UNKNOWN)
    callable_type = dom.callable_type
    if callable_type.sort != "rule":
        check.sink.error(
            "GR0710",
            expr.name_span,
            f"`{expr.name}` names a {callable_type.sort}: it is {'done' if callable_type.sort == 'procedure' else 'offered'}, "
            "not asked",
        )
        return t.Broken(UNKNOWN)
    if tag.type.optional:
        check.demand(tag.type, dom_type(dom), expr.span)
        return t.Broken(UNKNOWN)
    assert callable_type.result is not None
    calls: list[tuple[int, t.Typed]] = []
    for place in range(len(callable_type.entries) - 1, -1, -1):
        one = check_rule(check, callable_type.entries[place], args, expr.span, scope)
        if one.type.sort in ("set", "unknown"):
            if one.type.sort == "set":
                check.sink.error("GR0301", expr.span, "a rule that is named by data gives no set")
            return t.Broken(UNKNOWN)
        calls.append((place, one))
    return t.NamedRule(callable_type.result, tag, tuple(calls))


def _edge_field(check: Checker, owner: t.Typed, info: FieldInfo, expr: syn.Dot) -> t.Typed:
    """A hexside's field reads as its zero where there is no such hexside (the edge of the map)."""
    if info.column is None and info.type.sort in ("set", "list"):
        check.sink.error(
            "GR0305", expr.object.span, "this may be none: test it first", hint="`if e is not none`"
        )
        return t.Broken(UNKNOWN)
    return t.EdgeRead(info.type, info, owner, expr.span)


def _record_part(check: Checker, owner: t.Typed, expr: syn.Dot, scope: Scope, axes: Axes) -> t.Typed:
    record, form, name = owner.type.record, owner.type.form, expr.name
    assert record is not None
    if form is not None and name in form.names.fields:
        info = form.names.fields[name]
        if owner.type.optional:
            return _may_be_none(check, expr)
        places = tuple(check_axis(check, axis, info, place, scope) for place, axis in enumerate(axes))
        return t.Read(info.type, info, t.Part(dom_type(form.names), owner, "name"), places, expr.span)
    if axes:
        return _record_axis(check, owner, expr, scope, axes)
    type_ = record.fields.get(name)
    if type_ is None:
        check.sink.error(
            "GR0203",
            expr.name_span,
            f"{owner.type} has no `{name}`",
            hint=hint_for(name, list(record.fields)),
        )
        return t.Broken(UNKNOWN)
    if form is not None and name == "name" and not owner.type.optional:
        type_ = type_.required()
    return t.Part(type_, owner, name)


def no_field(check: Checker, dom: Dom, expr: syn.Dot) -> None:
    if isinstance(dom.decl, syn.PieceDecl) and dom.decl.kind and dom.kind is None:
        return  # its kind is unknown, and so are its columns
    check.sink.error(
        "GR0203",
        expr.name_span,
        f"{dom.name} has no field `{expr.name}`",
        hint=hint_for(expr.name, _field_names(dom)),
    )


def _record_axis(check: Checker, owner: t.Typed, expr: syn.Dot, scope: Scope, axes: Axes) -> t.Typed:
    """`a.fp(c)` of a record: one local per member, picked by the index."""
    assert owner.type.record is not None
    fields = owner.type.record.fields
    members = [key[len(expr.name) + 1 : -1] for key in fields if key.startswith(expr.name + "(")]
    dom = next((d for d in check.symbols.types.values() if d.members == members), None)
    if dom is None:
        check.sink.error("GR0203", expr.name_span, f"{owner.type} has no `{expr.name}(...)`")
        return t.Broken(UNKNOWN)
    index = check.checked(axes[0], scope, dom_type(dom))
    return t.PartFor(
        fields[f"{expr.name}({members[-1]})"], owner, expr.name, tuple(members), index, expr.span
    )


def check_axis(check: Checker, expr: syn.Expr, info: FieldInfo, place: int, scope: Scope) -> t.Typed:
    if place >= len(info.axes):
        return t.Broken(UNKNOWN)
    axis = info.axes[place]
    if axis.sort == "range":
        want = int_range(axis.range_lo, axis.range_lo + len(axis.members) - 1)
    else:
        want = dom_type(axis)
    return check.checked(expr, scope, want, "the index")


def _field_names(dom: Dom) -> list[str]:
    names = list(dom.fields)
    if dom.parent:
        names += dom.parent.fields
    if dom.kind:
        names += dom.kind.fields
    return names


def check_element(check: Checker, name: str, info: FieldInfo, expr: syn.CallExpr, scope: Scope) -> t.Typed:
    """An element of a field that belongs to the game, or to a procedure."""
    if len(expr.args) != len(info.axes):
        check.sink.error("GR0302", expr.span, f"`{name}` has {len(info.axes)} axes, {len(expr.args)} given")
        return t.Broken(UNKNOWN)
    axes = tuple(check_axis(check, axis, info, place, scope) for place, axis in enumerate(expr.args))
    return t.Read(info.type, info, None, axes, expr.span)


def check_relation(check: Checker, info: FieldInfo, expr: syn.CallExpr, scope: Scope) -> t.Typed:
    """A relation reads as no where either side is none."""
    if len(expr.args) != 2:
        check.sink.error("GR0302", expr.span, f"relation `{info.name}` is between two")
        return t.Broken(FLAG)
    made = [
        check.value(arg, scope, dom_type(dom, True)) for arg, dom in zip(expr.args, info.axes, strict=True)
    ]
    for value, dom, arg in zip(made, info.axes, expr.args, strict=True):
        check.demand(value.type, dom_type(dom, True), arg.span)
    return t.Relation(FLAG, info, made[0], made[1], expr.span)


def check_holder(check: Checker, piece: Type, span: Span) -> Type:
    """The type of the seat that something belongs to; UNKNOWN if it belongs to nobody."""
    seats = check.symbols.seats
    assert seats
    if piece.sort == "dom" and piece.dom is not None:
        if piece.dom is seats or piece.dom is check.symbols.sides:
            return piece
        if piece.dom.parts:
            for part in piece.dom.parts:
                check_holder(check, dom_type(part), span)
            return dom_type(seats)
        for info in piece.dom.fields.values():
            if info.type.sort == "dom" and info.type.dom is seats and not info.axes:
                return info.type
    if piece.sort != "unknown":
        check.sink.error("GR0301", span, f"{piece} has no owner")
    return UNKNOWN
