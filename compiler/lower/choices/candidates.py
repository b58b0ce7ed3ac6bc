"""Candidates of choices: functions that yield the answers on offer."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from grognard.compiler.lower.choices.numbers import first_of_function, number_function
from grognard.compiler.lower.situations.chance_program import offered_by_chance
from grognard.compiler.lower.stmts.seam import Stmts
from grognard.compiler.sema.declare.types import resolve_type
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
from grognard.support.source import Span

if TYPE_CHECKING:
    from grognard.compiler.lower.lowerer import Lowerer

#: Sources of plain values, which are yielded in their order.
_PLAIN = (ir.OverItems, ir.OverList)


@dataclass(frozen=True, slots=True)
class OverParts:
    """A choice among counters of several types: one after the other."""

    parts: tuple[Dom, ...]

    def each(self) -> list[ir.OverDomain]:
        return [ir.OverDomain(part.id) for part in self.parts]


class Candidates:
    """The functions that yield candidates, each made once."""

    def __init__(self, lowerer: Lowerer) -> None:
        self.lowerer = lowerer
        self.world = lowerer.world
        self._set_candidates: dict[int, int] = {}
        self._chance_candidates: int | None = None
        self._some_candidates: dict[tuple[int, bool], int] = {}
        self._after_functions: dict[int, int] = {}
        self._first_functions: dict[int, int] = {}
        self._number_candidates: int | None = None

    def choice_source(self, stmts: Stmts, statement: syn.ChooseStmt, scope: Scope) -> tuple[Any, Type]:
        """The source of a choice: a type, a range, or a set."""
        if statement.source is not None:
            return stmts.running_over(statement.source, scope)
        assert statement.type is not None
        if statement.type.sort == "union":
            type_ = resolve_type(self.world, statement.type)
            return (OverParts(type_.dom.parts), type_.required()) if type_.dom is not None else (None, INT)
        base = statement.type.base
        if isinstance(base, syn.Name) and base.id == "flag":
            return ir.OverRange(ir.Const(0), ir.Const(1)), FLAG
        if base is None:
            self.world.sink.error("GR0202", statement.type.span, "a choice is of a type or a range")
            return None, INT
        return stmts.running_over(base, scope)

    def choice_candidates(
        self, stmts: Stmts, statement: syn.ChooseStmt, scope: Scope, rest: Any
    ) -> tuple[int, tuple[Any, ...], Type | None]:
        """The function that yields a choice's candidates, and its arguments."""
        names = self.captures(statement, scope, rest)
        code = Code(
            f"candidates {stmts.code.owner}.{statement.name}", stmts.code.owner, pure=True, machine=False
        )
        code.mark = stmts.code.mark
        inner = Scope()
        inner.narrowed.update(scope.all_narrowed())
        inner.names.update(scope.arrays())
        args: list[Any] = []
        if stmts.code.me is not None:
            assert self.world.seats
            code.me = code.variable("me", dom_type(self.world.seats))
            args.append(stmts.code.me.expr)
        for name in names:
            bound = scope.find(name)
            assert bound is not None
            if bound.type.sort == "unknown":
                continue
            code.bind(inner, name, code.variable(name, bound.type), bound.span)
            args += flatten(stmts.code.value_of(bound))
        params = len(code.locals)
        sub = Stmts(self.lowerer, code)
        over, element = self.choice_source(sub, statement, inner)
        number = self.world.reserve_function()
        if over is None:
            self.lowerer.new_function(code, params, None, self.lowerer.nowhere, number)
            return number, tuple(args), None
        loop = inner.child()
        var = code.variable(statement.name, element)
        code.bind(loop, statement.name, var, statement.span)
        where = sub.condition(statement.where, loop) if statement.where is not None else None
        if rest is not None:
            test = self._completes(sub, rest, loop, statement, inner, element, var)
            if test is not None:
                where = test if where is None else ir.Binary("and", where, test, self.lowerer.nowhere)
        site = self.lowerer.site("loop", "candidates", statement.span, owner=stmts.code.owner)
        if statement.prefer:
            self._preferred(sub, statement, loop, over, element, var, where, site)
        else:
            for part in over.each() if isinstance(over, OverParts) else [over]:
                domain = part.domain if isinstance(part, ir.OverDomain) else None
                if domain is None and element.dom is not None and not isinstance(part, _PLAIN):
                    domain = element.dom.id
                give = (ir.Yield(var.expr),)
                code.emit(ir.For(var.expr.index, part, domain, where, None, False, give, site))
        if code.reads_secret:
            stmts.code.reads_secret = True
            self.lowerer.secret_readers.add(f"function {number}")
        self.lowerer.new_function(code, params, None, site, number)
        return number, tuple(args), element

    def _completes(
        self,
        sub: Stmts,
        rest: Any,
        loop: Scope,
        statement: syn.ChooseStmt,
        inner: Scope,
        element: Type,
        var: Value,
    ) -> Any:
        narrowed = sub.narrow(statement.where, loop, True) if statement.where is not None else {}
        type_ = element.maybe() if statement.may else element
        outer = loop.with_narrowed(narrowed if not statement.may else {})
        return self.lowerer.actions.completes(sub, rest, inner, Value(type_, var.expr), outer)

    def _preferred(
        self,
        sub: Stmts,
        statement: syn.ChooseStmt,
        loop: Scope,
        over: Any,
        element: Type,
        var: Value,
        where: Any,
        site: int,
    ) -> None:
        """Only the best by each key in turn are offered."""
        code = sub.code
        if element.dom is None or element.dom.parts:
            self.world.sink.error("GR0313", statement.span, "`preferring` needs counters, places or members")
            return
        group = code.variable("(preferred)", set_type(element.dom))
        code.emit(
            ir.AssignSet(group.expr.index, ir.SetBuild(element.dom.id, var.expr.index, over, where, None))
        )
        narrowed = sub.narrow(statement.where, loop, True) if statement.where is not None else {}
        keyed = loop.with_narrowed(narrowed)
        for rank, expr in statement.prefer:
            key = sub.value(expr, keyed)
            best = code.variable("(best)", Type("int", optional=True))
            op: Any = "max" if rank == "highest" else "min"
            code.emit(
                ir.Assign(
                    best.expr.index,
                    ir.Aggregate(op, var.expr.index, ir.OverSet(group.expr), None, key.expr, site),
                )
            )
            same = ir.Binary("eq", key.expr, best.expr, site)
            code.emit(
                ir.AssignSet(
                    group.expr.index,
                    ir.SetBuild(element.dom.id, var.expr.index, ir.OverSet(group.expr), same, None),
                )
            )
        code.emit(
            ir.For(
                var.expr.index,
                ir.OverSet(group.expr),
                element.dom.id,
                None,
                None,
                False,
                (ir.Yield(var.expr),),
                site,
            )
        )

    def captures(self, statement: syn.ChooseStmt, scope: Scope, rest: Any) -> list[str]:
        """Locals that the filter reads (all that are bound, when the rest of an action must be tried too)."""
        if rest is not None:
            entry, place = rest
            part = self.lowerer.actions.declaration(entry)
            earlier = self.lowerer.actions.bound_names(part[: place - 1])
            return [name for name in [n for n, _ in entry.params] + earlier if scope.find(name) is not None]
        nodes = [
            n.id
            for part in (
                statement.where,
                statement.source,
                statement.type,
                tuple(e for _, e in statement.prefer),
            )
            if part is not None
            for n in walk(part)
            if isinstance(n, syn.Name)
        ]
        return [
            name for name in dict.fromkeys(nodes) if name != statement.name and scope.find(name) is not None
        ]

    def menu_candidates(
        self, stmts: Stmts, menu: list[Any], seat: Value, span: Span
    ) -> tuple[int, tuple[Any, ...]]:
        """Function(seat, arguments...): yields the actions that can be begun."""
        code = Code(f"menu of {stmts.code.owner}", stmts.code.owner, pure=True, machine=False)
        assert self.world.seats
        code.me = code.variable("me", dom_type(self.world.seats))
        args: list[Any] = [seat.expr]
        body: list[ir.Stmt] = []
        for action, entry, _use, values, condition in menu:
            if self.lowerer.actions.is_kept(entry.name):
                # The condition tests both: it can be begun, and end with `keep` holding.
                args.append(condition)
                body.append(ir.IfStmt(code.variable("condition", FLAG).expr, (ir.Yield(ir.Const(action)),)))
                continue
            flat: list[Any] = [code.me.expr]
            for value in values:
                for part, type_ in zip(flatten(value), _flat_types(value), strict=True):
                    if isinstance(part, ir.Const | ir.Sym):
                        flat.append(part)
                    else:
                        args.append(part)
                        flat.append(code.variable("argument", type_).expr)
            test: Any = ir.Call(self.lowerer.actions.can_begin(entry), tuple(flat))
            if condition is not None:
                holds = code.variable("condition", FLAG)
                args.append(condition)
                test = ir.Binary("and", holds.expr, test, self.lowerer.nowhere)
            body.append(ir.IfStmt(test, (ir.Yield(ir.Const(action)),)))
        params = len(code.locals)
        for statement in body:
            code.emit(statement)
        return self.lowerer.new_function(
            code, params, None, self.lowerer.site("loop", "menu", span, owner=stmts.code.owner)
        ), tuple(args)

    def set_candidates(self, dom: Dom) -> int:
        """Function(set): yields its members."""
        if dom.id not in self._set_candidates:
            code = Code(f"members of a set of {dom.name}", "", pure=True, machine=False)
            group = code.variable("set", set_type(dom))
            var = code.variable("x", dom_type(dom))
            code.emit(
                ir.For(
                    var.expr.index,
                    ir.OverSet(group.expr),
                    dom.id,
                    None,
                    None,
                    False,
                    (ir.Yield(var.expr),),
                    self.lowerer.nowhere,
                )
            )
            self._set_candidates[dom.id] = self.lowerer.new_function(code, 1, None, self.lowerer.nowhere)
        return self._set_candidates[dom.id]

    def some_candidates(self, dom: Dom, exactly: bool) -> int:
        """Function(set, need): members that leave enough after them, when exactly so many must be picked."""
        key = (dom.id, exactly)
        if key not in self._some_candidates:
            code = Code(
                f"members of a set of {dom.name}, {'exactly' if exactly else 'up to'}",
                "",
                pure=True,
                machine=False,
            )
            group = code.variable("set", set_type(dom))
            need = code.variable("need", INT)
            var = code.variable("x", dom_type(dom))
            other = code.variable("y", dom_type(dom))
            where = None
            if exactly:
                after = ir.Binary("ge", other.expr, var.expr, self.lowerer.nowhere)
                left = ir.Aggregate(
                    "count", other.expr.index, ir.OverSet(group.expr), after, None, self.lowerer.nowhere
                )
                where = ir.Binary("ge", left, need.expr, self.lowerer.nowhere)
            code.emit(
                ir.For(
                    var.expr.index,
                    ir.OverSet(group.expr),
                    dom.id,
                    where,
                    None,
                    False,
                    (ir.Yield(var.expr),),
                    self.lowerer.nowhere,
                )
            )
            self._some_candidates[key] = self.lowerer.new_function(code, 2, None, self.lowerer.nowhere)
        return self._some_candidates[key]

    def chance_candidates(self) -> int:
        """Function(): the placeholder answers of a chance node."""
        if self._chance_candidates is None:
            code = Code("chance", "", pure=True, machine=False)
            offered_by_chance(code)
            self._chance_candidates = self.lowerer.new_function(code, 0, None, self.lowerer.nowhere)
        return self._chance_candidates

    def number_candidates(self) -> int:
        """Function(lo, hi): yields the numbers."""
        if self._number_candidates is None:
            self._number_candidates = number_function(self.lowerer)
        return self._number_candidates

    def first_of(self, dom: Dom) -> int:
        """Function(set, n): its first members."""
        if dom.id not in self._first_functions:
            self._first_functions[dom.id] = first_of_function(self.lowerer, dom)
        return self._first_functions[dom.id]

    def after(self, pool: Value, var: Value) -> Any:
        """The members of a set after one of them."""
        assert pool.type.dom
        function = self._after_function(pool.type.dom)
        return ir.SetCall(function, (pool.expr, var.expr))

    def _after_function(self, dom: Dom) -> int:
        if dom.id not in self._after_functions:
            code = Code(f"later members of {dom.name}", "", pure=True, machine=False)
            group = code.variable("set", set_type(dom))
            limit = code.variable("x", dom_type(dom))
            var = code.variable("y", dom_type(dom))
            later = ir.Binary("gt", var.expr, limit.expr, self.lowerer.nowhere)
            code.emit(ir.Return(ir.SetBuild(dom.id, var.expr.index, ir.OverSet(group.expr), later, None)))
            self._after_functions[dom.id] = self.lowerer.new_function(
                code, 2, set_type(dom), self.lowerer.nowhere
            )
        return self._after_functions[dom.id]


def _flat_types(value: Value) -> list[Type]:
    if value.record is not None:
        return [t for part in value.record.values() for t in _flat_types(part)]
    return [value.type]
