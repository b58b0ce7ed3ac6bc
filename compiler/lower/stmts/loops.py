"""Loops: over sets and lists, while, until, so many times; `stop` and `next`."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from grognard.compiler.lower.block_builder import captured
from grognard.compiler.lower.choices.asking import ask_from_set
from grognard.compiler.lower.stmts.rolls import POOL_SIZE
from grognard.compiler.sema.scope import Scope, Value
from grognard.compiler.sema.types import (
    FLAG,
    INT,
    Type,
    int_range,
    set_type,
)
from grognard.compiler.syntax import nodes as syn
from grognard.contract import ir
from grognard.contract.header import NONE
from grognard.contract.ir.walk import nodes
from grognard.support.source import Span

if TYPE_CHECKING:
    from grognard.compiler.lower.stmts.statements import Stmts


@dataclass(slots=True)
class Loop:
    """A loop being lowered: targets of `stop` and `next` (None: the loop is structured), and code before the jump."""

    stop: int | None = None
    next: int | None = None
    first: tuple[ir.Stmt, ...] = ()
    only_stop: bool = False  # `next` does not do that


class BranchMark:
    """The end of a simultaneous loop's body; lowered to BranchNext."""

    def __init__(self, site: int) -> None:
        self.site = site
        self.cites = syn.NO_CITES


def _closing(body: tuple[Any, ...]) -> tuple[ir.Stmt, ...]:
    """Code before a pass ends early: in a simultaneous loop, close the branch."""
    mark = body[-1] if body else None
    return (ir.BranchNext(mark.site),) if isinstance(mark, BranchMark) else ()


def lower_for(stmts: Stmts, statement: syn.ForStmt, scope: Scope) -> None:
    if statement.settled:
        _for_settled(stmts, statement, scope)
        return
    if statement.chosen_by is not None:
        _for_chosen(stmts, statement, scope)
        return
    if stmts.needs_blocks(statement):
        _for_blocks(stmts, statement, scope)
        return
    over, element = stmts.running_over(statement.source, scope)
    if over is None:
        return
    inner = scope.child()
    var = stmts.code.local(statement.var, element)
    stmts.bind(inner, statement.var, Value(element, ir.Local(var)), False, statement.span)
    where = stmts.condition(statement.where, inner) if statement.where is not None else None
    if statement.where is not None:
        inner = inner.with_narrowed(stmts.narrow(statement.where, inner, True))
    key = _key(stmts, statement.key, inner) if statement.key is not None else None
    stmts.loops.append(Loop(first=_closing(statement.body)))
    body = stmts.structured(statement.body, inner.child())
    stmts.loops.pop()
    domain = (
        element.dom.id
        if element.dom is not None and not isinstance(over, ir.OverItems | ir.OverList)
        else None
    )
    site = stmts.lowerer.site("loop", "for", statement.span, owner=stmts.code.owner)
    stmts.code.emit(ir.For(var, over, domain, where, key, statement.rank == "highest", body, site))


def _for_settled(stmts: Stmts, statement: syn.ForStmt, scope: Scope) -> None:
    """Passes over the set until one of them changes nothing that the body writes directly."""
    if stmts.needs_blocks(statement):
        stmts.sink.error("GR0704", statement.span, "nobody can be asked in a loop until settled")
        return
    changed = stmts.code.local("(changed)", FLAG)
    site = stmts.lowerer.site("loop", "until settled", statement.span, owner=stmts.code.owner)
    stmts.code.emit(ir.Assign(changed, ir.Const(1)))
    before, stmts.changed = stmts.changed, changed
    with captured(stmts.code) as body:
        stmts.code.emit(ir.Assign(changed, ir.Const(0)))
        lower_for(stmts, replace(statement, settled=False), scope)
    stmts.changed = before
    stmts.code.emit(ir.While(ir.Local(changed), tuple(body), site))


def _key(stmts: Stmts, expr: syn.Expr, scope: Scope) -> Any:
    key = stmts.value(expr, scope)
    if key.type.sort not in ("int", "flag", "dom", "unknown"):
        stmts.sink.error("GR0301", expr.span, f"{key.type} has no order")
    return key.expr


def _snapshot(stmts: Stmts, statement: syn.ForStmt, scope: Scope) -> tuple[Value, Value, Scope] | None:
    """The loop's set, fixed at entry, in a local; the loop variable; the scope of the body."""
    over, element = stmts.running_over(statement.source, scope)
    if over is None:
        return None
    inner = scope.child()
    var = stmts.code.variable(statement.var, element)
    stmts.bind(inner, statement.var, var, False, statement.span)
    where = stmts.condition(statement.where, inner) if statement.where is not None else None
    body_scope = (
        inner.with_narrowed(stmts.narrow(statement.where, inner, True))
        if statement.where is not None
        else inner
    )
    assert isinstance(var.expr, ir.Local)
    if element.dom is not None and not isinstance(over, ir.OverItems | ir.OverList):
        group = stmts.code.variable(f"({statement.var} left)", set_type(element.dom))
        stmts.code.emit(
            ir.AssignSet(group.expr.index, ir.SetBuild(element.dom.id, var.expr.index, over, where, None))
        )
    else:
        group = stmts.code.variable(
            f"({statement.var} left)", Type("list", element=element, capacity=_list_room(over))
        )
        stmts.code.emit(ir.ListClear(group.expr.index))
        site = stmts.lowerer.site("loop", "for", statement.span)
        append = ir.ListAppend(group.expr.index, var.expr, site)
        stmts.code.emit(ir.For(var.expr.index, over, None, where, None, False, (append,), site))
    return group, var, body_scope


