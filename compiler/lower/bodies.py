"""Bodies of rules and procedures: functions and machines, one level for each exception."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from grognard.compiler.lower.block_builder import MachineCode, captured
from grognard.compiler.lower.exprs.expressions import Lowering
from grognard.compiler.lower.geometry.sights import lower_arc, lower_sight
from grognard.compiler.lower.modifiers import lower_modifiers
from grognard.compiler.lower.stmts.simple import lower_statements
from grognard.compiler.lower.stmts.statements import Stmts
from grognard.compiler.sema.checks.exceptions import ordered_exceptions
from grognard.compiler.sema.scope import (
    Code,
    Scope,
    Value,
)
from grognard.compiler.sema.typed.coverage import covers
from grognard.compiler.sema.typed.statements import demand_exception_result, demand_result
from grognard.compiler.sema.types import INT
from grognard.compiler.sema.world import Callable_
from grognard.compiler.syntax import nodes as syn
from grognard.compiler.syntax.walk import walk
from grognard.contract import ir

if TYPE_CHECKING:
    from grognard.compiler.lower.lowerer import Lowerer


def lower_function(lowerer: Lowerer, entry: Callable_, mark: str | None, number: int) -> None:
    """Exceptions first, then the base: one function for each level, so that `base` can call the next."""
    exceptions = ordered_exceptions(entry)
    below = lowerer.world.reserve_function() if exceptions else number
    _lower_base(lowerer, entry, mark, below)
    for place in range(len(exceptions) - 1, -1, -1):
        target = number if place == 0 else lowerer.world.reserve_function()
        if entry.sort == "procedure":
            _lower_level(lowerer, entry, target, exceptions[place][1], below)
        else:
            _lower_value(lowerer, entry, mark, target, exceptions[place][1], below)
        below = target


def _lower_base(lowerer: Lowerer, entry: Callable_, mark: str | None, number: int) -> None:
    match entry.sort:
        case "rule":
            _lower_value(lowerer, entry, mark, number, None, None)
        case "procedure":
            _lower_level(lowerer, entry, number, None, None)
        case "modifiers":
            lower_modifiers(lowerer, entry, mark, number)
        case "sight":
            lower_sight(lowerer, entry, mark, number)
        case "arc":
            lower_arc(lowerer, entry, mark, number)
        case _:
            raise AssertionError(entry.sort)


def _lower_value(
    lowerer: Lowerer,
    entry: Callable_,
    mark: str | None,
    number: int,
    exception: syn.ExceptionDecl | None,
    below: int | None,
) -> None:
    """A rule, or an exception to something that has a value: checked before, as a whole."""
    made = lowerer.body_for(entry, exception)
    title = entry.name if exception is None else f"{entry.name} (exception)"
    code = Code(title + (f" as of {mark}" if mark else ""), entry.name, pure=True, machine=False)
    code.mark = mark
    code.result = entry.result
    params = lowerer.bind_variables(code, made.params, entry.uses_me)
    low = Lowering(lowerer, code)
    cites = exception.cites.ids if exception is not None else entry.cites
    span = exception.span if exception is not None else entry.span
    site = lowerer.site("exception" if exception else "enter", title, span, cites, owner=entry.name)
    if exception is None:
        lower_statements(low, made.statements)
        if made.covered:
            code.emit(ir.Return(ir.Const(0)))
    else:
        assert below is not None
        args = tuple(parameter(code, n) for n in range(params))
        rest = _call_of(entry, below, args)
        code.base = lambda: Value(entry.result or INT, rest)
        condition = low.test(made.condition) if made.condition is not None else ir.Const(1)
        with captured(code) as body:
            code.emit(ir.Note(2, site, ()))
            lower_statements(low, made.statements)
        code.emit(ir.IfStmt(condition, tuple(body)))
        code.emit(ir.Return(rest))
    if code.reads_secret:
        lowerer.secret_readers.add(entry.name)
    lowerer.new_function(code, params, entry.result, site, number)


def _call_of(entry: Callable_, function: int, args: tuple[Any, ...]) -> ir.Call | ir.SetCall:
    a_set = entry.result is not None and entry.result.sort == "set"
    return ir.SetCall(function, args) if a_set else ir.Call(function, args)


def _lower_level(
    lowerer: Lowerer,
    entry: Callable_,
    number: int,
    exception: syn.ExceptionDecl | None,
    below: int | None,
) -> None:
    """A procedure that cannot ask, or an exception to it."""
    title = entry.name if exception is None else f"{entry.name} (exception)"
    code = Code(title, entry.name, pure=False, machine=False)
    code.result = entry.result
    scope = Scope()
    params = lowerer.bind_params(code, scope, entry.params, entry.uses_me, entry.span, entry.changeable)
    stmts = Stmts(lowerer, code)
    cites = exception.cites.ids if exception is not None else entry.cites
    span = exception.span if exception is not None else entry.span
    site = lowerer.site("exception" if exception else "enter", title, span, cites, owner=entry.name)
    if exception is None:
        code.emit(ir.Note(2, site, ()))
        _whole_body(stmts, entry, scope)
    else:
        assert below is not None
        args = tuple(parameter(code, n) for n in range(params))
        rest = _call_of(entry, below, args)
        code.base = lambda: Value(entry.result or INT, rest)
        code.below = lambda at, target: _call_below(at, below, args, target)
        condition = (
            stmts.condition(exception.condition, scope) if exception.condition is not None else ir.Const(1)
        )
        inner = (
            scope.with_narrowed(stmts.narrow(exception.condition, scope, True))
            if exception.condition is not None
            else scope
        )
        with captured(code) as body:
            code.emit(ir.Note(2, site, ()))
            leaves = stmts.block(exception.body, inner.child())
            demand_exception_result(entry, exception, leaves, lowerer.sink)
        if entry.result is None:
            code.emit(ir.IfStmt(condition, tuple(body), (ir.Do(below, args, None),)))
        else:
            code.emit(ir.IfStmt(condition, tuple(body)))
            code.emit(ir.Return(rest))
    if code.reads_secret:
        lowerer.secret_readers.add(entry.name)
    lowerer.new_function(code, params, entry.result, site, number)


def _whole_body(stmts: Stmts, entry: Callable_, scope: Scope) -> None:
    leaves = stmts.block(entry.decl.body, scope)
    if not leaves and covers(stmts.check, entry.decl.body, entry.result, scope):
        leaves = True
        if isinstance(stmts.code, MachineCode):
            stmts.code.end(ir.ReturnMachine(ir.Const(0)))
        else:
            stmts.code.emit(ir.Return(ir.Const(0)))
    demand_result(entry, leaves, stmts.sink)


def lower_machine(lowerer: Lowerer, entry: Callable_, number: int) -> None:
    _lower_machine_level(lowerer, entry, number, ordered_exceptions(entry), {})


def _lower_machine_level(
    lowerer: Lowerer,
    entry: Callable_,
    number: int,
    exceptions: list[tuple[int, syn.ExceptionDecl]],
    made: dict[int, int],
) -> None:
    """An exception that applies replaces all levels after it; `do base` calls the next level.

    `made`: the machines of levels by how many exceptions they have left.  Every level above wants the same ones, and
    without sharing each exception would double their number.
    """
    code = MachineCode(entry.name, entry.name)
    code.result = entry.result
    scope = Scope()
    params = lowerer.bind_params(code, scope, entry.params, entry.uses_me, entry.span, entry.changeable)
    stmts = Stmts(lowerer, code)
    site = lowerer.site("enter", entry.name, entry.span, entry.cites, owner=entry.name)
    code.emit(ir.Note(2, site, ()))
    for place, (_rank, exception) in enumerate(exceptions):
        inside, otherwise = code.new_block(), code.new_block()
        condition = (
            stmts.condition(exception.condition, scope) if exception.condition is not None else ir.Const(1)
        )
        code.end(ir.Branch(condition, inside, otherwise))
        code.switch(inside)
        note = lowerer.site(
            "exception",
            f"{entry.name} (exception)",
            exception.span,
            exception.cites.ids,
            owner=entry.name,
        )
        code.emit(ir.Note(2, note, ()))
        inner = (
            scope.with_narrowed(stmts.narrow(exception.condition, scope, True))
            if exception.condition is not None
            else scope
        )
        if _does_base(exception):
            rest = exceptions[place + 1 :]
            below = made.get(len(rest), -1)
            if below < 0:
                below = made[len(rest)] = lowerer.world.reserve_machine()
                _lower_machine_level(lowerer, entry, below, rest, made)
            args = tuple(parameter(code, n) for n in range(params))
            code.below = partial(_call_machine_below, below, args)
        leaves = stmts.block(exception.body, inner.child())
        demand_exception_result(entry, exception, leaves, lowerer.sink)
        code.below = None
        code.end(ir.ReturnMachine(ir.Const(0) if entry.result is not None else None))
        code.switch(otherwise)
    if entry.sort == "action":
        lowerer.actions.lower_body(entry, stmts, scope)
    else:
        _whole_body(stmts, entry, scope)
    lowerer.world.machines[number] = ir.Machine(
        number, entry.name, params, tuple(code.locals), entry.result is not None, code.finish(), site
    )


def _does_base(exception: syn.ExceptionDecl) -> bool:
    return any(isinstance(node, syn.DoStmt) and node.use.name == "base" for node in walk(exception.body))


def _call_below(stmts: Stmts, below: int, args: tuple[Any, ...], target: Value | None) -> None:
    if target is not None and target.type.sort == "set":
        stmts.code.emit(ir.AssignSet(target.expr.index, ir.SetCall(below, args)))
    else:
        stmts.code.emit(ir.Do(below, args, None if target is None else target.expr.index))


def _call_machine_below(below: int, args: tuple[Any, ...], stmts: Stmts, target: Value | None) -> None:
    m = stmts.m
    following = m.new_block()
    m.end(ir.CallMachine(below, args, None if target is None else target.expr.index, following))
    m.switch(following)


def parameter(code: Code, number: int) -> Any:
    kind = code.locals[number].type
    if isinstance(kind, ir.SetType):
        return ir.SetLocal(number)
    if isinstance(kind, ir.ListType):
        return ir.ListLocal(number)
    return ir.Local(number)
