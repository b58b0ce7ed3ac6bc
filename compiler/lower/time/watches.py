"""Functions that run after writes of a field: handlers `on x changes`, and checks of conditions `ever since` a mark.

They are lowered here.  The pass insert_watches puts the calls behind every write of the fields they depend on.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from grognard.compiler.lower.code import Code, Value
from grognard.compiler.sema.typed import nodes as t
from grognard.compiler.sema.types import (
    FLAG,
    Dom,
    dom_type,
)
from grognard.contract import ir
from grognard.contract.header import H_BRANCH, NONE
from grognard.contract.ir.walk import nodes
from grognard.support.source import Span

if TYPE_CHECKING:
    from grognard.compiler.lower.exprs.expressions import Lowering
    from grognard.compiler.lower.lowerer import Lowerer


@dataclass(slots=True)
class Ever:
    """A condition, and the flags of the values for which it has held since its mark."""

    flags: int  # field, with an axis for each value that the condition depends on
    condition: int  # function(values...)
    axes: tuple[Dom, ...]
    mark: str
    of: int | None  # the axis that the mark belongs to
    check: int  # function(): clears the flags of the values for which the condition fails
    span: Span


@dataclass(slots=True)
class Watches:
    """Functions to call after writes."""

    #: field -> handlers(index..., value before)
    changes: dict[int, list[int]] = field(default_factory=dict)
    #: field -> functions() that run after every write
    checks: dict[int, list[int]] = field(default_factory=dict)


# --------------------------------------------------------------------------------------------------- on x changes


def lower_changes(lowerer: Lowerer) -> None:
    """Lower the handlers of changes to functions, by the field they watch."""
    for field_, entry in lowerer.symbols.watchers:
        lowerer.watches.changes.setdefault(field_, []).append(lowerer.function_for(entry, None))


# ------------------------------------------------------------------------------------------------------ ever since


def lower_ever_since(low: Lowering, node: t.EverSince) -> Value:
    """`held(t) ever since turn_end of p`: a flag that is updated after every write it depends on."""
    lowerer = low.lowerer
    axes = tuple(variable.type.dom for _, variable in node.given if variable.type.dom is not None)
    key = (node.wish, tuple(name for name, _ in node.given), tuple(axis.id for axis in axes))
    ever = lowerer.evers.get(key)
    if ever is None:
        ever = lowerer.evers[key] = _new_ever(low, node, axes)
    site = lowerer.site("read", "ever since", node.wish.span)
    index = tuple(low.value_of(variable).expr for _, variable in node.given)
    return Value(FLAG, ir.Load(ever.flags, index, site))


def _new_ever(low: Lowering, node: t.EverSince, axes: tuple[Dom, ...]) -> Ever:
    lowerer, builder, wish = low.lowerer, low.builder, node.wish
    code = Code(f"condition since {wish.mark}", low.code.owner, pure=True, machine=False)
    code.result = FLAG
    for variable in node.params:
        code.values[variable] = code.variable(variable.name, variable.type)
    code.emit(ir.Return(type(low)(lowerer, code).test(node.condition)))
    site = lowerer.site("enter", code.name, wish.span, owner=code.owner)
    condition = lowerer.new_function(code, len(axes), FLAG, site)
    flags = builder.new_field(f"(since {wish.mark} {len(lowerer.evers) + 1})", axes, FLAG)
    if code.reads_secret:
        low.code.reads_secret = True
        builder.veiled.add(flags)
    of = [name for name, _ in node.given].index(wish.of) if wish.of is not None else None
    return Ever(flags, condition, axes, wish.mark, of, builder.reserve_function(), wish.span)


def finish_evers(lowerer: Lowerer) -> None:
    """Lower the functions that update the flags, and register them with the fields that their conditions read."""
    lowerer.watches.checks.clear()
    for ever in list(lowerer.evers.values()):
        _write_check(lowerer, ever)
        for read in sorted(_reads(lowerer, ever.condition)):
            lowerer.watches.checks.setdefault(read, []).append(ever.check)


def _write_check(lowerer: Lowerer, ever: Ever) -> None:
    site = lowerer.nowhere
    code = Code("still holds", "", pure=False, machine=False)
    index = tuple(code.variable("item", dom_type(axis)).expr for axis in ever.axes)
    # A branch of a simultaneous block is not a state of the game.
    inside = ir.Binary("ne", ir.Head(H_BRANCH), ir.Const(NONE), site)
    code.emit(ir.IfStmt(inside, (ir.Return(None),)))
    held = ir.Load(ever.flags, index, site)
    fails = ir.Binary("and", held, ir.Unary("not", ir.Call(ever.condition, index)), site)
    off = ir.Store(ever.flags, index, ir.Const(0), "set", False, site)
    code.emit(_each(ever.axes, index, ir.IfStmt(fails, (off,)), site))
    lowerer.new_function(code, 0, None, site, ever.check)


def begin_evers(lowerer: Lowerer, mark: str, of: bool) -> ir.Function | None:
    """Function([of whom]): at a mark, set the flags to the values of the conditions."""
    site = lowerer.nowhere
    wanted = [ever for ever in lowerer.evers.values() if ever.mark == mark and (ever.of is not None) == of]
    if not wanted:
        return None
    code = Code(f"since {mark}", "", pure=False, machine=False)
    whose = ir.Local(code.local("whose", FLAG)) if of else None
    for ever in wanted:
        index = tuple(code.variable("item", dom_type(axis)).expr for axis in ever.axes)
        body: ir.Stmt = ir.Store(ever.flags, index, ir.Call(ever.condition, index), "set", False, site)
        if whose is not None and ever.of is not None:
            body = ir.IfStmt(ir.Binary("eq", index[ever.of], whose, site), (body,))
        code.emit(_each(ever.axes, index, body, site))
    return ir.Function(0, code.name, int(of), tuple(code.locals), None, tuple(code.body), site, False)


def _each(axes: tuple[Dom, ...], index: tuple[Any, ...], body: ir.Stmt, site: int) -> ir.Stmt:
    for axis, item in reversed(list(zip(axes, index, strict=True))):
        body = ir.For(item.index, ir.OverDomain(axis.id), axis.id, None, None, False, (body,), site)
    return body


def _reads(lowerer: Lowerer, function: int) -> set[int]:
    """The fields that a function and its callees read."""
    builder = lowerer.builder
    found: set[int] = set()
    pending, seen = [function], set()
    while pending:
        number = pending.pop()
        made = builder.functions[number]
        if number in seen or made is None:
            continue
        seen.add(number)
        for node in nodes(made.body):
            match node:
                case ir.Load(field=read) | ir.SetLoad(field=read) | ir.ListLoad(field=read):
                    found.add(read)
                case ir.OverDomain(domain=domain):
                    alive = builder.dom(domain).alive
                    if alive is not None:
                        found.add(alive)
                case ir.Call(function=callee) | ir.SetCall(function=callee):
                    pending.append(callee)
                case ir.ReachCost(movement=movement) | ir.ReachSet(movement=movement):
                    how = builder.movements[movement]
                    pending += [
                        part
                        for part in (how.start, how.allowance, how.cost, how.stop, how.ends)
                        if part is not None
                    ]
    return found
