"""Machines as far as they come without a frame."""

from __future__ import annotations

from grognard.compiler.cython.print.machines import MachineBody
from grognard.compiler.cython.print.routine import Routine, origin
from grognard.compiler.cython.print.texts import (
    literal,
)
from grognard.compiler.cython.tree import Block, Exit, Node, Pending, lines, mapped
from grognard.compiler.passes.analyses.frameless_machines import frameless_blocks
from grognard.contract import ir
from grognard.contract.header import NONE


class FramelessBody(MachineBody):
    """A machine as far as it comes without a frame: 1 and its result, or 0 and nothing has happened.

    Most calls of a procedure with a decision end before it.  Only in untraced runs."""

    def routine(self) -> Routine:
        self.quick = self.no_trace = True
        params = self.machine.params
        self.out.variables += [f"int32_t {self.names[n]} = 0" for n in self.integers[params:]]
        self._block(0)
        head = [
            *self._head(),
            *lines("cdef int64_t steps = ctx.steps", "cdef int32_t *mark = grog_mark(ctx)"),
            Block(
                f"if ctx.level or not grog_fits(ctx, {self.machine_number(self.machine)}):", lines("return 0")
            ),
            *self._rooms("0"),
        ]
        body = mapped(self.out.nodes, self._finished_exit)
        given = "".join(f"int32_t {self.names[n]}, " for n in range(params))
        return Routine(
            origin(self.program, self.machine.name, self.machine.site, "machine, without a frame,"),
            "int32_t",
            self.plan.frameless_name(self.machine.id),
            f"grog_ctx *ctx, {given}int32_t *result",
            (*head, *body),
            calls=tuple(self.callees),
            constants=frozenset(self.constants),
        )

    def _finished_exit(self, node: Pending) -> list[Node] | None:
        """The lines of an exit, when it is known whether the body used the arena."""
        if not isinstance(node, Exit):
            return None
        return lines(*(["grog_release(ctx, mark)"] if self.uses_arena else []), f"return {node.result}")

    def _block(self, number: int) -> None:
        if number not in frameless_blocks(self.machine):
            self.out.add("grog_allow(ctx, steps)")
            self.out.nodes.append(Exit("0"))
            return
        block = self.machine.blocks[number]
        self.out.add(f"grog_step(ctx, {self.at(self.machine.site)})")
        self.statements.all_of(block.body)
        match block.end:
            case ir.Jump(block=after):
                self._block(after)
            case ir.Branch(condition=condition, then=then, otherwise=otherwise):
                with self.out.block(f"if {self.expressions.condition(condition)}:"):
                    self._block(then)
                with self.out.block("else:"):
                    self._block(otherwise)
            case ir.ReturnMachine(value=value):
                self.out.add(
                    f"result[0] = {literal(NONE) if value is None else self.expressions.value(value).text}"
                )
                self.out.nodes.append(Exit("1"))
