"""Statements that only examples of play and situations have: counters, expectations, odds and outcomes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from grognard.compiler.sema.scope import Scope, Variable
from grognard.compiler.sema.symbols import Symbols
from grognard.compiler.sema.typed import nodes as t
from grognard.compiler.sema.typed.changes import check_create
from grognard.compiler.sema.typed.deciding import check_deciding_seat
from grognard.compiler.sema.typed.rules import check_arguments
from grognard.compiler.sema.types import UNKNOWN, Dom
from grognard.compiler.syntax import nodes as syn
from grognard.support.suggest import hint_for

if TYPE_CHECKING:
    from grognard.compiler.sema.typed.statements import BodyChecker


def check_example_step(check: BodyChecker, statement: syn.Stmt, scope: Scope) -> t.Statement | None:
    match statement:
        case (
            syn.BoardStmt()
            | syn.ScenarioStmt()
            | syn.OptionStmt()
            | syn.TerrainStmt()
            | syn.MapStmt()
            | syn.DiceStmt()
            | syn.AnswersStmt()
        ):
            return t.SetUp(statement)
        case syn.CountersStmt():
            return _counters(check, statement, scope)
        case syn.CounterStmt():
            return _counter(check, statement, scope)
        case syn.ExpectStmt():
            made = [_expect(check, condition, scope) for condition in statement.conditions]
            return t.Expect(statement, tuple(one for one in made if one is not None))
        case syn.OddsStmt():
            return _odds(check, statement, scope)
        case syn.OutcomeStmt():
            return _outcome(check, statement, scope)
    check.sink.error("GR0208", statement.span, "this cannot stand in an example")
    return None


def _expect(
    check: BodyChecker, condition: syn.Expr, scope: Scope
) -> tuple[syn.Expr, t.Typed, t.Typed | None] | None:
    made = check.value(condition, scope)
    if made.type.sort != "flag":
        if made.type.sort != "unknown":
            check.sink.error(
                "GR0906",
                condition.span,
                f"an expectation is yes or no, this is {made.type.words}",
                hint="compare it with what it should be: `is ...`",
            )
        return None
    left: t.Typed | None = None
    if isinstance(condition, syn.BinaryExpr) and condition.op in ("is", "is_not", "lt", "le", "gt", "ge"):
        # Show what was found: the left side of the comparison.
        expr = condition.left
        if not isinstance(expr, syn.Name) or scope.find(expr.id):
            left = check.value(expr, scope, None)
    scope.narrowed.update(check.narrow(condition, scope, True))
    return condition, made, left


# --------------------------------------------------------------------------------------------------------- counters


def _pieces_of(symbols: Symbols, kind: str) -> list[Dom]:
    return [
        dom
        for dom in symbols.doms
        if dom.sort == "piece" and dom.kind is not None and dom.kind.index(kind) is not None
    ]


def _counters(check: BodyChecker, statement: syn.CountersStmt, scope: Scope) -> t.Counters | None:
    """`counters 10 of german rifles at 0404`: a `counter` statement repeated."""
    span = statement.span
    one = syn.CounterStmt(
        statement.side, statement.kind, "(one)", statement.at, statement.fields, syn.NO_CITES, span
    )
    loop, _ = check.statement(syn.TimesStmt(statement.count, None, (one,), syn.NO_CITES, span), scope)
    return None if loop is None else t.Counters(statement, loop)


def _counter(check: BodyChecker, statement: syn.CounterStmt, scope: Scope) -> t.Counter | None:
    """`counter german rifles as A at 0404, facing = s`."""
    symbols, span = check.symbols, statement.span
    pieces = _pieces_of(symbols, statement.kind)
    if not pieces:
        known = [m for d in symbols.doms if d.sort == "piece" and d.kind is not None for m in d.kind.members]
        # A row of a kind that no piece is of: most likely the piece is declared with a mistake.
        row = any(d.sort == "kind" and d.index(statement.kind) is not None for d in symbols.doms)
        if not (row and check.sink.has_errors):
            check.sink.error(
                "GR0608",
                span,
                f"there is no counter `{statement.kind}`",
                hint=hint_for(statement.kind, known),
            )
        if statement.name:
            check.bind(scope, Variable(statement.name, UNKNOWN), False, span)
        return None
    piece = pieces[0]
    assert piece.kind and symbols.seats
    owners = (
        n
        for n, f in piece.fields.items()
        if f.type.sort == "dom" and f.type.dom is symbols.seats and not f.axes
    )
    seat_field = next(owners, None)
    kind = syn.Dot(syn.Name(piece.kind.name, span), statement.kind, span, span)
    fields = [syn.NamedArg("type", kind, span)]
    if seat_field is not None:
        fields.append(syn.NamedArg(seat_field, syn.Name(statement.side, span), span))
    if statement.at is not None:
        fields.append(syn.NamedArg("at", statement.at, span))
    fields += statement.fields
    made = syn.CreateStmt(piece.name, None, tuple(fields), statement.name, syn.NO_CITES, span)
    create = check_create(check, made, scope)
    scope.forget_calls()
    if create is None or create.variable is None:
        return None
    return t.Counter(statement, create, create.variable)


# --------------------------------------------------------------------------------------------------------- situations


def _odds(check: BodyChecker, statement: syn.OddsStmt, scope: Scope) -> t.Odds | None:
    """The procedure whose odds are computed."""
    if check.odds_of is None:
        return None  # in an example; reported before (sema/checks/examples.py)
    use, symbols, sink = statement.use, check.symbols, check.sink
    entry = symbols.callables.get(use.name)
    if check.odds_of or (scope.parent is not None and scope.parent.parent is not None):
        sink.error("GR0721", statement.span, "a situation has one `odds of`, not inside another statement")
        return None
    # Set even after an error, so that the error is reported once.
    check.odds_of = use.name
    if entry is None or entry.sort not in ("procedure", "action"):
        known = [c.name for c in symbols.callables.values() if c.sort in ("procedure", "action")]
        known += symbols.situations
        sink.error("GR0207", use.span, f"there is no procedure `{use.name}`", hint=hint_for(use.name, known))
        return None
    check.around.findings.use(entry)
    args = check_arguments(check, entry, use.args, use.span, scope)
    if args is None or any(arg.type.sort == "unknown" for arg in args):
        if statement.into is not None:
            check.bind(scope, Variable(statement.into, UNKNOWN), False, statement.span)
        return None
    if entry.uses_me and statement.by is None:
        sink.error(
            "GR0721",
            statement.span,
            f"`{use.name}` speaks of whoever acts: say who does it",
            hint=f"odds of {use.name}(...) by ...",
        )
        return None
    if statement.by is not None:
        seat = check_deciding_seat(check, statement.by, scope, statement.span)
        if entry.uses_me:
            args.insert(0, seat)
    into: Variable | None = None
    if statement.into is not None:
        if entry.result is None:
            sink.error("GR0309", statement.span, f"`{use.name}` gives no result")
            return None
        into = Variable(statement.into, entry.result)
        check.bind(scope, into, False, statement.span)
    return t.Odds(statement, tuple(args), into)


def _outcome(check: BodyChecker, statement: syn.OutcomeStmt, scope: Scope) -> t.Outcome | None:
    if check.odds_of is None:
        return None
    if not check.odds_of:
        check.sink.error(
            "GR0721",
            statement.span,
            "an outcome is looked at when the odds' procedure is done",
            hint="write `odds of ...` first",
        )
        return None
    made = check.value(statement.value, scope)
    if made.type.dom is not None and made.type.sort == "dom" and made.type.dom.sort in ("piece", "record"):
        # Odds treat interchangeable counters as one, so an outcome cannot be one of them.
        check.sink.error(
            "GR0721",
            statement.value.span,
            f"an outcome is a number, a flag, a member or a place, not {made.type.words}",
            hint="ask something of it: `in_play(A)`, `A.hits`, `A.type`",
        )
        return None
    if made.type.sort not in ("int", "flag", "dom"):
        if made.type.sort != "unknown":
            check.sink.error(
                "GR0721",
                statement.value.span,
                f"an outcome is a number, a flag, a member or a place, not {made.type.words}",
            )
        return None
    return t.Outcome(statement, made)
