"""Areas, reach and matching."""

from __future__ import annotations

from itertools import permutations, product

import pytest
from geometry_strategies import ragged_maps
from grognard.geometry import (
    NONE,
    Area,
    AreaEdge,
    AreaGraph,
    GeometryError,
    HexMap,
    area_distance,
    area_distances,
    match,
    matchable,
    reach,
)
from hypothesis import given
from hypothesis import strategies as st


def line_of_areas() -> AreaGraph:
    areas = [Area("a", "land"), Area("b", "land"), Area("c", "sea"), Area("d")]
    edges = [AreaEdge(2, 1, {"coast": True}), AreaEdge(1, 0), AreaEdge(2, 0, {}, one_way=True)]
    return AreaGraph.from_edges(areas, edges)


def test_area_graph() -> None:
    graph = line_of_areas()
    assert graph.exits == (((1, 1),), ((0, 1), (2, 0)), ((0, 2), (1, 0)), ())
    assert graph.adjacent(1) == [0, 2]
    assert graph.edges[graph.exits[1][1].edge].attributes == {"coast": True}
    assert graph.areas[graph.named("c")].kind == "sea"
    assert area_distances(graph, 0) == [0, 1, 2, NONE]
    assert area_distance(graph, 2, 0) == 1
    assert area_distance(graph, 0, 3) == area_distance(graph, NONE, 0) == NONE
    assert [list(part) for part in graph.flat_exits()] == [[0, 1, 3, 5, 5], [1, 0, 2, 0, 1]]


def test_area_graphs_that_make_no_sense() -> None:
    with pytest.raises(GeometryError, match="two areas"):
        AreaGraph.from_edges([Area("a"), Area("a")], [])
    with pytest.raises(GeometryError, match="does not exist"):
        AreaGraph.from_edges([Area("a")], [AreaEdge(0, 1)])
    with pytest.raises(GeometryError, match="itself"):
        AreaGraph.from_edges([Area("a")], [AreaEdge(0, 0)])
    with pytest.raises(GeometryError, match="'x'"):
        line_of_areas().named("x")


@given(ragged_maps(), st.integers(0, 12), st.randoms(use_true_random=False), st.data())
def test_reach_agrees_with_relaxing_until_nothing_changes(
    hexmap: HexMap, allowance: int, rng: object, data: st.DataObject
) -> None:
    cells = range(hexmap.n)
    start = data.draw(st.sampled_from(cells))
    entry = data.draw(st.lists(st.sampled_from([NONE, 0, 1, 2, 5]), min_size=hexmap.n, max_size=hexmap.n))
    halting = data.draw(st.sets(st.sampled_from(cells)))
    found = reach(
        hexmap.n,
        [start, NONE],
        lambda cell: hexmap.neighbours[cell],
        lambda _, to: entry[to],
        allowance,
        lambda cell: cell in halting,
    )
    cost = {start: 0}
    changed = True
    while changed:
        changed = False
        for cell, to in product(list(cost), cells):
            if to not in hexmap.neighbours[cell] or entry[to] == NONE or (cell in halting and cell != start):
                continue
            total = cost[cell] + entry[to]
            if total <= allowance and total < cost.get(to, allowance + 1):
                cost[to] = total
                changed = True
    assert found.cost == [cost.get(cell, NONE) for cell in cells]
    assert found.nodes() == sorted(cost)
    for cell in cells:
        path = found.path(cell)
        assert bool(path) == (cell in cost)
        if path:
            assert (path[0], path[-1]) == (start, cell)
            assert sum(entry[to] for to in path[1:]) == cost[cell]


def test_predecessor_is_the_first_settled() -> None:
    # 0 to 3 by 1 or by 2 at the same cost.
    ways = {0: [2, 1], 1: [3], 2: [3], 3: []}
    found = reach(4, [0], lambda node: ways[node], lambda _a, _b: 1)
    assert found.before == [NONE, 0, 0, 1]


def test_negative_costs_are_refused() -> None:
    with pytest.raises(GeometryError, match="less than nothing"):
        reach(2, [0], lambda _: [1], lambda _a, _b: -1)


rows_and_room = st.integers(1, 4).flatmap(
    lambda right: st.tuples(
        st.lists(st.integers(0, 2**right - 1), max_size=5),
        st.lists(st.integers(-1, 2), min_size=right, max_size=right),
    )
)


@given(rows_and_room)
def test_matching_is_valid_and_the_largest(question: tuple[list[int], list[int]]) -> None:
    rows, room = question
    size, assigned = match(rows, room)
    for left, right in enumerate(assigned):
        assert right == NONE or rows[left] >> right & 1
    for right, slots in enumerate(room):
        assert assigned.count(right) <= max(0, slots)
    assert size == sum(right != NONE for right in assigned)
    best = 0
    for choice in product([NONE, *range(len(room))], repeat=len(rows)):
        allowed = all(right == NONE or rows[left] >> right & 1 for left, right in enumerate(choice))
        if allowed and all(choice.count(right) <= max(0, slots) for right, slots in enumerate(room)):
            best = max(best, sum(right != NONE for right in choice))
    assert size == best


@given(rows_and_room)
def test_matchable_means_that_some_choice_covers_all(question: tuple[list[int], list[int]]) -> None:
    rows, need = question
    slots = [right for right, count in enumerate(need) for _ in range(max(0, count))]
    covered = any(
        all(rows[left] >> right & 1 for left, right in zip(lefts, slots))
        for lefts in permutations(range(len(rows)), len(slots))
    )
    assert matchable(rows, need) == covered


def test_matching_makes_others_move() -> None:
    assert match([0b01, 0b11, 0b10], [1, 2]) == (3, [0, 1, 1])
    assert match([0b11, 0b01], [1, 1]) == (2, [1, 0])
    assert match([0b1, 0b1], [1]) == (1, [0, NONE])
