"""Dice and draws of a chance program: each stops like a question, and who runs the program decides how they fall.

The program that odds are worked out on is the ruleset lowered once more with these in the place of `roll` and `draw`.
All that a result depends on is left in locals of the frame; ir.Chance says where.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from grognard.compiler.sema.scope import Code, Value
from grognard.compiler.sema.types import (
    INT,
    Type,
    int_range,
    set_type,
)
from grognard.contract import ir

if TYPE_CHECKING:
    from grognard.compiler.lower.stmts.statements import Stmts


def stops(stmts: Stmts) -> bool:
    """Whether dice stop here: in the machines of a chance program."""
    return bool(stmts.world.chance and stmts.code.machine)


def _stop(stmts: Stmts, chance: ir.Chance, local: int, site: int, label: str) -> None:
    lowerer, m = stmts.lowerer, stmts.m
    seats = stmts.world.seats
    assert seats
    offered = lowerer.candidates.chance_candidates()
    ask = lowerer.questions.new_ask(
        f"{m.owner}.(chance)", label, "int", site, function=offered, chance=chance
    )
    following = m.new_block()
    m.end(
        ir.Ask(ask, offered, (), ir.DomainBase(seats.id), local, following, None, None, None, False, None, None, site)
    )  # fmt: skip
    m.switch(following)


def offered_by_chance(code: Code) -> None:
    """Two answers that mean nothing, so that a back end stops: the real ones are not for it to know."""
    code.emit(ir.Yield(ir.Const(0)))
    code.emit(ir.Yield(ir.Const(1)))


def total(stmts: Stmts, dice: int, lo: int, hi: int, local: int, site: int, label: str) -> None:
    _stop(stmts, ir.Chance("total", dice, lo, hi), local, site, label)


def pool(stmts: Stmts, count: ir.Expr, lo: int, hi: int, result: int, site: int, label: str) -> None:
    number = stmts.code.local("(dice)", INT)
    stmts.code.emit(ir.Assign(number, count))
    stmts.code.emit(ir.ListClear(result))
    unused = stmts.code.local("(fallen)", INT)
    # Without dice there is nothing to wait for.
    m = stmts.m
    some, none = m.new_block(), m.new_block()
    m.end(ir.Branch(ir.Binary("ne", ir.Local(number), ir.Const(0), site), some, none))
    m.switch(some)
    _stop(stmts, ir.Chance("pool", 1, lo, hi, number=number, result=result), unused, site, label)
    m.go_to(none)


def each(
    stmts: Stmts, var: Value, over: Any, where: Any, limit: ir.Expr, dice: tuple[int, int, int], result: int,
    site: int, label: str, room: int,
) -> None:  # fmt: skip
    """The elements and the limit of each, in the order of the elements, then the stop."""
    dom = var.type.dom
    assert dom is not None
    count, lo, hi = dice
    elements = stmts.code.variable("(rolling)", set_type(dom))
    limits = stmts.code.variable("(limits)", Type("list", element=int_range(lo, hi), capacity=room))
    stmts.code.emit(ir.AssignSet(elements.expr.index, ir.SetOf(dom.id, ())))
    stmts.code.emit(ir.ListClear(limits.expr.index))
    body = (
        ir.SetChange(elements.expr.index, var.expr, True),
        ir.ListAppend(limits.expr.index, limit, site),
    )
    stmts.code.emit(ir.For(var.expr.index, over, dom.id, where, None, False, body, site))
    chance = ir.Chance(
        "each", count, lo, hi, elements=elements.expr.index, limits=limits.expr.index, result=result
    )
    unused = stmts.code.local("(fallen)", INT)
    _stop(stmts, chance, unused, site, label)


def draw(stmts: Stmts, bag: int, local: int, site: int, label: str) -> None:
    _stop(stmts, ir.Chance("draw", bag=bag), local, site, label)


#: How the names of machines begin that run on scratch copies, for hypotheticals.
TRIAL_OF = "trial of "


def honest_trials(machines: Sequence[ir.Machine], asks: Sequence[ir.AskDecl]) -> list[ir.Machine]:
    """Hypotheticals would take dice for choices and have them fall as is best: those that come to dice throw one that
    nobody lets fall, which is told as an error."""
    calls = [
        {block.end.machine for block in machine.blocks if isinstance(block.end, ir.CallMachine)}
        for machine in machines
    ]
    rolls = {
        machine.id
        for machine in machines
        if any(isinstance(b.end, ir.Ask) and asks[b.end.ask].chance is not None for b in machine.blocks)
    }
    while more := {n for n, called in enumerate(calls) if n not in rolls and called & rolls}:
        rolls |= more
    return [
        _throwing(machine) if machine.id in rolls and machine.name.startswith(TRIAL_OF) else machine
        for machine in machines
    ]


def _throwing(machine: ir.Machine) -> ir.Machine:
    first, *rest = machine.blocks
    die = ir.Roll(ir.Const(1), ir.Const(1), ir.Const(1), None, None, machine.site)
    return replace(machine, blocks=(replace(first, body=(die, *first.body)), *rest))
