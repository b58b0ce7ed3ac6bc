"""Modifiers lists whose constants, taken together, leave the bounds of the list."""

from __future__ import annotations

from grognard.compiler.layers.merge import Merged
from grognard.compiler.sema.symbols import Symbols
from grognard.compiler.sema.types import INT_HI, INT_LO
from grognard.compiler.syntax import nodes as syn
from grognard.compiler.syntax.conditions import disjoint, truth
from grognard.support.diagnostics import Label, Sink


def check_totals(symbols: Symbols, sink: Sink, merged: Merged) -> None:
    """Warn of lists that can add up to more or less than they may hold."""
    for _, decl in merged.decls:
        if isinstance(decl, syn.ModifiersDecl):
            entry = symbols.callables.get(decl.name)
            if entry is not None and entry.result is not None and entry.result.sort == "int":
                _check(symbols, sink, decl, entry.result.lo, entry.result.hi)


def _check(symbols: Symbols, sink: Sink, decl: syn.ModifiersDecl, lo: int, hi: int) -> None:
    amounts = _constants(decl)
    if amounts is None:
        return
    bounded = {
        item.sort for item in decl.entries if item.condition is None and item.sort in ("least", "most")
    }
    for sign, bound, word, cure in ((1, hi, "above", "most"), (-1, lo, "below", "least")):
        if cure in bounded or bound in (INT_LO, INT_HI):
            continue
        taken = _together([(item, amount) for item, amount in amounts if amount * sign > 0], sign)
        taken += [pair for pair in amounts if pair[0].condition is None and pair[1] * sign < 0]
        total = sum(amount for _, amount in taken)
        if total * sign > bound * sign:
            sink.warning(
                "GR0717",
                decl.span,
                f"`{decl.name}` can add up to {total}, {word} {lo}..{hi}; where it does, it fails",
                labels=tuple(Label(item.span, f"{amount:+}") for item, amount in taken[:6]),
                hint=f"declare the result wider, or end the list with `at {cure} {bound}`",
            )


def _constants(decl: syn.ModifiersDecl) -> list[tuple[syn.Entry, int]] | None:
    """What constants add; none where something else decides the total as well.

    Amounts under a condition that are worked out are left out: they may be 0."""
    found: list[tuple[syn.Entry, int]] = []
    for item in decl.entries:
        if item.sort in ("set", "times"):
            return None
        if item.sort != "add" or item.value is None:
            continue
        if item.condition is not None and truth(item.condition) is False:
            continue
        amount = _number(item.value)
        if amount is not None:
            found.append((item, amount))
        elif item.condition is None:
            return None
    return found


def _together(amounts: list[tuple[syn.Entry, int]], sign: int) -> list[tuple[syn.Entry, int]]:
    """Entries that may apply at once, as far as their conditions tell: the largest first."""
    taken: list[tuple[syn.Entry, int]] = []
    for item, amount in sorted(amounts, key=lambda pair: -pair[1] * sign):
        if not any(
            disjoint(item.condition, other.condition) or item.once == other.once is not None
            for other, _ in taken
        ):
            taken.append((item, amount))
    return taken


def _number(value: syn.Expr) -> int | None:
    match value:
        case syn.Number(value=number):
            return number
        case syn.UnaryExpr(op="neg", value=inner):
            below = _number(inner)
            return None if below is None else -below
    return None
