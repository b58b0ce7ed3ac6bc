"""Calls that a pure function makes several times with the same arguments are made once, and so are questions about the map.

Rules read well when they say `cover(t.at) is light` in one line and `cover(t.at) is heavy` in the next.  Where the first of
such calls is made in any case, its result is kept for the others.  Both back ends run the result, so that they
take the same steps and leave the same trace.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from grognard.compiler.passes.analyses.local_variables import assigned, changes_buffers, read_locals
from grognard.contract import ir
from grognard.contract.call_classes import WRITES, bounded_cost_functions
from grognard.contract.ir.walk import nodes

#: what such calls are known by: the function, and its arguments without their sites
Key = tuple[Any, ...]


#: Questions about the map that are more than a look at a table.  Which direction a neighbour lies in is not among them:
#: filters that ask for it become bitboards (cython/optimise/use_bitboards.py), as long as nothing is kept in between.
_SEARCHING = frozenset({"arc_place", "distance", "hexside", "last_side", "straight"})


def share_calls(program: ir.Program) -> ir.Program:
    """The program with functions that do not ask the same twice."""
    seen = [_seen_in(function) for function in program.functions]
    worth = _worth(program, seen)
    functions = tuple(
        _Sharing(function, worth).result() if _may_repeat(function, what, worth) else function
        for function, what in zip(program.functions, seen)
    )
    return replace(program, functions=functions)


@dataclass(slots=True)
class _Seen:
    """What one walk over a function's body finds."""

    changes: bool = False
    #: functions that give an integer, as often as they are called
    asked: Counter[int] = field(default_factory=Counter)
    #: questions about the map
    looked: Counter[str] = field(default_factory=Counter)
    #: other functions, and movements
    called: set[int] = field(default_factory=set)
    moved: set[int] = field(default_factory=set)


def _seen_in(function: ir.Function) -> _Seen:
    seen = _Seen()
    for node in nodes(function.body):
        match node:
            case ir.Call(function=number):
                seen.asked[number] += 1
            case ir.Verb(name=name) if name in _SEARCHING:
                seen.looked[name] += 1
            case ir.SetCall(function=number) | ir.Do(function=number):
                seen.called.add(number)
            case ir.ReachCost(movement=number) | ir.ReachSet(movement=number):
                seen.moved.add(number)
            case ir.AtBest():
                seen.changes = True
            case _ if isinstance(node, WRITES):
                seen.changes = True
    return seen


def _may_repeat(function: ir.Function, seen: _Seen, worth: frozenset[int]) -> bool:
    often = any(seen.asked[n] > 1 for n in worth & seen.asked.keys()) or any(
        times > 1 for times in seen.looked.values()
    )
    return function.pure and not seen.changes and often


def _worth(program: ir.Program, seen: Sequence[_Seen]) -> frozenset[int]:
    """Functions that give an integer, change nothing, and are not of bounded cost."""
    moved = {
        m.id: {n for n in (m.start, m.allowance, m.cost, m.stop, m.ends) if n is not None}
        for m in program.movements
    }
    below = [
        what.asked.keys() | what.called | {n for number in what.moved for n in moved[number]} for what in seen
    ]
    changing = {number for number, what in enumerate(seen) if what.changes}
    while True:
        more = {number for number in range(len(seen)) if number not in changing and below[number] & changing}
        if not more:
            break
        changing |= more
    bounded_cost = bounded_cost_functions(program)
    return frozenset(
        f.id
        for f in program.functions
        if f.pure and f.id not in changing and f.id not in bounded_cost and isinstance(f.result, ir.IntType)
    )


def _key(node: Any) -> Key:
    """A node without its sites; () stands for what cannot be compared."""
    kind = type(node)
    if kind is tuple:
        return tuple(map(_key, node))
    names = getattr(kind, "__match_args__", None)
    if names is None:
        return (node,)
    return (kind, *(_key(getattr(node, name)) for name in names if name != "site"))


