"""Values that belong to a procedure, values that are shown, and `assign`: a maximum matching of one set into another."""

from __future__ import annotations

from typing import TYPE_CHECKING

from grognard.compiler.sema.checks.names import POOL_SIZE
from grognard.compiler.sema.scope import Binding, Scope, Variable
from grognard.compiler.sema.typed import nodes as t
from grognard.compiler.sema.typed.aggregates import check_source
from grognard.compiler.sema.typed.deciding import check_decider, check_deciding_seat, check_question
from grognard.compiler.sema.types import INT, UNKNOWN, FieldInfo, Type, int_range
from grognard.compiler.syntax import nodes as syn
from grognard.compiler.syntax.walk import walk

if TYPE_CHECKING:
    from grognard.compiler.sema.typed.statements import BodyChecker


def check_array(check: BodyChecker, statement: syn.ArrayStmt, scope: Scope) -> t.Array | None:
    """`var target(Unit): Hex? = none`: blank whenever the procedure comes here."""
    type_ = check.written_type(statement.type)
    axes = [check.written_axis(axis) for axis in statement.axes]
    doms = tuple(dom for dom in axes if dom is not None)
    if type_.sort in ("unknown", "record") or len(doms) < len(axes):
        if type_.sort == "record":
            check.sink.error("GR0202", statement.type.span, "a record cannot be kept for each member")
        check.bind(scope, Variable(statement.name, UNKNOWN), True, statement.span)
        return None
    if statement.value is None and not type_.optional and _first_is_nothing(type_):
        check.sink.error(
            "GR0305",
            statement.span,
            f"`{statement.name}` has nothing to begin with: no {type_} is the usual one",
            hint=f"write `: {type_}?`, or what it holds first: `= ...`",
        )
    # Its field gets a number where it is lowered.
    info = FieldInfo(statement.name, type_, doms, None, None, field=-1)
    value = None
    if statement.value is not None:
        value = check.checked(statement.value, scope, info.type, f"`{info.name}`")
    check.free(scope, statement.name, statement.span)
    scope.names[statement.name] = Binding(Variable(statement.name, UNKNOWN), True, statement.span, info=info)
    return t.Array(statement, info, value)


def _first_is_nothing(type_: Type) -> bool:
    """Start values: of numbers 0 or the nearest in range, of enums the first member, of places and counters none."""
    return (
        type_.sort == "dom"
        and type_.dom is not None
        and type_.dom.sort in ("place", "edge", "piece", "record")
    )


def check_show(check: BodyChecker, statement: syn.ShowStmt, scope: Scope) -> t.Show | None:
    """Show a value once to one seat.  The secrecy of the field does not change."""
    seat = check_deciding_seat(check, statement.to, scope, statement.span)
    made = tuple(check.value(value, scope) for value in statement.values)
    for value, expr in zip(made, statement.values, strict=True):
        if value.type.sort in ("set", "list", "record"):
            check.sink.error("GR0301", expr.span, f"{value.type} cannot be shown in a line")
            return None
    return t.Show(statement, seat, made)


def check_match(check: BodyChecker, statement: syn.AssignMatchStmt, scope: Scope) -> t.Match | None:
    """`assign`: match as many of the right as possible with different left ones; the seat picks which."""
    left_source, left_element = check_source(check, statement.left_source, scope)
    right_source, right_element = check_source(check, statement.right_source, scope)
    if left_source is None or right_source is None or left_element.dom is None or right_element.dom is None:
        if left_source is not None and right_source is not None:
            check.sink.error("GR0313", statement.span, "`assign` needs two sets")
        return None
    if statement.then is not None and any(
        isinstance(n, syn.Name) and n.id == statement.left for n in walk(statement.then)
    ):
        check.sink.error(
            "GR0208",
            statement.then.span,
            f"`{statement.left}` is not known here: only what is assigned to matters",
        )
    inner = scope.child()
    left, right = Variable(statement.left, left_element), Variable(statement.right, right_element)
    check.bind(inner, left, False, statement.span)
    check.bind(inner, right, False, statement.span)
    # The test of a pair runs inside loops over the right side: it needs a variable of its own.
    partner = Variable(statement.right, right_element)
    pair = scope.child()
    for variable in (left, partner):
        pair.names[variable.name] = Binding(variable, False, statement.span)
    where = None if statement.where is None else check.condition(statement.where, pair)
    room = None if statement.room is None else check.checked(statement.room, inner, INT)
    first = tuple(check.condition(tier, inner) for tier in statement.first)
    seat = None
    label = statement.label or statement.right
    question = t.Question(statement.right, label, ())
    if check.body.machine and statement.by is not None:
        seat = check_decider(check, statement.by, scope, statement.span)
        question = check_question(check, statement.right, label, statement.span, scope)
    then = _then(check, statement, inner.child())
    into = None
    if statement.into is not None:
        into = Variable(statement.into, int_range(0, POOL_SIZE))
        check.bind(scope, into, False, statement.span)
    return t.Match(
        statement, left_source, left, right_source, right, partner, where, room, first, seat, question, then, into
    )  # fmt: skip


def _then(check: BodyChecker, statement: syn.AssignMatchStmt, scope: Scope) -> tuple[t.Statement, ...]:
    if statement.then is None:
        return ()
    if check.around.asks_anywhere(statement.then):
        check.sink.error("GR0704", statement.then.span, "nobody can be asked in `then`")
        return ()
    made, _ = check.statement(statement.then, scope.child())
    return () if made is None else (made,)
