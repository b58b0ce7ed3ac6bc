"""`choose`: one choice, with the function that yields its candidates."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from grognard.compiler.lower.choices.asking import asking_of, end_with_ask, lower_decider
from grognard.compiler.lower.choices.forms import choose_form
from grognard.compiler.lower.choices.numbers_of import choose_numbers
from grognard.compiler.lower.choices.offers import lower_offer, lower_repeats
from grognard.compiler.lower.choices.subsets import choose_some
from grognard.compiler.lower.geometry.routes import choose_route
from grognard.compiler.sema.typed import nodes as t
from grognard.contract import ir
from grognard.contract.header import DONE, NONE

if TYPE_CHECKING:
    from grognard.compiler.lower.choices.actions import Rest
    from grognard.compiler.lower.stmts.statements import Statements


def lower_choose(
    low: Statements,
    node: t.Choose,
    done: int | None = None,
    done_when: Any = None,
    rest: Rest | None = None,
) -> None:
    """Stop for one choice.  `done`: where an answer `done` leads; `rest`: the rest of a declaration part."""
    into = node.into
    index = () if into is None else tuple(low.store_argument(low.lower(i)).expr for i in into.index)
    _choose(low, node, done, done_when, rest)
    if into is None:
        return
    assert into.info.field is not None
    written = node.written
    shows = (into.info.type.show,)
    site = low.lowerer.site("write", into.info.name, written.span, written.cites.ids, shows, low.code.owner)
    chosen = low.code.values[node.variable].expr
    low.code.emit(ir.Store(into.info.field, index, chosen, "set", False, site))


def _choose(low: Statements, node: t.Choose, done: int | None, done_when: Any, rest: Rest | None) -> None:
    m, statement = low.m, node.written
    element = node.candidate.type
    function, args = low.lowerer.candidates.choice_candidates(low, node, rest)
    seat = lower_decider(low, node.seat)
    var = m.values[node.variable] = m.variable(statement.name, node.variable.type)
    following = m.new_block()
    empty: int | None = done
    after_else: int | None = None
    declined: int | None = None
    if node.otherwise is not None:
        empty = after_else = m.new_block()
    elif statement.may and done is None and not statement.quiet:
        # Without candidates there is no question.
        empty = declined = m.new_block()
    extra = NONE if statement.may else (DONE if done is not None else None)
    question = asking_of(low, node.question, statement, quiet=statement.quiet)
    end_with_ask(low, question, function, args, seat, var, following, empty, element, extra, done_when)
    if declined is not None:
        m.switch(declined)
        m.emit(ir.Assign(var.expr.index, ir.Const(NONE)))
        m.jump(following)
    if after_else is not None:
        m.switch(after_else)
        low.statements(node.otherwise or ())
    m.switch(following)
    if done is not None:
        go_on = m.new_block()
        m.end(ir.Branch(ir.Binary("eq", var.expr, ir.Const(DONE), low.lowerer.nowhere), done, go_on))
        m.switch(go_on)


CHOICES: dict[type, Any] = {
    t.Choose: lower_choose,
    t.ChooseForm: choose_form,
    t.ChooseSome: choose_some,
    t.ChooseNumbers: choose_numbers,
    t.ChooseRoute: choose_route,
    t.Offer: lower_offer,
    t.Repeats: lower_repeats,
}
