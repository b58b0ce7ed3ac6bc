"""Calls of functions, of hypotheticals, of map queries and of movements."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

from grognard.compiler.cython.analysis.plan import movement_functions
from grognard.compiler.cython.analysis.side_effects import side_effect_free
from grognard.compiler.cython.optimise.inline_functions import (
    renamed,
    replaceable,
    single_value,
)
from grognard.compiler.cython.print.lines import (
    INT64,
    Rank,
    Value,
)
from grognard.compiler.cython.print.printer import Printer
from grognard.contract import ir
from grognard.contract.header import NONE


class CallPrinter(Printer):
    """Expressions that call something."""

    def values(self, nodes: Sequence[Any]) -> list[Value]:
        """Integer operands, in order."""
        return self.body.sequence([partial(self.body.expressions.value, node) for node in nodes])

    # -- calls

    def argument(self, node: Any, kind: ir.LocalType) -> Value:
        """An argument as the parameter's type wants it."""
        match kind:
            case ir.SetType(domain=domain):
                return self.body.sets.set_pointer(node, domain)
            case ir.ListType(capacity=capacity):
                return self.body.expressions.list_within(node, capacity, self.body.site)
        return self.body.expressions.value(node)

    def arguments(self, args: Sequence[Any], params: Sequence[ir.LocalDecl], writes: bool) -> list[Value]:
        """Arguments of a call; what lies in the position is copied if the callee may change it."""
        made = self.body.sequence(
            [partial(self.argument, arg, param.type) for arg, param in zip(args, params)]
        )
        return [self.body.keep_content(value) if writes and value.state else value for value in made]

    def read_arguments(self, callee: ir.Function, args: Sequence[Any]) -> list[Value]:
        """The arguments that C passes: those of parameters that are read.  The others are only worked out if
        that may fail."""
        unread = self.body.plan.unread[callee.id]
        # A parameter that is only handed on here has no variable either.
        known = [
            ir.Const(0) if number in unread and isinstance(arg, ir.Local) else arg
            for number, arg in enumerate(args)
        ]
        made = self.arguments(known, callee.locals[: callee.params], self.body.plan.writes[callee.id])
        for number in unread:
            if made[number].rank >= Rank.FAIL:
                self.body.keep(made[number])
        return [value for number, value in enumerate(made) if number not in unread]

    def call(self, function: int, args: Sequence[Any]) -> Value:
        """A call that gives an integer (0 from a procedure)."""
        callee = self.body.program.functions[function]
        if function in self.body.inlined:
            return self._written_out_call(callee, args)
        made = self.read_arguments(callee, args)
        rank = self.body.touch(self.body.plan.call_rank(function))
        no_trace = self.body.no_trace and function in self.body.plan.untraced_clones
        name = self.body.plan.untraced_clone(function) if no_trace else self.body.plan.functions[function]
        return Value(f"{self.body.called(name)}({', '.join(['ctx', *map(str, made)])})", rank)

    def _written_out_call(self, callee: ir.Function, args: Sequence[Any]) -> Value:
        writes = self.body.plan.code_writes(tuple(args))
        names = replaceable(
            callee, args, lambda arg: not writes and side_effect_free(self.body.plan, arg, self.body.bounded)
        )
        rest = [number for number in range(callee.params) if number not in names]
        made = self.values([args[number] for number in rest])
        moved = {
            number: self.body.new_local(callee.locals[number].name)
            for number in range(len(callee.locals))
            if number not in names
        }
        for number, value in zip(rest, made):
            self.body.put_int(moved[number], value)
        outside = self.body.site, self.body.results, self.body.since
        self.body.site = callee.site
        self._begin_trace(callee)
        body = renamed(callee.body, names, moved)
        single = single_value(body) if self.body.no_trace else None
        if single is not None:
            result = self.body.expressions.value(single)
        else:
            for number in range(callee.params, len(callee.locals)):
                self.body.put_int(moved[number], "0")
            name = self.body.out.variable("t")
            self.body.statements.written_out(body, name)
            result = Value(name, Rank.CONST)
            if not self.body.no_trace and self.body.plan.marks[callee.id].brackets:
                self.end_bracket()
        self.body.site, self.body.results, self.body.since = outside
        return result

    def _begin_trace(self, callee: ir.Function) -> None:
        """What the trace needs at the beginning of a function that is inlined here."""
        self.body.results = frozenset() if self.body.no_trace else self.body.plan.results_below(callee.id)
        if self.body.results:
            self.body.since = self.body.out.variable("since", INT64)
            self.body.out.add(f"{self.body.since} = ctx.trace_count")
        elif not self.body.no_trace and self.body.plan.marks[callee.id].brackets:
            with self.body.out.block("if ctx.level >= 2:"):
                self.body.out.add(f"grog_trace_call(ctx, {self.body.at(callee.site)})")

    def end_bracket(self) -> None:
        """The end of a function that is marked in the trace."""
        with self.body.out.block("if ctx.level >= 2:"):
            self.body.out.add("grog_trace_return(ctx)")

    def at_best(self, node: ir.AtBest) -> Value:
        """A search on a copy of the position: it may fail, but changes nothing here."""
        target = self.body.program.machines[node.machine]
        enough = ir.Const(NONE) if node.enough is None else node.enough
        *made, limit = self.values((*node.args, enough))
        array = self.body.out.variable("arg", f"int32_t {{}}[{max(1, len(made))}]")
        for number, value in enumerate(made):
            self.body.out.add(f"{array}[{number}] = {value}")
        rank = self.body.touch(Rank.FAIL)
        searched = self.body.linked(
            self.body.plan.numbers.one(f"N_{self.body.plan.machines[target.id]}", target.id)
        )
        return Value(f"grog_at_best(ctx, {searched}, {len(made)}, {array}, {limit})", rank)

    def verb(self, node: ir.Verb) -> Value:
        match node:
            case ir.Verb(name="direction", args=(ir.Local(index=a), ir.Local(index=b))) if (
                a,
                b,
            ) in self.body.beside:
                return Value(self.body.beside[a, b], Rank.LOCAL)
        args = self.values(node.args)
        text = ", ".join(["ctx", *map(str, args)])
        return Value(f"grog_v_{node.name}({text})", max([Rank.LOCAL, *(arg.rank for arg in args)]))

    def reach_cost(self, movement: int, args: Sequence[ir.Expr], to: ir.Expr) -> Value:
        made = self.movement_arguments([*args, to])
        rank = self.body.touch(self.movement_rank(movement))
        name = self.body.called(f"{self.body.plan.movements[movement]}_cost")
        return Value(f"{name}({', '.join(['ctx', *made])})", rank)

    def movement_arguments(self, args: Sequence[ir.Expr]) -> list[str]:
        return [value.text for value in self.values(args)]

    def movement_rank(self, movement: int) -> Rank:
        return max(map(self.body.plan.call_rank, movement_functions(self.body.program.movements[movement])))
