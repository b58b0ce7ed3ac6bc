"""Boards: turning them, laying them together, and what a seam makes of two printed halves."""

from __future__ import annotations

from collections.abc import Mapping

import pytest
from geometry_strategies import directions, layouts
from grognard.geometry import (
    NONE,
    Board,
    Fields,
    GeometryError,
    Layout,
    Numbering,
    Placement,
    direction,
    distance,
    edge_key,
    join,
    layout_orientation,
    neighbour,
    opposite,
    placed_beside,
    placed_onto,
    turned,
)
from hypothesis import given
from hypothesis import strategies as st

CCRR = Numbering("{col:02}{row:02}")


def board(
    name: str,
    cells: Mapping[str, Fields] | None = None,
    edges: Mapping[tuple[str, int], Fields] | None = None,
) -> Board:
    return Board.rectangle(name, "odd-q", 3, 3, CCRR, cells=cells, edges=edges)


@given(layouts, st.integers(1, 5), st.integers(1, 5), st.integers(-7, 7), st.data())
def test_turning_keeps_neighbours_and_turns_directions(
    layout: Layout, columns: int, rows: int, steps: int, data: st.DataObject
) -> None:
    plain = Board.rectangle("b", layout, columns, rows)
    cell, d = data.draw(st.sampled_from(plain.names)), data.draw(directions)
    plain = Board.rectangle(
        "b", layout, columns, rows, cells={cell: {"wood": True}}, edges={(cell, d): {"wall": 1}}
    )
    before = join([Placement(plain)], "whole")
    after = join([Placement(plain.rotated(steps))], "whole")
    assert after.hexmap.names == before.hexmap.names
    for a in range(before.hexmap.n):
        for way in range(6):
            assert neighbour(after.hexmap, a, turned(way, steps)) == neighbour(before.hexmap, a, way)
            assert after.edge(a, turned(way, steps)) == before.edge(a, way)
    assert after.cell_fields == before.cell_fields
    assert plain.rotated(steps).rotated(-steps) == plain
    assert plain.rotated(6) == plain


@given(layouts, st.integers(-9, 9), st.integers(-9, 9), directions)
def test_a_hexside_has_one_key(layout: Layout, q: int, r: int, d: int) -> None:
    orientation = layout_orientation(layout)
    hexmap = join([Placement(Board.rectangle("b", layout, 3, 3))], "whole").hexmap
    centre = next(a for a in range(9) if NONE not in hexmap.neighbours[a])
    there = hexmap.neighbours[centre][d]
    here_key = edge_key(orientation, *hexmap.coordinates[centre], d)
    assert here_key == edge_key(orientation, *hexmap.coordinates[there], opposite(d))


def test_whole_hexes_side_by_side() -> None:
    west = Placement(board("1"))
    # Column 4 would be an odd one (counted from 0), so the hex se of 0301 continues the rows.
    east = placed_beside(board("2"), "0101", west, "0301", 2)
    joined = join([west, east], "whole")
    assert joined.hexmap.n == 18
    a, b = joined.hexmap.named("1-0301"), joined.hexmap.named("2-0101")
    assert direction(joined.hexmap, a, b) == 2
    assert joined.boards[a] == ("1",)
    assert distance(joined.hexmap, joined.hexmap.named("1-0101"), joined.hexmap.named("2-0301")) == 5


def test_offset_along_the_seam() -> None:
    west = Placement(board("1"))
    east = placed_beside(board("2"), "0101", west, "0303", 2)
    joined = join([west, east], "whole")
    assert direction(joined.hexmap, joined.hexmap.named("1-0303"), joined.hexmap.named("2-0101")) == 2


def test_whole_hexes_must_not_overlap() -> None:
    west = Placement(board("1"))
    with pytest.raises(GeometryError, match="'1-0301' and '2-0101' lie in the same place"):
        join([west, placed_onto(board("2"), "0101", west, "0301")], "whole")


