"""Menus of actions: the actions on offer to a seat, and the call of the one it picks."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from grognard.compiler.lower.choices.asking import deciding_seat, fail_empty
from grognard.compiler.sema.checks.exceptions import ordered_exceptions
from grognard.compiler.sema.scope import (
    Scope,
    Value,
    flatten,
)
from grognard.compiler.sema.typed.doing import named_by_data
from grognard.compiler.sema.types import (
    INT,
    Type,
    dom_type,
)
from grognard.compiler.syntax import nodes as syn
from grognard.compiler.syntax.walk import walk
from grognard.contract import ir
from grognard.contract.header import DONE, H_PLY
from grognard.support.source import Span
from grognard.support.suggest import hint_for

if TYPE_CHECKING:
    from grognard.compiler.lower.stmts.seam import Stmts

#: Actions of one menu, with those of the menus in it.
MAX_OFFERED = 500


def lower_offer(stmts: Stmts, statement: syn.OfferStmt, scope: Scope) -> None:
    m = stmts.m
    cites = statement.cites.ids
    if statement.until_all_pass:
        _offer_until_pass(stmts, statement, scope)
        return
    seat = stmts.store_argument(deciding_seat(stmts, statement.seat, scope, statement.span))
    done = m.new_block()
    extra = DONE if statement.optional else None
    answer, menu, _ = _ask_menu(stmts,
        statement.uses, scope, seat, statement.span, cites, extra=extra, extra_when=None, empty=done if statement.optional else _no_action(stmts, statement),
        lone=not statement.optional,
    )  # fmt: skip
    _dispatch(stmts, answer, menu, seat, done)
    m.switch(done)


def _offer_until_pass(stmts: Stmts, statement: syn.OfferStmt, scope: Scope) -> None:
    """A window: seats are asked in rotation until all pass in succession; any act resets the passes."""
    m = stmts.m
    seats = stmts.world.seats
    assert seats
    exprs = statement.seat.items if isinstance(statement.seat, syn.Items) else (statement.seat,)
    made = [stmts.store_in_local(deciding_seat(stmts, e, scope, e.span)) for e in exprs]
    count = len(made)
    site = stmts.lowerer.nowhere
    passes = m.variable("(passes)", INT)
    turn = m.variable("(turn)", INT)
    m.emit(ir.Assign(passes.expr.index, ir.Const(0)))
    m.emit(ir.Assign(turn.expr.index, ir.Const(0)))
    head, acted, passed, done = m.new_block(), m.new_block(), m.new_block(), m.new_block()
    m.go_to(head)
    who: Any = made[-1].expr
    for number in range(count - 2, -1, -1):
        who = ir.If(ir.Binary("eq", turn.expr, ir.Const(number), site), made[number].expr, who)
    seat = m.variable("(asked)", dom_type(seats))
    m.emit(ir.Assign(seat.expr.index, who))
    m.emit(
        ir.Assign(
            turn.expr.index,
            ir.Binary("mod", ir.Binary("add", turn.expr, ir.Const(1), site), ir.Const(count), site),
        )
    )
    answer, menu, _ = _ask_menu(
        stmts,
        statement.uses,
        scope,
        seat,
        statement.span,
        statement.cites.ids,
        extra=DONE,
        extra_when=None,
        empty=passed,
        lone=False,
    )
    act = m.new_block()
    m.end(ir.Branch(ir.Binary("eq", answer.expr, ir.Const(DONE), site), passed, act))
    m.switch(act)
    _dispatch(stmts, answer, menu, seat, acted)
    m.switch(acted)
    m.emit(ir.Assign(passes.expr.index, ir.Const(0)))
    m.jump(head)
    m.switch(passed)
    m.emit(ir.Assign(passes.expr.index, ir.Binary("add", passes.expr, ir.Const(1), site)))
    m.end(ir.Branch(ir.Binary("ge", passes.expr, ir.Const(count), site), done, head))
    m.switch(done)


def lower_repeats(stmts: Stmts, statement: syn.RepeatsStmt, scope: Scope) -> None:
    m = stmts.m
    seat = stmts.store_in_local(deciding_seat(stmts, statement.seat, scope, statement.span))
    head, done = m.new_block(), m.new_block()
    m.go_to(head)
    extra = None if statement.while_possible else DONE
    when = None
    if statement.done_when is not None:
        before = stmts.code.me
        stmts.code.me = seat
        when = stmts.condition(statement.done_when, scope)
        stmts.code.me = before
    answer, menu, _ = _ask_menu(
        stmts,
        statement.uses,
        scope,
        seat,
        statement.span,
        statement.cites.ids,
        extra=extra,
        extra_when=when,
        empty=done,
        keep=statement.keep,
        lone=True,
    )
    if extra is not None:
        act = m.new_block()
        m.end(ir.Branch(ir.Binary("eq", answer.expr, ir.Const(DONE), stmts.lowerer.nowhere), done, act))
        m.switch(act)
    _dispatch(stmts, answer, menu, seat, head)
    m.switch(done)


def _ask_menu(
    stmts: Stmts, uses: tuple[syn.Use, ...], scope: Scope, seat: Value, span: Span, cites: tuple[str, ...], *,
    extra: int | None, extra_when: Any, empty: int | None, keep: Any = None, lone: bool = True,
) -> tuple[Value, list[Any], int]:  # fmt: skip
    """Stop to ask for one of the actions that can be completed; gives the answer, the menu, the next block."""
    m = stmts.m
    menu = menu_of(stmts, uses, scope, seat)
    frozen: list[Any] = []
    for action, entry, use, args, condition in menu:
        kept = [stmts.store_argument(a) for a in args]
        if keep is not None:
            entry, kept, condition = _keeping(stmts, keep, entry, kept, condition, scope, seat, span)
        frozen.append((action, entry, use, kept, condition))
    function, captured_args = stmts.lowerer.candidates.menu_candidates(stmts, frozen, seat, span)
    answer = m.variable("(action)", Type("int"))
    following = m.new_block()
    names = ", ".join(use.name for use in uses)
    assert stmts.world.seats
    shows = (f"dom:{stmts.world.seats.id}", "action")
    site = stmts.lowerer.site("choice", "{0} picks {1}", span, cites, shows, stmts.code.owner)
    ask = stmts.lowerer.questions.new_ask(names, "action", "action", site, menu=True, function=function)
    m.end(
        ir.Ask(
            ask,
            function,
            captured_args,
            seat.expr,
            answer.expr.index,
            following,
            empty,
            extra,
            extra_when,
            lone,
            None,
            None,
            site,
        )
    )
    m.switch(following)
    return answer, frozen, following


def _dispatch(stmts: Stmts, answer: Value, menu: list[Any], seat: Value, done: int) -> None:
    """Run the action that was picked, then go on at `done`; a ply is over."""
    m = stmts.m
    site = stmts.lowerer.nowhere
    for action, entry, _use, args, _condition in menu:
        run, following = m.new_block(), m.new_block()
        m.end(ir.Branch(ir.Binary("eq", answer.expr, ir.Const(action), site), run, following))
        m.switch(run)
        after = m.new_block()
        flat = [seat.expr, *(part for value in args for part in flatten(value))]
        m.end(ir.CallMachine(stmts.lowerer.machine_for(entry), tuple(flat), None, after))
        m.switch(after)
        m.emit(ir.StoreHead(H_PLY, ir.Binary("add", ir.Head(H_PLY), ir.Const(1), site)))
        m.jump(done)
        m.switch(following)
    m.jump(done)


def _no_action(stmts: Stmts, statement: syn.OfferStmt) -> int:
    """The failure when a seat must act and has no action."""
    m = stmts.m
    here = m.current
    block = m.new_block()
    m.switch(block)
    fail_empty(stmts, "must act, and nothing is possible", statement)
    m.end(ir.ReturnMachine(ir.Const(0) if stmts.code.result is not None else None))
    m.switch(here)
    return block


def _keeping(
    stmts: Stmts,
    keep: syn.Expr,
    entry: Any,
    args: list[Value],
    condition: Any,
    scope: Scope,
    seat: Value,
    span: Span,
) -> tuple[Any, list[Value], Any]:
    """The action as it is offered where a condition must stay true: only what can end with it holding."""
    names = dict.fromkeys(n.id for n in walk(keep) if isinstance(n, syn.Name))
    bound = [(name, scope.find(name)) for name in names]
    given = [
        (name, stmts.code.value_of(found))
        for name, found in bound
        if found is not None and found.type.sort != "record"
    ]
    kept, trial = stmts.lowerer.actions.kept_action(
        entry, keep, [(name, value.type) for name, value in given], keep.span
    )
    values = [value for _, value in given] + args
    machine = stmts.lowerer.trial_machine(trial)
    flat = [seat.expr, *(part for value in values for part in flatten(value))]
    site = stmts.lowerer.site("at best", f"{entry.name} keeps", keep.span, owner=stmts.code.owner)
    search = ir.AtBest(machine, tuple(flat), ir.Const(1), site)
    possible = ir.Binary("eq", search, ir.Const(1), site)
    # The cheap test first, then the search.
    begins = ir.Call(
        stmts.lowerer.actions.can_begin(entry), (seat.expr, *(p for a in args for p in flatten(a)))
    )
    test = ir.Binary("and", begins, possible, site)
    if condition is not None:
        test = ir.Binary("and", condition, test, site)
    return kept, values, test


def menu_of(
    stmts: Stmts, uses: tuple[syn.Use, ...], scope: Scope, seat: Value
) -> list[tuple[int, Any, Any, list[Value], Any]]:
    """The actions on offer: (action id, callable, use, arguments, condition)."""
    made: list[tuple[int, Any, Any, list[Value], Any]] = []
    before = stmts.code.me
    stmts.code.me = seat
    for use in uses:
        _menu_use(stmts, use, scope, None, made, ())
    stmts.code.me = before
    return made


def _menu_use(
    stmts: Stmts, use: syn.Use, scope: Scope, condition: Any, made: list[Any], within: tuple[str, ...]
) -> None:
    if "." in use.name:
        _menu_named(stmts, use, scope, condition, made)
        return
    entry = stmts.world.callables.get(use.name)
    if entry is None or entry.sort not in ("action", "menu"):
        known = [c.name for c in stmts.world.callables.values() if c.sort in ("action", "menu")]
        stmts.sink.error(
            "GR0207", use.span, f"there is no action or menu `{use.name}`", hint=hint_for(use.name, known)
        )
        return
    entry.used = True
    args = stmts.arguments(entry, use.args, use.span, scope)
    if args is None:
        return
    if use.name in within:
        stmts.sink.error("GR0314", use.span, f"menu `{use.name}` contains itself")
        return
    if len(made) >= MAX_OFFERED:
        stmts.sink.error("GR0611", use.span, f"more than {MAX_OFFERED} actions are on offer at once")
        return
    if entry.sort == "action":
        taken = {action for action, *_ in made}
        made.append(
            (stmts.lowerer.questions.action_id(entry, use, scope, taken), entry, use, args, condition)
        )
        return
    inner = Scope()
    for (name, _type), value in zip(entry.params, args, strict=True):
        stmts.code.bind(inner, name, value, entry.span)
    for item in _menu_items(stmts, entry, inner):
        stmts.world.cite(item.cites)
        test = condition
        if item.condition is not None:
            own = stmts.condition(item.condition, inner)
            test = own if test is None else ir.Binary("and", test, own, stmts.lowerer.nowhere)
        for sub in item.uses:
            _menu_use(stmts, sub, inner, test, made, (*within, use.name))


def _menu_named(stmts: Stmts, use: syn.Use, scope: Scope, condition: Any, made: list[Any]) -> None:
    """`offer p: c.play`: the action that the data names."""
    found = named_by_data(stmts.check, use, scope, "action")
    if found is None:
        return
    tag = stmts.lower(found[0])
    for place, entry in enumerate(found[1].entries):
        args = stmts.arguments(entry, use.args, use.span, scope)
        if args is None:
            return
        test: Any = ir.Binary("eq", tag.expr, ir.Const(place), stmts.lowerer.nowhere)
        if condition is not None:
            test = ir.Binary("and", condition, test, stmts.lowerer.nowhere)
        action = stmts.lowerer.questions.action_id(
            entry, replace(use, name=entry.name), scope, {action for action, *_ in made}
        )
        made.append((action, entry, use, args, test))


def _menu_items(stmts: Stmts, entry: Any, scope: Scope) -> list[syn.MenuItem]:
    """The lines of a menu.  An exception that applies replaces all of them."""
    items: list[syn.MenuItem] = list(entry.decl.items)
    for _rank, exception in reversed(ordered_exceptions(entry)):
        offers = [s for s in exception.body if isinstance(s, syn.OfferStmt)]
        if len(offers) != len(exception.body):
            stmts.sink.error(
                "GR0208",
                exception.span,
                "an exception to a menu says what is offered instead",
                hint="write `offer me: ...` as its body",
            )
            continue
        applies = exception.condition or syn.FlagLit(True, exception.span)
        lacks = syn.UnaryExpr("not", applies, exception.span)
        items = [
            replace(
                item,
                condition=lacks
                if item.condition is None
                else syn.BinaryExpr("and", lacks, item.condition, exception.span),
            )
            for item in items
        ]
        items += [syn.MenuItem(o.uses, applies, exception.cites, exception.span) for o in offers]
    return items
