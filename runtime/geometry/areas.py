"""Maps of areas: named nodes joined by edges that carry whatever a game prints on its borders."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from .common import NONE, GeometryError


class Area(NamedTuple):
    name: str
    kind: str = ""  # the class of the area: "land", "sea", "box", whatever the game distinguishes


class AreaEdge(NamedTuple):
    """A border or connection between two areas, by their indices."""

    a: int
    b: int
    attributes: Mapping[str, Any] = {}
    one_way: bool = False  # passable from a to b only


class Exit(NamedTuple):
    """A way out of an area: where it leads, and by which edge."""

    to: int
    edge: int


@dataclass(frozen=True)
class AreaGraph:
    """Areas 0..n-1 and their edges; build one with `from_edges`."""

    areas: tuple[Area, ...]
    edges: tuple[AreaEdge, ...] = field(hash=False)
    exits: tuple[tuple[Exit, ...], ...] = field(repr=False, compare=False)
    index_by_name: Mapping[str, int] = field(repr=False, compare=False)

    @classmethod
    def from_edges(cls, areas: Iterable[Area], edges: Iterable[AreaEdge]) -> AreaGraph:
        """A graph of these areas.  Two areas may be joined by several edges, an area not to itself."""
        nodes = tuple(areas)
        joined = tuple(edges)
        index_by_name: dict[str, int] = {}
        for i, area in enumerate(nodes):
            if index_by_name.setdefault(area.name, i) != i:
                raise GeometryError(f"two areas are called {area.name!r}")
        exits: list[list[Exit]] = [[] for _ in nodes]
        for number, edge in enumerate(joined):
            for end in (edge.a, edge.b):
                if not 0 <= end < len(nodes):
                    raise GeometryError(f"edge {number} leads to area {end}, which does not exist")
            if edge.a == edge.b:
                raise GeometryError(f"edge {number} joins {nodes[edge.a].name!r} to itself")
            exits[edge.a].append(Exit(edge.b, number))
            if not edge.one_way:
                exits[edge.b].append(Exit(edge.a, number))
        return cls(nodes, joined, tuple(tuple(sorted(ways)) for ways in exits), index_by_name)

    @property
    def n(self) -> int:
        return len(self.areas)

    def __len__(self) -> int:
        return len(self.areas)

    def named(self, name: str) -> int:
        """The area of this name; an unknown name is an error."""
        try:
            return self.index_by_name[name]
        except KeyError:
            raise GeometryError(f"no area of the map is called {name!r}") from None

    def adjacent(self, a: int) -> list[int]:
        """The areas one step from a, each once, in index order."""
        return sorted({way.to for way in self.exits[a]})

    def flat_exits(self) -> tuple[array[int], array[int]]:
        """For the C kernel: where each area's exits start, and all exits' targets."""
        starts, targets = array("i", [0]), array("i")
        for ways in self.exits:
            targets.extend(way.to for way in ways)
            starts.append(len(targets))
        return starts, targets


def area_distances(graph: AreaGraph, a: int) -> list[int]:
    """Steps from a to every area, NONE where no way leads."""
    steps = [NONE] * graph.n
    if not 0 <= a < graph.n:
        return steps
    steps[a] = 0
    queue = [a]
    for area in queue:
        for way in graph.exits[area]:
            if steps[way.to] == NONE:
                steps[way.to] = steps[area] + 1
                queue.append(way.to)
    return steps


def area_distance(graph: AreaGraph, a: int, b: int) -> int:
    """Steps from a to b, NONE if no way leads there."""
    return area_distances(graph, a)[b] if 0 <= b < graph.n else NONE
