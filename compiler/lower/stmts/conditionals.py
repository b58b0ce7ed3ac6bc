"""Conditional statements: `if`, lines with a result, `return`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from grognard.compiler.lower.block_builder import MachineCode
from grognard.compiler.lower.code import Value
from grognard.compiler.sema.typed import nodes as t
from grognard.compiler.sema.types import Type
from grognard.contract import ir
from grognard.contract.header import FAIL_RANGE

if TYPE_CHECKING:
    from grognard.compiler.lower.exprs.expressions import Lowering
    from grognard.compiler.lower.stmts.statements import Statements


def _case(low: Lowering, node: t.Case) -> None:
    condition = None if node.condition is None else low.test(node.condition)
    made = low.lower(node.value)
    note = _note(low, node, made)
    if isinstance(low.code, MachineCode):
        _case_in_machine(low, low.code, condition, made, note)
        return
    body: tuple[ir.Stmt, ...] = (*note, *_checked_return(low, node, made))
    if condition is not None:
        body = (ir.IfStmt(condition, body),)
    for item in body:
        low.code.emit(item)


def _case_in_machine(
    low: Lowering, m: MachineCode, condition: Any, made: Value, note: tuple[ir.Stmt, ...]
) -> None:
    after = m.new_block()
    if condition is not None:
        then = m.new_block()
        m.end(ir.Branch(condition, then, after))
        m.switch(then)
    for item in note:
        m.emit(item)
    if made.type.sort == "set":
        # The result of a machine is one number; a set is returned in a field.
        field = low.lowerer.returned(made.type)
        m.emit(ir.StoreSet(field, (), made.expr, low.lowerer.nowhere))
        m.end(ir.ReturnMachine(None))
    else:
        m.end(ir.ReturnMachine(made.expr))
    m.switch(after)


def _note(low: Lowering, node: t.Case, made: Value) -> tuple[ir.Stmt, ...]:
    """What `why` shows of a rule's line: the rule, its section, the value."""
    low.builder.cite(node.written.cites)
    if made.record is not None or made.type.sort in ("set", "list", "unknown"):
        return ()
    owner = low.code.owner
    entry = low.lowerer.trees.callable(owner)
    cites = node.written.cites.ids or (entry.cites if entry else ())
    site = low.lowerer.site("rule", f"{owner} = {{0}}", node.written.span, cites, (node.result.show,), owner)
    if isinstance(made.expr, ir.Const | ir.Local | ir.Sym):
        return (ir.Note(2, site, (made.expr,)),)
    saved = low.code.local("(result)", made.type)
    save = ir.Assign(saved, made.expr)
    made.expr = ir.Local(saved)
    return (save, ir.Note(2, site, (ir.Local(saved),)))


def _checked_return(low: Lowering, node: t.Case, made: Value) -> tuple[ir.Stmt, ...]:
    """Return, with a range check where the value might leave the declared result."""
    result, type_ = node.result, made.type
    outside = result.sort == type_.sort == "int" and _leaves(type_, result)
    if not outside:
        return (ir.Return(made.expr),)
    owner = low.code.owner
    site = low.lowerer.site(
        "fail", f"the result of {owner} is outside {result}", node.written.span, (), owner=owner
    )
    under = ir.Binary("lt", made.expr, ir.Const(result.lo), site)
    over = ir.Binary("gt", made.expr, ir.Const(result.hi), site)
    return (
        ir.IfStmt(ir.Binary("or", under, over, site), (ir.Fail(FAIL_RANGE, site),)),
        ir.Return(made.expr),
    )


def _leaves(made: Type, result: Type) -> bool:
    return made.lo < result.lo or made.hi > result.hi


def _leave(low: Statements, node: t.Leave) -> None:
    if isinstance(low.code, MachineCode):
        low.m.end(ir.ReturnMachine(None))
        low.m.switch(low.m.new_block())
    else:
        low.code.emit(ir.Return(None))


def _if(low: Statements, node: t.If) -> None:
    if node.blocks:
        _if_in_blocks(low, node)
        return
    made = [(low.test(test), low.structured(body)) for test, body in node.arms]
    tail = low.structured(node.otherwise)
    for test, body in reversed(made):
        tail = (ir.IfStmt(test, body, tail),)
    for item in tail:
        low.code.emit(item)


def _if_in_blocks(low: Statements, node: t.If) -> None:
    m = low.m
    done = m.new_block()
    for condition, body in node.arms:
        test = low.test(condition)
        then, otherwise = m.new_block(), m.new_block()
        m.end(ir.Branch(test, then, otherwise))
        m.switch(then)
        low.statements(body)
        m.jump(done)
        m.switch(otherwise)
    low.statements(node.otherwise)
    m.go_to(done)


CONDITIONALS: dict[type, Any] = {t.Case: _case, t.Leave: _leave, t.If: _if}
