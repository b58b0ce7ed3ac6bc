"""Policies: declared ways to answer choices.  Each line becomes functions of the candidate and the asker's parameters."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from grognard.compiler.lower.code import Code
from grognard.compiler.lower.exprs.expressions import Lowering
from grognard.compiler.sema.typed.policies import check_choice_named, check_policy_value
from grognard.compiler.sema.types import (
    FLAG,
    INT,
    Type,
    dom_type,
)
from grognard.compiler.syntax import nodes as syn
from grognard.contract import ir
from grognard.support.source import Span

if TYPE_CHECKING:
    from grognard.compiler.lower.lowerer import Lowerer


def lower_policies(lowerer: Lowerer) -> tuple[ir.Policy, ...]:
    """All declared policies."""
    return tuple(lower_policy(lowerer, decl) for _rank, decl in lowerer.world.policies.values())


def lower_policy(lowerer: Lowerer, decl: syn.PolicyDecl) -> ir.Policy:
    lowerer.world.cite(decl.cites)
    lines = [made for line in decl.lines if (made := _line(lowerer, decl, line)) is not None]
    return ir.Policy(decl.name, decl.title, tuple(lines))


def _line(lowerer: Lowerer, decl: syn.PolicyDecl, line: syn.PolicyLine) -> ir.PolicyLine | None:
    name = f"{line.owner}.{line.name}"
    element = check_choice_named(lowerer.choices, line, lowerer.sink)
    if element is None:
        return None
    lowerer.world.cite(line.cites)
    entry = lowerer.world.callables.get(line.owner)
    make = _Maker(lowerer, f"policy {decl.name}: {name}", element, line.name, entry, line.span)
    when = None if line.condition is None else make.function(line.condition, FLAG)
    ranks = tuple((highest, make.function(key, INT)) for highest, key in line.ranks)
    value = None if line.value is None else make.function(line.value, element.maybe())
    site = lowerer.site("policy", name, line.span, line.cites.ids, owner=decl.name)
    return ir.PolicyLine(name, when, ranks, value, site, bool(entry is not None and entry.uses_me))


class _Maker:
    """Makes functions (chooser, candidate, parameters of the asker) -> number."""

    def __init__(
        self, lowerer: Lowerer, name: str, element: Type, variable: str, entry: Any, span: Span
    ) -> None:
        self.lowerer, self.name, self.element, self.variable = lowerer, name, element, variable
        self.params = [] if entry is None else entry.params
        self.span = span

    def function(self, expr: syn.Expr, want: Type) -> int:
        lowerer = self.lowerer
        code = Code(self.name, self.name, pure=True, machine=False)
        code.result = want
        seats = lowerer.world.seats
        assert seats
        code.me = code.variable("me", dom_type(seats))
        params, candidate, node = check_policy_value(
            lowerer,
            self.name,
            self.params,
            (self.variable, self.element),
            expr,
            want,
            self.span,
            lowerer.sink,
        )
        code.values[candidate] = code.variable(candidate.name, candidate.type)
        count = lowerer.bind_variables(code, params, False)
        low = Lowering(lowerer, code)
        made = low.test(node) if want is FLAG else low.lower(node).expr
        code.emit(ir.Return(made))
        return lowerer.new_function(code, count, INT, lowerer.site("rule", self.name, self.span))
