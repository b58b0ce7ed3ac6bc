"""`is`, `in`, less and more."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from grognard.compiler.lower.code import Value
from grognard.compiler.lower.exprs.fields import belongs
from grognard.compiler.lower.geometry.routes import leads_anywhere
from grognard.compiler.sema.typed import nodes as t
from grognard.compiler.sema.types import FLAG, INT
from grognard.contract import ir
from grognard.contract.header import NONE

if TYPE_CHECKING:
    from grognard.compiler.lower.exprs.expressions import Lowering


def _flag(test: ir.Expr, negate: bool = False) -> Value:
    return Value(FLAG, ir.Unary("not", test) if negate else test)


def _empty(low: Lowering, node: t.Empty) -> Value:
    value = low.lower(node.value)
    if value.type.sort == "set":
        able = leads_anywhere(low.lowerer, value.expr)
        if able is not None:
            return _flag(able, not node.negate)
        size: Any = ir.SetCount(value.expr)
    else:
        size = ir.ListLength(value.expr)
    return _flag(ir.Binary("ne" if node.negate else "eq", size, ir.Const(0), low.lowerer.nowhere))


def _same(low: Lowering, node: t.Same) -> Value:
    left, right = low.lower(node.left), low.lower(node.right)
    if left.type.sort == right.type.sort == "set":
        return _flag(ir.SetEqual(left.expr, right.expr), node.negate)
    if left.type.sort == right.type.sort == "list":
        return _flag(_same_lists(low, left, right), node.negate)
    return _flag(ir.Binary("ne" if node.negate else "eq", left.expr, right.expr, low.lowerer.nowhere))


def _same_lists(low: Lowering, left: Value, right: Value) -> ir.Expr:
    """The same values in the same order."""
    site = low.lowerer.nowhere
    var = low.code.local("(place)", INT)
    place = ir.Local(var)
    items = ir.Binary("eq", ir.ListItem(left.expr, place, site), ir.ListItem(right.expr, place, site), site)
    long = ir.Binary("eq", ir.ListLength(left.expr), ir.ListLength(right.expr), site)
    each = ir.OverRange(ir.Const(1), ir.ListLength(left.expr))
    return ir.Binary("and", long, ir.Aggregate("all", var, each, None, items, site), site)


def _same_form(low: Lowering, node: t.SameForm) -> Value:
    """Whether two forms are the same in all their parts."""
    site = low.lowerer.nowhere
    left, right = low.lower(node.left), low.lower(node.right)
    assert left.record is not None and right.record is not None
    same: Any = None
    for key, part in left.record.items():
        other = right.record[key]
        if part.type.sort == "set":
            test: Any = ir.SetEqual(part.expr, other.expr)
        elif part.type.sort == "list":
            test = _same_lists(low, part, other)
        else:
            test = ir.Binary("eq", part.expr, other.expr, site)
        same = test if same is None else ir.Binary("and", same, test, site)
    return _flag(same)


def _of_form(low: Lowering, node: t.OfForm) -> Value:
    form = low.lower(node.form)
    assert form.record is not None
    member: Any = ir.Const(NONE) if node.member is None else low.lower(node.member).expr
    return _flag(ir.Binary("eq", form.record["name"].expr, member, low.lowerer.nowhere))


def _belongs(low: Lowering, node: t.Belongs) -> Value:
    return _flag(belongs(low, low.lower(node.value).expr, node.dom))


def _compared(low: Lowering, node: t.Compared) -> Value:
    left = low.lower(node.left)
    op: Any = node.op
    return _flag(ir.Binary(op, left.expr, low.lower(node.right).expr, low.lowerer.nowhere))


def _within(low: Lowering, node: t.Within) -> Value:
    site = low.lowerer.nowhere
    value, lo, hi = low.lower(node.value), low.lower(node.low), low.lower(node.high)
    least = ir.Binary("ge", value.expr, lo.expr, site)
    return _flag(ir.Binary("and", least, ir.Binary("le", value.expr, hi.expr, site), site))


def _one_of(low: Lowering, node: t.OneOf) -> Value:
    site = low.lowerer.nowhere
    value = low.lower(node.value)
    made: Any = None
    for item in node.items:
        test = ir.Binary("eq", value.expr, low.lower(item).expr, site)
        made = test if made is None else ir.Binary("or", made, test, site)
    return _flag(made if made is not None else ir.Const(0))


def _in_group(low: Lowering, node: t.InGroup) -> Value:
    site = low.lowerer.nowhere
    group, value = low.lower(node.group), low.lower(node.value)
    if group.type.sort == "set":
        return _flag(ir.In(value.expr, group.expr))
    var = low.code.local("(item)", group.type.element or INT)
    same = ir.Binary("eq", ir.Local(var), value.expr, site)
    return _flag(ir.Aggregate("any", var, ir.OverList(group.expr), same, None, site))


COMPARISONS: dict[type, Any] = {
    t.Empty: _empty,
    t.Same: _same,
    t.SameForm: _same_form,
    t.OfForm: _of_form,
    t.Belongs: _belongs,
    t.Compared: _compared,
    t.Within: _within,
    t.OneOf: _one_of,
    t.InGroup: _in_group,
}
