"""Calls of functions, of hypotheticals, of map queries and of movements."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

from grognard.compiler.cython.analysis.plan import movement_functions
from grognard.compiler.cython.analysis.side_effects import side_effect_free
from grognard.compiler.cython.optimise.inline import (
    renamed,
    replaceable,
    single_value,
)
from grognard.compiler.cython.print.body import (
    Base,
)
from grognard.compiler.cython.print.lines import (
    INT64,
    Rank,
    Value,
)
from grognard.contract import ir
from grognard.contract.header import NONE


class Calls(Base):
    """Expressions that call something."""

    # -- what the other mixins give

    def value(self, node: Any) -> Value:
        raise NotImplementedError

    def values(self, nodes: Sequence[Any]) -> list[Value]:
        """Integer operands, in order."""
        return self.sequence([partial(self.value, node) for node in nodes])

    def set_pointer(self, node: Any, domain: int | None = None) -> Value:
        raise NotImplementedError

    def list_within(self, node: Any, capacity: int, site: int) -> Value:
        raise NotImplementedError

    # -- calls

    def argument(self, node: Any, kind: ir.LocalType) -> Value:
        """An argument as the parameter's type wants it."""
        match kind:
            case ir.SetType(domain=domain):
                return self.set_pointer(node, domain)
            case ir.ListType(capacity=capacity):
                return self.list_within(node, capacity, self.site)
        return self.value(node)

    def arguments(self, args: Sequence[Any], params: Sequence[ir.LocalDecl], writes: bool) -> list[Value]:
        """Arguments of a call; what lies in the position is copied if the callee may change it."""
        made = self.sequence([partial(self.argument, arg, param.type) for arg, param in zip(args, params)])
        return [self.keep_content(value) if writes and value.state else value for value in made]

    def read_arguments(self, callee: ir.Function, args: Sequence[Any]) -> list[Value]:
        """The arguments that C passes: those of parameters that are read.  The others are only worked out if
        that may fail."""
        unread = self.plan.unread[callee.id]
        # A parameter that is only handed on here has no variable either.
        known = [
            ir.Const(0) if number in unread and isinstance(arg, ir.Local) else arg
            for number, arg in enumerate(args)
        ]
        made = self.arguments(known, callee.locals[: callee.params], self.plan.writes[callee.id])
        for number in unread:
            if made[number].rank >= Rank.FAIL:
                self.keep(made[number])
        return [value for number, value in enumerate(made) if number not in unread]

    def call(self, function: int, args: Sequence[Any]) -> Value:
        """A call that gives an integer (0 from a procedure)."""
        callee = self.program.functions[function]
        if function in self.inlined:
            return self._written_out_call(callee, args)
        made = self.read_arguments(callee, args)
        rank = self.touch(self.plan.call_rank(function))
        no_trace = self.no_trace and function in self.plan.untraced_clones
        name = self.plan.untraced_clone(function) if no_trace else self.plan.functions[function]
        return Value(f"{self.called(name)}({', '.join(['ctx', *map(str, made)])})", rank)

    def _written_out_call(self, callee: ir.Function, args: Sequence[Any]) -> Value:
        writes = self.plan.code_writes(tuple(args))
        names = replaceable(
            callee, args, lambda arg: not writes and side_effect_free(self.plan, arg, self.bounded)
        )
        rest = [number for number in range(callee.params) if number not in names]
        made = self.values([args[number] for number in rest])
        moved = {
            number: self.new_local(callee.locals[number].name)
            for number in range(len(callee.locals))
            if number not in names
        }
        for number, value in zip(rest, made):
            self.put_int(moved[number], value)
        outside = self.site, self.results, self.since
        self.site = callee.site
        self._begin_trace(callee)
        body = renamed(callee.body, names, moved)
        single = single_value(body) if self.no_trace else None
        if single is not None:
            result = self.value(single)
        else:
            for number in range(callee.params, len(callee.locals)):
                self.put_int(moved[number], "0")
            name = self.out.variable("t")
            self.written_out(body, name)
            result = Value(name, Rank.CONST)
            if not self.no_trace and self.plan.marks[callee.id].brackets:
                self.end_bracket()
        self.site, self.results, self.since = outside
        return result

    def _begin_trace(self, callee: ir.Function) -> None:
        """What the trace needs at the beginning of a function that is inlined here."""
        self.results = frozenset() if self.no_trace else self.plan.results_below(callee.id)
        if self.results:
            self.since = self.out.variable("since", INT64)
            self.out.add(f"{self.since} = ctx.trace_count")
        elif not self.no_trace and self.plan.marks[callee.id].brackets:
            with self.out.block("if ctx.level >= 2:"):
                self.out.add(f"grog_trace_call(ctx, {callee.site})")

    def end_bracket(self) -> None:
        """The end of a function that is marked in the trace."""
        with self.out.block("if ctx.level >= 2:"):
            self.out.add("grog_trace_return(ctx)")

    def written_out(self, code: Sequence[ir.Stmt], result: str) -> None:
        raise NotImplementedError

    def _at_best(self, node: ir.AtBest) -> Value:
        """A search on a copy of the position: it may fail, but changes nothing here."""
        target = self.program.machines[node.machine]
        enough = ir.Const(NONE) if node.enough is None else node.enough
        *made, limit = self.values((*node.args, enough))
        array = self.out.variable("arg", f"int32_t {{}}[{max(1, len(made))}]")
        for number, value in enumerate(made):
            self.out.add(f"{array}[{number}] = {value}")
        rank = self.touch(Rank.FAIL)
        return Value(f"grog_at_best(ctx, {target.id}, {len(made)}, {array}, {limit})", rank)

    def _verb(self, node: ir.Verb) -> Value:
        match node:
            case ir.Verb(name="direction", args=(ir.Local(index=a), ir.Local(index=b))) if (
                a,
                b,
            ) in self.beside:
                return Value(self.beside[a, b], Rank.LOCAL)
        args = self.values(node.args)
        text = ", ".join(["ctx", *map(str, args)])
        return Value(f"grog_v_{node.name}({text})", max([Rank.LOCAL, *(arg.rank for arg in args)]))

    def _reach_cost(self, movement: int, args: Sequence[ir.Expr], to: ir.Expr) -> Value:
        made = self.movement_arguments([*args, to])
        rank = self.touch(self.movement_rank(movement))
        name = self.called(f"{self.plan.movements[movement]}_cost")
        return Value(f"{name}({', '.join(['ctx', *made])})", rank)

    def movement_arguments(self, args: Sequence[ir.Expr]) -> list[str]:
        return [value.text for value in self.values(args)]

    def movement_rank(self, movement: int) -> Rank:
        return max(map(self.plan.call_rank, movement_functions(self.program.movements[movement])))
