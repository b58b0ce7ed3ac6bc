"""Lines of the log, secrets revealed to all or shown to one seat."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from grognard.compiler.lower.choices.asking import deciding_seat
from grognard.compiler.lower.exprs.fields import read_field
from grognard.compiler.lower.stmts.targets import lvalue
from grognard.compiler.sema.scope import Scope, path_of
from grognard.compiler.sema.types import FieldInfo
from grognard.compiler.syntax import nodes as syn
from grognard.contract import ir

if TYPE_CHECKING:
    from grognard.compiler.lower.stmts.statements import Stmts


def lower_log(stmts: Stmts, statement: syn.LogStmt, scope: Scope) -> None:
    args: list[Any] = []
    shows: list[str] = []
    text = ""
    for part in re.split(r"(\{[^}]*\})", statement.text):
        if part.startswith("{"):
            names = part[1:-1].strip().split(".")
            if not all(re.fullmatch(r"\w+", name) for name in names):
                continue
            expr: syn.Expr = syn.Name(names[0], statement.span)
            for name in names[1:]:
                expr = syn.Dot(expr, name, statement.span, statement.span)
            made = stmts.value(expr, scope)
            if made.type.form is not None and made.record is not None:
                made = made.record["name"]
            if made.type.sort in ("set", "list", "record"):
                stmts.sink.error(
                    "GR0301", statement.span, f"{part} is a {made.type} and cannot be shown in a line"
                )
                continue
            text += f"{{{len(args)}}}"
            args.append(made.expr)
            shows.append(made.type.show)
        else:
            text += part
    site = stmts.lowerer.site("log", text, statement.span, statement.cites.ids, shows, stmts.code.owner)
    stmts.code.emit(ir.Note(1, site, tuple(args)))


def lower_reveal(stmts: Stmts, statement: syn.RevealStmt, scope: Scope) -> None:
    target = lvalue(stmts, statement.value, scope)
    if isinstance(target, tuple) and target[0].parts is not None and target[0].secret:
        # All parts of a form are revealed together; the log shows its name.
        for key in [*(key for key in target[0].parts if key != "name"), "name"]:
            _reveal_field(stmts, target[0].parts[key], target[1], statement, key == "name")
        return
    if not isinstance(target, tuple) or target[0].known is None:
        if target is not None:
            stmts.sink.error("GR0208", statement.value.span, "only a secret field can be revealed")
        return
    _reveal_field(stmts, target[0], target[1], statement, target[0].type.sort not in ("set", "list"))


def _reveal_field(
    stmts: Stmts, info: FieldInfo, index: tuple[Any, ...], statement: syn.RevealStmt, logged: bool
) -> None:
    site = stmts.lowerer.site(
        "log",
        f"{info.name.removesuffix('.name')} shown: {{0}}",
        statement.span,
        statement.cites.ids,
        (info.type.show,),
        stmts.code.owner,
    )
    assert info.known is not None
    stmts.code.emit(ir.Store(info.known, index, ir.Const(1), "set", False, site))
    if logged:
        made = read_field(stmts, info, list(index), [], statement.span)
        stmts.code.emit(ir.Note(1, site, (made.expr,)))


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
