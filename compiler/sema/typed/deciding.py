"""Who decides, and the text of what is asked."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from grognard.compiler.sema.scope import Scope
from grognard.compiler.sema.typed import nodes as t
from grognard.compiler.sema.typed.fields import check_holder
from grognard.compiler.sema.types import UNKNOWN, dom_type, set_type
from grognard.compiler.syntax import nodes as syn
from grognard.compiler.syntax.print import unparse
from grognard.support.source import Span

if TYPE_CHECKING:
    from grognard.compiler.sema.typed.checker import Checker

#: A name in the text of a question: in `choose f: Direction "facing of {u}"` the unit in `u` is shown.
_NAME = re.compile(r"\{([^}]*)\}")


def check_deciding_seat(check: Checker, expr: syn.Expr | None, scope: Scope, span: Span) -> t.Typed:
    """Who decides: the seat named, else `me`."""
    if expr is None and check.me_type is None:
        check.sink.error(
            "GR0705", span, "it is not said who makes this choice", hint="add `by` and a side: `by red`"
        )
        return t.Broken(UNKNOWN)
    if expr is None:
        return check.me(span)
    if _means_all(expr, scope):
        check.sink.error(
            "GR0705",
            expr.span,
            "several seats decide together: it is not said who does when they disagree",
            hint=f"by set(s in {unparse(expr)}) else by ...",
        )
        return t.Broken(UNKNOWN)
    seats = check.symbols.seats
    assert seats
    made = check.value(expr, scope, dom_type(seats))
    if (
        made.type.sort == "dom"
        and made.type.dom is not seats
        and made.type.dom is not None
        and made.type.dom.sort in ("piece", "record")
    ):
        held = check_holder(check, made.type, span)
        return t.Broken(UNKNOWN) if held.sort == "unknown" else t.Holder(held, made, span)
    if made.type.sort == "set" and made.type.dom is seats:
        check.sink.error(
            "GR0705",
            expr.span,
            "several seats decide together: it is not said who does when they disagree",
            hint="by ... else by ...",
        )
        return t.Broken(UNKNOWN)
    check.demand(made.type, dom_type(seats), expr.span, "who decides")
    return made


def _means_all(expr: syn.Expr, scope: Scope) -> bool:
    """`sides` and `powers` are no values: they are sources of binders."""
    return isinstance(expr, syn.Name) and expr.id in ("sides", "powers") and scope.find(expr.id) is None


def check_decider(check: Checker, expr: syn.Expr | None, scope: Scope, span: Span) -> t.Decider:
    """Who makes a choice: one seat, or several that must agree, and another where they do not."""
    if not isinstance(expr, syn.Joint):
        return check_deciding_seat(check, expr, scope, span)
    assert check.symbols.seats
    if _means_all(expr.seats, scope):
        everybody = unparse(expr.seats)
        check.sink.error(
            "GR0313",
            expr.seats.span,
            f"a set of seats is wanted here, and `{everybody}` only says over what something runs",
            hint=f"by set(s in {everybody}) else by ...",
        )
        return check_deciding_seat(check, expr.otherwise, scope, span)
    group = check.checked(expr.seats, scope, set_type(check.symbols.seats), "who decides together")
    return t.Jointly(group, check_deciding_seat(check, expr.otherwise, scope, span))


def check_question(check: Checker, name: str, label: str, span: Span, scope: Scope) -> t.Question:
    """What is asked, with the names in braces: each is shown by the value that it has during the question."""
    return t.Question(name, label, shown_in(check, label, span, scope))


def shown_in(check: Checker, label: str, span: Span, scope: Scope) -> tuple[tuple[str, t.Typed], ...]:
    found: list[tuple[str, t.Typed]] = []
    for name in dict.fromkeys(_NAME.findall(label)):
        if not re.fullmatch(r"[^\W\d]\w*", name):
            check.sink.error(
                "GR0208",
                span,
                f"{{{name}}} is not a name",
                hint="a question shows values by their name, such as {u}",
            )
            continue
        made = check.value(syn.Name(name, span), scope)
        if made.type is UNKNOWN:
            continue
        if not isinstance(made, t.Given | t.Me) or made.type.sort in ("set", "list", "record"):
            check.sink.error(
                "GR0208",
                span,
                f"{{{name}}} cannot be shown in a question",
                hint="a question names parameters and what `let`, `var`, `for` and `choose` introduce",
            )
            continue
        found.append((name, made))
    return tuple(found)
