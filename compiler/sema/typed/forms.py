"""Literals of forms, and bare names of their members."""

from __future__ import annotations

from typing import TYPE_CHECKING

from grognard.compiler.sema.scope import Scope
from grognard.compiler.sema.typed import nodes as t
from grognard.compiler.sema.typed.rules import how_many
from grognard.compiler.sema.types import UNKNOWN, FormInfo, Type
from grognard.compiler.syntax import nodes as syn
from grognard.support.suggest import hint_for

if TYPE_CHECKING:
    from grognard.compiler.sema.typed.checker import Checker


def bare_form(check: Checker, made: t.Typed, expr: syn.Expr, want: Type, form: FormInfo) -> t.Typed:
    """`none`, or the bare name of a member without fields, where a form is expected."""
    if made.type.sort == "none":
        return t.BlankForm(want, made) if want.optional else made
    if made.type.dom is not form.names:
        return made
    name = expr.id if isinstance(expr, syn.Name) else expr.name if isinstance(expr, syn.Dot) else ""
    if name not in form.filled:
        check.sink.error("GR0301", expr.span, f"this is only the name of {form.name}, not what it says")
        return t.Broken(UNKNOWN)
    if form.filled[name]:
        missing = ", ".join(f"{key} = ..." for key in form.record.fields if key in form.filled[name])
        check.sink.error("GR0302", expr.span, f"`{name}` is not complete", hint=f"write {name}({missing})")
    return t.BlankForm(want.required(), made)


def fill_form(check: Checker, form: FormInfo, name: str, expr: syn.CallExpr, scope: Scope) -> t.Typed:
    """`move(route = r)`: a form written out."""
    tag = check.member(name, form.names)
    member = next((m for m in form.decl.members if m.name == name), None)
    if tag is None or member is None:
        check.sink.error(
            "GR0204", expr.span, f"{form.name} has no `{name}`", hint=hint_for(name, form.names.members)
        )
        return t.Broken(UNKNOWN)
    asked = [f.name for f in (*member.body, *form.decl.body) if isinstance(f, syn.FormField)]
    given = dict(zip(asked, expr.args, strict=False))
    if len(expr.args) > len(asked):
        check.sink.error("GR0302", expr.span, f"`{name}` asks for {how_many(len(asked))}")
    for named in expr.named:
        if named.name not in asked:
            check.sink.error(
                "GR0203", named.span, f"`{name}` has no `{named.name}`", hint=hint_for(named.name, asked)
            )
            continue
        given[named.name] = named.value
    parts: dict[str, t.Typed] = {}
    for key, value in given.items():
        kind = form.record.fields[key]
        want = kind.required() if key in form.filled[name] else kind
        parts[key] = check.checked(value, scope, want, f"`{key}`")
    for key in form.record.fields:
        if key in form.filled[name] and key not in given:
            check.sink.error("GR0302", expr.span, f"`{name}` needs `{key}`")
    return t.FilledForm(Type("record", record=form.record), form, tag, parts)
