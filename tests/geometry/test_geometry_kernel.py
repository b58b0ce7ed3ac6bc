"""The C kernel answers every question as the Python functions do."""

from __future__ import annotations

import ctypes
import random
from itertools import product

import pytest
from geometry_kernel import KernelMap, int32s
from geometry_strategies import Asked, asked
from grognard.geometry import (
    ARC_DEGREES,
    BORDER,
    INSIDE,
    LAYOUTS,
    NONE,
    OUTSIDE,
    Area,
    AreaEdge,
    AreaGraph,
    HexMap,
    Layout,
    SightPolicy,
    arc_place,
    area_distance,
    bit_words,
    crossings,
    direction,
    distance,
    line,
    match,
    matchable,
    neighbour,
    opposite,
    ray,
    sight_simple,
    straight,
    toward,
    turned,
    turns_between,
    vertex_arc_place,
    within,
)
from hypothesis import given
from hypothesis import strategies as st

some_numbers = st.one_of(st.integers(-2, 12), st.just(NONE))
max_ranges = st.sampled_from([None, -1, 0, 3, 100])


def test_directions(kernel: ctypes.CDLL) -> None:
    for d1, d2 in product([NONE, -1, *range(7)], repeat=2):
        assert kernel.t_opposite(d1) == opposite(d1)
        assert kernel.t_turns_between(d1, d2) == turns_between(d1, d2)
        for steps in range(-13, 14):
            assert kernel.t_turned(d1, steps) == turned(d1, steps)


@given(asked(), some_numbers, some_numbers)
def test_cells(kernel: ctypes.CDLL, question: Asked, d: int, n: int) -> None:
    hexmap, a, b = question
    c = KernelMap(kernel, hexmap)
    try:
        assert c.ask("distance", a, b) == distance(hexmap, a, b)
        assert c.ask("neighbour", a, d) == neighbour(hexmap, a, d)
        assert c.ask("direction", a, b) == direction(hexmap, a, b)
        assert c.ask("straight", a, b) == straight(hexmap, a, b)
        assert c.ask("toward", a, d, n) == toward(hexmap, a, d, n)
        assert c.cells("ray", a, d, n) == ray(hexmap, a, d, n)
        assert c.cells("within", a, n) == within(hexmap, a, n)
        assert c.ask("at", d, n) == hexmap.at(d, n)
    finally:
        c.free()


@pytest.mark.parametrize("layout", LAYOUTS)
def test_within_on_a_large_map(kernel: ctypes.CDLL, layout: Layout) -> None:
    hexmap = HexMap.rectangle(layout, 30, 30, order="columns")
    c = KernelMap(kernel, hexmap)
    for a in range(0, hexmap.n, 37):
        for n in (0, 1, 5, 9, 16, 17, 2_000_000_000):
            assert c.cells("within", a, n) == within(hexmap, a, n)
    c.free()


@pytest.mark.parametrize("layout", LAYOUTS)
def test_all_arcs_of_a_hex(kernel: ctypes.CDLL, layout: Layout) -> None:
    # Random questions seldom fall on a border; these meet every border of every arc.
    hexmap = HexMap.rectangle(layout, 11, 11)
    c = KernelMap(kernel, hexmap)
    a = 5 * 11 + 5
    places = set()
    for facing, degrees, b in product(range(6), ARC_DEGREES, range(hexmap.n)):
        place = arc_place(hexmap, a, facing, degrees, b)
        places.add(place)
        assert c.ask("arc_place", a, facing, degrees, b) == place
        place = vertex_arc_place(hexmap, a, facing, degrees, b)
        assert c.ask("vertex_arc_place", a, facing, degrees, b) == place
    c.free()
    assert places == {OUTSIDE, BORDER, INSIDE}


@given(asked(), some_numbers, st.sampled_from([0, 45, 60, 120, 180, 240, 300, 360, NONE]))
def test_arcs(kernel: ctypes.CDLL, question: Asked, facing: int, degrees: int) -> None:
    hexmap, a, b = question
    c = KernelMap(kernel, hexmap)
    try:
        assert c.ask("arc_place", a, facing, degrees, b) == arc_place(hexmap, a, facing, degrees, b)
        expected = vertex_arc_place(hexmap, a, facing, degrees, b)
        assert c.ask("vertex_arc_place", a, facing, degrees, b) == expected
    finally:
        c.free()


