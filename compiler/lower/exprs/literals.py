"""Names and literals: variables, members, numbers, places by their names, sets and lists."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from grognard.compiler.lower.code import Code, Value
from grognard.compiler.sema.typed import nodes as t
from grognard.compiler.sema.types import Type
from grognard.contract import ir

if TYPE_CHECKING:
    from grognard.compiler.lower.exprs.expressions import Lowering


def nothing(code: Code, type_: Type) -> Value:
    """A value of the type, where the rules have a mistake and will not run."""
    if type_.sort == "record" and type_.record is not None:
        return Value(type_, None, {key: nothing(code, part) for key, part in type_.record.fields.items()})
    if type_.sort == "set" and type_.dom is not None:
        return Value(type_, ir.SetOf(type_.dom.id, ()))
    if type_.sort == "list":
        # A local that is never written is an empty list.
        return code.variable("(nothing)", type_)
    return Value(type_, ir.Const(0))


def _constant(low: Lowering, node: t.Constant) -> Value:
    return Value(node.type, ir.Const(node.value))


def _member(low: Lowering, node: t.Member) -> Value:
    dom = node.dom
    if dom.from_code:
        return Value(node.type, ir.Const(node.place + dom.range_lo))
    return Value(node.type, ir.Sym(low.builder.symbol(f"{dom.name}.{node.name}")))


def _place_named(low: Lowering, node: t.PlaceNamed) -> Value:
    """A place by its name; in examples of play it is written down, for the map that they run on."""
    if node.member is not None:
        made = Value(node.type, _member(low, node.member).expr)
    else:
        made = Value(node.type, ir.Sym(low.builder.symbol(f"{node.dom.name}.{node.text}")))
    if not low.lowerer.trees.places_known and isinstance(made.expr, ir.Sym):
        low.lowerer.places_named.append((made.expr.symbol, node.text, node.span))
    return made


def _option(low: Lowering, node: t.OptionValue) -> Value:
    return Value(node.type, ir.Sym(low.builder.symbol(f"option {node.option}")))


def _given(low: Lowering, node: t.Given) -> Value:
    found = low.value_of(node.variable)
    return Value(node.type, found.expr, found.record)


def _me(low: Lowering, node: t.Me) -> Value:
    assert low.code.me is not None
    return Value(node.type, low.code.me.expr)


def _base(low: Lowering, node: t.Base) -> Value:
    return Value(node.type, low.code.base().expr)


def _set(low: Lowering, node: t.SetOf) -> Value:
    assert node.type.dom
    return Value(node.type, ir.SetOf(node.type.dom.id, tuple(low.lower(item).expr for item in node.items)))


def _list(low: Lowering, node: t.ListOf) -> Value:
    made = low.code.variable("(items)", node.type)
    low.code.emit(ir.ListClear(made.expr.index))
    for item, span in node.items:
        value = low.lower(item)
        low.code.emit(ir.ListAppend(made.expr.index, value.expr, low.lowerer.site("list", "", span)))
    return made


LITERALS: dict[type, Any] = {
    t.Constant: _constant,
    t.Member: _member,
    t.PlaceNamed: _place_named,
    t.OptionValue: _option,
    t.Given: _given,
    t.Me: _me,
    t.Base: _base,
    t.SetOf: _set,
    t.ListOf: _list,
}
