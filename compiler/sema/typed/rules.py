"""Rules, tables and movements called with their arguments."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from grognard.compiler.sema.checks.movements import grown
from grognard.compiler.sema.scope import Scope
from grognard.compiler.sema.symbols import Callable_, Symbols
from grognard.compiler.sema.typed import nodes as t
from grognard.compiler.sema.types import INT, UNKNOWN, Dom
from grognard.compiler.syntax import nodes as syn
from grognard.compiler.syntax.print import unparse
from grognard.support.source import Span
from grognard.support.suggest import hint_for

if TYPE_CHECKING:
    from grognard.compiler.sema.typed.checker import Checker

#: Of a longer argument a message only says which parameter it is for.
MOST_WRITTEN = 40


def check_rule(
    check: Checker, entry: Callable_, args: Sequence[syn.Expr], span: Span, scope: Scope
) -> t.Typed:
    """Call a rule, modifiers list, table, sight or arc."""
    check.around.findings.use(entry)
    assert entry.sort in ("rule", "modifiers", "table", "sight", "arc", "movement"), entry.sort
    if entry.sort == "movement":
        check.sink.error("GR0208", span, f"movement `{entry.name}` is used in reach(...) and cost_to(...)")
        return t.Broken(UNKNOWN)
    made = check_arguments(check, entry, args, span, scope)
    if made is None or any(arg.type.sort == "unknown" for arg in made):
        return t.Broken(entry.result or UNKNOWN)
    if entry.sort == "table":
        return _look_up(check, entry, made, args, span)
    if entry.uses_me:
        check.me(span, entry)
    return t.RuleCall(check.around.result_type(entry), entry, tuple(made))


def check_arguments(
    check: Checker, entry: Callable_, args: Sequence[syn.Expr], span: Span, scope: Scope
) -> list[t.Typed] | None:
    if len(args) != len(entry.params):
        wanted = ", ".join(f"{name}: {type_}" for name, type_ in entry.params)
        check.sink.error(
            "GR0302",
            span,
            f"`{entry.name}` takes {how_many(len(entry.params))}, {len(args)} given",
            hint=f"{entry.name}({wanted})",
        )
        return None
    made: list[t.Typed] = []
    # Beyond a clamped axis a table reads its last row.
    wide = {a.name for a in entry.decl.axes if a.clamp} if entry.sort == "table" else set()
    for arg, (name, type_) in zip(args, entry.params, strict=True):
        want = INT if name in wide and type_.sort == "int" else type_
        if type_.sort == "unknown":
            # Members are looked up in the expected type: without one nothing can be checked.
            made.append(t.Broken(UNKNOWN))
            continue
        made.append(check.checked(arg, scope, want, as_written(arg, name)))
    return made


def as_written(arg: syn.Expr, name: str) -> str:
    """What a message calls an argument: the text of it, and which parameter it is for."""
    text = unparse(arg)
    return f"`{text}`, for `{name}`," if len(text) <= MOST_WRITTEN and text != name else f"`{name}`"


def _look_up(
    check: Checker, entry: Callable_, made: list[t.Typed], args: Sequence[syn.Expr], span: Span
) -> t.Typed:
    assert entry.table is not None
    for place, (value, arg) in enumerate(zip(made, args, strict=True)):
        bounds = check.around.table_bounds(entry.table, place)
        if bounds is None or value.type.sort != "int":
            continue
        lo, hi, low_ok, high_ok = bounds
        if (value.type.lo < lo and not low_ok) or (value.type.hi > hi and not high_ok):
            code = "GR0406" if place else "GR0405"
            held = f"{hi} and less" if low_ok else f"{lo} and more" if high_ok else f"{lo}..{hi}"
            check.sink.error(
                code,
                arg.span,
                f"this is {value.type}, but table `{entry.name}` holds {held}",
                hint="declare the axis `clamped`, or bound the value with min, max or clamp",
            )
    return t.TableCell(entry.result or INT, entry, tuple(made), span)


def check_movement(
    check: Checker, name: str, args: Sequence[syn.Expr], span: Span, scope: Scope
) -> tuple[t.MovementUse, Dom] | None:
    """A movement with its arguments, and the space that it goes on."""
    entry = check.symbols.callables.get(name)
    if entry is None or entry.sort != "movement":
        moves = [c.name for c in check.symbols.callables.values() if c.sort == "movement"]
        check.sink.error("GR0207", span, f"there is no movement `{name}`", hint=hint_for(name, moves))
        return None
    made = check_arguments(check, entry, args, span, scope)
    if made is None or any(arg.type.sort == "unknown" for arg in made):
        return None
    check.around.findings.use(entry)
    if entry.uses_me:
        check.me(span, entry)
    space = ground_of(check.symbols, entry)
    return None if space is None else (t.MovementUse(entry, tuple(made)), space)


def ground_of(symbols: Symbols, entry: Callable_) -> Dom | None:
    """The space that a movement goes on; None where its declaration is in error, which is reported there."""
    decl = grown(symbols, entry.decl)
    dom = symbols.types.get(decl.space) if decl is not None else None
    return dom if dom is not None and dom.sort == "place" else None


def how_many(number: int) -> str:
    return "1 value" if number == 1 else f"{number or 'no'} values"
