"""Conditional statements: `if`, lines with a result, `return`, `require`; and whether every case is covered."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from grognard.compiler.lower.block_builder import captured
from grognard.compiler.sema.scope import Scope, Value
from grognard.compiler.sema.types import Type
from grognard.compiler.syntax import nodes as syn
from grognard.contract import ir
from grognard.contract.header import FAIL_RANGE, FAIL_REQUIRE
from grognard.support.source import Span

if TYPE_CHECKING:
    from grognard.compiler.lower.stmts.statements import Stmts


def lower_case(stmts: Stmts, statement: syn.CaseStmt, scope: Scope) -> bool:
    """`= value when condition`."""
    result = stmts.code.result
    if result is None:
        stmts.sink.error(
            "GR0208",
            statement.span,
            "there is no result to give here",
            hint="a procedure with a result is declared with `-> type`",
        )
        return False
    inner = scope
    condition: Any = None
    if statement.condition is not None:
        condition = stmts.condition(statement.condition, scope)
        inner = scope.with_narrowed(stmts.narrow(statement.condition, scope, True))
    made = stmts.checked(statement.value, inner, result, "the result")
    note = _case_note(stmts, statement, made)
    if stmts.code.machine:
        _case_in_machine(stmts, condition, made, note)
    else:
        body: tuple[ir.Stmt, ...] = (*note, *_checked_return(stmts, made, statement.span))
        if condition is None:
            for item in body:
                stmts.code.emit(item)
        else:
            stmts.code.emit(ir.IfStmt(condition, body))
    if statement.condition is not None:
        scope.narrowed.update(stmts.narrow(statement.condition, scope, False))
        return False
    return True


def _case_in_machine(stmts: Stmts, condition: Any, made: Value, note: tuple[ir.Stmt, ...]) -> None:
    m = stmts.m
    after = m.new_block()
    if condition is not None:
        then = m.new_block()
        m.end(ir.Branch(condition, then, after))
        m.switch(then)
    for item in note:
        m.emit(item)
    if made.type.sort == "set":
        # The result of a machine is one number; a set is returned in a field.
        field = stmts.lowerer.returned(made.type)
        m.emit(ir.StoreSet(field, (), made.expr, stmts.lowerer.nowhere))
        m.end(ir.ReturnMachine(None))
    else:
        m.end(ir.ReturnMachine(made.expr))
    m.switch(after)


def _case_note(stmts: Stmts, statement: syn.CaseStmt, made: Value) -> tuple[ir.Stmt, ...]:
    """What `why` shows of a rule's line: the rule, its section, the value."""
    stmts.world.cite(statement.cites)
    if made.record is not None or made.type.sort in ("set", "list", "unknown"):
        return ()
    entry = stmts.world.callables.get(stmts.code.owner)
    cites = statement.cites.ids or (entry.cites if entry else ())
    site = stmts.lowerer.site(
        "rule",
        f"{stmts.code.owner} = {{0}}",
        statement.span,
        cites,
        ((stmts.code.result or made.type).show,),
        stmts.code.owner,
    )
    if isinstance(made.expr, ir.Const | ir.Local | ir.Sym):
        return (ir.Note(2, site, (made.expr,)),)
    saved = stmts.code.local("(result)", made.type)
    save = ir.Assign(saved, made.expr)
    made.expr = ir.Local(saved)
    return (save, ir.Note(2, site, (ir.Local(saved),)))


def _checked_return(stmts: Stmts, made: Value, span: Span) -> tuple[ir.Stmt, ...]:
    """Return, with a range check where the value might leave the declared result."""
    result = stmts.code.result
    if made.type.sort == "unknown":
        return (ir.Return(ir.Const(0)),)
    if made.record is not None:
        stmts.sink.error("GR0301", span, "a record cannot be a result")
        return ()
    if (
        result is not None
        and result.sort == "int"
        and made.type.sort == "int"
        and (made.type.lo < result.lo or made.type.hi > result.hi)
    ):
        site = stmts.lowerer.site(
            "fail", f"the result of {stmts.code.owner} is outside {result}", span, (), owner=stmts.code.owner
        )
        low = ir.Binary("lt", made.expr, ir.Const(result.lo), site)
        high = ir.Binary("gt", made.expr, ir.Const(result.hi), site)
        return (
            ir.IfStmt(ir.Binary("or", low, high, site), (ir.Fail(FAIL_RANGE, site),)),
            ir.Return(made.expr),
        )
    return (ir.Return(made.expr),)


def lower_return(stmts: Stmts, statement: syn.ReturnStmt, scope: Scope) -> bool:
    if stmts.branching:
        stmts.sink.error(
            "GR0208",
            statement.span,
            "`return` would leave a simultaneous or secret block before its merge",
            hint="`next` ends one pass of a loop, `stop` the loop",
        )
        return True
    if statement.value is not None:
        return lower_case(stmts, syn.CaseStmt(statement.value, None, statement.cites, statement.span), scope)
    if stmts.code.result is not None:
        stmts.sink.error("GR0309", statement.span, f"a result of type {stmts.code.result} is needed")
    if stmts.code.machine:
        stmts.m.end(ir.ReturnMachine(None))
        stmts.m.switch(stmts.m.new_block())
    else:
        stmts.code.emit(ir.Return(None))
    return True


