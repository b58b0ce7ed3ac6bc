"""How far a unit can go: least-cost search over any graph, told by callbacks.

Nodes are settled in order of cost and, at equal cost, of index.  The predecessor of a node is the first
node settled that offers its least cost.  Both are part of the contract: compiled engines follow them too.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterable
from typing import NamedTuple

from .common import NONE, GeometryError


class Reach(NamedTuple):
    """For each node its least cost and the node before it; NONE where out of reach (and before a start)."""

    cost: list[int]
    before: list[int]

    def path(self, node: int) -> list[int]:
        """The nodes from a start to this one; empty if it is out of reach."""
        if self.cost[node] == NONE:
            return []
        way = []
        while node != NONE:
            way.append(node)
            node = self.before[node]
        return way[::-1]

    def nodes(self) -> list[int]:
        """All nodes in reach, in index order."""
        return [node for node, cost in enumerate(self.cost) if cost != NONE]


def reach(
    node_count: int,
    starts: Iterable[int],
    exits: Callable[[int], Iterable[int]],
    step_cost: Callable[[int, int], int],
    allowance: int = NONE,
    stops: Callable[[int], bool] | None = None,
) -> Reach:
    """All nodes that can be reached from the starts.

    exits gives the nodes next to a node (NONE among them is skipped); step_cost(from, to) the cost of a
    step, NONE if it is not allowed; stops says that a node can be entered but not left in the same go
    (which does not hold back a unit that starts there).  Without an allowance there is no limit.
    """
    cost = [NONE] * node_count
    before = [NONE] * node_count
    first = sorted(set(starts) - {NONE})
    heap = [(0, node) for node in first]
    for node in first:
        cost[node] = 0
    settled = [False] * node_count
    while heap:
        spent, node = heapq.heappop(heap)
        if settled[node]:
            continue
        settled[node] = True
        if stops is not None and before[node] != NONE and stops(node):
            continue
        for to in exits(node):
            if to == NONE or settled[to]:
                continue
            step = step_cost(node, to)
            if step == NONE:
                continue
            if step < 0:
                raise GeometryError(f"the step from node {node} to node {to} costs {step}, less than nothing")
            total = spent + step
            if allowance != NONE and total > allowance:
                continue
            if cost[to] == NONE or total < cost[to]:
                cost[to] = total
                before[to] = node
                heapq.heappush(heap, (total, to))
    return Reach(cost, before)
