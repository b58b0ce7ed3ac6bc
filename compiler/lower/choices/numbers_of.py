"""`choose numbers of k in Kind costing k.cost within money -> n`: how many of each member, within a budget."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from grognard.compiler.lower.choices.asking import fail_empty, shown
from grognard.compiler.lower.choices.numbers import Asked, Pick
from grognard.compiler.lower.code import Code, Value, flatten
from grognard.compiler.lower.exprs.aggregates import lower_source
from grognard.compiler.lower.exprs.expressions import Lowering
from grognard.compiler.sema.typed import nodes as t
from grognard.compiler.sema.typed.choices_of_sets import MOST
from grognard.compiler.sema.types import INT, Dom, dom_type, set_type
from grognard.contract import ir
from grognard.contract.header import NONE

if TYPE_CHECKING:
    from grognard.compiler.lower.choices.actions import Rest
    from grognard.compiler.lower.stmts.statements import Statements


def choose_numbers(low: Statements, node: t.ChooseNumbers, rest: Rest | None = None) -> None:
    """Ask how many of each member; the numbers are a value for each of them, that belongs to the procedure."""
    m, site, statement, info = low.m, low.lowerer.nowhere, node.written, node.info
    dom = node.candidate.type.dom
    assert dom is not None
    over = lower_source(low, node.source)
    number = low.builder.new_field(f"({m.owner}.{statement.into})", (dom,), info.type, 0)
    low.builder.veiled.add(number)
    info.field = number
    low.builder.fields_by_id[number] = info
    given = _given(low, node)
    price = _price_function(low, node)
    name = f"{m.owner}.{statement.name}"
    label, named = node.question.label, shown(low, node.question.shown)
    asked = Asked(name, label, named, statement.cites.ids, statement.span, dom_type(dom), price)
    pick = Pick(low, asked, dom)
    pool, least, most, money = _setting(low, node, over, dom)
    total = m.variable("(total)", INT)
    m.emit(ir.Reset(number))
    m.emit(ir.Assign(total.expr.index, ir.Const(0)))
    possible, impossible, head, body, complete, done = (m.new_block() for _ in range(6))
    able = _possible(low, pool.expr, least, most, money, price, given, dom)
    m.end(ir.Branch(able, possible, impossible))
    m.switch(possible)
    decided = low.store_in_local(low.lower(node.seat))
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
    function = _number_function(low, node, price, dom)
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
    if node.otherwise is not None:
        low.statements(node.otherwise)
    elif rest is not None or (statement.at_least is None and statement.exactly is None):
        m.jump(done)
    if m.open:
        fail_empty(low, f"no numbers can be chosen for {statement.into}", statement)
        m.end(ir.ReturnMachine(ir.Const(0) if m.result is not None else None))
    m.switch(done)


def can_choose_numbers(low: Lowering, node: t.ChooseNumbers) -> ir.Expr:
    """In the declaration part of an action: whether there are numbers to choose."""
    dom = node.candidate.type.dom
    assert dom is not None
    over = lower_source(low, node.source)
    given = _given(low, node)
    price = _price_function(low, node)
    pool, least, most, money = _setting(low, node, over, dom)
    return _possible(low, pool.expr, least, most, money, price, given, dom)


def _setting(
    low: Lowering, node: t.ChooseNumbers, over: Any, dom: Dom
) -> tuple[Value, ir.Expr, ir.Expr, Value]:
    """The members in question, the least and the greatest number in all, and the money, -1 for no limit."""
    code, site, limits = low.code, low.lowerer.nowhere, node.limits
    name = node.written.name
    var = code.values[node.candidate] = code.variable(name, dom_type(dom))
    where = low.test(node.where) if node.where is not None else None
    pool = code.variable(f"({name} in question)", set_type(dom))
    code.emit(ir.AssignSet(pool.expr.index, ir.SetBuild(dom.id, var.expr.index, over, where, None)))
    least: Any = ir.Const(0)
    most: Any = ir.Const(MOST)
    if limits.at_least is not None:
        least = low.lower(limits.at_least).expr
    for bound in (limits.exactly, limits.up_to):
        if bound is not None:
            most = ir.Binary("min", low.lower(bound).expr, ir.Const(MOST), site)
    if limits.exactly is not None:
        least = most
    money = code.variable("(money)", INT)
    has: Any = ir.Const(-1)
    if node.budget is not None:
        has = ir.Binary("max", low.lower(node.budget).expr, ir.Const(0), site)
    code.emit(ir.Assign(money.expr.index, has))
    return pool, least, most, money


def _possible(
    low: Lowering, pool: Any, least: ir.Expr, most: ir.Expr, money: Value, price: int, given: list[Any], dom: Dom
) -> ir.Expr:  # fmt: skip
    """Whether as many can be had as there must be."""
    site = low.lowerer.nowhere
    var = low.code.variable("(cheap)", dom_type(dom))
    cost = ir.Binary("mul", least, ir.Call(price, (*given, var.expr)), site)
    free = ir.Binary("lt", money.expr, ir.Const(0), site)
    can_pay = ir.Binary("or", free, ir.Binary("le", cost, money.expr, site), site)
    found = ir.Aggregate("any", var.expr.index, ir.OverSet(pool), can_pay, None, site)
    enough = ir.Binary("ge", most, least, site)
    nothing = ir.Binary("le", least, ir.Const(0), site)
    return ir.Binary("or", nothing, ir.Binary("and", enough, found, site), site)


def _given(low: Lowering, node: t.ChooseNumbers) -> list[Any]:
    """What of the surrounding block the price reads."""
    code = low.code
    values = [] if code.me is None else [code.me]
    values += [low.value_of(variable) for variable in node.captured]
    return [part for value in values for part in flatten(value)]


def _open(low: Lowering, node: t.ChooseNumbers, name: str) -> tuple[Code, list[Any]]:
    """A function that is given what the price reads."""
    code = Code(name, low.code.owner, pure=True, machine=False)
    given: list[Any] = []
    if low.code.me is not None:
        code.me = code.variable("me", low.code.me.type)
        given += flatten(code.me)
    for variable in node.captured:
        made = code.values[variable] = code.variable(variable.name, variable.type)
        given += flatten(made)
    return code, given


def _price_function(low: Lowering, node: t.ChooseNumbers) -> int:
    """Function(captured..., member): what one costs."""
    code, _ = _open(low, node, f"price {low.code.owner}.{node.written.name}")
    code.mark = low.code.mark
    code.result = INT
    code.values[node.candidate] = code.variable(node.written.name, node.candidate.type)
    params = len(code.locals)
    cost: Any = ir.Const(0)
    if node.cost is not None:
        cost = Lowering(low.lowerer, code).lower(node.cost).expr
    code.emit(ir.Return(ir.Binary("max", cost, ir.Const(0), low.lowerer.nowhere)))
    made = low.lowerer.new_function(code, params, INT, low.lowerer.nowhere)
    if code.reads_secret:
        low.code.reads_secret = True
        low.lowerer.secret_readers.add(f"function {made}")
    return made


def _number_function(low: Lowering, node: t.ChooseNumbers, price: int, dom: Dom) -> int:
    """Function(captured..., group, rest, room, least, money): how many of a member, so that the others can make up the rest;
    the greatest number first."""
    code, given = _open(low, node, f"numbers {low.code.owner}")
    site = low.lowerer.nowhere
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
    return low.lowerer.new_function(code, params, None, site)
