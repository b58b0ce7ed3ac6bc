"""Dice: totals, pools, a die for each element of a set; and handlers that react before and after a roll."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from grognard.compiler.lower.block_builder import captured
from grognard.compiler.lower.situations import chance_program as chance
from grognard.compiler.lower.stmts.calls import invoke
from grognard.compiler.lower.stmts.targets import lvalue
from grognard.compiler.lower.time.deferred_calls import call_handlers, with_guard
from grognard.compiler.sema.checks.names import POOL_SIZE, dice_of
from grognard.compiler.sema.scope import (
    Scope,
    Value,
    assign_local,
    flatten,
    path_of,
)
from grognard.compiler.sema.types import (
    INT,
    Type,
    accepts,
    int_range,
    set_type,
)
from grognard.compiler.sema.world import Callable_
from grognard.compiler.syntax import nodes as syn
from grognard.compiler.syntax.walk import substitute, walk
from grognard.contract import ir
from grognard.contract.header import FAIL_RANGE, NONE
from grognard.support.source import Span

if TYPE_CHECKING:
    from grognard.compiler.lower.stmts.statements import Stmts
    from grognard.support.diagnostics import Sink


#: The next step of the loop around a roll.
_DONE, _THROW, _CALL_AGAIN, _THROW_ONE = range(4)
#: The result of a handler of a pool or a set that throws no die again: not the number of a die.
_NO_REROLL = -1_000_000


@dataclass(slots=True)
class Throw:
    """Dice to be thrown: their result, the code that throws all of them, and a single one of a pool."""

    result: Value
    all: Callable[[], None]
    die: tuple[int, int]


def _lower_faces(stmts: Stmts, statement: syn.RollStmt, scope: Scope) -> None:
    """A die with its own faces: a plain die is thrown, and the face is looked up."""
    faces, type_ = stmts.world.faces[statement.dice]
    span = statement.span
    if (
        statement.each_var is not None
        or statement.event is not None
        or not isinstance(statement.target, syn.Name)
    ):
        stmts.declare_unknown(statement, scope)
        return
    name = statement.target.id
    thrown = f"({name})"
    plain = replace(statement, dice=f"d{len(faces)}", target=syn.Name(thrown, span))

    def shown(die: str) -> syn.Expr:
        made = faces[-1]
        for number in range(len(faces) - 1, 0, -1):
            test = syn.BinaryExpr("is", syn.Name(die, span), syn.Number(str(number), span), span)
            made = syn.Ternary(test, faces[number - 1], made, span)
        return made

    kind = syn.TypeExpr("plain", syn.Name(type_.dom.name, span), None, 0, False, span) if type_.dom else None
    inner = scope.child()
    lower_roll(stmts, plain, inner)
    if statement.count is None:
        made = stmts.value(shown(thrown), inner, type_)
        stmts.bind(scope, name, stmts.store_in_local(Value(type_, made.expr)), False, span)
        return
    element = kind or syn.TypeExpr(
        "plain",
        syn.RangeExpr(syn.Number(str(type_.lo), span), syn.Number(str(type_.hi), span), span),
        None,
        0,
        False,
        span,
    )
    pool = syn.TypeExpr("list", None, element, POOL_SIZE, False, span)
    stmts.statement(syn.Let(name, pool, syn.SetLiteral((), span), True, syn.NO_CITES, span), inner)
    add = syn.AssignStmt(syn.Name(name, span), "add", shown("(face)"), None, syn.NO_CITES, span)
    each = syn.ForStmt(
        "(face)", syn.Name(thrown, span), None, None, "lowest", None, "", False, (add,), syn.NO_CITES, span
    )
    stmts.statement(each, inner)
    stmts.bind(scope, name, stmts.code.value_of(inner.names[name]), False, span)


def lower_roll(stmts: Stmts, statement: syn.RollStmt, scope: Scope) -> None:
    if statement.dice in stmts.world.faces:
        _lower_faces(stmts, statement, scope)
        return
    dice = dice_of(stmts.world, statement.dice)
    if dice is None:
        stmts.declare_unknown(statement, scope)
        return
    count, lo, hi = dice
    label = path_of(statement.target) or "roll"
    site = stmts.lowerer.site(
        "roll",
        # Of `roll s.initiative` people read what it is, not how the rules call whose it is.
        f"{label.rpartition('.')[2]}: {statement.dice}",
        statement.span,
        statement.cites.ids,
        ("int",) * 3,
        stmts.code.owner,
    )
    if statement.each_var is not None:
        throw = _throw_each(stmts, statement, scope, count, lo, hi, site)
    elif statement.count is not None:
        throw = _throw_pool(stmts, statement, scope, count, lo, hi, site)
    else:
        throw = _throw_total(stmts, label, count, lo, hi, site)
    if throw is None:
        return
    if statement.event is None:
        throw.all()
    else:
        _throw_for(stmts, statement, scope, throw)
    _store_result(stmts, statement, scope, throw.result, site)


def _store_result(stmts: Stmts, statement: syn.RollStmt, scope: Scope, result: Value, site: int) -> None:
    target = statement.target
    if (
        isinstance(target, syn.Name)
        and scope.find(target.id) is None
        and (target.id not in stmts.world.globals or result.type.sort != "int")
    ):
        stmts.bind(scope, target.id, result, False, statement.span)
        return
    place = lvalue(stmts, target, scope)
    if isinstance(place, Value):
        stmts.demand(result, place.type, statement.span)
        assign_local(stmts.code, place, result)
    elif place is not None and place[0].field is not None:
        stmts.demand(result, place[0].type, statement.span)
        stmts.code.emit(ir.Store(place[0].field, place[1], result.expr, "set", place[0].clamped, site))


def _throw_total(stmts: Stmts, name: str, count: int, lo: int, hi: int, site: int) -> Throw:
    total = stmts.code.variable(name, int_range(count * lo, count * hi))
    roll = ir.Roll(ir.Const(count), ir.Const(lo), ir.Const(hi), total.expr.index, None, site)

    def throw() -> None:
        if chance.stops(stmts):
            chance.total(stmts, count, lo, hi, total.expr.index, site, name)
        else:
            stmts.code.emit(roll)

    return Throw(total, throw, (lo, hi))


def _throw_pool(
    stmts: Stmts, statement: syn.RollStmt, scope: Scope, count: int, lo: int, hi: int, site: int
) -> Throw | None:
    assert statement.count is not None
    number = stmts.checked(statement.count, scope, INT)
    if not isinstance(statement.target, syn.Name):
        stmts.sink.error("GR0307", statement.target.span, "a pool of dice needs a name of its own")
        return None
    most = number.type.hi * count if number.type.sort == "int" else POOL_SIZE
    room = max(1, min(most, POOL_SIZE))
    pool = stmts.code.variable(statement.target.id, Type("list", element=int_range(lo, hi), capacity=room))
    name = statement.target.id
    dice = ir.Binary("mul", number.expr, ir.Const(count), site)

    def throw() -> None:
        if chance.stops(stmts):
            chance.pool(stmts, dice, lo, hi, pool.expr.index, site, name)
        else:
            stmts.code.emit(ir.Roll(dice, ir.Const(lo), ir.Const(hi), None, pool.expr.index, site))

    return Throw(pool, throw, (lo, hi))


def _throw_each(
    stmts: Stmts, statement: syn.RollStmt, scope: Scope, count: int, lo: int, hi: int, site: int
) -> Throw | None:
    """A die for every element; the result is the set of those that rolled at most the limit."""
    assert (
        statement.each_var is not None
        and statement.each_source is not None
        and statement.each_limit is not None
    )
    over, element = stmts.running_over(statement.each_source, scope)
    if over is None or element.dom is None or not isinstance(statement.target, syn.Name):
        if over is not None:
            stmts.sink.error(
                "GR0313",
                statement.span,
                "dice for each need a set of counters or members, and a name for the result",
            )
        return None
    code = stmts.code
    inner = scope.child()
    var = code.variable(statement.each_var, element)
    stmts.bind(inner, statement.each_var, var, False, statement.span)
    where = stmts.condition(statement.each_where, inner) if statement.each_where is not None else None
    if statement.each_where is not None:
        inner = inner.with_narrowed(stmts.narrow(statement.each_where, inner, True))
    limit = stmts.checked(statement.each_limit, inner, INT)
    dom = element.dom
    result = code.variable(statement.target.id, set_type(dom))
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

    name = statement.target.id

    def throw() -> None:
        if chance.stops(stmts):
            dice = (count, lo, hi)
            chance.each(stmts, var, over, where, limit.expr, dice, result.expr.index, site, name, POOL_SIZE)
            return
        code.emit(ir.AssignSet(result.expr.index, ir.SetOf(dom.id, ())))
        code.emit(ir.For(var.expr.index, over, dom.id, where, None, False, body, site))

    return Throw(result, throw, (lo, hi))


# ------------------------------------------------------------------------------------------ rolls as events


def _throw_for(stmts: Stmts, statement: syn.RollStmt, scope: Scope, throw: Throw) -> None:
    """`roll d: 2d6 for shot(a, t)`: handlers of `rolling` run before the throw, those of `rolled` after it."""
    use = statement.event
    assert use is not None
    event = stmts.world.events.get(use.name)
    if event is None:
        return
    event.used = True
    if not _accepts_roll(stmts, event, throw.result.type, use.span):
        return
    args = stmts.arguments(replace(event, params=event.params[:-1]), use.args, use.span, scope)
    if args is None or any(a.type.sort == "unknown" for a in args):
        return
    arguments = [stmts.store_argument(a) for a in args]
    lowerer = stmts.lowerer
    call_handlers(stmts, lowerer.events.handlers_of(f"rolling {use.name}"), arguments, statement.span)
    handlers = lowerer.events.handlers_of(f"rolled {use.name}")
    if not handlers:
        throw.all()
        return
    flat = [part for value in (*arguments, throw.result) for part in flatten(value)]
    _until_accepted(stmts, throw, handlers, flat, statement.span)


def _accepts_roll(stmts: Stmts, event: Callable_, rolled: Type, span: Span) -> bool:
    """Whether the last parameter of the event accepts the result of the roll."""
    last = event.params[-1][1] if event.params else None
    fits = last is not None and accepts(last, rolled)
    if fits and last is not None and last.sort == "int":
        fits = last.lo <= rolled.lo and rolled.hi <= last.hi
    if not fits:
        stmts.sink.error(
            "GR0713",
            span,
            f"the last thing that event `{event.name}` tells must be the roll, {rolled.words}"
            + (f"; it is {last.words}" if last is not None else ""),
            hint=f"event {event.name}(..., die: {rolled})",
        )
    return fits


def _until_accepted(
    stmts: Stmts, throw: Throw, handlers: list[Callable_], flat: list[Any], span: Span
) -> None:
    """Roll and call the handlers, until none of them rolls again."""
    code, lowerer = stmts.code, stmts.lowerer
    site = lowerer.site("fail", "a roll was changed to what the dice cannot show", span, owner=code.owner)
    answer = code.variable("(after the roll)", Type("int", optional=True))
    if not chance.stops(stmts) and not any(lowerer.is_machine(handler) for handler in handlers):
        state = code.variable("(throw)", INT)
        code.emit(ir.Assign(state.expr.index, ir.Const(_THROW)))
        with captured(code) as loop:
            with captured(code) as dice:
                throw.all()
            code.emit(ir.IfStmt(ir.Binary("eq", state.expr, ir.Const(_THROW), site), tuple(dice)))
            code.emit(ir.Assign(state.expr.index, ir.Const(_DONE)))
            for handler in handlers:
                with captured(code) as calls:
                    invoke(stmts, handler, flat, answer, span)
                    _react(stmts, throw, answer, state, site, span)
                calm = ir.Binary("eq", state.expr, ir.Const(_DONE), site)
                code.emit(ir.IfStmt(calm, tuple(calls)))
        code.emit(ir.While(ir.Binary("ne", state.expr, ir.Const(_DONE), site), tuple(loop), site))
        return
    m = stmts.m
    state = code.variable("(throw)", INT)
    head, call_all, done = m.new_block(), m.new_block(), m.new_block()
    m.go_to(head)
    throw.all()
    m.go_to(call_all)
    m.emit(ir.Assign(state.expr.index, ir.Const(_DONE)))
    for handler in handlers:

        def call(handler: Callable_ = handler) -> None:
            invoke(stmts, handler, flat, answer, span)
            _react(stmts, throw, answer, state, site, span)
            throw_again, not_all, go_on = m.new_block(), m.new_block(), m.new_block()
            m.end(ir.Branch(ir.Binary("eq", state.expr, ir.Const(_THROW), site), throw_again, not_all))
            m.switch(throw_again)
            m.jump(head)
            m.switch(not_all)
            if chance.stops(stmts) and throw.result.type.sort == "list":
                throw_one, none = m.new_block(), m.new_block()
                m.end(ir.Branch(ir.Binary("eq", state.expr, ir.Const(_THROW_ONE), site), throw_one, none))
                m.switch(throw_one)
                _throw_one(stmts, throw, answer, site, span)
                m.jump(call_all)
                m.switch(none)
            m.end(ir.Branch(ir.Binary("eq", state.expr, ir.Const(_CALL_AGAIN), site), call_all, go_on))
            m.switch(go_on)

        with_guard(stmts, handler, flat, call)
    m.go_to(done)


def _react(stmts: Stmts, throw: Throw, answer: Value, state: Value, site: int, span: Span) -> None:
    """Act on the result of a handler: none rolls all dice again, a number is the total, or the die of a pool to roll."""
    code = stmts.code
    again = ir.Assign(state.expr.index, ir.Const(_THROW))
    kept: tuple[ir.Stmt, ...] = ()
    if throw.result.type.sort == "int":
        low = ir.Binary("lt", answer.expr, ir.Const(throw.result.type.lo), site)
        high = ir.Binary("gt", answer.expr, ir.Const(throw.result.type.hi), site)
        kept = (
            ir.IfStmt(ir.Binary("or", low, high, site), (ir.Fail(FAIL_RANGE, site),)),
            ir.Assign(throw.result.expr.index, answer.expr),
        )
    elif throw.result.type.sort == "list":
        one: list[ir.Stmt] = []
        following = _THROW_ONE
        if not chance.stops(stmts):
            # A chance node cannot be inside a statement: the caller of the handler rolls.
            following = _CALL_AGAIN
            with captured(code) as one:
                _throw_one(stmts, throw, answer, site, span)
        wanted = ir.Binary("ne", answer.expr, ir.Const(_NO_REROLL), site)
        kept = (ir.IfStmt(wanted, (*one, ir.Assign(state.expr.index, ir.Const(following)))),)
    code.emit(ir.IfStmt(ir.Binary("eq", answer.expr, ir.Const(NONE), site), (again,), kept))


def _throw_one(stmts: Stmts, throw: Throw, which: Value, site: int, span: Span) -> None:
    """Roll one die of a pool again, and rebuild the pool with it."""
    code = stmts.code
    pool = throw.result
    new = code.variable("(die)", INT)
    made = code.variable("(pool)", pool.type)
    turn = code.local("(n)", INT)
    length = ir.ListLength(pool.expr)
    missing = stmts.lowerer.site("fail", "the pool has no die of that number", None, owner=code.owner)
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
    again = stmts.lowerer.site("roll", f"one die again: d{hi}", span, owner=code.owner)
    code.emit(ir.IfStmt(outside, (ir.Fail(FAIL_RANGE, missing),)))
    if chance.stops(stmts):
        chance.total(stmts, 1, lo, hi, new.expr.index, again, "one die again")
    else:
        code.emit(ir.Roll(ir.Const(1), ir.Const(lo), ir.Const(hi), new.expr.index, None, again))
    code.emit(ir.ListClear(made.expr.index))
    append = (ir.ListAppend(made.expr.index, item, site),)
    code.emit(ir.For(turn, ir.OverRange(ir.Const(1), length), None, None, None, False, append, site))
    code.emit(ir.AssignList(pool.expr.index, made.expr))


def rolled_body(
    decl: syn.OnDecl, body: tuple[syn.Stmt, ...], rolled: Type, sink: Sink
) -> tuple[syn.Stmt, ...]:
    """The body of a handler of `rolled` as a procedure that returns what to do with the roll (see `_react`)."""
    span = decl.span
    name = decl.names[-1]
    _check_rerolls(decl, rolled, sink)
    if body and isinstance(body[-1], syn.RerollStmt):
        return tuple(_rerolls(body))
    kept: syn.Expr = syn.Name(name, span) if rolled.sort == "int" else syn.Number(str(_NO_REROLL), span)
    leave = syn.ReturnStmt(kept, syn.NO_CITES, span)
    body, _ = substitute(body, syn.ReturnStmt(None, syn.NO_CITES, span), leave)
    return (*_rerolls(body), leave)


def _check_rerolls(decl: syn.OnDecl, rolled: Type, sink: Sink) -> None:
    """Check `reroll die n`: only for pools, with the number of a die, and not in every case."""
    for node in decl.body if decl.condition is None else ():
        if isinstance(node, syn.RerollStmt):
            sink.error(
                "GR0702",
                node.span,
                "this never ends: every throw is thrown again",
                hint=f"say when: on {decl.event}({', '.join(decl.names)}) when ...",
            )
            return
    for node in walk(decl.body):
        if not isinstance(node, syn.RerollStmt) or node.die is None:
            continue
        if rolled.sort != "list":
            what = "a total" if rolled.sort == "int" else f"{rolled.words}"
            sink.error(
                "GR0713",
                node.span,
                f"`{decl.names[-1]}` is {what}: a single die can be thrown again of a pool only",
                hint="write `reroll` for all dice, or roll a pool: `roll dice: 2 of d6 for ...`",
            )
        elif isinstance(node.die, syn.Number) and not 1 <= node.die.value <= rolled.capacity:
            sink.error(
                "GR0713",
                node.die.span,
                f"there is no die {node.die.value}: they are numbered from 1, and there are at most {rolled.capacity}",
            )


def _rerolls(node: Any) -> Any:
    """Replace every `reroll` by a return of the result that requests it."""
    if isinstance(node, syn.RerollStmt):
        value = node.die if node.die is not None else syn.NoneLit(node.span)
        return syn.ReturnStmt(value, node.cites, node.span)
    if isinstance(node, tuple):
        return tuple(_rerolls(part) for part in node)
    if isinstance(node, syn.IfStmt):
        arms = tuple((condition, _rerolls(body)) for condition, body in node.arms)
        return replace(node, arms=arms, otherwise=_rerolls(node.otherwise))
    inner = getattr(node, "body", None)
    if isinstance(inner, tuple):
        return replace(node, body=_rerolls(inner))
    if isinstance(node, syn.ChooseStmt) and node.otherwise is not None:
        return replace(node, otherwise=_rerolls(node.otherwise))
    return node
