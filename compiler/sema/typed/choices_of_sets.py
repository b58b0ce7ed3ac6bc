"""`choose some`: a subset, with conditions of the set; `choose numbers`: how many of each member, within a budget."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from grognard.compiler.sema.scope import Binding, Scope, Variable
from grognard.compiler.sema.typed import nodes as t
from grognard.compiler.sema.typed.aggregates import check_source
from grognard.compiler.sema.typed.choices import captured_by, check_instead
from grognard.compiler.sema.typed.deciding import check_decider, check_deciding_seat, check_question
from grognard.compiler.sema.types import INT, UNKNOWN, Dom, FieldInfo, dom_type, int_range, set_type
from grognard.compiler.syntax import nodes as syn
from grognard.compiler.syntax.walk import walk

if TYPE_CHECKING:
    from grognard.compiler.sema.typed.statements import BodyChecker

#: The most of one member that anybody can choose.
MOST = 9999


def is_plain(statement: syn.ChooseSomeStmt) -> bool:
    """Whether every subset of the right size will do."""
    return (
        statement.at_least is None
        and statement.such_that is None
        and statement.keeping is None
        and statement.joined is None
    )


def check_choose_some(
    check: BodyChecker, statement: syn.ChooseSomeStmt, scope: Scope
) -> t.ChooseSome | t.ChooseNumbers | None:
    if statement.numbers:
        return _choose_numbers(check, statement, scope)
    source, element = check_source(check, statement.source, scope)
    if source is None or element.dom is None:
        if source is not None:
            check.sink.error("GR0313", statement.source.span, "there are no sets of these")
        check.bind(scope, Variable(statement.into, UNKNOWN), False, statement.span)
        return None
    dom = element.dom
    inner = scope.child()
    candidate = Variable(statement.name, element)
    check.bind(inner, candidate, False, statement.span)
    where = None if statement.where is None else check.condition(statement.where, inner)
    declared = id(statement) in check.declared
    if not declared and not _can_be_had(check, statement):
        check.sink.error(
            "GR0703",
            statement.span,
            f"there may be no set to choose for `{statement.into}`",
            hint="add `, else stop` / `, else return` behind it",
        )
    # The conditions speak of the set by the name that it gets.
    chosen = Variable(statement.into, set_type(dom))
    within = scope.child()
    within.names[statement.into] = Binding(chosen, False, statement.span)
    such_that = None if statement.such_that is None else check.condition(statement.such_that, within)
    keeping = None if statement.keeping is None else check.condition(statement.keeping, within)
    joined = None if statement.joined is None else _joined(check, statement.joined, dom, statement)
    captured = captured_by((statement.such_that, statement.keeping), scope, (statement.name, statement.into))
    if declared:
        captured += [variable for variable in check.declared_names if variable not in captured]
    seat: t.Decider | None = None
    owner: t.Typed | None = None
    if statement.by is not None and _mentions(statement.by, statement.name):
        if statement.where is not None:
            inner = inner.with_narrowed(check.narrow(statement.where, inner, True))
        owner = check_deciding_seat(check, statement.by, inner, statement.span)
    else:
        seat = check_decider(check, statement.by, scope, statement.span)
    limits = _limits(check, statement, scope)
    question = _question(check, statement, scope)
    otherwise = check_instead(check, statement.otherwise, scope)
    variable = Variable(statement.into, set_type(dom))
    check.bind(scope, variable, False, statement.span)
    return t.ChooseSome(
        statement, source, candidate, variable, where, seat, owner, limits, chosen, such_that, keeping, joined,
        tuple(captured), question, otherwise,
    )  # fmt: skip


def _can_be_had(check: BodyChecker, statement: syn.ChooseSomeStmt) -> bool:
    """Whether there is always a set to choose, or it is said what is done without."""
    empty = statement.such_that is None and statement.at_least is None and statement.exactly is None
    return (
        is_plain(statement)
        or statement.otherwise is not None
        or empty
        or check.around.is_kept(check.body.owner)
    )


def _mentions(expr: Any, name: str) -> bool:
    return any(isinstance(node, syn.Name) and node.id == name for node in walk(expr))


def _joined(check: BodyChecker, name: str, dom: Dom, statement: syn.ChooseSomeStmt) -> t.Joined:
    span = statement.span
    one, other = Variable("x", dom_type(dom)), Variable("y", dom_type(dom))
    scope = Scope()
    for variable in (one, other):
        scope.names[variable.name] = Binding(variable, False, span)
    x, y = syn.Name("x", span), syn.Name("y", span)
    there, back = (
        check.condition(syn.CallExpr(syn.Name(name, span), pair, (), span), scope)
        for pair in ((x, y), (y, x))
    )
    return t.Joined(name, one, other, there, back)


def _limits(check: BodyChecker, statement: syn.ChooseSomeStmt, scope: Scope) -> t.Limits:
    at_least, exactly, up_to = (
        None if bound is None else check.checked(bound, scope, INT)
        for bound in (statement.at_least, statement.exactly, statement.up_to)
    )
    return t.Limits(at_least, exactly, up_to)


def _question(check: BodyChecker, statement: syn.ChooseSomeStmt, scope: Scope) -> t.Question:
    label = statement.label or statement.into.replace("_", " ")
    return check_question(check, statement.name, label, statement.span, scope)


def _choose_numbers(
    check: BodyChecker, statement: syn.ChooseSomeStmt, scope: Scope
) -> t.ChooseNumbers | None:
    """How many of each member; the numbers are a value for each of them, that belongs to the procedure."""
    source, element = check_source(check, statement.source, scope)
    dom = element.dom if source is not None else None
    if source is None or dom is None or dom.sort in ("piece", "record"):
        if source is not None:
            check.sink.error(
                "GR0313",
                statement.source.span,
                "numbers are chosen of members of a kind or an enum, of places or sides",
                hint="counters that are `interchangeable` are chosen by number with `choose some`",
            )
        check.bind(scope, Variable(statement.into, UNKNOWN), False, statement.span)
        return None
    if statement.cost is None and statement.up_to is None and statement.exactly is None:
        check.sink.error(
            "GR0703",
            statement.span,
            f"nothing says how many there can be for `{statement.into}`",
            hint="add `up to ...`, `exactly ...`, or `costing ... within ...`",
        )
    # Their field gets its number where it is lowered.
    info = FieldInfo(statement.into, int_range(0, MOST), (dom,), None, None, field=-1)
    inner = scope.child()
    candidate = Variable(statement.name, dom_type(dom))
    inner.names[statement.name] = Binding(candidate, False, statement.span)
    captured = captured_by((statement.cost,), scope, (statement.name,))
    cost = None if statement.cost is None else check.checked(statement.cost, inner, INT)
    where = None if statement.where is None else check.condition(statement.where, inner)
    limits = _limits(check, statement, scope)
    budget = None if statement.budget is None else check.checked(statement.budget, scope, INT)
    decided = check_decider(check, statement.by, scope, statement.span)
    if isinstance(decided, t.Jointly):
        check.sink.error("GR0705", statement.span, "several seats cannot choose numbers together")
        decided = decided.otherwise
    question = _question(check, statement, scope)
    otherwise = check_instead(check, statement.otherwise, scope)
    proven = id(statement) in check.declared or (statement.at_least is None and statement.exactly is None)
    if statement.otherwise is None and not proven:
        check.sink.error(
            "GR0703",
            statement.span,
            f"there may be too few to choose for `{statement.into}`",
            hint="add `, else stop` / `, else return` behind it",
        )
    check.free(scope, statement.into, statement.span)
    scope.names[statement.into] = Binding(Variable(statement.into, UNKNOWN), False, statement.span, info=info)
    return t.ChooseNumbers(
        statement, source, candidate, info, where, decided, limits, cost, budget, tuple(captured), question, otherwise
    )  # fmt: skip
