"""Loops: over sets and lists, while, until, so many times, counted; `stop` and `next`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from grognard.compiler.lower.block_builder import captured
from grognard.compiler.lower.choices.asking import ask_from_set, asking_of
from grognard.compiler.lower.code import Value
from grognard.compiler.lower.exprs.aggregates import lower_source
from grognard.compiler.sema.checks.names import POOL_SIZE
from grognard.compiler.sema.typed import nodes as t
from grognard.compiler.sema.types import FLAG, INT, Type, int_range, set_type
from grognard.contract import ir
from grognard.contract.header import NONE
from grognard.contract.ir.walk import nodes

if TYPE_CHECKING:
    from grognard.compiler.lower.stmts.statements import Statements


@dataclass(slots=True)
class Loop:
    """A loop being lowered: targets of `stop` and `next` (None: the loop is structured), and code before the jump."""

    stop: int | None = None
    next: int | None = None
    first: tuple[ir.Stmt, ...] = ()
    only_stop: bool = False  # `next` does not do that


def run_pass(low: Statements, loop: Loop, body: Sequence[t.Statement]) -> None:
    """The body of a loop."""
    low.loops.append(loop)
    low.statements(body)
    low.loops.pop()


def _closing(branch: int | None) -> tuple[ir.Stmt, ...]:
    """In a simultaneous loop a pass ends with its branch."""
    return () if branch is None else (ir.BranchNext(branch),)


# --------------------------------------------------------------------------------------------- over sets and lists


def lower_for(low: Statements, node: t.For, branch: int | None = None) -> None:
    """A loop; with `branch` each pass is a branch of a simultaneous block."""
    if node.blocks:
        _for_in_blocks(low, node, branch)
        return
    over, element = lower_source(low, node.source), node.variable.type
    var = low.code.local(node.variable.name, element)
    low.code.values[node.variable] = Value(element, ir.Local(var))
    where = None if node.where is None else low.test(node.where)
    key = None if node.key is None else low.lower(node.key).expr
    closing = _closing(branch)
    with captured(low.code) as body:
        run_pass(low, Loop(first=closing), node.body)
        for item in closing:
            low.code.emit(item)
    domain = element.dom.id if element.dom is not None and not _of_plain_values(over) else None
    site = low.lowerer.site("loop", "for", node.written.span, owner=low.code.owner)
    low.code.emit(ir.For(var, over, domain, where, key, node.written.rank == "highest", tuple(body), site))


def lower_settled(low: Statements, node: t.ForSettled, branch: int | None = None) -> None:
    """Passes over the set until one of them changes nothing that the body writes directly."""
    changed = low.code.local("(changed)", FLAG)
    site = low.lowerer.site("loop", "until settled", node.written.span, owner=low.code.owner)
    low.code.emit(ir.Assign(changed, ir.Const(1)))
    before, low.changed = low.changed, changed
    with captured(low.code) as body:
        low.code.emit(ir.Assign(changed, ir.Const(0)))
        lower_for(low, node.loop, branch)
    low.changed = before
    low.code.emit(ir.While(ir.Local(changed), tuple(body), site))


def _of_plain_values(over: Any) -> bool:
    return isinstance(over, ir.OverItems | ir.OverList)


def _snapshot(low: Statements, node: t.For | t.ForChosen) -> tuple[Value, Value]:
    """The loop's set, fixed at entry, in a local; and the loop variable."""
    over, name, element = lower_source(low, node.source), node.variable.name, node.variable.type
    var = low.code.values[node.variable] = low.code.variable(name, element)
    where = None if node.where is None else low.test(node.where)
    assert isinstance(var.expr, ir.Local)
    if element.dom is not None and not _of_plain_values(over):
        group = low.code.variable(f"({name} left)", set_type(element.dom))
        build = ir.SetBuild(element.dom.id, var.expr.index, over, where, None)
        low.code.emit(ir.AssignSet(group.expr.index, build))
    else:
        room = max(1, len(over.items)) if isinstance(over, ir.OverItems) else POOL_SIZE
        group = low.code.variable(f"({name} left)", Type("list", element=element, capacity=room))
        low.code.emit(ir.ListClear(group.expr.index))
        site = low.lowerer.site("loop", "for", node.written.span)
        append = ir.ListAppend(group.expr.index, var.expr, site)
        low.code.emit(ir.For(var.expr.index, over, None, where, None, False, (append,), site))
    return group, var


