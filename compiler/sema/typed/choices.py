"""Choices of one thing: of a type, a range or a set, into an element of an array, of a form; choices of a route."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from grognard.compiler.sema.checks.movements import grown, ways_of
from grognard.compiler.sema.declare.forms import form_of
from grognard.compiler.sema.routes import route_type
from grognard.compiler.sema.scope import Binding, Scope, Variable
from grognard.compiler.sema.typed import nodes as t
from grognard.compiler.sema.typed.aggregates import check_source
from grognard.compiler.sema.typed.deciding import check_decider, check_deciding_seat, check_question
from grognard.compiler.sema.typed.fields import check_axis
from grognard.compiler.sema.typed.proofs import prove_route, prove_some
from grognard.compiler.sema.typed.rules import check_movement
from grognard.compiler.sema.types import FLAG, UNKNOWN, FormInfo, Type, dom_type
from grognard.compiler.syntax import nodes as syn
from grognard.compiler.syntax.walk import walk

if TYPE_CHECKING:
    from grognard.compiler.sema.typed.statements import BodyChecker


def check_choose(
    check: BodyChecker, statement: syn.ChooseStmt, scope: Scope, *, done: bool = False
) -> t.Choose | t.ChooseForm | None:
    """`done`: it stands at the head of a loop, and may be answered so."""
    if not check.body.machine:
        check.sink.error("GR0704", statement.span, "nobody can be asked here")
        return None
    if not statement.index:
        return _choose(check, statement, scope, done, None)
    into = _element(check, statement, scope)
    # In the filter the bare name is the candidate.
    return None if into is None else _choose(check, statement, scope.child(), done, into)


def _choose(
    check: BodyChecker, statement: syn.ChooseStmt, scope: Scope, done: bool, into: t.Element | None
) -> t.Choose | t.ChooseForm | None:
    form = form_of(check.symbols, statement.type)
    if form is not None:
        return _choose_form(check, statement, form, scope, done)
    if statement.given:
        check.sink.error(
            "GR0208", statement.given[0].span, "`for` belongs to the choice of a form", hint="use `where`"
        )
    found = _choice_source(check, statement, scope)
    if found is None:
        check.bind(scope, Variable(statement.name, UNKNOWN), False, statement.name_span)
        return None
    source, element = found
    loop = scope.child()
    candidate = Variable(statement.name, element)
    loop.names[statement.name] = Binding(candidate, False, statement.span)
    where: t.Typed | None = None
    keyed = loop
    if statement.where is not None:
        where = check.condition(statement.where, loop)
        keyed = loop.with_narrowed(check.narrow(statement.where, loop, True))
    if statement.prefer and (element.dom is None or element.dom.parts):
        check.sink.error("GR0313", statement.span, "`preferring` needs counters, places or members")
        prefer: tuple[tuple[str, t.Typed], ...] = ()
    else:
        prefer = tuple((rank, check.value(expr, keyed)) for rank, expr in statement.prefer)
    declared = id(statement) in check.declared
    captured = check.declared_names if declared else _read(check, statement, scope)
    seat = check_decider(check, statement.by, scope, statement.span)
    variable = Variable(statement.name, element.maybe() if statement.may else element)
    check.bind(scope, variable, False, statement.name_span)
    if statement.otherwise is None and not (statement.may or declared or done or _of_route(check, statement)):
        prove_some(check, statement)
    question = _question(check, statement, scope)
    otherwise = check_instead(check, statement.otherwise, scope)
    if statement.where is not None and not statement.may:
        scope.narrowed.update(check.narrow(statement.where, scope, True))
        check.standing.demanded.append(statement.where)
    if into is not None:
        check.demand(variable.type, into.info.type, statement.span, "what is chosen")
    return t.Choose(
        statement, source, candidate, variable, where, prefer, tuple(captured), seat, question, otherwise, into
    )  # fmt: skip


def _element(check: BodyChecker, statement: syn.ChooseStmt, scope: Scope) -> t.Element | None:
    """`choose target(u) in S where free(target)`: the element that the choice is for."""
    bound = scope.find_array(statement.name)
    info = None if bound is None else bound.info
    if info is None or info.field is None:
        check.sink.error(
            "GR0208",
            statement.name_span,
            f"`{statement.name}` is not declared as a value for each of something",
            hint=f"var {statement.name}(Unit): Hex? = none",
        )
        return None
    if len(statement.index) != len(info.axes):
        check.sink.error(
            "GR0302",
            statement.name_span,
            f"`{info.name}` has {len(info.axes)} axes, {len(statement.index)} given",
        )
        return None
    index = (check_axis(check, expr, info, place, scope) for place, expr in enumerate(statement.index))
    return t.Element(info, tuple(index))


def _choice_source(
    check: BodyChecker, statement: syn.ChooseStmt, scope: Scope
) -> tuple[t.Source | t.OverParts, Type] | None:
    """What a choice is of: a type, a range, or a set."""
    expr = statement.source
    if expr is None:
        assert statement.type is not None
        if statement.type.sort == "union":
            type_ = check.written_type(statement.type)
            return None if type_.dom is None else (t.OverParts(type_.dom.parts), type_.required())
        expr = statement.type.base
        if isinstance(expr, syn.Name) and expr.id == "flag":
            return t.OverNumbers(t.Constant(FLAG, 0), t.Constant(FLAG, 1)), FLAG
        if expr is None:
            check.sink.error("GR0202", statement.type.span, "a choice is of a type or a range")
            return None
    source, element = check_source(check, expr, scope)
    return None if source is None else (source, element)


def _read(check: BodyChecker, statement: syn.ChooseStmt, scope: Scope) -> list[Variable]:
    """What the filter reads of the surrounding block."""
    parts = (statement.where, statement.source, statement.type, *(expr for _, expr in statement.prefer))
    return captured_by(parts, scope, (statement.name,))


def captured_by(parts: Iterable[Any], scope: Scope, but: tuple[str, ...]) -> list[Variable]:
    """The names that these expressions read of the surrounding block."""
    read = [
        node.id for part in parts if part is not None for node in walk(part) if isinstance(node, syn.Name)
    ]
    return variables_of(read, scope, but)


def variables_of(names: Iterable[str], scope: Scope, but: tuple[str, ...]) -> list[Variable]:
    found = [scope.find(name) for name in dict.fromkeys(names) if name not in but]
    return [bound.variable for bound in found if bound is not None and bound.type.sort != "unknown"]


def _of_route(check: BodyChecker, statement: syn.ChooseStmt) -> bool:
    """Whether it is a choice among the places of a route: there is at least one."""
    source = statement.source.id if isinstance(statement.source, syn.Name) else ""
    return statement.where is None and source in check.sheet_routes


def _question(check: BodyChecker, statement: syn.ChooseStmt, scope: Scope) -> t.Question:
    label = statement.label or statement.name.replace("_", " ")
    return check_question(check, statement.name, label, statement.span, scope)


def check_instead(
    check: BodyChecker, otherwise: syn.Stmt | None, scope: Scope
) -> tuple[t.Statement, ...] | None:
    """The `else` of a choice without candidates.  It must leave the block, since the choice has no value."""
    if otherwise is None:
        return None
    made, leaves = check.statement(otherwise, scope)
    if not leaves:
        check.sink.error(
            "GR0703",
            otherwise.span,
            "after `else` the choice has no value",
            hint="the `else` must `stop`, `next` or `return`",
        )
    return () if made is None else (made,)


# ------------------------------------------------------------------------------------------------------------ forms


def _choose_form(
    check: BodyChecker, statement: syn.ChooseStmt, form: FormInfo, scope: Scope, done: bool
) -> t.ChooseForm | None:
    """A question for the member, then the questions of that member's sheet."""
    given = _given(check, statement, form, scope)
    if given is None:
        check.bind(scope, Variable(statement.name, UNKNOWN), False, statement.name_span)
        return None
    seat = check_deciding_seat(check, statement.by, scope, statement.span)
    tag = Variable(statement.name, dom_type(form.names))
    members = tuple(
        (member, value)
        for member in form.decl.members
        if (value := check.member(member.name, form.names)) is not None
    )
    where: t.Typed | None = None
    captured: list[Variable] = []
    with check.acting(seat.type):
        if statement.where is not None:
            captured = _read(check, statement, scope)
            inner = scope.child()
            inner.names[statement.name] = Binding(tag, False, statement.span)
            where = check.condition(statement.where, inner)
        if statement.otherwise is None and not (statement.may or done or _always(check, form, statement)):
            check.sink.error(
                "GR0703",
                statement.span,
                f"there may be nothing to choose for `{statement.name}`",
                hint="add `, else return`, make it `may choose`, or give the form a member without requirements",
            )
        question = _question(check, statement, scope)
        variable = Variable(statement.name, Type("record", record=form.record, optional=statement.may))
        check.bind(scope, variable, False, statement.name_span)
        otherwise = check_instead(check, statement.otherwise, scope)
    return t.ChooseForm(
        statement, form, given, seat, variable, tag, where, members, tuple(captured), question, otherwise
    )


