"""Choices by number: of counters that nothing tells apart it is asked how many.

One group after the other is asked for, each with the numbers from which the whole can still be completed: for back ends
these are questions like any other.  `ir.Numbers` says where the groups lie, so that all can be answered at once.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from grognard.compiler.lower.choices.asking import Together
from grognard.compiler.lower.code import Code, Value
from grognard.compiler.sema.types import FLAG, INT, Dom, Type, dom_type, set_type
from grognard.contract import ir
from grognard.contract.header import NONE
from grognard.support.prompt_text import without_names
from grognard.support.source import Span

if TYPE_CHECKING:
    from grognard.compiler.lower.exprs.expressions import Lowering
    from grognard.compiler.lower.lowerer import Lowerer
    from grognard.compiler.lower.stmts.statements import Statements


def by_number(low: Lowering, dom: Dom | None) -> bool:
    """Whether counters are chosen by number.  Where something is hidden the groups themselves would tell of it; in a chance
    program policies speak of counters."""
    return dom is not None and low.code.machine and told_by_number(low, dom)


def told_by_number(low: Lowering, dom: Dom) -> bool:
    """Whether it is numbers of counters that choices tell apart, wherever that is asked."""
    return dom.interchangeable and not low.symbols.chance and not low.lowerer.questions.anything_secret()


@dataclass(frozen=True, slots=True)
class Asked:
    """What is the same for all questions of one choice."""

    #: the name of the question, its text, the locals that are shown in it, and where it stands
    name: str
    label: str
    named: tuple[tuple[str, int, str], ...]
    cites: tuple[str, ...]
    span: Span
    #: the type of what is chosen, for policies
    element: Type
    price: int | None = None


class Pick:
    """The locals of one choice by number, and its questions."""

    def __init__(self, low: Statements, asked: Asked, dom: Dom) -> None:
        m = low.m
        self.low, self.asked, self.dom = low, asked, dom
        self.group = m.variable(f"({asked.name} alike)", set_type(dom))
        self.rest = m.variable(f"({asked.name} left)", set_type(dom))
        self.chosen = m.variable(f"({asked.name} chosen)", set_type(dom))
        self.room = m.variable("(room)", INT)
        self.least = m.variable("(least)", INT)
        self.number = m.variable("(number)", INT)
        self._ask: int | None = None
        self._told, self._ended = self._sites()

    def _sites(self) -> tuple[int, int]:
        """Of the records: so many of these, and that the choice is complete."""
        lowerer, asked = self.low.lowerer, self.asked
        seats = self.low.symbols.seats
        assert seats
        seat = f"dom:{seats.id}"
        text = f"{{0}}: {without_names(asked.label)}"
        owner = self.low.code.owner
        told = lowerer.site(
            "number",
            f"{text} {{1}} {{2}}",
            asked.span,
            asked.cites,
            (seat, "int", f"dom:{self.dom.id}"),
            owner,
        )
        ended = lowerer.site("numbers", f"{text} {{1}}", asked.span, asked.cites, (seat, "int"), owner)
        return told, ended

    def next_group(self) -> None:
        """The first of those that are left, and those like it."""
        code, rest = self.low.code, self.rest
        alike: Any = (
            ir.Alike(self.dom.id, rest.expr)
            if self.dom.interchangeable
            else ir.SetOf(self.dom.id, (ir.SetNext(rest.expr, ir.Const(NONE)),))
        )
        code.emit(ir.AssignSet(self.group.expr.index, alike))
        code.emit(ir.AssignSet(rest.expr.index, ir.SetBinary("minus", rest.expr, self.group.expr)))

    def ask(self, function: int, args: tuple[Any, ...], seat: Value, *, tested: bool) -> None:
        """Stop for the number of the group; go on in a block where it is known."""
        low, asked, m = self.low, self.asked, self.low.m
        lowerer = low.lowerer
        if self._ask is None:
            numbers = ir.Numbers(
                self.group.expr.index,
                self.rest.expr.index,
                self.chosen.expr.index,
                self.room.expr.index,
                self.least.expr.index,
                tested,
                asked.price,
                self._ended,
            )
            site = lowerer.site(
                "number asked", without_names(asked.label), asked.span, asked.cites, (), low.code.owner
            )
            self._ask = lowerer.questions.new_ask(
                asked.name, asked.label, "int", site, function=function, named=asked.named, numbers=numbers
            )
            lowerer.choices.setdefault(asked.name, asked.element)
        following = m.new_block()
        ask = low.builder.asks[self._ask]
        m.end(
            ir.Ask(
                self._ask, function, args, seat.expr, self.number.expr.index, following, None, None, None, True, None, None, ask.site
            )
        )  # fmt: skip
        m.switch(following)
        some = ir.Binary("gt", self.number.expr, ir.Const(0), lowerer.nowhere)
        first = ir.SetNext(self.group.expr, ir.Const(NONE))
        told = ir.Note(1, self._told, (seat.expr, self.number.expr, first))
        m.emit(ir.IfStmt(some, (told,)))

    def take(self) -> None:
        """So many of the group are chosen."""
        lowerer, code = self.low.lowerer, self.low.code
        taken = ir.SetCall(lowerer.candidates.first_of(self.dom), (self.group.expr, self.number.expr))
        code.emit(ir.AssignSet(self.chosen.expr.index, ir.SetBinary("union", self.chosen.expr, taken)))
        left = ir.Binary("sub", self.room.expr, self.number.expr, lowerer.nowhere)
        code.emit(ir.Assign(self.room.expr.index, left))

    def complete(self, seat: Value, total: ir.Expr) -> None:
        """Say in the trace that the choice is complete."""
        self.low.m.emit(ir.Note(1, self._ended, (seat.expr, total)))


def select_by_number(
    low: Statements, pick: Pick, pool: ir.SetExpr, seat: Value | Together, function: int | None, captured: tuple[Any, ...]
) -> None:  # fmt: skip
    """Ask for the numbers of all groups of the pool; `room` and `least` of the pick are known.  `function` offers the numbers
    that conditions allow; without it every set of the right size will do.  The result is `chosen` of the pick."""
    m, site = low.m, low.lowerer.nowhere
    room, least = m.variable("(most in all)", INT), m.variable("(fewest in all)", INT)
    m.emit(ir.Assign(room.expr.index, pick.room.expr))
    m.emit(ir.Assign(least.expr.index, pick.least.expr))

    def once(one: Value) -> None:
        m.emit(ir.AssignSet(pick.rest.expr.index, pool))
        m.emit(ir.AssignSet(pick.chosen.expr.index, ir.SetOf(pick.dom.id, ())))
        m.emit(ir.Assign(pick.room.expr.index, room.expr))
        head, body, complete, done = (m.new_block() for _ in range(4))
        some = ir.Unary("not", ir.SetEqual(pick.rest.expr, ir.SetOf(pick.dom.id, ())))
        more = ir.Binary("and", ir.Binary("gt", pick.room.expr, ir.Const(0), site), some, site)
        # Where nothing can be chosen nothing is said.
        m.end(ir.Branch(more, body, done))
        m.switch(head)
        m.end(ir.Branch(more, body, complete))
        m.switch(body)
        pick.next_group()
        if function is not None:
            args = (
                *captured, pick.chosen.expr, pick.group.expr, pick.rest.expr, pick.room.expr, least.expr
            )  # fmt: skip
            pick.ask(function, args, one, tested=True)
        else:
            size = ir.SetCount(pick.group.expr)
            most = ir.Binary("min", size, pick.room.expr, site)
            had = ir.Binary("add", ir.SetCount(pick.chosen.expr), ir.SetCount(pick.rest.expr), site)
            fewest = ir.Binary("max", ir.Const(0), ir.Binary("sub", least.expr, had, site), site)
            numbers = low.lowerer.candidates.number_candidates()
            pick.ask(numbers, (fewest, most), one, tested=False)
        pick.take()
        m.jump(head)
        m.switch(complete)
        pick.complete(one, ir.SetCount(pick.chosen.expr))
        m.go_to(done)

    jointly(low, seat, pick.chosen, once)


def jointly(low: Statements, seat: Value | Together, chosen: Value, once: Callable[[Value], None]) -> None:
    """Have a seat choose, or each of several and, where they do not agree, another; `once` writes the choice by a seat."""
    if not isinstance(seat, Together):
        once(seat)
        return
    m, site = low.m, low.lowerer.nowhere
    assert low.symbols.seats and chosen.type.dom
    asked = m.variable("(asked)", dom_type(low.symbols.seats))
    proposal = m.variable("(proposal)", chosen.type)
    proposed, final = m.variable("(proposed)", FLAG), m.variable("(final)", FLAG)
    for flag in (proposed, final):
        m.emit(ir.Assign(flag.expr.index, ir.Const(0)))
    m.emit(ir.Assign(asked.expr.index, ir.Const(NONE)))
    following, choose, answered, first, later, nobody, other, done = (m.new_block() for _ in range(8))
    m.go_to(following)
    m.emit(ir.Assign(asked.expr.index, ir.SetNext(seat.seats.expr, asked.expr)))
    m.end(ir.Branch(ir.Binary("eq", asked.expr, ir.Const(NONE), site), nobody, choose))
    m.switch(choose)
    once(asked)
    m.end(ir.Branch(final.expr, done, answered))
    m.switch(answered)
    m.end(ir.Branch(proposed.expr, later, first))
    m.switch(first)
    m.emit(ir.Assign(proposed.expr.index, ir.Const(1)))
    m.emit(ir.AssignSet(proposal.expr.index, chosen.expr))
    m.jump(following)
    m.switch(later)
    m.end(ir.Branch(ir.SetEqual(chosen.expr, proposal.expr), following, other))
    m.switch(nobody)
    m.end(ir.Branch(proposed.expr, done, other))
    m.switch(other)
    m.emit(ir.Assign(final.expr.index, ir.Const(1)))
    m.emit(ir.Assign(asked.expr.index, seat.otherwise.expr))
    m.jump(choose)
    m.switch(done)


# ---------------------------------------------------------------------------------------- functions made once


def number_function(lowerer: Lowerer) -> int:
    """Function(lo, hi): the numbers from the greatest down, as the first of several counters was offered first."""
    code = Code("numbers", "", pure=True, machine=False)
    lo, hi = code.variable("lo", INT), code.variable("hi", INT)
    step = code.variable("n", INT)
    reach = ir.Binary("sub", hi.expr, lo.expr, lowerer.nowhere)
    number = ir.Binary("sub", hi.expr, step.expr, lowerer.nowhere)
    code.emit(
        ir.For(
            step.expr.index, ir.OverRange(ir.Const(0), reach), None, None, None, False, (ir.Yield(number),), lowerer.nowhere
        )
    )  # fmt: skip
    return lowerer.new_function(code, 2, None, lowerer.nowhere)


def first_of_function(lowerer: Lowerer, dom: Dom) -> int:
    """Function(set, n): its first n members."""
    code = Code(f"first members of {dom.name}", "", pure=True, machine=False)
    group, number = code.variable("set", set_type(dom)), code.variable("n", INT)
    found, taken = code.variable("found", set_type(dom)), code.variable("taken", INT)
    var = code.variable("x", dom_type(dom))
    site = lowerer.nowhere
    code.emit(
        ir.IfStmt(ir.Binary("ge", number.expr, ir.SetCount(group.expr), site), (ir.Return(group.expr),))
    )
    body = (
        ir.IfStmt(ir.Binary("ge", taken.expr, number.expr, site), (ir.Break(),)),
        ir.SetChange(found.expr.index, var.expr, True),
        ir.Assign(taken.expr.index, ir.Binary("add", taken.expr, ir.Const(1), site)),
    )
    code.emit(ir.For(var.expr.index, ir.OverSet(group.expr), dom.id, None, None, False, body, site))
    code.emit(ir.Return(found.expr))
    return lowerer.new_function(code, 2, set_type(dom), site)
