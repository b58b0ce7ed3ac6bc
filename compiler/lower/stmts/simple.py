"""Statements that were checked, and bodies that give a value: lowered without a word (sema/typed/statements.py)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from grognard.compiler.lower.block_builder import MachineCode, captured
from grognard.compiler.lower.exprs.aggregates import lower_source
from grognard.compiler.lower.exprs.fields import belongs
from grognard.compiler.lower.stmts import changes
from grognard.compiler.lower.stmts.writes import changed_set, lower_field_write
from grognard.compiler.sema.scope import Value, assign_local
from grognard.compiler.sema.typed import nodes as t
from grognard.compiler.sema.types import Type
from grognard.compiler.syntax import nodes as syn
from grognard.contract import ir
from grognard.contract.header import FAIL_RANGE

if TYPE_CHECKING:
    from grognard.compiler.lower.exprs.expressions import Lowering


def lower_statements(low: Lowering, statements: Iterable[t.Statement]) -> None:
    for node in statements:
        body, start = low.code.body, len(low.code.body)
        low.world.cite(node.written.cites)
        lower_statement(low, node)
        if low.lowerer.origins is not None:
            low.lowerer.origins.statement(node.origin, low.code, body, start, 0)


def lower_statement(low: Lowering, node: t.Statement) -> None:
    match node:
        case t.Let():
            lower_let(low, node)
        case t.Write():
            lower_write(low, node)
        case t.Assign(target=t.LocalTarget(value=target)):
            write_local(low, node.written, low.lower(target), node.value)
        case t.Assign():
            lower_field_write(low, node)
        case t.ForEachPart():
            _for_each_part(low, node)
        case t.Require():
            changes.lower_require(low, node)
        case t.Log():
            changes.lower_log(low, node)
        case t.Reveal():
            changes.lower_reveal(low, node)
        case t.Create():
            changes.lower_create(low, node)
        case t.Destroy():
            changes.lower_destroy(low, node)
        case t.Put():
            changes.lower_put(low, node)
        case t.Case():
            lower_case(low, node)
        case t.Leave():
            low.code.emit(ir.Return(None))
        case t.If():
            _if(low, node)
        case t.For():
            _for(low, node)
        case t.LeavePass(stops=stops):
            low.code.emit(ir.Break() if stops else ir.Continue())


def _structured(low: Lowering, statements: Iterable[t.Statement]) -> tuple[ir.Stmt, ...]:
    with captured(low.code) as made:
        lower_statements(low, statements)
    return tuple(made)


# ------------------------------------------------------------------------------------------------------- locals


def lower_let(low: Lowering, node: t.Let) -> None:
    made = low.lower(node.value)
    target = low.code.variable(node.variable.name, node.variable.type)
    low.code.values[node.variable] = target
    if node.value.type.sort != "unknown" and node.variable.type.sort != "unknown":
        assign_local(low.code, target, made)


def lower_write(low: Lowering, node: t.Write) -> None:
    write_local(low, node.written, low.code.values[node.variable], node.value)


def write_local(low: Lowering, written: syn.AssignStmt, target: Value, value: t.Typed) -> None:
    """Write a local, or a part of a record of locals."""
    code, op = low.code, written.op
    made = low.lower(value)
    if value.type.sort == "unknown" or target.type.sort == "unknown":
        return
    if target.type.sort == "set" and op != "set":
        number = target.expr.index
        if made.type.sort == "dom":
            code.emit(ir.SetChange(number, made.expr, op == "add"))
        else:
            code.emit(ir.AssignSet(number, changed_set(low, op, target, made)))
        return
    if target.type.sort == "list" and op == "add":
        site = low.lowerer.site("list", "", written.span)
        code.emit(ir.ListAppend(target.expr.index, made.expr, site))
        return
    if op != "set":
        site = low.lowerer.site("arithmetic", "", written.span, owner=code.owner)
        made = Value(target.type, ir.Binary("add" if op == "add" else "sub", target.expr, made.expr, site))
    assign_local(code, target, made)


def _for_each_part(low: Lowering, node: t.ForEachPart) -> None:
    value = low.lower(node.value).expr
    tail: tuple[ir.Stmt, ...] = ()
    for part, statement in node.parts:
        body = _structured(low, () if statement is None else (statement,))
        tail = (ir.IfStmt(belongs(low, value, part), body, tail),)
    for item in tail:
        low.code.emit(item)


# ------------------------------------------------------------------------------------------------------ results


def lower_case(low: Lowering, node: t.Case) -> None:
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
    low.world.cite(node.written.cites)
    if made.record is not None or made.type.sort in ("set", "list", "unknown"):
        return ()
    owner = low.code.owner
    entry = low.world.callables.get(owner)
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


# ------------------------------------------------------------------------------------------------------- blocks


def _if(low: Lowering, node: t.If) -> None:
    made = [(low.test(test), _structured(low, body)) for test, body in node.arms]
    tail = _structured(low, node.otherwise)
    for test, body in reversed(made):
        tail = (ir.IfStmt(test, body, tail),)
    for item in tail:
        low.code.emit(item)


def _for(low: Lowering, node: t.For) -> None:
    over, element = lower_source(low, node.source), node.variable.type
    var = low.code.local(node.variable.name, element)
    low.code.values[node.variable] = Value(element, ir.Local(var))
    where = None if node.where is None else low.test(node.where)
    key = None if node.key is None else low.lower(node.key).expr
    body = _structured(low, node.body)
    listed = isinstance(over, ir.OverItems | ir.OverList)
    domain = element.dom.id if element.dom is not None and not listed else None
    site = low.lowerer.site("loop", "for", node.written.span, owner=low.code.owner)
    low.code.emit(ir.For(var, over, domain, where, key, node.written.rank == "highest", body, site))
