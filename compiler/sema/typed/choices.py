"""Choices: what they give a name.  The rest of them is still checked while they are lowered (lower/choices)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from grognard.compiler.sema.checks.movements import grown
from grognard.compiler.sema.declare.forms import form_of
from grognard.compiler.sema.declare.types import resolve_type
from grognard.compiler.sema.routes import route_type
from grognard.compiler.sema.scope import Binding, Scope, Variable
from grognard.compiler.sema.typed import nodes as t
from grognard.compiler.sema.typed.aggregates import check_source
from grognard.compiler.sema.typed.rules import check_movement
from grognard.compiler.sema.types import (
    FLAG,
    UNKNOWN,
    FieldInfo,
    FormInfo,
    Type,
    dom_type,
    int_range,
    set_type,
)
from grognard.compiler.syntax import nodes as syn
from grognard.support.source import Span

if TYPE_CHECKING:
    from grognard.compiler.sema.typed.statements import BodyChecker

#: The most of one member that anybody can choose.
MOST = 9999


def check_choose(check: BodyChecker, statement: syn.ChooseStmt, scope: Scope) -> t.Unmoved:
    made = check.unmoved(statement, scope)
    if check.body.machine and not statement.index:
        form = form_of(check.world, statement.type)
        if form is not None:
            type_ = _form_type(check, statement, form, scope)
        else:
            type_ = _chosen_type(check, statement, scope)
        made.gives = _given(check, statement.name, type_, scope, statement.name_span)
        if form is None and type_.sort != "unknown" and statement.where is not None and not statement.may:
            scope.narrowed.update(check.narrow(statement.where, scope, True))
            check.standing.demanded.append(statement.where)
    return made


def check_choice_of_loop(check: BodyChecker, statement: syn.ChooseStmt, scope: Scope) -> t.Unmoved:
    """The choice at the head of a loop, which may be answered `done`."""
    return check_choose(check, statement, scope)


def _given(check: BodyChecker, name: str, type_: Type, scope: Scope, span: Span) -> Variable:
    variable = Variable(name, type_)
    check.bind(scope, variable, False, span)
    return variable


def _chosen_type(check: BodyChecker, statement: syn.ChooseStmt, scope: Scope) -> Type:
    """The type of what is chosen: of a type, a range, or a set."""
    element: Type | None = None
    if statement.source is not None:
        source, element = check_source(check, statement.source, scope)
        element = None if source is None else element
    else:
        assert statement.type is not None
        base = statement.type.base
        if statement.type.sort == "union":
            type_ = resolve_type(check.world, statement.type)
            element = type_.required() if type_.dom is not None else None
        elif isinstance(base, syn.Name) and base.id == "flag":
            element = FLAG
        elif base is not None:
            source, element = check_source(check, base, scope)
            element = None if source is None else element
    if element is None:
        return UNKNOWN
    return element.maybe() if statement.may else element


def _form_type(check: BodyChecker, statement: syn.ChooseStmt, form: FormInfo, scope: Scope) -> Type:
    if len(statement.given) != len(form.params):
        return UNKNOWN
    for expr, (name, type_) in zip(statement.given, form.params, strict=True):
        made = check.checked(expr, scope, type_, f"`{name}`")
        if made.type.sort == "unknown" or type_.sort == "unknown":
            return UNKNOWN
    return Type("record", record=form.record, optional=statement.may)


def check_choose_some(check: BodyChecker, statement: syn.ChooseSomeStmt, scope: Scope) -> t.Unmoved:
    made = check.unmoved(statement, scope)
    source, element = check_source(check, statement.source, scope)
    dom = element.dom if source is not None else None
    if dom is None or (statement.numbers and dom.sort in ("piece", "record")):
        made.gives = _given(check, statement.into, UNKNOWN, scope, statement.span)
        return made
    if not statement.numbers:
        made.gives = _given(check, statement.into, set_type(dom), scope, statement.span)
        return made
    # The numbers belong to the procedure; their field gets its number where they are lowered.
    made.array = FieldInfo(statement.into, int_range(0, MOST), (dom,), None, None, field=-1)
    check.free(scope, statement.into, statement.span)
    scope.names[statement.into] = Binding(
        Variable(statement.into, UNKNOWN), False, statement.span, info=made.array
    )
    return made


def check_choose_route(check: BodyChecker, statement: syn.ChooseRouteStmt, scope: Scope) -> t.Unmoved:
    made = check.unmoved(statement, scope)
    if check.body.machine:
        use = statement.use
        found = check_movement(check, use.name, use.args, use.span, scope)
        type_ = UNKNOWN
        if found is not None:
            decl = grown(check.world, found[0].entry.decl)
            assert decl is not None
            type_ = route_type(found[1], decl.room)
        made.gives = _given(check, statement.name, type_, scope, statement.name_span)
    return made


# ---------------------------------------------------------------------------------------------- examples of play


def check_example_step(check: BodyChecker, statement: syn.Stmt, scope: Scope) -> t.Unmoved:
    """A statement that only examples and situations have."""
    made = check.unmoved(statement, scope)
    match statement:
        case syn.CounterStmt(name=name, kind=kind) if name:
            made.gives = _given(check, name, _counter_type(check, kind), scope, statement.span)
        case syn.ExpectStmt(conditions=conditions):
            for condition in conditions:
                scope.narrowed.update(check.narrow(condition, scope, True))
        case syn.OddsStmt(into=str(into), use=use):
            entry = check.world.callables.get(use.name)
            if entry is not None and entry.sort in ("procedure", "action"):
                made.gives = _given(check, into, entry.result or UNKNOWN, scope, statement.span)
    return made


def _counter_type(check: BodyChecker, kind: str) -> Type:
    for dom in check.world.doms:
        if dom.sort == "piece" and dom.kind is not None and dom.kind.index(kind) is not None:
            return dom_type(dom)
    return UNKNOWN
