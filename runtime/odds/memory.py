"""What battles have told about each other.

A grid that was proved for one battle (derive.py) is known for every battle that comes to one of its positions: ten
infantry against eight are twelve against eight after two losses.  Positions are the same only where one becomes the other
when its pieces get other numbers in the same order (grog_same_but_for_numbers compares all cells); rules see numbers by
their order alone, so that what follows from both is the same.  A piece that comes into play takes the first free number,
and which that is may differ: a grid in whose rounds that happens is not remembered (grog_stain sees it).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from grognard.odds.attrition import Model

#: Positions that are known at most, and cells that grids take: with more all is forgotten.
MOST_POSITIONS = 1_000_000
MOST_CELLS = 20_000_000


@dataclass(slots=True)
class Known:
    """A position of a grid that was proved: which, and after which losses of both sides."""

    number: int
    model: Model
    complete: bool
    i: int
    j: int


class Memory:
    """Grids of one ground, policy and set of outcomes.  `grids` is the compiled half."""

    def __init__(self, grids: Any) -> None:
        self._grids = grids
        self._models: list[tuple[Model, bool]] = []
        self._cells = 0
        #: how often it knew a battle whole, and how often all was forgotten
        self.found = self.forgotten = 0

    def __len__(self) -> int:
        """Positions that are known."""
        return len(self._grids)

    def find(self, entry: bytearray) -> Known | None:
        found = self._grids.find(entry)
        if found is None:
            return None
        self.found += 1
        return self._known(*found)

    def _known(self, number: int, i: int, j: int) -> Known:
        model, complete = self._models[number]
        return Known(number, model, complete, i, j)

    def border(self, entry: bytearray, first: Any, second: Any) -> Iterator[tuple[int, int, Known]]:
        """Positions of the grid that two chains span from which on all is known: one for each number of losses of the
        first side where there is any, with as few losses of the second as there can be."""
        for i, found in enumerate(self._grids.border(entry, first, second)):
            if found is not None:
                yield i, found[0], self._known(*found[1:])

    def add(self, entry: bytearray, first: Any, second: Any, model: Model, complete: bool) -> None:
        m, n = model.size
        room = len(entry) // 4 + first.room + second.room
        if len(self) + m * n > MOST_POSITIONS or self._cells + room > MOST_CELLS:
            self._grids.clear()
            self._models.clear()
            self._cells = 0
            self.forgotten += 1
        self._grids.add(entry, first, second, complete)
        self._models.append((model, complete))
        self._cells += room
