"""Masks that several routines of a small program ask for: whoever comes first makes one, the others find it.

What can be begun and what is then offered is mostly the same question.  It is answered anew when a field that it looks at
was written: as with values that are remembered (remembered.py), by marks.  The masks that all others are made of, which
places hold some value, need not be made anew: where a machine writes a single cell, they follow.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TypeAlias

from grognard.compiler.passes.analyses.memoisable import VALIDITIES
from grognard.contract import ir
from grognard.contract.ir.walk import nodes

#: The domain of the places, and what is asked of each.
BitboardKey: TypeAlias = tuple[int, tuple[ir.Expr, ...]]
#: Masks that there is room for, as in the kernel.
MOST_BOARDS = 8


@dataclass(frozen=True, slots=True)
class SharedBitboard:
    number: int
    validity: int


@dataclass(slots=True)
class SharedBitboards:
    """Which masks are shared.  That is known only when all routines have been written once."""

    #: who asks for each
    asked: dict[BitboardKey, set[tuple[str, int]]] = field(default_factory=dict)
    shared: dict[BitboardKey, SharedBitboard] = field(default_factory=dict)
    #: fields and values of which it is asked which places hold them
    held: dict[tuple[int, int], SharedBitboard | None] = field(default_factory=dict)

    def find(self, key: BitboardKey | None, who: tuple[str, int]) -> SharedBitboard | None:
        """The mask if it is one that others ask for too."""
        if key is None:
            return None
        self.asked.setdefault(key, set()).add(who)
        return self.shared.get(key)

    def holding(self, field: int, value: int, ask: bool) -> SharedBitboard | None:
        """The mask of the places of which the field holds the value, if there is one that follows writes; `ask`: there
        had better be one."""
        if ask:
            self.held.setdefault((field, value), None)
        return self.held.get((field, value))

    def settle(self, first_validity: int) -> None:
        """All that was asked for by several is shared, under the marks from this one on; what is left follows writes."""
        several = [key for key, who in self.asked.items() if len(who) > 1]
        room = iter(range(min(MOST_BOARDS, max(0, VALIDITIES - first_validity))))
        for key, number in zip(several, room):
            self.shared[key] = SharedBitboard(number, first_validity + number)
        for held, number in zip(list(self.held), room):
            self.held[held] = SharedBitboard(number, first_validity + number)

    def of_fields(self, fields: Iterable[int]) -> int:
        """The marks that writes of these fields take off, where nothing follows."""
        written = set(fields)
        validities = 0
        for (_, asked), board in self.shared.items():
            if any(isinstance(node, ir.Load) and node.field in written for node in nodes(asked)):
                validities |= 1 << board.validity
        for number in written:
            for _, board in self.followers(number):
                validities |= 1 << board.validity
        return validities

    @property
    def kept(self) -> bool:
        """Whether any mask is kept."""
        return bool(self.shared) or any(self.held.values())

    def followers(self, field: int) -> list[tuple[int, SharedBitboard]]:
        """The masks that follow writes of a field, each with the value that is looked for."""
        return [
            (value, board) for (of, value), board in self.held.items() if of == field and board is not None
        ]
