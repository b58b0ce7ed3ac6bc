"""Decisions: an Ask compiled, its candidates, and what an answer does."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from grognard.contract import ir
from grognard.contract.backend import RuleFailure
from grognard.contract.bitsets import Cells
from grognard.contract.call_classes import few_candidates, settled
from grognard.contract.header import (
    FAIL_EMPTY,
    FAIL_INDEX,
    H_ASK,
    H_BRANCH,
    H_CHOOSER,
    H_EPOCH,
    H_STATUS,
    NONE,
    STATUS_DECISION,
)
from grognard.interpreter.equivalence import PieceEquivalence
from grognard.interpreter.frames import Enough, Eval, Frame, Unit
from grognard.interpreter.stack import LEFT, Stack
from grognard.interpreter.statements import Statements


@dataclass(slots=True)
class Question:
    """An Ask, compiled."""

    node: ir.Ask
    chooser: Eval
    args: list[Eval]
    extra_when: Eval | None
    seen: Eval | None
    slot: int
    on_view: bool


class Decisions:
    """Compiles and runs the decisions of all machines."""

    def __init__(self, unit: Unit, stack: Stack, finders: frozenset[int]) -> None:
        self.unit = unit
        self.program = unit.program
        self.layout = unit.layout
        self.stack = stack
        self.finders = finders
        self._equivalence: dict[int, PieceEquivalence] = {}
        #: the position whose candidates were computed last, and these: an answer needs them again.  One pair that is
        #: replaced as a whole, because several threads may share an interpreter.
        self.latest: tuple[bytes, list[int]] = (b"", [])

    def compile(self, make: Statements, node: ir.Ask) -> Question:
        target = self.program.functions[node.candidates]
        return Question(
            node,
            make.expr(node.chooser),
            make.arguments(node.args, target.locals[: target.params]),
            None if node.extra_when is None else make.expr(node.extra_when),
            None if node.seen is None else make.expr(node.seen),
            make.int_slot(node.local),
            self.program.asks[node.ask].on_view and self.program.view is not None,
        )

    def terminator(self, question: Question) -> Callable[[Frame], int]:
        """The end of a block that asks: the next block if the answer is known, else LEFT with the decision pending."""
        node = question.node
        few = few_candidates(node, self.finders)

        def ask(fr: Frame) -> int:
            level = fr.run.level
            fr.run.level = 0
            chooser = self._chooser(fr, question)
            offered = self.offered(fr, question, chooser, few if fr.run.first else 0)
            fr.run.level = level
            if not offered:
                if node.empty is None:
                    raise RuleFailure(FAIL_EMPTY, node.site)
                return node.empty
            if node.empty is not None and offered == [node.extra]:
                return node.empty
            if node.lone and len(offered) == 1:
                self.take(fr, question, chooser, offered[0])
                return node.block
            if fr.run.first:
                # As if the run had stopped here and been answered with the first candidate.
                fr.run.first -= 1
                fr.run.steps = 0
                count_decision(fr.c)
                self.take(fr, question, chooser, offered[0])
                return node.block
            fr.c[H_STATUS] = STATUS_DECISION
            fr.c[H_CHOOSER] = chooser
            fr.c[H_ASK] = node.ask
            self.latest = fr.c.tobytes(), offered
            return LEFT

        return ask

    def _chooser(self, fr: Frame, question: Question) -> int:
        chooser: int = question.chooser(fr)
        seats = self.program.seats
        if not 0 <= chooser - self.layout.base[seats] < self.layout.count[seats]:
            raise RuleFailure(FAIL_INDEX, question.node.site, (chooser,))
        return chooser

    def take(self, fr: Frame, question: Question, chooser: int, value: int) -> None:
        """Write the answer to the local of the machine, and a record to the trace."""
        fr.v[question.slot] = value
        if fr.run.level >= 1:
            seen = -1 if question.seen is None else question.seen(fr)
            fr.run.note(question.node.site, seen, (chooser, value))

    def offered(self, fr: Frame, question: Question, chooser: int, few: int = 0) -> list[int]:
        """The candidates, as far as the chooser may know them; the search ends after `few`, if that is not 0."""
        node, run = question.node, fr.run
        if question.on_view:
            assert self.program.view is not None
            copy = memoryview(bytearray(fr.c.tobytes())).cast("i")
            copy[H_BRANCH] = NONE
            fr = self.stack.frame(copy, run)
            self.unit.functions[self.program.view](fr, [chooser])
        run.yields, run.enough, depth = [], few, run.depth
        try:
            self.unit.functions[node.candidates](fr, [arg(fr) for arg in question.args])
        except Enough:
            run.level, run.depth = 0, depth
        run.enough = 0
        offered = [value for value in dict.fromkeys(run.yields) if value != NONE]
        run.yields = []
        if node.distinct is not None:
            offered = self._interchangeable(node.distinct).distinct(fr.c, offered)
        if node.extra is not None and node.extra not in offered and not settled(node, few, len(offered)):
            if question.extra_when is None or question.extra_when(fr):
                offered.append(node.extra)
        return offered

    def _interchangeable(self, domain: int) -> PieceEquivalence:
        if domain not in self._equivalence:
            self._equivalence[domain] = PieceEquivalence(self.program, self.layout, domain)
        return self._equivalence[domain]


def count_decision(c: Cells) -> None:
    """Advance the epoch, which wraps as 32 bits do."""
    c[H_EPOCH] = (c[H_EPOCH] + 1 + 0x8000_0000) % 0x1_0000_0000 - 0x8000_0000
