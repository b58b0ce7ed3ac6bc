"""Rules and tables called with their arguments."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from grognard.compiler.lower.code import Value, flatten
from grognard.compiler.sema.symbols import Callable_
from grognard.compiler.sema.typed import nodes as t
from grognard.compiler.sema.types import INT
from grognard.contract import ir

if TYPE_CHECKING:
    from grognard.compiler.lower.exprs.expressions import Lowering


def flat_arguments(low: Lowering, entry: Callable_, args: Iterable[t.Typed]) -> list[Any]:
    """The arguments as a function takes them: the acting seat first, records taken apart."""
    flat = [part for arg in args for part in flatten(low.lower(arg))]
    if entry.uses_me:
        # Where nobody acts that is a mistake of the rules, and they will not run.
        flat.insert(0, low.code.me.expr if low.code.me is not None else ir.Const(0))
    return flat


def _rule(low: Lowering, node: t.RuleCall) -> Value:
    entry = node.entry
    flat = tuple(flat_arguments(low, entry, node.args))
    function = low.lowerer.function_for(entry, low.code.mark)
    if entry.name in low.lowerer.secret_readers:
        low.code.reads_secret = True
    return Value(
        node.type, ir.SetCall(function, flat) if node.type.sort == "set" else ir.Call(function, flat)
    )


def _named_rule(low: Lowering, node: t.NamedRule) -> Value:
    tag = low.lower(node.tag)
    made: Any = None
    for place, call in node.calls:
        one = low.lower(call).expr
        test = ir.Binary("eq", tag.expr, ir.Const(place), low.lowerer.nowhere)
        made = one if made is None else ir.If(test, one, made)
    return Value(node.type, made if made is not None else ir.Const(0))


def _table(low: Lowering, node: t.TableCell) -> Value:
    entry = node.entry
    assert entry.table is not None
    made = [low.lower(arg) for arg in node.args]
    site = low.lowerer.site(
        "table", f"table {entry.name}({', '.join(f'{{{n}}}' for n in range(len(made)))}) = {{{len(made)}}}", node.span,
        entry.cites, [*(value.type.show for value in made), (entry.result or INT).show],
    )  # fmt: skip
    return Value(node.type, ir.TableGet(entry.table, tuple(value.expr for value in made), site))


RULES: dict[type, Any] = {t.RuleCall: _rule, t.NamedRule: _named_rule, t.TableCell: _table}
