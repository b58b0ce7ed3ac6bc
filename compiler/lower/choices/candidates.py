"""Candidates of choices: functions that yield the answers on offer."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from grognard.compiler.lower.choices.numbers import first_of_function, number_function
from grognard.compiler.lower.code import Code, Value, flatten
from grognard.compiler.lower.exprs.aggregates import lower_source
from grognard.compiler.lower.exprs.expressions import Lowering
from grognard.compiler.lower.situations.chance_program import offered_by_chance
from grognard.compiler.sema.typed import nodes as t
from grognard.compiler.sema.types import FLAG, INT, Dom, Type, dom_type, set_type
from grognard.contract import ir
from grognard.support.source import Span

if TYPE_CHECKING:
    from grognard.compiler.lower.choices.actions import Rest
    from grognard.compiler.lower.choices.offers import Offered
    from grognard.compiler.lower.lowerer import Lowerer

#: Sources of plain values, which are yielded in their order.
_PLAIN = (ir.OverItems, ir.OverList)


def lower_choice_source(low: Lowering, source: t.Source | t.OverParts) -> list[Any]:
    """What a choice is of; among counters of several types it is one type after the other."""
    if isinstance(source, t.OverParts):
        return [ir.OverDomain(part.id) for part in source.parts]
    return [lower_source(low, source)]


class Candidates:
    """The functions that yield candidates, each made once."""

    def __init__(self, lowerer: Lowerer) -> None:
        self.lowerer = lowerer
        self.symbols = lowerer.symbols
        self.builder = lowerer.builder
        self._set_candidates: dict[int, int] = {}
        self._chance_candidates: int | None = None
        self._some_candidates: dict[tuple[int, bool], int] = {}
        self._after_functions: dict[int, int] = {}
        self._first_functions: dict[int, int] = {}
        self._number_candidates: int | None = None

    def choice_candidates(
        self, low: Lowering, node: t.Choose, rest: Rest | None
    ) -> tuple[int, tuple[Any, ...]]:
        """The function that yields a choice's candidates, and its arguments."""
        outer = low.code
        name, element = node.written.name, node.candidate.type
        code = Code(f"candidates {outer.owner}.{name}", outer.owner, pure=True, machine=False)
        code.mark = outer.mark
        args: list[Any] = []
        if outer.me is not None:
            assert self.symbols.seats
            code.me = code.variable("me", dom_type(self.symbols.seats))
            args.append(outer.me.expr)
        for variable in node.captured:
            code.values[variable] = code.variable(variable.name, variable.type)
            args += flatten(low.value_of(variable))
        params = len(code.locals)
        sub = Lowering(self.lowerer, code)
        sources = lower_choice_source(sub, node.source)
        number = self.builder.reserve_function()
        var = code.values[node.candidate] = code.variable(name, element)
        where: Any = sub.test(node.where) if node.where is not None else None
        if rest is not None:
            last = Value(node.variable.type, var.expr)
            test = self.lowerer.actions.completes(sub, rest, last)
            if test is not None:
                where = test if where is None else ir.Binary("and", where, test, self.lowerer.nowhere)
        site = self.lowerer.site("loop", "candidates", node.written.span, owner=outer.owner)
        if node.prefer:
            self._preferred(sub, node, sources[0], var, where, site)
        else:
            for part in sources:
                domain = part.domain if isinstance(part, ir.OverDomain) else None
                if domain is None and element.dom is not None and not isinstance(part, _PLAIN):
                    domain = element.dom.id
                give = (ir.Yield(var.expr),)
                code.emit(ir.For(var.expr.index, part, domain, where, None, False, give, site))
        if code.reads_secret:
            outer.reads_secret = True
            self.lowerer.secret_readers.add(f"function {number}")
        self.lowerer.new_function(code, params, None, site, number)
        return number, tuple(args)

    def _preferred(self, low: Lowering, node: t.Choose, over: Any, var: Value, where: Any, site: int) -> None:
        """Only the best by each key in turn are offered."""
        code, dom = low.code, node.candidate.type.dom
        assert dom is not None
        index = var.expr.index
        group = code.variable("(preferred)", set_type(dom))
        code.emit(ir.AssignSet(group.expr.index, ir.SetBuild(dom.id, index, over, where, None)))
        for rank, expr in node.prefer:
            key = low.lower(expr).expr
            best = code.variable("(best)", Type("int", optional=True))
            op: Any = "max" if rank == "highest" else "min"
            found = ir.Aggregate(op, index, ir.OverSet(group.expr), None, key, site)
            code.emit(ir.Assign(best.expr.index, found))
            same = ir.Binary("eq", key, best.expr, site)
            alike = ir.SetBuild(dom.id, index, ir.OverSet(group.expr), same, None)
            code.emit(ir.AssignSet(group.expr.index, alike))
        give = (ir.Yield(var.expr),)
        code.emit(ir.For(index, ir.OverSet(group.expr), dom.id, None, None, False, give, site))

    def menu_candidates(
        self, owner: str, menu: list[Offered], seat: Value, span: Span
    ) -> tuple[int, tuple[Any, ...]]:
        """Function(seat, arguments...): yields the actions that can be begun."""
        code = Code(f"menu of {owner}", owner, pure=True, machine=False)
        assert self.symbols.seats
        code.me = code.variable("me", dom_type(self.symbols.seats))
        args: list[Any] = [seat.expr]
        body: list[ir.Stmt] = []
        for action, entry, values, condition in menu:
            if self.lowerer.trees.is_kept(entry.name):
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
            code, params, None, self.lowerer.site("loop", "menu", span, owner=owner)
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
