"""Tests of partly chosen subsets: is it finished, can it be completed, which member may come next?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from grognard.compiler.lower.choices.numbers import by_number, told_by_number
from grognard.compiler.lower.code import Code, Value, flatten
from grognard.compiler.lower.exprs.expressions import Lowering
from grognard.compiler.sema.typed import nodes as t
from grognard.compiler.sema.types import (
    FLAG,
    INT,
    Dom,
    Type,
    dom_type,
    set_type,
)
from grognard.contract import ir
from grognard.contract.header import NONE
from grognard.support.source import Span

if TYPE_CHECKING:
    from grognard.compiler.lower.choices.actions import Rest
    from grognard.compiler.lower.lowerer import Lowerer


@dataclass(slots=True)
class SubsetTests:
    """Functions over (captured values..., chosen, least), (captured..., chosen, left, room, least)."""

    finished: int
    completable: int
    candidates: int
    #: over (captured..., chosen, group, left, room, least): how many of a group
    numbers: int
    captured: tuple[Any, ...]
    #: whether something follows in a declaration part that must be possible
    goes_on: bool


def make_tests(low: Lowering, node: t.ChooseSome, dom: Dom, rest: Rest | None) -> SubsetTests:
    lowerer, code = low.lowerer, low.code
    captured: list[Any] = []
    if code.me is not None:
        captured.append(code.me.expr)
    for variable in node.captured:
        captured += flatten(low.value_of(variable))
    site = lowerer.site("loop", "choose some", node.written.span, owner=code.owner)
    build = _Builder(low, node, dom, site, rest)
    finished = build.finished()
    completable = build.completable(finished)
    numbered = by_number(low, dom)
    return SubsetTests(
        finished,
        completable,
        -1 if numbered else build.candidates(completable),
        build.numbers(completable) if numbered else -1,
        tuple(captured),
        build.goes_on,
    )


class _Builder:
    """Writes the functions of one `choose some`."""

    def __init__(self, low: Lowering, node: t.ChooseSome, dom: Dom, site: int, rest: Rest | None) -> None:
        self.outer, self.node = low.code, node
        self.dom, self.site, self.rest = dom, site, rest
        self.lowerer: Lowerer = low.lowerer
        self.goes_on = False

    def _open(self, what: str) -> tuple[Lowering, list[Any], Value]:
        """A function with the captured values and the set chosen so far as its first parameters."""
        owner, node = self.outer.owner, self.node
        code = Code(f"{what} {owner}.{node.written.into}", owner, pure=True, machine=False)
        code.mark = self.outer.mark
        code.result = FLAG
        given: list[Any] = []
        if self.outer.me is not None:
            assert self.lowerer.symbols.seats
            code.me = code.variable("me", dom_type(self.lowerer.symbols.seats))
            given.append(code.me.expr)
        for variable in node.captured:
            made = code.values[variable] = code.variable(variable.name, variable.type)
            given += flatten(made)
        chosen = code.values[node.chosen] = code.variable(node.written.into, set_type(self.dom))
        return Lowering(self.lowerer, code), given, chosen

    def _close(self, sub: Lowering, params: int, result: Type | None, number: int | None = None) -> int:
        made = self.lowerer.new_function(sub.code, params, result, self.site, number)
        if sub.code.reads_secret:
            self.outer.reads_secret = True
            self.lowerer.secret_readers.add(f"function {made}")
        return made

    def _refuse(self, sub: Lowering, condition: ir.Expr) -> None:
        sub.code.emit(ir.IfStmt(ir.Unary("not", condition), (ir.Return(ir.Const(0)),)))

    def finished(self) -> int:
        """Whether the set chosen may stay as it is."""
        sub, _given, chosen = self._open("finished")
        least = sub.code.variable("(least)", INT)
        params = len(sub.code.locals)
        self._refuse(sub, ir.Binary("ge", ir.SetCount(chosen.expr), least.expr, self.site))
        if self.node.joined is not None:
            self._refuse(sub, self._joined(sub, chosen.expr, chosen.expr))
        if self.node.such_that is not None:
            self._refuse(sub, sub.test(self.node.such_that))
        if self.rest is not None:
            test = self.lowerer.actions.completes(sub, self.rest, chosen)
            if test is not None:
                self.goes_on = True
                self._refuse(sub, test)
        sub.code.emit(ir.Return(ir.Const(1)))
        return self._close(sub, params, FLAG)

    def completable(self, finished: int) -> int:
        """Whether members that are left can be added until the set is finished."""
        sub, given, chosen = self._open("can complete")
        code, site = sub.code, self.site
        left = code.variable("(left)", set_type(self.dom))
        room, least = code.variable("(room)", INT), code.variable("(least)", INT)
        params = len(code.locals)
        number = self.lowerer.builder.reserve_function()
        if self.node.keeping is not None:
            some = ir.Binary("gt", ir.SetCount(chosen.expr), ir.Const(0), site)
            kept = sub.test(self.node.keeping)
            self._refuse(sub, ir.Binary("or", ir.Unary("not", some), kept, site))
        if self.node.joined is not None:
            union = ir.SetBinary("union", chosen.expr, left.expr)
            self._refuse(sub, self._joined(sub, chosen.expr, union))
        ends = ir.Call(finished, (*given, chosen.expr, least.expr))
        code.emit(ir.IfStmt(ends, (ir.Return(ir.Const(1)),)))
        reach = ir.Binary("min", ir.SetCount(left.expr), room.expr, site)
        most = ir.Binary("add", ir.SetCount(chosen.expr), reach, site)
        self._refuse(sub, ir.Binary("ge", most, least.expr, site))
        self._refuse(sub, ir.Binary("gt", room.expr, ir.Const(0), site))
        if told_by_number(sub, self.dom):
            self._one_of_each_group(code, number, given, chosen, left, room, least)
        else:
            var = code.variable("(next)", dom_type(self.dom))
            found = self._with(number, given, chosen, left, room, least, var)
            code.emit(
                ir.Return(ir.Aggregate("any", var.expr.index, ir.OverSet(left.expr), found, None, site))
            )
        return self._close(sub, params, FLAG, number)

    def _one_of_each_group(
        self,
        code: Code,
        function: int,
        given: list[Any],
        chosen: Value,
        left: Value,
        room: Value,
        least: Value,
    ) -> None:
        """Of counters that nothing tells apart the first is tried for all: what is tried are numbers, not sets of counters,
        of which there are as many as powers of two."""
        rest = code.variable("(rest)", set_type(self.dom))
        group = code.variable("(group)", set_type(self.dom))
        first = ir.SetOf(self.dom.id, (ir.SetNext(group.expr, ir.Const(NONE)),))
        more = ir.SetBinary("union", chosen.expr, first)
        fewer = ir.Binary("sub", room.expr, ir.Const(1), self.site)
        able = ir.Call(function, (*given, more, ir.SetBinary("minus", rest.expr, first), fewer, least.expr))
        code.emit(ir.AssignSet(rest.expr.index, left.expr))
        code.emit(
            ir.While(
                ir.Binary("gt", ir.SetCount(rest.expr), ir.Const(0), self.site),
                (
                    ir.AssignSet(group.expr.index, ir.Alike(self.dom.id, rest.expr)),
                    ir.IfStmt(able, (ir.Return(ir.Const(1)),)),
                    ir.AssignSet(rest.expr.index, ir.SetBinary("minus", rest.expr, group.expr)),
                ),
                self.site,
            )
        )
        code.emit(ir.Return(ir.Const(0)))

    def _with(
        self,
        function: int,
        given: list[Any],
        chosen: Value,
        left: Value,
        room: Value,
        least: Value,
        var: Value,
    ) -> ir.Expr:
        """Whether the set can be completed with one more member."""
        more = ir.SetBinary("union", chosen.expr, ir.SetOf(self.dom.id, (var.expr,)))
        fewer = ir.Binary("sub", room.expr, ir.Const(1), self.site)
        return ir.Call(function, (*given, more, self.lowerer.candidates.after(left, var), fewer, least.expr))

    def candidates(self, completable: int) -> int:
        sub, given, chosen = self._open("candidates")
        sub.code.result = None
        code = sub.code
        left = code.variable("(left)", set_type(self.dom))
        room, least = code.variable("(room)", INT), code.variable("(least)", INT)
        params = len(code.locals)
        var = code.variable("(next)", dom_type(self.dom))
        able = self._with(completable, given, chosen, left, room, least, var)
        code.emit(
            ir.For(
                var.expr.index,
                ir.OverSet(left.expr),
                self.dom.id,
                able,
                None,
                False,
                (ir.Yield(var.expr),),
                self.site,
            )
        )
        return self._close(sub, params, None)

    def numbers(self, completable: int) -> int:
        """Yields how many members of a group can be chosen, the greatest number first."""
        sub, given, chosen = self._open("numbers")
        sub.code.result = None
        code, site = sub.code, self.site
        group, left = (
            code.variable("(group)", set_type(self.dom)),
            code.variable("(left)", set_type(self.dom)),
        )
        room, least = code.variable("(room)", INT), code.variable("(least)", INT)
        params = len(code.locals)
        step, number = code.variable("(step)", INT), code.variable("(number)", INT)
        most = code.variable("(most)", INT)
        size = ir.Binary("min", ir.SetCount(group.expr), room.expr, site)
        code.emit(ir.Assign(most.expr.index, size))
        first = ir.SetCall(self.lowerer.candidates.first_of(self.dom), (group.expr, number.expr))
        more = ir.SetBinary("union", chosen.expr, first)
        fewer = ir.Binary("sub", room.expr, number.expr, site)
        able = ir.Call(completable, (*given, more, left.expr, fewer, least.expr))
        body = (
            ir.Assign(number.expr.index, ir.Binary("sub", most.expr, step.expr, site)),
            ir.IfStmt(able, (ir.Yield(number.expr),)),
        )
        steps = ir.OverRange(ir.Const(0), most.expr)
        code.emit(ir.For(step.expr.index, steps, None, None, None, False, body, site))
        return self._close(sub, params, None)

    def _joined(self, sub: Lowering, chosen: Any, within: Any) -> ir.Expr:
        """Whether the chosen members are connected through allowed members."""
        joined = self.node.joined
        assert joined is not None
        function = _joined_function(self.lowerer, sub.code, joined, self.dom, self.node.written.span)
        me = [] if sub.code.me is None else [sub.code.me.expr]
        return ir.Call(function, (*me, chosen, within))


def _joined_function(lowerer: Lowerer, outer: Code, joined: t.Joined, dom: Dom, span: Span) -> int:
    """Function([me], chosen, within): grow from the first chosen over the allowed, and see whether all are met."""
    name = joined.name
    key = (name, dom.id, outer.me is not None)
    if key in lowerer.joined_functions:
        return lowerer.joined_functions[key]
    code = Code(f"joined by {name}", outer.owner, pure=True, machine=False)
    code.result = FLAG
    if outer.me is not None:
        code.me = code.variable("me", outer.me.type)
    chosen, within = code.variable("chosen", set_type(dom)), code.variable("within", set_type(dom))
    params = len(code.locals)
    site = lowerer.site("loop", f"joined by {name}", span, owner=code.owner)
    grown = code.variable("grown", set_type(dom))
    changed = code.variable("changed", FLAG)
    x, y = code.variable("x", dom_type(dom)), code.variable("y", dom_type(dom))
    code.values[joined.one], code.values[joined.other] = x, y
    low = Lowering(lowerer, code)
    to, back = low.test(joined.there), low.test(joined.back)
    meet = ir.Binary("or", to, back, site)
    near = ir.Aggregate("any", x.expr.index, ir.OverSet(grown.expr), meet, None, site)
    code.emit(ir.AssignSet(grown.expr.index, ir.SetOf(dom.id, (ir.SetNext(chosen.expr, ir.Const(NONE)),))))
    code.emit(ir.Assign(changed.expr.index, ir.Const(1)))
    grow = ir.For(
        y.expr.index,
        ir.OverSet(ir.SetBinary("minus", within.expr, grown.expr)),
        dom.id,
        None,
        None,
        False,
        (
            ir.IfStmt(
                near,
                (ir.SetChange(grown.expr.index, y.expr, True), ir.Assign(changed.expr.index, ir.Const(1))),
            ),
        ),
        site,
    )
    code.emit(ir.While(changed.expr, (ir.Assign(changed.expr.index, ir.Const(0)), grow), site))
    code.emit(ir.Return(ir.Subset(chosen.expr, grown.expr)))
    lowerer.joined_functions[key] = lowerer.new_function(code, params, FLAG, site)
    if code.reads_secret:
        outer.reads_secret = True
    return lowerer.joined_functions[key]
