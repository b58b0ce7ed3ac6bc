"""Decisions: questions translated, their candidates, and what an answer does."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from grognard.contract import ir
from grognard.contract.backend import RuleFailure
from grognard.contract.call_classes import few_candidates, settled
from grognard.contract.header import (
    FAIL_EMPTY,
    FAIL_INDEX,
    H_ASK,
    H_BRANCH,
    H_CHOOSER,
    H_STATUS,
    NONE,
    STATUS_DECISION,
)
from grognard.interpreter.decisions import count_decision
from grognard.interpreter.frames import Enough
from grognard.interpreter.stack import LEFT
from grognard.translator.code import Unit
from grognard.translator.equivalence import ListEquivalence
from grognard.translator.statements import Statements


@dataclass(slots=True)
class Question:
    """An Ask, translated: its parts are functions of the frame's place."""

    node: ir.Ask
    chooser: Callable[[int], int]
    args: Callable[[int], tuple[Any, ...]]
    extra_when: Callable[[int], int] | None
    #: by trace level
    seen: dict[int, Callable[[int], int]]
    slot: int
    on_view: bool


class Decisions:
    """Translates and runs the decisions of all machines."""

    def __init__(self, unit: Unit) -> None:
        self.unit = unit
        self.state = unit.state
        self.program = unit.program
        self.layout = unit.layout
        self._equivalence: dict[int, ListEquivalence] = {}
        #: the candidates of the decision that a run stopped at
        self.stopped_at: list[int] = []

    def translate(self, make: Statements, node: ir.Ask, machine: ir.Machine, block: int) -> Question:
        target = self.program.functions[node.candidates]
        offsets = self.layout.frames[machine.id].offsets

        def part(what: str, expr: ir.Expr | None) -> Callable[[int], Any] | None:
            if expr is None:
                return None
            return self._function(make, what, machine, block, lambda: make.value(expr).text)

        def given() -> str:
            args = make.arguments(node.args, target.locals[: target.params])
            return f"({' '.join(f'{value.text},' for value in args)})"

        chooser = part("chooser", node.chooser)
        assert chooser is not None
        seen = {}
        for level in (1, 2):
            make.level = level
            speaks = part(f"seen_{level}", node.seen)
            if speaks is not None:
                seen[level] = speaks
        make.level = 0
        return Question(
            node,
            chooser,
            self._function(make, "args", machine, block, given),
            part("extra", node.extra_when),
            seen,
            offsets[node.local],
            self.program.asks[node.ask].on_view and self.program.view is not None,
        )

    def _function(
        self, make: Statements, what: str, machine: ir.Machine, block: int, value: Callable[[], str]
    ) -> Callable[[int], Any]:
        make.lines = []
        result = value()
        name = f"q{machine.id}_{block}_{what}"
        text = "\n".join([f"def {name}(p):", *make.lines, f"    return {result}"])
        exec(compile(text, f"<{machine.name}, question of block {block}>", "exec"), self.unit.names)
        found: Callable[[int], Any] = self.unit.names[name]
        return found

    def terminator(self, question: Question, level: int) -> Callable[[int], int]:
        """The end of a block that asks: the next block if the answer is known, else LEFT with the decision pending."""
        node, state = question.node, self.state
        few = few_candidates(node, self.unit.facts.finders)

        def ask(p: int) -> int:
            chooser = self._chooser(p, question)
            offered = self.offered(p, question, chooser, few if state.first else 0)
            if not offered:
                if node.empty is None:
                    raise RuleFailure(FAIL_EMPTY, node.site)
                return node.empty
            if node.empty is not None and offered == [node.extra]:
                return node.empty
            if node.lone and len(offered) == 1:
                self.take(p, question, chooser, offered[0], level)
                return node.block
            c = state.cells
            if state.first:
                # As if the run had stopped here and been answered with the first candidate.
                if state.steps > state.budget:
                    state.uncounted()
                state.first -= 1
                state.steps = 0
                count_decision(c)
                self.take(p, question, chooser, offered[0], level)
                return node.block
            c[H_STATUS] = STATUS_DECISION
            c[H_CHOOSER] = chooser
            c[H_ASK] = node.ask
            self.stopped_at = offered
            return LEFT

        return ask

    def _chooser(self, p: int, question: Question) -> int:
        chooser = question.chooser(p)
        seats = self.program.seats
        if not 0 <= chooser - self.layout.base[seats] < self.layout.count[seats]:
            raise RuleFailure(FAIL_INDEX, question.node.site, (chooser,))
        return chooser

    def take(self, p: int, question: Question, chooser: int, value: int, level: int) -> None:
        """Write the answer to the local of the machine, and a record to the trace."""
        state = self.state
        state.cells[p + question.slot] = value
        if level >= 1:
            seen = question.seen[level](p) if question.seen else -1
            state.trace.extend((question.node.site, seen, 2, chooser, value))

    def offered(self, p: int, question: Question, chooser: int, few: int = 0) -> list[int]:
        """The candidates, as far as the chooser may know them; the search ends after `few`, if that is not 0."""
        if not question.on_view:
            return self._found(p, question, few)
        state, view = self.state, self.program.view
        known = state.snapshot()
        state.cells[H_BRANCH] = NONE
        self.unit.names[f"f{view}_0"](chooser)
        offered = self._found(p, question, few)
        state.restore(known)
        return offered

    def _found(self, p: int, question: Question, few: int) -> list[int]:
        node, state = question.node, self.state
        state.yields, state.enough, depth = [], few, state.depth
        try:
            self.unit.names[f"f{node.candidates}_0"](*question.args(p))
        except Enough:
            state.depth = depth
        state.enough = 0
        offered = [value for value in dict.fromkeys(state.yields) if value != NONE]
        state.yields = []
        if node.distinct is not None:
            offered = self._interchangeable(node.distinct).distinct(state.cells, offered)
        if node.extra is not None and node.extra not in offered and not settled(node, few, len(offered)):
            if question.extra_when is None or question.extra_when(p):
                offered.append(node.extra)
        return offered

    def _interchangeable(self, domain: int) -> ListEquivalence:
        if domain not in self._equivalence:
            self._equivalence[domain] = ListEquivalence(self.program, self.layout, domain)
        return self._equivalence[domain]
