"""Integer expressions to Cython: each node becomes a text, with lines before it where C has no expression for it."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

from grognard.compiler.cython.analysis.side_effects import side_effect_free
from grognard.compiler.cython.optimise.inline_functions import (
    replaced,
)
from grognard.compiler.cython.print.lines import (
    INT64,
    POINTER,
    Rank,
    Value,
)
from grognard.compiler.cython.print.printer import Printer
from grognard.compiler.cython.print.texts import (
    Maker,
    cited,
    literal,
)
from grognard.compiler.cython.tree import Node
from grognard.contract import ir
from grognard.contract.header import NONE
from grognard.contract.ir.walk import nodes

_ARITHMETIC = {"add", "sub", "mul", "div_down", "div_up", "div_near", "mod"}
_CHECKED_ORDER = {
    "lt": ("grog_lt", False),
    "le": ("grog_le", False),
    "gt": ("grog_lt", True),
    "ge": ("grog_le", True),
}


class ExpressionPrinter(Printer):
    """Expressions that give an integer."""

    def value(self, node: Any) -> Value:
        match node:
            case ir.Const(value=value):
                name = self.body.plan.members.of(node)
                return Value(literal(value) if name is None else self.body.constant(name), Rank.CONST)
            case ir.Sym(symbol=symbol):
                return Value(self.body.symbol(symbol), Rank.CONST)
            case ir.DomainCount(domain=domain):
                return Value(f"<int32_t>{self.body.count(domain)}", Rank.CONST)
            case ir.DomainBase(domain=domain):
                first = self.body.first(domain)
                return Value(first if first == "0" else f"<int32_t>{first}", Rank.CONST)
            case ir.Local(index=index):
                return Value(self.body.int_local(index), self.body.local_rank())
            case ir.Head(cell=cell):
                return Value(f"{self.body.h('s')}[{cell}]", Rank.READ)
            case ir.Load(field=field, index=index, site=site):
                at = self.cell(self.body.program.fields[field].dims, index, site)
                rank = max(Rank.READ, at.rank)
                start = self.body.offset(field)
                return Value(f"{self.body.h('s')}[{self.plus(start, at.text)}]", rank)
            case ir.Data(column=column, index=index, site=site):
                at = self.cell(self.body.program.columns[column].dims, index, site)
                return Value(f"{self.body.column_array(column)}[{at.text}]", at.rank)
            case ir.TableGet():
                return self._table_get(node)
            case ir.Unary():
                return self._unary(node)
            case ir.Binary(op="and" | "or"):
                return self._short_circuit(node)
            case ir.Binary():
                return self._binary(node)
            case ir.If():
                return self._if(node)
            case ir.Call(function=function, args=args):
                return self.body.calls.call(function, args)
            case ir.Verb():
                return self.body.calls.verb(node)
            case ir.AtBest():
                return self.body.calls.at_best(node)
            case ir.Aggregate():
                return self.body.aggregates.aggregate(node)
            case ir.In() | ir.SetCount() | ir.SetNext() | ir.SetEqual() | ir.Subset():
                return self.body.sets.set_question(node)
            case ir.ListLength(list=inner):
                pointer, capacity = self.list_pointer(inner)
                return Value(f"grog_len({pointer}, {capacity})", max(Rank.LOCAL, pointer.rank))
            case ir.ListItem():
                return self._list_item(node)
            case ir.Coverable():
                return self.body.aggregates.coverable(node)
            case ir.Meeting():
                return self.body.aggregates.meeting(node)
            case ir.ReachCost(movement=movement, args=args, to=to):
                return self.body.calls.reach_cost(movement, args, to)
        raise AssertionError(f"no integer expression: {node!r}")

    # -- places

    @staticmethod
    def plus(start: str, at: str) -> str:
        return start if at == "0" else f"{start} + {at}"

    def element_number(self, dims: Sequence[int], index: Sequence[ir.Expr], site: int) -> Value:
        """The number of an element among all of its array, -1 (and a failure) outside."""
        if not dims:
            return Value("0", Rank.CONST, INT64)
        place: Value | None = None
        for domain, part in zip(dims, index):
            place = self._index_step(place, domain, part, site)
        assert place is not None
        return place

    def _index_step(self, place: Value | None, domain: int, part: ir.Expr, site: int) -> Value:
        bounds = f"{self.body.first(domain)}, {self.body.count(domain)}, {self.body.at(site)}"
        self.body.touch(Rank.FAIL)
        if place is None:
            value = self.value(part)
            return Value(f"grog_kx(ctx, {value}, {bounds})", max(Rank.FAIL, value.rank), INT64)
        before = place
        place, value = self.body.sequence([lambda: before, partial(self.value, part)])
        return Value(f"grog_jx(ctx, {place}, {value}, {bounds})", max(Rank.FAIL, value.rank), INT64)

    def cell(self, dims: Sequence[int], index: Sequence[ir.Expr], site: int) -> Value:
        """The same for arrays of integers: 0 outside, which can always be read."""
        if len(dims) == 1 and len(index) == 1:
            if isinstance(index[0], ir.Local) and self.body.bounded.get(index[0].index) == dims[0]:
                first = self.body.first(dims[0])
                text = self.body.int_local(index[0].index)
                return Value(text if first == "0" else f"({text} - {first})", self.body.local_rank(), INT64)
            self.body.touch(Rank.FAIL)
            value = self.value(index[0])
            bounds = f"{self.body.first(dims[0])}, {self.body.count(dims[0])}, {self.body.at(site)}"
            return Value(f"grog_ix(ctx, {value}, {bounds})", max(Rank.FAIL, value.rank), INT64)
        if len(dims) == 2 and len(index) == 2 and _is_plain(index[1]):
            row, column = self.body.calls.values(index)
            rows, columns = (f"{self.body.first(domain)}, {self.body.count(domain)}" for domain in dims)
            self.body.touch(Rank.FAIL)
            call = f"grog_ix_two(ctx, {row}, {rows}, {column}, {columns}, {self.body.at(site)})"
            return Value(call, max(Rank.FAIL, row.rank), INT64)
        place = self.element_number(dims, index, site)
        return place if not dims else Value(f"grog_ok({place})", place.rank, INT64)

    def _table_get(self, node: ir.TableGet) -> Value:
        args = [self.body.keep(value) for value in self.body.calls.values(node.index)]
        self.body.touch(Rank.FAIL)
        table = self.body.table(node.table)
        place = "0"
        for axis, arg in enumerate(args):
            place = f"grog_axis({table}, {axis}, {place}, {arg})"
        at = self.body.out.variable("at", INT64)
        result = self.body.out.variable("t")
        self.body.out.add(f"{at} = {place}")
        self.body.out.add(f"{result} = {table}[{table}[1] + {at}] if {at} >= 0 else 0")
        with self.body.out.block(f"if {at} < 0:"):
            self.fail("GROG_FAIL_TABLE", node.site, [arg.text for arg in args])
        if not self.body.no_trace:
            with self.body.out.block("elif ctx.level >= 2:"):
                self.note(node.site, "-1", [*(arg.text for arg in args), result])
        return Value(result, Rank.CONST)

    def fail(self, kind: str, site: int, detail: Sequence[str] = ()) -> None:
        self.body.touch(Rank.FAIL)
        if not detail:
            self.body.out.add(f"grog_fail(ctx, {kind}, {self.body.at(site)})")
        elif len(detail) == 1:
            self.body.out.add(f"grog_fail1(ctx, {kind}, {self.body.at(site)}, {detail[0]})")
        elif len(detail) <= 3:
            padded = [*detail, "0", "0"][:3]
            self.body.out.add(
                f"grog_fail_many(ctx, {kind}, {self.body.at(site)}, {len(detail)}, {', '.join(padded)})"
            )
        else:
            items = self.body.out.variable("detail", f"int32_t {{}}[{len(detail)}]")
            for number, text in enumerate(detail):
                self.body.out.add(f"{items}[{number}] = {text}")
            self.body.out.add(f"grog_fail_list(ctx, {kind}, {self.body.at(site)}, {len(detail)}, {items})")

    def note(self, site: int, seen: str, args: Sequence[str]) -> None:
        """Write to the trace; the arguments are plain texts that cannot fail any more."""
        self.body.touch(Rank.FAIL)
        self.body.out.comment(cited(self.body.program, site))
        if not args:
            self.body.out.add(f"grog_note(ctx, {self.body.at(site)}, {seen}, 0)")
            return
        record = self.body.out.variable("note", "int32_t *{}")
        self.body.out.add(f"{record} = grog_note(ctx, {self.body.at(site)}, {seen}, {len(args)})")
        for number, arg in enumerate(args):
            self.body.out.add(f"{record}[{number}] = {arg}")

    # -- operators

    def condition(self, node: ir.Expr) -> str:
        """The text of a truth value, for `if`."""
        return self.value(node).text

    def _unary(self, node: ir.Unary) -> Value:
        value = self.value(node.value)
        if node.op == "not":
            return Value(f"(not {value})", value.rank, value.declaration)
        self.body.touch(Rank.FAIL)
        name = "grog_neg" if node.op == "neg" else "grog_magnitude"
        return Value(f"{name}(ctx, {value}, {self.body.at(self.body.site)})", max(Rank.FAIL, value.rank))

    def _binary(self, node: ir.Binary) -> Value:
        left, right = self.body.calls.values((node.left, node.right))
        rank = max(left.rank, right.rank)
        if node.op in _ARITHMETIC:
            self.body.touch(Rank.FAIL)
            return Value(
                f"grog_{node.op}(ctx, {left}, {right}, {self.body.at(node.site)})", max(Rank.FAIL, rank)
            )
        if node.op in ("min", "max"):
            return Value(f"grog_{node.op}({left}, {right})", rank)
        if node.op in ("eq", "ne"):
            return Value(f"({left} {'==' if node.op == 'eq' else '!='} {right})", rank)
        # Only the side that must be the smaller one can be NONE and still compare as asked.
        name, swapped = _CHECKED_ORDER[node.op]
        low = node.right if swapped else node.left
        low_text, high_text = (right, left) if swapped else (left, right)
        if isinstance(low, ir.Const) and low.value != NONE:
            return Value(f"({low_text} {'<' if name == 'grog_lt' else '<='} {high_text})", rank)
        return Value(f"{name}({low_text}, {high_text})", rank)

    def _there_and_holds(self, node: ir.Binary) -> Value | None:
        """`x is not none and x.field is v`, which is one question; None if the node asks something else."""
        match node:
            case ir.Binary(
                op="and",
                left=ir.Binary(op="ne", left=ir.Local() as element, right=ir.Const(value=none)),
                right=ir.Binary(op="eq" | "ne" as op, left=ir.Load(index=(index,)) as cell, right=fixed),
            ) if (
                none == NONE
                and index == element
                and side_effect_free(self.body.plan, fixed, self.body.bounded)
            ):
                entry = self.body.program.fields[cell.field]
                if len(entry.dims) != 1 or not isinstance(entry.type, ir.IntType):
                    return None
                self.body.touch(Rank.FAIL)
                (domain,) = entry.dims
                array = f"{self.body.h('s')} + {self.body.offset(cell.field)}"
                bounds = f"{self.body.first(domain)}, {self.body.count(domain)}"
                place, value = self.body.calls.values((element, fixed))
                name = "grog_cell_is" if op == "eq" else "grog_cell_isnt"
                text = f"{name}(ctx, {array}, {place}, {bounds}, {value}, {self.body.at(cell.site)})"
                return Value(text, max(Rank.FAIL, value.rank))
        return None

    def _short_circuit(self, node: ir.Binary) -> Value:
        known = self._there_and_holds(node)
        if known is not None:
            return known
        left = self.value(node.left)
        with self.body.collected() as (lines, did):
            right = self.value(node.right)
        del did
        if not lines:
            text = f"({left} != 0 {node.op} {right} != 0)"
            return Value(text, max(left.rank, right.rank))
        result = self.body.out.variable("t")
        self.body.out.add(f"{result} = {left} != 0")
        with self.body.out.block(f"if {result}:" if node.op == "and" else f"if not {result}:"):
            self.body.out.nodes.extend(lines)
            self.body.out.add(f"{result} = {right} != 0")
        return Value(result, Rank.CONST)

    def _if(self, node: ir.If) -> Value:
        match node:
            case ir.If(
                condition=ir.Binary(op="eq", left=left, right=ir.Const(value=none)), otherwise=same
            ) if none == NONE and left == same and _is_plain(node.then) and _is_repeatable(left):
                whole, instead = self.value(left), self.value(node.then)
                return Value(f"grog_or_else({whole}, {instead})", whole.rank)
        match node.condition:
            case ir.Binary(op="eq", left=left, right=ir.Const(value=none)) if (
                none == NONE
                and _is_repeatable(left)
                and any(isinstance(part, ir.Verb) for part in nodes(left))
            ):
                # What is asked of the map, and then looked at if there is such a thing, is asked once.
                asked = self.body.new_local("asked")
                self.body.put_int(asked, self.value(left))
                node = replaced(node, left, ir.Local(asked))
        condition = self.value(node.condition)
        branches: list[tuple[list[Node], Value]] = []
        for part in (node.then, node.otherwise):
            with self.body.collected() as (lines, _did):
                branches.append((lines, self.value(part)))
        (then_lines, then), (else_lines, otherwise) = branches
        if not then_lines and not else_lines:
            rank = max(condition.rank, then.rank, otherwise.rank)
            # Without the casts Cython would mix truth values and integers as Python objects.
            return Value(f"(<int32_t>{then} if {condition} else <int32_t>{otherwise})", rank)
        result = self.body.out.variable("t")
        with self.body.out.block(f"if {condition}:"):
            self.body.out.nodes.extend(then_lines)
            self.body.out.add(f"{result} = {then}")
        with self.body.out.block("else:"):
            self.body.out.nodes.extend(else_lines)
            self.body.out.add(f"{result} = {otherwise}")
        return Value(result, Rank.CONST)

    # -- lists

    def list_pointer(self, node: Any) -> tuple[Value, int]:
        """A list and its capacity."""
        match node:
            case ir.ListLocal(index=index):
                capacity = self.body.expect(index, ir.ListType).capacity
                room = str(capacity + 1)
                return Value(self.body.list_local(index), Rank.CONST, POINTER, room), capacity
            case ir.ListLoad(field=field, index=index, site=site):
                capacity = self.body.plan.list_field_capacity(field)
                return self.field_pointer(field, index, site, str(capacity + 1)), capacity
        raise AssertionError(f"no list: {node!r}")

    def list_within(self, node: Any, capacity: int, site: int) -> Value:
        """A list of at most this many items; FAIL_LIST if there are more."""
        pointer, have = self.list_pointer(node)
        if have == capacity:
            return pointer
        self.body.touch(Rank.FAIL)
        text = f"grog_list_fit(ctx, {pointer}, {have}, {capacity}, {self.body.at(site)})"
        return Value(text, max(Rank.FAIL, pointer.rank), POINTER, pointer.room, pointer.state)

    def field_pointer(self, field: int, index: Sequence[ir.Expr], site: int, room: str) -> Value:
        """The first cell of an element that has several."""
        place = self.element_number(self.body.program.fields[field].dims, index, site)
        text = f"grog_elem(ctx, {self.body.offset(field)}, {place}, {room})"
        return Value(text, max(Rank.READ, place.rank), POINTER, room, state=True)

    def _list_item(self, node: ir.ListItem) -> Value:
        capacity = 0

        def pointer() -> Value:
            nonlocal capacity
            made, capacity = self.list_pointer(node.list)
            return made

        made: list[Maker] = [pointer, partial(self.value, node.n)]
        where, number = self.body.sequence(made)
        self.body.touch(Rank.FAIL)
        text = f"grog_item_at(ctx, {where}, {capacity}, {number}, {self.body.at(node.site)})"
        return Value(text, max(Rank.FAIL, where.rank, number.rank))


def _is_plain(node: ir.Expr) -> bool:
    """Whether a value is at hand: nothing can fail, nothing is worked out."""
    match node:
        case ir.Unary(op="neg", value=ir.Const(value=value)):
            return value != NONE
    return isinstance(node, ir.Const | ir.Local | ir.Sym)


def _is_repeatable(node: ir.Expr) -> bool:
    """Whether a value can be computed any number of times: it takes no steps and leaves no notes."""
    kinds = (ir.Const, ir.Sym, ir.Local, ir.Head, ir.Load, ir.Data, ir.Verb, ir.Unary, ir.Binary)
    return all(isinstance(part, kinds) for part in nodes(node))
