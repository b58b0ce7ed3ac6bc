"""Dice: totals, pools, a die for each element of a set; and handlers that react before and after a roll."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from grognard.compiler.lower.block_builder import captured
from grognard.compiler.lower.code import Value, assign_local, flatten
from grognard.compiler.lower.exprs.aggregates import lower_source
from grognard.compiler.lower.situations import chance_program as chance
from grognard.compiler.lower.stmts.calls import invoke
from grognard.compiler.lower.stmts.targets import lower_target
from grognard.compiler.lower.time.deferred_calls import call_handlers, with_guard
from grognard.compiler.sema.asking import is_machine
from grognard.compiler.sema.checks.names import POOL_SIZE
from grognard.compiler.sema.handlers import NO_REROLL
from grognard.compiler.sema.scope import path_of
from grognard.compiler.sema.symbols import Callable_
from grognard.compiler.sema.typed import nodes as t
from grognard.compiler.sema.types import INT, Type, int_range
from grognard.contract import ir
from grognard.contract.header import FAIL_RANGE, NONE
from grognard.support.source import Span

if TYPE_CHECKING:
    from grognard.compiler.lower.stmts.statements import Statements

#: The next step of the loop around a roll.
_DONE, _THROW, _CALL_AGAIN, _THROW_ONE = range(4)


@dataclass(slots=True)
class Throw:
    """Dice to be thrown: their result, the code that throws all of them, and a single one of a pool."""

    result: Value
    all: Callable[[], None]
    die: tuple[int, int]


def _faces(low: Statements, node: t.RollFaces) -> None:
    """A die with its own faces: a plain die is thrown, and the face is looked up."""
    _roll(low, node.roll)
    values = low.code.values
    if node.face is not None:
        made = low.lower(node.face)
        values[node.variable] = low.store_in_local(Value(node.variable.type, made.expr))
        return
    low.statements(node.fill)
    assert node.pool is not None
    values[node.variable] = values[node.pool]


def _roll(low: Statements, node: t.Roll) -> None:
    statement = node.written
    label = path_of(statement.target) or "roll"
    site = low.lowerer.site(
        "roll",
        # Of `roll s.initiative` people read what it is, not how the rules call whose it is.
        f"{label.rpartition('.')[2]}: {statement.dice}",
        statement.span,
        statement.cites.ids,
        ("int",) * 3,
        low.code.owner,
    )
    if node.each is not None:
        throw = _throw_each(low, node, node.each, site)
    elif node.count is not None:
        throw = _throw_pool(low, node, node.count, site)
    else:
        throw = _throw_total(low, node, site)
    if node.event is None:
        throw.all()
    else:
        _throw_for(low, node, node.event, throw)
    low.code.values[node.result] = result = throw.result
    match node.target:
        case t.LocalTarget(value=value):
            assign_local(low.code, low.lower(value), result)
        case t.FieldTarget(info=info) as target:
            assert info.field is not None
            index = lower_target(low, target)
            low.code.emit(ir.Store(info.field, index, result.expr, "set", info.clamped, site))


def _throw_total(low: Statements, node: t.Roll, site: int) -> Throw:
    (count, lo, hi), name = node.dice, node.result.name
    total = low.code.variable(name, node.result.type)
    roll = ir.Roll(ir.Const(count), ir.Const(lo), ir.Const(hi), total.expr.index, None, site)

    def throw() -> None:
        if chance.stops(low):
            chance.total(low, count, lo, hi, total.expr.index, site, name)
        else:
            low.code.emit(roll)

    return Throw(total, throw, (lo, hi))


def _throw_pool(low: Statements, node: t.Roll, wanted: t.Typed, site: int) -> Throw:
    (count, lo, hi), name = node.dice, node.result.name
    number = low.lower(wanted)
    pool = low.code.variable(name, node.result.type)
    dice = ir.Binary("mul", number.expr, ir.Const(count), site)

    def throw() -> None:
        if chance.stops(low):
            chance.pool(low, dice, lo, hi, pool.expr.index, site, name)
        else:
            low.code.emit(ir.Roll(dice, ir.Const(lo), ir.Const(hi), None, pool.expr.index, site))

    return Throw(pool, throw, (lo, hi))


def _throw_each(low: Statements, node: t.Roll, each: t.ThrowEach, site: int) -> Throw:
    """A die for every element; the result is the set of those that rolled at most the limit."""
    (count, lo, hi), name = node.dice, node.result.name
    over = lower_source(low, each.source)
    code = low.code
    var = code.values[each.variable] = code.variable(each.variable.name, each.variable.type)
    where = None if each.where is None else low.test(each.where)
    limit = low.lower(each.limit)
    dom = each.variable.type.dom
    assert dom is not None
    result = code.variable(name, node.result.type)
    die = code.variable("(die)", int_range(lo, hi))
    bound = code.variable("(limit)", INT)
    body = (
        ir.Assign(bound.expr.index, limit.expr),
        ir.Roll(ir.Const(count), ir.Const(lo), ir.Const(hi), die.expr.index, None, site),
        ir.IfStmt(
            ir.Binary("le", die.expr, bound.expr, site),
            (ir.SetChange(result.expr.index, var.expr, True),),
        ),
    )

    def throw() -> None:
        if chance.stops(low):
            dice = (count, lo, hi)
            chance.each(low, var, over, where, limit.expr, dice, result.expr.index, site, name, POOL_SIZE)
            return
        code.emit(ir.AssignSet(result.expr.index, ir.SetOf(dom.id, ())))
        code.emit(ir.For(var.expr.index, over, dom.id, where, None, False, body, site))

    return Throw(result, throw, (lo, hi))


# ------------------------------------------------------------------------------------------ rolls as events


def _throw_for(low: Statements, node: t.Roll, event: t.RollEvent, throw: Throw) -> None:
    """`roll d: 2d6 for shot(a, t)`: handlers of `rolling` run before the throw, those of `rolled` after it."""
    args = [low.lower(arg) for arg in event.args]
    arguments = [low.store_argument(a) for a in args]
    lowerer, span = low.lowerer, node.written.span
    call_handlers(low, lowerer.trees.handlers_of(f"rolling {event.name}"), arguments)
    handlers = lowerer.trees.handlers_of(f"rolled {event.name}")
    if not handlers:
        throw.all()
        return
    flat = [part for value in (*arguments, throw.result) for part in flatten(value)]
    _until_accepted(low, throw, handlers, flat, span)


def _until_accepted(
    low: Statements, throw: Throw, handlers: Sequence[Callable_], flat: list[Any], span: Span
) -> None:
    """Roll and call the handlers, until none of them rolls again."""
    code, lowerer = low.code, low.lowerer
    site = lowerer.site("fail", "a roll was changed to what the dice cannot show", span, owner=code.owner)
    answer = code.variable("(after the roll)", Type("int", optional=True))
    if not chance.stops(low) and not any(is_machine(handler) for handler in handlers):
        state = code.variable("(throw)", INT)
        code.emit(ir.Assign(state.expr.index, ir.Const(_THROW)))
        with captured(code) as loop:
            with captured(code) as dice:
                throw.all()
            code.emit(ir.IfStmt(ir.Binary("eq", state.expr, ir.Const(_THROW), site), tuple(dice)))
            code.emit(ir.Assign(state.expr.index, ir.Const(_DONE)))
            for handler in handlers:
                with captured(code) as calls:
                    invoke(low, handler, flat, answer)
                    _react(low, throw, answer, state, site, span)
                calm = ir.Binary("eq", state.expr, ir.Const(_DONE), site)
                code.emit(ir.IfStmt(calm, tuple(calls)))
        code.emit(ir.While(ir.Binary("ne", state.expr, ir.Const(_DONE), site), tuple(loop), site))
        return
    m = low.m
    state = code.variable("(throw)", INT)
    head, call_all, done = m.new_block(), m.new_block(), m.new_block()
    m.go_to(head)
    throw.all()
    m.go_to(call_all)
    m.emit(ir.Assign(state.expr.index, ir.Const(_DONE)))
    for handler in handlers:

        def call(handler: Callable_ = handler) -> None:
            invoke(low, handler, flat, answer)
            _react(low, throw, answer, state, site, span)
            throw_again, not_all, go_on = m.new_block(), m.new_block(), m.new_block()
            m.end(ir.Branch(ir.Binary("eq", state.expr, ir.Const(_THROW), site), throw_again, not_all))
            m.switch(throw_again)
            m.jump(head)
            m.switch(not_all)
            if chance.stops(low) and throw.result.type.sort == "list":
                throw_one, none = m.new_block(), m.new_block()
                m.end(ir.Branch(ir.Binary("eq", state.expr, ir.Const(_THROW_ONE), site), throw_one, none))
                m.switch(throw_one)
                _throw_one(low, throw, answer, site, span)
                m.jump(call_all)
                m.switch(none)
            m.end(ir.Branch(ir.Binary("eq", state.expr, ir.Const(_CALL_AGAIN), site), call_all, go_on))
            m.switch(go_on)

        with_guard(low, handler, flat, call)
    m.go_to(done)


def _react(low: Statements, throw: Throw, answer: Value, state: Value, site: int, span: Span) -> None:
    """Act on the result of a handler: none rolls all dice again, a number is the total, or the die of a pool to roll."""
    code = low.code
    again = ir.Assign(state.expr.index, ir.Const(_THROW))
    kept: tuple[ir.Stmt, ...] = ()
    if throw.result.type.sort == "int":
        under = ir.Binary("lt", answer.expr, ir.Const(throw.result.type.lo), site)
        over = ir.Binary("gt", answer.expr, ir.Const(throw.result.type.hi), site)
        kept = (
            ir.IfStmt(ir.Binary("or", under, over, site), (ir.Fail(FAIL_RANGE, site),)),
            ir.Assign(throw.result.expr.index, answer.expr),
        )
    elif throw.result.type.sort == "list":
        one: list[ir.Stmt] = []
        following = _THROW_ONE
        if not chance.stops(low):
            # A chance node cannot be inside a statement: the caller of the handler rolls.
            following = _CALL_AGAIN
            with captured(code) as one:
                _throw_one(low, throw, answer, site, span)
        wanted = ir.Binary("ne", answer.expr, ir.Const(NO_REROLL), site)
        kept = (ir.IfStmt(wanted, (*one, ir.Assign(state.expr.index, ir.Const(following)))),)
    code.emit(ir.IfStmt(ir.Binary("eq", answer.expr, ir.Const(NONE), site), (again,), kept))


def _throw_one(low: Statements, throw: Throw, which: Value, site: int, span: Span) -> None:
    """Roll one die of a pool again, and rebuild the pool with it."""
    code = low.code
    pool = throw.result
    new = code.variable("(die)", INT)
    made = code.variable("(pool)", pool.type)
    turn = code.local("(n)", INT)
    length = ir.ListLength(pool.expr)
    missing = low.lowerer.site("fail", "the pool has no die of that number", None, owner=code.owner)
    outside = ir.Binary(
        "or",
        ir.Binary("lt", which.expr, ir.Const(1), site),
        ir.Binary("gt", which.expr, length, site),
        site,
    )
    item = ir.If(
        ir.Binary("eq", ir.Local(turn), which.expr, site),
        new.expr,
        ir.ListItem(pool.expr, ir.Local(turn), site),
    )
    lo, hi = throw.die
    # The log tells of it as of any other throw.
    again = low.lowerer.site("roll", f"one die again: d{hi}", span, owner=code.owner)
    code.emit(ir.IfStmt(outside, (ir.Fail(FAIL_RANGE, missing),)))
    if chance.stops(low):
        chance.total(low, 1, lo, hi, new.expr.index, again, "one die again")
    else:
        code.emit(ir.Roll(ir.Const(1), ir.Const(lo), ir.Const(hi), new.expr.index, None, again))
    code.emit(ir.ListClear(made.expr.index))
    append = (ir.ListAppend(made.expr.index, item, site),)
    code.emit(ir.For(turn, ir.OverRange(ir.Const(1), length), None, None, None, False, append, site))
    code.emit(ir.AssignList(pool.expr.index, made.expr))


ROLLS: dict[type, Any] = {t.Roll: _roll, t.RollFaces: _faces}
