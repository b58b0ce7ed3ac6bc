"""Modifiers lists that can leave their bounds: by their constants, and by fields that can hold more than the list may."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from grognard.compiler.sema.typed import nodes as t
from grognard.compiler.sema.types import INT_HI, INT_LO, Type
from grognard.compiler.syntax import nodes as syn
from grognard.compiler.syntax.conditions import disjoint, truth
from grognard.support.diagnostics import Label, Sink

if TYPE_CHECKING:
    from grognard.compiler.sema.typed.modifiers import TypedEntry


@dataclass(frozen=True, slots=True)
class Amount:
    """The least and the most that an entry adds where it applies."""

    item: syn.Entry
    lo: int
    hi: int

    @property
    def sure(self) -> bool:
        return self.item.condition is None

    def most(self, sign: int) -> int:
        """As far up as it can go (down for a negative sign)."""
        return self.hi if sign > 0 else self.lo


def check_totals(
    decl: syn.ModifiersDecl, result: Type | None, entries: Sequence[TypedEntry], sink: Sink
) -> None:
    """Warn of a list that can add up to more or less than it may hold."""
    if result is None or result.sort != "int":
        return
    lo, hi = result.lo, result.hi
    amounts = _amounts(entries)
    if amounts is None:
        return
    bounded = {
        item.sort for item in decl.entries if item.condition is None and item.sort in ("least", "most")
    }
    for sign, bound, word, cure in ((1, hi, "above", "most"), (-1, lo, "below", "least")):
        if cure in bounded or bound in (INT_LO, INT_HI):
            continue
        taken = _together([a for a in amounts if a.most(sign) * sign > 0], sign)
        taken += [a for a in amounts if a.sure and a.most(sign) * sign < 0]
        total = sum(a.most(sign) for a in taken)
        if total * sign > bound * sign:
            sink.warning(
                "GR0717",
                decl.span,
                f"`{decl.name}` can add up to {total}, {word} {lo}..{hi}; where it does, it fails",
                labels=tuple(
                    Label(a.item.span, f"{a.most(sign):+}" if a.lo == a.hi else f"{a.lo:+} to {a.hi:+}")
                    for a in taken[:6]
                ),
                hint=f"declare the result wider, or end the list with `at {cure} {bound}`",
            )


def _amounts(entries: Sequence[TypedEntry]) -> list[Amount] | None:
    """What constants and fields add; none where something else decides the total as well.

    Other amounts under a condition are left out: they may be 0."""
    found: list[Amount] = []
    for typed in entries:
        item = typed.entry
        if item.sort in ("set", "times"):
            return None
        if item.sort != "add" or typed.value is None:
            continue
        if item.condition is not None and truth(item.condition) is False:
            continue
        if _is_known(typed.value):
            found.append(Amount(item, typed.value.type.lo, typed.value.type.hi))
        elif item.condition is None:
            return None
    return found


def _is_known(value: t.Typed) -> bool:
    """Whether a value can be anything within its type, and that has bounds: a number, a field, a parameter; or such a one negated."""
    match value:
        case t.Negative(value=inner):
            return _is_known(inner)
        case t.Constant() | t.Read() | t.EdgeRead() | t.KindRead() | t.Part() | t.Given():
            kind = value.type
            return kind.sort == "int" and not kind.optional and kind.lo > INT_LO and kind.hi < INT_HI
    return False


def _together(amounts: list[Amount], sign: int) -> list[Amount]:
    """Entries that may apply at once, as far as their conditions tell: the largest first."""
    taken: list[Amount] = []
    for amount in sorted(amounts, key=lambda a: -a.most(sign) * sign):
        item = amount.item
        if not any(
            disjoint(item.condition, other.item.condition) or item.once == other.item.once is not None
            for other in taken
        ):
            taken.append(amount)
    return taken
