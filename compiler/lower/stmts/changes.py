"""Counters made and removed, bags, requirements, lines of the log, secrets shown and revealed (sema/typed/changes.py)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from grognard.compiler.lower.exprs.fields import read_field
from grognard.compiler.lower.stmts.targets import lower_target
from grognard.compiler.lower.stmts.writes import store_form
from grognard.compiler.sema.scope import path_of
from grognard.compiler.sema.typed import nodes as t
from grognard.compiler.sema.types import FieldInfo, dom_type
from grognard.contract import ir
from grognard.contract.header import FAIL_REQUIRE

if TYPE_CHECKING:
    from grognard.compiler.lower.exprs.expressions import Lowering


def _require(low: Lowering, node: t.Require) -> None:
    test, statement = low.test(node.condition), node.written
    why = statement.why or "a requirement does not hold"
    site = low.lowerer.site("fail", why, statement.span, statement.cites.ids, owner=low.code.owner)
    low.code.emit(ir.IfStmt(ir.Unary("not", test), (ir.Fail(FAIL_REQUIRE, site),)))


def _create(low: Lowering, node: t.Create) -> None:
    code, statement, dom = low.code, node.written, node.dom
    site = low.lowerer.site("write", f"new {dom.name}", statement.span, statement.cites.ids, owner=code.owner)
    made = [(info, value.type, low.lower(value)) for info, value in node.values]
    var = code.variable(statement.into or "(new)", dom_type(dom))
    if node.variable is not None:
        code.values[node.variable] = var
    # The values are computed before the counter exists, so that they never read it.
    frozen = [(info, low.store_argument(value)) for info, type_, value in made if type_.sort != "unknown"]
    code.emit(ir.Create(dom.id, var.expr.index, site))
    for info, value in frozen:
        if info.parts is not None:
            store_form(low, info, (var.expr,), value, site)
            continue
        assert info.field is not None
        if info.type.sort == "list":
            code.emit(ir.StoreList(info.field, (var.expr,), value.expr, site))
        elif info.type.sort == "set":
            code.emit(ir.StoreSet(info.field, (var.expr,), value.expr, site))
        else:
            code.emit(ir.Store(info.field, (var.expr,), value.expr, "set", info.clamped, site))


def _destroy(low: Lowering, node: t.Destroy) -> None:
    made, statement = low.lower(node.value), node.written
    site = low.lowerer.site(
        "log", "{0} is removed", statement.span, statement.cites.ids, (made.type.show,), low.code.owner
    )
    if node.dom.sort == "piece" and node.dom.secret_all is None:
        low.code.emit(ir.Note(1, site, (made.expr,)))
    low.code.emit(ir.Destroy(node.dom.id, made.expr, site))


def _put(low: Lowering, node: t.Put) -> None:
    statement = node.written
    conditions: list[ir.Expr | None] = [None]
    if node.condition is not None:
        holds = low.test(node.condition)
        conditions = [holds, ir.Unary("not", holds)]
    for condition, put in zip(conditions, node.puts, strict=True):
        if put is None:
            continue
        bag, value = put
        made = low.lower(value)
        site = low.lowerer.site(
            "write", f"back into {bag.name}", statement.span, statement.cites.ids, owner=low.code.owner
        )
        assert bag.field.field is not None
        store = ir.Store(bag.field.field, (made.expr,), ir.Const(1), "add", False, site)
        low.code.emit(store if condition is None else ir.IfStmt(condition, (store,)))


def _log(low: Lowering, node: t.Log) -> None:
    made = [low.lower(value) for value in node.values]
    shows = [value.type.show for value in made]
    statement = node.written
    site = low.lowerer.site("log", node.text, statement.span, statement.cites.ids, shows, low.code.owner)
    low.code.emit(ir.Note(1, site, tuple(value.expr for value in made)))


def _reveal(low: Lowering, node: t.Reveal) -> None:
    info, index = node.target.info, lower_target(low, node.target)
    if info.parts is None:
        _reveal_part(low, info, index, node, info.type.sort not in ("set", "list"))
        return
    # All parts of a form are revealed together; the log shows its name.
    for key in [*(key for key in info.parts if key != "name"), "name"]:
        _reveal_part(low, info.parts[key], index, node, key == "name")


def _reveal_part(
    low: Lowering, info: FieldInfo, index: tuple[Any, ...], node: t.Reveal, logged: bool
) -> None:
    statement = node.written
    site = low.lowerer.site(
        "log",
        f"{info.name.removesuffix('.name')} shown: {{0}}",
        statement.span,
        statement.cites.ids,
        (info.type.show,),
        low.code.owner,
    )
    assert info.known is not None
    low.code.emit(ir.Store(info.known, index, ir.Const(1), "set", False, site))
    if logged:
        made = read_field(low, info, list(index), [], statement.span)
        low.code.emit(ir.Note(1, site, (made.expr,)))


def _show(low: Lowering, node: t.Show) -> None:
    """Show values once to one seat.  The secrecy of the fields does not change."""
    statement = node.written
    seen = low.lowerer.mask_of(low.lower(node.seat).expr)
    made = [low.lower(value) for value in node.values]
    labels = [path_of(expr) or "value" for expr in statement.values]
    text = "shown: " + ", ".join(f"{label} {{{n}}}" for n, label in enumerate(labels))
    shows = [value.type.show for value in node.values]
    site = low.lowerer.site("log", text, statement.span, statement.cites.ids, shows, low.code.owner)
    low.code.emit(ir.Note(1, site, tuple(value.expr for value in made), seen))


CHANGES: dict[type, Any] = {
    t.Require: _require,
    t.Create: _create,
    t.Destroy: _destroy,
    t.Put: _put,
    t.Log: _log,
    t.Reveal: _reveal,
    t.Show: _show,
}
