"""Menus of actions: the actions on offer to a seat, and the call of the one it picks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

from grognard.compiler.lower.choices.asking import fail_empty
from grognard.compiler.lower.code import Value, flatten
from grognard.compiler.sema.symbols import Callable_
from grognard.compiler.sema.typed import nodes as t
from grognard.compiler.sema.types import INT, Type, dom_type
from grognard.contract import ir
from grognard.contract.header import DONE, H_PLY

if TYPE_CHECKING:
    from grognard.compiler.lower.exprs.expressions import Lowering
    from grognard.compiler.lower.stmts.statements import Statements

#: An action on offer: its id, the callable, arguments, condition.
Offered: TypeAlias = tuple[int, Callable_, list[Value], Any]


def lower_offer(low: Statements, node: t.Offer) -> None:
    m, statement = low.m, node.written
    if statement.until_all_pass:
        _offer_until_pass(low, node)
        return
    seat = low.store_argument(low.lower(node.seats[0]))
    done = m.new_block()
    answer, menu = _ask_menu(
        low,
        node,
        seat,
        extra=DONE if statement.optional else None,
        empty=done if statement.optional else _no_action(low, node),
        lone=not statement.optional,
    )
    _dispatch(low, answer, menu, seat, done)
    m.switch(done)


def _offer_until_pass(low: Statements, node: t.Offer) -> None:
    """A window: seats are asked in rotation until all pass in succession; any act resets the passes."""
    m = low.m
    seats = low.symbols.seats
    assert seats
    made = [low.store_in_local(low.lower(seat)) for seat in node.seats]
    count = len(made)
    site = low.lowerer.nowhere
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
    answer, menu = _ask_menu(low, node, seat, extra=DONE, empty=passed, lone=False)
    act = m.new_block()
    m.end(ir.Branch(ir.Binary("eq", answer.expr, ir.Const(DONE), site), passed, act))
    m.switch(act)
    _dispatch(low, answer, menu, seat, acted)
    m.switch(acted)
    m.emit(ir.Assign(passes.expr.index, ir.Const(0)))
    m.jump(head)
    m.switch(passed)
    m.emit(ir.Assign(passes.expr.index, ir.Binary("add", passes.expr, ir.Const(1), site)))
    m.end(ir.Branch(ir.Binary("ge", passes.expr, ir.Const(count), site), done, head))
    m.switch(done)


def lower_repeats(low: Statements, node: t.Repeats) -> None:
    m, statement = low.m, node.written
    seat = low.store_in_local(low.lower(node.seat))
    head, done = m.new_block(), m.new_block()
    m.go_to(head)
    extra = None if statement.while_possible else DONE
    when = None
    if node.done_when is not None:
        before, m.me = m.me, seat
        when = low.test(node.done_when)
        m.me = before
    answer, menu = _ask_menu(low, node, seat, extra=extra, extra_when=when, empty=done)
    if extra is not None:
        act = m.new_block()
        m.end(ir.Branch(ir.Binary("eq", answer.expr, ir.Const(DONE), low.lowerer.nowhere), done, act))
        m.switch(act)
    _dispatch(low, answer, menu, seat, head)
    m.switch(done)


def _ask_menu(
    low: Statements,
    node: t.Offer | t.Repeats,
    seat: Value,
    *,
    extra: int | None,
    empty: int | None,
    extra_when: Any = None,
    lone: bool = True,
) -> tuple[Value, list[Offered]]:
    """Stop to ask for one of the actions that can be completed; gives the answer and the menu."""
    m, statement = low.m, node.written
    frozen: list[Offered] = []
    for action, entry, args, condition in menu_of(low, node.menu, seat):
        kept = [low.store_argument(a) for a in args]
        if isinstance(node, t.Repeats) and node.written.keep is not None:
            entry, kept, condition = _keeping(low, node, entry, kept, condition, seat)
        frozen.append((action, entry, kept, condition))
    span = statement.span
    function, captured = low.lowerer.candidates.menu_candidates(m.owner, frozen, seat, span)
    answer = m.variable("(action)", Type("int"))
    following = m.new_block()
    names = ", ".join(use.name for use in statement.uses)
    assert low.symbols.seats
    shows = (f"dom:{low.symbols.seats.id}", "action")
    site = low.lowerer.site("choice", "{0} picks {1}", span, statement.cites.ids, shows, m.owner)
    ask = low.lowerer.questions.new_ask(names, "action", "action", site, menu=True, function=function)
    m.end(
        ir.Ask(
            ask,
            function,
            captured,
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
    return answer, frozen


def _dispatch(low: Statements, answer: Value, menu: list[Offered], seat: Value, done: int) -> None:
    """Run the action that was picked, then go on at `done`; a ply is over."""
    m = low.m
    site = low.lowerer.nowhere
    for action, entry, args, _condition in menu:
        run, following = m.new_block(), m.new_block()
        m.end(ir.Branch(ir.Binary("eq", answer.expr, ir.Const(action), site), run, following))
        m.switch(run)
        after = m.new_block()
        flat = [seat.expr, *(part for value in args for part in flatten(value))]
        m.end(ir.CallMachine(low.lowerer.machine_for(entry), tuple(flat), None, after))
        m.switch(after)
        m.emit(ir.StoreHead(H_PLY, ir.Binary("add", ir.Head(H_PLY), ir.Const(1), site)))
        m.jump(done)
        m.switch(following)
    m.jump(done)


def _no_action(low: Statements, node: t.Offer) -> int:
    """The failure when a seat must act and has no action."""
    m = low.m
    here = m.current
    block = m.new_block()
    m.switch(block)
    fail_empty(low, "must act, and nothing is possible", node.written)
    m.end(ir.ReturnMachine(ir.Const(0) if m.result is not None else None))
    m.switch(here)
    return block


def _keeping(
    low: Statements, node: t.Repeats, entry: Callable_, args: list[Value], condition: Any, seat: Value
) -> tuple[Callable_, list[Value], Any]:
    """The action as it is offered where a condition must stay true: only what can end with it holding."""
    keep = node.written.keep
    assert keep is not None
    lowerer = low.lowerer
    made = lowerer.trees.kept_action(node, entry)
    values = [low.value_of(variable) for variable in node.kept] + args
    machine = lowerer.trial_machine(made.trials[0])
    flat = [seat.expr, *(part for value in values for part in flatten(value))]
    site = lowerer.site("at best", f"{entry.name} keeps", keep.span, owner=low.code.owner)
    search = ir.AtBest(machine, tuple(flat), ir.Const(1), site)
    possible = ir.Binary("eq", search, ir.Const(1), site)
    # The cheap test first, then the search.
    begins = ir.Call(lowerer.actions.can_begin(entry), (seat.expr, *(p for a in args for p in flatten(a))))
    test = ir.Binary("and", begins, possible, site)
    if condition is not None:
        test = ir.Binary("and", condition, test, site)
    return made.action, values, test


# ------------------------------------------------------------------------------------------------- what is on offer


def menu_of(low: Lowering, uses: tuple[t.MenuUse, ...], seat: Value) -> list[Offered]:
    """The actions on offer."""
    made: list[Offered] = []
    before, low.code.me = low.code.me, seat
    for use in uses:
        _use(low, use, None, made)
    low.code.me = before
    return made


def _use(low: Lowering, use: t.MenuUse, condition: Any, made: list[Offered]) -> None:
    match use:
        case t.MenuAction():
            args = [low.lower(arg) for arg in use.args]
            _offered(low, use, args, condition, made)
        case t.MenuNamed():
            tag = low.lower(use.tag)
            for place, action in enumerate(use.actions):
                args = [low.lower(arg) for arg in action.args]
                test: Any = ir.Binary("eq", tag.expr, ir.Const(place), low.lowerer.nowhere)
                if condition is not None:
                    test = ir.Binary("and", condition, test, low.lowerer.nowhere)
                _offered(low, action, args, test, made)
        case t.MenuOf():
            values = [low.lower(arg) for _, arg in use.given]
            for (variable, _), value in zip(use.given, values, strict=True):
                low.code.values[variable] = value
            for line in use.lines:
                low.builder.cite(line.written.cites)
                holds = condition
                if line.condition is not None:
                    own = low.test(line.condition)
                    holds = own if holds is None else ir.Binary("and", holds, own, low.lowerer.nowhere)
                for inner in line.uses:
                    _use(low, inner, holds, made)


def _offered(
    low: Lowering, use: t.MenuAction, args: list[Value], condition: Any, made: list[Offered]
) -> None:
    taken = {action for action, *_ in made}
    action = low.lowerer.questions.action_id(use.entry, use.use, use.of_locals, taken)
    made.append((action, use.entry, args, condition))
