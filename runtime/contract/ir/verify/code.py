"""Statements, terminators, functions and machines."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any, ClassVar

from grognard.contract import ir
from grognard.contract.header import DONE, NONE
from grognard.contract.ir.verify.rules import Report
from grognard.contract.ir.verify.values import ValueChecker

_PLACEHOLDER = re.compile(r"\{(\d+)\}")


class CodeChecker(ValueChecker):
    """Checks one function or machine."""

    def __init__(self, program: ir.Program, report: Report, code: ir.Function | ir.Machine) -> None:
        what = "machine" if isinstance(code, ir.Machine) else "function"
        super().__init__(program, report, f"{what} {code.name}")
        self.code = code
        self.locals = code.locals

    def check(self) -> None:
        code = self.code
        self.path.append("site")
        self.reference(code.site, "site")
        self.path.pop()
        if isinstance(code, ir.Function):
            self.path.append("body")
            self.several(code.body, "stmt")
        else:
            self.path.append("blocks")
            if not code.blocks:
                self.broken("W29", "there is no block")
            for number, block in enumerate(code.blocks):
                self.path += [number, "body"]
                self.several(block.body, "stmt")
                self.path[-1] = "end"
                self.node(block.end, "end")
                del self.path[-2:]
            self._reachable(code)
        self.path.pop()

    # ------------------------------------------------------------------------------------------ statements

    def _assign_set(self, node: ir.AssignSet) -> None:
        kind = self.locals[node.local].type
        assert isinstance(kind, ir.SetType)
        self.over(node.value, kind.domain)

    def _store(self, node: ir.Store) -> None:
        self.element(self.program.fields[node.field], ir.IntType, node.index)

    def _store_set(self, node: ir.StoreSet) -> None:
        entry = self.program.fields[node.field]
        self.element(entry, ir.SetType, node.index)
        if isinstance(entry.type, ir.SetType):
            self.over(node.value, entry.type.domain)

    def _store_set_change(self, node: ir.StoreSetChange) -> None:
        self.element(self.program.fields[node.field], ir.SetType, node.index)

    def _store_list(self, node: ir.StoreList) -> None:
        self.element(self.program.fields[node.field], ir.ListType, node.index)

    def _enqueue(self, node: ir.Enqueue) -> None:
        entry = self.program.fields[node.field]
        self.element(entry, ir.ListType, None)
        if entry.dims:
            self.broken("W22", f"{entry.name} has dims")

    def _copy_field(self, node: ir.CopyField) -> None:
        source, target = self.program.fields[node.source], self.program.fields[node.target]
        if source.dims != target.dims or not same_cells(source.type, target.type):
            self.broken("W23", f"{target.name} is not shaped like {source.name}")

    def _loop(self, node: ir.For) -> None:
        own = None
        if isinstance(node.over, ir.OverDomain):
            own = node.over.domain
        elif isinstance(node.over, ir.OverSet):
            own = self.domain_of(node.over.set)
        if own is not None and node.domain is not None and own != node.domain:
            self.broken("W28", f"elements of {self.domain_name(own)}, not {self.domain_name(node.domain)}")

    def _leave_loop(self, node: ir.Break | ir.Continue) -> None:
        if not self.loops:
            self.broken("W20", f"{type(node).__name__.lower()} outside a loop")

    def _return(self, node: ir.Return) -> None:
        if isinstance(self.code, ir.Machine):
            self.broken("W21", "return among the statements of a machine")

    def _value(self, node: ir.Return, value: Any) -> bool:
        if isinstance(self.code, ir.Machine):
            return True
        result = self.code.result
        if result is None:
            return self.broken("W21", "a procedure gives nothing back")
        whole = self.node(value, self.group(value))
        wanted = "set" if isinstance(result, ir.SetType) else "int"
        if self.group(value) != wanted:
            return self.broken("W21", f"{self.code.name} gives {wanted}, not {self.group(value)}")
        if isinstance(result, ir.SetType):
            self.over(value, result.domain)
        return whole

    def _do(self, node: ir.Do) -> None:
        callee = self.program.functions[node.function]
        if node.local is not None and not isinstance(callee.result, ir.IntType):
            self.broken("W15", f"{callee.name} gives no integer to keep")
        self.arguments(callee.name, node.args, callee.locals[: callee.params])

    def _life(self, node: ir.Create | ir.Destroy) -> None:
        if self.program.domains[node.domain].alive is None:
            self.broken("W24", f"{self.domain_name(node.domain)} has no `alive` field")

    def _note(self, node: ir.Note) -> None:
        site = self.program.sites[node.site]
        if site.shows and len(node.args) != len(site.shows):
            self.broken("W26", f"{len(node.args)} arguments where {len(site.shows)} are shown")
        named = max(map(int, _PLACEHOLDER.findall(site.text)), default=-1)
        if named >= len(node.args):
            self.broken("W26", f"{{{named}}} in the text, but {len(node.args)} arguments")

    def _simultaneous(self, node: Any) -> None:
        if not self.program.journal:
            self.broken("W25", "the program has no journal")

    # ----------------------------------------------------------------------------------------- terminators

    def _block(self, node: Any, value: Any) -> bool:
        count = len(self.code.blocks) if isinstance(self.code, ir.Machine) else 0
        if type(value) is int and 0 <= value < count:
            return True
        return self.broken("W29", f"there is no block {value!r}, only {count}")

    def _reachable(self, machine: ir.Machine) -> None:
        seen, waiting = {0}, [0]
        while waiting:
            number = waiting.pop()
            if number not in range(len(machine.blocks)):
                continue
            for target in targets(machine.blocks[number].end):
                if target not in seen:
                    seen.add(target)
                    waiting.append(target)
        for number, block in enumerate(machine.blocks):
            if number not in seen and block.body:
                self.path.append(number)
                self.broken("W30", "statements that no way leads to")
                self.path.pop()

    def _call_machine(self, node: ir.CallMachine) -> None:
        callee = self.program.machines[node.machine]
        if node.local is not None and not callee.result:
            self.broken("W15", f"{callee.name} gives no integer to keep")
        self.arguments(callee.name, node.args, callee.locals[: callee.params])

    def _return_machine(self, node: ir.ReturnMachine) -> None:
        assert isinstance(self.code, ir.Machine)
        if node.value is not None and not self.code.result:
            self.broken("W31", f"{self.code.name} has no result")

    def _ask(self, node: ir.Ask) -> None:
        program = self.program
        source, decl = program.functions[node.candidates], program.asks[node.ask]
        if source.result is not None:
            self.broken("W32", f"{source.name} gives a result")
        self.arguments(source.name, node.args, source.locals[: source.params])
        if node.extra not in (None, NONE, DONE):
            self.broken("W33", f"{node.extra} is neither NONE nor DONE")
        if node.extra is None and node.extra_when is not None:
            self.broken("W33", "a condition without an extra answer")
        if decl.on_view and program.view is None:
            self.broken("W34", f"the program has no view for {decl.name}")
        if node.distinct is not None and not program.domains[node.distinct].interchangeable:
            self.broken("W35", f"{self.domain_name(node.distinct)} are not interchangeable")
        for kind, number in named_locals(decl):
            self.local(number, kind, "W36")

    OWN_RULES: ClassVar[dict[type, Callable[[Any, Any], None]]] = {
        **ValueChecker.OWN_RULES,
        ir.AssignSet: _assign_set,
        ir.Store: _store,
        ir.StoreSet: _store_set,
        ir.StoreSetChange: _store_set_change,
        ir.StoreList: _store_list,
        ir.Enqueue: _enqueue,
        ir.CopyField: _copy_field,
        ir.For: _loop,
        ir.Break: _leave_loop,
        ir.Continue: _leave_loop,
        ir.Return: _return,
        ir.Do: _do,
        ir.Create: _life,
        ir.Destroy: _life,
        ir.Note: _note,
        ir.BranchBegin: _simultaneous,
        ir.BranchNext: _simultaneous,
        ir.BranchEnd: _simultaneous,
        ir.CallMachine: _call_machine,
        ir.ReturnMachine: _return_machine,
        ir.Ask: _ask,
    }


def same_cells(a: ir.LocalType, b: ir.LocalType) -> bool:
    """Whether values of both types have the same cells; how they are shown does not matter."""
    match a, b:
        case (ir.IntType(), ir.IntType()):
            return True
        case (ir.SetType(domain=left), ir.SetType(domain=right)):
            return left == right
        case (ir.ListType(capacity=left), ir.ListType(capacity=right)):
            return left == right
    return False


def targets(end: Any) -> Sequence[int]:
    """The blocks of the same machine that can come after a terminator."""
    match end:
        case ir.Jump(block=block) | ir.CallMachine(block=block):
            return (block,)
        case ir.Branch(then=then, otherwise=otherwise):
            return (then, otherwise)
        case ir.Ask(block=block, empty=empty):
            return (block,) if empty is None else (block, empty)
    return ()


def named_locals(decl: ir.AskDecl) -> list[tuple[str, int]]:
    """The locals of the asking machine that a decision names, with their types."""
    found = [("int", number) for _, number, _ in decl.named]
    if decl.some is not None:
        left, needed = decl.some
        found += [("set", left), ("int", needed)]
    if decl.numbers is not None:
        by = decl.numbers
        found += [("set", number) for number in (by.group, by.rest, by.chosen)]
        found += [("int", by.room), ("int", by.least)]
    if decl.chance is not None:
        chance = decl.chance
        if chance.sort == "pool":
            found += [("int", chance.number), ("list", chance.result)]
        elif chance.sort == "each":
            found += [("set", chance.elements), ("list", chance.limits), ("set", chance.result)]
    return found
