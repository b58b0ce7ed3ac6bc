"""Directions, offset layouts, hex maps, simple questions and arcs."""

from __future__ import annotations

from fractions import Fraction

import pytest
from geometry_strategies import Asked, asked, directions, layouts, orientations
from grognard.geometry import (
    ARC_DEGREES,
    BORDER,
    INSIDE,
    NONE,
    OUTSIDE,
    STEPS,
    Axial,
    GeometryError,
    HexMap,
    Layout,
    Numbering,
    Orientation,
    arc_place,
    axial_distance,
    axial_to_offset,
    direction,
    direction_name,
    direction_named,
    distance,
    layout_orientation,
    neighbour,
    offset_to_axial,
    opposite,
    ray,
    rotated_axial,
    straight,
    toward,
    turned,
    turns_between,
    vertex_arc_place,
    within,
)
from hypothesis import given
from hypothesis import strategies as st

coordinates = st.integers(-50, 50)
axials = st.tuples(coordinates, coordinates)


@given(orientations, directions)
def test_names_and_numbers_of_directions(orientation: Orientation, d: int) -> None:
    assert direction_named(orientation, direction_name(orientation, d)) == d
    (q, r), (back_q, back_r) = STEPS[orientation][d], STEPS[orientation][opposite(d)]
    assert (q + back_q, r + back_r) == (0, 0)
    assert rotated_axial(q, r, 1) == STEPS[orientation][turned(d, 1)]


def test_unknown_directions() -> None:
    with pytest.raises(GeometryError, match="'e' is no direction of flat-top"):
        direction_named("flat", "e")
    with pytest.raises(GeometryError):
        direction_name("flat", NONE)
    assert opposite(NONE) == turned(NONE, 1) == turns_between(0, NONE) == NONE


@given(directions, st.integers(-20, 20))
def test_turning(d: int, steps: int) -> None:
    assert turned(turned(d, steps), -steps) == d
    assert turns_between(d, turned(d, steps)) == min(steps % 6, -steps % 6)


@given(layouts, coordinates, coordinates)
def test_offsets_there_and_back(layout: Layout, column: int, row: int) -> None:
    assert axial_to_offset(layout, *offset_to_axial(layout, column, row)) == (column, row)


@pytest.mark.parametrize(
    ("layout", "shoved"),
    [
        ("odd-q", [((0, 0), (1, 0), "se"), ((1, 0), (2, 0), "ne")]),
        ("even-q", [((0, 0), (1, 0), "ne"), ((1, 0), (2, 0), "se")]),
        ("odd-r", [((0, 0), (0, 1), "se"), ((0, 1), (0, 2), "sw")]),
        ("even-r", [((0, 0), (0, 1), "sw"), ((0, 1), (0, 2), "se")]),
    ],
)
def test_which_columns_or_rows_are_shoved(
    layout: Layout, shoved: list[tuple[tuple[int, int], tuple[int, int], str]]
) -> None:
    steps = STEPS[layout_orientation(layout)]
    for start, end, name in shoved:
        (q, r), (to_q, to_r) = offset_to_axial(layout, *start), offset_to_axial(layout, *end)
        assert steps[direction_named(layout_orientation(layout), name)] == (to_q - q, to_r - r)


def test_rectangle_prints_names_and_finds_them() -> None:
    hexmap = HexMap.rectangle("even-q", 3, 2, Numbering("{col:02}{row:02}"), absent=[(1, 1)])
    assert hexmap.names == ("0101", "0102", "0201", "0301", "0302")
    assert hexmap.named("0302") == 4
    with pytest.raises(GeometryError, match="'0202'"):
        hexmap.named("0202")
    by_rows = HexMap.rectangle("even-q", 3, 2, Numbering("{col:02}{row:02}"), order="rows")
    assert by_rows.names[:4] == ("0101", "0201", "0301", "0102")


def test_maps_that_make_no_sense() -> None:
    with pytest.raises(GeometryError, match="two cells"):
        HexMap.from_axial("flat", [(0, 0), (0, 0)])
    with pytest.raises(GeometryError, match="called 'x'"):
        HexMap.from_axial("flat", [(0, 0), (1, 0)], ["x", "x"])
    with pytest.raises(GeometryError, match="orientation"):
        HexMap.from_axial("round", [])
    with pytest.raises(GeometryError, match="1 names"):
        HexMap.from_axial("flat", [(0, 0), (1, 0)], ["x"])


def test_an_empty_map() -> None:
    hexmap = HexMap.from_axial("flat", [])
    assert hexmap.n == 0
    assert distance(hexmap, 0, 0) == NONE


@given(axials, axials, axials)
def test_distance_is_a_metric(a: Axial, b: Axial, c: Axial) -> None:
    hexmap = HexMap.from_axial("flat", dict.fromkeys([a, b, c]))
    ia, ib, ic = (hexmap.at(*cell) for cell in (a, b, c))
    assert (distance(hexmap, ia, ib) == 0) == (a == b)
    assert distance(hexmap, ia, ib) == distance(hexmap, ib, ia)
    assert distance(hexmap, ia, ic) <= distance(hexmap, ia, ib) + distance(hexmap, ib, ic)