def test_half_hexes_make_one_hex_with_two_names() -> None:
    west = Placement(board("1", cells={"0302": {"terrain": "wood"}}))
    second = board("2", cells={"0102": {"terrain": "clear"}, "0202": {"terrain": "marsh"}})
    joined = join([west, placed_onto(second, "0101", west, "0301")], "merge")
    assert joined.hexmap.n == 15
    shared = joined.hexmap.named("1-0302")
    assert shared == joined.hexmap.named("2-0102")
    assert joined.hexmap.names[shared] == "1-0302"
    assert joined.boards[shared] == ("1", "2")
    assert joined.cell_fields[shared] == {"terrain": "wood"}
    assert joined.cell_fields[joined.hexmap.named("2-0202")] == {"terrain": "marsh"}


def test_first_board_gives_a_shared_hex_its_fields_even_if_it_prints_nothing() -> None:
    west = Placement(board("1"))
    second = board("2", cells={"0102": {"terrain": "clear"}})
    joined = join([west, placed_onto(second, "0101", west, "0301")], "merge")
    assert joined.cell_fields[joined.hexmap.named("2-0102")] == {}


def test_edges_take_what_either_board_prints() -> None:
    west = Placement(board("1", edges={("0301", 3): {"wall": True}}))
    second = board("2", edges={("0102", 0): {"road": 1, "wall": True}})
    joined = join([west, placed_onto(second, "0101", west, "0301")], "merge")
    upper, lower = joined.hexmap.named("1-0301"), joined.hexmap.named("2-0102")
    assert joined.edge(upper, 3) == joined.edge(lower, 0) == {"wall": True, "road": 1}
    assert joined.edge(upper, 0) == {}


def test_edges_on_the_rim_of_whole_boards_are_shared() -> None:
    west = Placement(board("1", edges={("0301", 2): {"river": True}}))
    east = placed_beside(board("2"), "0101", west, "0301", 2)
    joined = join([west, east], "whole")
    assert joined.edge(joined.hexmap.named("2-0101"), 5) == {"river": True}


def test_contradicting_edges() -> None:
    west = Placement(board("1", edges={("0301", 3): {"height": 1}}))
    second = board("2", edges={("0102", 0): {"height": 2}})
    with pytest.raises(
        GeometryError,
        match="contradiction on the hexside n of 1-0302: 'height' is 1 on board '1', but 2 on board '2'",
    ):
        join([west, placed_onto(second, "0101", west, "0301")], "merge")
    with pytest.raises(GeometryError, match="contradiction"):
        board("1", edges={("0301", 3): {"height": 1}, ("0302", 0): {"height": 2}})


def test_turned_board_meets_the_other_upside_down() -> None:
    west = Placement(board("1"))
    east = placed_onto(board("2").rotated(3), "0303", west, "0301")
    joined = join([west, east], "merge")
    assert joined.hexmap.named("2-0302") == joined.hexmap.named("1-0302")
    assert joined.hexmap.named("2-0301") == joined.hexmap.named("1-0303")


def test_half_hexes_only_at_rims() -> None:
    west = Placement(board("1"))
    with pytest.raises(GeometryError, match="overlap too far"):
        join([west, placed_onto(board("2"), "0101", west, "0201")], "merge")


def test_boards_that_cannot_be_joined() -> None:
    with pytest.raises(GeometryError, match="no boards"):
        join([], "whole")
    with pytest.raises(GeometryError, match="two boards are called '1'"):
        join([Placement(board("1")), Placement(board("1"), (9, 9))], "whole")
    with pytest.raises(GeometryError, match="pointy-top"):
        join([Placement(board("1")), Placement(Board.rectangle("2", "odd-r", 2, 2), (9, 9))], "whole")
    with pytest.raises(GeometryError, match="no hex '0909'"):
        board("1", cells={"0909": {}})
    with pytest.raises(GeometryError, match="no hex '0909'"):
        board("1").position("0909")


def test_names_that_already_carry_the_board() -> None:
    numbered = Board.rectangle("7", "odd-q", 2, 8, Numbering("{board}-{rowletter}{col:02}"))
    joined = join([Placement(numbered)], "whole", "{cell}")
    assert joined.hexmap.names[:2] == ("7-A01", "7-B01")
