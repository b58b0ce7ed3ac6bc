"""Statements that decide what runs next, to closures: conditions, loops, calls and returns.

A statement's closure returns a signal: 0 to go on, `BREAK` to leave the innermost loop, `CONTINUE` to begin its next
pass, `RETURN` to leave the function with the result in the frame.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Sequence
from typing import Any

from grognard.contract import ir
from grognard.contract.call_classes import finds
from grognard.contract.header import NONE
from grognard.interpreter.expressions import Expressions
from grognard.interpreter.frames import Eval, Frame

BREAK = 1
RETURN = 2
CONTINUE = 3


class ControlFlowStatements(Expressions):
    """Compiles conditions, loops, calls and returns."""

    #: the declared result of the function
    result: ir.LocalType | None
    #: loops around the statement that is being compiled
    loops: int
    #: whether loops that offer candidates may end when enough are found
    finds: bool

    @abstractmethod
    def body(self, nodes: Sequence[ir.Stmt]) -> Eval:
        """Compile several statements as one."""

    # ----------------------------------------------------------------------------------- conditions and loops

    def loop_body(self, nodes: Sequence[ir.Stmt]) -> Eval:
        self.loops += 1
        made = self.body(nodes)
        self.loops -= 1
        return made

    def _if_stmt(self, node: ir.IfStmt) -> Eval:
        condition, then, otherwise = (
            self.expr(node.condition),
            self.body(node.then),
            self.body(node.otherwise),
        )
        return lambda fr: then(fr) if condition(fr) else otherwise(fr)

    def _while(self, node: ir.While) -> Eval:
        condition, body, site = self.expr(node.condition), self.loop_body(node.body), node.site

        def loop(fr: Frame) -> int:
            while condition(fr):
                fr.run.spend(1, site)
                signal: int = body(fr)
                if signal and signal != CONTINUE:
                    return 0 if signal == BREAK else signal
            return 0

        return loop

    def _for(self, node: ir.For) -> Eval:
        over, slot, site = self.over(node.over), self.int_slot(node.var), node.site
        where = None if node.where is None else self.expr(node.where)
        key = None if node.key is None else self.expr(node.key)
        body, highest = self.loop_body(node.body), node.highest

        def fixed(fr: Frame) -> list[int]:
            count, items = over(fr)
            fr.run.spend(count, site)
            if where is None:
                return list(items)
            v = fr.v
            kept = []
            for item in items:
                v[slot] = item
                if where(fr):
                    kept.append(item)
            return kept

        def found(fr: Frame) -> int:
            """Offer one element after another, so that the search can end after any of them."""
            v = fr.v
            count, items = over(fr)
            fr.run.spend(count, site)
            for item in items:
                v[slot] = item
                if where is None or where(fr):
                    fr.run.offer(item)
            v[slot] = 0
            return 0

        if self.finds and finds(node):
            return found

        def loop(fr: Frame) -> int:
            v = fr.v
            left = fixed(fr)
            for item in left:
                v[slot] = item
                signal = body(fr)
                if signal and signal != CONTINUE:
                    v[slot] = 0
                    return 0 if signal == BREAK else signal
            v[slot] = 0
            return 0

        def keyed(fr: Frame) -> int:
            assert key is not None
            v = fr.v
            left = fixed(fr)
            while left:
                best, place = NONE, -1
                for number, item in enumerate(left):
                    v[slot] = item
                    worth = key(fr)
                    if place < 0 or (worth > best if highest else worth < best):
                        best, place = worth, number
                v[slot] = left.pop(place)
                signal = body(fr)
                if signal and signal != CONTINUE:
                    v[slot] = 0
                    return 0 if signal == BREAK else signal
            v[slot] = 0
            return 0

        return loop if key is None else keyed

    def _for_line(self, node: ir.ForLine) -> Eval:
        kind_slot, first_slot, second_slot = (
            self.int_slot(node.kind_var),
            self.int_slot(node.first_var),
            self.int_slot(node.second_var),
        )
        a, b, body, site = self.expr(node.a), self.expr(node.b), self.loop_body(node.body), node.site
        line, crossings = self.unit.geography.line_items, node.crossings

        def loop(fr: Frame) -> int:
            v = fr.v
            signal = 0
            for v[kind_slot], v[first_slot], v[second_slot] in line(a(fr), b(fr), crossings):
                fr.run.spend(1, site)
                signal = body(fr)
                if signal and signal != CONTINUE:
                    break
            v[kind_slot] = v[first_slot] = v[second_slot] = 0
            return signal if signal == RETURN else 0

        return loop

    def _break(self, node: ir.Break) -> Eval:
        if not self.loops:
            raise ValueError("break outside a loop")
        return lambda fr: BREAK

    def _continue(self, node: ir.Continue) -> Eval:
        if not self.loops:
            raise ValueError("continue outside a loop")
        return lambda fr: CONTINUE

    # -------------------------------------------------------------------------------------- calls and returns

    def _do(self, node: ir.Do) -> Eval:
        call = self.call(node.function, node.args)
        slot = None if node.local is None else self.int_slot(node.local)
        if slot is not None and not isinstance(self.program.functions[node.function].result, ir.IntType):
            raise ValueError(f"{self.program.functions[node.function].name} gives no integer to keep")

        def do(fr: Frame) -> int:
            result = call(fr)
            if slot is not None:
                fr.v[slot] = result
            return 0

        return do

    def _return(self, node: ir.Return) -> Eval:
        if self.in_machine:
            raise ValueError("return among the statements of a machine")
        if node.value is None:
            return lambda fr: RETURN
        value = self.result_value(node.value)

        def leave(fr: Frame) -> int:
            fr.result = value(fr)
            return RETURN

        return leave

    def result_value(self, node: Any) -> Eval:
        """Compile the value of a return, of the type that the function declares."""
        match self.result:
            case ir.SetType(domain=domain):
                return self.set_over(node, domain)
            case ir.IntType():
                return self.expr(node)
        raise ValueError("a procedure gives nothing back")


CONTROL_FLOW: dict[type, Callable[[ControlFlowStatements, Any], Eval]] = {
    ir.IfStmt: ControlFlowStatements._if_stmt,
    ir.While: ControlFlowStatements._while,
    ir.For: ControlFlowStatements._for,
    ir.ForLine: ControlFlowStatements._for_line,
    ir.Break: ControlFlowStatements._break,
    ir.Continue: ControlFlowStatements._continue,
    ir.Return: ControlFlowStatements._return,
    ir.Do: ControlFlowStatements._do,
}
