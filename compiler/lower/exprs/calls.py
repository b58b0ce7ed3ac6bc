"""Expressions that are written as calls: rules, tables, movements, arrays, members."""

from __future__ import annotations

from typing import TYPE_CHECKING

from grognard.compiler.lower.exprs.aggregates import verb_as_set
from grognard.compiler.lower.exprs.builtins import lower_builtin
from grognard.compiler.lower.exprs.fields import (
    field_of,
    owner_value,
    read_element,
    read_relation,
)
from grognard.compiler.lower.exprs.forms import fill_form
from grognard.compiler.lower.exprs.geometry import lower_verb
from grognard.compiler.lower.exprs.rules import call_rule
from grognard.compiler.sema.builtins import (
    BUILTINS,
    SOURCES,
    VERBS,
)
from grognard.compiler.sema.scope import Scope, Value
from grognard.compiler.sema.types import UNKNOWN, Type
from grognard.compiler.syntax import nodes as syn
from grognard.compiler.syntax.from_text.error_words import OLD_CALLS
from grognard.contract import ir
from grognard.contract.header import NONE
from grognard.support.suggest import hint_for

if TYPE_CHECKING:
    from grognard.compiler.lower.exprs.expressions import Exprs


def lower_call(exprs: Exprs, expr: syn.CallExpr, scope: Scope, want: Type | None) -> Value:
    if isinstance(expr.callee, syn.Dot):
        dot = expr.callee
        if (
            isinstance(dot.object, syn.Name)
            and scope.find(dot.object.id) is None
            and dot.object.id in exprs.world.forms
        ):
            return fill_form(exprs, exprs.world.forms[dot.object.id], dot.name, expr, scope)
        if (
            isinstance(dot.object, syn.Name)
            and scope.find(dot.object.id) is None
            and dot.object.id in ("scenario", "game")
        ):
            return lower_call(
                exprs,
                syn.CallExpr(syn.Name(dot.name, dot.name_span), expr.args, expr.named, expr.span),
                scope,
                want,
            )
        if isinstance(dot.object, syn.Name) and dot.object.id == "my" and scope.find("my") is None:
            owner = exprs.me(dot.object.span)
        else:
            owner = owner_value(exprs, dot.object, scope)
        return field_of(exprs, owner, dot, scope, list(expr.args))
    if not isinstance(expr.callee, syn.Name):
        exprs.sink.error("GR0207", expr.callee.span, "this cannot be called")
        return Value(UNKNOWN, ir.Const(0))
    name = expr.callee.id
    world = exprs.world
    array = scope.find_array(name)
    if array is not None and array.info is not None:
        array.used = True
        return read_element(exprs, name, array.info, expr, scope)
    wanted = want.form if want is not None else None
    if wanted is not None and name in wanted.filled:
        return fill_form(exprs, wanted, name, expr, scope)
    if name in world.records and name not in world.forms:
        return _construct(exprs, name, expr, scope)
    if expr.named:
        exprs.sink.error("GR0302", expr.span, "only records are made with named values")
    if name in world.relations:
        return read_relation(exprs, world.relations[name], expr, scope)
    if name in world.globals:
        return read_element(exprs, name, world.globals[name], expr, scope)
    entry = world.callables.get(name)
    if entry is not None:
        if entry.sort in ("procedure", "action", "menu"):
            exprs.sink.error(
                "GR0710",
                expr.callee.span,
                f"`{name}` is a {entry.sort}: it is done, not asked",
                hint=f"write `do {name}(...)`, with `-> x` for its result",
            )
            return Value(UNKNOWN, ir.Const(0))
        return call_rule(exprs, entry, list(expr.args), expr.span, scope)
    if name in VERBS:
        return lower_verb(exprs, name, expr, scope)
    if name in BUILTINS:
        return lower_builtin(exprs, name, expr, scope, want)
    if name in SOURCES:
        return verb_as_set(exprs, expr, scope)
    bound = scope.find(name)
    if name in world.broken or (bound is not None and bound.type.sort == "unknown"):
        return Value(UNKNOWN, ir.Const(0))
    if name in OLD_CALLS:
        hint = f"`grognard upgrade {expr.span.file}` rewrites it"
        exprs.sink.error("GR0207", expr.callee.span, OLD_CALLS[name], hint=hint)
        return Value(UNKNOWN, ir.Const(0))
    known = [
        *world.callables,
        *world.relations,
        *world.globals,
        *VERBS,
        *SOURCES,
        *BUILTINS,
        *world.records,
    ]
    exprs.sink.error(
        "GR0207",
        expr.callee.span,
        f"there is no rule, table or verb `{name}`",
        hint=hint_for(name, known),
    )
    return Value(UNKNOWN, ir.Const(0))


def _construct(exprs: Exprs, name: str, expr: syn.CallExpr, scope: Scope) -> Value:
    record = exprs.world.records[name]
    parts: dict[str, Value] = {}
    given: dict[str, syn.Expr] = {}
    for key, arg in zip(record.fields, expr.args, strict=False):
        given[key] = arg
    if len(expr.args) > len(record.fields):
        exprs.sink.error("GR0302", expr.span, f"{name} has {len(record.fields)} fields")
    for named in expr.named:
        if named.name not in record.fields and not any(f.startswith(named.name + "(") for f in record.fields):
            exprs.sink.error(
                "GR0203",
                named.span,
                f"{name} has no `{named.name}`",
                hint=hint_for(named.name, list(record.fields)),
            )
        given[named.name] = named.value
    for key, type_ in record.fields.items():
        base = key.split("(")[0]
        if key in given:
            parts[key] = exprs.checked(given[key], scope, type_, f"`{key}`")
        elif "(" in key and base in given:
            # `fp = u.fp`: a column with an axis is copied member by member.
            member = syn.Name(key[len(base) + 1 : -1], given[base].span)
            parts[key] = exprs.checked(
                syn.CallExpr(given[base], (member,), (), given[base].span), scope, type_, f"`{key}`"
            )
        elif type_.optional:
            parts[key] = Value(type_, ir.Const(NONE))
        elif type_.sort == "set":
            assert type_.dom
            parts[key] = Value(type_, ir.SetOf(type_.dom.id, ()))
        elif type_.sort in ("int", "flag") and type_.lo <= 0 <= type_.hi:
            parts[key] = Value(type_, ir.Const(0))
        else:
            exprs.sink.error("GR0302", expr.span, f"{name} needs `{key}`")
            parts[key] = Value(type_, ir.Const(0))
        parts[key] = Value(type_, parts[key].expr, parts[key].record)
    return Value(Type("record", record=record), None, parts)
