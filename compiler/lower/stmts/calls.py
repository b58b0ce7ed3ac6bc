"""`do`: procedures called by name, by what data names, and `do base`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from grognard.compiler.lower.block_builder import captured
from grognard.compiler.sema.callable_types import CallableType
from grognard.compiler.sema.scope import (
    Scope,
    Value,
    flatten,
)
from grognard.compiler.sema.types import UNKNOWN, dom_type
from grognard.compiler.syntax import nodes as syn
from grognard.contract import ir
from grognard.support.source import Span

if TYPE_CHECKING:
    from grognard.compiler.lower.stmts.statements import Stmts


def lower_do(stmts: Stmts, statement: syn.DoStmt, scope: Scope) -> None:
    use = statement.use
    if use.name == "base" and use.name not in stmts.world.callables:
        _do_base(stmts, statement, scope)
        return
    if "." in use.name:
        _do_named(stmts, statement, scope)
        return
    entry = stmts.world.callables.get(use.name)
    if entry is None or entry.sort not in ("procedure", "action"):
        if statement.into:
            stmts.declare_local(scope, statement.into, UNKNOWN, False, statement.span)
        return
    entry.used = True
    args = stmts.arguments(entry, use.args, use.span, scope)
    target: Value | None = None
    if statement.into is not None:
        if entry.result is None:
            stmts.sink.error("GR0309", statement.span, f"`{use.name}` gives no result")
            stmts.declare_local(scope, statement.into, UNKNOWN, False, statement.span)
            return
        target = stmts.declare_local(scope, statement.into, entry.result, False, statement.span)
    if args is None or any(a.type.sort == "unknown" for a in args):
        return
    flat = [part for value in args for part in flatten(value)]
    if entry.uses_me:
        flat.insert(0, stmts.me(use.span, entry).expr)
    invoke(stmts, entry, flat, target, statement.span)


def _do_base(stmts: Stmts, statement: syn.DoStmt, scope: Scope) -> None:
    """`do base`: the procedure as it is without this exception, with the same arguments."""
    below = stmts.code.below
    if below is None or statement.use.args:
        stmts.sink.error(
            "GR0208",
            statement.span,
            "`do base` takes what the procedure was given"
            if below is not None
            else "`do base` stands in an exception to a procedure",
            hint="write `do base`" if below is not None else None,
        )
        if statement.into:
            stmts.declare_local(scope, statement.into, UNKNOWN, False, statement.span)
        return
    target: Value | None = None
    if statement.into is not None:
        if stmts.code.result is None:
            stmts.sink.error("GR0309", statement.span, f"`{stmts.code.owner}` gives no result")
            stmts.declare_local(scope, statement.into, UNKNOWN, False, statement.span)
            return
        target = stmts.declare_local(scope, statement.into, stmts.code.result, False, statement.span)
    below(stmts, target)


def _do_named(stmts: Stmts, statement: syn.DoStmt, scope: Scope) -> None:
    """`do c.effect(p)`: the procedure that the data names."""
    use = statement.use
    found = named_by_data(stmts, use, scope, "procedure")
    result = found[1].result if found is not None else None
    target: Value | None = None
    if statement.into is not None:
        if found is not None and result is None:
            stmts.sink.error(
                "GR0309",
                statement.span,
                f"`{use.name}` gives no result",
                hint="a column of type procedure(...) -> 0..9 names procedures that do",
            )
        target = stmts.declare_local(scope, statement.into, result or UNKNOWN, False, statement.span)
    if found is None or not found[1].entries or (target is not None and result is None):
        return
    tag, callable_type = stmts.store_argument(found[0]), found[1]
    args = stmts.arguments(callable_type.entries[0], use.args, use.span, scope)
    if args is None or any(a.type.sort == "unknown" for a in args):
        return
    flat = [part for value in [stmts.store_argument(a) for a in args] for part in flatten(value)]
    blocks = any(stmts.lowerer.is_machine(entry) for entry in callable_type.entries)
    done = stmts.m.new_block() if blocks and stmts.code.machine else None
    for place, entry in enumerate(callable_type.entries):
        given = [stmts.me(use.span, entry).expr, *flat] if entry.uses_me else flat
        test = ir.Binary("eq", tag.expr, ir.Const(place), stmts.lowerer.nowhere)
        if done is None:
            with captured(stmts.code) as made:
                invoke(stmts, entry, list(given), target, statement.span)
            stmts.code.emit(ir.IfStmt(test, tuple(made)))
            continue
        run, following = stmts.m.new_block(), stmts.m.new_block()
        stmts.m.end(ir.Branch(test, run, following))
        stmts.m.switch(run)
        invoke(stmts, entry, list(given), target, statement.span)
        stmts.m.jump(done)
        stmts.m.switch(following)
    if done is not None:
        stmts.m.go_to(done)


def named_by_data(stmts: Stmts, use: syn.Use, scope: Scope, sort: str) -> tuple[Value, CallableType] | None:
    """The callable that a field names: the value of the field, and its callable type."""
    names = use.name.split(".")
    path: syn.Expr = syn.Name(names[0], use.span)
    for name in names[1:]:
        path = syn.Dot(path, name, use.span, use.span)
    tag = stmts.value(path, scope)
    dom = tag.type.dom
    if tag.type.sort == "unknown":
        return None
    if dom is None or dom.callable_type is None or dom.callable_type.sort != sort:
        stmts.sink.error(
            "GR0207",
            use.span,
            f"`{use.name}` names no {sort}, it is {tag.type.words}",
            hint=f"a column of type {sort}(...) does",
        )
        return None
    stmts.demand(tag, dom_type(dom), use.span)
    return None if tag.type.optional else (tag, dom.callable_type)


def invoke(stmts: Stmts, entry: Any, flat: list[Any], target: Value | None, span: Span) -> None:
    into = None if target is None else target.expr.index
    if stmts.lowerer.is_machine(entry):
        if not stmts.code.machine:
            stmts.sink.error("GR0704", span, f"`{entry.name}` may ask somebody, which is not possible here")
            return
        m = stmts.m
        following = m.new_block()
        fetched = target is not None and target.type.sort == "set"
        machine = stmts.lowerer.machine_for(entry)
        m.end(ir.CallMachine(machine, tuple(flat), None if fetched else into, following))
        m.switch(following)
        if target is not None and fetched:
            field = stmts.lowerer.returned(target.type)
            m.emit(ir.AssignSet(target.expr.index, ir.SetLoad(field, (), stmts.lowerer.nowhere)))
            m.emit(ir.Reset(field))
        return
    function = stmts.lowerer.function_for(entry, None)
    if target is not None and target.type.sort == "set":
        stmts.code.emit(ir.AssignSet(target.expr.index, ir.SetCall(function, tuple(flat))))
        return
    stmts.code.emit(ir.Do(function, tuple(flat), into))
