"""Aggregates and their sources: counts, sums, best elements, set comprehensions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from grognard.compiler.lower.code import Value
from grognard.compiler.sema.typed import nodes as t
from grognard.compiler.sema.types import Dom, dom_type
from grognard.contract import ir
from grognard.support.source import Span

if TYPE_CHECKING:
    from grognard.compiler.lower.exprs.expressions import Lowering
    from grognard.compiler.lower.lowerer import Lowerer


def lower_source(low: Lowering, source: t.Source) -> Any:
    """What a loop or aggregate runs over."""
    match source:
        case t.OverDomain(dom=dom, span=span):
            if dom.secret_all is not None:
                low.code.reads_secret = True
            if dom.alive is not None and low.code.mark is not None:
                return _in_play_then(low, dom, low.code.mark, span)
            return ir.OverDomain(dom.id)
        case t.OverNumbers(low=lo, high=hi):
            least = low.lower(lo).expr
            return ir.OverRange(least, low.lower(hi).expr)
        case t.OverItems(items=items):
            return ir.OverItems(tuple(low.lower(item).expr for item in items))
        case t.OverVerb(name=name, verb=verb, args=args, span=span):
            given = tuple(low.lower(arg).expr for arg in args)
            return ir.OverVerb(verb, given, low.lowerer.site("read", name, span))
        case t.OverGroup(group=group):
            made = low.lower(group)
            return ir.OverSet(made.expr) if made.type.sort == "set" else ir.OverList(made.expr)


def _in_play_then(low: Lowering, dom: Dom, mark: str, span: Span) -> ir.OverSet:
    """The counters that were in play at a mark: those that have left since belong to it, later ones do not."""
    assert dom.alive is not None
    each = low.code.local("(then)", dom_type(dom))
    site = low.lowerer.site("read", f"{dom.name}.alive", span)
    was = ir.Load(low.lowerer.marks.snapshot(dom.alive, mark), (ir.Local(each),), site)
    return ir.OverSet(ir.SetBuild(dom.id, each, every_room(low.lowerer, dom), was, None))


def every_room(lowerer: Lowerer, dom: Dom) -> ir.OverRange:
    """All elements of a pool, whether they are in play or not."""
    first, nowhere = ir.DomainBase(dom.id), lowerer.nowhere
    end = ir.Binary("add", first, ir.DomainCount(dom.id), nowhere)
    return ir.OverRange(first, ir.Binary("sub", end, ir.Const(1), nowhere))


def _aggregate(low: Lowering, node: t.Aggregate) -> Value:
    over = lower_source(low, node.source)
    var = low.code.local(node.variable.name, node.variable.type)
    low.code.values[node.variable] = Value(node.variable.type, ir.Local(var))
    where = None if node.where is None else low.test(node.where)
    site = low.lowerer.site("aggregate", node.op, node.span, owner=low.code.owner)
    op: Any = node.does or node.op
    if node.op in ("count", "any", "all"):
        test = None if node.value is None else low.test(node.value)
        if node.op == "all":
            return Value(node.type, ir.Aggregate(op, var, over, where, test, site))
        both = where if test is None else test if where is None else ir.Binary("and", where, test, site)
        return Value(node.type, ir.Aggregate(op, var, over, both, None, site))
    value = None if node.value is None else low.lower(node.value).expr
    if node.op == "set":
        assert node.type.dom is not None
        return Value(node.type, ir.SetBuild(node.type.dom.id, var, over, where, value))
    return Value(node.type, ir.Aggregate(op, var, over, where, value, site))


def _matched(low: Lowering, node: t.Matched) -> Value:
    """`matched(a in S at X, c in T at Y room n)`."""
    left_var, left, left_at = _asked(low, node.guests)
    right_var, right, right_at = _asked(low, node.hosts)
    room = ir.Const(1) if node.room is None else low.lower(node.room).expr
    site = low.lowerer.site("aggregate", "matched", node.span, owner=low.code.owner)
    return Value(node.type, ir.Meeting(left_var, left, left_at, right_var, right, right_at, room, site))


def _asked(low: Lowering, side: t.Asked) -> tuple[int, Any, Any]:
    """Variable, set, and where each of them can be."""
    over, element = lower_source(low, side.source), side.variable.type
    var = low.code.local(side.variable.name, element)
    low.code.values[side.variable] = Value(element, ir.Local(var))
    places = low.lower(side.places).expr
    if isinstance(over, ir.OverSet):
        return var, over.set, places
    assert element.dom is not None
    each = low.code.local("(element)", element)
    return var, ir.SetBuild(element.dom.id, each, over, None, None), places


def _as_set(low: Lowering, node: t.AsSet) -> Value:
    """neighbours(h), within(h, n) ... used as a set."""
    over = lower_source(low, node.source)
    assert node.element.dom is not None
    var = low.code.local("(element)", node.element)
    return Value(node.type, ir.SetBuild(node.element.dom.id, var, over, None, None))


AGGREGATES: dict[type, Any] = {t.Aggregate: _aggregate, t.Matched: _matched, t.AsSet: _as_set}
