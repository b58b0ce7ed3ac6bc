"""Draws from bags and decks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from grognard.compiler.lower.block_builder import captured
from grognard.compiler.lower.code import Value
from grognard.compiler.lower.situations import chance_program as chance
from grognard.compiler.sema.typed import nodes as t
from grognard.compiler.sema.types import INT, dom_type
from grognard.compiler.syntax import nodes as syn
from grognard.contract import ir
from grognard.contract.header import FAIL_EMPTY

if TYPE_CHECKING:
    from grognard.compiler.lower.stmts.statements import Statements
    from grognard.compiler.sema.symbols import BagInfo


def _draw(low: Statements, node: t.Draw) -> None:
    """Take one at random from a bag; `seen by` names the seat that sees it."""
    condition = None if node.condition is None else low.test(node.condition)
    seen = None if node.seen_by is None else low.lowerer.mask_of(low.lower(node.seen_by).expr)
    var = low.code.values[node.variable] = low.code.variable(node.variable.name, node.variable.type)
    if condition is None:
        _draw_into(low, node.bags[0], var, seen, node.written)
        return
    if chance.stops(low):
        m = low.m
        blocks, done = (m.new_block(), m.new_block()), m.new_block()
        m.end(ir.Branch(condition, *blocks))
        for block, bag in zip(blocks, node.bags, strict=True):
            m.switch(block)
            _draw_into(low, bag, var, seen, node.written)
            m.jump(done)
        m.switch(done)
        return
    arms = []
    for bag in node.bags:
        with captured(low.code) as made:
            _draw_into(low, bag, var, seen, node.written)
        arms.append(tuple(made))
    low.code.emit(ir.IfStmt(condition, arms[0], arms[1]))


def _draw_into(low: Statements, bag: BagInfo, var: Value, seen: Any, statement: syn.DrawStmt) -> None:
    code = low.code
    counts = bag.field.field
    assert counts is not None
    site = low.lowerer.site(
        "draw",
        f"drawn from {bag.name}: {{0}}",
        statement.span,
        statement.cites.ids,
        (var.type.show,),
        low.code.owner,
    )
    empty = low.lowerer.site(
        "fail", f"{bag.name} is empty", statement.span, statement.cites.ids, owner=low.code.owner
    )
    hidden = low.lowerer.site(
        "hidden roll", f"draw from {bag.name}", statement.span, statement.cites.ids, owner=low.code.owner
    )
    row = code.local("(row)", dom_type(bag.kind))
    left = code.local("(left)", INT)
    total = ir.Aggregate(
        "sum", row, ir.OverDomain(bag.kind.id), None, ir.Load(counts, (ir.Local(row),), site), site
    )
    code.emit(ir.Assign(left, total))
    code.emit(ir.IfStmt(ir.Binary("eq", ir.Local(left), ir.Const(0), site), (ir.Fail(FAIL_EMPTY, empty),)))
    if chance.stops(low):
        chance.draw(low, counts, var.expr.index, hidden, f"draw from {bag.name}")
        code.emit(ir.Store(counts, (var.expr,), ir.Const(-1), "add", False, site))
        code.emit(ir.Note(1, site, (var.expr,), seen))
        return
    code.emit(ir.Roll(ir.Const(1), ir.Const(1), ir.Local(left), left, None, hidden))
    take = (
        ir.Assign(left, ir.Binary("sub", ir.Local(left), ir.Load(counts, (ir.Local(row),), site), site)),
        ir.IfStmt(
            ir.Binary("le", ir.Local(left), ir.Const(0), site),
            (ir.Assign(var.expr.index, ir.Local(row)), ir.Break()),
        ),
    )
    code.emit(ir.For(row, ir.OverDomain(bag.kind.id), bag.kind.id, None, None, False, take, site))
    code.emit(ir.Store(counts, (var.expr,), ir.Const(-1), "add", False, site))
    code.emit(ir.Note(1, site, (var.expr,), seen))


DRAWS: dict[type, Any] = {t.Draw: _draw}
