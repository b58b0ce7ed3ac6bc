"""The sequence of play: phases, marks, turns in rotation, simultaneous and secret blocks, the end of the game."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from grognard.compiler.lower.code import Value
from grognard.compiler.lower.stmts.loops import Loop, lower_for, lower_settled, run_pass
from grognard.compiler.lower.time.deferred_calls import drain_events, run_scheduled
from grognard.compiler.sema.typed import nodes as t
from grognard.compiler.sema.types import INT, dom_type
from grognard.contract import ir
from grognard.contract.header import H_PLY, NONE

if TYPE_CHECKING:
    from grognard.compiler.lower.stmts.statements import Statements


@contextmanager
def _acting(low: Statements, seat: Value) -> Iterator[None]:
    """Inside, the seat acts."""
    before, low.code.me = low.code.me, seat
    yield
    low.code.me = before


def _phase(low: Statements, node: t.Phase) -> None:
    m, statement = low.m, node.written
    done = m.new_block()
    if node.condition is not None:
        inside = m.new_block()
        m.end(ir.Branch(low.test(node.condition), inside, done))
        m.switch(inside)
    title = statement.title or statement.name.replace("_", " ")
    site = low.lowerer.site("phase", title, statement.span, statement.cites.ids)
    m.emit(ir.Note(1, site, ()))
    low.lowerer.timing.enter_phase(low.code, statement.name)
    run_scheduled(low, ("start", statement.name), statement.span)
    _reset_fields(low, low.symbols.reset_per.get(statement.name, ()))
    if statement.body is not None:
        low.statements(node.body or ())
    else:
        for made in node.body or ():
            low.one(made)
    low.lowerer.timing.leave_phase(low.code, statement.name)
    run_scheduled(low, ("end", statement.name), statement.span)
    m.go_to(done)


def _mark(low: Statements, node: t.Mark) -> None:
    """Resets now; the copies for `as of` are added when all of them are known."""
    name, marks = node.written.name, low.lowerer.marks
    _reset_fields(low, low.symbols.reset_at.get(name, ()))
    low.code.emit(marks.mark_statement(name))
    if node.of is not None:
        low.code.emit(marks.mark_of_statement(name, low.lower(node.of)))


def _reset_fields(low: Statements, fields: Any) -> None:
    for field in fields:
        low.code.emit(ir.Reset(field))


def _simultaneous(low: Statements, node: t.Simultaneous) -> None:
    """Every pass of an outer loop, and every other statement, is a branch of its own."""
    statement = node.written
    low.lowerer.need_journal()
    site = low.lowerer.site(
        "branch", "simultaneously", statement.span, statement.cites.ids, owner=low.code.owner
    )
    low.code.emit(ir.BranchBegin(site))
    for part in node.body:
        match part:
            case t.For():
                lower_for(low, part, site)
            case t.ForSettled():
                lower_settled(low, part, site)
            case _:
                low.statements((part,))
                low.code.emit(ir.BranchNext(site))
    low.code.emit(ir.BranchEnd(site))
    drain_events(low, statement, statement.span)


def _secret(low: Statements, node: t.Secret) -> None:
    statement = node.written
    low.lowerer.need_journal()
    m = low.m
    seats = low.symbols.seats
    assert seats
    site = low.lowerer.site(
        "branch", "each side secretly", statement.span, statement.cites.ids, owner=low.code.owner
    )
    var = m.variable("(secret seat)", dom_type(seats))
    m.emit(ir.BranchBegin(site))
    head, body, done = m.new_block(), m.new_block(), m.new_block()
    m.emit(ir.Assign(var.expr.index, ir.Const(0)))
    m.go_to(head)
    m.end(ir.Branch(ir.Binary("lt", var.expr, ir.DomainCount(seats.id), site), body, done))
    m.switch(body)
    # Marks whose secrets follow in the log: until the next such note only that seat may read them.
    whose = low.lowerer.site(
        "branch",
        "{0} decides in secret",
        statement.span,
        statement.cites.ids,
        (f"dom:{seats.id}",),
        low.code.owner,
    )
    m.emit(ir.Note(1, whose, (var.expr,)))
    with _acting(low, var):
        low.statements(node.body)
    m.emit(ir.BranchNext(site))
    m.emit(ir.Assign(var.expr.index, ir.Binary("add", var.expr, ir.Const(1), site)))
    m.jump(head)
    m.switch(done)
    m.emit(ir.BranchEnd(site))
    m.emit(ir.Note(1, site, ()))
    drain_events(low, statement, statement.span)


def _alternate(low: Statements, node: t.Alternate) -> None:
    """One turn each in rotation, until all have passed in succession."""
    if node.shares:
        _alternate_shares(low, node)
        return
    m = low.m
    seats = low.symbols.seats
    assert seats
    site = low.lowerer.nowhere
    assert node.first is not None
    turn = m.values[node.variable] = m.variable(node.variable.name, node.variable.type)
    first = low.lower(node.first)
    passes = m.variable("(passes)", INT)
    m.emit(ir.Assign(turn.expr.index, first.expr))
    m.emit(ir.Assign(passes.expr.index, ir.Const(0)))
    head, next_turn, done = m.new_block(), m.new_block(), m.new_block()
    m.go_to(head)
    m.emit(ir.Store(low.symbols.passed_field, (), ir.Const(0), "set", False, site))
    over = m.new_block()
    with _acting(low, turn):
        run_pass(low, Loop(done, over), node.body)
    m.go_to(over)
    passed = ir.Load(low.symbols.passed_field, (), site)
    m.emit(
        ir.Assign(
            passes.expr.index,
            ir.If(passed, ir.Binary("add", passes.expr, ir.Const(1), site), ir.Const(0)),
        )
    )
    m.end(ir.Branch(ir.Binary("ge", passes.expr, ir.DomainCount(seats.id), site), done, next_turn))
    m.switch(next_turn)
    step = ir.Binary("add", turn.expr, ir.Const(1), site)
    m.emit(ir.Assign(turn.expr.index, ir.Binary("mod", step, ir.DomainCount(seats.id), site)))
    m.jump(head)
    m.switch(done)


def _alternate_shares(low: Statements, node: t.Alternate) -> None:
    """Each seat has so many turns in a row; a pass ends its share, passes of all in succession end it all."""
    m = low.m
    site = low.lowerer.nowhere
    turn = m.values[node.variable] = m.variable(node.variable.name, node.variable.type)
    who = [low.store_in_local(low.lower(seat)) for seat, _ in node.shares]
    place, left, passes = (m.variable(name, INT) for name in ("(share)", "(turns left)", "(passes)"))
    m.emit(ir.Assign(place.expr.index, ir.Const(0)))
    m.emit(ir.Assign(passes.expr.index, ir.Const(0)))
    share, head, over, played, passed, advance, done = (m.new_block() for _ in range(7))
    m.go_to(share)
    rates = [low.lower(rate).expr for _, rate in node.shares]
    for target, values in ((turn, [value.expr for value in who]), (left, rates)):
        pick: Any = values[-1]
        for number in range(len(values) - 2, -1, -1):
            pick = ir.If(ir.Binary("eq", place.expr, ir.Const(number), site), values[number], pick)
        m.emit(ir.Assign(target.expr.index, pick))
    # A seat without turns counts as one that passes.
    m.end(ir.Branch(ir.Binary("gt", left.expr, ir.Const(0), site), head, passed))
    m.switch(head)
    m.emit(ir.Store(low.symbols.passed_field, (), ir.Const(0), "set", False, site))
    with _acting(low, turn):
        run_pass(low, Loop(done, over), node.body)
    m.go_to(over)
    m.end(ir.Branch(ir.Load(low.symbols.passed_field, (), site), passed, played))
    m.switch(played)
    m.emit(ir.Assign(passes.expr.index, ir.Const(0)))
    m.emit(ir.Assign(left.expr.index, ir.Binary("sub", left.expr, ir.Const(1), site)))
    m.end(ir.Branch(ir.Binary("gt", left.expr, ir.Const(0), site), head, advance))
    m.switch(passed)
    m.emit(ir.Assign(passes.expr.index, ir.Binary("add", passes.expr, ir.Const(1), site)))
    m.end(ir.Branch(ir.Binary("ge", passes.expr, ir.Const(len(node.shares)), site), done, advance))
    m.switch(advance)
    following = ir.Binary("add", place.expr, ir.Const(1), site)
    m.emit(ir.Assign(place.expr.index, ir.Binary("mod", following, ir.Const(len(node.shares)), site)))
    m.jump(share)
    m.switch(done)


def _end(low: Statements, node: t.End) -> None:
    m, statement = low.m, node.written
    going_on = None
    if node.condition is not None:
        ending, going_on = m.new_block(), m.new_block()
        m.end(ir.Branch(low.test(node.condition), ending, going_on))
        m.switch(ending)
    winner = ir.Const(NONE) if node.winner is None else low.lower(node.winner).expr
    site = low.lowerer.site("log", "the game ends", statement.span, statement.cites.ids, owner=low.code.owner)
    m.emit(ir.Note(1, site, ()))
    owner = low.lowerer.trees.callable(low.code.owner)
    if owner is not None and owner.sort == "action":
        # The action that ends the game is completed with it.
        m.emit(ir.StoreHead(H_PLY, ir.Binary("add", ir.Head(H_PLY), ir.Const(1), low.lowerer.nowhere)))
    m.end(ir.EndGame(winner))
    m.switch(going_on if going_on is not None else m.new_block())


def _pass(low: Statements, node: t.Pass) -> None:
    low.code.emit(ir.Store(low.symbols.passed_field, (), ir.Const(1), "set", False, low.lowerer.nowhere))


PHASES: dict[type, Any] = {
    t.Phase: _phase,
    t.Mark: _mark,
    t.Simultaneous: _simultaneous,
    t.Secret: _secret,
    t.Alternate: _alternate,
    t.End: _end,
    t.Pass: _pass,
}