@given(asked(), max_ranges)
def test_lines(kernel: ctypes.CDLL, question: Asked, max_range: int | None) -> None:
    hexmap, a, b = question
    c = KernelMap(kernel, hexmap, max_range)
    try:
        assert c.told("line", a, b) == line(hexmap, a, b)
        assert c.told("crossing", a, b) == crossings(hexmap, a, b)
    finally:
        c.free()


@pytest.mark.parametrize("layout", LAYOUTS)
def test_all_lines_of_a_map(kernel: ctypes.CDLL, layout: Layout) -> None:
    hexmap = HexMap.rectangle(layout, 14, 11)
    c = KernelMap(kernel, hexmap, -1)
    for a, b in product(range(0, hexmap.n, 7), range(hexmap.n)):
        assert c.told("line", a, b) == line(hexmap, a, b)
        assert c.told("crossing", a, b) == crossings(hexmap, a, b)
    c.free()


@given(asked(), max_ranges, st.randoms(use_true_random=False), st.sampled_from(SightPolicy))
def test_sight(
    kernel: ctypes.CDLL, question: Asked, max_range: int | None, rng: random.Random, policy: SightPolicy
) -> None:
    hexmap, a, b = question
    blocks = [rng.randrange(2) for _ in range(hexmap.n)]
    c = KernelMap(kernel, hexmap, max_range)
    try:
        expected = sight_simple(hexmap, blocks, a, b, policy)
        assert c.ask("sight_simple", int32s(blocks), a, b, int(policy)) == expected
    finally:
        c.free()


@given(st.data(), st.integers(1, 12))
def test_areas(kernel: ctypes.CDLL, data: st.DataObject, n: int) -> None:
    ends = st.integers(0, n - 1)
    drawn = data.draw(st.lists(st.tuples(ends, ends, st.booleans()), max_size=20))
    edges = [AreaEdge(a, b, {}, one_way) for a, b, one_way in drawn if a != b]
    graph = AreaGraph.from_edges([Area(str(i)) for i in range(n)], edges)
    starts, targets = graph.flat_exits()
    scratch = int32s([0] * (2 * n))
    for a, b in product([NONE, *range(n)], repeat=2):
        answer = kernel.t_area_distance(n, int32s(starts), int32s(targets), a, b, scratch)
        assert answer == area_distance(graph, a, b)


@given(st.lists(st.tuples(st.integers(-(2**31), 2**31 - 1) | st.integers(0, 3), st.integers(0, 5))))
def test_heap_pops_in_order_of_key_and_node(kernel: ctypes.CDLL, pairs: list[tuple[int, int]]) -> None:
    n = len(pairs)
    room = [int32s([0] * (n + 1)) for _ in range(4)]
    keys, nodes = int32s([key for key, _ in pairs]), int32s([node for _, node in pairs])
    assert kernel.t_heap_sort(n, keys, nodes, *room) == n
    assert list(zip(room[2], room[3]))[:n] == sorted(pairs)


@given(st.data(), st.integers(0, 8), st.sampled_from([0, 1, 5, 31, 32, 33, 70]))
def test_matching(kernel: ctypes.CDLL, data: st.DataObject, left: int, right: int) -> None:
    # Few right elements in use, so that they are fought over even where there are many.
    bits = st.integers(0, right - 1) if right else st.nothing()
    used = data.draw(st.lists(bits, min_size=1, max_size=4)) if right else []
    row = st.sets(st.sampled_from(used)).map(lambda js: sum(1 << j for j in js)) if used else st.just(0)
    rows = data.draw(st.lists(row, min_size=left, max_size=left))
    room = [0] * right
    for j in used:
        room[j] = data.draw(st.integers(-1, 3))
    words = bit_words(rows, right)
    c_rows = (ctypes.c_uint32 * max(1, len(words)))(*words)
    assigned, c_room = int32s([0] * left), int32s(room)
    scratch = int32s([0] * kernel.t_match_scratch(left, right))
    size, expected = match(rows, room)
    assert kernel.t_match(left, right, c_rows, c_room, assigned, scratch) == size
    assert list(assigned)[:left] == expected
    assert kernel.t_matchable(left, right, c_rows, c_room, scratch) == matchable(rows, room)
