"""Statements that change the position or tell of it: counters made and removed, bags, requirements, lines of the log, secrets."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from grognard.compiler.sema.scope import Scope, Variable
from grognard.compiler.sema.symbols import BagInfo
from grognard.compiler.sema.typed import nodes as t
from grognard.compiler.sema.typed.assignments import for_each_part
from grognard.compiler.sema.typed.targets import check_target
from grognard.compiler.sema.types import UNKNOWN, FieldInfo, dom_type
from grognard.compiler.syntax import nodes as syn
from grognard.support.suggest import hint_for

if TYPE_CHECKING:
    from grognard.compiler.sema.typed.checker import Checker
    from grognard.compiler.sema.typed.statements import BodyChecker


def check_require(check: BodyChecker, statement: syn.RequireStmt, scope: Scope) -> t.Require:
    test = check.condition(statement.condition, scope)
    scope.narrowed.update(check.narrow(statement.condition, scope, True))
    return t.Require(statement, test)


def check_create(check: BodyChecker, statement: syn.CreateStmt, scope: Scope) -> t.Create | None:
    dom = check.symbols.types.get(statement.piece)
    known = dom is not None and dom.alive is not None
    made: list[tuple[FieldInfo, t.Typed]] = []
    if dom is not None and known:
        given = [(named.name, named.value) for named in statement.fields]
        if statement.kind is not None:
            given.insert(0, ("type", statement.kind))
        for name, expr in given:
            info = dom.fields.get(name)
            if info is None or (info.field is None and info.parts is None) or info.axes:
                continue
            made.append((info, check.checked(expr, scope, info.type, f"`{name}`")))
    variable: Variable | None = None
    if statement.into is not None:
        variable = Variable(statement.into, dom_type(dom) if dom is not None and known else UNKNOWN)
        check.bind(scope, variable, False, statement.span)
    return t.Create(statement, dom, tuple(made), variable) if dom is not None and known else None


def check_destroy(check: BodyChecker, statement: syn.DestroyStmt, scope: Scope) -> t.Statement | None:
    whole = for_each_part(check, statement.value, statement, scope, check_destroy)
    if whole is not None:
        return whole
    made = check.value(statement.value, scope)
    dom = made.type.dom
    if made.type.sort != "dom" or dom is None or dom.alive is None:
        if made.type.sort != "unknown":
            check.sink.error(
                "GR0301",
                statement.value.span,
                f"only counters and records are removed, this is {made.type}",
            )
        return None
    check.demand(made.type, dom_type(dom), statement.value.span)
    return t.Destroy(statement, dom, made)


def check_put(check: BodyChecker, statement: syn.PutStmt, scope: Scope) -> t.Put:
    condition: t.Typed | None = None
    targets = [statement.target]
    if isinstance(statement.target, syn.Ternary):
        condition = check.condition(statement.target.condition, scope)
        targets = [statement.target.then, statement.target.otherwise]
    puts: list[tuple[BagInfo, t.Typed] | None] = []
    for target in targets:
        bag = check_bag(check, target)
        puts.append(None if bag is None else (bag, check.checked(statement.value, scope, dom_type(bag.kind))))
    return t.Put(statement, condition, tuple(puts))


def check_bag(check: Checker, expr: syn.Expr) -> BagInfo | None:
    symbols = check.symbols
    if isinstance(expr, syn.Name) and expr.id in symbols.bags:
        return symbols.bags[expr.id]
    if isinstance(expr, syn.Name) and expr.id in symbols.broken:
        return None
    check.sink.error(
        "GR0208",
        expr.span,
        "the name of a bag is needed here",
        hint=hint_for(expr.id, list(symbols.bags)) if isinstance(expr, syn.Name) else None,
    )
    return None


def check_log(check: BodyChecker, statement: syn.LogStmt, scope: Scope) -> t.Log:
    values: list[t.Typed] = []
    text = ""
    for part in re.split(r"(\{[^}]*\})", statement.text):
        if not part.startswith("{"):
            text += part
            continue
        names = part[1:-1].strip().split(".")
        if not all(re.fullmatch(r"\w+", name) for name in names):
            continue
        expr: syn.Expr = syn.Name(names[0], statement.span)
        for name in names[1:]:
            expr = syn.Dot(expr, name, statement.span, statement.span)
        made = check.value(expr, scope)
        if made.type.form is not None:
            made = t.Part(dom_type(made.type.form.names), made, "name")
        if made.type.sort in ("set", "list", "record"):
            check.sink.error(
                "GR0301", statement.span, f"{part} is a {made.type} and cannot be shown in a line"
            )
            continue
        text += f"{{{len(values)}}}"
        values.append(made)
    return t.Log(statement, text, tuple(values))


def check_reveal(check: BodyChecker, statement: syn.RevealStmt, scope: Scope) -> t.Reveal | None:
    target = check_target(check, statement.value, scope)
    if target is None:
        return None
    if isinstance(target, t.FieldTarget):
        info = target.info
        if info.known is not None or (info.parts is not None and info.secret):
            return t.Reveal(statement, target)
    check.sink.error("GR0208", statement.value.span, "only a secret field can be revealed")
    return None