def _given(
    check: BodyChecker, statement: syn.ChooseStmt, form: FormInfo, scope: Scope
) -> tuple[t.Typed, ...] | None:
    """What the form is filled in for."""
    if len(statement.given) != len(form.params):
        wanted = ", ".join(f"{name}: {type_}" for name, type_ in form.params)
        check.sink.error(
            "GR0302",
            statement.span,
            f"form {form.name} is filled in for {len(form.params) or 'no'} value{'s'[: len(form.params) != 1]}, "
            f"{len(statement.given)} given",
            hint=f"choose {statement.name}: {form.name} for {wanted}" if wanted else None,
        )
        return None
    made = tuple(
        check.checked(expr, scope, type_, f"`{name}`")
        for expr, (name, type_) in zip(statement.given, form.params, strict=True)
    )
    known = (*(value.type for value in made), *(type_ for _, type_ in form.params))
    return None if any(type_.sort == "unknown" for type_ in known) else made


def _always(check: BodyChecker, form: FormInfo, statement: syn.ChooseStmt) -> bool:
    """Whether some member can be filled in in every state."""
    if statement.where is not None:
        return False
    return any(
        not any(isinstance(s, syn.RequireStmt) or (isinstance(s, syn.ChooseStmt) and not s.may) for s in body)
        for name in form.sheets.values()
        for body in [check.symbols.callables[name].decl.body]
    )