def _for_in_blocks(low: Statements, node: t.For, branch: int | None) -> None:
    group, var = _snapshot(low, node)
    m = low.m
    head, body, done = m.new_block(), m.new_block(), m.new_block()
    site = low.lowerer.nowhere
    if group.type.sort == "list":
        place = m.variable(f"({node.variable.name} place)", int_range(0, POOL_SIZE))
        m.emit(ir.Assign(place.expr.index, ir.Const(0)))
        m.go_to(head)
        m.end(ir.Branch(ir.Binary("lt", place.expr, ir.ListLength(group.expr), site), body, done))
        m.switch(body)
        m.emit(ir.Assign(place.expr.index, ir.Binary("add", place.expr, ir.Const(1), site)))
        m.emit(ir.Assign(var.expr.index, ir.ListItem(group.expr, place.expr, site)))
    elif node.key is not None:
        m.go_to(head)
        key = low.lower(node.key).expr
        pick: Any = "best_high" if node.written.rank == "highest" else "best_low"
        best = ir.Aggregate(pick, var.expr.index, ir.OverSet(group.expr), None, key, site)
        m.emit(ir.Assign(var.expr.index, best))
        m.end(ir.Branch(ir.Binary("eq", var.expr, ir.Const(NONE), site), done, body))
        m.switch(body)
        m.emit(ir.SetChange(group.expr.index, var.expr, False))
    else:
        m.emit(ir.Assign(var.expr.index, ir.Const(NONE)))
        m.go_to(head)
        m.emit(ir.Assign(var.expr.index, ir.SetNext(group.expr, var.expr)))
        m.end(ir.Branch(ir.Binary("eq", var.expr, ir.Const(NONE), site), done, body))
        m.switch(body)
    closing = _closing(branch)
    run_pass(low, Loop(done, head, closing), node.body)
    for item in closing:
        m.emit(item)
    m.jump(head)
    m.switch(done)


def _for_chosen(low: Statements, node: t.ForChosen) -> None:
    group, var = _snapshot(low, node)
    m = low.m
    head, body, done = m.new_block(), m.new_block(), m.new_block()
    m.go_to(head)
    ask_from_set(low, asking_of(low, node.question, node.written), node.seat, group, var, body, done)
    m.switch(body)
    m.emit(ir.SetChange(group.expr.index, var.expr, False))
    run_pass(low, Loop(done, head), node.body)
    m.jump(head)
    m.switch(done)


# ----------------------------------------------------------------------------------------------- conditions, numbers


def _while(low: Statements, node: t.While) -> None:
    site = low.lowerer.site("loop", "while", node.written.span, owner=low.code.owner)
    if not node.blocks:
        test = low.test(node.condition)
        with captured(low.code) as made:
            run_pass(low, Loop(), node.body)
        low.code.emit(ir.While(test, tuple(made), site))
        return
    m = low.m
    head, body, done = m.new_block(), m.new_block(), m.new_block()
    m.go_to(head)
    m.end(ir.Branch(low.test(node.condition), body, done))
    m.switch(body)
    run_pass(low, Loop(done, head), node.body)
    m.jump(head)
    m.switch(done)


def _times(low: Statements, node: t.Times) -> None:
    count = low.lower(node.count)
    site = low.lowerer.site("loop", "repeat", node.written.span, owner=low.code.owner)
    if not node.blocks:
        var = low.code.local("(times)", INT)
        with captured(low.code) as made:
            run_pass(low, Loop(), node.body)
        over = ir.OverRange(ir.Const(1), count.expr)
        low.code.emit(ir.For(var, over, None, None, None, False, tuple(made), site))
        return
    m = low.m
    left = m.variable("(times left)", INT)
    m.emit(ir.Assign(left.expr.index, count.expr))
    head, body, done = m.new_block(), m.new_block(), m.new_block()
    m.go_to(head)
    m.end(ir.Branch(ir.Binary("gt", left.expr, ir.Const(0), site), body, done))
    m.switch(body)
    m.emit(ir.Assign(left.expr.index, ir.Binary("sub", left.expr, ir.Const(1), site)))
    if node.written.until_done is not None:
        _pass_with_done(low, Loop(done, head), node.body, done, None)
    else:
        run_pass(low, Loop(done, head), node.body)
    m.jump(head)
    m.switch(done)


def _until(low: Statements, node: t.Until) -> None:
    if not low.code.machine:
        _until_in_function(low, node)
        return
    m = low.m
    site = low.lowerer.site("loop", "repeat", node.written.span, owner=low.code.owner)
    head, done = m.new_block(), m.new_block()
    if node.condition is not None:
        m.go_to(head)
        again = m.new_block()
        run_pass(low, Loop(done, again), node.body)
        m.go_to(again)
        m.end(ir.Branch(low.test(node.condition), done, head))
        m.switch(done)
        return
    passes = m.variable("(passes)", INT)
    m.emit(ir.Assign(passes.expr.index, ir.Const(0)))
    m.go_to(head)
    again = m.new_block()
    guard: Any = ir.Binary("gt", passes.expr, ir.Const(0), site)
    if node.done_when is not None:
        guard = ir.Binary("and", guard, low.test(node.done_when), site)
    _pass_with_done(low, Loop(done, again), node.body, done, guard)
    m.go_to(again)
    m.emit(ir.Assign(passes.expr.index, ir.Const(1)))
    m.jump(head)
    m.switch(done)


