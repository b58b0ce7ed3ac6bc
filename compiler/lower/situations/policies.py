"""Policies: declared ways to answer choices.  Each line becomes functions of the candidate and the asker's parameters."""

from __future__ import annotations

from typing import TYPE_CHECKING

from grognard.compiler.lower.code import Code
from grognard.compiler.lower.exprs.expressions import Lowering
from grognard.compiler.sema.typed.policies import TypedLine, TypedPolicy, TypedValue
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


def lower_policy(lowerer: Lowerer, policy: TypedPolicy) -> ir.Policy:
    decl = policy.written
    lowerer.builder.cite(decl.cites)
    return ir.Policy(decl.name, decl.title, tuple(_line(lowerer, decl, line) for line in policy.lines))


def _line(lowerer: Lowerer, decl: syn.PolicyDecl, made: TypedLine) -> ir.PolicyLine:
    line = made.written
    name = f"{line.owner}.{line.name}"
    lowerer.builder.cite(line.cites)

    def function(value: TypedValue, want: Type) -> int:
        return _function(lowerer, f"policy {decl.name}: {name}", value, want, line.span)

    when = None if made.when is None else function(made.when, FLAG)
    ranks = tuple((highest, function(key, INT)) for highest, key in made.ranks)
    answer = None if made.answer is None else function(made.answer, made.answer.candidate.type.maybe())
    site = lowerer.site("policy", name, line.span, line.cites.ids, owner=decl.name)
    return ir.PolicyLine(name, when, ranks, answer, site, bool(made.asker is not None and made.asker.uses_me))


def _function(lowerer: Lowerer, name: str, value: TypedValue, want: Type, span: Span) -> int:
    """Function(chooser, candidate, parameters of the asker) -> number."""
    code = Code(name, name, pure=True, machine=False)
    code.result = want
    seats = lowerer.symbols.seats
    assert seats
    code.me = code.variable("me", dom_type(seats))
    code.values[value.candidate] = code.variable(value.candidate.name, value.candidate.type)
    count = lowerer.bind_variables(code, value.params, False)
    low = Lowering(lowerer, code)
    made = low.test(value.value) if want is FLAG else low.lower(value.value).expr
    code.emit(ir.Return(made))
    return lowerer.new_function(code, count, INT, lowerer.site("rule", name, span))
