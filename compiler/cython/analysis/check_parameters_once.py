"""What a function looks up first of all: an index by one of its parameters can be checked once, when it is entered.

If nothing that can fail or be traced comes before the first look at a field of a parameter, that parameter is a member of the
field's domain wherever the function goes on, and need not be checked again.  The failure, if there is one, is the same.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass
from typing import Any

from grognard.compiler.cython.analysis.plan import Plan
from grognard.compiler.cython.analysis.side_effects import side_effect_free
from grognard.compiler.cython.optimise.inline_functions import renamed
from grognard.compiler.passes.analyses.local_variables import assigned
from grognard.contract import ir

_PLAIN = {"min", "max", "eq", "ne", "lt", "le", "gt", "ge"}


@dataclass(frozen=True, slots=True)
class Lookup:
    """An index by a parameter: which, into what, and where it is blamed if it is outside."""

    local: int
    domain: int
    site: int


#: something else happens first
_OTHER = Lookup(-1, -1, -1)


@dataclass(frozen=True, slots=True)
class _First:
    plan: Plan
    inlined: Set[int]
    bounded: Mapping[int, int]

    def code(self, code: Sequence[ir.Stmt]) -> Lookup | None:
        """What code does first that can fail; None if nothing does."""
        for node in code:
            match node:
                case ir.Assign(value=value):
                    found = self.expr(value)
                case ir.Return(value=value):
                    return (None if value is None else self.expr(value)) or _OTHER
                case ir.IfStmt(condition=condition):
                    return self.expr(condition) or _OTHER
                case _:
                    return _OTHER
            if found is not None:
                return found
        return None

    def expr(self, node: Any) -> Lookup | None:
        match node:
            case ir.Const() | ir.Sym() | ir.DomainCount() | ir.DomainBase() | ir.Local() | ir.Head():
                return None
            case ir.Load(field=number, index=index, site=site):
                return self._indexed(self.plan.program.fields[number], index, site)
            case ir.Data(column=number, index=index, site=site):
                return self._indexed(self.plan.program.columns[number], index, site)
            case ir.Unary(op="not", value=value):
                return self.expr(value)
            case ir.Unary(value=value):
                return self.expr(value) or _OTHER
            case ir.Binary(op="and" | "or", left=left, right=right):
                return self.expr(left) or self._perhaps(right)
            case ir.Binary(op=op, left=left, right=right):
                return self.expr(left) or self.expr(right) or (None if op in _PLAIN else _OTHER)
            case ir.If(condition=condition, then=then, otherwise=otherwise):
                return self.expr(condition) or self._perhaps(then) or self._perhaps(otherwise)
            case ir.Verb(args=args):
                return self._each(args)
            case ir.Call(function=number, args=args) if number in self.inlined:
                return self._each(args) or self._written_out(self.plan.program.functions[number], args)
            case ir.Call(args=args):
                return self._each(args) or _OTHER
        return _OTHER

    def _each(self, parts: Sequence[Any]) -> Lookup | None:
        for part in parts:
            found = self.expr(part)
            if found is not None:
                return found
        return None

    def _perhaps(self, node: Any) -> Lookup | None:
        """What may not be asked at all."""
        return None if side_effect_free(self.plan, node, self.bounded) else _OTHER

    def _indexed(self, entry: ir.Field | ir.Column, index: Sequence[ir.Expr], site: int) -> Lookup | None:
        for domain, part in zip(entry.dims, index):
            found = self.expr(part)
            if found is not None:
                return found
            if not isinstance(part, ir.Local):
                return _OTHER
            if self.bounded.get(part.index) != domain:
                return Lookup(part.index, domain, site)
        return None

    def _written_out(self, callee: ir.Function, args: Sequence[Any]) -> Lookup | None:
        """The callee's code, whose own locals cannot be mistaken for ours."""
        plain = all(isinstance(arg, ir.Local | ir.Const | ir.Sym) for arg in args)
        if not plain or assigned(callee.body) & set(range(callee.params)):
            return _OTHER
        moved = {number: -1 - number for number in range(len(callee.locals))}
        return self.code(renamed(callee.body, dict(enumerate(args)), moved)) or _OTHER


def first_lookup(
    plan: Plan, function: ir.Function, inlined: Set[int], bounded: Mapping[int, int], changed: Set[int]
) -> Lookup | None:
    """The first thing that can fail in a function, if that is an index by a parameter which stays as it is."""
    found = _First(plan, inlined, bounded).code(function.body)
    if found is None or not 0 <= found.local < function.params or found.local in changed:
        return None
    return None if found.local in bounded else found
