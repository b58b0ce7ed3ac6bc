"""`create` and `destroy`; draws from bags and decks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from grognard.compiler.lower.block_builder import captured
from grognard.compiler.lower.choices.asking import deciding_seat
from grognard.compiler.lower.situations import chance_program as chance
from grognard.compiler.lower.stmts.writes import for_each_part, store_form
from grognard.compiler.sema.scope import Scope, Value
from grognard.compiler.sema.types import (
    INT,
    UNKNOWN,
    FieldInfo,
    dom_type,
)
from grognard.compiler.syntax import nodes as syn
from grognard.contract import ir
from grognard.contract.header import FAIL_EMPTY
from grognard.support.suggest import hint_for

if TYPE_CHECKING:
    from grognard.compiler.lower.stmts.statements import Stmts


def lower_create(stmts: Stmts, statement: syn.CreateStmt, scope: Scope) -> None:
    dom = stmts.world.types.get(statement.piece)
    if dom is None or dom.alive is None:
        if statement.into:
            stmts.declare_local(scope, statement.into, UNKNOWN, False, statement.span)
        return
    site = stmts.lowerer.site(
        "write", f"new {dom.name}", statement.span, statement.cites.ids, owner=stmts.code.owner
    )
    given = [(named.name, named.value) for named in statement.fields]
    if statement.kind is not None:
        given.insert(0, ("type", statement.kind))
    made: list[tuple[FieldInfo, Value]] = []
    for name, expr in given:
        info = dom.fields.get(name)
        if info is None or (info.field is None and info.parts is None) or info.axes:
            continue
        made.append((info, stmts.checked(expr, scope, info.type, f"`{name}`")))
    if statement.into is not None:
        var = stmts.declare_local(scope, statement.into, dom_type(dom), False, statement.span)
    else:
        var = stmts.code.variable("(new)", dom_type(dom))
    # The values are computed before the counter exists, so that they never read it.
    frozen = [(info, stmts.store_argument(value)) for info, value in made if value.type.sort != "unknown"]
    stmts.code.emit(ir.Create(dom.id, var.expr.index, site))
    for info, value in frozen:
        if info.parts is not None:
            store_form(stmts, info, (var.expr,), value, site)
            continue
        assert info.field is not None
        if info.type.sort == "list":
            stmts.code.emit(ir.StoreList(info.field, (var.expr,), value.expr, site))
        elif info.type.sort == "set":
            stmts.code.emit(ir.StoreSet(info.field, (var.expr,), value.expr, site))
        else:
            stmts.code.emit(ir.Store(info.field, (var.expr,), value.expr, "set", info.clamped, site))


def lower_destroy(stmts: Stmts, statement: syn.DestroyStmt, scope: Scope) -> None:
    if for_each_part(stmts, statement.value, statement, scope):
        return
    made = stmts.value(statement.value, scope)
    dom = made.type.dom
    if made.type.sort != "dom" or dom is None or dom.alive is None:
        if made.type.sort != "unknown":
            stmts.sink.error(
                "GR0301",
                statement.value.span,
                f"only counters and records are removed, this is {made.type}",
            )
        return
    stmts.demand(made, dom_type(dom), statement.value.span)
    site = stmts.lowerer.site(
        "log", "{0} is removed", statement.span, statement.cites.ids, (made.type.show,), stmts.code.owner
    )
    if dom.sort == "piece" and dom.secret_all is None:
        stmts.code.emit(ir.Note(1, site, (made.expr,)))
    stmts.code.emit(ir.Destroy(dom.id, made.expr, site))


def lower_draw(stmts: Stmts, statement: syn.DrawStmt, scope: Scope) -> None:
    """Take one at random from a bag; `seen by` names the seat that sees it."""
    if isinstance(statement.source, syn.Ternary):
        _draw_either(stmts, statement, statement.source, scope)
        return
    bag = _bag(stmts, statement.source)
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
    bags = [_bag(stmts, source.then), _bag(stmts, source.otherwise)]
    if None in bags or bags[0].kind is not bags[1].kind:
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


def lower_put(stmts: Stmts, statement: syn.PutStmt, scope: Scope) -> None:
    targets: list[tuple[Any, Any]] = []
    if isinstance(statement.target, syn.Ternary):
        condition = stmts.condition(statement.target.condition, scope)
        targets = [
            (condition, _bag(stmts, statement.target.then)),
            (ir.Unary("not", condition), _bag(stmts, statement.target.otherwise)),
        ]
    else:
        targets = [(None, _bag(stmts, statement.target))]
    for condition, bag in targets:
        if bag is None:
            continue
        made = stmts.checked(statement.value, scope, dom_type(bag.kind))
        site = stmts.lowerer.site(
            "write", f"back into {bag.name}", statement.span, statement.cites.ids, owner=stmts.code.owner
        )
        store = ir.Store(bag.field.field, (made.expr,), ir.Const(1), "add", False, site)
        stmts.code.emit(store if condition is None else ir.IfStmt(condition, (store,)))


def _bag(stmts: Stmts, expr: syn.Expr) -> Any:
    if isinstance(expr, syn.Name) and expr.id in stmts.world.bags:
        return stmts.world.bags[expr.id]
    if isinstance(expr, syn.Name) and expr.id in stmts.world.broken:
        return None
    stmts.sink.error(
        "GR0208",
        expr.span,
        "the name of a bag is needed here",
        hint=hint_for(expr.id, list(stmts.world.bags)) if isinstance(expr, syn.Name) else None,
    )
    return None
