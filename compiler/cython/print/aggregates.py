"""Aggregates and matching: loops in an expression."""

from __future__ import annotations

from contextlib import nullcontext
from functools import partial
from typing import Any

from grognard.compiler.cython.analysis.side_effects import stores
from grognard.compiler.cython.optimise.use_direction_bits import direction_count
from grognard.compiler.cython.print.lines import (
    INT64,
    Rank,
    Value,
)
from grognard.compiler.cython.print.printer import Printer
from grognard.compiler.cython.tree import AnyHolds
from grognard.compiler.passes.analyses.local_variables import assigned
from grognard.contract import ir
from grognard.contract.ir.walk import conjuncts


class AggregatePrinter(Printer):
    """Expressions that run over elements."""

    def aggregate(self, node: ir.Aggregate) -> Value:
        out = self.body.out
        if isinstance(node.over, ir.OverDomain):
            found = self._any_holds(node.over.domain, node) or self._any_on_board(node.over.domain, node)
            if found is not None:
                return found
        if node.op in ("any", "count"):
            scan = self.body.scans.scan_only(node.over, node.var, node.where, node.where, node.site)
            if scan:
                self.body.put_int(node.var, "0")
                found_all = "grog_scan_count" if node.op == "count" else "grog_scan_any"
                return self.body.keep(Value(f"{found_all}(&{scan})", Rank.READ))
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
        direction_filter = self.body.directions.direction_filter(node)
        if direction_filter is not None:
            made, asked = direction_filter
            with out.block(self.body.directions.open_directions(made)):
                count = self.body.loops.spent(direction_count(node, self.body.count), node.site, None)
                self.body.directions.direction_result(node, made, asked, count, result)
        with (
            out.block("else:") if direction_filter else nullcontext(),
            self.body.scans.chosen(node.over, node.var, node.where, node.site, (node.where, node.value)),
        ):
            self._gather(node, result, also, tie, hits)
        self.body.put_int(node.var, "0")
        if tie:
            with out.block(f"if {tie}:"):
                out.add(f"{result} = GROG_NONE")
        if node.op == "the":
            with out.block(f"if {result} == GROG_NONE:"):
                self.body.expressions.fail("GROG_FAIL_UNIQUE", node.site)
        if node.op == "sum":
            return self.body.keep(Value(f"grog_total(ctx, {result}, {self.body.at(node.site)})", Rank.FAIL))
        return Value(f"<int32_t>{result}" if wide else result, Rank.CONST)

    def _sum_of_cells(self, domain: int, node: ir.Aggregate) -> Value | None:
        """The sum of a cell of each element, where all of them count."""
        array = "" if node.value is None else self.body.scans.array(domain, node.var, node.value)
        if not array or self.body.loops.alive_field(domain) is not None:
            return None
        count = self.body.loops.spent(self.body.count(domain), node.site, None)
        self.body.put_int(node.var, "0")
        return self.body.keep(
            Value(f"grog_total(ctx, grog_sum({array}, {count}), {self.body.at(node.site)})", Rank.FAIL)
        )

    def _any_of_set(self, over: Any, node: ir.Aggregate) -> Value | None:
        """Whether a cell of any member of a set holds something, where nothing else is asked."""
        domain = self.body.sets.set_domain(over)
        conditions = conjuncts(self.body.scans.opened(node.where), self.body.scans.opened)
        if (
            len(conditions) != 1
            or stores(self.body.plan, node.where)
            or not self.body.plan.uses("scan_cells")
        ):
            return None
        with self.body.out.buffered() as lines:
            test = self.body.scans.test(domain, node.var, conditions[0], assigned(node.where) | {node.var})
        if test is None or test.perhaps:
            return None
        pointer = self.body.keep(self.body.sets.set_pointer(over))
        self.body.out.nodes.extend(lines)
        words = self.body.words(domain)
        count = self.body.loops.spent(
            self.body.loops.members(over, pointer, domain, node.site), node.site, None
        )
        self.body.put_int(node.var, "0")
        text = f"grog_any_member({pointer}, {words}, {count}, {test.array}, {test.value}, {test.other})"
        return self.body.keep(Value(text, Rank.READ))

    def _any_holds(self, domain: int, node: ir.Aggregate) -> Value | None:
        """Whether a cell of any element holds something, where nothing else is asked."""
        if node.op != "any" or self.body.loops.alive_field(domain) is not None:
            return None
        with self.body.out.buffered() as lines:
            tests, rest = self.body.scans.tests(domain, node.var, node.where, node.where)
        if len(tests) != 1 or rest is not None or tests[0].perhaps:
            return None
        self.body.out.nodes.extend(lines)
        (test,) = tests
        count = self.body.loops.spent(self.body.count(domain), node.site, None)
        self.body.put_int(node.var, "0")
        given = f"{test.array}, {count}, {test.value}, {test.other}"
        if test.held is None:
            return self.body.keep(Value(f"grog_any_holds({given})", Rank.READ))
        result = self.body.out.variable("t")
        self.body.out.nodes.append(AnyHolds(*test.held, result, given))
        return Value(result, Rank.CONST)

    def _any_on_board(self, domain: int, node: ir.Aggregate) -> Value | None:
        """Whether there is any element that passes, or how many do, where a board answers all of the filter."""
        if node.op not in ("any", "count") or stores(self.body.plan, node.where):
            return None
        board_filter = self.body.bitboards.bitboard_filter(domain, node.var, node.where, node.where)
        if board_filter is None or board_filter.rest is not None:
            return None
        tests, _ = self.body.scans.tests(domain, node.var, node.where, node.where)
        result = self.body.out.variable("r")
        self.body.bitboards.with_bitboard(
            board_filter, node.site, f"{result} = grog_board{{width}}_{node.op}({{board}}, {{count}})"
        )
        with self.body.out.block("else:"):
            self.body.out.add(f"{result} = 0")
            scan, _ = self.body.scans.scan(domain, tests, node.site, None, None)
            with self.body.scans.found(domain, node.var, scan, node.where):
                self.body.scans.unless(board_filter.asked)
                self._gather(node, result, "", "", "")
        self.body.put_int(node.var, "0")
        return Value(result, Rank.CONST)

    def _gather(self, node: ir.Aggregate, result: str, also: str, tie: str, hits: str) -> None:
        """What an aggregate does with an element that takes part."""
        out = self.body.out
        item = self.body.int_local(node.var)
        match node.op:
            case "count":
                out.add(f"{result} += 1")
            case "any":
                out.add(f"{result} = 1")
                out.add("break")
            case "all":
                with out.block(f"if not {self.body.expressions.value(node.value)}:"):
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
                worth = self.body.keep(self.body.expressions.value(node.value))
                with out.block(f"if {worth} != GROG_NONE:"):
                    out.add(f"{result} += {worth}")
            case "min" | "max":
                worth = self.body.keep(self.body.expressions.value(node.value))
                sign = ">" if node.op == "max" else "<"
                test = f"{worth} != GROG_NONE and ({result} == GROG_NONE or {worth} {sign} {result})"
                with out.block(f"if {test}:"):
                    out.add(f"{result} = {worth}")
            case _:
                worth = self.body.keep(self.body.expressions.value(node.value))
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
        out = self.body.out
        capacity = self.body.expect(node.chosen, ir.ListType).capacity
        domain = self.body.sets.set_domain(node.left)
        left, extra = self.body.sequence(
            [partial(self.body.sets.set_pointer, node.left), partial(self.body.expressions.value, node.extra)]
        )
        mark = self.body.loops.marked()
        cover = out.variable("cover", "grog_cover *{}")
        parts = f"{left}, {self.body.words(domain)}, {self.body.first(domain)}, {self.body.list_local(node.chosen)}, {capacity}"
        out.add(f"{cover} = grog_cover_new(ctx, {parts}, {extra})")
        right_index, left_index = out.variable("i", INT64), out.variable("i", INT64)
        with (
            out.block(f"for {right_index} in range({cover}.rights):"),
            out.block(f"for {left_index} in range({cover}.lefts):"),
        ):
            self.body.put_int(node.left_var, f"{cover}.left[{left_index}]")
            self.body.put_int(node.right_var, f"{cover}.right[{right_index}]")
            with out.block(f"if {self.body.expressions.condition(node.fits)}:"):
                out.add(f"{cover}.fits[{right_index} * {cover}.lefts + {left_index}] = 1")
        self.body.put_int(node.left_var, "0")
        self.body.put_int(node.right_var, "0")
        result = out.variable("t")
        out.add(f"{result} = grog_cover_solve({cover})")
        out.add(f"grog_release(ctx, {mark})")
        self.body.touch(Rank.FAIL)
        return Value(result, Rank.CONST)

    def meeting(self, node: ir.Meeting) -> Value:
        out = self.body.out
        domains = self.body.sets.set_domain(node.left), self.body.sets.set_domain(node.right)
        words = self.body.words(self.body.sets.set_domain(node.left_at))
        made = self.body.sequence(
            [partial(self.body.sets.set_pointer, node.left), partial(self.body.sets.set_pointer, node.right)]
        )
        mark = self.body.loops.marked()
        meet = out.variable("meet", "grog_meet *{}")
        sets = [
            f"{pointer}, {self.body.words(domain)}, {self.body.first(domain)}"
            for pointer, domain in zip(made, domains, strict=True)
        ]
        out.add(f"{meet} = grog_meet_new(ctx, {', '.join(sets)}, {words})")
        # What is made to find the places of one element is not needed for the next.
        each = self.body.loops.marked()
        i = out.variable("i", INT64)
        with out.block(f"for {i} in range({meet}.guests):"):
            self.body.put_int(node.left_var, f"{meet}.guest[{i}]")
            at = self.body.sets.set_pointer(node.left_at)
            out.add(f"grog_set_copy({meet}.guest_at + {i} * {words}, {at}, {words})")
            out.add(f"grog_release(ctx, {each})")
        with out.block(f"for {i} in range({meet}.hosts):"):
            self.body.put_int(node.right_var, f"{meet}.host[{i}]")
            at = self.body.sets.set_pointer(node.right_at)
            out.add(f"grog_set_copy({meet}.host_at + {i} * {words}, {at}, {words})")
            out.add(f"{meet}.room[{i}] = {self.body.expressions.value(node.room)}")
            out.add(f"grog_release(ctx, {each})")
        self.body.put_int(node.left_var, "0")
        self.body.put_int(node.right_var, "0")
        result = out.variable("t")
        out.add(f"{result} = grog_meet_solve(ctx, {meet}, {self.body.at(node.site)})")
        out.add(f"grog_release(ctx, {mark})")
        self.body.touch(Rank.FAIL)
        return Value(result, Rank.CONST)
