"""`assign` to counters of which nothing tells some apart: how many of each group take one.

Who takes one is chosen first for all groups; of those that are chosen and have room, who takes a second, and so on.  So each
outcome has one way.  Matchings form a matroid: between the fewest and the most of a group that can be matched, every number can.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from grognard.compiler.lower.block_builder import captured
from grognard.compiler.lower.choices.asking import Together
from grognard.compiler.lower.choices.numbers import Asked, Pick, jointly
from grognard.compiler.lower.code import Value
from grognard.compiler.sema.types import INT, set_type
from grognard.contract import ir

if TYPE_CHECKING:
    from grognard.compiler.lower.stmts.statements import Statements


@dataclass(frozen=True, slots=True)
class Matching:
    """What one tier of an `assign` is made of."""

    wanted: Value
    right: Value
    within: Value
    #: lists of those that have one assigned, and of a trial
    chosen: Value
    trial: Value
    candidates: Value
    #: whether every pair fits: None where nothing says which do
    alike: Value | None
    room: Any
    #: whether the element `right` can have one as well, beside a list
    coverable: Callable[[Any, Value], Any]
    able: Any
    site: int
    #: writes what follows an assignment
    then: Callable[[], None]


def assign_by_number(low: Statements, asked: Asked, seat: Value | Together, what: Matching) -> None:
    """Have a seat say how many of each group of candidates have one assigned, until no more can be."""
    m, site = low.m, what.site
    right, chosen = what.right, what.chosen
    assert right.type.dom
    dom = right.type.dom
    pick = Pick(low, asked, dom)
    goal, forced = m.variable("(goal)", INT), m.variable("(forced)", INT)
    within = m.variable("(taking one)", set_type(dom))
    m.emit(ir.AssignSet(within.expr.index, what.within.expr))
    head, look, some, ask, take_all, done = (m.new_block() for _ in range(6))
    some_left = ir.Binary("lt", ir.ListLength(chosen.expr), what.wanted.expr, site)
    m.go_to(head)
    m.end(ir.Branch(some_left, look, done))
    m.switch(look)
    build = ir.SetBuild(dom.id, right.expr.index, ir.OverSet(within.expr), what.able, None)
    m.emit(ir.AssignSet(what.candidates.expr.index, build))
    nobody = ir.SetEqual(what.candidates.expr, ir.SetOf(dom.id, ()))
    m.end(ir.Branch(nobody, done, some))
    m.switch(some)
    sums = _Sums(low, what, pick, goal)
    sums.find_goal(forced)
    m.end(ir.Branch(forced.expr, take_all, ask))
    m.switch(take_all)
    _assign_all(low, what, what.candidates)
    m.jump(done)
    m.switch(ask)

    def once(one: Value) -> None:
        left = ir.Binary("sub", goal.expr, ir.ListLength(chosen.expr), site)
        m.emit(ir.Assign(pick.room.expr.index, left))
        # Where nobody can take two, all that is left goes to as many.
        ones = ir.Aggregate(
            "all", right.expr.index, ir.OverSet(what.candidates.expr), None, ir.Binary("eq", what.room, ir.Const(1), site), site
        )  # fmt: skip
        m.emit(ir.Assign(pick.least.expr.index, ir.If(ones, left, ir.Const(1))))
        m.emit(ir.AssignSet(pick.rest.expr.index, what.candidates.expr))
        m.emit(ir.AssignSet(pick.chosen.expr.index, ir.SetOf(dom.id, ())))
        again, body, complete = m.new_block(), m.new_block(), m.new_block()
        m.go_to(again)
        more = ir.Binary("gt", pick.room.expr, ir.Const(0), site)
        others = ir.Unary("not", ir.SetEqual(pick.rest.expr, ir.SetOf(dom.id, ())))
        m.end(ir.Branch(ir.Binary("and", more, others, site), body, complete))
        m.switch(body)
        pick.next_group()
        sums.find_bounds()
        numbers = low.lowerer.candidates.number_candidates()
        pick.ask(numbers, (sums.fewest.expr, sums.most.expr), one, tested=False)
        pick.take()
        m.jump(again)
        m.switch(complete)
        pick.complete(one, ir.SetCount(pick.chosen.expr))

    jointly(low, seat, pick.chosen, once)
    with captured(low.code) as each:
        low.code.emit(ir.ListAppend(chosen.expr.index, right.expr, site))
        what.then()
    m.emit(
        ir.For(right.expr.index, ir.OverSet(pick.chosen.expr), dom.id, None, None, False, tuple(each), site)
    )
    m.emit(ir.AssignSet(within.expr.index, pick.chosen.expr))
    m.jump(head)
    m.switch(done)


def _assign_all(low: Statements, what: Matching, group: Value) -> None:
    """Every member of the set takes as many as it has room for."""
    right, site = what.right, what.site
    assert right.type.dom
    n = low.code.local("(n)", INT)
    with captured(low.code) as each:
        low.code.emit(ir.ListAppend(what.chosen.expr.index, right.expr, site))
        what.then()
    fill = ir.For(n, ir.OverRange(ir.Const(1), what.room), None, None, None, False, tuple(each), site)
    low.m.emit(
        ir.For(right.expr.index, ir.OverSet(group.expr), right.type.dom.id, None, None, False, (fill,), site)
    )


class _Sums:
    """How many can be assigned in all, and how many of one group.  Where every pair fits, counting is enough."""

    def __init__(self, low: Statements, what: Matching, pick: Pick, goal: Value) -> None:
        m = low.m
        self.low, self.what, self.pick, self.goal = low, what, pick, goal
        self.fewest, self.most = m.variable("(fewest)", INT), m.variable("(most)", INT)
        self.n = m.variable("(n)", INT)
        self.other = m.variable("(slot)", INT)

    def _for(self, over: Any, *body: ir.Stmt) -> ir.Stmt:
        right = self.what.right
        assert right.type.dom
        return ir.For(right.expr.index, over, right.type.dom.id, None, None, False, body, self.what.site)

    def _fill(self, start: int, otherwise: tuple[ir.Stmt, ...] = ()) -> ir.Stmt:
        """Give the element as many as it can have beside the trial, from the one of this number on."""
        what, site = self.what, self.what.site
        space = ir.Binary("lt", ir.ListLength(what.trial.expr), what.wanted.expr, site)
        put = ir.ListAppend(what.trial.expr.index, what.right.expr, site)
        fits = ir.IfStmt(what.coverable(space, what.trial), (put,), (*otherwise, ir.Break()))
        over = ir.OverRange(ir.Const(start), what.room)
        return ir.For(self.other.expr.index, over, None, None, None, False, (fits,), site)

    def _sum(self, over: Any, value: Any) -> Any:
        return ir.Aggregate("sum", self.what.right.expr.index, over, None, value, self.what.site)

    def _either(self, quick: tuple[ir.Stmt, ...], slow: tuple[ir.Stmt, ...]) -> None:
        alike = self.what.alike
        if alike is None:
            for part in quick:
                self.low.m.emit(part)
        else:
            self.low.m.emit(ir.IfStmt(alike.expr, quick, slow))

    def find_goal(self, forced: Value) -> None:
        """How many can be assigned in all, and whether the candidates take all that they have room for."""
        what, site, goal = self.what, self.what.site, self.goal
        slots = self._sum(ir.OverSet(what.candidates.expr), what.room)
        total = ir.Binary("add", ir.ListLength(what.chosen.expr), slots, site)
        fits = ir.Binary("le", goal.expr, what.wanted.expr, site)
        least = ir.Binary("min", goal.expr, what.wanted.expr, site)
        quick = (
            ir.Assign(goal.expr.index, total),
            ir.Assign(forced.expr.index, fits),
            ir.Assign(goal.expr.index, least),
        )
        slow = (
            ir.AssignList(what.trial.expr.index, what.chosen.expr),
            ir.Assign(forced.expr.index, ir.Const(1)),
            self._for(
                ir.OverSet(what.candidates.expr),
                self._fill(1, (ir.Assign(forced.expr.index, ir.Const(0)),)),
            ),
            ir.Assign(goal.expr.index, ir.ListLength(what.trial.expr)),
        )
        self._either(quick, slow)

    def find_bounds(self) -> None:
        """The fewest and the most of the group, so that the goal can still be reached."""
        what, site, pick, n = self.what, self.what.site, self.pick, self.n

        def binary(op: Any, a: Any, b: Any) -> Any:
            return ir.Binary(op, a, b, site)

        group, room = pick.group.expr, pick.room.expr
        size = ir.SetCount(group)
        extra = self._sum(ir.OverSet(pick.chosen.expr), binary("sub", what.room, ir.Const(1)))
        later = self._sum(ir.OverSet(pick.rest.expr), what.room)
        each = ir.Aggregate("max", what.right.expr.index, ir.OverSet(group), None, what.room, site)
        short = binary("sub", binary("sub", room, extra), later)
        quick: tuple[ir.Stmt, ...] = (
            ir.Assign(self.most.expr.index, binary("min", size, room)),
            ir.Assign(self.fewest.expr.index, short),
            ir.IfStmt(
                binary("gt", self.fewest.expr, ir.Const(0)),
                (ir.Assign(self.fewest.expr.index, binary("div_up", self.fewest.expr, each)),),
                (ir.Assign(self.fewest.expr.index, ir.Const(0)),),
            ),
        )
        trial = what.trial.expr.index
        put = ir.ListAppend(trial, what.right.expr, site)
        start = (
            ir.AssignList(trial, what.chosen.expr),
            self._for(ir.OverSet(pick.chosen.expr), put),
        )
        space = binary("lt", ir.ListLength(what.trial.expr), what.wanted.expr)
        count = ir.Assign(n.expr.index, binary("add", n.expr, ir.Const(1)))
        first = ir.SetCall(self.low.lowerer.candidates.first_of(pick.dom), (group, self.fewest.expr))
        fill_rest = (
            *start,
            self._for(ir.OverSet(first), put),
            self._for(ir.OverSet(ir.SetBinary("union", pick.chosen.expr, first)), self._fill(2)),
            self._for(ir.OverSet(pick.rest.expr), self._fill(1)),
            ir.IfStmt(
                binary("ge", ir.ListLength(what.trial.expr), self.goal.expr),
                (ir.Break(),),
            ),
            ir.Assign(self.fewest.expr.index, binary("add", self.fewest.expr, ir.Const(1))),
        )
        slow = (
            *start,
            ir.Assign(n.expr.index, ir.Const(0)),
            self._for(
                ir.OverSet(group),
                ir.IfStmt(what.coverable(space, what.trial), (put, count), (ir.Break(),)),
            ),
            ir.Assign(self.most.expr.index, n.expr),
            ir.Assign(self.fewest.expr.index, ir.Const(0)),
            ir.While(binary("lt", self.fewest.expr, self.most.expr), fill_rest, site),
        )
        self._either(quick, slow)
