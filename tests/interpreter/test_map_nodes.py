"""Queries of maps and movement, and what every program must be, on the hand-built programs."""

from __future__ import annotations

from typing import Any

import programs
import pytest
from grognard.contract import ir
from grognard.contract.backend import (
    Io,
)
from grognard.contract.header import (
    FAIL_INDEX,
    H_CHOOSER,
    H_FP,
    H_STATUS,
    NONE,
    STATUS_RUNNING,
)
from grognard.contract.trace import trace_records
from grognard.geometry import lines
from grognard.geometry.hexmap import HexMap
from grognard.interpreter.machine import Interpreter
from interpreted import Game

MOST = 0x7FFF_FFFF


# ------------------------------------------------------------------------------------------------- maps


def the_map(game: Game) -> HexMap:
    return HexMap.rectangle("odd-q", 5, 4, absent=[(2, 1), (4, 3)])


def over(game: Game, name: str, *args: int) -> list[int]:
    io = Io(level=1)
    game.call(f"over_{name}", *args, io=io)
    return [args[0] for _, _, args in trace_records(io.trace)]


def test_verbs_on_hexes(hexes: Game) -> None:
    # Columns of 4, 4, 3, 4, 3 hexes; hex 8 is 2,0 and hex 9 is 2,2, between them a hole.
    call = hexes.call
    assert the_map(hexes).names[8:10] == ("2,0", "2,2")
    assert call("distance", 8, 9) == 2
    assert call("distance", 0, 17) == 4
    assert [call("adjacent", a, b) for a, b in ((0, 1), (1, 0), (8, 9), (0, NONE), (0, 20))] == [
        1,
        1,
        0,
        0,
        0,
    ]
    assert [call("neighbour", 1, d) for d in (0, 3, 5, 6, NONE)] == [0, 2, NONE, NONE, NONE]
    assert [call("direction", 1, b) for b in (0, 2, 9, 1, NONE)] == [0, 3, NONE, NONE, NONE]
    assert call("straight", 0, 3) == 3
    assert call("straight", 8, 9) == 3  # over the hole
    assert call("straight", 0, 0) == NONE
    assert call("toward", 0, 3, 3) == 3
    assert call("toward", 0, 3, 0) == 0
    assert call("toward", 0, 3, 4) == NONE
    assert call("toward", 8, 3, 2) == NONE  # the hole is in the way
    assert [call("opposite", d) for d in (1, 5, 6, NONE)] == [4, 2, NONE, NONE]
    assert [call("turned", 1, n) for n in (2, -2, 13)] == [3, 5, 2]
    assert [call("turns_between", 0, d) for d in (1, 3, 5)] == [1, 3, 1]
    assert [call("arc_place", 1, 0, 120, b) for b in (0, 1, 2)] == [2, 2, 0]
    assert call("arc_place", 5, 1, 60, 4) == 0
    assert call("arc_place", 5, 1, 70, 4) == NONE
    side = call("hexside", 1, 0)
    assert side == call("hexside", 0, 1) == call("side_of", 1, 0) == call("side_of", 0, 3)
    assert [call("edge_end", side, n) for n in (0, 1, 2)] == [0, 1, NONE]
    assert call("side_of", 0, 0) == NONE
    assert call("hexside", 0, 2) == NONE
    assert call("last_side", 0, 3) == call("hexside", 2, 3)
    assert call("last_side", 8, 9) == NONE  # out of the hole
    assert [call("domain_of", p) for p in (0, 17, 18, 22, -1)] == [1, 1, 2, NONE, NONE]
    assert [call("popcount", n) for n in (0, 7, -1, NONE)] == [0, 3, 32, NONE]


def test_last_side_through_a_corner(hexes: Game) -> None:
    hexmap = the_map(hexes)
    corners = [
        (a, b)
        for a in range(hexmap.n)
        for b in range(hexmap.n)
        if a != b and lines.line(hexmap, a, b)[-2].kind != lines.CELL
    ]
    assert corners
    for a, b in corners:
        assert hexes.call("last_side", a, b) == NONE


