"""Reads of fields: of counters, places and the game, of records and forms, of unions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from grognard.compiler.lower.exprs.literals import place_named
from grognard.compiler.lower.exprs.rules import call_rule
from grognard.compiler.sema.scope import Scope, Value
from grognard.compiler.sema.types import (
    FLAG,
    UNKNOWN,
    Dom,
    FieldInfo,
    Type,
    dom_type,
    int_range,
    join,
)
from grognard.compiler.syntax import nodes as syn
from grognard.contract import ir
from grognard.contract.header import NONE
from grognard.support.source import Span
from grognard.support.suggest import hint_for

if TYPE_CHECKING:
    from grognard.compiler.lower.exprs.expressions import Exprs


def lower_dot(exprs: Exprs, expr: syn.Dot, scope: Scope, want: Type | None) -> Value:
    if isinstance(expr.object, syn.Name) and scope.find(expr.object.id) is None:
        owner = expr.object.id
        if owner in ("scenario", "game"):
            info = exprs.world.globals.get(expr.name)
            if info is None:
                exprs.sink.error(
                    "GR0203",
                    expr.name_span,
                    f"the game has no field `{expr.name}`",
                    hint=hint_for(expr.name, list(exprs.world.globals)),
                )
                return Value(UNKNOWN, ir.Const(0))
            return read_field(exprs, info, [], [], expr.span)
        if owner == "my":
            return field_of(exprs, exprs.me(expr.object.span), expr, scope, [])
        if owner in exprs.world.types and owner not in exprs.world.globals:
            dom = exprs.world.types[owner]
            made = exprs.member(expr.name, dom)
            if made is None and dom.sort == "place" and not exprs.lowerer.places_known:
                return place_named(exprs, expr.name, dom, expr.name_span) or Value(UNKNOWN, ir.Const(0))
            if made is None:
                exprs.sink.error(
                    "GR0204",
                    expr.name_span,
                    f"{dom.name} has no `{expr.name}`",
                    hint=hint_for(expr.name, dom.members),
                )
                return Value(UNKNOWN, ir.Const(0))
            return made
    return field_of(exprs, owner_value(exprs, expr.object, scope), expr, scope, [])


def owner_value(exprs: Exprs, expr: syn.Expr, scope: Scope) -> Value:
    """The owner of a field; `0404.terrain` means the place of that name."""
    if isinstance(expr, syn.Number) and exprs.world.spaces:
        return exprs.value(expr, scope, dom_type(exprs.world.spaces[0]))
    return exprs.value(expr, scope)


def field_of(exprs: Exprs, owner: Value, expr: syn.Dot, scope: Scope, axes: list[syn.Expr]) -> Value:
    if owner.type.sort == "unknown":
        return Value(UNKNOWN, ir.Const(0))
    if owner.record is not None:
        return _record_part(exprs, owner, expr, scope, axes)
    dom = owner.type.dom
    if owner.type.sort != "dom" or dom is None:
        what = "a number" if owner.type.sort == "int" else str(owner.type)
        exprs.sink.error("GR0203", expr.name_span, f"{what} has no fields, so no `{expr.name}`")
        return Value(UNKNOWN, ir.Const(0))
    if dom.parts:
        return _union_field(exprs, owner, dom, expr, scope, axes)
    info, through_kind = exprs.find_field(dom, expr.name)
    if info is None:
        no_field(exprs, dom, expr)
        return Value(UNKNOWN, ir.Const(0))
    if info.type.dom is not None and info.type.dom.callable_type is not None and axes and not info.axes:
        return _dispatch_rule(exprs, field_of(exprs, owner, expr, scope, []), expr, axes, scope)
    if owner.type.optional:
        if dom.sort == "edge":
            return _edge_field(exprs, owner, info, expr)
        return _may_be_none(exprs, expr)
    index = [owner.expr]
    if through_kind:
        assert dom.kind
        index = [read_field(exprs, dom.fields["type"], [owner.expr], [], expr.span).expr]
    indexes = [axis_index(exprs, axis, info, place, scope) for place, axis in enumerate(axes)]
    if len(axes) != len(info.axes):
        exprs.sink.error(
            "GR0302",
            expr.span,
            f"`{expr.name}` has {len(info.axes)} axes, {len(axes)} given",
            hint=f"write {expr.name}({', '.join(a.name for a in info.axes)})" if info.axes else None,
        )
        return Value(UNKNOWN, ir.Const(0))
    read = read_field(exprs, info, index, indexes, expr.span)
    if through_kind and dom.fields["type"].veiled:
        return _veiled(exprs, index[0], read)
    return read


def _veiled(exprs: Exprs, row: Any, read: Value) -> Value:
    """A column of a counter whose type may be hidden: then it reads none, or the least there is."""
    site = exprs.lowerer.nowhere
    hidden = ir.Binary("eq", row, ir.Const(NONE), site)
    if read.type.sort == "set":
        assert read.type.dom
        return Value(read.type, ir.SetIf(hidden, ir.SetOf(read.type.dom.id, ()), read.expr))
    least = max(0, read.type.lo) if read.type.sort == "int" else 0
    absent = NONE if read.type.optional or read.type.sort == "dom" else min(least, read.type.hi)
    return Value(read.type, ir.If(hidden, ir.Const(absent), read.expr))


def _union_field(
    exprs: Exprs, owner: Value, dom: Dom, expr: syn.Dot, scope: Scope, axes: list[syn.Expr]
) -> Value:
    """A field that all parts of a union have: read from the one that the value belongs to."""
    made: Value | None = None
    for part in reversed(dom.parts):
        narrowed = Value(dom_type(part, owner.type.optional), owner.expr)
        one = field_of(exprs, narrowed, expr, scope, axes)
        if one.type.sort == "unknown":
            return one
        if one.record is not None or one.type.sort in ("set", "list"):
            exprs.sink.error(
                "GR0301",
                expr.name_span,
                f"`{expr.name}` is {one.type.words}: test first which type this is",
            )
            return Value(UNKNOWN, ir.Const(0))
        if made is None:
            made = one
            continue
        both = join(made.type, one.type)
        if both is None:
            exprs.sink.error(
                "GR0301",
                expr.name_span,
                f"`{expr.name}` is {one.type.words} of {part.name}, and {made.type.words} of another",
            )
            return Value(UNKNOWN, ir.Const(0))
        made = Value(both, ir.If(belongs(exprs, owner.expr, part), one.expr, made.expr))
    assert made is not None
    return made


def belongs(exprs: Exprs, value: Any, dom: Dom) -> ir.Expr:
    """Whether a value belongs to a domain of places or counters."""
    site = exprs.lowerer.nowhere
    lo = ir.Binary("ge", value, ir.DomainBase(dom.id), site)
    beyond = ir.Binary("add", ir.DomainBase(dom.id), ir.DomainCount(dom.id), site)
    return ir.Binary("and", lo, ir.Binary("lt", value, beyond, site), site)


def _may_be_none(exprs: Exprs, expr: syn.Dot) -> Value:
    exprs.sink.error(
        "GR0305",
        expr.object.span,
        "this may be none, so its fields cannot be read",
        hint="test it first: `x is not none and ...`",
    )
    return Value(UNKNOWN, ir.Const(0))


def _dispatch_rule(exprs: Exprs, tag: Value, expr: syn.Dot, args: list[syn.Expr], scope: Scope) -> Value:
    """`c.effect(u)` of a column that names a rule: the value of the rule that it names."""
    dom = tag.type.dom
    if tag.type.sort == "unknown" or dom is None or dom.callable_type is None:
        return Value(UNKNOWN, ir.Const(0))
    callable_type = dom.callable_type
    if callable_type.sort != "rule":
        exprs.sink.error(
            "GR0710",
            expr.name_span,
            f"`{expr.name}` names a {callable_type.sort}: it is {'done' if callable_type.sort == 'procedure' else 'offered'}, "
            "not asked",
        )
        return Value(UNKNOWN, ir.Const(0))
    if tag.type.optional:
        exprs.demand(tag, dom_type(dom), expr.span)
        return Value(UNKNOWN, ir.Const(0))
    assert callable_type.result is not None
    made: Any = None
    site = exprs.lowerer.nowhere
    for place in range(len(callable_type.entries) - 1, -1, -1):
        one = call_rule(exprs, callable_type.entries[place], args, expr.span, scope)
        if one.type.sort in ("set", "unknown"):
            if one.type.sort == "set":
                exprs.sink.error("GR0301", expr.span, "a rule that is named by data gives no set")
            return Value(UNKNOWN, ir.Const(0))
        test = ir.Binary("eq", tag.expr, ir.Const(place), site)
        made = one.expr if made is None else ir.If(test, one.expr, made)
    return Value(callable_type.result, made if made is not None else ir.Const(0))


def _edge_field(exprs: Exprs, owner: Value, info: FieldInfo, expr: syn.Dot) -> Value:
    """A hexside's field reads as its zero where there is no such hexside (the edge of the map)."""
    if info.column is None and info.type.sort in ("set", "list"):
        exprs.sink.error(
            "GR0305", expr.object.span, "this may be none: test it first", hint="`if e is not none`"
        )
        return Value(UNKNOWN, ir.Const(0))
    read = read_field(exprs, info, [owner.expr], [], expr.span).expr
    site = exprs.lowerer.site("read", expr.name, expr.span)
    absent = NONE if info.type.optional else 0
    if info.type.sort == "set":
        return Value(info.type, read)
    return Value(info.type, ir.If(ir.Binary("eq", owner.expr, ir.Const(NONE), site), ir.Const(absent), read))


