"""The sequence of play: rounds, phases, marks, turns in rotation, simultaneous and secret blocks, the end of the game."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from grognard.compiler.lower.choices.asking import deciding_seat
from grognard.compiler.lower.stmts.calls import lower_do
from grognard.compiler.lower.stmts.loops import (
    BranchMark,
    Loop,
    lower_for,
)
from grognard.compiler.lower.time.deferred_calls import drain_events, run_scheduled
from grognard.compiler.sema.scope import Scope
from grognard.compiler.sema.types import INT, FieldInfo, Type, dom_type, int_range
from grognard.compiler.syntax import nodes as syn
from grognard.contract import ir
from grognard.contract.header import H_PLY, NONE

if TYPE_CHECKING:
    from grognard.compiler.lower.stmts.statements import Stmts


def lower_count(stmts: Stmts, statement: syn.CountStmt, scope: Scope) -> bool:
    """`repeat round from 1 to n`: the counter is the game's field of that name, else a local."""
    if not stmts.code.machine:
        return _count_plain(stmts, statement, scope)
    m = stmts.m
    info = stmts.world.globals.get(statement.var) if scope.find(statement.var) is None else None
    start = stmts.checked(statement.start, scope, INT)
    site = stmts.lowerer.site(
        "write", statement.var, statement.span, statement.cites.ids, ("int",), stmts.code.owner
    )
    inner = scope.child()
    if info is not None and info.field is not None:
        field = info.field
        _counted_within(stmts, statement, info, start.type, scope)
        m.emit(ir.Store(field, (), start.expr, "set", False, site))
        current: Any = ir.Load(field, (), site)
    else:
        local = stmts.declare_local(inner, statement.var, INT, False, statement.span)
        m.emit(ir.Assign(local.expr.index, start.expr))
        current = local.expr
    head, body, again, done = m.new_block(), m.new_block(), m.new_block(), m.new_block()
    if statement.end is not None:
        m.end(
            ir.Branch(
                ir.Binary("le", current, stmts.checked(statement.end, inner, INT).expr, site), head, done
            )
        )
    else:
        m.jump(head)
    m.switch(head)
    _reset_fields(stmts, stmts.world.reset_per.get(statement.var, ()))
    note = stmts.lowerer.site(
        "phase", f"{statement.var} {{0}}", statement.span, statement.cites.ids, ("int",)
    )
    m.emit(ir.Note(1, note, (current,)))
    m.go_to(body)
    check = m.new_block()
    stmts.loops.append(Loop(done, check))
    stmts.block(statement.body, inner.child())
    stmts.loops.pop()
    m.go_to(check)
    if statement.end is not None:
        m.end(
            ir.Branch(
                ir.Binary("lt", current, stmts.checked(statement.end, inner, INT).expr, site),
                again,
                done,
            )
        )
    else:
        m.jump(again)
    m.switch(again)
    if info is not None and info.field is not None:
        m.emit(ir.Store(info.field, (), ir.Const(1), "add", False, site))
    else:
        m.emit(ir.Assign(current.index, ir.Binary("add", current, ir.Const(1), site)))
    m.jump(head)
    m.switch(done)
    return False


def _counted_within(
    stmts: Stmts, statement: syn.CountStmt, info: FieldInfo, start: Type, scope: Scope
) -> None:
    """A counter that is a field of the game must hold what it counts, from the first number to the last."""
    ends = [(statement.start, start)]
    if statement.end is not None:
        last = stmts.type_of(statement.end, scope)
        written = statement.end.value if isinstance(statement.end, syn.Number) else None
        if written is not None:
            last = int_range(written, written)
        if last is not None:
            ends.append((statement.end, last))
    for expr, type_ in ends:
        # Bounds that are worked out are checked when they are written.
        if type_.sort == "int" and type_.lo == type_.hi and not info.type.lo <= type_.lo <= info.type.hi:
            stmts.sink.error(
                "GR0304",
                expr.span,
                f"`{statement.var}` holds {info.type}, {type_.lo} is never within it",
                hint=f"declare it wider: {statement.var}: {min(info.type.lo, type_.lo)}..{max(info.type.hi, type_.lo)}",
            )


def _count_plain(stmts: Stmts, statement: syn.CountStmt, scope: Scope) -> bool:
    if statement.end is None:
        return False  # reported by lint
    loop = syn.ForStmt(
        statement.var,
        syn.RangeExpr(statement.start, statement.end, statement.span),
        None,
        None,
        "lowest",
        None,
        "",
        False,
        statement.body,
        statement.cites,
        statement.span,
    )
    lower_for(stmts, loop, scope)
    return False