def test_verbs_on_areas(hexes: Game) -> None:
    a, b, c, d = 18, 19, 20, 21
    call = hexes.call
    assert [call("distance", a, p) for p in (a, b, d, 0)] == [0, 1, NONE, NONE]
    assert [call("adjacent", a, p) for p in (b, c, d)] == [1, 1, 0]
    assert call("direction", a, b) == call("neighbour", a, 0) == call("straight", a, b) == NONE
    link = call("hexside", c, b)
    assert link == call("hexside", b, c)
    assert over(hexes, "edge_ends", link) == [b, c]
    assert call("hexside", a, d) == NONE
    assert over(hexes, "neighbours", b) == [a, c]
    assert over(hexes, "within", b, 1) == [a, b, c]
    assert over(hexes, "line", a, b) == []


def test_over_verbs(hexes: Game) -> None:
    hexmap = the_map(hexes)
    assert over(hexes, "neighbours", 5) == [z for z in hexmap.neighbours[5] if z != NONE]
    assert over(hexes, "neighbours", 5) != sorted(over(hexes, "neighbours", 5))
    assert over(hexes, "neighbours", NONE) == over(hexes, "neighbours", 99) == []
    assert over(hexes, "within", 0, 1) == sorted([0, *(z for z in hexmap.neighbours[0] if z != NONE)])
    assert over(hexes, "within", 0, -1) == []
    assert over(hexes, "line", 0, 3) == [0, 1, 2, 3]
    assert over(hexes, "between", 0, 3) == [1, 2]
    assert over(hexes, "line", 8, 9) == [8, 9]
    assert over(hexes, "ray", 0, 3, 3) == [0, 1, 2]
    assert over(hexes, "ray", 0, 3, 9) == [0, 1, 2, 3]
    assert over(hexes, "ray", 0, 9, 9) == []
    assert over(hexes, "edge_ends", 999) == []


def test_lines_along_hexsides(hexes: Game) -> None:
    hexmap = the_map(hexes)
    pairs = 0
    for a in range(hexmap.n):
        for b in range(hexmap.n):
            io = Io(level=1)
            hexes.call("for_line", a, b, io=io)
            found = [args for _, _, args in trace_records(io.trace)]
            assert found[-1] == (0, 0, 0)  # the variables after the loop
            assert found[:-1] == [tuple(item) for item in lines.line(hexmap, a, b)]
            flat = []
            for kind, first, second in found[:-1]:
                if kind == lines.PAIR:
                    pairs += 1
                    flat += [first, second]
                elif kind == lines.CELL:
                    flat.append(first)
            assert over(hexes, "line", a, b) == [place for place in flat if place != NONE]
    assert pairs
    io = Io(level=1)
    hexes.call("for_line", NONE, 3, io=io)
    hexes.call("for_line", 18, 19, io=io)
    assert [args for _, _, args in trace_records(io.trace)] == [(0, 0, 0)] * 2


def least(game: Game, start: int, points: int) -> dict[int, int]:
    """Cheapest costs by relaxing until nothing changes."""
    hexmap, cost = the_map(game), game.field("cost")
    found = {start: 0}
    while True:
        better = {
            b: found[a] + cost[b]
            for a in found
            for b in hexmap.neighbours[a]
            if b != NONE
            and cost[b] != NONE
            and found[a] + cost[b] <= points
            and found[a] + cost[b] < found.get(b, MOST)
        }
        if not better:
            return found
        for b, price in better.items():
            found[b] = min(found.get(b, MOST), price)


@pytest.mark.parametrize("points", [0, 1, 2, 3, 5, 9])
def test_movement(hexes: Game, points: int) -> None:
    costs = least(hexes, 3, points)
    ends = {p for p in costs if p not in (3, 5)}  # nobody may end in 5 or stay
    assert hexes.call("reach_march", 3, points) == ends
    for to in range(18):
        assert hexes.call("cost_march", 3, points, to) == (costs[to] if to in ends else NONE)
    assert hexes.call("cost_march", 3, points, NONE) == NONE


