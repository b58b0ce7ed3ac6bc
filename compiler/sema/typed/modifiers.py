"""Modifiers lists checked: each entry's condition and value, and the interval of the total."""

from __future__ import annotations

from dataclasses import dataclass

from grognard.compiler.sema.scope import Scope, Variable
from grognard.compiler.sema.symbols import Callable_
from grognard.compiler.sema.typed import nodes as t
from grognard.compiler.sema.typed.bodies import bind_variables, inside
from grognard.compiler.sema.typed.checker import Checker, Surroundings
from grognard.compiler.sema.typed.totals import check_totals
from grognard.compiler.sema.types import INT, INT_HI, INT_LO, Type
from grognard.compiler.syntax import nodes as syn
from grognard.support.diagnostics import Sink


@dataclass(frozen=True, slots=True)
class TypedEntry:
    entry: syn.Entry
    condition: t.Typed | None
    value: t.Typed | None


@dataclass(frozen=True, slots=True)
class TypedModifiers:
    params: tuple[Variable, ...]
    entries: tuple[TypedEntry, ...]
    #: what the total can be
    interval: Type


def check_modifiers(around: Surroundings, entry: Callable_, sink: Sink) -> TypedModifiers:
    decl: syn.ModifiersDecl = entry.decl
    check = Checker(around, inside(around.symbols, entry), sink)
    scope = Scope()
    params = bind_variables(scope, entry.params, entry.span)
    entries = tuple(_entry(check, item, scope) for item in decl.entries)
    check_totals(decl, entry.result, entries, sink)
    return TypedModifiers(params, entries, _interval(entries))


def _entry(check: Checker, item: syn.Entry, scope: Scope) -> TypedEntry:
    condition = check.condition(item.condition, scope) if item.condition is not None else None
    inner = scope
    if item.sort in ("add", "set") and item.condition is not None:
        inner = scope.with_narrowed(check.narrow(item.condition, scope, True))
    value = check.checked(item.value, inner, INT) if item.value is not None else None
    return TypedEntry(item, condition, value)


def _interval(entries: tuple[TypedEntry, ...]) -> Type:
    """The interval of the total, from the intervals of the entries."""
    lo = hi = 0
    for typed in entries:
        item, value = typed.entry, typed.value.type if typed.value is not None else None
        match item.sort:
            case "add" if value is not None:
                if value.sort != "int":
                    return INT
                sure = item.condition is None and not any(
                    item.name in other.entry.struck for other in entries
                )
                lo += value.lo if sure else min(0, value.lo)
                hi += value.hi if sure else max(0, value.hi)
            case "set" if value is not None:
                lo, hi = min(lo, value.lo), max(hi, value.hi)
            case "times":
                factor = -(-item.numerator // item.denominator)
                lo, hi = min(lo, lo * factor), max(hi, hi * factor)
            case "least" if value is not None and item.condition is None:
                lo, hi = max(lo, value.lo), max(hi, value.hi)
            case "most" if value is not None and item.condition is None:
                lo, hi = min(lo, value.lo), min(hi, value.hi)
    barred = any(typed.entry.sort == "bar" for typed in entries)
    return Type("int", max(lo, INT_LO), min(hi, INT_HI), optional=barred)
