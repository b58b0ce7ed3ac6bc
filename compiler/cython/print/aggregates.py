"""Aggregates and matching: loops in an expression."""

from __future__ import annotations

from contextlib import nullcontext
from functools import partial
from typing import Any

from grognard.compiler.cython.analysis.side_effects import stores
from grognard.compiler.cython.optimise.direction_bits import direction_count
from grognard.compiler.cython.print.filtered_scans import FilteredScans
from grognard.compiler.cython.print.lines import (
    INT64,
    Rank,
    Value,
)
from grognard.compiler.cython.tree import AnyHolds
from grognard.compiler.passes.analyses.local_variables import assigned
from grognard.contract import ir
from grognard.contract.ir.walk import conjuncts


class Aggregates(FilteredScans):
    """Expressions that run over elements."""

    def aggregate(self, node: ir.Aggregate) -> Value:
        out = self.out
        if isinstance(node.over, ir.OverDomain):
            found = self._any_holds(node.over.domain, node) or self._any_on_board(node.over.domain, node)
            if found is not None:
                return found
        if node.op in ("any", "count"):
            scan = self.scan_only(node.over, node.var, node.where, node.where, node.site)
            if scan:
                self.put_int(node.var, "0")
                found_all = "grog_scan_count" if node.op == "count" else "grog_scan_any"
                return self.keep(Value(f"{found_all}(&{scan})", Rank.READ))
        if node.op == "any" and isinstance(node.over, ir.OverSet):
            known = self._any_of_set(node.over.set, node)
            if known is not None:
                return known
        if node.op == "sum" and isinstance(node.over, ir.OverDomain) and node.where is None:
            whole = self._sum_of_cells(node.over.domain, node)
            if whole is not None:
                return whole
        wide = node.op in ("sum", "count")
        result = out.variable("r", INT64 if wide else "int32_t {}")
        start = {"count": "0", "sum": "0", "any": "0", "all": "1"}.get(node.op, "GROG_NONE")
        also = out.variable("best") if node.op.startswith(("best_", "only_")) else ""
        tie = out.variable("tie") if node.op.startswith("only_") else ""
        hits = out.variable("hits") if node.op in ("only", "the") else ""
        out.add(f"{result} = {start}")
        for name, first in ((also, "GROG_NONE"), (tie, "0"), (hits, "0")):
            if name:
                out.add(f"{name} = {first}")
        direction_filter = self.direction_filter(node)
        if direction_filter is not None:
            made, asked = direction_filter
            with out.block(self.open_directions(made)):
                count = self.spent(direction_count(node, self.count), node.site, None)
                self.direction_result(node, made, asked, count, result)
        with (
            out.block("else:") if direction_filter else nullcontext(),
            self.chosen(node.over, node.var, node.where, node.site, (node.where, node.value)),
        ):
            self._gather(node, result, also, tie, hits)
        self.put_int(node.var, "0")
        if tie:
            with out.block(f"if {tie}:"):
                out.add(f"{result} = GROG_NONE")
        if node.op == "the":
            with out.block(f"if {result} == GROG_NONE:"):
                self.fail("GROG_FAIL_UNIQUE", node.site)
        if node.op == "sum":
            return self.keep(Value(f"grog_total(ctx, {result}, {node.site})", Rank.FAIL))
        return Value(f"<int32_t>{result}" if wide else result, Rank.CONST)

    def _sum_of_cells(self, domain: int, node: ir.Aggregate) -> Value | None:
        """The sum of a cell of each element, where all of them count."""
        array = "" if node.value is None else self._array(domain, node.var, node.value)
        if not array or self.alive_field(domain) is not None:
            return None
        count = self.spent(self.count(domain), node.site, None)
        self.put_int(node.var, "0")
        return self.keep(Value(f"grog_total(ctx, grog_sum({array}, {count}), {node.site})", Rank.FAIL))

    def _any_of_set(self, over: Any, node: ir.Aggregate) -> Value | None:
        """Whether a cell of any member of a set holds something, where nothing else is asked."""
        domain = self.set_domain(over)
        conditions = conjuncts(self._opened(node.where), self._opened)
        if len(conditions) != 1 or stores(self.plan, node.where) or not self.plan.uses("scan_cells"):
            return None
        with self.out.buffered() as lines:
            test = self._test(domain, node.var, conditions[0], assigned(node.where) | {node.var})
        if test is None or test.perhaps:
            return None
        pointer = self.keep(self.set_pointer(over))
        self.out.nodes.extend(lines)
        words = self.words(domain)
        count = self.spent(self._members(over, pointer, domain, node.site), node.site, None)
        self.put_int(node.var, "0")
        text = f"grog_any_member({pointer}, {words}, {count}, {test.array}, {test.value}, {test.other})"
        return self.keep(Value(text, Rank.READ))

    def _any_holds(self, domain: int, node: ir.Aggregate) -> Value | None:
        """Whether a cell of any element holds something, where nothing else is asked."""
        if node.op != "any" or self.alive_field(domain) is not None:
            return None
        with self.out.buffered() as lines:
            tests, rest = self._tests(domain, node.var, node.where, node.where)
        if len(tests) != 1 or rest is not None or tests[0].perhaps:
            return None
        self.out.nodes.extend(lines)
        (test,) = tests
        count = self.spent(self.count(domain), node.site, None)
        self.put_int(node.var, "0")
        given = f"{test.array}, {count}, {test.value}, {test.other}"
        if test.held is None:
            return self.keep(Value(f"grog_any_holds({given})", Rank.READ))
        result = self.out.variable("t")
        self.out.nodes.append(AnyHolds(*test.held, result, given))
        return Value(result, Rank.CONST)

    def _any_on_board(self, domain: int, node: ir.Aggregate) -> Value | None:
        """Whether there is any element that passes, or how many do, where a board answers all of the filter."""
        if node.op not in ("any", "count") or stores(self.plan, node.where):
            return None
        board_filter = self.bitboard_filter(domain, node.var, node.where, node.where)
        if board_filter is None or board_filter.rest is not None:
            return None
        tests, _ = self._tests(domain, node.var, node.where, node.where)
        result = self.out.variable("r")
        self.with_bitboard(
            board_filter, node.site, f"{result} = grog_board{{width}}_{node.op}({{board}}, {{count}})"
        )
        with self.out.block("else:"):
            self.out.add(f"{result} = 0")
            scan, _ = self._scan(domain, tests, node.site, None, None)
            with self._found(domain, node.var, scan, node.where):
                self._unless(board_filter.asked)
                self._gather(node, result, "", "", "")
        self.put_int(node.var, "0")
        return Value(result, Rank.CONST)

    def _gather(self, node: ir.Aggregate, result: str, also: str, tie: str, hits: str) -> None:
        """What an aggregate does with an element that takes part."""
        out = self.out
        item = self.int_local(node.var)
        match node.op:
            case "count":
                out.add(f"{result} += 1")
            case "any":
                out.add(f"{result} = 1")
                out.add("break")
            case "all":
                with out.block(f"if not {self.value(node.value)}:"):
                    out.add(f"{result} = 0")
                    out.add("break")
            case "first":
                out.add(f"{result} = {item}")
                out.add("break")
            case "last":
                out.add(f"{result} = {item}")
            case "only" | "the":
                out.add(f"{hits} += 1")
                out.add(f"{result} = {item} if {hits} == 1 else GROG_NONE")
                with out.block(f"if {hits} == 2:"):
                    out.add("break")
            case "sum":
                worth = self.keep(self.value(node.value))
                with out.block(f"if {worth} != GROG_NONE:"):
                    out.add(f"{result} += {worth}")
            case "min" | "max":
                worth = self.keep(self.value(node.value))
                sign = ">" if node.op == "max" else "<"
                test = f"{worth} != GROG_NONE and ({result} == GROG_NONE or {worth} {sign} {result})"
                with out.block(f"if {test}:"):
                    out.add(f"{result} = {worth}")
            case _:
                worth = self.keep(self.value(node.value))
                sign = ">" if node.op.endswith("high") else "<"
                test = f"{worth} != GROG_NONE and ({also} == GROG_NONE or {worth} {sign} {also})"
                with out.block(f"if {test}:"):
                    out.add(f"{also} = {worth}")
                    out.add(f"{result} = {item}")
                    if tie:
                        out.add(f"{tie} = 0")
                if tie:
                    with out.block(f"elif {worth} != GROG_NONE and {worth} == {also}:"):
                        out.add(f"{tie} = 1")

    # -- matching

    def coverable(self, node: ir.Coverable) -> Value:
        out = self.out
        capacity = self.expect(node.chosen, ir.ListType).capacity
        domain = self.set_domain(node.left)
        left, extra = self.sequence([partial(self.set_pointer, node.left), partial(self.value, node.extra)])
        mark = self.marked()
        cover = out.variable("cover", "grog_cover *{}")
        parts = (
            f"{left}, {self.words(domain)}, {self.first(domain)}, {self.list_local(node.chosen)}, {capacity}"
        )
        out.add(f"{cover} = grog_cover_new(ctx, {parts}, {extra})")
        right_index, left_index = out.variable("i", INT64), out.variable("i", INT64)
        with (
            out.block(f"for {right_index} in range({cover}.rights):"),
            out.block(f"for {left_index} in range({cover}.lefts):"),
        ):
            self.put_int(node.left_var, f"{cover}.left[{left_index}]")
            self.put_int(node.right_var, f"{cover}.right[{right_index}]")
            with out.block(f"if {self.condition(node.fits)}:"):
                out.add(f"{cover}.fits[{right_index} * {cover}.lefts + {left_index}] = 1")
        self.put_int(node.left_var, "0")
        self.put_int(node.right_var, "0")
        result = out.variable("t")
        out.add(f"{result} = grog_cover_solve({cover})")
        out.add(f"grog_release(ctx, {mark})")
        self.touch(Rank.FAIL)
        return Value(result, Rank.CONST)

    def meeting(self, node: ir.Meeting) -> Value:
        out = self.out
        domains = self.set_domain(node.left), self.set_domain(node.right)
        words = self.words(self.set_domain(node.left_at))
        made = self.sequence([partial(self.set_pointer, node.left), partial(self.set_pointer, node.right)])
        mark = self.marked()
        meet = out.variable("meet", "grog_meet *{}")
        sets = [
            f"{pointer}, {self.words(domain)}, {self.first(domain)}"
            for pointer, domain in zip(made, domains, strict=True)
        ]
        out.add(f"{meet} = grog_meet_new(ctx, {', '.join(sets)}, {words})")
        # What is made to find the places of one element is not needed for the next.
        each = self.marked()
        i = out.variable("i", INT64)
        with out.block(f"for {i} in range({meet}.guests):"):
            self.put_int(node.left_var, f"{meet}.guest[{i}]")
            at = self.set_pointer(node.left_at)
            out.add(f"grog_set_copy({meet}.guest_at + {i} * {words}, {at}, {words})")
            out.add(f"grog_release(ctx, {each})")
        with out.block(f"for {i} in range({meet}.hosts):"):
            self.put_int(node.right_var, f"{meet}.host[{i}]")
            at = self.set_pointer(node.right_at)
            out.add(f"grog_set_copy({meet}.host_at + {i} * {words}, {at}, {words})")
            out.add(f"{meet}.room[{i}] = {self.value(node.room)}")
            out.add(f"grog_release(ctx, {each})")
        self.put_int(node.left_var, "0")
        self.put_int(node.right_var, "0")
        result = out.variable("t")
        out.add(f"{result} = grog_meet_solve(ctx, {meet}, {node.site})")
        out.add(f"grog_release(ctx, {mark})")
        self.touch(Rank.FAIL)
        return Value(result, Rank.CONST)