class _Sharing:
    """One function under way."""

    def __init__(self, function: ir.Function, worth: frozenset[int]) -> None:
        self.function = function
        self.worth = worth
        self.locals = list(function.locals)
        self.kept_before: list[ir.Stmt] = []
        calls = [(_key(node), node) for node in nodes(function.body) if self._is_call(node)]
        times = Counter(key for key, _ in calls)
        self.repeated = {key for key in times if times[key] > 1}
        #: the locals that such a call reads
        self.reads = {key: read_locals(node.args) for key, node in calls}

    def _is_call(self, node: Any) -> bool:
        # Sets and lists may be changed in between.
        return (
            (node.function in self.worth)
            if isinstance(node, ir.Call)
            else isinstance(node, ir.Verb) and node.name in _SEARCHING
        ) and (
            not any(
                isinstance(part, ir.SetLocal | ir.ListLocal | ir.SetBuild | ir.Aggregate)
                for part in nodes(node.args)
            )
        )

    def result(self) -> ir.Function:
        if not self.repeated or changes_buffers(self.function.body):
            return self.function
        body = self.block(self.function.body, {})
        return replace(self.function, body=body, locals=tuple(self.locals))

    def block(self, code: Sequence[ir.Stmt], known: dict[Key, int]) -> tuple[ir.Stmt, ...]:
        made: list[ir.Stmt] = []
        for statement in code:
            kept, self.kept_before = self.kept_before, []
            new = self.statement(statement, known)
            made += [*self.kept_before, new]
            self.kept_before = kept
            self._forget(known, assigned(statement))
        return tuple(made)

    def _forget(self, known: dict[Key, int], changed: set[int]) -> None:
        """What was asked about locals that are others now."""
        for key in [key for key in known if changed & self.reads[key]]:
            del known[key]

    def statement(self, node: ir.Stmt, known: dict[Key, int]) -> ir.Stmt:
        match node:
            case ir.Assign(value=value):
                return replace(node, value=self.expr(value, known, True))
            case ir.Return(value=value) if value is not None:
                return replace(node, value=self.expr(value, known, True))
            case ir.IfStmt(condition=condition, then=then, otherwise=otherwise):
                asked = self.expr(condition, known, True)
                return ir.IfStmt(asked, self.block(then, dict(known)), self.block(otherwise, dict(known)))
        # What is done several times, or perhaps not at all, can only use what is known whatever it does.
        sure = dict(known)
        self._forget(sure, assigned(node))
        return self.expr(node, sure, False)

    def expr(self, node: Any, known: dict[Key, int], sure: bool) -> Any:
        """The node with calls replaced; what is made for `sure` may be kept."""
        kind = type(node)
        if kind is tuple:
            return tuple(self.expr(part, known, sure) for part in node)
        if getattr(kind, "__match_args__", None) is None:
            return node
        match node:
            case ir.Call() | ir.Verb() if self._is_call(node) and _key(node) in self.repeated:
                return self._call(node, known, sure)
            case ir.Binary(op="and" | "or", left=left, right=right):
                first = self.expr(left, known, sure)
                return replace(node, left=first, right=self.expr(right, known, False))
            case ir.If(condition=condition, then=then, otherwise=otherwise):
                asked = self.expr(condition, known, sure)
                return ir.If(asked, self.expr(then, known, False), self.expr(otherwise, known, False))
            case ir.Aggregate() | ir.SetBuild() | ir.Coverable() | ir.Meeting():
                sure = False
        new = {name: self.expr(getattr(node, name), known, sure) for name in kind.__match_args__}
        return node if all(new[name] is getattr(node, name) for name in new) else replace(node, **new)

    def _call(self, node: ir.Call | ir.Verb, known: dict[Key, int], sure: bool) -> Any:
        key = _key(node)
        if key not in known:
            made = replace(node, args=self.expr(node.args, known, sure))
            if not sure:
                return made
            known[key] = len(self.locals)
            self.locals.append(ir.LocalDecl("(asked)", ir.IntType()))
            self.kept_before.append(ir.Assign(known[key], made))
        return ir.Local(known[key])
