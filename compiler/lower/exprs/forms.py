"""Literals of forms, and bare names of their members."""

from __future__ import annotations

from typing import TYPE_CHECKING

from grognard.compiler.lower.choices.forms import blank_form, blank_parts
from grognard.compiler.lower.exprs.rules import how_many
from grognard.compiler.sema.scope import Scope, Value
from grognard.compiler.sema.types import (
    UNKNOWN,
    FormInfo,
    Type,
)
from grognard.compiler.syntax import nodes as syn
from grognard.contract import ir
from grognard.support.suggest import hint_for

if TYPE_CHECKING:
    from grognard.compiler.lower.exprs.expressions import Exprs


def bare_form(exprs: Exprs, made: Value, expr: syn.Expr, want: Type, form: FormInfo) -> Value:
    """`none`, or the bare name of a member without fields, where a form is expected."""
    if made.type.sort == "none":
        return blank_form(exprs.code, want, made.expr) if want.optional else made
    if made.type.dom is not form.names:
        return made
    name = expr.id if isinstance(expr, syn.Name) else expr.name if isinstance(expr, syn.Dot) else ""
    if name not in form.filled:
        exprs.sink.error("GR0301", expr.span, f"this is only the name of {form.name}, not what it says")
        return Value(UNKNOWN, ir.Const(0))
    if form.filled[name]:
        missing = ", ".join(f"{key} = ..." for key in form.record.fields if key in form.filled[name])
        exprs.sink.error("GR0302", expr.span, f"`{name}` is not complete", hint=f"write {name}({missing})")
    return blank_form(exprs.code, want.required(), made.expr)


def fill_form(exprs: Exprs, form: FormInfo, name: str, expr: syn.CallExpr, scope: Scope) -> Value:
    """`move(route = r)`: a form written out."""
    type_ = Type("record", record=form.record)
    tag = exprs.member(name, form.names)
    member = next((m for m in form.decl.members if m.name == name), None)
    if tag is None or member is None:
        exprs.sink.error(
            "GR0204", expr.span, f"{form.name} has no `{name}`", hint=hint_for(name, form.names.members)
        )
        return Value(UNKNOWN, ir.Const(0))
    parts = blank_parts(exprs.code, form, tag.expr, False)
    asked = [f.name for f in (*member.body, *form.decl.body) if isinstance(f, syn.FormField)]
    given = dict(zip(asked, expr.args, strict=False))
    if len(expr.args) > len(asked):
        exprs.sink.error("GR0302", expr.span, f"`{name}` asks for {how_many(len(asked))}")
    for named in expr.named:
        if named.name not in asked:
            exprs.sink.error(
                "GR0203", named.span, f"`{name}` has no `{named.name}`", hint=hint_for(named.name, asked)
            )
            continue
        given[named.name] = named.value
    for key, value in given.items():
        kind = form.record.fields[key]
        want = kind.required() if key in form.filled[name] else kind
        parts[key] = Value(kind, exprs.checked(value, scope, want, f"`{key}`").expr)
    for key in form.record.fields:
        if key in form.filled[name] and key not in given:
            exprs.sink.error("GR0302", expr.span, f"`{name}` needs `{key}`")
    return Value(type_, None, parts)
