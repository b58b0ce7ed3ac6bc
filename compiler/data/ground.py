"""What data is read with: the symbols, where mistakes are told, and the names and numbers that a map and a scenario give.

Places, edges and counters have other names and numbers in each scenario, so these are known here and not in the symbols.
"""

from __future__ import annotations

from grognard.compiler.data.values import Value
from grognard.compiler.sema.symbols import Symbols
from grognard.compiler.sema.types import INT_LO, Dom, Type
from grognard.contract.header import NONE
from grognard.support.diagnostics import Sink


class Ground:
    """One reading of data; each scenario is a reading of its own."""

    def __init__(self, symbols: Symbols, sink: Sink) -> None:
        self.symbols = symbols
        self.sink = sink
        #: callables that cells name
        self.used: set[str] = set()
        #: kinds whose files could not be read
        self.unread: set[str] = set(symbols.unread)
        self._members: dict[int, list[str]] = {}
        self._titles: dict[int, list[str]] = {}
        self._bases: dict[int, int] = {}
        for dom in self.placed:
            self.number(dom, 0, [], [])
        # Pieces and records of all types share one numbering, in the order of their declaration.
        base = 0
        for dom in symbols.doms:
            if dom.sort in ("piece", "record"):
                self._bases[dom.id] = base
                base += dom.up_to

    @classmethod
    def of_default(cls, symbols: Symbols, sink: Sink) -> Ground:
        """Places as the default scenario's maps have them, which is how rules know them."""
        made = cls(symbols, sink)
        for dom in made.placed:
            made.number(dom, dom.base, dom.members, dom.titles)
        return made

    @property
    def placed(self) -> list[Dom]:
        """The domains whose members a map gives."""
        return [
            dom
            for space in self.symbols.spaces
            for dom in (space, *space.classes, *([space.edges] if space.edges else []))
        ]

    def number(self, dom: Dom, base: int, members: list[str], titles: list[str]) -> None:
        """Places of a space or class, or edges, as the map has them."""
        self._bases[dom.id], self._members[dom.id], self._titles[dom.id] = base, members, titles

    # ---- members of domains

    def members(self, dom: Dom) -> list[str]:
        return self._members.get(dom.id, dom.members)

    def titles(self, dom: Dom) -> list[str]:
        return self._titles.get(dom.id, dom.titles)

    def base(self, dom: Dom) -> int:
        return self._bases.get(dom.id, 0)

    def first(self, dom: Dom) -> int:
        """The lowest value of a domain."""
        return dom.range_lo if dom.sort == "range" else self._bases.get(dom.id, 0)

    def index(self, dom: Dom, name: str) -> int | None:
        members = self._members.get(dom.id)
        if members is None:
            return dom.index(name)
        return members.index(name) if name in members else None

    def values(self, dom: Dom) -> range:
        first = self.first(dom)
        return range(first, first + len(self.members(dom)))

    # ---- values of types

    def lowest(self, type_: Type) -> Value:
        """The value that replaces one that is missing."""
        if type_.sort == "set":
            return frozenset()
        if type_.sort == "int":
            return type_.lo if type_.lo > INT_LO else min(0, type_.hi)
        if type_.sort == "dom" and type_.dom is not None:
            return self.first(type_.dom)
        return 0

    def plain_default(self, type_: Type) -> Value:
        """The start value where none is written: none, else the lowest that is not below 0."""
        if type_.optional:
            return NONE
        if type_.sort == "int":
            return min(max(0, type_.lo), type_.hi)
        return self.lowest(type_)

    def show(self, type_: Type, value: Value) -> str:
        """A value as the author would write it."""
        if isinstance(value, frozenset):
            names = [self.show(Type("dom", dom=type_.dom), v) for v in sorted(value)]
            return ", ".join(names) or "-"
        if value == NONE:
            return "none"
        if type_.sort == "flag":
            return "yes" if value else "no"
        if type_.sort == "dom" and type_.dom is not None:
            place, members = value - self.first(type_.dom), self.members(type_.dom)
            if 0 <= place < len(members):
                return members[place]
        return str(value)
