"""IR statements to closures.

`Statements` puts the families together (`assignments`, `stores`, `control_flow`), adds what goes through the run
(dice, candidates, trace, failures), and finds the compilation of a node by its type.  `control_flow` defines the
signals that a statement's closure returns.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from grognard.contract import generator as rng
from grognard.contract import ir
from grognard.contract.backend import RuleFailure
from grognard.contract.header import (
    FAIL_DICE,
    FAIL_INDEX,
    FAIL_LIST,
    FAIL_OVERFLOW,
    FAIL_RANGE,
    H_RNG_HI,
    H_RNG_LO,
    NONE,
)
from grognard.interpreter.assignments import ASSIGNMENTS, AssignmentStatements
from grognard.interpreter.control_flow import CONTROL_FLOW, ControlFlowStatements
from grognard.interpreter.frames import Eval, Frame, Unit
from grognard.interpreter.journal import Journal
from grognard.interpreter.operators import MOST
from grognard.interpreter.stores import STORES, StoreStatements


class Statements(AssignmentStatements, StoreStatements, ControlFlowStatements):
    """Compiles the statements of one function or machine."""

    def __init__(
        self,
        unit: Unit,
        journal: Journal,
        locals: Sequence[ir.LocalDecl],
        offsets: Sequence[int] | None,
        site: int,
        result: ir.LocalType | None = None,
    ) -> None:
        super().__init__(unit, locals, offsets, site)
        self.journal = journal
        self.result = result
        self.loops = 0
        self.finds = False
        #: sites of the notes that record the function's result
        self.results: frozenset[int] = frozenset()

    def body(self, nodes: Sequence[ir.Stmt]) -> Eval:
        """Compile several statements as one."""
        made = [_STMT[type(node)](self, node) for node in nodes]
        if not made:
            return lambda fr: 0
        if len(made) == 1:
            return made[0]

        def run(fr: Frame) -> int:
            for statement in made:
                signal = statement(fr)
                if signal:
                    return signal
            return 0

        return run

    # ------------------------------------------------------------------- dice, candidates, trace and failures

    def _roll(self, node: ir.Roll) -> Eval:
        count_of, lo_of, hi_of = self.expr(node.count), self.expr(node.lo), self.expr(node.hi)
        total_slot = None if node.total is None else self.int_slot(node.total)
        put = None if node.pool is None else self.put_list(node.pool)
        capacity = MOST if node.pool is None else self.list_capacity(node.pool)
        site = node.site

        def roll(fr: Frame) -> int:
            count, lo, hi = count_of(fr), lo_of(fr), hi_of(fr)
            if NONE in (count, lo, hi):
                raise RuleFailure(FAIL_INDEX, site, (count, lo, hi))
            if hi < lo:
                raise RuleFailure(FAIL_RANGE, site, (count, lo, hi))
            if count > capacity:
                raise RuleFailure(FAIL_LIST, site, (count,))
            dice = [_die(fr, lo, hi, site) for _ in range(count)]
            total = sum(dice)
            if not -MOST <= total <= MOST:
                raise RuleFailure(FAIL_OVERFLOW, site)
            if total_slot is not None:
                fr.v[total_slot] = total
            if put is not None:
                put(fr, dice)
            if fr.run.level >= 1:
                fr.run.note(site, -1, [count, lo, hi, *dice])
            return 0

        return roll

    def _yield(self, node: ir.Yield) -> Eval:
        value = self.expr(node.value)

        def offer(fr: Frame) -> int:
            fr.run.offer(value(fr))
            return 0

        return offer

    def _note(self, node: ir.Note) -> Eval:
        args = [self.expr(arg) for arg in node.args]
        seen = (lambda fr: -1) if node.seen is None else self.expr(node.seen)
        level, site = node.level, node.site

        def note(fr: Frame) -> int:
            if fr.run.level >= level:
                values = [arg(fr) for arg in args]
                fr.run.note(site, seen(fr), values)
            return 0

        def note_result(fr: Frame) -> int:
            if fr.run.level >= level:
                values = [arg(fr) for arg in args]
                fr.run.note_result(site, seen(fr), values, fr.since)
            return 0

        return note_result if site in self.results else note

    def _fail(self, node: ir.Fail) -> Eval:
        kind, site = node.kind, node.site

        def fail(fr: Frame) -> int:
            raise RuleFailure(kind, site)

        return fail


def _die(fr: Frame, lo: int, hi: int, site: int) -> int:
    io = fr.run.io
    if io.script is not None:
        if io.script_used >= len(io.script):
            raise RuleFailure(FAIL_DICE, site, (lo, hi))
        face = io.script[io.script_used]
        if not lo <= face <= hi:
            raise RuleFailure(FAIL_DICE, site, (lo, hi, face))
        io.script_used += 1
        return face
    c = fr.c
    face, state = rng.draw(rng.joined(c[H_RNG_LO], c[H_RNG_HI]), hi - lo + 1)
    c[H_RNG_LO], c[H_RNG_HI] = rng.split(state)
    return lo + face


_STMT: dict[type, Callable[[Statements, Any], Eval]] = {
    **ASSIGNMENTS,
    **STORES,
    **CONTROL_FLOW,
    ir.Roll: Statements._roll,
    ir.Yield: Statements._yield,
    ir.Note: Statements._note,
    ir.Fail: Statements._fail,
}
