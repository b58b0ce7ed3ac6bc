"""`choose numbers of k in Kind costing k.cost within money -> n`: how many of each member, within a budget."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from grognard.compiler.lower.choices.asking import (
    Together,
    fail_empty,
    frozen_decider,
    lower_instead,
    shown,
)
from grognard.compiler.lower.choices.numbers import Asked, Pick
from grognard.compiler.sema.scope import Code, Scope, Value, flatten
from grognard.compiler.sema.typed.choices import MOST
from grognard.compiler.sema.typed.deciding import shown_in
from grognard.compiler.sema.types import INT, UNKNOWN, Dom, FieldInfo, dom_type, int_range, set_type
from grognard.compiler.syntax import nodes as syn
from grognard.compiler.syntax.walk import walk
from grognard.contract import ir
from grognard.contract.header import NONE

if TYPE_CHECKING:
    from grognard.compiler.lower.stmts.seam import Stmts


def lower_choose_numbers(
    stmts: Stmts, statement: syn.ChooseSomeStmt, scope: Scope, proven: bool = False
) -> None:
    """Ask how many of each member; the numbers are a value for each of them, that belongs to the procedure."""
    m, site = stmts.m, stmts.lowerer.nowhere
    over, element = stmts.running_over(statement.source, scope)
    dom = element.dom if over is not None else None
    if over is None or dom is None or dom.sort in ("piece", "record"):
        if over is not None:
            stmts.sink.error(
                "GR0313",
                statement.source.span,
                "numbers are chosen of members of a kind or an enum, of places or sides",
                hint="counters that are `interchangeable` are chosen by number with `choose some`",
            )
        stmts.declare_local(scope, statement.into, UNKNOWN, False, statement.span)
        return
    if statement.cost is None and statement.up_to is None and statement.exactly is None:
        stmts.sink.error(
            "GR0703",
            statement.span,
            f"nothing says how many there can be for `{statement.into}`",
            hint="add `up to ...`, `exactly ...`, or `costing ... within ...`",
        )
    number = stmts.world.new_field(f"({stmts.code.owner}.{statement.into})", (dom,), int_range(0, MOST), 0)
    stmts.world.veiled.add(number)
    info = FieldInfo(statement.into, int_range(0, MOST), (dom,), None, None, field=number)
    stmts.world.fields_by_id[number] = info
    captured = _captured(stmts, statement, scope)
    given = [part for _, value in captured for part in flatten(value)]
    price = _price_function(stmts, statement, scope, dom, captured)
    name = f"{stmts.code.owner}.{statement.name}"
    label = statement.label or statement.into.replace("_", " ")
    named = shown(stmts, shown_in(stmts.check, label, statement.span, scope))
    asked = Asked(name, label, named, statement.cites.ids, statement.span, dom_type(dom), price)
    pick = Pick(stmts, asked, dom)
    pool, least, most, money = _setting(stmts, statement, scope, over, dom, pick)
    total = m.variable("(total)", INT)
    m.emit(ir.Reset(number))
    m.emit(ir.Assign(total.expr.index, ir.Const(0)))
    possible, impossible, head, body, complete, done = (m.new_block() for _ in range(6))
    able = _possible(stmts, pool.expr, least, most, money, price, given, dom)
    m.end(ir.Branch(able, possible, impossible))
    m.switch(possible)
    decided = frozen_decider(stmts, statement.by, scope, statement.span)
    if isinstance(decided, Together):
        stmts.sink.error("GR0705", statement.span, "several seats cannot choose numbers together")
        decided = decided.otherwise
    m.emit(ir.AssignSet(pick.rest.expr.index, pool.expr))
    m.emit(ir.AssignSet(pick.chosen.expr.index, ir.SetOf(dom.id, ())))
    m.emit(ir.Assign(pick.room.expr.index, most))
    m.emit(ir.Assign(pick.least.expr.index, least))
    some = ir.Unary("not", ir.SetEqual(pick.rest.expr, ir.SetOf(dom.id, ())))
    more = ir.Binary("and", ir.Binary("gt", pick.room.expr, ir.Const(0), site), some, site)
    m.end(ir.Branch(more, body, done))
    m.switch(head)
    m.end(ir.Branch(more, body, complete))
    m.switch(body)
    pick.next_group()
    function = _number_function(stmts, captured, price, dom)
    args = (*given, pick.group.expr, pick.rest.expr, pick.room.expr, pick.least.expr, money.expr)
    pick.ask(function, args, decided, tested=False)
    member = m.variable("(member)", dom_type(dom))
    m.emit(ir.Assign(member.expr.index, ir.SetNext(pick.group.expr, ir.Const(NONE))))
    m.emit(ir.Store(number, (member.expr,), pick.number.expr, "set", False, site))
    spent = ir.Binary("mul", pick.number.expr, ir.Call(price, (*given, member.expr)), site)
    limited = ir.Binary("ge", money.expr, ir.Const(0), site)
    pay = ir.Assign(money.expr.index, ir.Binary("sub", money.expr, spent, site))
    m.emit(ir.IfStmt(limited, (pay,)))
    for local, op in ((pick.room, "sub"), (pick.least, "sub"), (total, "add")):
        change: Any = ir.Binary(op, local.expr, pick.number.expr, site)  # type: ignore[arg-type]
        m.emit(ir.Assign(local.expr.index, change))
    m.jump(head)
    m.switch(complete)
    pick.complete(decided, total.expr)
    m.jump(done)
    m.switch(impossible)
    if statement.otherwise is not None:
        lower_instead(stmts, statement.otherwise, scope)
    elif proven or (statement.at_least is None and statement.exactly is None):
        m.jump(done)
    else:
        stmts.sink.error(
            "GR0703",
            statement.span,
            f"there may be too few to choose for `{statement.into}`",
            hint="add `, else stop` / `, else return` behind it",
        )
    if m.open:
        fail_empty(stmts, f"no numbers can be chosen for {statement.into}", statement)
        m.end(ir.ReturnMachine(ir.Const(0) if stmts.code.result is not None else None))
    m.switch(done)
    stmts.bind(scope, statement.into, Value(UNKNOWN, ir.Const(0)), False, statement.span)
    scope.names[statement.into].info = info


def can_choose_numbers(stmts: Stmts, statement: syn.ChooseSomeStmt, scope: Scope) -> ir.Expr | None:
    """In the declaration part of an action: whether there are numbers to choose."""
    over, element = stmts.running_over(statement.source, scope)
    dom = element.dom if over is not None else None
    if over is None or dom is None:
        return None
    captured = _captured(stmts, statement, scope)
    given = [part for _, value in captured for part in flatten(value)]
    price = _price_function(stmts, statement, scope, dom, captured)
    pool, least, most, money = _setting(stmts, statement, scope, over, dom, None)
    return _possible(stmts, pool.expr, least, most, money, price, given, dom)


def _setting(
    stmts: Stmts, statement: syn.ChooseSomeStmt, scope: Scope, over: Any, dom: Dom, pick: Pick | None
) -> tuple[Value, ir.Expr, ir.Expr, Value]:
    """The members in question, the least and the greatest number in all, and the money, -1 for no limit."""
    code, site = stmts.code, stmts.lowerer.nowhere
    inner = scope.child()
    var = code.variable(statement.name, dom_type(dom))
    code.bind(inner, statement.name, var, statement.span)
    where = stmts.condition(statement.where, inner) if statement.where is not None else None
    pool = code.variable(f"({statement.name} in question)", set_type(dom))
    code.emit(ir.AssignSet(pool.expr.index, ir.SetBuild(dom.id, var.expr.index, over, where, None)))
    least: Any = ir.Const(0)
    most: Any = ir.Const(MOST)
    if statement.at_least is not None:
        least = stmts.checked(statement.at_least, scope, INT).expr
    for bound in (statement.exactly, statement.up_to):
        if bound is not None:
            most = ir.Binary("min", stmts.checked(bound, scope, INT).expr, ir.Const(MOST), site)
    if statement.exactly is not None:
        least = most
    money = code.variable("(money)", INT)
    has: Any = ir.Const(-1)
    if statement.budget is not None:
        has = ir.Binary("max", stmts.checked(statement.budget, scope, INT).expr, ir.Const(0), site)
    code.emit(ir.Assign(money.expr.index, has))
    return pool, least, most, money


def _possible(
    stmts: Stmts, pool: Any, least: ir.Expr, most: ir.Expr, money: Value, price: int, given: list[Any], dom: Dom
) -> ir.Expr:  # fmt: skip
    """Whether as many can be had as there must be."""
    site = stmts.lowerer.nowhere
    var = stmts.code.variable("(cheap)", dom_type(dom))
    cost = ir.Binary("mul", least, ir.Call(price, (*given, var.expr)), site)
    free = ir.Binary("lt", money.expr, ir.Const(0), site)
    can_pay = ir.Binary("or", free, ir.Binary("le", cost, money.expr, site), site)
    found = ir.Aggregate("any", var.expr.index, ir.OverSet(pool), can_pay, None, site)
    enough = ir.Binary("ge", most, least, site)
    nothing = ir.Binary("le", least, ir.Const(0), site)
    return ir.Binary("or", nothing, ir.Binary("and", enough, found, site), site)


def _captured(stmts: Stmts, statement: syn.ChooseSomeStmt, scope: Scope) -> list[tuple[str, Value]]:
    """What of the surrounding block the price reads."""
    found: list[tuple[str, Value]] = []
    if stmts.code.me is not None:
        found.append(("me", stmts.code.me))
    read = [node.id for node in walk(statement.cost) if isinstance(node, syn.Name)] if statement.cost else []
    for name in dict.fromkeys(read):
        bound = scope.find(name)
        if name != statement.name and bound is not None and bound.type.sort != "unknown":
            found.append((name, stmts.code.value_of(bound)))
    return found


def _open(stmts: Stmts, name: str, captured: list[tuple[str, Value]]) -> tuple[Code, Scope, list[Any]]:
    code = Code(name, stmts.code.owner, pure=True, machine=False)
    scope = Scope()
    given: list[Any] = []
    for known, value in captured:
        made = code.variable(known, value.type)
        given += flatten(made)
        if known == "me":
            code.me = made
        else:
            code.bind(scope, known, made, None)
    return code, scope, given


def _price_function(
    stmts: Stmts, statement: syn.ChooseSomeStmt, scope: Scope, dom: Dom, captured: list[tuple[str, Value]]
) -> int:
    """Function(captured..., member): what one costs."""
    from grognard.compiler.lower.stmts.seam import Stmts

    code, inner, _ = _open(stmts, f"price {stmts.code.owner}.{statement.name}", captured)
    code.mark = stmts.code.mark
    code.result = INT
    inner.names.update(scope.arrays())
    inner.narrowed.update(scope.all_narrowed())
    var = code.variable(statement.name, dom_type(dom))
    code.bind(inner, statement.name, var, statement.span)
    params = len(code.locals)
    sub = Stmts(stmts.lowerer, code)
    cost: Any = ir.Const(0)
    if statement.cost is not None:
        cost = sub.checked(statement.cost, inner, INT).expr
    code.emit(ir.Return(ir.Binary("max", cost, ir.Const(0), stmts.lowerer.nowhere)))
    made = stmts.lowerer.new_function(code, params, INT, stmts.lowerer.nowhere)
    if code.reads_secret:
        stmts.code.reads_secret = True
        stmts.lowerer.secret_readers.add(f"function {made}")
    return made


def _number_function(stmts: Stmts, captured: list[tuple[str, Value]], price: int, dom: Dom) -> int:
    """Function(captured..., group, rest, room, least, money): how many of a member, so that the others can make up the rest;
    the greatest number first."""
    code, _, given = _open(stmts, f"numbers {stmts.code.owner}", captured)
    site = stmts.lowerer.nowhere
    group, rest = code.variable("group", set_type(dom)), code.variable("rest", set_type(dom))
    room, least, money = (code.variable(name, INT) for name in ("room", "least", "money"))
    params = len(code.locals)
    cost, most, step, number, left = (
        code.variable(name, INT) for name in ("cost", "most", "step", "number", "left")
    )
    other = code.variable("other", dom_type(dom))

    def binary(op: Any, a: Any, b: Any) -> Any:
        return ir.Binary(op, a, b, site)

    member = ir.SetNext(group.expr, ir.Const(NONE))
    code.emit(ir.Assign(cost.expr.index, ir.Call(price, (*given, member))))
    code.emit(ir.Assign(most.expr.index, room.expr))
    limited = binary("ge", money.expr, ir.Const(0))
    payable = binary("min", most.expr, binary("div_down", money.expr, cost.expr))
    dear = binary("and", limited, binary("gt", cost.expr, ir.Const(0)))
    code.emit(ir.IfStmt(dear, (ir.Assign(most.expr.index, payable),)))
    after = binary("sub", money.expr, binary("mul", number.expr, cost.expr))
    wanted = binary("mul", left.expr, ir.Call(price, (*given, other.expr)))
    can_pay = binary("or", ir.Unary("not", limited), binary("le", wanted, after))
    others = ir.Aggregate("any", other.expr.index, ir.OverSet(rest.expr), can_pay, None, site)
    code.emit(
        ir.For(
            step.expr.index, ir.OverRange(ir.Const(0), most.expr), None, None, None, False,
            (
                ir.Assign(number.expr.index, binary("sub", most.expr, step.expr)),
                ir.Assign(left.expr.index, binary("sub", least.expr, number.expr)),
                ir.IfStmt(binary("or", binary("le", left.expr, ir.Const(0)), others), (ir.Yield(number.expr),)),
            ),
            site,
        )
    )  # fmt: skip
    return stmts.lowerer.new_function(code, params, None, site)
