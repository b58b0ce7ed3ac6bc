"""Set expressions to Cython, and the questions about sets.  A set is a pointer to its words."""

from __future__ import annotations

from functools import partial
from typing import Any

from grognard.compiler.cython.analysis.plan import nodes
from grognard.compiler.cython.print.lines import (
    POINTER,
    Rank,
    Value,
)
from grognard.compiler.cython.print.printer import Printer
from grognard.contract import ir


class SetPrinter(Printer):
    """Expressions that give a set."""

    def set_domain(self, node: Any) -> int:
        """The domain that a set expression is over."""
        match node:
            case ir.SetLocal(index=index):
                return int(self.body.expect(index, ir.SetType).domain)
            case ir.SetLoad(field=field):
                return self.body.plan.set_field_domain(field)
            case ir.SetData(column=column):
                return self.body.plan.set_column_domain(column)
            case ir.SetCall(function=function):
                return self.body.plan.set_function_domain(function)
            case ir.SetBinary(left=left):
                return self.set_domain(left)
            case ir.SetIf(then=then):
                return self.set_domain(then)
            case (
                ir.SetBuild(domain=domain)
                | ir.SetOf(domain=domain)
                | ir.ReachSet(domain=domain)
                | ir.Alike(domain=domain)
            ):
                return domain
        raise AssertionError(f"no set: {node!r}")

    def set_into(self, index: int, node: Any) -> None:
        """Give a set to a local.  What is put together word by word is put together there, unless it reads the local."""
        domain = self.body.expect(index, ir.SetType).domain
        compute_name = not any(isinstance(part, ir.SetLocal) and part.index == index for part in nodes(node))
        if (
            compute_name
            and isinstance(node, ir.SetBuild | ir.SetOf | ir.SetCall)
            and self.set_domain(node) == domain
        ):
            match node:
                case ir.SetBuild():
                    self._build(node, self.body.set_local(index))
                case ir.SetOf(items=items):
                    self._written_out(domain, items, self.body.set_local(index))
                case ir.SetCall(function=function, args=args):
                    self.set_call(function, args, self.body.set_local(index))
            return
        pointer = self.set_pointer(node, domain)
        self.body.out.add(f"grog_set_copy({self.body.set_local(index)}, {pointer}, {pointer.room})")

    def set_pointer(self, node: Any, domain: int | None = None) -> Value:
        """A pointer to the set's words; with `domain`, it must be over that one."""
        own = self.set_domain(node)
        assert domain is None or own == domain
        room = self.body.words(own)
        match node:
            case ir.SetLocal(index=index):
                # Only statements change set locals, so that no expression can see one change.
                return Value(self.body.set_local(index), Rank.CONST, POINTER, room)
            case ir.SetLoad(field=field, index=index, site=site):
                return self.body.expressions.field_pointer(field, index, site, room)
            case ir.SetData(column=column, index=index, site=site):
                place = self.body.expressions.element_number(
                    self.body.program.columns[column].dims, index, site
                )
                at = place.text if place.text == "0" else f"grog_ok({place})"
                text = f"({self.body.column_array(column)} + {at} * {room})"
                return Value(text, place.rank, POINTER, room)
            case ir.SetBuild():
                return self._build(node)
            case ir.SetBinary(op=op, left=left, right=right):
                makers = [partial(self.set_pointer, part, own) for part in (left, right)]
                a, b = self.body.sequence(makers)
                name = self.body.temporary_set(own)
                self.body.out.add(f"grog_set_{op}({name}, {a}, {b}, {room})")
                return Value(name, Rank.CONST, POINTER, room)
            case ir.SetOf(items=items):
                return self._written_out(own, items)
            case ir.SetIf():
                return self._set_if(node, own)
            case ir.SetCall(function=function, args=args):
                return self.set_call(function, args)
            case ir.ReachSet(movement=movement, args=args):
                made = self.body.calls.movement_arguments(args)
                self.body.touch(self.body.calls.movement_rank(movement))
                name = self.body.temporary_set(own)
                bounds = f"{self.body.first(own)}, {self.body.count(own)}"
                call = ", ".join(["ctx", *made, name, bounds, room])
                self.body.out.add(f"{self.body.called(f'{self.body.plan.movements[movement]}_set')}({call})")
                return Value(name, Rank.CONST, POINTER, room)
            case ir.Alike(domain=alike, within=within):
                pointer = self.set_pointer(within, alike)
                self.body.touch(Rank.READ)
                name = self.body.temporary_set(own)
                self.body.out.add(f"grog_alike(ctx, {alike}, {pointer}, {name}, {room})")
                return Value(name, Rank.CONST, POINTER, room)
        raise AssertionError(f"no set: {node!r}")

    def set_call(self, function: int, args: Any, into: str = "") -> Value:
        callee = self.body.program.functions[function]
        domain = self.body.plan.set_function_domain(function)
        made = self.body.calls.read_arguments(callee, args)
        self.body.touch(self.body.plan.call_rank(function))
        name = into or self.body.temporary_set(domain)
        called = self.body.called(self.body.plan.functions[function])
        self.body.out.add(f"{called}({', '.join(['ctx', name, *map(str, made)])})")
        return Value(name, Rank.CONST, POINTER, self.body.words(domain))

    def put_element(self, pointer: str, domain: int, value: Value | str) -> None:
        """Put an element into a set that no write of the position can reach."""
        self.body.touch(Rank.FAIL)
        bounds = f"{self.body.first(domain)}, {self.body.count(domain)}"
        self.body.out.add(
            f"grog_set_put(ctx, {pointer}, {value}, {bounds}, 1, {self.body.at(self.body.site)})"
        )

    def _written_out(self, domain: int, items: tuple[ir.Expr, ...], into: str = "") -> Value:
        name = into or self.body.temporary_set(domain)
        self.body.out.add(f"grog_set_clear({name}, {self.body.words(domain)})")
        for item in items:
            self.put_element(name, domain, self.body.expressions.value(item))
        return Value(name, Rank.CONST, POINTER, self.body.words(domain))

    def _build(self, node: ir.SetBuild, into: str = "") -> Value:
        name = into or self.body.temporary_set(node.domain)
        self.build_into(name, node)
        return Value(name, Rank.CONST, POINTER, self.body.words(node.domain))

    def build_into(self, name: str, node: ir.SetBuild) -> None:
        """Make a set where there is room for it; nothing that is asked meanwhile may read it."""
        domain, below = node.domain, (node.where, node.value)
        value = ir.Local(node.var) if node.value is None else node.value
        if (
            value == ir.Local(node.var)
            and isinstance(node.over, ir.OverDomain)
            and node.over.domain == domain
        ):
            scan = self.body.scans.scan_only(node.over, node.var, node.where, below, self.body.site)
            if scan:
                self.body.out.add(f"grog_scan_set(&{scan}, {name}, {self.body.words(domain)})")
                self.body.put_int(node.var, "0")
                return
        self.body.out.add(f"grog_set_clear({name}, {self.body.words(domain)})")
        with self.body.scans.chosen(node.over, node.var, node.where, self.body.site, below):
            self.put_element(name, domain, self.body.expressions.value(value))
        self.body.put_int(node.var, "0")

    def _set_if(self, node: ir.SetIf, domain: int) -> Value:
        condition = self.body.expressions.value(node.condition)
        name = self.body.out.variable("p", POINTER)
        state = False
        for head, part in ((f"if {condition}:", node.then), ("else:", node.otherwise)):
            with self.body.out.block(head):
                made = self.set_pointer(part, domain)
                state = state or made.state
                self.body.out.add(f"{name} = {made}")
        return Value(name, Rank.CONST, POINTER, self.body.words(domain), state)

    # -- questions

    def set_question(self, node: Any) -> Value:
        match node:
            case ir.In(value=value, set=ir.SetOf(domain=domain, items=items)) if 0 < len(items) <= 8:
                return self._one_of(value, domain, items)
            case ir.In(value=value, set=inner):
                domain = self.set_domain(inner)
                element, pointer = self.body.sequence(
                    [partial(self.body.expressions.value, value), partial(self.set_pointer, inner)]
                )
                text = f"grog_set_has({pointer}, {element}, {self.body.first(domain)}, {self.body.count(domain)})"
                return Value(text, max(self._content(pointer), element.rank))
            case ir.SetCount(set=inner):
                pointer = self.set_pointer(inner)
                return Value(f"grog_set_count({pointer}, {pointer.room})", self._content(pointer))
            case ir.SetNext(set=inner, after=after):
                domain = self.set_domain(inner)
                pointer, last = self.body.sequence(
                    [partial(self.set_pointer, inner), partial(self.body.expressions.value, after)]
                )
                text = f"grog_set_next({pointer}, {pointer.room}, {last}, {self.body.first(domain)})"
                return Value(text, max(self._content(pointer), last.rank))
            case ir.SetEqual(left=left, right=right) | ir.Subset(left=left, right=right):
                domain = self.set_domain(left)
                a, b = self.body.sequence([partial(self.set_pointer, part, domain) for part in (left, right)])
                name = "grog_set_equal" if isinstance(node, ir.SetEqual) else "grog_set_subset"
                return Value(f"{name}({a}, {b}, {a.room})", max(self._content(a), self._content(b)))
        raise AssertionError(f"no question about a set: {node!r}")

    def _one_of(self, value: ir.Expr, domain: int, items: tuple[ir.Expr, ...]) -> Value:
        """Whether a value is among a few: compared one by one, without making a set of them."""
        element = self.body.keep(self.body.expressions.value(value))
        bounds = f"{self.body.first(domain)}, {self.body.count(domain)}, {self.body.at(self.body.site)}"

        def same(item: ir.Expr) -> Value:
            made = self.body.expressions.value(item)
            self.body.touch(Rank.FAIL)
            return Value(f"grog_one_of(ctx, {element}, {made}, {bounds})", max(Rank.FAIL, made.rank))

        found = self.body.sequence([partial(same, item) for item in items])
        return Value(f"({' | '.join(map(str, found))})", max(part.rank for part in found))

    @staticmethod
    def _content(pointer: Value) -> Rank:
        """What reading the set through this pointer depends on; temporaries are used again in loops."""
        return max(Rank.READ if pointer.state else Rank.LOCAL, pointer.rank)
