"""The view of a seat: one function that masks a copy of the position, made from the declared secrecy.

A hidden field reads as none (or its lowest value) to others; a hidden piece is absent: dead, with empty fields.  The same holds
of what marks have kept of them, also of pieces that have left play since: these are as secret as they were in the end.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from grognard.compiler.lower.code import Code, Value
from grognard.compiler.lower.exprs.aggregates import every_room
from grognard.compiler.lower.exprs.expressions import Lowering
from grognard.compiler.lower.exprs.fields import read_field
from grognard.compiler.sema.typed.secrecy import TypedSecrecy
from grognard.compiler.sema.typed.whole import TypedView
from grognard.compiler.sema.types import (
    Dom,
    FieldInfo,
    dom_type,
)
from grognard.contract import ir
from grognard.contract.header import NONE

if TYPE_CHECKING:
    from grognard.compiler.lower.lowerer import Lowerer


def lower_view(lowerer: Lowerer, secrets: TypedView, number: int | None = None) -> int:
    """The function's number; given one, the function is written anew, when marks keep more than they did."""
    assert lowerer.symbols.seats
    code = Code("view", "view", pure=False, machine=False)
    seat = code.variable("seat", dom_type(lowerer.symbols.seats))
    low = Lowering(lowerer, code)
    # Fields first: a piece that is hidden altogether is masked afterwards, when its fields are still known.
    for dom, info, secrecy in secrets.fields:
        _mask_field(low, seat, dom, info, secrecy)
    for dom, secrecy in secrets.pieces:
        _mask_piece(low, seat, dom, secrecy)
    return lowerer.new_function(code, 1, None, lowerer.nowhere, number)


def _hidden(low: Lowering, seat: Value, item: Value, secrecy: TypedSecrecy) -> Any:
    """Whether the seat is not the owner (of a piece, or the seat itself for fields of a side)."""
    values = low.code.values
    values[secrecy.item] = item
    for variable, info in secrecy.fields:
        values[variable] = read_field(low, info, [item.expr], [], secrecy.span)
    holder = low.lower(secrecy.holder)
    return ir.Binary("ne", holder.expr, seat.expr, low.lowerer.nowhere)


def _mask_field(low: Lowering, seat: Value, dom: Dom, info: FieldInfo, secrecy: TypedSecrecy) -> None:
    assert info.field is not None and info.known is not None
    lowerer, code = low.lowerer, low.code
    nowhere = lowerer.nowhere
    item = code.variable("item", dom_type(dom))
    hidden = _hidden(low, seat, item, secrecy)
    hidden = ir.Binary("and", hidden, ir.Unary("not", ir.Load(info.known, (item.expr,), nowhere)), nowhere)
    if secrecy.condition is not None:
        hidden = ir.Binary("and", hidden, low.test(secrecy.condition), nowhere)
    _mask_kept(lowerer, code, dom, item, hidden, [info])
    body = (_blank(lowerer, code, info, item),)
    code.emit(ir.For(item.expr.index, ir.OverDomain(dom.id), dom.id, hidden, None, False, body, nowhere))


def _mask_kept(
    lowerer: Lowerer,
    code: Code,
    dom: Dom,
    item: Value,
    hidden: Any,
    fields: list[FieldInfo],
    *,
    all_of_it: bool = False,
) -> None:
    """Mask what marks have kept of these fields; `all_of_it`: and of who was in play."""
    kept = sorted(lowerer.builder.snapshots.items(), key=lambda entry: entry[1])
    body = [
        _blank(lowerer, code, info, item, copy)
        for info in fields
        for (field, _), copy in kept
        if field == info.field
    ]
    if all_of_it:
        gone = [copy for (field, _), copy in kept if field == dom.alive]
        body += [ir.Store(copy, (item.expr,), ir.Const(0), "set", False, lowerer.nowhere) for copy in gone]
    if not body:
        return
    over: ir.Over = ir.OverDomain(dom.id)
    if dom.alive is not None:
        # Those that have left play, too.
        over = every_room(lowerer, dom)
    code.emit(ir.For(item.expr.index, over, dom.id, hidden, None, False, tuple(body), lowerer.nowhere))


def _blank(lowerer: Lowerer, code: Code, info: FieldInfo, item: Value, field: int | None = None) -> ir.Stmt:
    """Write nothing into a field, or into a copy of it."""
    field = info.field if field is None else field
    assert field is not None
    if info.type.sort == "list":
        # A local that is never written is an empty list.
        return ir.StoreList(field, (item.expr,), code.variable("(nothing)", info.type).expr, lowerer.nowhere)
    if info.type.sort == "set":
        assert info.type.dom
        return ir.StoreSet(field, (item.expr,), ir.SetOf(info.type.dom.id, ()), lowerer.nowhere)
    value = (
        NONE if info.type.optional or info.veiled else max(0, info.type.lo) if info.type.sort == "int" else 0
    )
    return ir.Store(field, (item.expr,), ir.Const(value), "set", True, lowerer.nowhere)


def _mask_piece(low: Lowering, seat: Value, dom: Dom, secrecy: TypedSecrecy) -> None:
    lowerer, code = low.lowerer, low.code
    nowhere = lowerer.nowhere
    item = code.variable("item", dom_type(dom))
    hidden = _hidden(low, seat, item, secrecy)
    if secrecy.condition is not None:
        hidden = ir.Binary("and", hidden, low.test(secrecy.condition), nowhere)
    plain = [
        info
        for info in dom.fields.values()
        if info.field is not None and not info.axes and info.name not in ("side",)
    ]
    _mask_kept(lowerer, code, dom, item, hidden, plain, all_of_it=True)
    body: list[ir.Stmt] = [_blank(lowerer, code, info, item) for info in plain]
    body.append(ir.Destroy(dom.id, item.expr, nowhere))
    code.emit(
        ir.For(item.expr.index, ir.OverDomain(dom.id), dom.id, hidden, None, False, tuple(body), nowhere)
    )
