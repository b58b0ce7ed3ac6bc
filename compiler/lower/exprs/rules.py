"""Rules, tables and movements called with their arguments."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from grognard.compiler.lower.geometry.movements import Going
from grognard.compiler.sema.scope import (
    Scope,
    Value,
    flatten,
)
from grognard.compiler.sema.types import INT, UNKNOWN
from grognard.compiler.sema.world import Callable_
from grognard.compiler.syntax import nodes as syn
from grognard.compiler.syntax.print import unparse
from grognard.contract import ir
from grognard.support.source import Span
from grognard.support.suggest import hint_for

if TYPE_CHECKING:
    from grognard.compiler.lower.exprs.expressions import Exprs

#: Of a longer argument a message only says which parameter it is for.
MOST_WRITTEN = 40


def call_rule(exprs: Exprs, entry: Callable_, args: list[syn.Expr], span: Span, scope: Scope) -> Value:
    """Call a rule, modifiers list, table, sight or arc."""
    entry.used = True
    assert entry.sort in ("rule", "modifiers", "table", "sight", "arc", "movement"), entry.sort
    if entry.sort == "movement":
        exprs.sink.error("GR0208", span, f"movement `{entry.name}` is used in reach(...) and cost_to(...)")
        return Value(UNKNOWN, ir.Const(0))
    made = lower_arguments(exprs, entry, args, span, scope)
    result = entry.result or UNKNOWN
    if made is None or any(v.type.sort == "unknown" for v in made):
        return Value(result, ir.Const(0))
    if entry.sort == "table":
        return _look_up(exprs, entry, made, args, span)
    flat = [part for value in made for part in flatten(value)]
    if entry.uses_me:
        flat.insert(0, exprs.me(span, entry).expr)
    function = exprs.lowerer.function_for(entry, exprs.code.mark)
    result = exprs.lowerer.result_type(entry)
    if entry.name in exprs.lowerer.secret_readers:
        exprs.code.reads_secret = True
    if result.sort == "set":
        return Value(result, ir.SetCall(function, tuple(flat)))
    return Value(result, ir.Call(function, tuple(flat)))


def lower_arguments(
    exprs: Exprs, entry: Callable_, args: list[syn.Expr], span: Span, scope: Scope
) -> list[Value] | None:
    if len(args) != len(entry.params):
        wanted = ", ".join(f"{name}: {type_}" for name, type_ in entry.params)
        exprs.sink.error(
            "GR0302",
            span,
            f"`{entry.name}` takes {how_many(len(entry.params))}, {len(args)} given",
            hint=f"{entry.name}({wanted})",
        )
        return None
    made: list[Value] = []
    # Beyond a clamped axis a table reads its last row.
    wide = {a.name for a in entry.decl.axes if a.clamp} if entry.sort == "table" else set()
    for arg, (name, type_) in zip(args, entry.params, strict=True):
        want = INT if name in wide and type_.sort == "int" else type_
        if type_.sort == "unknown":
            # Members are looked up in the expected type: without one nothing can be checked.
            made.append(Value(UNKNOWN, ir.Const(0)))
            continue
        made.append(exprs.checked(arg, scope, want, as_written(arg, name)))
    return made


def as_written(arg: syn.Expr, name: str) -> str:
    """What a message calls an argument: the text of it, and which parameter it is for."""
    text = unparse(arg)
    return f"`{text}`, for `{name}`," if len(text) <= MOST_WRITTEN and text != name else f"`{name}`"


def _look_up(exprs: Exprs, entry: Callable_, made: list[Value], args: list[syn.Expr], span: Span) -> Value:
    assert entry.table is not None
    for place, (value, arg) in enumerate(zip(made, args, strict=True)):
        bounds = exprs.lowerer.table_bounds(entry.table, place)
        if bounds is None or value.type.sort != "int":
            continue
        lo, hi, low_ok, high_ok = bounds
        if (value.type.lo < lo and not low_ok) or (value.type.hi > hi and not high_ok):
            code = "GR0406" if place else "GR0405"
            held = f"{hi} and less" if low_ok else f"{lo} and more" if high_ok else f"{lo}..{hi}"
            exprs.sink.error(
                code,
                arg.span,
                f"this is {value.type}, but table `{entry.name}` holds {held}",
                hint="declare the axis `clamped`, or bound the value with min, max or clamp",
            )
    site = exprs.lowerer.site(
        "table", f"table {entry.name}({', '.join(f'{{{n}}}' for n in range(len(made)))}) = {{{len(made)}}}", span, entry.cites,
        [*(v.type.show for v in made), (entry.result or INT).show],
    )  # fmt: skip
    return Value(entry.result or INT, ir.TableGet(entry.table, tuple(v.expr for v in made), site))


def movement_use(
    exprs: Exprs, name: str, args: tuple[syn.Expr, ...], span: Span, scope: Scope
) -> tuple[Going, list[Any]] | None:
    """A movement with its arguments."""
    entry = exprs.world.callables.get(name)
    if entry is None or entry.sort != "movement":
        moves = [c.name for c in exprs.world.callables.values() if c.sort == "movement"]
        exprs.sink.error("GR0207", span, f"there is no movement `{name}`", hint=hint_for(name, moves))
        return None
    made = lower_arguments(exprs, entry, list(args), span, scope)
    if made is None or any(v.type.sort == "unknown" for v in made):
        return None
    entry.used = True
    flat = [part for value in made for part in flatten(value)]
    if entry.uses_me:
        flat.insert(0, exprs.me(span, entry).expr)
    going = exprs.lowerer.movement_for(entry)
    return (going, flat) if going.gaits else None


def how_many(number: int) -> str:
    return "1 value" if number == 1 else f"{number or 'no'} values"
