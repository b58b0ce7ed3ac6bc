"""Reads of fields: of counters, places and the game, of records and forms, of unions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from grognard.compiler.lower.code import Value
from grognard.compiler.sema.typed import nodes as t
from grognard.compiler.sema.types import FLAG, UNKNOWN, Dom, FieldInfo, dom_type
from grognard.contract import ir
from grognard.contract.header import NONE
from grognard.support.source import Span

if TYPE_CHECKING:
    from grognard.compiler.lower.exprs.expressions import Lowering


def _read(low: Lowering, node: t.Read) -> Value:
    owner = [] if node.owner is None else [low.lower(node.owner).expr]
    axes = [low.lower(axis).expr for axis in node.axes]
    made = read_field(low, node.info, owner, axes, node.span)
    return Value(node.type, made.expr, made.record)


def _kind_read(low: Lowering, node: t.KindRead) -> Value:
    row = read_field(low, node.kind, [low.lower(node.owner).expr], [], node.span).expr
    axes = [low.lower(axis).expr for axis in node.axes]
    made = read_field(low, node.info, [row], axes, node.span)
    made = _veiled(low, row, made) if node.kind.veiled else made
    return Value(node.type, made.expr, made.record)


def _veiled(low: Lowering, row: Any, read: Value) -> Value:
    """A column of a counter whose type may be hidden: then it reads none, or the least there is."""
    site = low.lowerer.nowhere
    hidden = ir.Binary("eq", row, ir.Const(NONE), site)
    if read.type.sort == "set":
        assert read.type.dom
        return Value(read.type, ir.SetIf(hidden, ir.SetOf(read.type.dom.id, ()), read.expr))
    least = max(0, read.type.lo) if read.type.sort == "int" else 0
    absent = NONE if read.type.optional or read.type.sort == "dom" else min(least, read.type.hi)
    return Value(read.type, ir.If(hidden, ir.Const(absent), read.expr))


def _union_read(low: Lowering, node: t.UnionRead) -> Value:
    owner = low.lower(node.owner)
    low.code.values[node.slot] = owner
    made: Any = None
    for part, value in node.parts:
        one = low.lower(value).expr
        made = one if made is None else ir.If(belongs(low, owner.expr, part), one, made)
    return Value(node.type, made)


def belongs(low: Lowering, value: Any, dom: Dom) -> ir.Expr:
    """Whether a value belongs to a domain of places or counters."""
    site = low.lowerer.nowhere
    lo = ir.Binary("ge", value, ir.DomainBase(dom.id), site)
    beyond = ir.Binary("add", ir.DomainBase(dom.id), ir.DomainCount(dom.id), site)
    return ir.Binary("and", lo, ir.Binary("lt", value, beyond, site), site)


def _edge_read(low: Lowering, node: t.EdgeRead) -> Value:
    """A hexside's field reads as its zero where there is no such hexside (the edge of the map)."""
    owner = low.lower(node.owner)
    read = read_field(low, node.info, [owner.expr], [], node.span).expr
    if node.info.type.sort == "set":
        return Value(node.type, read)
    site = low.lowerer.site("read", node.info.name, node.span)
    absent = NONE if node.info.type.optional else 0
    return Value(node.type, ir.If(ir.Binary("eq", owner.expr, ir.Const(NONE), site), ir.Const(absent), read))


def _part(low: Lowering, node: t.Part) -> Value:
    owner = low.lower(node.owner)
    assert owner.record is not None
    made = owner.record[node.name]
    return Value(node.type, made.expr, made.record)


def _part_for(low: Lowering, node: t.PartFor) -> Value:
    """`a.fp(c)` of a record: one local per member, picked by the index."""
    owner, index = low.lower(node.owner), low.lower(node.index)
    assert owner.record is not None
    site = low.lowerer.site("read", node.name, node.span)
    parts = [owner.record[f"{node.name}({member})"].expr for member in node.members]
    made = parts[-1]
    for place in range(len(parts) - 2, -1, -1):
        made = ir.If(ir.Binary("eq", index.expr, ir.Const(place), site), parts[place], made)
    return Value(node.type, made)


def _relation(low: Lowering, node: t.Relation) -> Value:
    """A relation reads as no where either side is none."""
    made = [low.lower(node.left), low.lower(node.right)]
    site = low.lowerer.site("read", node.info.name, node.span)
    number = node.info.field
    assert number is not None
    if low.code.mark is not None:
        number = low.lowerer.marks.snapshot(number, low.code.mark)
    read: ir.Expr = ir.Load(number, (made[0].expr, made[1].expr), site)
    for value in reversed(made):
        if value.type.optional:
            read = ir.If(ir.Binary("eq", value.expr, ir.Const(NONE), site), ir.Const(0), read)
    return Value(FLAG, read)


def read_field(low: Lowering, info: FieldInfo, owner: list[Any], axes: list[Any], span: Span) -> Value:
    """Read a field or column."""
    if info.parts is not None:
        parts = {key: read_field(low, part, owner, axes, span) for key, part in info.parts.items()}
        return Value(info.type, None, parts)
    index = tuple(owner + axes)
    site = low.lowerer.site("read", info.name, span)
    if info.column is not None:
        if info.type.sort == "set":
            return Value(info.type, ir.SetData(info.column, index, site))
        return Value(info.type, ir.Data(info.column, index, site))
    number = info.field
    assert number is not None
    if low.code.mark is not None:
        number = low.lowerer.marks.snapshot(number, low.code.mark)
    if info.secret:
        low.code.reads_secret = True
    if info.type.sort == "set":
        return Value(info.type, ir.SetLoad(number, index, site))
    if info.type.sort == "list":
        return Value(info.type, ir.ListLoad(number, index, site))
    if info.follows and info.owner is not None and info.follows in info.owner.fields:
        link = info.owner.fields[info.follows]
        carrier = read_field(low, link, owner, [], span).expr
        own = ir.Load(number, index, site)
        held = link.type.dom.fields.get(info.name) if link.type.dom is not None else None
        if held is None or held.field is None:  # reported where it is declared
            return Value(info.type, own)
        theirs = low.lowerer.marks.snapshot(held.field, low.code.mark) if low.code.mark else held.field
        carried = ir.Load(theirs, (carrier, *axes), site)
        return Value(info.type, ir.If(ir.Binary("eq", carrier, ir.Const(NONE), site), own, carried))
    return Value(info.type, ir.Load(number, index, site))


def holder_of(low: Lowering, piece: Value, span: Span) -> Value:
    """The seat that a counter belongs to: its first field of the seats' type."""
    seats, dom = low.symbols.seats, piece.type.dom
    assert seats
    if dom is None or dom is seats or dom is low.symbols.sides:
        return piece
    if dom.parts:
        held: ir.Expr = ir.Const(NONE)
        for part in dom.parts:
            one = holder_of(low, Value(dom_type(part), piece.expr), span)
            held = ir.If(belongs(low, piece.expr, part), one.expr, held)
        return Value(dom_type(seats), held)
    for info in dom.fields.values():
        if info.type.sort == "dom" and info.type.dom is seats and not info.axes:
            return read_field(low, info, [piece.expr], [], span)
    return Value(UNKNOWN, ir.Const(0))


def _holder(low: Lowering, node: t.Holder) -> Value:
    return holder_of(low, low.lower(node.value), node.span)


FIELDS: dict[type, Any] = {
    t.Holder: _holder,
    t.Read: _read,
    t.KindRead: _kind_read,
    t.UnionRead: _union_read,
    t.EdgeRead: _edge_read,
    t.Part: _part,
    t.PartFor: _part_for,
    t.Relation: _relation,
}
