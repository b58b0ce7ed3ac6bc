"""Menus of actions: what is on offer to a seat."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from grognard.compiler.sema.checks.exceptions import ordered_exceptions
from grognard.compiler.sema.scope import Binding, Scope, Variable
from grognard.compiler.sema.symbols import Callable_
from grognard.compiler.sema.typed import nodes as t
from grognard.compiler.sema.typed.choices import captured_by
from grognard.compiler.sema.typed.deciding import check_deciding_seat
from grognard.compiler.sema.typed.doing import named_by_data
from grognard.compiler.sema.typed.rules import check_arguments
from grognard.compiler.sema.types import Type, dom_type
from grognard.compiler.syntax import nodes as syn
from grognard.support.suggest import hint_for

if TYPE_CHECKING:
    from grognard.compiler.sema.typed.statements import BodyChecker

#: Actions of one menu, with those of the menus in it.
MAX_OFFERED = 500


def check_offer(check: BodyChecker, statement: syn.OfferStmt, scope: Scope) -> t.Offer:
    exprs: tuple[syn.Expr, ...] = (statement.seat,)
    if statement.until_all_pass and isinstance(statement.seat, syn.Items):
        exprs = statement.seat.items
    at = [expr.span if statement.until_all_pass else statement.span for expr in exprs]
    seats = tuple(check_deciding_seat(check, expr, scope, span) for expr, span in zip(exprs, at, strict=True))
    assert check.symbols.seats
    whose = dom_type(check.symbols.seats) if statement.until_all_pass else seats[0].type
    return t.Offer(statement, seats, _menu(check, statement.uses, scope, whose))


def check_repeats(check: BodyChecker, statement: syn.RepeatsStmt, scope: Scope) -> t.Repeats:
    seat = check_deciding_seat(check, statement.seat, scope, statement.span)
    when: t.Typed | None = None
    if statement.done_when is not None:
        with check.acting(seat.type):
            when = check.condition(statement.done_when, scope)
    kept = [v for v in captured_by((statement.keep,), scope, ()) if v.type.sort != "record"]
    made = t.Repeats(statement, seat, when, _menu(check, statement.uses, scope, seat.type), tuple(kept))
    if statement.keep is not None:
        check.around.offers_kept(made)
    return made


def _menu(check: BodyChecker, uses: tuple[syn.Use, ...], scope: Scope, seat: Type) -> tuple[t.MenuUse, ...]:
    offered: list[t.MenuAction] = []
    with check.acting(seat):
        return _uses(check, uses, scope, offered, ())


def _uses(
    check: BodyChecker,
    uses: tuple[syn.Use, ...],
    scope: Scope,
    offered: list[t.MenuAction],
    within: tuple[str, ...],
) -> tuple[t.MenuUse, ...]:
    made = [_use(check, use, scope, offered, within) for use in uses]
    return tuple(one for one in made if one is not None)


def _use(
    check: BodyChecker, use: syn.Use, scope: Scope, offered: list[t.MenuAction], within: tuple[str, ...]
) -> t.MenuUse | None:
    if "." in use.name:
        return _named(check, use, scope, offered)
    entry = check.symbols.callables.get(use.name)
    if entry is None or entry.sort not in ("action", "menu"):
        known = [c.name for c in check.symbols.callables.values() if c.sort in ("action", "menu")]
        check.sink.error(
            "GR0207", use.span, f"there is no action or menu `{use.name}`", hint=hint_for(use.name, known)
        )
        return None
    check.around.findings.use(entry)
    args = check_arguments(check, entry, use.args, use.span, scope)
    if args is None:
        return None
    if use.name in within:
        check.sink.error("GR0314", use.span, f"menu `{use.name}` contains itself")
        return None
    if len(offered) >= MAX_OFFERED:
        check.sink.error("GR0611", use.span, f"more than {MAX_OFFERED} actions are on offer at once")
        return None
    if entry.sort == "action":
        return _action(use, entry, args, scope, offered)
    given = tuple((Variable(name, arg.type), arg) for (name, _), arg in zip(entry.params, args, strict=True))
    inner = Scope()
    for variable, _ in given:
        inner.names[variable.name] = Binding(variable, False, entry.span)
    lines = [
        t.MenuLine(
            item,
            None if item.condition is None else check.condition(item.condition, inner),
            _uses(check, item.uses, inner, offered, (*within, use.name)),
        )
        for item in _items(check, entry)
    ]
    return t.MenuOf(given, tuple(lines))


def _action(
    use: syn.Use, entry: Callable_, args: list[t.Typed], scope: Scope, offered: list[t.MenuAction]
) -> t.MenuAction:
    of_locals = all(isinstance(a, syn.Name) and scope.find(a.id) is not None for a in use.args)
    made = t.MenuAction(use, entry, tuple(args), of_locals)
    offered.append(made)
    return made


def _named(check: BodyChecker, use: syn.Use, scope: Scope, offered: list[t.MenuAction]) -> t.MenuNamed | None:
    """`offer p: c.play`: the action that the data names."""
    found = named_by_data(check, use, scope, "action")
    if found is None:
        return None
    actions: list[t.MenuAction] = []
    for entry in found[1].entries:
        args = check_arguments(check, entry, use.args, use.span, scope)
        if args is None:
            break
        actions.append(_action(replace(use, name=entry.name), entry, args, scope, offered))
    return t.MenuNamed(use, found[0], tuple(actions))


def _items(check: BodyChecker, entry: Callable_) -> list[syn.MenuItem]:
    """The lines of a menu.  An exception that applies replaces all of them."""
    decl: Any = entry.decl
    items: list[syn.MenuItem] = list(decl.items)
    for _rank, exception in reversed(ordered_exceptions(entry)):
        offers = [s for s in exception.body if isinstance(s, syn.OfferStmt)]
        if len(offers) != len(exception.body):
            check.sink.error(
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
