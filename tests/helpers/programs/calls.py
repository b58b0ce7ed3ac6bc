"""Machines that call machines."""

from __future__ import annotations

from grognard.contract import ir
from grognard.contract.header import (
    DONE,
    NONE,
)

from programs.builder import INT, Builder, Built, c, loc, machine_id_in, op


def calls() -> Built:
    """`main` hands a set to `pick`, which asks until it is told to stop and gives back how many it took."""
    b = Builder("calls")
    side = b.domain("side", "side", "red blue")
    card = b.domain("card", "enum", 40, base=5)
    taken = b.field("taken", (), ir.SetType(card))
    order = b.field("order", (), ir.ListType(8))
    total = b.field("total", (), lo=0, hi=10000)
    cards = ir.SetType(card)
    s_pick = b.site("choice", "{0} picks {1}")
    s_main = b.site("phase", "main")
    s_deep = b.site("phase", "deep")
    s_empty = b.site("fail", "nothing to choose")
    offer = b.function(
        "offer",
        2,
        (("hand", cards), ("gone", ir.ListType(8)), ("x", INT), ("y", INT)),
        (
            ir.For(
                2,
                ir.OverSet(ir.SetLocal(0)),
                card,
                ir.Unary(
                    "not",
                    ir.Aggregate("any", 3, ir.OverList(ir.ListLocal(1)), op("eq", loc(3), loc(2)), None, 0),
                ),
                ir.Unary("neg", loc(2)),
                False,
                (ir.Yield(loc(2)),),
                0,
            ),
        ),
        None,
    )
    nothing = b.function("nothing", 0, (), (), None)
    a_pick = b.ask("pick.card", f"dom:{card}", s_pick)
    a_none = b.ask("pick.nothing", "int", s_empty)
    # hand comes first as a parameter, yet lies behind the integers in the frame
    hand, who, gone, x, n = range(5)
    pick = b.machine(
        "pick",
        2,
        (("hand", cards), ("who", INT), ("gone", ir.ListType(8)), ("x", INT), ("n", INT)),
        (
            ir.Block(
                (),
                ir.Ask(
                    a_pick,
                    offer,
                    (ir.SetLocal(hand), ir.ListLocal(gone)),
                    loc(who),
                    x,
                    1,
                    3,
                    NONE,
                    None,
                    False,
                    None,
                    None,
                    s_pick,
                ),
            ),
            ir.Block((), ir.Branch(op("eq", loc(x), c(NONE)), 3, 2)),
            ir.Block(
                (
                    ir.ListAppend(gone, loc(x), s_pick),
                    ir.SetChange(hand, op("add", loc(x), c(1)), False),
                    ir.StoreSetChange(taken, (), loc(x), True, s_pick),
                    ir.Assign(n, op("add", loc(n), c(1))),
                ),
                ir.Jump(0),
            ),
            ir.Block((ir.StoreList(order, (), ir.ListLocal(gone), s_pick),), ir.ReturnMachine(loc(n))),
        ),
        result=True,
        site=s_pick,
    )
    i, got, rest, sum_ = range(4)
    b.machine(
        "main",
        1,
        (("i", INT), ("got", INT), ("rest", cards), ("sum", INT)),
        (
            ir.Block(
                (
                    ir.AssignSet(rest, ir.SetBuild(card, got, ir.OverRange(c(10), c(12)), None, None)),
                    ir.SetChange(rest, c(43), True),
                ),
                ir.CallMachine(pick, (ir.SetLocal(rest), loc(i)), got, 1),
            ),
            ir.Block(
                (
                    # Keyed loop over frame locals: 12, 11, 10 come in that order and make different sums.
                    ir.For(
                        i,
                        ir.OverSet(ir.SetBinary("minus", ir.SetLocal(rest), ir.SetOf(card, (c(43),)))),
                        card,
                        None,
                        loc(i),
                        True,
                        (ir.Assign(sum_, op("add", op("mul", loc(sum_), c(10)), op("sub", loc(i), c(10)))),),
                        s_main,
                    ),
                    ir.Store(
                        total, (), op("add", loc(sum_), op("mul", loc(got), c(1000))), "set", False, s_main
                    ),
                ),
                ir.CallMachine(pick, (ir.SetOf(card, ()), c(1)), None, 2),
            ),
            ir.Block((), ir.ReturnMachine()),
        ),
        site=s_main,
    )
    deep = len(b.machines)
    b.machine(
        "deep",
        1,
        (("n", INT), ("r", INT)),
        (
            ir.Block((), ir.Branch(op("le", loc(0), c(0)), 2, 1)),
            ir.Block((), ir.CallMachine(deep, (op("sub", loc(0), c(1)),), 1, 3)),
            ir.Block((), ir.ReturnMachine(c(7))),
            ir.Block(
                (ir.Store(total, (), op("add", loc(1), loc(0)), "set", False, s_deep),),
                ir.ReturnMachine(op("add", loc(1), c(1))),
            ),
        ),
        result=True,
        site=s_deep,
    )
    b.machine(
        "stuck",
        0,
        (("x", INT),),
        (
            ir.Block(
                (), ir.Ask(a_none, nothing, (), c(0), 0, 1, None, None, None, False, None, None, s_empty)
            ),
            ir.Block((), ir.EndGame(c(0))),
        ),
    )
    odd = b.function(
        "odd", 0, (), (ir.Yield(c(NONE)), ir.Yield(c(3)), ir.Yield(c(DONE)), ir.Yield(c(4))), None
    )
    b.machine(
        "odd",
        0,
        (("x", INT),),
        (
            ir.Block((), ir.Ask(a_none, odd, (), c(0), 0, 1, None, DONE, None, False, None, None, s_empty)),
            ir.Block((), ir.EndGame(c(0))),
        ),
    )
    nobody = ir.Ask(a_none, odd, (), c(2), 0, 0, None, None, None, False, None, None, s_empty)
    b.machine("nobody", 0, (("x", INT),), (ir.Block((), nobody),))
    some = ir.OverRange(c(5), c(9))
    b.machine(
        "vars",
        0,
        (("i", INT), ("j", INT), ("k", INT), ("m", INT), ("s", cards), ("l", ir.ListType(2)), ("n", INT)),
        (
            ir.Block(
                (
                    ir.For(0, some, None, None, None, False, (ir.Assign(6, loc(0)),), s_main),
                    ir.For(0, some, None, None, None, False, (ir.Break(),), s_main),
                    ir.For(0, some, None, op("lt", loc(0), c(0)), None, False, (), s_main),
                    ir.Assign(6, ir.Aggregate("first", 1, some, None, None, s_main)),
                    ir.AssignSet(4, ir.SetBuild(card, 2, some, None, None)),
                    ir.ListAppend(5, c(8), s_main),
                    ir.ListAppend(5, c(9), s_main),
                    ir.Assign(
                        6,
                        op(
                            "add",
                            loc(6),
                            ir.Coverable(2, ir.SetLocal(4), 3, op("eq", loc(2), loc(3)), 5, c(7)),
                        ),
                    ),
                    ir.ListClear(5),
                    ir.ListAppend(5, c(2), s_main),
                    ir.AssignList(5, ir.ListLocal(5)),
                    ir.Roll(c(1), c(4), c(4), None, 5, s_main),
                ),
                ir.Ask(a_none, odd, (), c(0), 0, 1, None, None, None, False, None, None, s_empty),
            ),
            ir.Block((), ir.EndGame(c(0))),
        ),
    )
    b.machine("spin", 0, (), (ir.Block((), ir.Jump(0)),), site=s_deep)
    b.machine("win", 1, (("s", INT),), (ir.Block((), ir.EndGame(loc(0))),))
    b.more = {"seats": side, "sides": side}
    return b.build(main=machine_id_in(b, "odd"))