def lower_phase(stmts: Stmts, statement: syn.PhaseStmt, scope: Scope) -> None:
    m = stmts.m
    done = m.new_block()
    if statement.condition is not None:
        inside = m.new_block()
        stmts.check.in_phase = True
        m.end(ir.Branch(stmts.condition(statement.condition, scope), inside, done))
        stmts.check.in_phase = False
        m.switch(inside)
        scope = scope.with_narrowed(stmts.narrow(statement.condition, scope, True))
    title = statement.title or statement.name.replace("_", " ")
    site = stmts.lowerer.site("phase", title, statement.span, statement.cites.ids)
    m.emit(ir.Note(1, site, ()))
    stmts.lowerer.timing.enter_phase(stmts, statement.name)
    run_scheduled(stmts, ("start", statement.name), statement.span)
    _reset_fields(stmts, stmts.world.reset_per.get(statement.name, ()))
    if statement.body is not None:
        stmts.block(statement.body, scope.child())
    elif statement.name in stmts.world.callables:
        use = syn.Use(statement.name, (), statement.span)
        lower_do(stmts, syn.DoStmt(use, None, statement.cites, statement.span), scope)
    stmts.lowerer.timing.leave_phase(stmts, statement.name)
    run_scheduled(stmts, ("end", statement.name), statement.span)
    m.go_to(done)


def lower_mark(stmts: Stmts, statement: syn.MarkStmt, scope: Scope) -> None:
    """Resets now; the copies for `as of` are added when all of them are known."""
    _reset_fields(stmts, stmts.world.reset_at.get(statement.name, ()))
    stmts.code.emit(stmts.lowerer.marks.mark_statement(statement.name))
    if statement.of is not None:
        whose = stmts.value(statement.of, scope)
        if whose.type.sort != "unknown":
            stmts.demand(whose, replace(whose.type, optional=False), statement.of.span)
            stmts.code.emit(stmts.lowerer.marks.mark_of_statement(statement.name, whose, statement.of.span))


def _reset_fields(stmts: Stmts, fields: Any) -> None:
    for field in fields:
        stmts.code.emit(ir.Reset(field))


def lower_simultaneous(stmts: Stmts, statement: syn.SimultaneousStmt, scope: Scope) -> None:
    """Every pass of an outer loop, and every other statement, is a branch of its own."""
    if stmts.check.branching:
        stmts.sink.error("GR0208", statement.span, "simultaneous blocks cannot be nested")
        return
    stmts.lowerer.need_journal()
    site = stmts.lowerer.site(
        "branch", "simultaneously", statement.span, statement.cites.ids, owner=stmts.code.owner
    )
    stmts.check.branching += 1
    stmts.code.emit(ir.BranchBegin(site))
    for part in statement.body:
        if isinstance(part, syn.ForStmt) and part.chosen_by is None:
            lower_for(stmts, replace(part, body=(*part.body, BranchMark(site))), scope)  # type: ignore[arg-type]
        else:
            stmts.statement(part, scope)
            stmts.code.emit(ir.BranchNext(site))
    stmts.code.emit(ir.BranchEnd(site))
    stmts.check.branching -= 1
    drain_events(stmts, statement, statement.span)


def lower_secret(stmts: Stmts, statement: syn.SecretStmt, scope: Scope) -> None:
    if stmts.check.branching:
        stmts.sink.error("GR0208", statement.span, "secret blocks cannot be nested")
        return
    stmts.lowerer.need_journal()
    m = stmts.m
    seats = stmts.world.seats
    assert seats
    site = stmts.lowerer.site(
        "branch", "each side secretly", statement.span, statement.cites.ids, owner=stmts.code.owner
    )
    var = m.variable("(secret seat)", dom_type(seats))
    m.emit(ir.BranchBegin(site))
    head, body, done = m.new_block(), m.new_block(), m.new_block()
    m.emit(ir.Assign(var.expr.index, ir.Const(0)))
    m.go_to(head)
    m.end(ir.Branch(ir.Binary("lt", var.expr, ir.DomainCount(seats.id), site), body, done))
    m.switch(body)
    # Marks whose secrets follow in the log: until the next such note only that seat may read them.
    whose = stmts.lowerer.site(
        "branch",
        "{0} decides in secret",
        statement.span,
        statement.cites.ids,
        (f"dom:{seats.id}",),
        stmts.code.owner,
    )
    m.emit(ir.Note(1, whose, (var.expr,)))
    before = stmts.code.me
    stmts.code.me = var
    stmts.check.branching += 1
    stmts.block(statement.body, scope.child())
    stmts.check.branching -= 1
    stmts.code.me = before
    m.emit(ir.BranchNext(site))
    m.emit(ir.Assign(var.expr.index, ir.Binary("add", var.expr, ir.Const(1), site)))
    m.jump(head)
    m.switch(done)
    m.emit(ir.BranchEnd(site))
    m.emit(ir.Note(1, site, ()))
    drain_events(stmts, statement, statement.span)


def lower_alternate(stmts: Stmts, statement: syn.AlternateStmt, scope: Scope) -> None:
    """One turn each in rotation, until all have passed in succession."""
    if statement.shares:
        _alternate_shares(stmts, statement, scope)
        return
    m = stmts.m
    seats = stmts.world.seats
    assert seats
    site = stmts.lowerer.nowhere
    inner = scope.child()
    turn = stmts.declare_local(inner, statement.var, dom_type(seats), False, statement.span)
    first = stmts.checked(statement.first, scope, dom_type(seats))
    passes = m.variable("(passes)", INT)
    m.emit(ir.Assign(turn.expr.index, first.expr))
    m.emit(ir.Assign(passes.expr.index, ir.Const(0)))
    head, next_turn, done = m.new_block(), m.new_block(), m.new_block()
    m.go_to(head)
    m.emit(ir.Store(stmts.world.passed_field, (), ir.Const(0), "set", False, site))
    before = stmts.code.me
    stmts.code.me = turn
    over = m.new_block()
    stmts.loops.append(Loop(done, over))
    stmts.block(statement.body, inner.child())
    stmts.loops.pop()
    stmts.code.me = before
    m.go_to(over)
    passed = ir.Load(stmts.world.passed_field, (), site)
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


