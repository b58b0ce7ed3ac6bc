"""Examples of play: each becomes a machine of its own, run with scripted dice and answers.

Most statements are those of procedures.  Statements that only examples have (counters, dice, answers, expectations)
are lowered here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from grognard.compiler.lower.block_builder import MachineCode
from grognard.compiler.sema.typed import nodes as t
from grognard.compiler.sema.typed.whole import TypedExample
from grognard.compiler.syntax import nodes as syn
from grognard.contract import ir
from grognard.contract.examples import Answer, BoardMark, Example
from grognard.support.source import Span

if TYPE_CHECKING:
    from grognard.compiler.lower.lowerer import Lowerer
    from grognard.compiler.lower.stmts.statements import Statements


def lower_example(lowerer: Lowerer, decl: syn.ExampleDecl, layer: int, body: TypedExample) -> Example:
    from grognard.compiler.lower.stmts.statements import Statements

    builder = lowerer.builder
    number = builder.reserve_machine()
    code = MachineCode(f"example {decl.title}", f"example {decl.title}")
    example = Example(decl.title, decl.span, builder.cite(decl.cites), number, layer)
    low = Statements(lowerer, code)
    low.example = example
    lowerer.places_named = example.places
    low.statements(body.statements)
    site = lowerer.site("enter", decl.title, decl.span, decl.cites.ids, owner=code.owner)
    builder.machines[number] = ir.Machine(
        number, code.name, 0, tuple(code.locals), False, code.finish(), site
    )
    return example


def _set_up(low: Statements, node: t.SetUp) -> None:
    """What the example runs on and with is no code."""
    example, statement = low.example, node.written
    assert example is not None
    match statement:
        case syn.BoardStmt():
            example.board = (statement.terrain, statement.columns, statement.rows)
        case syn.ScenarioStmt():
            example.scenario = statement.name
        case syn.OptionStmt():
            _option(low.lowerer, statement, example)
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


def _option(lowerer: Lowerer, statement: syn.OptionStmt, example: Example) -> None:
    option = lowerer.symbols.options.get(statement.name)
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


def _expect(low: Statements, node: t.Expect) -> None:
    example = low.example
    assert example is not None
    for condition, test, left in node.conditions:
        args: list[Any] = [low.lower(test).expr]
        shows = ["flag"]
        if left is not None:
            found = low.lower(left)
            if found.type.sort in ("int", "flag", "dom"):
                args.append(found.expr)
                shows.append(found.type.show)
        cites = node.written.cites.ids
        site = low.lowerer.site("expect", "expectation", condition.span, cites, shows, low.code.owner)
        example.expects.append(site)
        low.code.emit(ir.Note(1, site, tuple(args)))


def _counter(low: Statements, node: t.Counter) -> None:
    """The runner reads from the record which counter the name stands for in answers."""
    low.statements((node.create,))
    made = low.code.values[node.variable]
    name, show = node.written.name, node.variable.type.show
    site = low.lowerer.site("counter", name, node.written.span, (), (show,), low.code.owner)
    low.code.emit(ir.Note(2, site, (made.expr,)))


EXAMPLES: dict[type, Any] = {
    t.SetUp: _set_up,
    t.Expect: _expect,
    t.Counter: _counter,
    t.Counters: lambda low, node: low.statements((node.loop,)),
}
