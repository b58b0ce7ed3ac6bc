"""Conditions of the rules in words: as near to what the author wrote as the program remembers."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from grognard.contract import ir
from grognard.contract.header import NONE

if TYPE_CHECKING:
    from grognard.play.setting import Setting

_SIGNS = {
    "add": "+", "sub": "-", "mul": "x", "div_down": "/", "div_up": "/", "div_near": "/", "mod": "mod", "eq": "is",
    "ne": "is not", "lt": "<", "le": "<=", "gt": ">", "ge": ">=", "and": "and", "or": "or",
}  # fmt: skip
_OPPOSITE = {"eq": "ne", "ne": "eq", "lt": "ge", "ge": "lt", "gt": "le", "le": "gt"}


class Conditions:
    """Words for the expressions of one function or machine."""

    def __init__(self, setting: Setting, local: Sequence[ir.LocalDecl]) -> None:
        self.setting = setting
        self.program = setting.program
        self.locals = local

    def text(self, node: Any) -> str:
        """An expression."""
        match node:
            case ir.Const(value=value):
                return "none" if value == NONE else str(value)
            case ir.Sym(symbol=number):
                return _words(self.program.symbols[number].name.rpartition(".")[2])
            case ir.Local(index=index) | ir.SetLocal(index=index) | ir.ListLocal(index=index):
                return _words(re.sub(r"#\d+$", "", self.locals[index].name)).strip("()")
            case ir.Load(field=number, index=index) | ir.SetLoad(field=number, index=index):
                return self._of(self.program.fields[number].name, index)
            case ir.Data(column=number, index=index) | ir.SetData(column=number, index=index):
                return self._of(self.program.columns[number].name, index)
            case ir.TableGet(table=number, index=index):
                return self._called(self.program.tables[number].name, index)
            case ir.Unary(op="not", value=value):
                return self.denied(value)
            case ir.Unary(op=op, value=value):
                return f"-{self.text(value)}" if op == "neg" else f"size of {self.text(value)}"
            case ir.Binary(op=op, left=left, right=right) if op in ("min", "max"):
                return f"{op} of {self.text(left)} and {self.text(right)}"
            case ir.Binary(op=op, left=left, right=right):
                return f"{self._part(left)} {_SIGNS[op]} {self._beside(right, left)}"
            case ir.If(condition=condition, then=then, otherwise=otherwise):
                return f"{self.text(then)} if {self.text(condition)}, else {self.text(otherwise)}"
            case ir.Call(function=number, args=args) | ir.SetCall(function=number, args=args):
                return self._called(self.program.functions[number].name, args)
            case ir.Verb(name=name, args=args):
                return self._called(name, args)
            case ir.In(value=value, set=inner):
                return f"{self.text(value)} in {self.text(inner)}"
            case ir.SetCount(set=inner):
                return f"number of {self.text(inner)}"
            case ir.Aggregate(op=op, var=var, over=over, where=where):
                more = f" where {self.text(where)}" if where is not None else ""
                return f"{op} {self.text(ir.Local(var))} of {self.source(over)}{more}"
            case ir.ReachSet(movement=number) | ir.ReachCost(movement=number):
                return f"reach of {_words(self.program.movements[number].name)}"
            case ir.SetOf(items=items):
                return "{" + ", ".join(self.text(item) for item in items) + "}"
            case ir.SetIf(condition=condition, then=then, otherwise=otherwise):
                return f"{self.text(then)} if {self.text(condition)}, else {self.text(otherwise)}"
            case ir.SetBinary(op=op, left=left, right=right):
                sign = {"union": "and", "minus": "without", "inter": "that are also in"}[op]
                return f"{self.text(left)} {sign} {self.text(right)}"
            case ir.SetBuild(domain=domain, where=where):
                more = f" where {self.text(where)}" if where is not None else ""
                return f"every {self.program.domains[domain].name}{more}"
        return "a condition of the rules"

    def denied(self, node: Any) -> str:
        """That an expression does not hold."""
        match node:
            case ir.Unary(op="not", value=value):
                return self.text(value)
            case ir.Binary(op=op, left=left, right=right) if op in _OPPOSITE:
                return f"{self._part(left)} {_SIGNS[_OPPOSITE[op]]} {self._beside(right, left)}"
            case ir.Binary():
                return f"not ({self.text(node)})"
        return f"not {self.text(node)}"

    def source(self, over: Any) -> str:
        """What a loop goes over."""
        match over:
            case ir.OverDomain(domain=domain):
                return f"every {self.program.domains[domain].name}"
            case ir.OverSet(set=inner) | ir.OverList(list=inner):
                return self.text(inner)
            case ir.OverRange(lo=lo, hi=hi):
                return f"{self.text(lo)} to {self.text(hi)}"
            case ir.OverVerb(name=name, args=args):
                return self._called(name, args)
            case ir.OverItems(items=items):
                return ", ".join(self.text(item) for item in items)
        return "what the rules say"

    def _part(self, node: Any) -> str:
        inner = self.text(node)
        return f"({inner})" if isinstance(node, ir.Binary) and node.op in ("and", "or") else inner

    def _beside(self, node: Any, other: Any) -> str:
        """A number beside a field of members is the member."""
        if isinstance(node, ir.Const) and node.value != NONE:
            show = self._show(other)
            if show == "flag":
                return "yes" if node.value else "no"
            if show not in ("", "int"):
                return _words(self.setting.names.name(node.value, show))
        return self._part(node)

    def _show(self, node: Any) -> str:
        kind: Any = None
        match node:
            case ir.Load(field=number):
                kind = self.program.fields[number].type
            case ir.Data(column=number):
                kind = self.program.columns[number].type
            case ir.Local(index=index):
                kind = self.locals[index].type
            case ir.Call(function=number):
                kind = self.program.functions[number].result
        return kind.show if isinstance(kind, ir.IntType) else ""

    def _of(self, name: str, index: Sequence[Any]) -> str:
        """`u.at`, `h.cost(tracked)`; a field of the game by its own name."""
        owner, _, field = name.rpartition(".")
        if not owner or not index:
            return _words(field or name)
        first, *rest = (self.text(part) for part in index)
        more = f"({', '.join(rest)})" if rest else ""
        return f"{first}.{_words(field)}{more}"

    def _called(self, name: str, args: Sequence[Any]) -> str:
        shown = [self.text(arg) for arg in args if not self._is_me(arg)]
        return f"{_words(name)}({', '.join(shown)})" if shown else _words(name)

    def _is_me(self, node: Any) -> bool:
        return isinstance(node, ir.Local) and self.locals[node.index].name == "me"


def _words(name: str) -> str:
    return name.replace("_", " ").replace(" (exception)", "")