def _list_room(over: Any) -> int:
    if isinstance(over, ir.OverItems):
        return max(1, len(over.items))
    return POOL_SIZE


def _for_blocks(stmts: Stmts, statement: syn.ForStmt, scope: Scope) -> None:
    made = _snapshot(stmts, statement, scope)
    if made is None:
        return
    group, var, inner = made
    m = stmts.m
    head, body, done = m.new_block(), m.new_block(), m.new_block()
    site = stmts.lowerer.nowhere
    if group.type.sort == "list":
        place = m.variable(f"({statement.var} place)", int_range(0, POOL_SIZE))
        m.emit(ir.Assign(place.expr.index, ir.Const(0)))
        m.go_to(head)
        m.end(ir.Branch(ir.Binary("lt", place.expr, ir.ListLength(group.expr), site), body, done))
        m.switch(body)
        m.emit(ir.Assign(place.expr.index, ir.Binary("add", place.expr, ir.Const(1), site)))
        m.emit(ir.Assign(var.expr.index, ir.ListItem(group.expr, place.expr, site)))
    elif statement.key is not None:
        m.go_to(head)
        key = _key(stmts, statement.key, inner)
        pick: Any = "best_high" if statement.rank == "highest" else "best_low"
        m.emit(
            ir.Assign(
                var.expr.index,
                ir.Aggregate(pick, var.expr.index, ir.OverSet(group.expr), None, key, site),
            )
        )
        m.end(ir.Branch(ir.Binary("eq", var.expr, ir.Const(NONE), site), done, body))
        m.switch(body)
        m.emit(ir.SetChange(group.expr.index, var.expr, False))
    else:
        m.emit(ir.Assign(var.expr.index, ir.Const(NONE)))
        m.go_to(head)
        m.emit(ir.Assign(var.expr.index, ir.SetNext(group.expr, var.expr)))
        m.end(ir.Branch(ir.Binary("eq", var.expr, ir.Const(NONE), site), done, body))
        m.switch(body)
    stmts.loops.append(Loop(done, head, _closing(statement.body)))
    stmts.block(statement.body, inner.child())
    stmts.loops.pop()
    m.jump(head)
    m.switch(done)


def _for_chosen(stmts: Stmts, statement: syn.ForStmt, scope: Scope) -> None:
    made = _snapshot(stmts, replace(statement, chosen_by=None), scope)
    if made is None:
        return
    group, var, inner = made
    if group.type.sort != "set":
        stmts.sink.error(
            "GR0313", statement.source.span, "`chosen by` needs a set of counters, places or members"
        )
        return
    m = stmts.m
    head, body, done = m.new_block(), m.new_block(), m.new_block()
    m.go_to(head)
    choice = syn.ChooseStmt(
        statement.var, (), None, statement.source, None, statement.chosen_by, statement.label or f"next {statement.var}", False, False, (), None,
        statement.cites, statement.span, statement.span,
    )  # fmt: skip
    ask_from_set(stmts, choice, group, var, scope, body, done)
    m.switch(body)
    m.emit(ir.SetChange(group.expr.index, var.expr, False))
    stmts.loops.append(Loop(done, head))
    stmts.block(statement.body, inner.child())
    stmts.loops.pop()
    m.jump(head)
    m.switch(done)


def lower_while(stmts: Stmts, statement: syn.WhileStmt, scope: Scope) -> None:
    site = stmts.lowerer.site("loop", "while", statement.span, owner=stmts.code.owner)
    if not stmts.needs_blocks(statement):
        test = stmts.condition(statement.condition, scope)
        stmts.loops.append(Loop())
        stmts.guards.append(statement.condition)
        body = stmts.structured(
            statement.body, scope.with_narrowed(stmts.narrow(statement.condition, scope, True)).child()
        )
        stmts.guards.pop()
        stmts.loops.pop()
        stmts.code.emit(ir.While(test, body, site))
        return
    m = stmts.m
    head, body_block, done = m.new_block(), m.new_block(), m.new_block()
    m.go_to(head)
    m.end(ir.Branch(stmts.condition(statement.condition, scope), body_block, done))
    m.switch(body_block)
    stmts.loops.append(Loop(done, head))
    stmts.guards.append(statement.condition)
    stmts.block(statement.body, scope.with_narrowed(stmts.narrow(statement.condition, scope, True)).child())
    stmts.guards.pop()
    stmts.loops.pop()
    m.jump(head)
    m.switch(done)