@given(axials, st.integers(0, 5))
def test_distance_survives_turning(a: Axial, steps: int) -> None:
    assert axial_distance(*a) == axial_distance(*rotated_axial(*a, steps))


def test_distance_is_the_number_of_steps() -> None:
    hexmap = HexMap.rectangle("odd-r", 9, 9)
    steps = {40: 0}
    queue = [40]
    for cell in queue:
        for d in range(6):
            to = neighbour(hexmap, cell, d)
            if to != NONE and to not in steps:
                steps[to] = steps[cell] + 1
                queue.append(to)
    assert steps == {cell: distance(hexmap, 40, cell) for cell in range(hexmap.n)}


@given(asked(), directions, st.integers(-1, 9))
def test_simple_questions_agree_with_each_other(question: Asked, d: int, n: int) -> None:
    hexmap, a, b = question
    to = neighbour(hexmap, a, d)
    if to != NONE:
        assert direction(hexmap, a, to) == straight(hexmap, a, to) == d
        assert neighbour(hexmap, to, opposite(d)) == a
    assert (direction(hexmap, a, b) != NONE) == (distance(hexmap, a, b) == 1)
    cells = ray(hexmap, a, d, n + 1)
    assert toward(hexmap, a, d, n) == (cells[n] if 0 <= n < len(cells) else NONE)
    for far in cells[1:]:
        assert straight(hexmap, a, far) == d
    assert within(hexmap, a, n) == [
        cell for cell in range(hexmap.n) if hexmap.has(a) and distance(hexmap, a, cell) <= n
    ]


def test_straight_follows_hexrows_only() -> None:
    hexmap = HexMap.from_axial("flat", [(0, 0), (0, -4), (3, -3), (2, 1), (-5, 5)])
    assert [straight(hexmap, 0, b) for b in range(5)] == [NONE, 0, 1, NONE, 4]


def test_a_step_off_the_map_ends_the_way() -> None:
    hexmap = HexMap.from_axial("flat", [(0, 0), (0, 2)])
    assert toward(hexmap, 0, 3, 2) == NONE
    assert ray(hexmap, 0, 3, 5) == [0]
    assert distance(hexmap, 0, 1) == 2


def inside_cone(left: Axial, right: Axial, p: Axial) -> int:
    """Where p lies for the cone, narrower than 180 degrees, between two rays; solved by Cramer's rule."""
    whole = left[0] * right[1] - left[1] * right[0]
    x = Fraction(p[0] * right[1] - p[1] * right[0], whole)
    y = Fraction(left[0] * p[1] - left[1] * p[0], whole)
    if x > 0 and y > 0:
        return INSIDE
    return BORDER if (x == 0 and y > 0) or (y == 0 and x > 0) else OUTSIDE


def twelve_rays(orientation: Orientation) -> list[Axial]:
    steps = STEPS[orientation]
    return [
        (steps[h // 2][0], steps[h // 2][1])
        if h % 2 == 0
        else (steps[h // 2][0] + steps[(h // 2 + 1) % 6][0], steps[h // 2][1] + steps[(h // 2 + 1) % 6][1])
        for h in range(12)
    ]


@pytest.mark.parametrize("orientation", ["flat", "pointy"])
@pytest.mark.parametrize("degrees", ARC_DEGREES)
@pytest.mark.parametrize("centre", range(12))
def test_arcs_are_made_of_cones(orientation: Orientation, degrees: int, centre: int) -> None:
    around = [(q, r) for q in range(-6, 7) for r in range(-6, 7)]
    hexmap = HexMap.from_axial(orientation, around)
    a = hexmap.at(0, 0)
    rays = twelve_rays(orientation)
    half = degrees // 60
    place = vertex_arc_place if centre % 2 else arc_place
    for cell, p in enumerate(around):
        if p == (0, 0):
            expected = INSIDE
        else:
            # The arc is the sum of 30 degree cones; a ray between two of them is inside, at the end border.
            cones = [
                inside_cone(rays[(centre + i) % 12], rays[(centre + i + 1) % 12], p)
                for i in range(-half, half)
            ]
            if INSIDE in cones or cones.count(BORDER) == 2:
                expected = INSIDE
            else:
                expected = max(cones)
        assert place(hexmap, a, centre // 2, degrees, cell) == expected


def test_arc_examples() -> None:
    hexmap = HexMap.from_axial("flat", [(0, 0), (0, -1), (1, -1), (1, -2), (1, 0), (-3, 0), (0, 5)])
    north = [arc_place(hexmap, 0, 0, 120, b) for b in range(7)]
    assert north == [INSIDE, INSIDE, BORDER, INSIDE, OUTSIDE, BORDER, OUTSIDE]
    assert arc_place(hexmap, 0, 0, 60, 3) == BORDER
    assert vertex_arc_place(hexmap, 0, 0, 60, 1) == vertex_arc_place(hexmap, 0, 0, 60, 2) == BORDER
    assert vertex_arc_place(hexmap, 0, 0, 60, 3) == INSIDE
    assert arc_place(hexmap, 0, 0, 90, 1) == NONE
    assert arc_place(hexmap, 0, NONE, 120, 0) == arc_place(hexmap, NONE, 0, 120, 0) == OUTSIDE
