"""Chance nodes: in a chance program dice and draws stop like questions, and the caller supplies the outcome.

Odds are computed on a second lowering of the ruleset, in which chance nodes replace `roll` and `draw`.  The locals of
the frame hold everything that the outcomes depend on; ir.Chance names them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from grognard.compiler.lower.code import Code, Value
from grognard.compiler.sema.types import (
    INT,
    Type,
    int_range,
    set_type,
)
from grognard.contract import ir

if TYPE_CHECKING:
    from grognard.compiler.lower.stmts.statements import Statements


def stops(low: Statements) -> bool:
    """Whether dice become chance nodes here: in the machines of a chance program."""
    return bool(low.symbols.chance and low.code.machine)


def _stop(low: Statements, chance: ir.Chance, local: int, site: int, label: str) -> None:
    lowerer, m = low.lowerer, low.m
    seats = low.symbols.seats
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
    """Two placeholder answers that make a back end stop.  The real outcomes are computed by odds."""
    code.emit(ir.Yield(ir.Const(0)))
    code.emit(ir.Yield(ir.Const(1)))


def total(low: Statements, dice: int, lo: int, hi: int, local: int, site: int, label: str) -> None:
    _stop(low, ir.Chance("total", dice, lo, hi), local, site, label)


def pool(low: Statements, count: ir.Expr, lo: int, hi: int, result: int, site: int, label: str) -> None:
    number = low.code.local("(dice)", INT)
    low.code.emit(ir.Assign(number, count))
    low.code.emit(ir.ListClear(result))
    unused = low.code.local("(fallen)", INT)
    # A pool without dice has one outcome: no chance node.
    m = low.m
    some, none = m.new_block(), m.new_block()
    m.end(ir.Branch(ir.Binary("ne", ir.Local(number), ir.Const(0), site), some, none))
    m.switch(some)
    _stop(low, ir.Chance("pool", 1, lo, hi, number=number, result=result), unused, site, label)
    m.go_to(none)


def each(
    low: Statements, var: Value, over: Any, where: Any, limit: ir.Expr, dice: tuple[int, int, int], result: int,
    site: int, label: str, room: int,
) -> None:  # fmt: skip
    """Collect the elements and their limits, in the order of the elements, then stop."""
    dom = var.type.dom
    assert dom is not None
    count, lo, hi = dice
    elements = low.code.variable("(rolling)", set_type(dom))
    limits = low.code.variable("(limits)", Type("list", element=int_range(lo, hi), capacity=room))
    low.code.emit(ir.AssignSet(elements.expr.index, ir.SetOf(dom.id, ())))
    low.code.emit(ir.ListClear(limits.expr.index))
    body = (
        ir.SetChange(elements.expr.index, var.expr, True),
        ir.ListAppend(limits.expr.index, limit, site),
    )
    low.code.emit(ir.For(var.expr.index, over, dom.id, where, None, False, body, site))
    chance = ir.Chance(
        "each", count, lo, hi, elements=elements.expr.index, limits=limits.expr.index, result=result
    )
    unused = low.code.local("(fallen)", INT)
    _stop(low, chance, unused, site, label)


def draw(low: Statements, bag: int, local: int, site: int, label: str) -> None:
    _stop(low, ir.Chance("draw", bag=bag), local, site, label)


#: Prefix of the names of machines that run on copies of the position, for hypotheticals.
TRIAL_OF = "trial of "


def forbid_dice_in_trials(machines: Sequence[ir.Machine], asks: Sequence[ir.AskDecl]) -> list[ir.Machine]:
    """Make hypotheticals that reach dice fail.

    A hypothetical would take a chance node for a choice and pick the best outcome.  So a machine that can reach one
    begins with a roll, which a chance program reports as an error."""
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
        _failing(machine) if machine.id in rolls and machine.name.startswith(TRIAL_OF) else machine
        for machine in machines
    ]


def _failing(machine: ir.Machine) -> ir.Machine:
    first, *rest = machine.blocks
    die = ir.Roll(ir.Const(1), ir.Const(1), ir.Const(1), None, None, machine.site)
    return replace(machine, blocks=(replace(first, body=(die, *first.body)), *rest))