def lower_require(stmts: Stmts, statement: syn.RequireStmt, scope: Scope) -> None:
    test = stmts.condition(statement.condition, scope)
    why = statement.why or "a requirement does not hold"
    site = stmts.lowerer.site("fail", why, statement.span, statement.cites.ids, owner=stmts.code.owner)
    stmts.code.emit(ir.IfStmt(ir.Unary("not", test), (ir.Fail(FAIL_REQUIRE, site),)))
    stmts.demanded.append(statement.condition)
    scope.narrowed.update(stmts.narrow(statement.condition, scope, True))


def lower_if(stmts: Stmts, statement: syn.IfStmt, scope: Scope) -> bool:
    _check_results(stmts, statement, scope)
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


def _check_results(stmts: Stmts, statement: syn.IfStmt, scope: Scope) -> None:
    """Warn of results of a table that an if/elif without `else` does not cover."""
    first = statement.arms[0][0]
    if statement.otherwise or len(statement.arms) < 2 or not isinstance(first, syn.BinaryExpr):
        return
    table = table_of(stmts, first.left)
    found = _unhandled(stmts, [condition for condition, _ in statement.arms], scope)
    if table is not None and found is not None and found[1]:
        stmts.sink.warning(
            "GR0407",
            statement.arms[-1][0].span,
            f"table `{table}` can give {_listed(found[1])}, which nothing here deals with",
            hint='add an `elif`, or an `else`, if only with `log "no effect"`',
        )


def table_of(stmts: Stmts, expr: syn.Expr) -> str | None:
    match expr:
        case syn.CallExpr(callee=syn.Name(id=name)):
            entry = stmts.world.callables.get(name)
            return name if entry is not None and entry.sort == "table" else None
        case syn.Name(id=name):
            return stmts.looked_up.get(name)
    return None


def covers(stmts: Stmts, body: tuple[syn.Stmt, ...], scope: Scope) -> bool:
    """Whether the last lines of a body cover every member of one value.  A missing member is reported."""
    result = stmts.code.result
    cases: list[syn.CaseStmt] = []
    for statement in reversed(body):
        if not isinstance(statement, syn.CaseStmt) or statement.condition is None:
            break
        cases.insert(0, statement)
    if result is None or result.sort in ("set", "list", "record") or len(cases) < 2:
        return False
    found = _unhandled(stmts, [c.condition for c in cases if c.condition is not None], scope)
    if found is None:
        return False
    dom, missing = found
    if missing:
        stmts.sink.error(
            "GR0407",
            cases[-1].span,
            f"nothing is said for {_listed(missing)} of {dom}",
            hint="add a line for it, or `= ... otherwise`",
        )
    if stmts.code.machine:
        stmts.m.end(ir.ReturnMachine(ir.Const(0)))
    else:
        stmts.code.emit(ir.Return(ir.Const(0)))
    return True


def _unhandled(stmts: Stmts, conditions: list[syn.Expr], scope: Scope) -> tuple[str, list[str]] | None:
    """Of conditions that all test members of one value: its type, and the members without a test."""
    subject: syn.Expr | None = None
    asked: set[str] = set()
    for condition in conditions:
        match condition:
            case syn.BinaryExpr(op="is", left=left, right=right):
                members: tuple[syn.Expr, ...] = (right,)
            case syn.BinaryExpr(op="in", left=left, right=syn.SetLiteral(items=items)):
                members = items
            case _:
                return None
        if subject is not None and left != subject:
            return None
        subject = left
        for member in members:
            match member:
                case syn.Name(id=name) | syn.Dot(name=name):
                    asked.add(name)
                case syn.NoneLit():
                    asked.add("none")
                case _:
                    return None
    type_ = stmts.type_of(subject, scope) if subject is not None else None
    if isinstance(subject, syn.CallExpr) and isinstance(subject.callee, syn.Name):
        entry = stmts.world.callables.get(subject.callee.id)
        type_ = entry.result if entry is not None else None
    if type_ is None or type_.dom is None or type_.sort != "dom" or type_.dom.sort not in ("enum", "side"):
        return None
    known = [*type_.dom.members, *(["none"] if type_.optional else [])]
    if not asked <= set(known):
        return None  # a variable, or a misspelt member that is reported already
    return type_.dom.name, [name for name in known if name not in asked]


def _listed(names: list[str]) -> str:
    shown = ", ".join(f"`{name}`" for name in names[:6])
    return shown + (f" and {len(names) - 6} more" if len(names) > 6 else "")