def _until_in_function(low: Statements, node: t.Until) -> None:
    assert node.condition is not None
    site = low.lowerer.site("loop", "repeat", node.written.span, owner=low.code.owner)
    going = low.code.local("(again)", FLAG)
    low.code.emit(ir.Assign(going, ir.Const(1)))
    with captured(low.code) as made:
        # The body is a loop of one pass, so that `next` comes to the condition; `stop` ends both.
        with captured(low.code) as body:
            run_pass(low, Loop(first=(ir.Assign(going, ir.Const(0)),), only_stop=True), node.body)
        once = low.code.local("(once)", INT)
        one = ir.OverRange(ir.Const(1), ir.Const(1))
        test = ir.Unary("not", low.test(node.condition))
        if any(isinstance(part, ir.Continue) for part in nodes(tuple(body))):
            low.code.emit(ir.For(once, one, None, None, None, False, tuple(body), site))
        else:
            for part in body:
                low.code.emit(part)
        low.code.emit(ir.IfStmt(ir.Local(going), (ir.Assign(going, test),)))
    low.code.emit(ir.While(ir.Local(going), tuple(made), site))


def _pass_with_done(low: Statements, loop: Loop, body: Sequence[t.Statement], done: int, guard: Any) -> None:
    """A pass that begins with a choice that may be answered `done`."""
    choice, *rest = body
    low.loops.append(loop)
    low.choose(choice, done=done, done_when=guard)
    low.statements(rest)
    low.loops.pop()


def _count(low: Statements, node: t.Count) -> None:
    """`repeat round from 1 to n`: the counter is the game's field of that name, else a local."""
    m, statement = low.m, node.written
    name, cites = statement.var, statement.cites.ids
    start = low.lower(node.start)
    site = low.lowerer.site("write", name, statement.span, cites, ("int",), low.code.owner)
    field = None if node.info is None else node.info.field
    if field is not None:
        m.emit(ir.Store(field, (), start.expr, "set", False, site))
        current: Any = ir.Load(field, (), site)
    else:
        assert node.variable is not None
        local = m.values[node.variable] = m.variable(name, INT)
        m.emit(ir.Assign(local.expr.index, start.expr))
        current = local.expr
    head, body, again, done = m.new_block(), m.new_block(), m.new_block(), m.new_block()
    if node.end is not None:
        m.end(ir.Branch(ir.Binary("le", current, low.lower(node.end).expr, site), head, done))
    else:
        m.jump(head)
    m.switch(head)
    for each in low.symbols.reset_per.get(name, ()):
        m.emit(ir.Reset(each))
    note = low.lowerer.site("phase", f"{name} {{0}}", statement.span, cites, ("int",))
    m.emit(ir.Note(1, note, (current,)))
    m.go_to(body)
    check = m.new_block()
    run_pass(low, Loop(done, check), node.body)
    m.go_to(check)
    if node.end is not None:
        m.end(ir.Branch(ir.Binary("lt", current, low.lower(node.end).expr, site), again, done))
    else:
        m.jump(again)
    m.switch(again)
    if field is not None:
        m.emit(ir.Store(field, (), ir.Const(1), "add", False, site))
    else:
        m.emit(ir.Assign(current.index, ir.Binary("add", current, ir.Const(1), site)))
    m.jump(head)
    m.switch(done)


def _leave_pass(low: Statements, node: t.LeavePass) -> None:
    """`stop` leaves the innermost loop, `next` goes on with its next pass."""
    loop = low.loops[-1]
    target = loop.stop if node.stops else loop.next
    for step in loop.first if node.stops or not loop.only_stop else ():
        low.code.emit(step)
    if target is None:
        low.code.emit(ir.Break() if node.stops else ir.Continue())
    else:
        low.m.jump(target)
        low.m.switch(low.m.new_block())


LOOPS: dict[type, Any] = {
    t.For: lower_for,
    t.ForSettled: lower_settled,
    t.ForChosen: _for_chosen,
    t.While: _while,
    t.Times: _times,
    t.Until: _until,
    t.Count: _count,
    t.Counted: lambda low, node: lower_for(low, node.loop),
    t.LeavePass: _leave_pass,
}
