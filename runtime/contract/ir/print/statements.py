"""Statements and terminators as text."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from grognard.contract import header, ir
from grognard.contract.header import DONE, NONE
from grognard.contract.ir.print.values import HEAD_CELLS, INDENT, ValuePrinter

_FAIL = {value: name for name, value in vars(header).items() if name.startswith("FAIL_")}


class StatementPrinter(ValuePrinter):
    def at(self, site: int) -> str:
        return f" @{site}"

    def remark(self, site: int) -> str:
        """Where the site is in the source and what it cites, as a comment."""
        if not 0 <= site < len(self.p.sites):
            return ""
        s = self.p.sites[site]
        cites = f" [{', '.join(s.cites)}]" if s.cites else ""
        return f"  # {s.file}:{s.line}{cites}"

    # ------------------------------------------------------------------------------------------ statements

    def body(self, nodes: Sequence[ir.Stmt], depth: int) -> list[str]:
        return self.statements(nodes, depth) or [f"{INDENT * depth}nothing"]

    def statements(self, nodes: Sequence[ir.Stmt], depth: int) -> list[str]:
        lines: list[str] = []
        for node in nodes:
            text = _STATEMENTS[type(node)](self, node)
            site = getattr(node, "site", None)
            nested = _BODIES.get(type(node), ())
            first = f"{INDENT * depth}{text}"
            if site is not None:
                first += f"{self.at(site)}{self.remark(site)}"
            lines.append(first)
            for word, attribute in nested:
                inner = getattr(node, attribute)
                if word and not inner:
                    continue
                if word:
                    lines.append(f"{INDENT * depth}{word}:")
                lines += self.body(inner, depth + 1)
        return lines

    def assign(self, node: ir.Assign | ir.AssignSet | ir.AssignList) -> str:
        return f"{self.locals[node.local]} = {self.any(node.value)}"

    def list_append(self, node: ir.ListAppend) -> str:
        return f"append {self.expr(node.value)} to {self.locals[node.local]}"

    def list_clear(self, node: ir.ListClear) -> str:
        return f"clear {self.locals[node.local]}"

    def set_change(self, node: ir.SetChange) -> str:
        return f"{self.change(node.add, node.value)} {self.locals[node.local]}"

    def change(self, add: bool, value: ir.Expr) -> str:
        return f"put {self.expr(value)} into" if add else f"take {self.expr(value)} out of"

    def store(self, node: ir.Store) -> str:
        sign = "+=" if node.op == "add" else "="
        return f"{self.state(node)} {sign} {self.expr(node.value)}{' clamped' if node.clamp else ''}"

    def store_whole(self, node: ir.StoreSet | ir.StoreList) -> str:
        return f"{self.state(node)} = {self.any(node.value)}"

    def store_set_change(self, node: ir.StoreSetChange) -> str:
        return f"{self.change(node.add, node.value)} {self.state(node)}"

    def store_head(self, node: ir.StoreHead) -> str:
        return f"{HEAD_CELLS.get(node.cell, f'head {node.cell}')} = {self.expr(node.value)}"

    def reset(self, node: ir.Reset) -> str:
        return f"reset ${self.fields[node.field]}"

    def copy_field(self, node: ir.CopyField) -> str:
        return f"copy ${self.fields[node.source]} to ${self.fields[node.target]}"

    def if_stmt(self, node: ir.IfStmt) -> str:
        return f"if {self.expr(node.condition)}:"

    def while_(self, node: ir.While) -> str:
        return f"while {self.expr(node.condition)}:"

    def for_(self, node: ir.For) -> str:
        text = f"for {self.locals[node.var]} in {self.over(node.over)}"
        text += f" of {self.domains[node.domain]}" if node.domain is not None else ""
        text += f" where {self.expr(node.where)}" if node.where is not None else ""
        if node.key is not None:
            text += f" by {'highest' if node.highest else 'lowest'} {self.expr(node.key)}"
        return f"{text}:"

    def for_line(self, node: ir.ForLine) -> str:
        names = ", ".join(self.locals[i] for i in (node.kind_var, node.first_var, node.second_var))
        what = "hexsides of line" if node.crossings else "line"
        return f"for {names} on {what} from {self.expr(node.a)} to {self.expr(node.b)}:"

    def break_(self, node: ir.Break) -> str:
        return "break"

    def continue_(self, node: ir.Continue) -> str:
        return "continue"

    def enqueue(self, node: ir.Enqueue) -> str:
        return f"queue {self.expr(node.value)} in ${self.fields[node.field]}"

    def return_(self, node: ir.Return) -> str:
        return "return" if node.value is None else f"return {self.any(node.value)}"

    def do(self, node: ir.Do) -> str:
        call = f"do {self.call(node)}"
        return call if node.local is None else f"{self.locals[node.local]} = {call}"

    def roll(self, node: ir.Roll) -> str:
        text = f"roll {self.expr(node.count)} dice {self.expr(node.lo)}..{self.expr(node.hi)}"
        text += f" total {self.locals[node.total]}" if node.total is not None else ""
        return text + (f" pool {self.locals[node.pool]}" if node.pool is not None else "")

    def create(self, node: ir.Create) -> str:
        return f"{self.locals[node.local]} = create {self.domains[node.domain]}"

    def destroy(self, node: ir.Destroy) -> str:
        return f"destroy {self.domains[node.domain]} {self.expr(node.value)}"

    def yield_(self, node: ir.Yield) -> str:
        return f"yield {self.expr(node.value)}"

    def note(self, node: ir.Note) -> str:
        text = f"note {node.level} ({', '.join(self.expr(arg) for arg in node.args)})"
        return text if node.seen is None else f"{text} seen by {self.expr(node.seen)}"

    def fail(self, node: ir.Fail) -> str:
        return f"fail {_FAIL.get(node.kind, node.kind)}"

    def branch_begin(self, node: ir.BranchBegin) -> str:
        return "branches begin"

    def branch_next(self, node: ir.BranchNext) -> str:
        return "branch ends"

    def branch_end(self, node: ir.BranchEnd) -> str:
        return "branches merge"

    # ----------------------------------------------------------------------------------------- terminators

    def terminator(self, node: ir.Terminator) -> list[str]:
        return _TERMINATORS[type(node)](self, node)

    def jump(self, node: ir.Jump) -> list[str]:
        return [f"-> {node.block}"]

    def branch(self, node: ir.Branch) -> list[str]:
        return [f"if {self.expr(node.condition)} -> {node.then} else -> {node.otherwise}"]

    def call_machine(self, node: ir.CallMachine) -> list[str]:
        call = f"call {self.machines[node.machine]}({self.args(node.args)})"
        call = call if node.local is None else f"{self.locals[node.local]} = {call}"
        return [f"{call} -> {node.block}"]

    def ask(self, node: ir.Ask) -> list[str]:
        first = f"{self.locals[node.local]} = ask {self.expr(node.chooser)} {self.asks[node.ask]}"
        first += f" from {self.functions[node.candidates]}({self.args(node.args)}) -> {node.block}"
        lines = [f"{first}{self.at(node.site)}{self.remark(node.site)}"]
        if node.extra is not None:
            extra = {NONE: "none", DONE: "done"}.get(node.extra, str(node.extra))
            when = "" if node.extra_when is None else f" when {self.expr(node.extra_when)}"
            lines.append(f"{INDENT}or {extra}{when}")
        if node.empty is not None:
            lines.append(f"{INDENT}empty -> {node.empty}")
        if node.lone:
            lines.append(f"{INDENT}lone")
        if node.distinct is not None:
            lines.append(f"{INDENT}distinct {self.domains[node.distinct]}")
        if node.seen is not None:
            lines.append(f"{INDENT}seen by {self.expr(node.seen)}")
        return lines

    def return_machine(self, node: ir.ReturnMachine) -> list[str]:
        return ["return" if node.value is None else f"return {self.expr(node.value)}"]

    def end_game(self, node: ir.EndGame) -> list[str]:
        return [f"end of game, outcome {self.expr(node.outcome)}"]


_STATEMENTS: dict[type, Callable[[StatementPrinter, Any], str]] = {
    ir.Assign: StatementPrinter.assign,
    ir.AssignSet: StatementPrinter.assign,
    ir.AssignList: StatementPrinter.assign,
    ir.ListAppend: StatementPrinter.list_append,
    ir.ListClear: StatementPrinter.list_clear,
    ir.SetChange: StatementPrinter.set_change,
    ir.Store: StatementPrinter.store,
    ir.StoreSet: StatementPrinter.store_whole,
    ir.StoreSetChange: StatementPrinter.store_set_change,
    ir.StoreList: StatementPrinter.store_whole,
    ir.StoreHead: StatementPrinter.store_head,
    ir.Reset: StatementPrinter.reset,
    ir.CopyField: StatementPrinter.copy_field,
    ir.IfStmt: StatementPrinter.if_stmt,
    ir.While: StatementPrinter.while_,
    ir.For: StatementPrinter.for_,
    ir.ForLine: StatementPrinter.for_line,
    ir.Break: StatementPrinter.break_,
    ir.Continue: StatementPrinter.continue_,
    ir.Enqueue: StatementPrinter.enqueue,
    ir.Return: StatementPrinter.return_,
    ir.Do: StatementPrinter.do,
    ir.Roll: StatementPrinter.roll,
    ir.Create: StatementPrinter.create,
    ir.Destroy: StatementPrinter.destroy,
    ir.Yield: StatementPrinter.yield_,
    ir.Note: StatementPrinter.note,
    ir.Fail: StatementPrinter.fail,
    ir.BranchBegin: StatementPrinter.branch_begin,
    ir.BranchNext: StatementPrinter.branch_next,
    ir.BranchEnd: StatementPrinter.branch_end,
}

#: Statements that contain statements: the word before each body ("" for the first) and where it is.
_BODIES: dict[type, tuple[tuple[str, str], ...]] = {
    ir.IfStmt: (("", "then"), ("else", "otherwise")),
    ir.While: (("", "body"),),
    ir.For: (("", "body"),),
    ir.ForLine: (("", "body"),),
}

_TERMINATORS: dict[type, Callable[[StatementPrinter, Any], list[str]]] = {
    ir.Jump: StatementPrinter.jump,
    ir.Branch: StatementPrinter.branch,
    ir.CallMachine: StatementPrinter.call_machine,
    ir.Ask: StatementPrinter.ask,
    ir.ReturnMachine: StatementPrinter.return_machine,
    ir.EndGame: StatementPrinter.end_game,
}
