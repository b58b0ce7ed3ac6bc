"""`do`: procedures called by name, by what data names, and `do base`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from grognard.compiler.lower.block_builder import captured
from grognard.compiler.lower.code import Value, flatten
from grognard.compiler.sema.asking import is_machine
from grognard.compiler.sema.typed import nodes as t
from grognard.contract import ir

if TYPE_CHECKING:
    from grognard.compiler.lower.stmts.statements import Statements
    from grognard.compiler.sema.scope import Variable
    from grognard.compiler.sema.symbols import Callable_


def result_of(low: Statements, variable: Variable | None) -> Value | None:
    """The local that gets a result."""
    if variable is None:
        return None
    made = low.code.values[variable] = low.code.variable(variable.name, variable.type)
    return made


def _do(low: Statements, node: t.Do) -> None:
    args = [low.lower(arg) for arg in node.args]
    target = result_of(low, node.into)
    invoke(low, node.entry, [part for value in args for part in flatten(value)], target)


def _do_base(low: Statements, node: t.DoBase) -> None:
    low.code.below(low, result_of(low, node.into))


def _do_named(low: Statements, node: t.DoNamed) -> None:
    """`do c.effect(p)`: the procedure that the data names."""
    found = low.lower(node.tag)
    target = result_of(low, node.into)
    tag = low.store_argument(found)
    args = [low.lower(arg) for arg in node.args]
    flat = [part for value in [low.store_argument(a) for a in args] for part in flatten(value)]
    entries = node.among.entries
    blocks = any(is_machine(entry) for entry in entries)
    done = low.m.new_block() if blocks and low.code.machine else None
    for place, entry in enumerate(entries):
        given = [low.lower(node.me).expr, *flat] if entry.uses_me and node.me is not None else flat
        test = ir.Binary("eq", tag.expr, ir.Const(place), low.lowerer.nowhere)
        if done is None:
            with captured(low.code) as made:
                invoke(low, entry, list(given), target)
            low.code.emit(ir.IfStmt(test, tuple(made)))
            continue
        run, following = low.m.new_block(), low.m.new_block()
        low.m.end(ir.Branch(test, run, following))
        low.m.switch(run)
        invoke(low, entry, list(given), target)
        low.m.jump(done)
        low.m.switch(following)
    if done is not None:
        low.m.go_to(done)


def invoke(low: Statements, entry: Callable_, flat: list[Any], target: Value | None) -> None:
    into = None if target is None else target.expr.index
    if is_machine(entry):
        if not low.code.machine:
            return  # a mistake that was told
        m = low.m
        following = m.new_block()
        fetched = target is not None and target.type.sort == "set"
        machine = low.lowerer.machine_for(entry)
        m.end(ir.CallMachine(machine, tuple(flat), None if fetched else into, following))
        m.switch(following)
        if target is not None and fetched:
            field = low.lowerer.returned(target.type)
            m.emit(ir.AssignSet(target.expr.index, ir.SetLoad(field, (), low.lowerer.nowhere)))
            m.emit(ir.Reset(field))
        return
    function = low.lowerer.function_for(entry, None)
    if target is not None and target.type.sort == "set":
        low.code.emit(ir.AssignSet(target.expr.index, ir.SetCall(function, tuple(flat))))
        return
    low.code.emit(ir.Do(function, tuple(flat), into))


CALLS: dict[type, Any] = {t.Do: _do, t.DoBase: _do_base, t.DoNamed: _do_named}
