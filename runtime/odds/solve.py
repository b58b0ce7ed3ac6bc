"""Absorption probabilities of the Markov chain.

Strongly connected components are taken in topological order.  The states of a cycle (rounds in which nothing changes) are
solved together by state reduction (Grassmann, Taksar, Heyman); a component without an exit never ends.  Nothing is ever
subtracted: the probability of leaving a state is a sum over its exits, so that doubles lose only their last digits, and a
bound of that loss is counted.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, TypeAlias

from grognard.odds.state_graph import Graph

Number: TypeAlias = Any  # float or Fraction: the same code for both

#: The relative error of one operation on doubles.
ROUNDING = 2.0**-53


@dataclass(slots=True)
class Solution:
    """The probability of each terminal state, of never ending, and a bound of their relative error (0 for fractions)."""

    ends: list[Number]
    endless: Number
    relative_error: float
    #: the probability of reaching each node that has an attrition model
    entered: dict[int, Number] = field(default_factory=dict)


def solve(graph: Graph, exact: bool) -> Solution:
    number: Callable[[int, int], Number] = Fraction if exact else _quotient
    zero: Number = Fraction(0) if exact else 0.0
    one: Number = Fraction(1) if exact else 1.0
    ends = [zero] * len(graph.ends)
    if graph.start < 0:
        ends[-1 - graph.start] = one
        return Solution(ends, zero, 0.0)
    if graph.start in graph.attrition_models:
        return Solution(ends, zero, 0.0, {graph.start: one})
    endless = zero
    entered: dict[int, Number] = {}
    weight: list[Number] = [zero] * len(graph.nodes)
    weight[graph.start] = one
    #: the most operations on any path to the value of each node
    steps = [0] * len(graph.nodes)
    end_steps = 0
    arriving = [0] * len(graph.nodes)
    for component in _components(graph):
        if component[0] in graph.attrition_models:
            entered[component[0]] = weight[component[0]]
            end_steps = max(end_steps, steps[component[0]] + arriving[component[0]])
            continue
        inside = set(component)
        leaving = any(
            target not in inside for node in component for _, target in graph.nodes[node].transitions
        )
        depth = max(steps[node] + arriving[node] for node in component)
        if not leaving:
            endless += sum((weight[node] for node in component), zero)
            continue
        flow = (
            _eliminate(graph, component, weight, number, zero)
            if _returns(graph, component)
            else {component[0]: weight[component[0]]}
        )
        depth += 6 * len(component) ** 2 if len(component) > 1 or _returns(graph, component) else 0
        for node, here in flow.items():
            if not here:
                continue
            whole = graph.nodes[node].total_weight
            for ways, target in graph.nodes[node].transitions:
                if target in inside:
                    continue
                part = here * number(ways, whole)
                if target < 0:
                    ends[-1 - target] += part
                    end_steps = max(end_steps, depth + 3)
                else:
                    weight[target] += part
                    steps[target] = max(steps[target], depth + 3)
                    arriving[target] += 1
    error = 0.0 if exact else (end_steps + len(graph.nodes)) * ROUNDING
    return Solution(ends, endless, error, entered)


def _quotient(a: int, b: int) -> float:
    return a / b


def _returns(graph: Graph, component: list[int]) -> bool:
    return len(component) > 1 or any(
        target == component[0] for _, target in graph.nodes[component[0]].transitions
    )


def _eliminate(
    graph: Graph,
    component: list[int],
    arrives: list[Number],
    number: Callable[[int, int], Number],
    zero: Number,
) -> dict[int, Number]:
    """The expected number of departures from each node of a component (its self-loops aside), by state reduction.

    The probability of leaving a node is a sum over its exits, never one minus the probability of staying."""
    place = {node: n for n, node in enumerate(component)}
    n = len(component)
    inner: list[dict[int, Number]] = []
    outer: list[Number] = []
    for node in component:
        row: dict[int, Number] = {}
        out = zero
        whole = graph.nodes[node].total_weight
        for ways, target in graph.nodes[node].transitions:
            part = number(ways, whole)
            if target in place:
                row[place[target]] = row.get(place[target], zero) + part
            else:
                out += part
        inner.append(row)
        outer.append(out)
    visits = [arrives[node] for node in component]
    # Forward: eliminate node k; its predecessors get its transitions.
    scale: list[Number] = [zero] * n
    for k in range(n - 1, -1, -1):
        leave = outer[k] + sum((p for j, p in inner[k].items() if j < k), zero)
        scale[k] = leave
        if not leave:
            continue
        for i in range(k):
            p = inner[i].get(k)
            if p:
                share = p / leave
                outer[i] += share * outer[k]
                for j, q in inner[k].items():
                    if j < k:
                        inner[i][j] = inner[i].get(j, zero) + share * q
        if visits[k]:
            share = visits[k] / leave
            for j, q in inner[k].items():
                if j < k:
                    visits[j] += share * q
    # Backward: the expected number of visits of each node.
    total: list[Number] = [zero] * n
    for k in range(n):
        arrived = _inflow(k, total, inner, visits, zero)
        total[k] = arrived / scale[k] if scale[k] else zero
    return {node: total[place[node]] for node in component}


def _inflow(
    k: int, total: list[Number], inner: list[dict[int, Number]], visits: list[Number], zero: Number
) -> Number:
    """The inflow of node k from outside and from the nodes before it, once those after it are eliminated."""
    return visits[k] + sum((total[j] * inner[j].get(k, zero) for j in range(k)), zero)


def _components(graph: Graph) -> Iterable[list[int]]:
    """Strongly connected components in topological order (Tarjan, without recursion)."""
    count = len(graph.nodes)
    index = [-1] * count
    low = [0] * count
    on_stack = [False] * count
    stack: list[int] = []
    found: list[list[int]] = []
    clock = 0
    work: list[tuple[int, int]] = [(graph.start, 0)]
    while work:
        node, move = work.pop()
        if move == 0:
            index[node] = low[node] = clock
            clock += 1
            stack.append(node)
            on_stack[node] = True
        descended = False
        moves = graph.nodes[node].transitions
        for place in range(move, len(moves)):
            target = moves[place][1]
            if target < 0:
                continue
            if index[target] < 0:
                work.append((node, place + 1))
                work.append((target, 0))
                descended = True
                break
            if on_stack[target]:
                low[node] = min(low[node], index[target])
        if descended:
            continue
        if low[node] == index[node]:
            component = []
            while True:
                member = stack.pop()
                on_stack[member] = False
                component.append(member)
                if member == node:
                    break
            found.append(component)
        if work:
            parent = work[-1][0]
            low[parent] = min(low[parent], low[node])
    return reversed(found)
