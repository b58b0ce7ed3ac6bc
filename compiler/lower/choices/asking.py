"""The deciding seat, and the stop at which it is asked."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from grognard.compiler.lower.choices.prompts import names_in
from grognard.compiler.sema.scope import Scope, Value
from grognard.compiler.sema.types import (
    FLAG,
    UNKNOWN,
    Type,
    dom_type,
    set_type,
)
from grognard.compiler.syntax import nodes as syn
from grognard.compiler.syntax.print import unparse
from grognard.contract import ir
from grognard.contract.header import FAIL_EMPTY, NONE
from grognard.support.prompt_text import without_names
from grognard.support.source import Span

if TYPE_CHECKING:
    from grognard.compiler.lower.stmts.statements import Stmts


@dataclass(slots=True)
class Together:
    """Several seats that decide together, and the one that does where they disagree."""

    seats: Value
    otherwise: Value


def deciding_seat(stmts: Stmts, expr: syn.Expr | None, scope: Scope, span: Span) -> Value:
    """Who decides: the seat named, else `me`."""
    if expr is None and stmts.code.me is None:
        stmts.sink.error(
            "GR0705", span, "it is not said who makes this choice", hint="add `by` and a side: `by red`"
        )
        return Value(UNKNOWN, ir.Const(0))
    if expr is None:
        return stmts.me(span)
    if _means_all(expr, scope):
        stmts.sink.error(
            "GR0705",
            expr.span,
            "several seats decide together: it is not said who does when they disagree",
            hint=f"by set(s in {unparse(expr)}) else by ...",
        )
        return Value(UNKNOWN, ir.Const(0))
    seats = stmts.world.seats
    assert seats
    made = stmts.value(expr, scope, dom_type(seats))
    if (
        made.type.sort == "dom"
        and made.type.dom is not seats
        and made.type.dom is not None
        and made.type.dom.sort in ("piece", "record")
    ):
        return stmts.holder(made, span)
    if made.type.sort == "set" and made.type.dom is seats:
        stmts.sink.error(
            "GR0705",
            expr.span,
            "several seats decide together: it is not said who does when they disagree",
            hint="by ... else by ...",
        )
        return Value(UNKNOWN, ir.Const(0))
    stmts.demand(made, dom_type(seats), expr.span, "who decides")
    return made


def _means_all(expr: syn.Expr, scope: Scope) -> bool:
    """`sides` and `powers` are no values: they are sources of binders."""
    return isinstance(expr, syn.Name) and expr.id in ("sides", "powers") and scope.find(expr.id) is None


def decider(stmts: Stmts, expr: syn.Expr | None, scope: Scope, span: Span) -> Value | Together:
    """Who makes a choice: one seat, or several that must agree, and another where they do not."""
    if not isinstance(expr, syn.Joint):
        return deciding_seat(stmts, expr, scope, span)
    assert stmts.world.seats
    if _means_all(expr.seats, scope):
        everybody = unparse(expr.seats)
        stmts.sink.error(
            "GR0313",
            expr.seats.span,
            f"a set of seats is wanted here, and `{everybody}` only says over what something runs",
            hint=f"by set(s in {everybody}) else by ...",
        )
        return stmts.store_in_local(deciding_seat(stmts, expr.otherwise, scope, span))
    group = stmts.checked(expr.seats, scope, set_type(stmts.world.seats), "who decides together")
    otherwise = stmts.store_in_local(deciding_seat(stmts, expr.otherwise, scope, span))
    if group.type.sort == "unknown":
        return otherwise
    return Together(stmts.store_in_local(group), otherwise)


def frozen_decider(stmts: Stmts, expr: syn.Expr | None, scope: Scope, span: Span) -> Value | Together:
    """The same, evaluated now for several questions."""
    made = decider(stmts, expr, scope, span)
    return made if isinstance(made, Together) else stmts.store_in_local(made)


def end_with_ask(
    stmts: Stmts, statement: syn.ChooseStmt, function: int, args: tuple[Any, ...], seat: Value | Together, var: Value, following: int,
    empty: int | None, element: Type, extra: int | None, extra_when: Any, scope: Scope,
    some: tuple[int, int] | None = None,
) -> None:  # fmt: skip
    m = stmts.m
    if isinstance(seat, Together):

        def ask_one(one: Value, into: Value, then: int) -> None:
            end_with_ask(
                stmts,
                statement,
                function,
                args,
                one,
                into,
                then,
                empty,
                element,
                extra,
                extra_when,
                scope,
                some,
            )

        _ask_together(stmts, seat, var, following, ask_one)
        return
    seats = stmts.world.seats
    assert seats
    label = statement.label or statement.name.replace("_", " ")
    named = names_in(stmts, label, statement.span, scope)
    site = stmts.lowerer.site(
        "choice",
        f"{{0}}: {without_names(label)} {{1}}",
        statement.span,
        statement.cites.ids,
        (f"dom:{seats.id}", element.show),
        stmts.code.owner,
    )
    ask = stmts.lowerer.questions.new_ask(
        f"{stmts.code.owner}.{statement.name}",
        label,
        element.show,
        site,
        quiet=statement.quiet,
        function=function,
        some=some,
        named=named,
    )
    stmts.lowerer.choices.setdefault(f"{stmts.code.owner}.{statement.name}", element)
    distinct = element.dom.id if element.dom is not None and element.dom.interchangeable else None
    seen = None
    if statement.quiet:
        seen = stmts.lowerer.mask_of(seat.expr)
    lone = not statement.quiet
    m.end(
        ir.Ask(
            ask,
            function,
            args,
            seat.expr,
            var.expr.index,
            following,
            empty,
            extra,
            extra_when,
            lone,
            distinct,
            seen,
            site,
        )
    )


def _ask_together(stmts: Stmts, group: Together, var: Value, following: int, ask_one: Any) -> None:
    """Each of the seats is asked in turn; the first answer that differs leaves the choice to the other one."""
    m = stmts.m
    site = stmts.lowerer.nowhere
    assert stmts.world.seats
    asked = m.variable("(asked)", dom_type(stmts.world.seats))
    proposal = m.variable("(proposal)", var.type)
    agreed = m.variable("(agreed)", FLAG)
    m.emit(ir.Assign(asked.expr.index, ir.Const(NONE)))
    m.emit(ir.Assign(agreed.expr.index, ir.Const(0)))
    head, ask, answered, first, compare, nobody, other = (m.new_block() for _ in range(7))
    m.go_to(head)
    m.emit(ir.Assign(asked.expr.index, ir.SetNext(group.seats.expr, asked.expr)))
    m.end(ir.Branch(ir.Binary("eq", asked.expr, ir.Const(NONE), site), nobody, ask))
    m.switch(ask)
    ask_one(asked, proposal, answered)
    m.switch(answered)
    m.end(ir.Branch(agreed.expr, compare, first))
    m.switch(first)
    m.emit(ir.Assign(var.expr.index, proposal.expr))
    m.emit(ir.Assign(agreed.expr.index, ir.Const(1)))
    m.jump(head)
    m.switch(compare)
    m.end(ir.Branch(ir.Binary("eq", proposal.expr, var.expr, site), head, other))
    m.switch(nobody)
    m.end(ir.Branch(agreed.expr, following, other))
    m.switch(other)
    ask_one(group.otherwise, var, following)


def ask_from_set(
    stmts: Stmts, choice: syn.ChooseStmt, group: Value, var: Value, scope: Scope, body: int, empty: int | None
) -> None:
    """Ask for a member of a set in a local."""
    assert group.type.dom
    function = stmts.lowerer.candidates.set_candidates(group.type.dom)
    seat = decider(stmts, choice.by, scope, choice.span)
    end_with_ask(
        stmts,
        choice,
        function,
        (group.expr,),
        seat,
        var,
        body,
        empty,
        dom_type(group.type.dom),
        None,
        None,
        scope,
    )


def lower_instead(stmts: Stmts, otherwise: syn.Stmt, scope: Scope) -> None:
    """Lower the `else` of a choice without candidates.  It must leave the block, since the choice has no value."""
    if not stmts.statement(otherwise, scope):
        stmts.sink.error(
            "GR0703",
            otherwise.span,
            "after `else` the choice has no value",
            hint="the `else` must `stop`, `next` or `return`",
        )


def fail_empty(stmts: Stmts, why: str, statement: Any) -> None:
    """The failure of a mandatory choice without candidates."""
    site = stmts.lowerer.site("fail", why, statement.span, statement.cites.ids, owner=stmts.code.owner)
    stmts.m.emit(ir.Fail(FAIL_EMPTY, site))
