"""Bitboards that several routines of a small program ask for: the first makes one, the others find it.

Whether an action can begin and what it then offers is mostly the same question.  A shared board is valid until a field that it
reads is written, by the memo's validities (passes/analyses/memoisable.py).  The boards that others are made of, which places hold
some value, need not be made anew: where a machine writes a single cell, they are maintained.
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
#: Boards that there is room for, as in the kernel.
MOST_BOARDS = 8


@dataclass(frozen=True, slots=True)
class SharedBitboard:
    number: int
    validity: int


@dataclass(slots=True)
class SharedBitboards:
    """Which boards are shared.  That is known only when all routines have been printed once."""

    #: who asks for each
    asked: dict[BitboardKey, set[tuple[str, int]]] = field(default_factory=dict)
    shared: dict[BitboardKey, SharedBitboard] = field(default_factory=dict)
    #: fields and values of which it is asked which places hold them
    held: dict[tuple[int, int], SharedBitboard | None] = field(default_factory=dict)

    def find(self, key: BitboardKey | None, who: tuple[str, int]) -> SharedBitboard | None:
        """The board if other routines ask for it too."""
        if key is None:
            return None
        self.asked.setdefault(key, set()).add(who)
        return self.shared.get(key)

    def holding(self, field: int, value: int, ask: bool) -> SharedBitboard | None:
        """The maintained board of the places of which the field holds the value; `ask`: one would be of use."""
        if ask:
            self.held.setdefault((field, value), None)
        return self.held.get((field, value))

    def settle(self, first_validity: int) -> None:
        """All that several routines ask for is shared, under the validities from this one on; the rest of the room is for maintained
        boards."""
        several = [key for key, who in self.asked.items() if len(who) > 1]
        room = iter(range(min(MOST_BOARDS, max(0, VALIDITIES - first_validity))))
        for key, number in zip(several, room):
            self.shared[key] = SharedBitboard(number, first_validity + number)
        for held, number in zip(list(self.held), room):
            self.held[held] = SharedBitboard(number, first_validity + number)

    def of_fields(self, fields: Iterable[int]) -> int:
        """The validities that writes of these fields invalidate, where no board is maintained."""
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
        """Whether any board is kept."""
        return bool(self.shared) or any(self.held.values())

    def followers(self, field: int) -> list[tuple[int, SharedBitboard]]:
        """The boards that are maintained by writes of a field, each with its value."""
        return [
            (value, board) for (of, value), board in self.held.items() if of == field and board is not None
        ]
