"""Expressions that are written as calls: rules, tables, movements, arrays, members."""

from __future__ import annotations

from typing import TYPE_CHECKING

from grognard.compiler.sema.builtins import BUILTINS, SOURCES, VERBS
from grognard.compiler.sema.scope import Scope
from grognard.compiler.sema.typed import nodes as t
from grognard.compiler.sema.typed.aggregates import check_verb_as_set
from grognard.compiler.sema.typed.builtins import check_builtin
from grognard.compiler.sema.typed.fields import check_element, check_owner, check_relation, field_of
from grognard.compiler.sema.typed.forms import fill_form
from grognard.compiler.sema.typed.geometry import check_verb
from grognard.compiler.sema.typed.rules import check_rule
from grognard.compiler.sema.types import UNKNOWN, Type
from grognard.compiler.syntax import nodes as syn
from grognard.compiler.syntax.from_text.error_words import OLD_CALLS
from grognard.contract.header import NONE
from grognard.support.suggest import hint_for

if TYPE_CHECKING:
    from grognard.compiler.sema.typed.checker import Checker


def check_call(check: Checker, expr: syn.CallExpr, scope: Scope, want: Type | None) -> t.Typed:
    if isinstance(expr.callee, syn.Dot):
        dot = expr.callee
        if (
            isinstance(dot.object, syn.Name)
            and scope.find(dot.object.id) is None
            and dot.object.id in check.symbols.forms
        ):
            return fill_form(check, check.symbols.forms[dot.object.id], dot.name, expr, scope)
        if (
            isinstance(dot.object, syn.Name)
            and scope.find(dot.object.id) is None
            and dot.object.id in ("scenario", "game")
        ):
            return check_call(
                check,
                syn.CallExpr(syn.Name(dot.name, dot.name_span), expr.args, expr.named, expr.span),
                scope,
                want,
            )
        if isinstance(dot.object, syn.Name) and dot.object.id == "my" and scope.find("my") is None:
            owner = check.me(dot.object.span)
        else:
            owner = check_owner(check, dot.object, scope)
        return field_of(check, owner, dot, scope, expr.args)
    if not isinstance(expr.callee, syn.Name):
        check.sink.error("GR0207", expr.callee.span, "this cannot be called")
        return t.Broken(UNKNOWN)
    name = expr.callee.id
    symbols = check.symbols
    array = scope.find_array(name)
    if array is not None and array.info is not None:
        array.used = True
        return check_element(check, name, array.info, expr, scope)
    wanted = want.form if want is not None else None
    if wanted is not None and name in wanted.filled:
        return fill_form(check, wanted, name, expr, scope)
    if name in symbols.records and name not in symbols.forms:
        return _construct(check, name, expr, scope)
    if expr.named:
        check.sink.error("GR0302", expr.span, "only records are made with named values")
    if name in symbols.relations:
        return check_relation(check, symbols.relations[name], expr, scope)
    if name in symbols.globals:
        return check_element(check, name, symbols.globals[name], expr, scope)
    entry = symbols.callables.get(name)
    if entry is not None:
        if entry.sort in ("procedure", "action", "menu"):
            check.sink.error(
                "GR0710",
                expr.callee.span,
                f"`{name}` is a {entry.sort}: it is done, not asked",
                hint=f"write `do {name}(...)`, with `-> x` for its result",
            )
            return t.Broken(UNKNOWN)
        return check_rule(check, entry, expr.args, expr.span, scope)
    if name in VERBS:
        return check_verb(check, name, expr, scope)
    if name in BUILTINS:
        return check_builtin(check, name, expr, scope)
    if name in SOURCES:
        return check_verb_as_set(check, expr, scope)
    bound = scope.find(name)
    if name in symbols.broken or (bound is not None and bound.type.sort == "unknown"):
        return t.Broken(UNKNOWN)
    if name in OLD_CALLS:
        hint = f"`grognard upgrade {expr.span.file}` rewrites it"
        check.sink.error("GR0207", expr.callee.span, OLD_CALLS[name], hint=hint)
        return t.Broken(UNKNOWN)
    known = [
        *symbols.callables,
        *symbols.relations,
        *symbols.globals,
        *VERBS,
        *SOURCES,
        *BUILTINS,
        *symbols.records,
    ]
    check.sink.error(
        "GR0207",
        expr.callee.span,
        f"there is no rule, table or verb `{name}`",
        hint=hint_for(name, known),
    )
    return t.Broken(UNKNOWN)


def _construct(check: Checker, name: str, expr: syn.CallExpr, scope: Scope) -> t.Typed:
    record = check.symbols.records[name]
    parts: dict[str, t.Typed] = {}
    given: dict[str, syn.Expr] = {}
    for key, arg in zip(record.fields, expr.args, strict=False):
        given[key] = arg
    if len(expr.args) > len(record.fields):
        check.sink.error("GR0302", expr.span, f"{name} has {len(record.fields)} fields")
    for named in expr.named:
        if named.name not in record.fields and not any(f.startswith(named.name + "(") for f in record.fields):
            check.sink.error(
                "GR0203",
                named.span,
                f"{name} has no `{named.name}`",
                hint=hint_for(named.name, list(record.fields)),
            )
        given[named.name] = named.value
    for key, type_ in record.fields.items():
        base = key.split("(")[0]
        if key in given:
            parts[key] = check.checked(given[key], scope, type_, f"`{key}`")
        elif "(" in key and base in given:
            # `fp = u.fp`: a column with an axis is copied member by member.
            member = syn.Name(key[len(base) + 1 : -1], given[base].span)
            parts[key] = check.checked(
                syn.CallExpr(given[base], (member,), (), given[base].span), scope, type_, f"`{key}`"
            )
        elif type_.optional:
            parts[key] = t.Constant(type_, NONE)
        elif type_.sort == "set":
            parts[key] = t.SetOf(type_, ())
        elif type_.sort in ("int", "flag") and type_.lo <= 0 <= type_.hi:
            parts[key] = t.Constant(type_, 0)
        else:
            check.sink.error("GR0302", expr.span, f"{name} needs `{key}`")
            parts[key] = t.Broken(type_)
    return t.Record(Type("record", record=record), parts)
