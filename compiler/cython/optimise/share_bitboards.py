"""Masks that several routines of a small program ask for: whoever comes first makes one, the others find it.

What can be begun and what is then offered is mostly the same question.  It is answered anew when a field that it looks at
was written: as with values that are remembered (remembered.py), by marks.  The masks that all others are made of, which
places hold some value, need not be made anew: where a machine writes a single cell, they follow.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TypeAlias

from grognard.compiler.passes.analyses.memoisable import MARKS
from grognard.contract import ir
from grognard.contract.ir.walk import nodes

#: The domain of the places, and what is asked of each.
MaskKey: TypeAlias = tuple[int, tuple[ir.Expr, ...]]
#: Masks that there is room for, as in the kernel.
MOST_MASKS = 8


@dataclass(frozen=True, slots=True)
class SharedMask:
    number: int
    mark: int


@dataclass(slots=True)
class SharedMasks:
    """Which masks are shared.  That is known only when all routines have been written once."""

    #: who asks for each
    asked: dict[MaskKey, set[tuple[str, int]]] = field(default_factory=dict)
    shared: dict[MaskKey, SharedMask] = field(default_factory=dict)
    #: fields and values of which it is asked which places hold them
    held: dict[tuple[int, int], SharedMask | None] = field(default_factory=dict)

    def find(self, key: MaskKey | None, who: tuple[str, int]) -> SharedMask | None:
        """The mask if it is one that others ask for too."""
        if key is None:
            return None
        self.asked.setdefault(key, set()).add(who)
        return self.shared.get(key)

    def holding(self, field: int, value: int, ask: bool) -> SharedMask | None:
        """The mask of the places of which the field holds the value, if there is one that follows writes; `ask`: there
        had better be one."""
        if ask:
            self.held.setdefault((field, value), None)
        return self.held.get((field, value))

    def settle(self, first_mark: int) -> None:
        """All that was asked for by several is shared, under the marks from this one on; what is left follows writes."""
        several = [key for key, who in self.asked.items() if len(who) > 1]
        room = iter(range(min(MOST_MASKS, max(0, MARKS - first_mark))))
        for key, number in zip(several, room):
            self.shared[key] = SharedMask(number, first_mark + number)
        for held, number in zip(list(self.held), room):
            self.held[held] = SharedMask(number, first_mark + number)

    def of_fields(self, fields: Iterable[int]) -> int:
        """The marks that writes of these fields take off, where nothing follows."""
        written = set(fields)
        marks = 0
        for (_, asked), mask in self.shared.items():
            if any(isinstance(node, ir.Load) and node.field in written for node in nodes(asked)):
                marks |= 1 << mask.mark
        for number in written:
            for _, mask in self.followers(number):
                marks |= 1 << mask.mark
        return marks

    @property
    def kept(self) -> bool:
        """Whether any mask is kept."""
        return bool(self.shared) or any(self.held.values())

    def followers(self, field: int) -> list[tuple[int, SharedMask]]:
        """The masks that follow writes of a field, each with the value that is looked for."""
        return [(value, mask) for (of, value), mask in self.held.items() if of == field and mask is not None]
