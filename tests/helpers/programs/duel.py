"""A dice duel: decisions, views, rolls."""

from __future__ import annotations

from grognard.contract import ir
from grognard.contract.header import (
    DONE,
    H_PLY,
    NONE,
)

from programs.builder import FLAG, INT, Builder, Built, c, loc, op


def duel() -> Built:
    """Two sides roll in turn; on 6 and more the roller picks a target among the enemies still alive.

    The target's owner may then spend a shield in the middle of the combat.  Hidden: each side's shields, which
    the other side's decisions must not see (the ask `target` filters on them, on the chooser's view).
    """
    b = Builder("duel")
    side = b.domain("side", "side", "red blue")
    # Three counters a side; base 10 so that nothing works by mistaking a value for an offset.
    unit = b.domain("unit", "piece", "r1 r2 r3 b1 b2 b3", base=10, alive=0, interchangeable=True)
    b.field("alive", (unit,), FLAG, lo=0, hi=1, default=1)
    hp = b.field("hp", (unit,), lo=0, hi=9, default=4)
    shields = b.field("shields", (side,), lo=0, hi=9, default=2)
    aimed = b.field("aimed", (), ir.IntType(f"dom:{unit}"), optional=True, default=NONE)
    hits = b.field("hits", (), lo=0, hi=1000)
    b.field("marked", (side,), ir.SetType(unit))
    b.field("queue", (), ir.ListType(2, f"dom:{unit}"))
    owner = b.column("owner", (unit,), [0, 0, 0, 1, 1, 1])
    where = b.site("rule", "units")
    s_roll = b.site("roll", "{0} dice {1}-{2}", ("4.1",))
    s_target = b.site("choice", "{0} aims at {1}", ("4.2",), ("dom:0", "dom:1"))
    s_shield = b.site("choice", "{0} spends {1}", ("4.3",))
    s_hit = b.site("log", "{0} takes {1}", ("4.4", "errata 2"), ("dom:1", "int"))
    s_secret = b.site("log", "shields left {0}")

    foe = op("eq", ir.Data(owner, (loc(1),), where), op("sub", c(1), loc(0)))
    # Reads what the chooser may not know: a side without shields keeps its third counter out of sight.
    third = op("eq", op("mod", op("sub", loc(1), ir.DomainBase(unit)), c(3)), c(2))
    bare = op("eq", ir.Load(shields, (op("sub", c(1), loc(0)),), where), c(0))
    targets = b.function(
        "targets",
        1,
        (("s", INT), ("u", INT)),
        (
            ir.For(
                1,
                ir.OverDomain(unit),
                unit,
                op("and", foe, ir.Unary("not", op("and", third, bare))),
                None,
                False,
                # Never seen: looking for candidates is not traced.
                (ir.Note(1, where, (loc(1),)), ir.Yield(loc(1))),
                where,
            ),
        ),
        None,
    )
    yes_no = b.function("yes_no", 0, (), (ir.Yield(c(1)), ir.Yield(c(0)), ir.Yield(c(1))), None)
    hit = b.function(
        "hit",
        2,
        (("u", INT), ("n", INT)),
        (
            ir.Store(hp, (loc(0),), ir.Unary("neg", loc(1)), "add", True, s_hit),
            ir.Store(hits, (), loc(1), "add", False, s_hit),
            ir.Note(1, s_hit, (loc(0), loc(1))),
            ir.IfStmt(
                op("le", ir.Load(hp, (loc(0),), s_hit), c(0)),
                (ir.Destroy(unit, loc(0), s_hit),),
            ),
        ),
        None,
        pure=False,
    )
    left = b.expr(
        "left",
        1,
        (("s", INT), ("u", INT)),
        ir.Aggregate(
            "count",
            1,
            ir.OverDomain(unit),
            op("eq", ir.Data(owner, (loc(1),), where), loc(0)),
            None,
            where,
        ),
    )
    b.function(
        "like_first",
        1,
        (("units", ir.SetType(unit)),),
        (ir.Return(ir.Alike(unit, ir.SetLocal(0))),),
        ir.SetType(unit),
    )
    view = b.function(
        "view",
        1,
        (("seat", INT),),
        (ir.Store(shields, (op("sub", c(1), loc(0)),), c(9), "set", False, where),),
        None,
        pure=False,
    )
    a_target = b.ask("fire.target", f"dom:{unit}", s_target, on_view=True)
    a_shield = b.ask("fire.shield", "flag", s_shield)
    turn, s, roll, target, pool, spend = range(6)
    enemy = op("sub", c(1), loc(s))
    b.machine(
        "main",
        0,
        (
            ("turn", INT),
            ("s", INT),
            ("roll", INT),
            ("target", INT),
            ("pool", ir.ListType(4)),
            ("spend", INT),
        ),
        (
            ir.Block(
                (
                    ir.Assign(turn, op("add", loc(turn), c(1))),
                    ir.Assign(s, op("mod", loc(turn), c(2))),
                    ir.Assign(spend, c(0)),
                    ir.Store(aimed, (), c(NONE), "set", False, where),
                    ir.Roll(c(2), c(1), c(6), roll, pool, s_roll),
                    ir.StoreHead(H_PLY, loc(turn)),
                ),
                ir.Branch(op("ge", loc(roll), c(6)), 1, 5),
            ),
            ir.Block(
                (),
                ir.Ask(
                    a_target,
                    targets,
                    (loc(s),),
                    loc(s),
                    target,
                    2,
                    6,
                    DONE,
                    op("gt", ir.Load(shields, (loc(s),), where), c(0)),
                    True,
                    unit,
                    None,
                    s_target,
                ),
            ),
            ir.Block((), ir.Branch(op("eq", loc(target), c(DONE)), 5, 3)),
            ir.Block(
                (ir.Store(aimed, (), loc(target), "set", False, where),),
                ir.Branch(op("gt", ir.Load(shields, (enemy,), where), c(0)), 4, 7),
            ),
            ir.Block(
                (),
                ir.Ask(
                    a_shield,
                    yes_no,
                    (),
                    enemy,
                    spend,
                    7,
                    None,
                    None,
                    None,
                    True,
                    None,
                    op("add", c(1), c(1)),
                    s_shield,
                ),
            ),
            ir.Block((), ir.Branch(op("ge", loc(turn), c(60)), 6, 0)),
            ir.Block(
                (),
                ir.EndGame(
                    ir.Aggregate(
                        "only_high",
                        s,
                        ir.OverDomain(side),
                        None,
                        ir.Call(left, (loc(s),)),
                        where,
                    )
                ),
            ),
            ir.Block(
                (
                    ir.IfStmt(
                        loc(spend),
                        (
                            ir.Store(shields, (enemy,), c(-1), "add", False, where),
                            ir.Note(1, s_secret, (ir.Load(shields, (enemy,), where),), enemy),
                        ),
                        (
                            ir.Do(
                                hit,
                                (
                                    loc(target),
                                    op("sub", loc(roll), ir.ListItem(ir.ListLocal(pool), c(1), where)),
                                ),
                                None,
                            ),
                        ),
                    ),
                ),
                ir.Branch(op("eq", ir.Call(left, (enemy,)), c(0)), 6, 5),
            ),
        ),
    )
    b.more = {"view": view, "seats": side, "sides": side}
    return b.build()
