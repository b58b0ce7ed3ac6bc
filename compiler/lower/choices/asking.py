"""The deciding seat, and the stop at which it is asked."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from grognard.compiler.lower.code import Value
from grognard.compiler.sema.typed import nodes as t
from grognard.compiler.sema.types import FLAG, Type, dom_type
from grognard.contract import ir
from grognard.contract.header import FAIL_EMPTY, NONE
from grognard.support.prompt_text import without_names
from grognard.support.source import Span

if TYPE_CHECKING:
    from grognard.compiler.lower.exprs.expressions import Lowering
    from grognard.compiler.lower.stmts.statements import Statements


@dataclass(slots=True)
class Together:
    """Several seats that decide together, and the one that does where they disagree."""

    seats: Value
    otherwise: Value


@dataclass(frozen=True, slots=True)
class Asking:
    """A question: the name of the choice, its text, and the locals whose values are shown in it."""

    name: str
    label: str
    named: tuple[tuple[str, int, str], ...]
    cites: tuple[str, ...]
    span: Span
    quiet: bool = False


def asking_of(low: Lowering, question: t.Question, written: Any, *, quiet: bool = False) -> Asking:
    named = shown(low, question.shown)
    return Asking(question.name, question.label, named, written.cites.ids, written.span, quiet)


def shown(low: Lowering, names: Iterable[tuple[str, t.Typed]]) -> tuple[tuple[str, int, str], ...]:
    """The names in the text of a question: each with the local that holds its value, and how to show it."""
    found = [(name, low.lower(node).expr, node.type.show) for name, node in names]
    return tuple((name, expr.index, show) for name, expr, show in found if isinstance(expr, ir.Local))


def lower_decider(low: Lowering, seat: t.Decider) -> Value | Together:
    """Who makes a choice: one seat, or several that must agree, and another where they do not."""
    if not isinstance(seat, t.Jointly):
        return low.lower(seat)
    group = low.lower(seat.seats)
    otherwise = low.store_in_local(low.lower(seat.otherwise))
    if seat.seats.type.sort == "unknown":
        return otherwise
    return Together(low.store_in_local(group), otherwise)


def lower_frozen_decider(low: Lowering, seat: t.Decider) -> Value | Together:
    """The same, evaluated now for several questions."""
    made = lower_decider(low, seat)
    return made if isinstance(made, Together) else low.store_in_local(made)


def end_with_ask(
    low: Statements, question: Asking, function: int, args: tuple[Any, ...], seat: Value | Together, var: Value, following: int,
    empty: int | None, element: Type, extra: int | None, extra_when: Any, some: tuple[int, int] | None = None,
) -> None:  # fmt: skip
    m, lowerer = low.m, low.lowerer
    if isinstance(seat, Together):

        def ask_one(one: Value, into: Value, then: int) -> None:
            end_with_ask(
                low, question, function, args, one, into, then, empty, element, extra, extra_when, some
            )

        _ask_together(low, seat, var, following, ask_one)
        return
    seats = low.symbols.seats
    assert seats
    site = lowerer.site(
        "choice",
        f"{{0}}: {without_names(question.label)} {{1}}",
        question.span,
        question.cites,
        (f"dom:{seats.id}", element.show),
        m.owner,
    )
    name = f"{m.owner}.{question.name}"
    ask = lowerer.questions.new_ask(
        name,
        question.label,
        element.show,
        site,
        quiet=question.quiet,
        function=function,
        some=some,
        named=question.named,
    )
    lowerer.choices.setdefault(name, element)
    distinct = element.dom.id if element.dom is not None and element.dom.interchangeable else None
    seen = lowerer.mask_of(seat.expr) if question.quiet else None
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
            not question.quiet,
            distinct,
            seen,
            site,
        )
    )


def _ask_together(low: Statements, group: Together, var: Value, following: int, ask_one: Any) -> None:
    """Each of the seats is asked in turn; the first answer that differs leaves the choice to the other one."""
    m = low.m
    site = low.lowerer.nowhere
    assert low.symbols.seats
    asked = m.variable("(asked)", dom_type(low.symbols.seats))
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
    low: Statements, question: Asking, seat: t.Decider, group: Value, var: Value, body: int, empty: int | None
) -> None:
    """Ask for a member of a set in a local."""
    assert group.type.dom
    function = low.lowerer.candidates.set_candidates(group.type.dom)
    decided = lower_decider(low, seat)
    end_with_ask(
        low, question, function, (group.expr,), decided, var, body, empty, dom_type(group.type.dom), None, None
    )  # fmt: skip


def fail_empty(low: Statements, why: str, statement: Any) -> None:
    """The failure of a mandatory choice without candidates."""
    site = low.lowerer.site("fail", why, statement.span, statement.cites.ids, owner=low.code.owner)
    low.m.emit(ir.Fail(FAIL_EMPTY, site))