def _record_part(exprs: Exprs, owner: Value, expr: syn.Dot, scope: Scope, axes: list[syn.Expr]) -> Value:
    assert owner.record is not None
    name = expr.name
    form = owner.type.form
    if form is not None and name in form.names.fields:
        info = form.names.fields[name]
        if owner.type.optional:
            return _may_be_none(exprs, expr)
        places = [axis_index(exprs, axis, info, place, scope) for place, axis in enumerate(axes)]
        return read_field(exprs, info, [owner.record["name"].expr], places, expr.span)
    if axes:
        return _record_axis(exprs, owner, expr, scope, axes)
    part = owner.record.get(name)
    if part is not None and form is not None and name == "name" and not owner.type.optional:
        return Value(part.type.required(), part.expr)
    if part is None:
        exprs.sink.error(
            "GR0203",
            expr.name_span,
            f"{owner.type} has no `{name}`",
            hint=hint_for(name, list(owner.record)),
        )
        return Value(UNKNOWN, ir.Const(0))
    return part


def no_field(exprs: Exprs, dom: Dom, expr: syn.Dot) -> None:
    if isinstance(dom.decl, syn.PieceDecl) and dom.decl.kind and dom.kind is None:
        return  # its kind is unknown, and so are its columns
    exprs.sink.error(
        "GR0203",
        expr.name_span,
        f"{dom.name} has no field `{expr.name}`",
        hint=hint_for(expr.name, _field_names(dom)),
    )