def lower_times(stmts: Stmts, statement: syn.TimesStmt, scope: Scope) -> None:
    count = stmts.checked(statement.count, scope, INT)
    site = stmts.lowerer.site("loop", "repeat", statement.span, owner=stmts.code.owner)
    if statement.until_done is None and not stmts.needs_blocks(statement):
        var = stmts.code.local("(times)", INT)
        stmts.loops.append(Loop())
        body = stmts.structured(statement.body, scope.child())
        stmts.loops.pop()
        stmts.code.emit(
            ir.For(var, ir.OverRange(ir.Const(1), count.expr), None, None, None, False, body, site)
        )
        return
    m = stmts.m
    left = m.variable("(times left)", INT)
    m.emit(ir.Assign(left.expr.index, count.expr))
    head, body_block, done = m.new_block(), m.new_block(), m.new_block()
    m.go_to(head)
    m.end(ir.Branch(ir.Binary("gt", left.expr, ir.Const(0), site), body_block, done))
    m.switch(body_block)
    m.emit(ir.Assign(left.expr.index, ir.Binary("sub", left.expr, ir.Const(1), site)))
    stmts.loops.append(Loop(done, head))
    if statement.until_done is not None:
        _body_with_done(stmts, statement.body, scope, statement.until_done, None, done, statement.span)
    else:
        stmts.block(statement.body, scope.child())
    stmts.loops.pop()
    m.jump(head)
    m.switch(done)


def lower_until(stmts: Stmts, statement: syn.UntilStmt, scope: Scope) -> None:
    site = stmts.lowerer.site("loop", "repeat", statement.span, owner=stmts.code.owner)
    if not stmts.code.machine:
        going = stmts.code.local("(again)", FLAG)
        stmts.code.emit(ir.Assign(going, ir.Const(1)))
        inner = scope.child()
        assert statement.condition is not None
        with captured(stmts.code) as made:
            # The body is a loop of one pass, so that `next` comes to the condition; `stop` ends both.
            stmts.loops.append(Loop(first=(ir.Assign(going, ir.Const(0)),), only_stop=True))
            body = stmts.structured(statement.body, inner)
            stmts.loops.pop()
            once = stmts.code.local("(once)", INT)
            one = ir.OverRange(ir.Const(1), ir.Const(1))
            test = ir.Unary("not", stmts.condition(statement.condition, inner))
            if any(isinstance(node, ir.Continue) for node in nodes(body)):
                stmts.code.emit(ir.For(once, one, None, None, None, False, body, site))
            else:
                for part in body:
                    stmts.code.emit(part)
            stmts.code.emit(ir.IfStmt(ir.Local(going), (ir.Assign(going, test),)))
        stmts.code.emit(ir.While(ir.Local(going), tuple(made), site))
        return
    m = stmts.m
    head, done = m.new_block(), m.new_block()
    inner = scope.child()
    passes = None
    if statement.done_by is not None:
        passes = m.variable("(passes)", INT)
        m.emit(ir.Assign(passes.expr.index, ir.Const(0)))
    m.go_to(head)
    again = m.new_block()
    stmts.loops.append(Loop(done, again))
    if statement.done_by is not None:
        assert passes is not None
        guard: Any = ir.Binary("gt", passes.expr, ir.Const(0), site)
        if statement.done_when is not None:
            guard = ir.Binary("and", guard, stmts.condition(statement.done_when, scope), site)
        _body_with_done(stmts, statement.body, scope, statement.done_by, guard, done, statement.span)
        m.go_to(again)
        m.emit(ir.Assign(passes.expr.index, ir.Const(1)))
        m.jump(head)
    else:
        stmts.block(statement.body, inner)
        m.go_to(again)
        assert statement.condition is not None
        m.end(ir.Branch(stmts.condition(statement.condition, inner), done, head))
    stmts.loops.pop()
    m.switch(done)


def _body_with_done(
    stmts: Stmts, body: tuple[syn.Stmt, ...], scope: Scope, seat: syn.Expr, guard: Any, done: int, span: Span
) -> None:
    """A loop body whose first statement is a choice that may be answered `done`."""
    if not body or not isinstance(body[0], syn.ChooseStmt):
        stmts.sink.error("GR0704", span, "a loop that ends when somebody is done must begin with a choice")
        return
    inner = scope.child()
    first = body[0]
    if first.by is None:
        first = replace(first, by=seat)
    stmts.choose(first, inner, done=done, done_when=guard)
    stmts.block(body[1:], inner)


def leave_pass(stmts: Stmts, statement: syn.StopStmt | syn.NextStmt, word: str) -> bool:
    """`stop` leaves the innermost loop, `next` goes on with its next pass."""
    if not stmts.loops:
        stmts.sink.error(
            "GR0208",
            statement.span,
            f"`{word}` {'leaves a loop' if word == 'stop' else 'begins the next pass of a loop'}; there is none here",
            hint="`return` leaves a procedure",
        )
        return False
    loop = stmts.loops[-1]
    target = loop.stop if word == "stop" else loop.next
    for step in loop.first if word == "stop" or not loop.only_stop else ():
        stmts.code.emit(step)
    if target is None:
        stmts.code.emit(ir.Break() if word == "stop" else ir.Continue())
    else:
        stmts.m.jump(target)
        stmts.m.switch(stmts.m.new_block())
    return True
