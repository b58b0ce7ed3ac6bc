"""Hypotheticals."""

from __future__ import annotations

from grognard.contract import ir
from grognard.contract.header import (
    NONE,
)

from programs.builder import INT, Builder, Built, c, loc, machine_id_in, op


def hypothetical() -> Built:
    """`main` lets a side take 0..3 gold only if `plan`, two more helpings of 0..3 with a die, can still end on 9."""
    b = Builder("hypothetical")
    side = b.domain("side", "side", "red blue")
    gold = b.field("gold", (), lo=0, hi=100)
    best = b.field("best", (), lo=-1, hi=100, optional=True)
    s_take = b.site("choice", "{0} takes {1}")
    s_die = b.site("roll", "luck")
    s_best = b.site("write", "best")
    offer = b.function(
        "offer",
        1,
        (("from", INT), ("x", INT)),
        (ir.For(1, ir.OverRange(loc(0), c(3)), None, None, None, False, (ir.Yield(loc(1)),), 0),),
        None,
    )
    a_take = b.ask("take", "int", s_take)

    def take(local: int, block: int, lowest: ir.Expr, empty: int | None = None) -> ir.Ask:
        return ir.Ask(
            a_take, offer, (lowest,), c(0), local, block, empty, None, None, False, None, None, s_take
        )

    def add(local: int) -> ir.Stmt:
        return ir.Store(gold, (), loc(local), "add", False, s_take)

    plan = b.machine(
        "plan",
        1,
        (("least", INT), ("x", INT), ("die", INT)),
        (
            ir.Block((), take(1, 1, loc(0), 4)),
            ir.Block((add(1), ir.Roll(c(1), c(2), c(2), 2, None, s_die)), take(1, 2, c(0))),
            ir.Block((add(1),), ir.Branch(op("eq", loc(1), c(1)), 3, 5)),
            # Taking exactly one the second time leads nowhere.
            ir.Block((), ir.EndGame(c(NONE))),
            ir.Block((), ir.EndGame(c(-1))),
            ir.Block((), ir.EndGame(op("add", ir.Load(gold, (), s_best), loc(2)))),
        ),
        site=s_take,
    )
    can = b.function(
        "can",
        0,
        (("x", INT),),
        (
            ir.For(
                0,
                ir.OverRange(c(0), c(3)),
                None,
                op("ge", op("add", loc(0), ir.AtBest(plan, (c(0),), c(9), s_best)), c(9)),
                None,
                False,
                (ir.Yield(loc(0)),),
                0,
            ),
        ),
        None,
    )
    wanted = ir.Ask(a_take, can, (), c(1), 0, 1, 2, None, None, False, None, None, s_take)
    b.machine(
        "main",
        0,
        (("x", INT),),
        (
            ir.Block((), wanted),
            ir.Block(
                (
                    add(0),
                    ir.Store(best, (), ir.AtBest(plan, (c(2),), None, s_best), "set", False, s_best),
                ),
                ir.Jump(0),
            ),
            ir.Block(
                (ir.Store(best, (), ir.AtBest(plan, (c(4),), None, s_best), "set", False, s_best),),
                ir.EndGame(c(1)),
            ),
        ),
        site=s_take,
    )
    b.more = {"seats": side, "sides": side}
    return b.build(main=machine_id_in(b, "main"))
