"""Tests of partly chosen subsets: is it finished, can it be completed, which member may come next?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from grognard.compiler.lower.choices.numbers import by_number
from grognard.compiler.sema.scope import (
    Code,
    Scope,
    Value,
    flatten,
)
from grognard.compiler.sema.types import (
    FLAG,
    INT,
    Dom,
    Type,
    dom_type,
    set_type,
)
from grognard.compiler.syntax import nodes as syn
from grognard.compiler.syntax.walk import walk
from grognard.contract import ir
from grognard.contract.header import NONE

if TYPE_CHECKING:
    from grognard.compiler.lower.lowerer import Lowerer
    from grognard.compiler.lower.stmts.seam import Stmts


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


def make_tests(stmts: Stmts, statement: syn.ChooseSomeStmt, scope: Scope, dom: Dom, rest: Any) -> SubsetTests:
    lowerer = stmts.lowerer
    names = _captures(stmts, statement, scope, rest)
    captured: list[Any] = []
    if stmts.code.me is not None:
        captured.append(stmts.code.me.expr)
    for name in names:
        bound = scope.find(name)
        assert bound is not None
        captured += flatten(stmts.code.value_of(bound))
    site = lowerer.site("loop", "choose some", statement.span, owner=stmts.code.owner)
    build = _Builder(stmts, statement, scope, dom, names, site, rest)
    finished = build.finished()
    completable = build.completable(finished)
    numbered = by_number(stmts, dom)
    return SubsetTests(
        finished,
        completable,
        -1 if numbered else build.candidates(completable),
        build.numbers(completable) if numbered else -1,
        tuple(captured),
        build.goes_on,
    )


def _captures(stmts: Stmts, statement: syn.ChooseSomeStmt, scope: Scope, rest: Any) -> list[str]:
    """Names of the surrounding block that the tests read."""
    read = [
        node.id
        for part in (statement.such_that, statement.keeping)
        if part is not None
        for node in walk(part)
        if isinstance(node, syn.Name)
    ]
    if rest is not None:
        entry, place = rest
        read += [name for name, _ in entry.params]
        read += stmts.lowerer.actions.bound_names(stmts.lowerer.actions.declaration(entry)[: place - 1])
    return [
        name
        for name in dict.fromkeys(read)
        if name not in (statement.name, statement.into)
        and (bound := scope.find(name)) is not None
        and bound.type.sort != "unknown"
    ]


class _Builder:
    """Writes the functions of one `choose some`."""

    def __init__(
        self,
        stmts: Stmts,
        statement: syn.ChooseSomeStmt,
        scope: Scope,
        dom: Dom,
        names: list[str],
        site: int,
        rest: Any,
    ) -> None:
        self.outer, self.statement, self.scope = stmts, statement, scope
        self.dom, self.names, self.site, self.rest = dom, names, site, rest
        self.lowerer: Lowerer = stmts.lowerer
        self.goes_on = False

    def _open(self, what: str) -> tuple[Any, Scope, list[Any], Value]:
        """A function with the captured values and the set chosen so far as its first parameters."""
        from grognard.compiler.lower.stmts.seam import Stmts

        owner = self.outer.code.owner
        code = Code(f"{what} {owner}.{self.statement.into}", owner, pure=True, machine=False)
        code.mark = self.outer.code.mark
        code.result = FLAG
        inner = Scope()
        inner.narrowed.update(self.scope.all_narrowed())
        given: list[Any] = []
        if self.outer.code.me is not None:
            assert self.lowerer.world.seats
            code.me = code.variable("me", dom_type(self.lowerer.world.seats))
            given.append(code.me.expr)
        inner.names.update(self.scope.arrays())
        for name in self.names:
            bound = self.scope.find(name)
            assert bound is not None
            made = code.variable(name, bound.type)
            code.bind(inner, name, made, bound.span)
            given += flatten(made)
        chosen = code.variable(self.statement.into, set_type(self.dom))
        code.bind(inner, self.statement.into, chosen, self.statement.span)
        return Stmts(self.lowerer, code), inner, given, chosen

    def _close(self, sub: Stmts, params: int, result: Type | None, number: int | None = None) -> int:
        made = self.lowerer.new_function(sub.code, params, result, self.site, number)
        if sub.code.reads_secret:
            self.outer.code.reads_secret = True
            self.lowerer.secret_readers.add(f"function {made}")
        return made

    def _refuse(self, sub: Stmts, condition: ir.Expr) -> None:
        sub.code.emit(ir.IfStmt(ir.Unary("not", condition), (ir.Return(ir.Const(0)),)))

    def finished(self) -> int:
        """Whether the set chosen may stay as it is."""
        sub, inner, _given, chosen = self._open("finished")
        least = sub.code.variable("(least)", INT)
        params = len(sub.code.locals)
        self._refuse(sub, ir.Binary("ge", ir.SetCount(chosen.expr), least.expr, self.site))
        if self.statement.joined is not None:
            self._refuse(sub, self._joined(sub, chosen.expr, chosen.expr))
        if self.statement.such_that is not None:
            self._refuse(sub, sub.condition(self.statement.such_that, inner))
        if self.rest is not None:
            test = self.lowerer.actions.completes(sub, self.rest, inner, chosen)
            if test is not None:
                self.goes_on = True
                self._refuse(sub, test)
        sub.code.emit(ir.Return(ir.Const(1)))
        return self._close(sub, params, FLAG)

    def completable(self, finished: int) -> int:
        """Whether members that are left can be added until the set is finished."""
        sub, inner, given, chosen = self._open("can complete")
        code, site = sub.code, self.site
        left = code.variable("(left)", set_type(self.dom))
        room, least = code.variable("(room)", INT), code.variable("(least)", INT)
        params = len(code.locals)
        number = self.lowerer.world.reserve_function()
        if self.statement.keeping is not None:
            some = ir.Binary("gt", ir.SetCount(chosen.expr), ir.Const(0), site)
            kept = sub.condition(self.statement.keeping, inner)
            self._refuse(sub, ir.Binary("or", ir.Unary("not", some), kept, site))
        if self.statement.joined is not None:
            union = ir.SetBinary("union", chosen.expr, left.expr)
            self._refuse(sub, self._joined(sub, chosen.expr, union))
        ends = ir.Call(finished, (*given, chosen.expr, least.expr))
        code.emit(ir.IfStmt(ends, (ir.Return(ir.Const(1)),)))
        reach = ir.Binary("min", ir.SetCount(left.expr), room.expr, site)
        most = ir.Binary("add", ir.SetCount(chosen.expr), reach, site)
        self._refuse(sub, ir.Binary("ge", most, least.expr, site))
        self._refuse(sub, ir.Binary("gt", room.expr, ir.Const(0), site))
        var = code.variable("(next)", dom_type(self.dom))
        found = self._with(number, given, chosen, left, room, least, var)
        code.emit(ir.Return(ir.Aggregate("any", var.expr.index, ir.OverSet(left.expr), found, None, site)))
        return self._close(sub, params, FLAG, number)

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
        sub, _inner, given, chosen = self._open("candidates")
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
        sub, _inner, given, chosen = self._open("numbers")
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

    def _joined(self, sub: Stmts, chosen: Any, within: Any) -> ir.Expr:
        """Whether the chosen members are connected through allowed members."""
        name = self.statement.joined
        assert name is not None
        function = _joined_function(self.lowerer, sub, name, self.dom, self.statement)
        me = [] if sub.code.me is None else [sub.code.me.expr]
        return ir.Call(function, (*me, chosen, within))


def _joined_function(lowerer: Lowerer, sub: Stmts, name: str, dom: Dom, statement: syn.ChooseSomeStmt) -> int:
    """Function([me], chosen, within): grow from the first chosen over the allowed, and see whether all are met."""
    from grognard.compiler.lower.stmts.seam import Stmts

    key = (name, dom.id, sub.code.me is not None)
    if key in lowerer.joined_functions:
        return lowerer.joined_functions[key]
    span = statement.span
    code = Code(f"joined by {name}", sub.code.owner, pure=True, machine=False)
    code.result = FLAG
    if sub.code.me is not None:
        code.me = code.variable("me", sub.code.me.type)
    chosen, within = code.variable("chosen", set_type(dom)), code.variable("within", set_type(dom))
    params = len(code.locals)
    site = lowerer.site("loop", f"joined by {name}", span, owner=code.owner)
    grown = code.variable("grown", set_type(dom))
    changed = code.variable("changed", FLAG)
    x, y = code.variable("x", dom_type(dom)), code.variable("y", dom_type(dom))
    scope = Scope()
    code.bind(scope, "x", x, span)
    code.bind(scope, "y", y, span)
    one, other = syn.Name("x", span), syn.Name("y", span)
    made = Stmts(lowerer, code)
    to, back = (
        made.condition(syn.CallExpr(syn.Name(name, span), pair, (), span), scope)
        for pair in ((one, other), (other, one))
    )
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
        sub.code.reads_secret = True
    return lowerer.joined_functions[key]
