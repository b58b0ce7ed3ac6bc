"""Draws from bags and decks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from grognard.compiler.lower.block_builder import captured
from grognard.compiler.lower.choices.asking import deciding_seat
from grognard.compiler.lower.situations import chance_program as chance
from grognard.compiler.sema.scope import Scope, Value
from grognard.compiler.sema.typed.changes import check_bag
from grognard.compiler.sema.types import (
    INT,
    UNKNOWN,
    dom_type,
)
from grognard.compiler.syntax import nodes as syn
from grognard.contract import ir
from grognard.contract.header import FAIL_EMPTY

if TYPE_CHECKING:
    from grognard.compiler.lower.stmts.statements import Stmts


def lower_draw(stmts: Stmts, statement: syn.DrawStmt, scope: Scope) -> None:
    """Take one at random from a bag; `seen by` names the seat that sees it."""
    if isinstance(statement.source, syn.Ternary):
        _draw_either(stmts, statement, statement.source, scope)
        return
    bag = check_bag(stmts.check, statement.source)
    if bag is None:
        stmts.declare_local(scope, statement.name, UNKNOWN, False, statement.span)
        return
    seen = (
        stmts.lowerer.mask_of(deciding_seat(stmts, statement.seen_by, scope, statement.span).expr)
        if statement.seen_by is not None
        else None
    )
    var = stmts.declare_local(scope, statement.name, dom_type(bag.kind), False, statement.span)
    _draw_into(stmts, bag, var, seen, statement)


def _draw_either(stmts: Stmts, statement: syn.DrawStmt, source: syn.Ternary, scope: Scope) -> None:
    found = [check_bag(stmts.check, source.then), check_bag(stmts.check, source.otherwise)]
    bags = [bag for bag in found if bag is not None]
    if len(bags) < len(found) or bags[0].kind is not bags[1].kind:
        stmts.declare_local(scope, statement.name, UNKNOWN, False, statement.span)
        return
    condition = stmts.condition(source.condition, scope)
    seen = (
        stmts.lowerer.mask_of(deciding_seat(stmts, statement.seen_by, scope, statement.span).expr)
        if statement.seen_by is not None
        else None
    )
    var = stmts.declare_local(scope, statement.name, dom_type(bags[0].kind), False, statement.span)
    if chance.stops(stmts):
        m = stmts.m
        blocks, done = (m.new_block(), m.new_block()), m.new_block()
        m.end(ir.Branch(condition, *blocks))
        for block, bag in zip(blocks, bags):
            m.switch(block)
            _draw_into(stmts, bag, var, seen, statement)
            m.jump(done)
        m.switch(done)
        return
    arms = []
    for bag in bags:
        with captured(stmts.code) as made:
            _draw_into(stmts, bag, var, seen, statement)
        arms.append(tuple(made))
    stmts.code.emit(ir.IfStmt(condition, arms[0], arms[1]))


def _draw_into(stmts: Stmts, bag: Any, var: Value, seen: Any, statement: syn.DrawStmt) -> None:
    code = stmts.code
    counts = bag.field.field
    site = stmts.lowerer.site(
        "draw",
        f"drawn from {bag.name}: {{0}}",
        statement.span,
        statement.cites.ids,
        (var.type.show,),
        stmts.code.owner,
    )
    empty = stmts.lowerer.site(
        "fail", f"{bag.name} is empty", statement.span, statement.cites.ids, owner=stmts.code.owner
    )
    hidden = stmts.lowerer.site(
        "hidden roll", f"draw from {bag.name}", statement.span, statement.cites.ids, owner=stmts.code.owner
    )
    row = code.local("(row)", dom_type(bag.kind))
    left = code.local("(left)", INT)
    total = ir.Aggregate(
        "sum", row, ir.OverDomain(bag.kind.id), None, ir.Load(counts, (ir.Local(row),), site), site
    )
    code.emit(ir.Assign(left, total))
    code.emit(ir.IfStmt(ir.Binary("eq", ir.Local(left), ir.Const(0), site), (ir.Fail(FAIL_EMPTY, empty),)))
    if chance.stops(stmts):
        chance.draw(stmts, counts, var.expr.index, hidden, f"draw from {bag.name}")
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