def test_movement_rules(hexes: Game) -> None:
    call = hexes.call
    assert call("reach_march", NONE, 3) == frozenset()
    hexes.fails(FAIL_INDEX, "reach_march", 99, 3, at="march")
    # A zone stops, but does not hold who starts in it.
    free = call("reach_march", 0, 3)
    call("set_zone", 1)
    assert call("reach_march", 0, 2) < free
    assert 1 in call("reach_march", 0, 2)
    assert 2 not in call("reach_march", 0, 2)
    assert 2 in call("reach_march", 1, 1)
    # No allowance is no limit; a hex that costs NONE stays closed.
    assert call("reach_crawl", 0, NONE) == set(range(18)) - {9}
    # Minimum one step: the bog costs 3, yet one point gets there, and no further.
    assert call("neighbour", 6, 0) == 5 and 7 in over(hexes, "neighbours", 6)
    assert call("cost_crawl", 6, 1, 7) == 3
    assert call("reach_crawl", 6, 0) == {6, *over(hexes, "neighbours", 6)} - {9}
    # Areas: the same search in their graph.
    assert call("reach_crawl", 18, 5) == {18, 19, 20}
    assert call("cost_crawl", 18, 5, 21) == NONE
    assert call("cost_crawl", 18, 5, 18) == 0
    # A movement keeps to its space.
    assert call("reach_west", 0, 9) == set(range(8))
    call("set_cost", 1, 9)
    assert call("cost_march", 0, 9, 1) == 9


def test_a_dear_way_may_go_on_where_the_cheap_one_stops(hexes: Game) -> None:
    call = hexes.call
    assert over(hexes, "neighbours", 1) == [0, 4, 5, 2]
    assert over(hexes, "neighbours", 0) == [4, 1]
    for place in range(18):
        if place not in (0, 1, 2, 4):
            call("set_cost", place, NONE)
    # From 0 straight into 1 is the end of it; round by 4 one comes into 1 later and may go on to 2.
    assert call("cost_gated", 0, 9, 1) == 1
    assert call("cost_gated", 0, 9, 2) == 3
    assert call("reach_gated", 0, 2) == {0, 1, 4}
    assert call("reach_gated", 0, 3) == {0, 1, 2, 4}


# ------------------------------------------------------------------------------------------- odds and ends


def test_status_names_are_as_the_header_says() -> None:
    game = Game(programs.duel)
    assert (game[H_STATUS], game[H_CHOOSER], game[H_FP]) == (STATUS_RUNNING, NONE, NONE)
    with pytest.raises(ValueError, match="nothing to run"):
        game.engine.resume(game.cells, Io())


def test_malformed_programs_are_refused() -> None:
    def build(body: tuple[ir.Stmt, ...], locals: Any = (("n", programs.INT),), result: Any = None) -> None:
        b = programs.Builder("bad")
        b.domain("side", "side", "red blue")
        b.domain("other", "enum", "x y z")
        b.function("bad", 0, locals, body, result)
        program, layout, data, cells = b.build()
        # A function is made when it is first called.
        Interpreter(program, layout, data).call(bytearray(cells), 0, (), Io())

    sets = (("s", ir.SetType(0)),)
    build((ir.Assign(0, ir.Const(1)),))
    with pytest.raises(ValueError, match="break outside"):
        build((ir.Break(),))
    with pytest.raises(ValueError, match="over domain"):
        build((ir.AssignSet(0, ir.SetOf(1, ())),), sets)
    with pytest.raises(ValueError, match="is no IntType"):
        build((ir.Assign(0, ir.Const(1)),), sets)
    with pytest.raises(ValueError, match="gives nothing back"):
        build((ir.Return(ir.Const(1)),))
    with pytest.raises(ValueError, match="needs value"):
        build((ir.Assign(0, ir.Aggregate("sum", 0, ir.OverDomain(0), None, None, 0)),))


def test_every_node_is_covered() -> None:
    """The programs use every node of the IR; a new one must be added to them."""
    used: set[type] = set()

    def visit(node: Any) -> None:
        if isinstance(node, tuple):
            for part in node:
                visit(part)
        elif hasattr(node, "__dataclass_fields__"):
            used.add(type(node))
            for name in node.__dataclass_fields__:
                visit(getattr(node, name))

    for make in programs.PROGRAMS.values():
        visit(make()[0])
    every = {
        member
        for alias in (ir.Expr, ir.SetExpr, ir.ListExpr, ir.Over, ir.Stmt, ir.Terminator)
        for member in alias.__args__
    }
    assert every - used == set()
