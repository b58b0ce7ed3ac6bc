"""Reuse of results between battles.

The state graph of an earlier query is reused if the new one begins in an identical position.

A grid that was verified for one battle (derive.py) is reused for every battle that reaches one of its states: ten infantry
against eight are twelve against eight after two losses.  Two states are the same if an order-preserving renumbering of
the pieces maps one to the other (grog_same_but_for_numbers compares all cells).  Rules see only the order of the numbers,
so both have the same future.  A piece that comes into play takes the first free number, which may differ: a grid in whose
rounds that happens is not cached (grog_came_into_play tells).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from grognard.odds.attrition.grid import AttritionModel
    from grognard.odds.state_graph import Graph

#: Cached states, and cells of cached grids: beyond that the cache is cleared.
MAX_POSITIONS = 1_000_000
MAX_CELLS = 20_000_000
#: Cached state graphs, and the nodes and ends of each of them.
MAX_GRAPHS = 64
MAX_GRAPH_SIZE = 400


@dataclass(slots=True)
class CachedState:
    """A state of a verified grid: its grid, and the losses of both sides."""

    number: int
    model: AttritionModel
    complete: bool
    i: int
    j: int


class GridCache:
    """Grids of one scenario, policy and set of outcomes.  `grids` is the native part."""

    def __init__(self, grids: Any) -> None:
        self._grids = grids
        self._models: list[tuple[AttritionModel, bool]] = []
        self._cells = 0
        #: the first position: graphs are found by the difference from it
        self._base: bytes | None = None
        self._graphs: dict[object, tuple[Graph, list[tuple[Any, ...]]]] = {}
        #: how often an entry was found, and how often the cache was cleared
        self.hits = self.evictions = 0

    def __len__(self) -> int:
        """The number of cached states."""
        return len(self._grids)

    # ---- state graphs of earlier queries

    def key(self, cells: bytearray, every: bool) -> object:
        """The key of a battle that begins in this position."""
        if self._base is None:
            self._base = bytes(cells)
        return self._grids.difference(self._base, cells), every

    def cached_graph(self, key: object) -> tuple[Graph, list[tuple[Any, ...]]] | None:
        """The state graph of an earlier query, and the outcomes of its ends."""
        return self._graphs.get(key)

    def store_graph(self, key: object, graph: Graph, values: list[tuple[Any, ...]]) -> None:
        if len(graph.nodes) + len(graph.ends) > MAX_GRAPH_SIZE:
            return
        if len(self._graphs) >= MAX_GRAPHS:
            del self._graphs[next(iter(self._graphs))]
        # A cached graph has no checked states and no answers of its own; of its ends only the outcomes are needed.
        models = {node: model.subgrid(0, 0) for node, model in graph.attrition_models.items()}
        ends = [bytearray() for _ in graph.ends]
        self._graphs[key] = type(graph)(graph.nodes, ends, graph.start, 0, models), values

    # ---- states of grids

    def find(self, entry: bytearray) -> CachedState | None:
        found = self._grids.find(entry)
        if found is None:
            return None
        self.hits += 1
        return self._known(*found)

    def _known(self, number: int, i: int, j: int) -> CachedState:
        model, complete = self._models[number]
        return CachedState(number, model, complete, i, j)

    def frontier(self, entry: bytearray, first: Any, second: Any) -> Iterator[tuple[int, int, CachedState]]:
        """The frontier of cached states in the grid of two chains: for each number of losses of the first side the fewest
        losses of the second from which on the grid is cached."""
        for i, found in enumerate(self._grids.border(entry, first, second)):
            if found is not None:
                yield i, found[0], self._known(*found[1:])

    def add(self, entry: bytearray, first: Any, second: Any, model: AttritionModel, complete: bool) -> None:
        m, n = model.size
        size = len(entry) // 4 + first.room + second.room
        if len(self) + m * n > MAX_POSITIONS or self._cells + size > MAX_CELLS:
            self._grids.clear()
            self._models.clear()
            self._graphs.clear()
            self._cells = 0
            self.evictions += 1
        self._grids.add(entry, first, second, complete)
        self._models.append((model, complete))
        self._cells += size
