"""Statements to Cython."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import nullcontext
from typing import Any

from grognard.compiler.cython.analysis.plan import nodes
from grognard.compiler.cython.analysis.side_effects import side_effect_free, stores
from grognard.compiler.cython.optimise.fill_fields import fill_field, fills_field
from grognard.compiler.cython.optimise.inline_functions import always_returns
from grognard.compiler.cython.print.lines import (
    BUFFER,
    INT64,
    Rank,
)
from grognard.compiler.cython.print.printer import Printer
from grognard.compiler.cython.print.texts import literal
from grognard.compiler.passes.analyses.local_variables import assigned, read_locals
from grognard.contract import ir
from grognard.contract.call_classes import finds
from grognard.contract.header import NONE


class StatementPrinter(Printer):
    """Straight code and loops of a body.

    Nothing here looks at a failure at once: helpers do nothing harmful after one, and loops and calls end."""

    def all_of(self, code: Sequence[ir.Stmt]) -> None:
        for node in code:
            self.statement(node)

    def block_of(self, head: str, code: Sequence[ir.Stmt]) -> None:
        with self.body.out.block(head):
            self.all_of(code)

    def statement(self, node: ir.Stmt) -> None:
        match node:
            case ir.Assign(local=local, value=value):
                self.body.put_int(local, self.body.expressions.value(value))
            case ir.AssignSet() | ir.AssignList() | ir.ListAppend() | ir.ListClear() | ir.SetChange():
                self.body.writes.buffer(node)
            case ir.Store():
                self.body.touch(Rank.WRITE)
                self.body.writes.store_cell(node)
            case ir.StoreSet() | ir.StoreSetChange() | ir.StoreList():
                self.body.touch(Rank.WRITE)
                self.body.writes.changing(self.body.writes.store(node), node.field)
            case ir.Enqueue(field=field, value=value, site=site):
                self.body.touch(Rank.WRITE)
                capacity = self.body.plan.list_field_capacity(field)
                item = self.body.expressions.value(value)
                self.body.out.add(
                    f"grog_enqueue(ctx, {self.body.offset(field)}, {capacity}, {item}, {self.body.at(site)})"
                )
                self.body.writes.changed(field)
            case ir.StoreHead(cell=cell, value=value):
                self.body.out.add(f"{self.body.h('s')}[{cell}] = {self.body.expressions.value(value)}")
            case ir.Reset(field=field):
                default = self.body.writes.default(self.body.program.fields[field])
                self.body.writes.changing(
                    f"grog_reset(ctx, {self.body.field_number(field)}, {default}, {self.body.writes.journal}, {self.body.at(self.body.site)})",
                    field,
                )
            case ir.CopyField(source=source, target=target):
                copy = f"grog_copy_field(ctx, {self.body.field_number(source)}, {self.body.field_number(target)}, {self.body.writes.journal}, {self.body.at(self.body.site)})"
                self.body.writes.changing(copy, target)
            case ir.IfStmt(condition=condition, then=then, otherwise=otherwise):
                self.block_of(f"if {self.body.expressions.condition(condition)}:", then)
                if otherwise:
                    self.block_of("else:", otherwise)
            case ir.While():
                self._while(node)
            case ir.For():
                self._for(node)
            case ir.ForLine():
                self._for_line(node)
            case ir.Break():
                self.body.out.add("break")
            case ir.Continue():
                # A failed loop must not go round again.
                self.body.out.add("if ctx.fail: break")
                self.body.out.add("continue")
            case ir.Return(value=value):
                self.body.leave(value)
            case ir.Do(function=function, args=args, local=local):
                self._do(function, args, local)
            case ir.Roll():
                self._roll(node)
            case ir.Create():
                self.body.writes.create(node)
            case ir.Destroy(domain=domain, value=value, site=site):
                alive = self.body.loops.alive_field(domain)
                assert alive is not None
                at = self.body.expressions.cell((domain,), (value,), site)
                self.body.out.add(
                    f"grog_put_cell(ctx, {self.body.offset(alive)} + {at}, 0, {self.body.writes.journal}, {self.body.at(site)})"
                )
                self.body.writes.changed(alive)
            case ir.Yield(value=value):
                self.body.out.add(f"grog_yield(ctx, {self.body.expressions.value(value)})")
            case ir.Note():
                self._note(node)
            case ir.Fail(kind=kind, site=site):
                self.body.out.add(f"grog_fail(ctx, {kind}, {self.body.at(site)})")
            case ir.BranchBegin(site=site):
                self.body.out.add(f"grog_branch_begin(ctx, {self.body.at(site)})")
            case ir.BranchNext(site=site):
                self.body.out.add(f"grog_branch_next(ctx, {self.body.at(site)})")
            case ir.BranchEnd(site=site):
                self.body.out.add(f"grog_branch_end(ctx, {self.body.at(site)})")
            case _:
                raise AssertionError(f"no statement: {node!r}")

    def written_out(self, code: Sequence[ir.Stmt], result: str) -> None:
        """Code of a function that is written out here; what it returns goes to a variable."""
        for number, node in enumerate(code):
            match node:
                case ir.Return(value=value):
                    self.body.out.add(
                        f"{result} = {literal(NONE) if value is None else self.body.expressions.value(value)}"
                    )
                    return
                case ir.IfStmt(condition=condition, then=then, otherwise=otherwise) if any(
                    isinstance(part, ir.Return) for part in nodes((then, otherwise))
                ):
                    rest = tuple(code[number + 1 :])
                    with self.body.out.block(f"if {self.body.expressions.condition(condition)}:"):
                        self.written_out(then if always_returns(then) else (*then, *rest), result)
                    with self.body.out.block("else:"):
                        self.written_out(
                            otherwise if always_returns(otherwise) else (*otherwise, *rest), result
                        )
                    return
            self.statement(node)
        self.body.out.add(f"{result} = {literal(NONE)}")

    # -- loops

    def _looped(self, code: Sequence[ir.Stmt]) -> None:
        """The body of a loop, which ends after a failure."""
        self.all_of(code)
        if not (code and isinstance(code[-1], ir.Break | ir.Continue | ir.Return)) and not side_effect_free(
            self.body.plan, code, self.body.bounded
        ):
            with self.body.out.block("if ctx.fail:"):
                self.body.out.add("break")

    def _while(self, node: ir.While) -> None:
        with self.body.out.block("while True:"):
            if node.condition != ir.Const(1):
                with self.body.out.block(f"if not {self.body.expressions.condition(node.condition)}:"):
                    self.body.out.add("break")
            with self.body.out.block(f"if not grog_step(ctx, {self.body.at(node.site)}):"):
                self.body.out.add("break")
            self._looped(node.body)

    def _for(self, node: ir.For) -> None:
        write = fills_field(node, self.body) if self.body.plan.uses("fill_fields") else None
        if write is None:
            self._for_each(node)
        else:
            fill_field(node, write, self.body, lambda: self._for_each(node))

    def _for_each(self, node: ir.For) -> None:
        if self.body.finds and finds(node):
            if not self.body.scans.yields_in_bulk(node):
                below = (node.where, node.body)
                with (
                    self.body.scans.chosen(node.over, node.var, node.where, node.site, below),
                    self.body.out.block(f"if grog_yield(ctx, {self.body.int_local(node.var)}):"),
                ):
                    self.body.out.add("break")
            self.body.put_int(node.var, "0")
            if node is not self.body.last:
                with self.body.out.block("if grog_full(ctx):"):
                    self.body.leave(None)
            return
        if node.key is None and self._in_one_pass(node):
            if not self.body.scans.yields_in_bulk(node):
                with self.body.scans.chosen(
                    node.over, node.var, node.where, node.site, (node.where, node.body)
                ):
                    self._looped(node.body)
            self.body.put_int(node.var, "0")
            return
        mark = self.body.loops.marked()
        buffer, count = self.body.out.variable("fixed", BUFFER), self.body.out.variable("m", INT64)
        fixing = (buffer, count)
        with self.body.scans.chosen(node.over, node.var, node.where, node.site, node.where, fixing):
            self.body.out.add(f"{buffer}[{count}] = {self.body.int_local(node.var)}")
            self.body.out.add(f"{count} += 1")
        if node.key is None:
            index = self.body.out.variable("i", INT64)
            with self.body.out.block(f"for {index} in range({count}):"):
                self.body.put_int(node.var, f"{buffer}[{index}]")
                self._visit(node)
        else:
            with self.body.out.block(f"while {count} > 0:"):
                self._pick(node, buffer, count)
                self._visit(node)
        self.body.put_int(node.var, "0")
        self.body.out.add(f"grog_release(ctx, {mark})")

    def _visit(self, node: ir.For) -> None:
        domain = self._members_of(node.over)
        with nullcontext() if domain is None else self.body.prefilters.known(node.var, domain, node.body):
            self._looped(node.body)

    def _members_of(self, over: ir.Over) -> int | None:
        """The domain that all elements of a loop are of, if that is known."""
        match over:
            case ir.OverDomain(domain=domain):
                return domain
            case ir.OverSet(set=inner):
                return self.body.sets.set_domain(inner)
        return None

    def _in_one_pass(self, node: ir.For) -> bool:
        """Whether filtering and visiting each element in turn is the same as filtering all of them first."""
        fixed = (
            not isinstance(node.over, ir.OverDomain) or self.body.loops.alive_field(node.over.domain) is None
        )
        if node.where is None and fixed:
            return True
        if stores(self.body.plan, node.body):
            return False
        if node.where is None:
            return True
        if node.var in assigned(node.body) or assigned(node.body) & read_locals(node.where):
            return False
        bounded = dict(self.body.bounded)
        bounded.pop(node.var, None)
        domain = self._members_of(node.over)
        if domain is not None and node.var not in assigned((node.where, node.body)):
            bounded[node.var] = domain
        if side_effect_free(self.body.plan, node.where, bounded):
            return True
        # It must not show that the filter runs between the visits, nor that a visit keeps it from running.
        leaves = any(isinstance(part, ir.Break | ir.Continue) for part in nodes(node.body))
        return (
            side_effect_free(self.body.plan, node.body, bounded)
            and not leaves
            and not self.body.plan.code_writes(node.where)
        )

    def _pick(self, node: ir.For, buffer: str, count: str) -> None:
        """Take the element with the best key out of those that are left."""
        out = self.body.out
        best, place, index = out.variable("best"), out.variable("place", INT64), out.variable("i", INT64)
        out.add(f"{place} = -1")
        out.add(f"{best} = 0")
        with out.block(f"for {index} in range({count}):"):
            self.body.put_int(node.var, f"{buffer}[{index}]")
            worth = self.body.keep(self.body.expressions.value(node.key))
            sign = ">" if node.highest else "<"
            with out.block(f"if {place} < 0 or {worth} {sign} {best}:"):
                out.add(f"{best} = {worth}")
                out.add(f"{place} = {index}")
        self.body.put_int(node.var, f"grog_take({buffer}, {count}, {place})")
        out.add(f"{count} -= 1")

    def _for_line(self, node: ir.ForLine) -> None:
        out = self.body.out
        a, b = self.body.calls.values((node.a, node.b))
        mark = self.body.loops.marked()
        line, index = out.variable("line", "grog_line {}"), out.variable("i", INT64)
        out.add(f"{line} = grog_line_of(ctx, {a}, {b}, {int(node.crossings)})")
        wanted = read_locals(node.body)
        parts = (
            (node.kind_var, f"{line}.item[{index}].kind"),
            (node.first_var, f"grog_line_first(&{line}, {index})"),
            (node.second_var, f"grog_line_second(&{line}, {index})"),
        )
        with out.block(f"for {index} in range({line}.count):"):
            for var, text in parts:
                if var in wanted:
                    self.body.put_int(var, text)
            with out.block(f"if not grog_step(ctx, {self.body.at(node.site)}):"):
                out.add("break")
            self._looped(node.body)
        for var, _ in parts:
            self.body.put_int(var, "0")
        out.add(f"grog_release(ctx, {mark})")

    # -- the rest

    def _do(self, function: int, args: Sequence[Any], local: int | None) -> None:
        result = self.body.program.functions[function].result
        if isinstance(result, ir.SetType):
            self.body.sets.set_call(function, args)
        elif local is None:
            self.body.out.add(self.body.calls.call(function, args).text)
        else:
            self.body.put_int(local, self.body.calls.call(function, args))

    def _roll(self, node: ir.Roll) -> None:
        self.body.touch(Rank.WRITE)
        count, lo, hi = self.body.calls.values((node.count, node.lo, node.hi))
        pool, capacity = "NULL", 0
        if node.pool is not None:
            capacity = self.body.expect(node.pool, ir.ListType).capacity
            pool = self.body.list_local(node.pool)
        call = f"grog_roll(ctx, {count}, {lo}, {hi}, {pool}, {capacity}, {self.body.at(node.site)})"
        if node.total is None:
            self.body.out.add(call)
        else:
            self.body.put_int(node.total, call)

    def _note(self, node: ir.Note) -> None:
        if self.body.no_trace:
            return
        with self.body.out.block(f"if ctx.level >= {node.level}:"):
            parts = [*node.args, *([] if node.seen is None else [node.seen])]
            made = [self.body.keep(value).text for value in self.body.calls.values(parts)]
            seen = "-1" if node.seen is None else made[-1]
            if node.site in self.body.results:
                self.body.out.add(f"grog_trace_below(ctx, {self.body.since}, {self.body.at(node.site)})")
            self.body.expressions.note(node.site, seen, made[: len(node.args)])
