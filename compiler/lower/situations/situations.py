"""Situations: a set-up, the procedure whose odds are computed, and the outcomes that are read afterwards.

A situation becomes a machine that stops twice: after the set-up, with the procedure's arguments in locals, and after the
outcomes are computed.  Between the two stops the caller runs the procedure.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from grognard.compiler.lower.block_builder import MachineCode
from grognard.compiler.lower.code import Value, assign_local, flatten
from grognard.compiler.lower.stmts.calls import result_of
from grognard.compiler.sema.typed import nodes as t
from grognard.compiler.sema.typed.whole import TypedExample
from grognard.compiler.sema.types import INT, Type
from grognard.compiler.syntax import nodes as syn
from grognard.contract import ir
from grognard.contract.examples import Example
from grognard.contract.situations import Situation

if TYPE_CHECKING:
    from grognard.compiler.lower.lowerer import Lowerer
    from grognard.compiler.lower.stmts.statements import Statements


def lower_situation(lowerer: Lowerer, decl: syn.SituationDecl, body: TypedExample) -> Situation:
    from grognard.compiler.lower.stmts.statements import Statements

    builder = lowerer.builder
    number = builder.reserve_machine()
    code = MachineCode(f"situation {decl.name}", f"situation {decl.name}")
    ground = Example(decl.title or decl.name, decl.span, builder.cite(decl.cites), number, 0)
    situation = Situation(decl.name, decl.title, number, ground)
    count = lowerer.bind_variables(code, body.params, False)
    low = Statements(lowerer, code)
    low.example, low.situation = ground, situation
    low.statements(body.statements)
    _stop(low)
    site = lowerer.site("enter", decl.name, decl.span, decl.cites.ids, owner=code.owner)
    builder.machines[number] = ir.Machine(
        number, code.name, count, tuple(code.locals), False, code.finish(), site
    )
    return situation


def _stop(low: Statements) -> None:
    lowerer, m = low.lowerer, low.m
    seats = low.symbols.seats
    assert seats
    offered = lowerer.candidates.chance_candidates()
    ask = lowerer.questions.new_ask(f"{m.owner}.(stop)", "stop", "int", lowerer.nowhere, function=offered)
    unused = m.local("(stop)", INT)
    following = m.new_block()
    m.end(
        ir.Ask(
            ask, offered, (), ir.DomainBase(seats.id), unused, following, None, None, None, False, None, None,
            lowerer.nowhere,
        )
    )  # fmt: skip
    m.switch(following)


def _outcome(low: Statements, node: t.Outcome) -> None:
    situation, made = low.situation, low.lower(node.value)
    assert situation is not None
    local = low.code.variable(node.written.label, made.type)
    assign_local(low.code, local, made)
    situation.outcomes.append((node.written.label, local.expr.index, made.type.show))


def _odds(low: Statements, node: t.Odds) -> None:
    situation = low.situation
    assert situation is not None
    situation.target = node.written.use.name
    for value in [low.lower(arg) for arg in node.args]:
        for part, type_ in zip(flatten(value), _types(value), strict=True):
            local = low.code.variable("(argument)", type_)
            assign_local(low.code, local, Value(type_, part))
            situation.args.append(local.expr.index)
    target = result_of(low, node.into)
    if target is not None:
        situation.result = target.expr.index
    _stop(low)
    situation.after = low.m.current


def _types(value: Value) -> list[Type]:
    if value.record is not None:
        return [t for part in value.record.values() for t in _types(part)]
    return [value.type]


SITUATIONS: dict[type, Any] = {t.Odds: _odds, t.Outcome: _outcome}
