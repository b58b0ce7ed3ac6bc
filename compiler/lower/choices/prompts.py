"""Names in the text of a question: in `choose f: Direction "facing of {u}"` the unit in `u` is shown."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from grognard.compiler.sema.types import UNKNOWN
from grognard.compiler.syntax import nodes as syn
from grognard.contract import ir

if TYPE_CHECKING:
    from grognard.compiler.lower.stmts.statements import Stmts
    from grognard.compiler.sema.scope import Scope
    from grognard.support.source import Span

NAME = re.compile(r"\{([^}]*)\}")


def names_in(stmts: Stmts, text: str, span: Span, scope: Scope) -> tuple[tuple[str, int, str], ...]:
    """The names in braces: each with the local that holds its value during the question, and how to show it."""
    found: list[tuple[str, int, str]] = []
    for name in dict.fromkeys(NAME.findall(text)):
        if not re.fullmatch(r"[^\W\d]\w*", name):
            stmts.sink.error(
                "GR0208",
                span,
                f"{{{name}}} is not a name",
                hint="a question shows values by their name, such as {u}",
            )
            continue
        made = stmts.value(syn.Name(name, span), scope)
        if made.type is UNKNOWN:
            continue
        if not isinstance(made.expr, ir.Local) or made.type.sort in ("set", "list", "record"):
            stmts.sink.error(
                "GR0208",
                span,
                f"{{{name}}} cannot be shown in a question",
                hint="a question names parameters and what `let`, `var`, `for` and `choose` introduce",
            )
            continue
        found.append((name, made.expr.index, made.type.show))
    return tuple(found)
