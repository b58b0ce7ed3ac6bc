"""What an Ask needs beside its machine: candidates, and what an answer does."""

from __future__ import annotations

from grognard.compiler.cython.analysis.plan import (
    Plan,
)
from grognard.compiler.cython.print.machines import MachineBody
from grognard.compiler.cython.print.offers import routine_name
from grognard.compiler.cython.print.routine import Routine, origin
from grognard.compiler.cython.tree import lines
from grognard.contract import ir


class AskBody(MachineBody):
    """What an Ask needs beside the machine: its candidates, its extra answer, what an answer does."""

    def __init__(self, plan: Plan, machine: ir.Machine, number: int, ask: ir.Ask) -> None:
        super().__init__(plan, machine)
        self.number = number
        self.ask = ask

    def offer(self) -> Routine:
        self.no_trace = True
        with self.out.block("if extra:"):
            if self.ask.extra_when is None:
                self.out.add("return 1")
            else:
                self.out.add(f"return {self.expressions.condition(self.ask.extra_when)}")
        callee = self.program.functions[self.ask.candidates]
        if isinstance(callee.result, ir.SetType):
            self.sets.set_call(callee.id, self.ask.args)
        else:
            self.out.add(self.calls.call(callee.id, self.ask.args).text)
        self.out.add("return 0")
        return self._routine("offer", "int32_t", ", int32_t extra", "candidates of")

    def take(self) -> Routine:
        self.put_int(self.ask.local, "value")
        with self.out.block("if ctx.level >= 1:"):
            seen = "-1" if self.ask.seen is None else self.keep(self.expressions.value(self.ask.seen)).text
            self.expressions.note(self.ask.site, seen, ["chooser", "value"])
        return self._routine("take", "void", ", int32_t chooser, int32_t value", "answer to")

    def _routine(self, kind: str, result: str, params: str, what: str) -> Routine:
        rooms = self._rooms("" if result == "void" else "0")
        head = [*self._head(), *rooms]
        if self.rooms and kind == "take":
            # A machine that goes on by itself may take many answers before it comes back.
            head = [*self._head(), *lines("cdef int32_t *before = grog_mark(ctx)"), *rooms]
            self.out.add("grog_release(ctx, before)")
        return Routine(
            origin(self.program, self.program.asks[self.ask.ask].name, self.ask.site, what),
            result,
            routine_name(kind, self.plan, self.machine, self.number),
            f"grog_ctx *ctx, int32_t *fr{params}",
            (*head, *self.out.nodes),
            calls=tuple(self.callees),
            constants=frozenset(self.constants),
        )
