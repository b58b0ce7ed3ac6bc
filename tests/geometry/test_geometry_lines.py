"""Lines: worked examples, the reversal law, and a brute-force count of everything a line meets."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise

from geometry_strategies import Asked, asked, orientations
from grognard.geometry import (
    ALONG,
    CELL,
    CORNER,
    NONE,
    PAIR,
    SIDE,
    STEPS,
    TOUCH,
    VERTEX,
    Axial,
    HexMap,
    LineKind,
    crossings,
    line,
    rotated_axial,
    walk,
)
from hypothesis import given
from hypothesis import strategies as st

DISPLACEMENTS = [(dq, dr) for dq in range(-9, 10) for dr in range(-9, 10)]
displacements = st.tuples(st.integers(-40, 40), st.integers(-40, 40))
TWO_HEXES = {PAIR, SIDE, VERTEX, ALONG, TOUCH}


def test_line_to_itself_is_one_cell() -> None:
    assert walk(0, 0).items == ((CELL, (0, 0), None),)
    assert walk(0, 0).crossings == ()


def test_along_a_hexrow_only_interiors_and_sides() -> None:
    told = walk(3, 0)
    assert [(kind, first) for kind, first, _ in told.items] == [(CELL, (i, 0)) for i in range(4)]
    assert told.crossings == tuple((SIDE, (i, 0), (i + 1, 0)) for i in range(3))


def test_along_a_hexside_gives_the_left_hex_first() -> None:
    # Flat-top, due east: north-east is left of the way, south-east right of it.
    told = walk(2, -1)
    assert told.items == ((CELL, (0, 0), None), (PAIR, (1, -1), (1, 0)), (CELL, (2, -1), None))
    assert told.crossings == (
        (TOUCH, (0, 0), (1, -1)),
        (TOUCH, (0, 0), (1, 0)),
        (ALONG, (1, -1), (1, 0)),
        (TOUCH, (1, -1), (2, -1)),
        (TOUCH, (1, 0), (2, -1)),
    )


def test_through_vertices_touches_corners() -> None:
    told = walk(4, 1)
    assert [item for item in told.items if item[0] == CORNER] == [
        (CORNER, (1, 1), None),
        (CORNER, (3, 0), None),
    ]
    assert [item for item in told.crossings if item[0] == VERTEX] == [
        (VERTEX, (1, 0), (2, 0)),
        (VERTEX, (2, 1), (3, 1)),
    ]


def corners_of(cell: Axial) -> list[Axial]:
    """Corner v of a hex in thirds of an axial step."""
    steps = STEPS["flat"]
    return [
        (
            3 * cell[0] + steps[v][0] + steps[(v + 1) % 6][0],
            3 * cell[1] + steps[v][1] + steps[(v + 1) % 6][1],
        )
        for v in range(6)
    ]


def meeting(d: Axial, p1: Axial, p2: Axial) -> set[Fraction]:
    """Where, in parts of the way, the line from the origin to d (in thirds) meets the segment p1 p2.

    Two parts mean that it runs along all of the segment.
    """
    off1, off2 = (d[0] * p[1] - d[1] * p[0] for p in (p1, p2))
    length = d[0] * d[0] + d[1] * d[1]

    def part(x: Fraction, y: Fraction) -> Fraction:
        return (x * d[0] + y * d[1]) / length

    if off1 == off2 == 0:
        parts = {part(Fraction(p[0]), Fraction(p[1])) for p in (p1, p2)}
    elif off1 * off2 > 0:
        return set()
    else:
        share = Fraction(off1, off1 - off2)
        parts = {part(p1[0] + share * (p2[0] - p1[0]), p1[1] + share * (p2[1] - p1[1]))}
    return {x for x in parts if 0 <= x <= 1}


def brute_force(d: Axial) -> tuple[dict[Axial, LineKind], dict[frozenset[Axial], LineKind]]:
    """Every hex and every hexside that meets the line, by trying all hexes near it."""
    far = (3 * d[0], 3 * d[1])
    hexes: dict[Axial, LineKind] = {}
    sides: dict[frozenset[Axial], LineKind] = {}
    for q in range(min(0, d[0]) - 2, max(0, d[0]) + 3):
        for r in range(min(0, d[1]) - 2, max(0, d[1]) + 3):
            corners = corners_of((q, r))
            met = [meeting(far, corners[v - 1], corners[v]) for v in range(6)]
            everywhere = set().union(*met)
            if not everywhere:
                continue
            offs = [far[0] * y - far[1] * x for x, y in corners]
            through = min(offs) < 0 < max(offs)
            along = any(len(parts) == 2 for parts in met)
            hexes[q, r] = CELL if through else PAIR if along else CORNER
            for v in range(6):
                if not met[v]:
                    continue
                other = (q + STEPS["flat"][v][0], r + STEPS["flat"][v][1])
                ends = {offs[v - 1], offs[v]}
                kind = ALONG if ends == {0} else TOUCH if 0 in ends else SIDE
                sides[frozenset(((q, r), other))] = kind
    return hexes, sides


def test_items_and_crossings_are_all_that_the_line_meets() -> None:
    for d in DISPLACEMENTS:
        if d == (0, 0):
            continue
        hexes, sides = brute_force(d)
        told = walk(*d)
        told_hexes = [
            (cell, kind) for kind, first, second in told.items for cell in (first, second) if cell is not None
        ]
        assert len(told_hexes) == len(dict(told_hexes)), d
        assert dict(told_hexes) == hexes, d
        # The brute force knows no VERTEX: seen from the hexside alone it is a touched end.
        told_sides = [
            (frozenset((first, second)), TOUCH if kind == VERTEX else kind)
            for kind, first, second in told.crossings
        ]
        assert len(told_sides) == len(dict(told_sides)), d
        assert dict(told_sides) == sides, d


@given(displacements)
def test_interiors_are_joined_by_sides_vertices_and_stretches_along(d: Axial) -> None:
    told = walk(*d)
    interiors = [first for kind, first, _ in told.items if kind == CELL]
    assert interiors[0] == (0, 0)
    assert interiors[-1] == d
    passed = [(first, second) for kind, first, second in told.crossings if kind in (SIDE, VERTEX)]
    steps = set(pairwise(interiors))
    assert set(passed) <= steps
    assert len(steps) - len(passed) == sum(kind == ALONG for kind, _, _ in told.crossings)


@given(displacements)
def test_every_hex_lies_between_the_ends(d: Axial) -> None:
    # The kernel's unchecked grid offsets rest on this.
    for _, first, second in (*walk(*d).items, *walk(*d).crossings):
        for cell in (first, second):
            if cell is not None:
                assert min(0, d[0]) <= cell[0] <= max(0, d[0])
                assert min(0, d[1]) <= cell[1] <= max(0, d[1])


@given(displacements, st.integers(0, 5))
def test_turning_the_line_turns_its_items(d: Axial, steps: int) -> None:
    def turned(at: Axial | None) -> Axial | None:
        return None if at is None else rotated_axial(*at, steps)

    here, there = walk(*d), walk(*rotated_axial(*d, steps))
    assert there.items == tuple((kind, turned(first), turned(second)) for kind, first, second in here.items)
    assert there.crossings == tuple(
        (kind, turned(first), turned(second)) for kind, first, second in here.crossings
    )


@given(displacements)
def test_mirrored_line_meets_the_mirrored_hexes(d: Axial) -> None:
    def met(told: tuple[tuple[LineKind, Axial, Axial | None], ...], swap: bool) -> set[object]:
        return {
            (kind, frozenset(at[::-1] if swap else at for at in (first, second) if at is not None))
            for kind, first, second in told
        }

    # Exchanging q and r is a reflection of the hex grid.
    here, there = walk(*d), walk(d[1], d[0])
    assert met(here.items, True) == met(there.items, False)
    assert met(here.crossings, True) == met(there.crossings, False)


@given(asked(nowhere=False))
def test_reversed_line_tells_the_same_backwards(question: Asked) -> None:
    hexmap, a, b = question
    for told in (line, crossings):
        backwards = [
            (kind, hex2, hex1) if kind in TWO_HEXES else (kind, hex1, hex2)
            for kind, hex1, hex2 in reversed(told(hexmap, b, a))
        ]
        assert told(hexmap, a, b) == backwards


@given(orientations)
def test_hexes_off_the_map_are_none(orientation: str) -> None:
    hexmap = HexMap.from_axial(orientation, [(0, 0), (1, 0), (2, -1)])
    assert line(hexmap, 0, 2) == [(CELL, 0, NONE), (PAIR, NONE, 1), (CELL, 2, NONE)]
    assert (ALONG, NONE, 1) in crossings(hexmap, 0, 2)


def test_no_line_from_nowhere() -> None:
    hexmap = HexMap.from_axial("flat", [(0, 0)])
    assert line(hexmap, NONE, 0) == []
    assert crossings(hexmap, 0, NONE) == []
