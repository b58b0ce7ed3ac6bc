"""Situations: a set-up, the procedure whose odds are computed, and the outcomes that are read afterwards.

A situation becomes a machine that stops twice: after the set-up, with the procedure's arguments in locals, and after the
outcomes are computed.  Between the two stops the caller runs the procedure.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from grognard.compiler.lower.block_builder import MachineCode
from grognard.compiler.sema.scope import (
    Scope,
    Value,
    assign_local,
    flatten,
)
from grognard.compiler.sema.typed.deciding import check_deciding_seat
from grognard.compiler.sema.types import (
    INT,
    UNKNOWN,
    Type,
)
from grognard.compiler.syntax import nodes as syn
from grognard.contract import ir
from grognard.contract.examples import Example
from grognard.contract.situations import Situation
from grognard.support.suggest import hint_for

if TYPE_CHECKING:
    from grognard.compiler.lower.lowerer import Lowerer
    from grognard.compiler.lower.stmts.seam import Stmts


def lower_situation(lowerer: Lowerer, decl: syn.SituationDecl, params: list[tuple[str, Type]]) -> Situation:
    from grognard.compiler.lower.stmts.seam import Stmts

    number = lowerer.world.reserve_machine()
    code = MachineCode(f"situation {decl.name}", f"situation {decl.name}")
    ground = Example(decl.title or decl.name, decl.span, lowerer.world.cite(decl.cites), number, 0)
    situation = Situation(decl.name, decl.title, number, ground)
    scope = Scope()
    count = lowerer.bind_params(code, scope, params, False, decl.span)
    stmts = Stmts(lowerer, code)
    stmts.check.in_example = True
    stmts.example = ground
    stmts.situation = situation
    stmts.statements(stmts.check.block(decl.body, scope)[0])
    _stop(stmts)
    site = lowerer.site("enter", decl.name, decl.span, decl.cites.ids, owner=code.owner)
    lowerer.world.machines[number] = ir.Machine(
        number, code.name, count, tuple(code.locals), False, code.finish(), site
    )
    return situation


def _stop(stmts: Stmts) -> None:
    lowerer, m = stmts.lowerer, stmts.m
    seats = stmts.world.seats
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


def lower_situation_statement(stmts: Stmts, statement: Any, scope: Scope) -> None:
    """`odds of` and `outcome`."""
    situation: Situation | None = stmts.situation
    sink = stmts.sink
    if situation is None:
        return  # in an example; reported before (sema/checks/examples.py)
    if isinstance(statement, syn.OddsStmt):
        _odds(stmts, situation, statement, scope)
        return
    if not situation.target:
        sink.error(
            "GR0721", statement.span, "an outcome is looked at when the odds' procedure is done",
            hint="write `odds of ...` first",
        )  # fmt: skip
        return
    made = stmts.value(statement.value, scope)
    if made.type.dom is not None and made.type.sort == "dom" and made.type.dom.sort in ("piece", "record"):
        # Odds treat interchangeable counters as one, so an outcome cannot be one of them.
        sink.error(
            "GR0721",
            statement.value.span,
            f"an outcome is a number, a flag, a member or a place, not {made.type.words}",
            hint="ask something of it: `in_play(A)`, `A.hits`, `A.type`",
        )
        return
    if made.type.sort not in ("int", "flag", "dom"):
        if made.type.sort != "unknown":
            sink.error(
                "GR0721",
                statement.value.span,
                f"an outcome is a number, a flag, a member or a place, not {made.type.words}",
            )
        return
    local = stmts.code.variable(statement.label, made.type)
    assign_local(stmts.code, local, made)
    situation.outcomes.append((statement.label, local.expr.index, made.type.show))


def _odds(stmts: Stmts, situation: Situation, statement: syn.OddsStmt, scope: Scope) -> None:
    use, world = statement.use, stmts.world
    entry = world.callables.get(use.name)
    if situation.target or (scope.parent is not None and scope.parent.parent is not None):
        stmts.sink.error(
            "GR0721", statement.span, "a situation has one `odds of`, not inside another statement"
        )
        return
    # Set even after an error, so that the error is reported once.
    situation.target = use.name
    if entry is None or entry.sort not in ("procedure", "action"):
        known = [c.name for c in world.callables.values() if c.sort in ("procedure", "action")]
        known += world.situations
        stmts.sink.error(
            "GR0207", use.span, f"there is no procedure `{use.name}`", hint=hint_for(use.name, known)
        )
        return
    entry.used = True
    args = stmts.arguments(entry, use.args, use.span, scope)
    if args is None or any(a.type.sort == "unknown" for a in args):
        if statement.into is not None:
            stmts.declare_local(scope, statement.into, UNKNOWN, False, statement.span)
        return
    if entry.uses_me:
        if statement.by is None:
            stmts.sink.error(
                "GR0721",
                statement.span,
                f"`{use.name}` speaks of whoever acts: say who does it",
                hint=f"odds of {use.name}(...) by ...",
            )
            return
        args.insert(0, stmts.lower(check_deciding_seat(stmts.check, statement.by, scope, statement.span)))
    elif statement.by is not None:
        check_deciding_seat(stmts.check, statement.by, scope, statement.span)
    for value in args:
        for part, type_ in zip(flatten(value), _types(value), strict=True):
            local = stmts.code.variable("(argument)", type_)
            assign_local(stmts.code, local, Value(type_, part))
            situation.args.append(local.expr.index)
    if statement.into is not None:
        if entry.result is None:
            stmts.sink.error("GR0309", statement.span, f"`{use.name}` gives no result")
            return
        target = stmts.declare_local(scope, statement.into, entry.result, False, statement.span)
        situation.result = target.expr.index
    _stop(stmts)
    situation.after = stmts.m.current


def _types(value: Value) -> list[Type]:
    if value.record is not None:
        return [t for part in value.record.values() for t in _types(part)]
    return [value.type]
