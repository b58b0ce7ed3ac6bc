"""`choose`: one choice, and the proof that it has candidates."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from grognard.compiler.layers.merge import substitute
from grognard.compiler.lower.choices.asking import (
    asking,
    decider,
    end_with_ask,
    lower_instead,
)
from grognard.compiler.lower.choices.forms import choose_form
from grognard.compiler.lower.choices.into_arrays import choose_into
from grognard.compiler.sema.declare.forms import form_of
from grognard.compiler.sema.scope import Scope
from grognard.compiler.sema.types import UNKNOWN
from grognard.compiler.syntax import nodes as syn
from grognard.contract import ir
from grognard.contract.header import DONE, NONE
from grognard.support.source import Span

if TYPE_CHECKING:
    from grognard.compiler.lower.stmts.seam import Stmts


def lower_choose(
    stmts: Stmts,
    statement: syn.ChooseStmt,
    scope: Scope,
    done: int | None = None,
    done_when: Any = None,
    rest: Any = None,
    proven: bool = False,
) -> None:
    """Stop for one choice.  `done`: where an answer `done` leads; `rest`: the rest of a declaration part;
    `proven`: that there is something to choose is known."""
    if not stmts.code.machine:
        stmts.sink.error("GR0704", statement.span, "nobody can be asked here")
        return
    if statement.index:
        choose_into(stmts, statement, scope, done=done, done_when=done_when)
        return
    m = stmts.m
    form = form_of(stmts.world, statement.type)
    if form is not None:
        choose_form(stmts, statement, form, scope, done, done_when)
        return
    if statement.given:
        stmts.sink.error(
            "GR0208", statement.given[0].span, "`for` belongs to the choice of a form", hint="use `where`"
        )
    function, args, element = stmts.lowerer.candidates.choice_candidates(stmts, statement, scope, rest)
    if element is None:
        stmts.declare_local(scope, statement.name, UNKNOWN, False, statement.name_span)
        return
    seat = decider(stmts, statement.by, scope, statement.span)
    type_ = element.maybe() if statement.may else element
    var = stmts.declare_local(scope, statement.name, type_, False, statement.name_span)
    following = m.new_block()
    empty: int | None = done
    after_else: int | None = None
    declined: int | None = None
    if statement.otherwise is not None:
        empty = after_else = m.new_block()
    elif statement.may and done is None and not statement.quiet:
        # Without candidates there is no question.
        empty = declined = m.new_block()
    elif rest is None and not statement.may and done is None and not proven:
        _prove_some(stmts, statement, scope)
    extra = NONE if statement.may else (DONE if done is not None else None)
    question = asking(stmts, statement, scope)
    end_with_ask(stmts, question, function, args, seat, var, following, empty, element, extra, done_when)
    if declined is not None:
        m.switch(declined)
        m.emit(ir.Assign(var.expr.index, ir.Const(NONE)))
        m.jump(following)
    if after_else is not None:
        m.switch(after_else)
        assert statement.otherwise is not None
        lower_instead(stmts, statement.otherwise, scope)
    m.switch(following)
    if done is not None:
        go_on = m.new_block()
        m.end(ir.Branch(ir.Binary("eq", var.expr, ir.Const(DONE), stmts.lowerer.nowhere), done, go_on))
        m.switch(go_on)
    if statement.where is not None:
        narrowed = stmts.narrow(statement.where, scope, True)
        if not statement.may:
            scope.narrowed.update(narrowed)
            stmts.check.standing.demanded.append(statement.where)


def _prove_some(stmts: Stmts, statement: syn.ChooseStmt, scope: Scope) -> None:
    """A mandatory choice in a running procedure must have something to choose."""
    if statement.where is None:
        if statement.type is not None:
            return
        wanted: tuple[Any, Any] = (statement.source, None)
    else:
        source = statement.source
        if statement.type is not None:
            source = statement.type.base
            if _always_some(statement, source):
                return
        wanted = (source, statement.where)
    for guard in stmts.check.standing.guards:
        for node in _positive(guard):
            if isinstance(node, syn.AggregateExpr) and node.op in ("any", "count"):
                if _same_question(node, wanted, statement.name):
                    return
            if wanted[1] is None and _says_not_empty(node, wanted[0]):
                return
    entry = stmts.world.callables.get(stmts.code.owner)
    if entry is not None and entry.sort == "action":
        stmts.sink.error(
            "GR0711",
            statement.span,
            f"there may be nothing to choose for `{statement.name}`, and the action has begun",
            hint="move the choice above the first write, roll or `do`, or add `, else return`",
        )
        return
    stmts.sink.error(
        "GR0703",
        statement.span,
        f"there may be nothing to choose for `{statement.name}`",
        hint="add `, else stop` / `, else return`, make it `may choose`, or guard it with `if any(... where the same)`",
    )


def _always_some(statement: syn.ChooseStmt, source: Any) -> bool:
    """A choice with a filter that plainly leaves something, e.g. yes/no `where not x or ...`."""
    where = statement.where
    if (
        isinstance(source, syn.Name)
        and source.id == "flag"
        and isinstance(where, syn.BinaryExpr)
        and where.op == "or"
    ):
        first = where.left
        return first == syn.UnaryExpr("not", syn.Name(statement.name, where.span), where.span)
    return False


def _positive(condition: Any) -> list[Any]:
    """The parts of a condition that all hold when it does."""
    if isinstance(condition, syn.BinaryExpr) and condition.op == "and":
        return [*_positive(condition.left), *_positive(condition.right)]
    if (
        isinstance(condition, syn.BinaryExpr)
        and condition.op == "gt"
        and condition.right == syn.Number("0", condition.span)
    ):
        return [condition, condition.left]
    return [condition]


def _rename(node: Any, old: str, new: str) -> Any:
    place = Span("", 0, 0, 0, 0)
    return substitute(node, syn.Name(old, place), syn.Name(new, place))[0]


def _same_question(node: syn.AggregateExpr, wanted: tuple[Any, Any], name: str) -> bool:
    where = node.where if node.where is None else _rename(node.where, node.var, name)
    return node.source == wanted[0] and where == wanted[1]


def _says_not_empty(node: Any, source: Any) -> bool:
    match node:
        case syn.BinaryExpr(op="is_not", left=left, right=syn.Name(id="empty")):
            return bool(left == source)
        case syn.CallExpr(callee=syn.Name(id="count"), args=(inner,)):
            return bool(inner == source)
    return False