# ----------------------------------------------------------------------------------------------------------- routes


def check_choose_route(
    check: BodyChecker, statement: syn.ChooseRouteStmt, scope: Scope
) -> t.ChooseRoute | None:
    """Places leg by leg, as a movement allows."""
    if not check.body.machine:
        check.sink.error("GR0704", statement.span, "nobody can be asked here")
        return None
    use = statement.use
    found = check_movement(check, use.name, use.args, use.span, scope)
    decl = None if found is None else grown(check.symbols, found[0].entry.decl)
    if found is None or decl is None:
        check.bind(scope, Variable(statement.name, UNKNOWN), False, statement.name_span)
        return None
    movement, space = found
    goal: t.Typed | None = None
    if statement.goal is not None:
        goal = check.checked(statement.goal, scope, dom_type(space))
    _, clauses = next(iter(ways_of(movement.entry, decl)))
    stays = any(clause.sort == "stay" for clause in clauses)
    # A sheet is offered only where there is a route.
    if statement.otherwise is None and not check.is_sheet and not (stays and goal is None):
        prove_route(check, statement)
    seat = check_deciding_seat(check, statement.by, scope, statement.span)
    variable = Variable(statement.name, route_type(space, decl.room))
    check.bind(scope, variable, False, statement.name_span)
    label = statement.label or statement.name.replace("_", " ")
    question = check_question(check, statement.name, label, statement.span, scope)
    otherwise = check_instead(check, statement.otherwise, scope)
    return t.ChooseRoute(statement, movement, space, goal, seat, variable, question, otherwise)