def _record_axis(exprs: Exprs, owner: Value, expr: syn.Dot, scope: Scope, axes: list[syn.Expr]) -> Value:
    """`a.fp(c)` of a record: one local per member, picked by the index."""
    assert owner.record is not None
    members = [key[len(expr.name) + 1 : -1] for key in owner.record if key.startswith(expr.name + "(")]
    dom = next((d for d in exprs.world.types.values() if d.members == members), None)
    if dom is None:
        exprs.sink.error("GR0203", expr.name_span, f"{owner.type} has no `{expr.name}(...)`")
        return Value(UNKNOWN, ir.Const(0))
    index = exprs.checked(axes[0], scope, dom_type(dom))
    site = exprs.lowerer.site("read", expr.name, expr.span)
    result = owner.record[f"{expr.name}({members[-1]})"]
    made = result.expr
    for place in range(len(members) - 2, -1, -1):
        made = ir.If(
            ir.Binary("eq", index.expr, ir.Const(place), site),
            owner.record[f"{expr.name}({members[place]})"].expr,
            made,
        )
    return Value(result.type, made)


def axis_index(exprs: Exprs, expr: syn.Expr, info: FieldInfo, place: int, scope: Scope) -> Any:
    if place >= len(info.axes):
        return ir.Const(0)
    axis = info.axes[place]
    if axis.sort == "range":
        want = int_range(axis.range_lo, axis.range_lo + len(axis.members) - 1)
    else:
        want = dom_type(axis)
    return exprs.checked(expr, scope, want, "the index").expr


def _field_names(dom: Dom) -> list[str]:
    names = list(dom.fields)
    if dom.parent:
        names += dom.parent.fields
    if dom.kind:
        names += dom.kind.fields
    return names