def _alternate_shares(stmts: Stmts, statement: syn.AlternateStmt, scope: Scope) -> None:
    """Each seat has so many turns in a row; a pass ends its share, passes of all in succession end it all."""
    m = stmts.m
    seats = stmts.world.seats
    assert seats
    site = stmts.lowerer.nowhere
    inner = scope.child()
    turn = stmts.declare_local(inner, statement.var, dom_type(seats), False, statement.span)
    pairs = [share.items for share in statement.shares if isinstance(share, syn.Items)]
    who = [stmts.store_in_local(deciding_seat(stmts, seat, scope, seat.span)) for seat, _ in pairs]
    place, left, passes = (m.variable(name, INT) for name in ("(share)", "(turns left)", "(passes)"))
    m.emit(ir.Assign(place.expr.index, ir.Const(0)))
    m.emit(ir.Assign(passes.expr.index, ir.Const(0)))
    share, head, over, played, passed, advance, done = (m.new_block() for _ in range(7))
    m.go_to(share)
    rates = []
    for _, rate in pairs:
        made = stmts.checked(rate, scope, INT, "the number of turns")
        if made.type.sort == "int" and made.type.hi < 1:
            stmts.sink.error(
                "GR0304",
                rate.span,
                "the number of turns must be 1 or more",
                hint="leave the seat out if it never has a turn",
            )
        rates.append(made.expr)
    for target, values in ((turn, [value.expr for value in who]), (left, rates)):
        pick: Any = values[-1]
        for number in range(len(values) - 2, -1, -1):
            pick = ir.If(ir.Binary("eq", place.expr, ir.Const(number), site), values[number], pick)
        m.emit(ir.Assign(target.expr.index, pick))
    # A seat without turns counts as one that passes.
    m.end(ir.Branch(ir.Binary("gt", left.expr, ir.Const(0), site), head, passed))
    m.switch(head)
    m.emit(ir.Store(stmts.world.passed_field, (), ir.Const(0), "set", False, site))
    before = stmts.code.me
    stmts.code.me = turn
    stmts.loops.append(Loop(done, over))
    stmts.block(statement.body, inner.child())
    stmts.loops.pop()
    stmts.code.me = before
    m.go_to(over)
    m.end(ir.Branch(ir.Load(stmts.world.passed_field, (), site), passed, played))
    m.switch(played)
    m.emit(ir.Assign(passes.expr.index, ir.Const(0)))
    m.emit(ir.Assign(left.expr.index, ir.Binary("sub", left.expr, ir.Const(1), site)))
    m.end(ir.Branch(ir.Binary("gt", left.expr, ir.Const(0), site), head, advance))
    m.switch(passed)
    m.emit(ir.Assign(passes.expr.index, ir.Binary("add", passes.expr, ir.Const(1), site)))
    m.end(ir.Branch(ir.Binary("ge", passes.expr, ir.Const(len(pairs)), site), done, advance))
    m.switch(advance)
    following = ir.Binary("add", place.expr, ir.Const(1), site)
    m.emit(ir.Assign(place.expr.index, ir.Binary("mod", following, ir.Const(len(pairs)), site)))
    m.jump(share)
    m.switch(done)


def lower_end(stmts: Stmts, statement: syn.EndStmt, scope: Scope) -> bool:
    m = stmts.m
    going_on = None
    if statement.condition is not None:
        ending, going_on = m.new_block(), m.new_block()
        m.end(ir.Branch(stmts.condition(statement.condition, scope), ending, going_on))
        m.switch(ending)
        scope = scope.with_narrowed(stmts.narrow(statement.condition, scope, True))
    assert stmts.world.sides
    if statement.winner is not None:
        winner = stmts.checked(statement.winner, scope, dom_type(stmts.world.sides, True)).expr
    elif "victory" in stmts.world.callables:
        winner = stmts.rule(stmts.world.callables["victory"], [], statement.span, scope).expr
    else:
        winner = ir.Const(NONE)
    site = stmts.lowerer.site(
        "log", "the game ends", statement.span, statement.cites.ids, owner=stmts.code.owner
    )
    m.emit(ir.Note(1, site, ()))
    owner = stmts.world.callables.get(stmts.code.owner)
    if owner is not None and owner.sort == "action":
        # The action that ends the game is completed with it.
        m.emit(ir.StoreHead(H_PLY, ir.Binary("add", ir.Head(H_PLY), ir.Const(1), stmts.lowerer.nowhere)))
    m.end(ir.EndGame(winner))
    m.switch(going_on if going_on is not None else m.new_block())
    return statement.condition is None
