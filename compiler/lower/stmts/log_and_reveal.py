"""Values shown to one seat."""

from __future__ import annotations

from typing import TYPE_CHECKING

from grognard.compiler.lower.choices.asking import deciding_seat
from grognard.compiler.sema.scope import Scope, path_of
from grognard.compiler.syntax import nodes as syn
from grognard.contract import ir

if TYPE_CHECKING:
    from grognard.compiler.lower.stmts.statements import Stmts


def lower_show(stmts: Stmts, statement: syn.ShowStmt, scope: Scope) -> None:
    """Show a value once to one seat.  The secrecy of the field does not change."""
    seen = stmts.lowerer.mask_of(deciding_seat(stmts, statement.to, scope, statement.span).expr)
    made = [stmts.value(value, scope) for value in statement.values]
    for value, expr in zip(made, statement.values, strict=True):
        if value.type.sort in ("set", "list", "record"):
            stmts.sink.error("GR0301", expr.span, f"{value.type} cannot be shown in a line")
            return
    labels = [path_of(expr) or "value" for expr in statement.values]
    text = "shown: " + ", ".join(f"{label} {{{n}}}" for n, label in enumerate(labels))
    site = stmts.lowerer.site(
        "log", text, statement.span, statement.cites.ids, [v.type.show for v in made], stmts.code.owner
    )
    stmts.code.emit(ir.Note(1, site, tuple(v.expr for v in made), seen))