def read_field(exprs: Exprs, info: FieldInfo, owner: list[Any], axes: list[Any], span: Span) -> Value:
    """Read a field or column."""
    if info.parts is not None:
        parts = {key: read_field(exprs, part, owner, axes, span) for key, part in info.parts.items()}
        return Value(info.type, None, parts)
    index = tuple(owner + axes)
    site = exprs.lowerer.site("read", info.name, span)
    if info.column is not None:
        if info.type.sort == "set":
            return Value(info.type, ir.SetData(info.column, index, site))
        return Value(info.type, ir.Data(info.column, index, site))
    number = info.field
    assert number is not None
    if exprs.code.mark is not None:
        number = exprs.lowerer.marks.snapshot(number, exprs.code.mark)
    if info.secret:
        exprs.code.reads_secret = True
    if info.type.sort == "set":
        return Value(info.type, ir.SetLoad(number, index, site))
    if info.type.sort == "list":
        return Value(info.type, ir.ListLoad(number, index, site))
    if info.follows and info.owner is not None and info.follows in info.owner.fields:
        link = info.owner.fields[info.follows]
        carrier = read_field(exprs, link, owner, [], span).expr
        own = ir.Load(number, index, site)
        held = link.type.dom.fields.get(info.name) if link.type.dom is not None else None
        if held is None or held.field is None:  # reported where it is declared
            return Value(info.type, own)
        theirs = exprs.lowerer.marks.snapshot(held.field, exprs.code.mark) if exprs.code.mark else held.field
        carried = ir.Load(theirs, (carrier, *axes), site)
        return Value(info.type, ir.If(ir.Binary("eq", carrier, ir.Const(NONE), site), own, carried))
    return Value(info.type, ir.Load(number, index, site))


def read_element(exprs: Exprs, name: str, info: FieldInfo, expr: syn.CallExpr, scope: Scope) -> Value:
    """An element of a field that belongs to the game, or to a procedure."""
    if len(expr.args) != len(info.axes):
        exprs.sink.error("GR0302", expr.span, f"`{name}` has {len(info.axes)} axes, {len(expr.args)} given")
        return Value(UNKNOWN, ir.Const(0))
    axes = [axis_index(exprs, a, info, n, scope) for n, a in enumerate(expr.args)]
    return read_field(exprs, info, [], axes, expr.span)


def read_relation(exprs: Exprs, info: FieldInfo, expr: syn.CallExpr, scope: Scope) -> Value:
    """A relation reads as no where either side is none."""
    if len(expr.args) != 2:
        exprs.sink.error("GR0302", expr.span, f"relation `{info.name}` is between two")
        return Value(FLAG, ir.Const(0))
    made = [
        exprs.value(arg, scope, dom_type(dom, True)) for arg, dom in zip(expr.args, info.axes, strict=True)
    ]
    for value, dom, arg in zip(made, info.axes, expr.args, strict=True):
        exprs.demand(value, dom_type(dom, True), arg.span)
    site = exprs.lowerer.site("read", info.name, expr.span)
    number = info.field
    assert number is not None
    if exprs.code.mark is not None:
        number = exprs.lowerer.marks.snapshot(number, exprs.code.mark)
    read: ir.Expr = ir.Load(number, (made[0].expr, made[1].expr), site)
    for value in reversed(made):
        if value.type.optional:
            read = ir.If(ir.Binary("eq", value.expr, ir.Const(NONE), site), ir.Const(0), read)
    return Value(FLAG, read)


def owner_of(exprs: Exprs, piece: Value, span: Span) -> Value:
    """The seat that a counter belongs to: its first field of the seats' type."""
    seats = exprs.world.seats
    assert seats
    if piece.type.sort == "dom" and piece.type.dom is not None:
        if piece.type.dom is seats or piece.type.dom is exprs.world.sides:
            return piece
        if piece.type.dom.parts:
            held: ir.Expr = ir.Const(NONE)
            for part in piece.type.dom.parts:
                one = owner_of(exprs, Value(dom_type(part), piece.expr), span)
                held = ir.If(belongs(exprs, piece.expr, part), one.expr, held)
            return Value(dom_type(seats), held)
        for info in piece.type.dom.fields.values():
            if info.type.sort == "dom" and info.type.dom is seats and not info.axes:
                return read_field(exprs, info, [piece.expr], [], span)
    if piece.type.sort != "unknown":
        exprs.sink.error("GR0301", span, f"{piece.type} has no owner")
    return Value(UNKNOWN, ir.Const(0))
