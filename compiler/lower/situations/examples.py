"""Examples of play: each becomes a machine of its own, run with scripted dice and answers.

Most statements are those of procedures.  Statements that only examples have (counters, dice, answers, expectations)
are lowered here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from grognard.compiler.lower.block_builder import MachineCode
from grognard.compiler.sema.scope import Scope, Value
from grognard.compiler.sema.types import (
    UNKNOWN,
    Dom,
    dom_type,
)
from grognard.compiler.syntax import nodes as syn
from grognard.contract import ir
from grognard.contract.examples import Answer, BoardMark, Example
from grognard.support.source import Span
from grognard.support.suggest import hint_for

if TYPE_CHECKING:
    from grognard.compiler.lower.lowerer import Lowerer
    from grognard.compiler.lower.stmts.seam import Stmts


def lower_example(lowerer: Lowerer, decl: syn.ExampleDecl, layer: int) -> Example:
    from grognard.compiler.lower.stmts.seam import Stmts

    number = lowerer.world.reserve_machine()
    code = MachineCode(f"example {decl.title}", f"example {decl.title}")
    example = Example(decl.title, decl.span, lowerer.world.cite(decl.cites), number, layer)
    stmts = Stmts(lowerer, code)
    stmts.check.in_example = True
    stmts.example = example
    lowerer.places_named = example.places
    stmts.statements(stmts.check.block(decl.body, Scope())[0])
    site = lowerer.site("enter", decl.title, decl.span, decl.cites.ids, owner=code.owner)
    lowerer.world.machines[number] = ir.Machine(
        number, code.name, 0, tuple(code.locals), False, code.finish(), site
    )
    return example


def lower_example_statement(lowerer: Lowerer, stmts: Stmts, statement: syn.Stmt, scope: Scope) -> None:
    from grognard.compiler.lower.situations.situations import lower_situation_statement

    example = stmts.example
    assert example is not None
    match statement:
        case syn.BoardStmt():
            example.board = (statement.terrain, statement.columns, statement.rows)
        case syn.ScenarioStmt():
            example.scenario = statement.name
        case syn.OptionStmt():
            _option(lowerer, statement, example)
        case syn.TerrainStmt():
            for text, span in _places(statement.places):
                example.terrain.append((statement.terrain, text, span))
        case syn.MapStmt():
            places = _places(statement.places)
            value = statement.value or syn.FlagLit(True, statement.span)
            example.marks.append(
                BoardMark(statement.name, value, tuple(places), statement.along, statement.span)
            )
        case syn.DiceStmt():
            example.dice += statement.values
        case syn.AnswersStmt():
            if statement.offered:
                example.answers.append(Answer(statement.answers, True, statement.span))
            else:
                example.answers += [Answer((text,), False, statement.span) for text in statement.answers]
        case syn.OddsStmt() | syn.OutcomeStmt():
            lower_situation_statement(stmts, statement, scope)
        case syn.CountersStmt():
            _counters(stmts, statement, scope)
        case syn.CounterStmt():
            _counter(lowerer, stmts, statement, scope)
        case syn.ExpectStmt():
            for condition in statement.conditions:
                _expect(lowerer, stmts, condition, statement, scope, example)
        case _:
            lowerer.sink.error("GR0208", statement.span, "this cannot stand in an example")


def _option(lowerer: Lowerer, statement: syn.OptionStmt, example: Example) -> None:
    option = lowerer.world.options.get(statement.name)
    if option is not None and statement.value in option.values:
        example.options[statement.name] = statement.value


def _places(exprs: tuple[syn.Expr, ...]) -> list[tuple[str, Span]]:
    """Places by their names, as the board has them."""
    found: list[tuple[str, Span]] = []
    for expr in exprs:
        match expr:
            case syn.Number(text=text) | syn.Text(value=text) | syn.Name(id=text):
                found.append((text, expr.span))
    return found


def _expect(
    lowerer: Lowerer,
    stmts: Stmts,
    condition: syn.Expr,
    statement: syn.ExpectStmt,
    scope: Scope,
    example: Example,
) -> None:
    made = stmts.value(condition, scope)
    if made.type.sort != "flag":
        if made.type.sort != "unknown":
            lowerer.sink.error(
                "GR0906",
                condition.span,
                f"an expectation is yes or no, this is {made.type.words}",
                hint="compare it with what it should be: `is ...`",
            )
        return
    args: list[Any] = [made.expr]
    shows = ["flag"]
    if isinstance(condition, syn.BinaryExpr) and condition.op in ("is", "is_not", "lt", "le", "gt", "ge"):
        # Show what was found: the left side of the comparison.
        left = (
            stmts.value(condition.left, scope, None)
            if not isinstance(condition.left, syn.Name) or scope.find(condition.left.id)
            else None
        )
        if left is not None and left.type.sort in ("int", "flag", "dom"):
            args.append(left.expr)
            shows.append(left.type.show)
    site = lowerer.site("expect", "expectation", condition.span, statement.cites.ids, shows, stmts.code.owner)
    example.expects.append(site)
    stmts.code.emit(ir.Note(1, site, tuple(args)))
    scope.narrowed.update(stmts.narrow(condition, scope, True))


def _piece_of(lowerer: Lowerer, kind: str) -> list[Dom]:
    found = []
    for dom in lowerer.world.doms:
        if dom.sort == "piece" and dom.kind is not None and dom.kind.index(kind) is not None:
            found.append(dom)
    return found


def _counters(stmts: Stmts, statement: syn.CountersStmt, scope: Scope) -> None:
    """`counters 10 of german rifles at 0404`: a `counter` statement repeated."""
    span = statement.span
    one = syn.CounterStmt(
        statement.side, statement.kind, "(one)", statement.at, statement.fields, syn.NO_CITES, span
    )
    stmts.statement(syn.TimesStmt(statement.count, None, (one,), syn.NO_CITES, span), scope)


def _counter(lowerer: Lowerer, stmts: Stmts, statement: syn.CounterStmt, scope: Scope) -> None:
    """`counter german rifles as A at 0404, facing = s`."""
    pieces = _piece_of(lowerer, statement.kind)
    if not pieces:
        known = [
            m for d in lowerer.world.doms if d.sort == "piece" and d.kind is not None for m in d.kind.members
        ]
        # A row of a kind that no piece is of: most likely the piece is declared with a mistake.
        row = any(d.sort == "kind" and d.index(statement.kind) is not None for d in lowerer.world.doms)
        if not (row and lowerer.sink.has_errors):
            lowerer.sink.error(
                "GR0608",
                statement.span,
                f"there is no counter `{statement.kind}`",
                hint=hint_for(statement.kind, known),
            )
        if statement.name:
            stmts.declare_local(scope, statement.name, UNKNOWN, False, statement.span)
        return
    piece = pieces[0]
    assert piece.kind and lowerer.world.seats
    seat_field = next(
        (
            n
            for n, f in piece.fields.items()
            if f.type.sort == "dom" and f.type.dom is lowerer.world.seats and not f.axes
        ),
        None,
    )
    fields = [
        syn.NamedArg(
            "type",
            syn.Dot(
                syn.Name(piece.kind.name, statement.span), statement.kind, statement.span, statement.span
            ),
            statement.span,
        )
    ]
    if seat_field is not None:
        fields.append(syn.NamedArg(seat_field, syn.Name(statement.side, statement.span), statement.span))
    if statement.at is not None:
        fields.append(syn.NamedArg("at", statement.at, statement.span))
    fields += statement.fields
    stmts.statement(
        syn.CreateStmt(piece.name, None, tuple(fields), statement.name, syn.NO_CITES, statement.span), scope
    )
    bound = scope.find(statement.name)
    if bound is not None:
        made = stmts.code.value_of(bound)
        stmts.code.bind(scope, statement.name, Value(dom_type(piece), made.expr), bound.span)
        # The runner reads from this record which counter the name stands for in answers.
        site = lowerer.site(
            "counter", statement.name, statement.span, (), (dom_type(piece).show,), stmts.code.owner
        )
        stmts.code.emit(ir.Note(2, site, (made.expr,)))
