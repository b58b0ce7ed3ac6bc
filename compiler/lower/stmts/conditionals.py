"""Conditional statements: `if`, lines with a result, `return`, `require`; and whether every case is covered."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from grognard.compiler.lower.block_builder import captured
from grognard.compiler.lower.stmts import simple
from grognard.compiler.sema.scope import Scope
from grognard.compiler.sema.typed import nodes as t
from grognard.compiler.sema.typed.coverage import warn_of_results
from grognard.compiler.sema.types import Type
from grognard.compiler.syntax import nodes as syn
from grognard.contract import ir

if TYPE_CHECKING:
    from grognard.compiler.lower.stmts.statements import Stmts


def lower_case(stmts: Stmts, statement: syn.CaseStmt, scope: Scope) -> bool:
    """`= value when condition`."""
    made, leaves = stmts.check.case(statement, scope)
    if made is not None:
        simple.lower_case(stmts, made)
    return leaves


def lower_return(stmts: Stmts, statement: syn.ReturnStmt, scope: Scope) -> bool:
    made, leaves = stmts.check.leave(statement, scope)
    if isinstance(made, t.Case):
        simple.lower_case(stmts, made)
    elif made is not None and stmts.code.machine:
        stmts.m.end(ir.ReturnMachine(None))
        stmts.m.switch(stmts.m.new_block())
    elif made is not None:
        stmts.code.emit(ir.Return(None))
    return leaves


def lower_if(stmts: Stmts, statement: syn.IfStmt, scope: Scope) -> bool:
    warn_of_results(stmts.check, stmts.check.looked_up, statement, scope)
    if stmts.needs_blocks(statement):
        return _if_blocks(stmts, statement, scope)
    leaves_all = bool(statement.otherwise)
    inner = scope
    made: list[tuple[Any, tuple[ir.Stmt, ...]]] = []
    negated: dict[str, Type] = {}
    for condition, body in statement.arms:
        test = stmts.condition(condition, inner)
        arm = inner.with_narrowed(stmts.narrow(condition, inner, True)).child()
        stmts.guards.append(condition)
        with captured(stmts.code) as statements:
            leaves = stmts.block(body, arm)
        stmts.guards.pop()
        made.append((test, tuple(statements)))
        after = stmts.narrow(condition, inner, False)
        if leaves:
            negated.update(after)
        leaves_all = leaves_all and leaves
        inner = inner.with_narrowed(after)
    with captured(stmts.code) as rest:
        leaves = stmts.block(statement.otherwise, inner.child())
    leaves_all = leaves_all and leaves
    tail: tuple[ir.Stmt, ...] = tuple(rest)
    for test, body_made in reversed(made):
        tail = (ir.IfStmt(test, body_made, tail),)
    for item in tail:
        stmts.code.emit(item)
    if not statement.otherwise and len(statement.arms) == 1:
        scope.narrowed.update(negated)
    return leaves_all


def _if_blocks(stmts: Stmts, statement: syn.IfStmt, scope: Scope) -> bool:
    m = stmts.m
    done = m.new_block()
    inner = scope
    leaves_all = bool(statement.otherwise)
    negated: dict[str, Type] = {}
    for condition, body in statement.arms:
        test = stmts.condition(condition, inner)
        then, otherwise = m.new_block(), m.new_block()
        m.end(ir.Branch(test, then, otherwise))
        m.switch(then)
        stmts.guards.append(condition)
        leaves = stmts.block(body, inner.with_narrowed(stmts.narrow(condition, inner, True)).child())
        stmts.guards.pop()
        m.jump(done)
        m.switch(otherwise)
        after = stmts.narrow(condition, inner, False)
        if leaves:
            negated.update(after)
        leaves_all = leaves_all and leaves
        inner = inner.with_narrowed(after)
    leaves = stmts.block(statement.otherwise, inner.child())
    leaves_all = leaves_all and leaves
    m.go_to(done)
    if not statement.otherwise and len(statement.arms) == 1:
        scope.narrowed.update(negated)
    return leaves_all
