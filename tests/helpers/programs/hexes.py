"""Maps: queries, lines, movement."""

from __future__ import annotations

from array import array

from grognard.contract import ir
from grognard.contract.datablock import (
    MapData,
)
from grognard.contract.header import (
    NONE,
)
from grognard.geometry.hexmap import HexMap

from programs.builder import INT, Builder, Built, c, loc, op


def hexes() -> Built:
    """A flat-top map of 5 columns and 4 rows without two of its hexes, and a graph of four areas behind it."""
    b = Builder("hexes")
    hexmap = HexMap.rectangle("odd-q", 5, 4, absent=[(2, 1), (4, 3)])
    n = hexmap.n
    areas = ["A", "B", "C", "D"]
    links = {0: [1, 2], 1: [0, 2], 2: [0, 1], 3: []}
    place = b.domain("place", "place", " ".join([name.replace(",", "_") for name in hexmap.names] + areas))
    grid = b.domain("hex", "place", n)
    area = b.domain("area", "place", " ".join(areas), base=n)
    pairs = sorted({(min(a, z), max(a, z)) for a in range(n) for z in hexmap.neighbours[a] if z != NONE})
    edge = b.domain("edge", "edge", len(pairs))
    area_pairs = [(0, 1), (0, 2), (1, 2)]
    link = b.domain("link", "edge", 3, base=len(pairs))
    direction = b.domain("direction", "direction", "n ne se s sw nw")
    west = b.domain("west", "place", 8)  # the first two columns
    starts = [0]
    for number in range(4):
        starts.append(starts[-1] + len(links[number]))
    b.maps = [
        MapData(
            "hexes",
            grid,
            0,
            n,
            True,
            tuple(q for q, _ in hexmap.coordinates),
            tuple(r for _, r in hexmap.coordinates),
            tuple(z for around in hexmap.neighbours for z in around),
            edge_domain=edge,
            edge_base=0,
            edge_a=tuple(a for a, _ in pairs),
            edge_b=tuple(z for _, z in pairs),
            side_edge=tuple(
                NONE if z == NONE else pairs.index((min(a, z), max(a, z)))
                for a in range(n)
                for z in hexmap.neighbours[a]
            ),
        ),
        MapData(
            "areas",
            area,
            n,
            4,
            start=tuple(starts),
            adjacent=tuple(z for number in range(4) for z in links[number]),
            edge_domain=link,
            edge_base=len(pairs),
            edge_a=tuple(a for a, _ in area_pairs),
            edge_b=tuple(z for _, z in area_pairs),
            side_edge=tuple(area_pairs.index((min(a, z), max(a, z))) for a in range(4) for z in links[a]),
        ),
    ]
    b.place_domain = array("i", [grid] * n + [area] * 4)
    b.more = {"spaces": (grid, area)}
    # Hex 7 is a bog (cost 3), hex 9 is closed, everything else costs 1.
    cost = b.field("cost", (place,), lo=0, hi=9, optional=True, default=1)
    zone = b.field("zone", (), ir.SetType(place))
    s_move = b.site("rule", "march")
    s_verb = b.site("rule", "verb")
    s_line = b.site("rule", "line")
    for name, arity in ir.VERBS.items():
        params = tuple((f"p{i}", INT) for i in range(arity))
        b.expr(name, arity, params, ir.Verb(name, tuple(loc(i) for i in range(arity)), s_verb))
    for name, arity in (
        ("neighbours", 1),
        ("within", 2),
        ("line", 2),
        ("between", 2),
        ("ray", 3),
        ("edge_ends", 1),
    ):
        # Yields the places as digits to the base 100, so that their order shows.
        params = tuple((f"p{i}", INT) for i in range(arity))
        b.function(
            f"over_{name}",
            arity,
            (*params, ("x", INT)),
            (
                ir.For(
                    arity,
                    ir.OverVerb(name, tuple(loc(i) for i in range(arity)), s_verb),
                    place,
                    None,
                    None,
                    False,
                    (ir.Note(1, s_verb, (loc(arity),)),),
                    s_verb,
                ),
            ),
            None,
        )
    b.function(
        "for_line",
        2,
        (("a", INT), ("b", INT), ("kind", INT), ("first", INT), ("second", INT)),
        (
            ir.ForLine(
                2,
                3,
                4,
                loc(0),
                loc(1),
                (
                    ir.Note(1, s_line, (loc(2), loc(3), loc(4))),
                    ir.IfStmt(op("eq", loc(3), c(99)), (ir.Break(),)),
                ),
                s_line,
            ),
            ir.Note(1, s_line, (loc(2), loc(3), loc(4))),
        ),
        None,
    )
    who = (("start", INT), ("points", INT))
    steps = (*who, ("a", INT), ("b", INT))
    f_start = b.expr("m_start", 2, who, loc(0))
    f_points = b.expr("m_points", 2, who, loc(1))
    f_cost = b.expr("m_cost", 5, (*steps, ("spent", INT)), ir.Load(cost, (loc(3),), s_move))
    f_stop = b.expr("m_stop", 4, steps, ir.In(loc(3), ir.SetLoad(zone, (), s_move)))
    # Nothing goes on over the hexside 0|1, but one may come into hex 1 from elsewhere and go on.
    f_gate = b.expr("m_gate", 4, steps, op("and", op("eq", loc(2), c(0)), op("eq", loc(3), c(1))))
    f_ends = b.expr("m_ends", 3, (*who, ("b", INT)), op("ne", loc(2), c(5)))
    b.movements = [
        ir.Movement(0, "march", grid, 2, f_start, f_points, f_cost, f_stop, f_ends, False, False, s_move),
        ir.Movement(1, "crawl", place, 2, f_start, f_points, f_cost, None, None, True, True, s_move),
        ir.Movement(2, "gated", grid, 2, f_start, f_points, f_cost, f_gate, None, True, False, s_move),
        ir.Movement(3, "west", west, 2, f_start, f_points, f_cost, None, None, True, False, s_move),
    ]
    for movement in b.movements:
        b.expr(f"reach_{movement.name}", 2, who, ir.ReachSet(movement.id, (loc(0), loc(1)), place))
        b.expr(
            f"cost_{movement.name}",
            3,
            (*who, ("to", INT)),
            ir.ReachCost(movement.id, (loc(0), loc(1)), loc(2)),
        )
    b.function(
        "set_cost",
        2,
        (("p", INT), ("n", INT)),
        (ir.Store(cost, (loc(0),), loc(1), "set", False, s_move),),
        None,
        False,
    )
    b.function(
        "set_zone", 1, (("p", INT),), (ir.StoreSetChange(zone, (), loc(0), True, s_move),), None, False
    )
    b.machine("main", 0, (), (ir.Block((), ir.ReturnMachine()),))
    program, layout, data, cells = b.build()
    assert layout.count[direction] == 6
    view = memoryview(cells).cast("i")
    view[layout.field_offset[cost] + 7] = 3
    view[layout.field_offset[cost] + 9] = NONE
    view.release()
    return program, layout, data, cells
