"""Built-in functions other than verbs of the map."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from grognard.compiler.lower.code import Value
from grognard.compiler.lower.exprs.fields import belongs, holder_of
from grognard.compiler.sema.typed import nodes as t
from grognard.compiler.sema.types import FLAG, dom_type
from grognard.contract import ir
from grognard.contract.header import NONE
from grognard.support.source import Span

if TYPE_CHECKING:
    from grognard.compiler.lower.exprs.expressions import Lowering


def _site(low: Lowering, name: str, span: Span) -> int:
    return low.lowerer.site("read", name, span)


# ------------------------------------------------------------------------------------------------- numbers


def _absolute(low: Lowering, node: t.Absolute) -> Value:
    return Value(node.type, ir.Unary("abs", low.lower(node.value).expr))


def _extreme(low: Lowering, node: t.Extreme) -> Value:
    site = _site(low, node.name, node.span)
    made = [low.lower(value).expr for value in node.values]
    lowered = made[0]
    for value in made[1:]:
        lowered = ir.Binary(node.name, lowered, value, site)  # type: ignore[arg-type]
    return Value(node.type, lowered)


def _clamped(low: Lowering, node: t.Clamped) -> Value:
    site = _site(low, "clamp", node.span)
    made, lo, hi = low.lower(node.value), low.lower(node.low), low.lower(node.high)
    return Value(node.type, ir.Binary("min", ir.Binary("max", made.expr, lo.expr, site), hi.expr, site))


# --------------------------------------------------------------------------------------- sides and counters


def _opponent(low: Lowering, node: t.Opponent) -> Value:
    site = _site(low, "other", node.span)
    return Value(node.type, ir.Binary("sub", ir.Const(1), low.lower(node.value).expr, site))


def _mine(low: Lowering, node: t.Mine) -> Value:
    """mine(u), enemy(u): whether it belongs to the acting seat."""
    site = _site(low, node.name, node.span)
    owner = holder_of(low, low.lower(node.value), node.at)
    assert low.code.me is not None
    return _same_owner(owner, low.code.me, node.same, site)


def _friendly(low: Lowering, node: t.Friendly) -> Value:
    """friendly(a, b), opposed(a, b): whether both belong to one."""
    site = _site(low, node.name, node.span)
    owners = [holder_of(low, low.lower(value), span) for value, span in node.values]
    return _same_owner(owners[0], owners[1], node.same, site)


def _same_owner(left: Value, right: Value, same: bool, site: int) -> Value:
    return Value(FLAG, ir.Binary("eq" if same else "ne", left.expr, right.expr, site))


def _in_play(low: Lowering, node: t.InPlay) -> Value:
    site = _site(low, "in_play", node.span)
    piece = low.lower(node.value)
    dom = piece.type.dom
    assert dom is not None
    if dom.parts and dom.sort == "piece":
        alive: ir.Expr = ir.Const(0)
        for part in dom.parts:
            assert part.alive is not None
            there = ir.Load(_then(low, part.alive), (piece.expr,), site)
            alive = ir.If(belongs(low, piece.expr, part), there, alive)
        return Value(FLAG, alive)
    assert dom.alive is not None
    read = ir.Load(_then(low, dom.alive), (piece.expr,), site)
    if piece.type.optional:
        return Value(FLAG, ir.If(ir.Binary("eq", piece.expr, ir.Const(NONE), site), ir.Const(0), read))
    return Value(FLAG, read)


def _then(low: Lowering, field: int) -> int:
    """A field, as it was at the mark that is read."""
    mark = low.code.mark
    return field if mark is None else low.lowerer.marks.snapshot(field, mark)


def _room(low: Lowering, node: t.Room) -> Value:
    site = _site(low, "room", node.span)
    var = low.code.local("(piece)", dom_type(node.dom))
    used = ir.Aggregate("count", var, ir.OverDomain(node.dom.id), None, None, site)
    return Value(node.type, ir.Binary("sub", ir.DomainCount(node.dom.id), used, site))


# ------------------------------------------------------------------------------------- sets, lists and bags


def _size(low: Lowering, node: t.Size) -> Value:
    made = low.lower(node.value)
    return Value(node.type, ir.SetCount(made.expr) if made.type.sort == "set" else ir.ListLength(made.expr))


def _end_of_list(low: Lowering, node: t.EndOfList) -> Value:
    site = _site(low, "first" if node.first else "last", node.span)
    made = low.lower(node.value)
    size = ir.ListLength(made.expr)
    item = ir.ListItem(made.expr, ir.Const(1) if node.first else size, site)
    return Value(node.type, ir.If(ir.Binary("eq", size, ir.Const(0), site), ir.Const(NONE), item))


def _nth(low: Lowering, node: t.Nth) -> Value:
    site = _site(low, "nth", node.span)
    made = low.lower(node.value)
    return Value(node.type, ir.ListItem(made.expr, low.lower(node.place).expr, site))


def _remaining(low: Lowering, node: t.Remaining) -> Value:
    site = _site(low, "remaining", node.span)
    bag = node.bag
    var = low.code.local("(row)", dom_type(bag.kind))
    assert bag.field.field is not None
    counts = ir.Load(bag.field.field, (ir.Local(var),), site)
    return Value(node.type, ir.Aggregate("sum", var, ir.OverDomain(bag.kind.id), None, counts, site))


# -------------------------------------------------------------------------------------------- phases, secrets


def _during(low: Lowering, node: t.During) -> Value:
    lowerer = low.lowerer
    running = ir.SetLoad(lowerer.timing.running_phases(), (), lowerer.nowhere)
    return Value(FLAG, ir.In(ir.Const(node.phase), running))


def _known(low: Lowering, node: t.Known) -> Value:
    """known(u.command): it has been revealed since it was last written."""
    site = _site(low, "known", node.span)
    return Value(FLAG, ir.Load(_then(low, node.known), low.lower(node.value).expr.index, site))


BUILTINS: dict[type, Any] = {
    t.Absolute: _absolute,
    t.Extreme: _extreme,
    t.Clamped: _clamped,
    t.Opponent: _opponent,
    t.Mine: _mine,
    t.Friendly: _friendly,
    t.InPlay: _in_play,
    t.Room: _room,
    t.Size: _size,
    t.EndOfList: _end_of_list,
    t.Nth: _nth,
    t.Remaining: _remaining,
    t.During: _during,
    t.Known: _known,
}
