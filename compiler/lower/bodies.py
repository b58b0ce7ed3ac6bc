"""Bodies of rules and procedures: functions and machines, one level for each exception."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from grognard.compiler.lower.block_builder import MachineCode, captured
from grognard.compiler.lower.code import Code, Value
from grognard.compiler.lower.geometry.sights import lower_arc, lower_sight
from grognard.compiler.lower.modifiers import lower_modifiers
from grognard.compiler.lower.stmts.statements import Statements
from grognard.compiler.sema.checks.exceptions import ordered_exceptions
from grognard.compiler.sema.symbols import Callable_
from grognard.compiler.sema.typed import nodes as t
from grognard.compiler.sema.types import INT
from grognard.compiler.syntax import nodes as syn
from grognard.compiler.syntax.walk import walk
from grognard.contract import ir

if TYPE_CHECKING:
    from grognard.compiler.lower.lowerer import Lowerer


def lower_function(lowerer: Lowerer, entry: Callable_, mark: str | None, number: int) -> None:
    """Exceptions first, then the base: one function for each level, so that `base` can call the next."""
    exceptions = ordered_exceptions(entry)
    below = lowerer.builder.reserve_function() if exceptions else number
    _lower_base(lowerer, entry, mark, below)
    for place in range(len(exceptions) - 1, -1, -1):
        target = number if place == 0 else lowerer.builder.reserve_function()
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
    """A rule, or an exception to something that has a value."""
    made = lowerer.trees.body_for(entry, exception)
    title = _title(entry, exception)
    code = Code(title + (f" as of {mark}" if mark else ""), entry.name, pure=True, machine=False)
    code.mark = mark
    code.result = entry.result
    params = lowerer.bind_variables(code, made.params, entry.uses_me)
    low = Statements(lowerer, code)
    site = _site(lowerer, entry, exception, title)
    if exception is None:
        _base(low, made)
    else:
        assert below is not None
        args = tuple(parameter(code, n) for n in range(params))
        rest = _call_of(entry, below, args)
        code.base = lambda: Value(entry.result or INT, rest)
        condition, body = _exception(low, made, site)
        code.emit(ir.IfStmt(condition, body))
        code.emit(ir.Return(rest))
    _finish(lowerer, entry, code, params, site, number)


def _title(entry: Callable_, exception: syn.ExceptionDecl | None) -> str:
    return entry.name if exception is None else f"{entry.name} (exception)"


def _site(lowerer: Lowerer, entry: Callable_, exception: syn.ExceptionDecl | None, title: str) -> int:
    if exception is None:
        return lowerer.site("enter", title, entry.span, entry.cites, owner=entry.name)
    return lowerer.site("exception", title, exception.span, exception.cites.ids, owner=entry.name)


def _exception(low: Statements, made: t.Body, site: int) -> tuple[ir.Expr, tuple[ir.Stmt, ...]]:
    """The condition of an exception, and what it does."""
    condition: ir.Expr = low.test(made.condition) if made.condition is not None else ir.Const(1)
    with captured(low.code) as body:
        low.code.emit(ir.Note(2, site, ()))
        low.statements(made.statements)
    return condition, tuple(body)


def _base(low: Statements, made: t.Body) -> None:
    low.statements(made.statements)
    if made.covered:
        # One of the last lines has given the result.
        if isinstance(low.code, MachineCode):
            low.code.end(ir.ReturnMachine(ir.Const(0)))
        else:
            low.code.emit(ir.Return(ir.Const(0)))


def _finish(lowerer: Lowerer, entry: Callable_, code: Code, params: int, site: int, number: int) -> None:
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
    made = lowerer.trees.body_for(entry, exception)
    title = _title(entry, exception)
    code = Code(title, entry.name, pure=False, machine=False)
    code.result = entry.result
    params = lowerer.bind_variables(code, made.params, entry.uses_me)
    low = Statements(lowerer, code)
    site = _site(lowerer, entry, exception, title)
    if exception is None:
        code.emit(ir.Note(2, site, ()))
        _base(low, made)
    else:
        assert below is not None
        args = tuple(parameter(code, n) for n in range(params))
        rest = _call_of(entry, below, args)
        code.base = lambda: Value(entry.result or INT, rest)
        code.below = lambda at, target: _call_below(at, below, args, target)
        condition, body = _exception(low, made, site)
        if entry.result is None:
            code.emit(ir.IfStmt(condition, body, (ir.Do(below, args, None),)))
        else:
            code.emit(ir.IfStmt(condition, body))
            code.emit(ir.Return(rest))
    _finish(lowerer, entry, code, params, site, number)


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
    base = lowerer.trees.body_for(entry, None)
    code = MachineCode(entry.name, entry.name)
    code.result = entry.result
    params = lowerer.bind_variables(code, base.params, entry.uses_me)
    given = [code.values[variable] for variable in base.params]
    low = Statements(lowerer, code)
    site = _site(lowerer, entry, None, entry.name)
    code.emit(ir.Note(2, site, ()))
    for place, (_rank, exception) in enumerate(exceptions):
        body = lowerer.trees.body_for(entry, exception)
        code.values.update(zip(body.params, given, strict=True))
        inside, otherwise = code.new_block(), code.new_block()
        condition = low.test(body.condition) if body.condition is not None else ir.Const(1)
        code.end(ir.Branch(condition, inside, otherwise))
        code.switch(inside)
        code.emit(ir.Note(2, _site(lowerer, entry, exception, _title(entry, exception)), ()))
        if _does_base(exception):
            rest = exceptions[place + 1 :]
            below = made.get(len(rest), -1)
            if below < 0:
                below = made[len(rest)] = lowerer.builder.reserve_machine()
                _lower_machine_level(lowerer, entry, below, rest, made)
            args = tuple(parameter(code, n) for n in range(params))
            code.below = partial(_call_machine_below, below, args)
        low.statements(body.statements)
        code.below = None
        code.end(ir.ReturnMachine(ir.Const(0) if entry.result is not None else None))
        code.switch(otherwise)
    if entry.sort == "action":
        lowerer.actions.lower_body(entry, low, base)
    else:
        _base(low, base)
    lowerer.builder.machines[number] = ir.Machine(
        number, entry.name, params, tuple(code.locals), entry.result is not None, code.finish(), site
    )


def _does_base(exception: syn.ExceptionDecl) -> bool:
    return any(isinstance(node, syn.DoStmt) and node.use.name == "base" for node in walk(exception.body))


def _call_below(low: Statements, below: int, args: tuple[Any, ...], target: Value | None) -> None:
    if target is not None and target.type.sort == "set":
        low.code.emit(ir.AssignSet(target.expr.index, ir.SetCall(below, args)))
    else:
        low.code.emit(ir.Do(below, args, None if target is None else target.expr.index))


def _call_machine_below(below: int, args: tuple[Any, ...], low: Statements, target: Value | None) -> None:
    m = low.m
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
