"""What battles have told about each other.

A battle that was asked for before is known whole, if it begins in the very same position.

A grid that was proved for one battle (derive.py) is known for every battle that comes to one of its positions: ten
infantry against eight are twelve against eight after two losses.  Positions are the same only where one becomes the other
when its pieces get other numbers in the same order (grog_same_but_for_numbers compares all cells); rules see numbers by
their order alone, so that what follows from both is the same.  A piece that comes into play takes the first free number,
and which that is may differ: a grid in whose rounds that happens is not remembered (grog_came_into_play tells).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from grognard.odds.attrition.grid import AttritionModel
    from grognard.odds.state_graph import Graph

#: Positions that are known at most, and cells that grids take: with more all is forgotten.
MAX_POSITIONS = 1_000_000
MAX_CELLS = 20_000_000
#: Battles that are known whole, and nodes and ends that each of them has at most.
MAX_GRAPHS = 64
MAX_GRAPH_SIZE = 400


@dataclass(slots=True)
class CachedState:
    """A position of a grid that was proved: which, and after which losses of both sides."""

    number: int
    model: AttritionModel
    complete: bool
    i: int
    j: int


class GridCache:
    """Grids of one ground, policy and set of outcomes.  `grids` is the compiled half."""

    def __init__(self, grids: Any) -> None:
        self._grids = grids
        self._models: list[tuple[AttritionModel, bool]] = []
        self._cells = 0
        #: the first position that was asked for: others are told by what differs from it
        self._base: bytes | None = None
        self._graphs: dict[object, tuple[Graph, list[tuple[Any, ...]]]] = {}
        #: how often it knew a battle whole, and how often all was forgotten
        self.found = self.forgotten = 0

    def __len__(self) -> int:
        """Positions that are known."""
        return len(self._grids)

    # ---- battles that were asked for before

    def key(self, cells: bytearray, every: bool) -> object:
        """What a battle is found by that begins in this position."""
        if self._base is None:
            self._base = bytes(cells)
        return self._grids.difference(self._base, cells), every

    def graph(self, key: object) -> tuple[Graph, list[tuple[Any, ...]]] | None:
        """All of a battle, and what is seen at its ends."""
        return self._graphs.get(key)

    def keep(self, key: object, graph: Graph, values: list[tuple[Any, ...]]) -> None:
        if len(graph.nodes) + len(graph.ends) > MAX_GRAPH_SIZE:
            return
        if len(self._graphs) >= MAX_GRAPHS:
            del self._graphs[next(iter(self._graphs))]
        # Nothing is tried and nothing answered for those who find it here; of ends no more is wanted than what was seen.
        models = {node: model.later(0, 0) for node, model in graph.attrition_models.items()}
        ends = [bytearray() for _ in graph.ends]
        self._graphs[key] = type(graph)(graph.nodes, ends, graph.start, 0, models), values

    # ---- positions of grids

    def find(self, entry: bytearray) -> CachedState | None:
        found = self._grids.find(entry)
        if found is None:
            return None
        self.found += 1
        return self._known(*found)

    def _known(self, number: int, i: int, j: int) -> CachedState:
        model, complete = self._models[number]
        return CachedState(number, model, complete, i, j)

    def frontier(self, entry: bytearray, first: Any, second: Any) -> Iterator[tuple[int, int, CachedState]]:
        """Positions of the grid that two chains span from which on all is known: one for each number of losses of the
        first side where there is any, with as few losses of the second as there can be."""
        for i, found in enumerate(self._grids.border(entry, first, second)):
            if found is not None:
                yield i, found[0], self._known(*found[1:])

    def add(self, entry: bytearray, first: Any, second: Any, model: AttritionModel, complete: bool) -> None:
        m, n = model.size
        room = len(entry) // 4 + first.room + second.room
        if len(self) + m * n > MAX_POSITIONS or self._cells + room > MAX_CELLS:
            self._grids.clear()
            self._models.clear()
            self._graphs.clear()
            self._cells = 0
            self.forgotten += 1
        self._grids.add(entry, first, second, complete)
        self._models.append((model, complete))
        self._cells += room
