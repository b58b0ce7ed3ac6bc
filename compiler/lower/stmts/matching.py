"""`assign`: a maximum matching of one set into another."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from grognard.compiler.lower.block_builder import captured
from grognard.compiler.lower.choices.asking import end_with_ask, frozen_decider
from grognard.compiler.lower.choices.numbers import Asked, by_number
from grognard.compiler.lower.stmts.matching_by_number import Matching, assign_by_number
from grognard.compiler.lower.stmts.rolls import POOL_SIZE
from grognard.compiler.sema.scope import (
    Scope,
    Value,
)
from grognard.compiler.sema.types import (
    FLAG,
    INT,
    Type,
    int_range,
    set_type,
)
from grognard.compiler.syntax import nodes as syn
from grognard.compiler.syntax.walk import walk
from grognard.contract import ir
from grognard.contract.header import NONE

if TYPE_CHECKING:
    from grognard.compiler.lower.stmts.statements import Stmts


def lower_match(stmts: Stmts, statement: syn.AssignMatchStmt, scope: Scope) -> None:
    """`assign`: match as many of the right as possible with different left ones; the seat picks which."""
    left_over, left_element = stmts.running_over(statement.left_source, scope)
    right_over, right_element = stmts.running_over(statement.right_source, scope)
    if left_over is None or right_over is None or left_element.dom is None or right_element.dom is None:
        if left_over is not None and right_over is not None:
            stmts.sink.error("GR0313", statement.span, "`assign` needs two sets")
        return
    if statement.then is not None and any(
        isinstance(n, syn.Name) and n.id == statement.left for n in walk(statement.then)
    ):
        stmts.sink.error(
            "GR0208",
            statement.then.span,
            f"`{statement.left}` is not known here: only what is assigned to matters",
        )
    code, site = (
        stmts.code,
        stmts.lowerer.site(
            "assign",
            statement.label or "assign",
            statement.span,
            statement.cites.ids,
            owner=stmts.code.owner,
        ),
    )
    inner = scope.child()
    left = code.variable(statement.left, left_element)
    right = code.variable(statement.right, right_element)
    stmts.bind(inner, statement.left, left, False, statement.span)
    stmts.bind(inner, statement.right, right, False, statement.span)
    left_set = code.variable("(left)", set_type(left_element.dom))
    right_set = code.variable("(right)", set_type(right_element.dom))
    code.emit(ir.AssignSet(left_set.expr.index, _all_of(left_over, left)))
    # Counted once: the test of every candidate asks for it.
    wanted = code.variable("(wanted)", INT)
    code.emit(ir.Assign(wanted.expr.index, ir.SetCount(left_set.expr)))
    chosen = code.variable("(assigned)", Type("list", element=right_element, capacity=POOL_SIZE))
    trial = code.variable("(trial)", Type("list", element=right_element, capacity=POOL_SIZE))
    code.emit(ir.ListClear(chosen.expr.index))
    with _where(stmts, ir.Binary("gt", wanted.expr, ir.Const(0), site)):
        _assign_some(
            stmts,
            statement,
            scope,
            inner,
            left,
            left_set,
            wanted,
            right,
            right_set,
            right_over,
            chosen,
            trial,
            site,
        )
    if statement.into is not None:
        result = stmts.declare_local(scope, statement.into, int_range(0, POOL_SIZE), False, statement.span)
        code.emit(ir.Assign(result.expr.index, ir.ListLength(chosen.expr)))


def _all_of(over: Any, var: Value) -> Any:
    """The source of a variable, as a set."""
    assert var.type.dom
    return (
        over.set
        if isinstance(over, ir.OverSet)
        else ir.SetBuild(var.type.dom.id, var.expr.index, over, None, None)
    )


@contextmanager
def _where(stmts: Stmts, condition: Any) -> Iterator[None]:
    """Guard the code emitted inside by a condition."""
    code = stmts.code
    if code.machine:
        m = stmts.m
        then, after = m.new_block(), m.new_block()
        m.end(ir.Branch(condition, then, after))
        m.switch(then)
        yield
        m.go_to(after)
        return
    with captured(code) as body:
        yield
    code.emit(ir.IfStmt(condition, tuple(body)))


def _assign_some(
    stmts: Stmts, statement: syn.AssignMatchStmt, scope: Scope, inner: Scope, left: Value, left_set: Value, wanted: Value, right: Value, right_set: Value, right_over: Any,
    chosen: Value, trial: Value, site: int,
) -> None:  # fmt: skip
    """Whether the set to assign is not empty."""
    code = stmts.code
    code.emit(ir.AssignSet(right_set.expr.index, _all_of(right_over, right)))
    # The test of a pair runs inside loops over the right side: it needs a variable of its own.
    partner = code.variable(statement.right, right.type)
    pair = scope.child()
    code.bind(pair, statement.left, left, statement.span)
    code.bind(pair, statement.right, partner, statement.span)
    fits = stmts.condition(statement.where, pair) if statement.where is not None else ir.Const(1)
    # If every pair fits, counting is enough; that is the most frequent case.
    alike = code.variable("(alike)", FLAG)
    if statement.where is not None:
        for_all = ir.Aggregate("all", partner.expr.index, ir.OverSet(right_set.expr), None, fits, site)
        each = ir.Aggregate("all", left.expr.index, ir.OverSet(left_set.expr), None, for_all, site)
        code.emit(ir.Assign(alike.expr.index, each))
    item = code.local("(item)", right.type)
    taken = ir.Aggregate(
        "count",
        item,
        ir.OverList(chosen.expr),
        ir.Binary("eq", ir.Local(item), right.expr, site),
        None,
        site,
    )
    if statement.room is not None:
        room = stmts.checked(statement.room, inner, INT).expr
    else:
        room = ir.Binary("sub", ir.Const(1), taken, site)
    tiers: list[Any] = [stmts.condition(tier, inner) for tier in statement.first]
    for tier in [*tiers, None]:
        _match_tier(
            stmts,
            statement,
            scope,
            inner,
            tier,
            left,
            left_set,
            wanted,
            right,
            partner,
            right_set,
            chosen,
            trial,
            alike,
            fits,
            room,
            site,
        )


def _match_tier(
    stmts: Stmts, statement: syn.AssignMatchStmt, scope: Scope, inner: Scope, tier: Any, left: Value, left_set: Value, wanted: Value, right: Value, partner: Value, right_set: Value,
    chosen: Value, trial: Value, alike: Value, fits: Any, room: Any, site: int,
) -> None:  # fmt: skip
    code = stmts.code

    def some_left(taken: Value) -> Any:
        return ir.Binary("lt", ir.ListLength(taken.expr), wanted.expr, site)

    def coverable(before: Any, taken: Value) -> Any:
        if fits == ir.Const(1):
            return before
        matched = ir.Coverable(
            left.expr.index, left_set.expr, partner.expr.index, fits, taken.expr.index, right.expr
        )
        return ir.Binary("and", before, ir.Binary("or", alike.expr, matched, site), site)

    # Whether any are left to assign is the same for all candidates: tested once, before the loop.
    able: Any = coverable(ir.Binary("gt", room, ir.Const(0), site), chosen)
    if tier is not None:
        able = ir.Binary("and", tier, able, site)
    assert right.type.dom
    candidates = code.variable("(able)", set_type(right.type.dom))
    forced = code.variable("(forced)", FLAG)
    refill = ir.AssignSet(
        candidates.expr.index,
        ir.SetBuild(right.type.dom.id, right.expr.index, ir.OverSet(right_set.expr), able, None),
    )
    # All that can take one may have to take one: then there is nothing to choose.
    trial_fits = coverable(some_left(trial), trial)
    n = code.local("(n)", INT)
    try_all = (
        ir.AssignList(trial.expr.index, chosen.expr),
        ir.Assign(forced.expr.index, ir.Const(1)),
        ir.For(
            right.expr.index, ir.OverSet(candidates.expr), right.type.dom.id, None, None, False,
            (
                ir.For(
                    n, ir.OverRange(ir.Const(1), room), None, None, None, False,
                    (ir.IfStmt(trial_fits, (ir.ListAppend(trial.expr.index, right.expr, site),), (ir.Assign(forced.expr.index, ir.Const(0)), ir.Break())),),
                    site,
                ),
                # One that is left out is enough.
                ir.IfStmt(ir.Unary("not", forced.expr), (ir.Break(),)),
            ),
            site,
        ),
    )  # fmt: skip
    place = code.local("(place)", INT)
    then_scope = inner.child()
    if not code.machine or statement.by is None:
        with captured(code) as take:
            code.emit(ir.ListAppend(chosen.expr.index, right.expr, site))
            _then(stmts, statement, then_scope)
        body = (
            refill,
            ir.Assign(right.expr.index, ir.SetNext(candidates.expr, ir.Const(NONE))),
            ir.IfStmt(ir.Binary("eq", right.expr, ir.Const(NONE), site), (ir.Break(),)),
            *take,
        )
        code.emit(ir.While(some_left(chosen), body, site))
        return
    m = stmts.m
    seat = frozen_decider(stmts, statement.by, scope, statement.span)
    if by_number(stmts, right.type.dom):
        name = f"{code.owner}.{statement.right}"
        label = statement.label or statement.right
        assign_by_number(
            stmts,
            Asked(name, label, statement.cites.ids, statement.span, scope, right.type),
            seat,
            Matching(
                wanted,
                right,
                right_set,
                chosen,
                trial,
                candidates,
                None if fits == ir.Const(1) else alike,
                room,
                coverable,
                able,
                site,
                lambda: _then(stmts, statement, then_scope),
            ),
        )
        return
    head, look, some, ask, check, take_all, one, done = (m.new_block() for _ in range(8))
    count = ir.SetCount(candidates.expr)
    m.go_to(head)
    m.end(ir.Branch(some_left(chosen), look, done))
    m.switch(look)
    m.emit(refill)
    m.end(ir.Branch(ir.Binary("gt", count, ir.Const(0), site), some, done))
    m.switch(some)
    # Each of them has room for one: if they are more than are left, not all have to.
    left_over = ir.Binary("sub", wanted.expr, ir.ListLength(chosen.expr), site)
    m.end(ir.Branch(ir.Binary("gt", count, left_over, site), ask, check))
    m.switch(check)
    for part in try_all:
        m.emit(part)
    m.end(ir.Branch(forced.expr, take_all, ask))
    m.switch(take_all)
    m.emit(ir.Assign(place, ir.ListLength(chosen.expr)))
    with captured(code) as each:
        code.emit(ir.Assign(place, ir.Binary("add", ir.Local(place), ir.Const(1), site)))
        code.emit(ir.Assign(right.expr.index, ir.ListItem(trial.expr, ir.Local(place), site)))
        _then(stmts, statement, then_scope)
    m.emit(ir.While(ir.Binary("lt", ir.Local(place), ir.ListLength(trial.expr), site), tuple(each), site))
    m.emit(ir.AssignList(chosen.expr.index, trial.expr))
    m.jump(done)
    m.switch(ask)
    choice = syn.ChooseStmt(
        statement.right, (), None, statement.right_source, None, statement.by, statement.label or statement.right, False, False, (), None,
        statement.cites, statement.span, statement.span,
    )  # fmt: skip
    function = stmts.lowerer.candidates.set_candidates(right.type.dom)
    end_with_ask(
        stmts, choice, function, (candidates.expr,), seat, right, one, None, right.type, None, None, scope
    )
    m.switch(one)
    m.emit(ir.ListAppend(chosen.expr.index, right.expr, site))
    _then(stmts, statement, then_scope)
    m.jump(head)
    m.switch(done)


def _then(stmts: Stmts, statement: syn.AssignMatchStmt, scope: Scope) -> None:
    if statement.then is not None:
        if stmts.lowerer.asks_anywhere(statement.then):
            stmts.sink.error("GR0704", statement.then.span, "nobody can be asked in `then`")
            return
        stmts.statement(statement.then, scope.child())
