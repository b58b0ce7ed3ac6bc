"""Sets, aggregates, lists, tables: every node that a function may have."""

from __future__ import annotations

from typing import get_args

from grognard.contract import ir
from grognard.contract.datablock import (
    CLAMP_HIGH,
    CLAMP_LOW,
)
from grognard.contract.header import (
    FAIL_REQUIRE,
    H_PLY,
    NONE,
)

from programs.builder import FLAG, INT, Builder, Built, c, loc, op


def kitchen() -> Built:
    """No machine of interest: functions that each show one kind of expression or statement."""
    b = Builder("kitchen")
    side = b.domain("side", "side", "red blue")
    num = b.domain("num", "range", 70, base=-3)  # three words, negative base
    piece = b.domain("piece", "piece", 5, base=100, alive=0)
    colour = b.domain("colour", "enum", "green grey")
    b.field("alive", (piece,), FLAG, lo=0, hi=1)
    power = b.field("power", (piece, side), lo=-5, hi=20, default=3)
    mood = b.field("mood", (piece,), lo=0, hi=9, default=7)
    tags = b.field("tags", (piece,), ir.SetType(colour))
    bag = b.field("bag", (), ir.SetType(num))
    bags = b.field("bags", (side,), ir.SetType(num))
    route = b.field("route", (side,), ir.ListType(4))
    opt = b.field("opt", (), lo=0, hi=5, optional=True, default=NONE)
    plain = b.field("plain", (), lo=-100, hi=100, default=0)
    saved = b.field("saved", (side,), ir.SetType(num))
    weight = b.column("weight", (num,), [(i * 7) % 11 for i in range(70)])
    primes = b.column(
        "primes",
        (side,),
        [_word(1 << 5 | 1 << 6 | 1 << 31), 1 << 8, 0, 0, _word(1 << 31), 1],
        ir.SetType(num),
    )
    # Rows 1..6, the first clamping low and the second high; column 3 of the second axis is a gap.
    crt = b.table(
        "crt",
        [(1, 6, CLAMP_LOW, [0, 0, 1, 1, 2, 2]), (0, 4, CLAMP_HIGH, [0, 1, 2, -1, 3])],
        [3, 4],
        list(range(100, 112)),
    )
    scalar = b.table("scalar", [], [], [42])
    answer = b.symbol("answer", 42)
    names: dict[str, int] = {}

    def at(text: str) -> int:
        names[text] = b.site("rule", text)
        return names[text]

    two = (("a", INT), ("b", INT))
    for binary in get_args(ir.BinaryOp):
        b.expr(binary, 2, two, op(binary, loc(0), loc(1), at(binary)))
    comparisons: tuple[ir.BinaryOp, ...] = ("eq", "ne", "lt", "le", "gt", "ge")
    for binary in comparisons:
        b.expr(f"{binary}_3", 1, (("a", INT),), op(binary, loc(0), c(3)))
        b.expr(f"{binary}_none", 1, (("a", INT),), op(binary, loc(0), c(NONE)))
    for unary in get_args(ir.UnaryOp):
        b.expr(unary, 1, (("a", INT),), ir.Unary(unary, loc(0)))
    b.expr("if", 1, (("a", INT),), ir.If(loc(0), c(7), ir.Binary("div_down", c(1), c(0), at("never"))))
    b.expr("symbol", 0, (), ir.Sym(answer))
    b.expr("count_num", 0, (), ir.DomainCount(num))
    b.expr("base_num", 0, (), ir.DomainBase(num))
    b.expr("head", 0, (), ir.Head(H_PLY))
    b.expr("crt", 2, two, ir.TableGet(crt, (loc(0), loc(1)), at("crt lookup")))
    b.expr("scalar", 0, (), ir.TableGet(scalar, (), at("scalar lookup")))
    b.expr("power", 2, two, ir.Load(power, (loc(0), loc(1)), at("power read")))
    b.expr("mood", 1, (("p", INT),), ir.Load(mood, (loc(0),), at("mood read")))
    b.expr("weight", 1, (("n", INT),), ir.Data(weight, (loc(0),), at("weight read")))

    # -- aggregates: over numbers a..b, where odd, of weight
    low_high_i = (("a", INT), ("b", INT), ("i", INT))
    odd = op("eq", op("mod", loc(2), c(2)), c(1))
    for how in ("count", "any", "first", "last", "only", "the"):
        b.expr(
            f"agg_{how}",
            2,
            low_high_i,
            ir.Aggregate(how, 2, ir.OverRange(loc(0), loc(1)), odd, None, at(f"agg {how}")),
        )
    for how in ("sum", "min", "max", "best_high", "best_low", "only_high", "only_low"):
        value = ir.Data(weight, (loc(2),), 0)
        b.expr(
            f"agg_{how}",
            2,
            low_high_i,
            ir.Aggregate(how, 2, ir.OverRange(loc(0), loc(1)), odd, value, at(f"agg {how}")),  # type: ignore[arg-type]
        )
    b.expr(
        "agg_all",
        2,
        low_high_i,
        ir.Aggregate("all", 2, ir.OverRange(loc(0), loc(1)), odd, op("gt", loc(2), c(4)), 0),
    )
    b.expr(
        "agg_some_none",
        0,
        (("i", INT),),
        # Values that are NONE are left out of a best, a sum and a minimum.
        ir.Aggregate(
            "best_low",
            0,
            ir.OverRange(c(1), c(5)),
            None,
            ir.If(op("eq", op("div_down", loc(0), c(2)), c(1)), loc(0), c(NONE)),
            0,
        ),
    )
    b.expr(
        "sum_big",
        2,
        low_high_i,
        ir.Aggregate("sum", 2, ir.OverItems((loc(0), c(NONE), loc(1))), None, loc(2), at("big sum")),
    )
    b.expr(
        "sum_list",
        1,
        (("l", ir.ListType(6)), ("i", INT)),
        ir.Aggregate("sum", 1, ir.OverList(ir.ListLocal(0)), None, loc(1), 0),
    )
    b.expr(
        "sum_set",
        1,
        (("s", ir.SetType(num)), ("i", INT)),
        ir.Aggregate("sum", 1, ir.OverSet(ir.SetLocal(0)), None, loc(1), 0),
    )
    b.expr("living", 0, (("p", INT),), ir.Aggregate("count", 0, ir.OverDomain(piece), None, None, 0))
    # -- sets
    nums = ir.SetType(num)
    s2 = (("x", nums), ("y", nums))
    for how in ("union", "minus", "inter"):
        b.function(
            how,
            2,
            s2,
            (ir.Return(ir.SetBinary(how, ir.SetLocal(0), ir.SetLocal(1))),),  # type: ignore[arg-type]
            nums,
        )
    b.expr("set_equal", 2, s2, ir.SetEqual(ir.SetLocal(0), ir.SetLocal(1)))
    b.expr("subset", 2, s2, ir.Subset(ir.SetLocal(0), ir.SetLocal(1)))
    b.expr("set_count", 1, (("x", nums),), ir.SetCount(ir.SetLocal(0)))
    b.expr("set_next", 2, (("x", nums), ("n", INT)), ir.SetNext(ir.SetLocal(0), loc(1)))
    b.expr("in", 2, (("x", nums), ("n", INT)), ir.In(loc(1), ir.SetLocal(0)))
    b.expr(
        "multiples",
        1,
        (("k", INT), ("i", INT)),
        ir.SetBuild(num, 1, ir.OverDomain(num), op("eq", op("mod", loc(1), loc(0)), c(0)), None),
    )
    b.expr(
        "doubled",
        2,
        low_high_i,
        ir.SetBuild(
            num,
            2,
            ir.OverRange(loc(0), loc(1)),
            None,
            ir.If(op("eq", loc(2), c(2)), c(NONE), op("mul", loc(2), c(2))),
        ),
    )
    b.expr("set_of", 2, two, ir.SetOf(num, (loc(0), c(NONE), loc(1))))
    b.function(
        "set_data", 1, (("s", INT),), (ir.Return(ir.SetData(primes, (loc(0),), at("primes read"))),), nums
    )
    b.function("set_load", 1, (("s", INT),), (ir.Return(ir.SetLoad(bags, (loc(0),), at("bags read"))),), nums)
    multiples = next(f.id for f in b.functions if f.name == "multiples")
    b.function(
        "set_if",
        1,
        (("k", INT),),
        (ir.Return(ir.SetIf(loc(0), ir.SetCall(multiples, (loc(0),)), ir.SetOf(num, (c(1),)))),),
        nums,
    )
    b.function(
        "set_locals",
        2,
        (("a", INT), ("b", INT), ("s", nums)),
        (
            ir.AssignSet(2, ir.SetOf(num, (c(0), c(1)))),
            ir.SetChange(2, loc(0), True),
            ir.SetChange(2, loc(1), False),
            ir.SetChange(2, c(NONE), True),
            ir.Return(ir.SetLocal(2)),
        ),
        nums,
    )
    # -- writes
    store = at("plain write")
    b.function("store", 1, (("n", INT),), (ir.Store(plain, (), loc(0), "set", False, store),), None, False)
    b.function(
        "store_clamp", 1, (("n", INT),), (ir.Store(plain, (), loc(0), "set", True, store),), None, False
    )
    b.function(
        "store_add", 1, (("n", INT),), (ir.Store(plain, (), loc(0), "add", False, store),), None, False
    )
    b.function(
        "store_add_clamp", 1, (("n", INT),), (ir.Store(plain, (), loc(0), "add", True, store),), None, False
    )
    b.function("store_opt", 1, (("n", INT),), (ir.Store(opt, (), loc(0), "set", False, store),), None, False)
    b.function("add_opt", 1, (("n", INT),), (ir.Store(opt, (), loc(0), "add", False, store),), None, False)
    b.function(
        "store_power",
        3,
        (("p", INT), ("s", INT), ("n", INT)),
        (ir.Store(power, (loc(0), loc(1)), loc(2), "set", False, at("power write")),),
        None,
        False,
    )
    b.function(
        "store_bags",
        2,
        (("s", INT), ("x", nums)),
        (ir.StoreSet(bags, (loc(0),), ir.SetLocal(1), at("bags write")), ir.CopyField(bags, saved)),
        None,
        False,
    )
    b.function(
        "change_bag",
        2,
        (("n", INT), ("m", INT)),
        (
            ir.StoreSetChange(bag, (), loc(0), True, at("bag change")),
            ir.StoreSetChange(bag, (), loc(1), False, at("bag change 2")),
        ),
        None,
        False,
    )
    b.function("reset", 0, (), (ir.Reset(power), ir.Reset(bags), ir.StoreHead(H_PLY, c(5))), None, False)
    b.function(
        "make",
        1,
        (("m", INT), ("p", INT)),
        (
            ir.Create(piece, 1, at("create")),
            ir.Store(mood, (loc(1),), loc(0), "set", False, 0),
            ir.StoreSetChange(tags, (loc(1),), op("mod", loc(1), c(2)), True, 0),
            ir.Return(loc(1)),
        ),
        INT,
        False,
    )
    b.function("kill", 1, (("p", INT),), (ir.Destroy(piece, loc(0), at("destroy")),), None, False)
    # -- lists
    items = ir.ListType(6)
    b.function(
        "store_route",
        2,
        (("s", INT), ("l", items)),
        (ir.StoreList(route, (loc(0),), ir.ListLocal(1), at("route write")),),
        None,
        False,
    )
    b.function(
        "squeeze",
        1,
        (("l", items), ("short", ir.ListType(3)), ("n", INT)),
        (
            ir.AssignList(1, ir.ListLocal(0)),
            ir.ListAppend(1, c(9), at("append")),
            ir.Assign(2, ir.ListLength(ir.ListLocal(1))),
            ir.ListClear(1),
            ir.Return(op("add", op("mul", loc(2), c(10)), ir.ListLength(ir.ListLocal(1)))),
        ),
    )
    b.expr("item", 2, (("l", items), ("n", INT)), ir.ListItem(ir.ListLocal(0), loc(1), at("item")))
    b.expr("route_item", 2, two, ir.ListItem(ir.ListLoad(route, (loc(0),), at("route read")), loc(1), 0))
    # -- control
    b.function(
        "loops",
        1,
        (("n", INT), ("i", INT), ("sum", INT)),
        (
            ir.While(
                c(1),
                (
                    ir.Assign(1, op("add", loc(1), c(1))),
                    ir.IfStmt(
                        op("gt", loc(1), loc(0)), (ir.Break(),), (ir.Assign(2, op("add", loc(2), loc(1))),)
                    ),
                ),
                at("while"),
            ),
            ir.IfStmt(op("eq", loc(2), c(6)), (ir.Return(c(666)),)),
            ir.Return(loc(2)),
        ),
    )
    odd = op("eq", op("mod", loc(1), c(2)), c(1))
    skip = ir.IfStmt(odd, (ir.Continue(),))
    add_up = ir.Assign(2, op("add", loc(2), loc(1)))
    b.function(
        "evens",
        1,
        (("n", INT), ("i", INT), ("sum", INT)),
        (
            ir.For(1, ir.OverRange(c(1), loc(0)), None, None, None, False, (skip, add_up), at("for")),
            ir.For(
                1,
                ir.OverSet(ir.SetOf(num, (c(0), c(1), c(2), c(3), c(4)))),
                num,
                None,
                None,
                False,
                (skip, add_up),
                at("for"),
            ),
            ir.For(
                1,
                ir.OverRange(c(1), loc(0)),
                None,
                None,
                op("mul", loc(1), c(7)),
                True,
                (skip, add_up),
                at("for"),
            ),
            ir.Assign(1, c(0)),
            ir.While(
                op("lt", loc(1), loc(0)),
                (ir.Assign(1, op("add", loc(1), c(1))), skip, add_up),
                at("while"),
            ),
            ir.Return(loc(2)),
        ),
    )
    b.function(
        "fixed_at_entry",
        0,
        (("p", INT), ("seen", INT)),
        (
            ir.For(
                0,
                ir.OverDomain(piece),
                piece,
                None,
                None,
                False,
                (
                    ir.Destroy(piece, loc(0), 0),
                    ir.IfStmt(op("lt", loc(0), c(104)), (ir.Destroy(piece, op("add", loc(0), c(1)), 0),)),
                    ir.Assign(1, op("add", loc(1), c(1))),
                ),
                0,
            ),
            ir.Return(loc(1)),
        ),
        INT,
        False,
    )
    b.function(
        "keyed",
        1,
        (("highest", INT), ("i", INT), ("out", INT), ("bias", INT)),
        (
            *(
                ir.IfStmt(
                    op("eq", loc(0), c(int(highest))),
                    (
                        ir.For(
                            1,
                            ir.OverRange(c(1), c(4)),
                            None,
                            op("ne", loc(1), c(2)),
                            # The key changes as the loop goes: after the first pass the order turns round.
                            op("mul", loc(1), ir.If(loc(3), c(-1), c(1))),
                            highest,
                            (
                                ir.Assign(2, op("add", op("mul", loc(2), c(10)), loc(1))),
                                ir.Assign(3, c(1)),
                            ),
                            0,
                        ),
                    ),
                )
                for highest in (False, True)
            ),
            ir.Return(loc(2)),
        ),
    )
    b.function(
        "keyed_ties",
        0,
        (("i", INT), ("out", INT)),
        (
            *(
                ir.For(
                    0,
                    ir.OverRange(c(1), c(3)),
                    None,
                    None,
                    c(0),
                    highest,
                    (ir.Assign(1, op("add", op("mul", loc(1), c(10)), loc(0))),),
                    0,
                )
                for highest in (False, True)
            ),
            ir.Return(loc(1)),
        ),
    )
    b.function(
        "dice",
        3,
        (("n", INT), ("lo", INT), ("hi", INT), ("total", INT), ("pool", ir.ListType(4))),
        (
            ir.Roll(loc(0), loc(1), loc(2), 3, 4, at("dice")),
            ir.Note(1, at("rolled {0}"), (loc(3), ir.ListLength(ir.ListLocal(4)))),
            ir.Note(2, at("why {0}"), (ir.Binary("div_down", c(6), loc(0), 0),), c(2)),
            ir.Return(loc(3)),
        ),
        INT,
        False,
    )
    b.function("fail", 0, (), (ir.Fail(FAIL_REQUIRE, at("required")),), None)
    deep = len(b.functions)
    b.function(
        "deep",
        1,
        (("n", INT),),
        (
            ir.Return(
                ir.If(
                    op("le", loc(0), c(0)),
                    c(0),
                    op("add", c(1), ir.Call(deep, (op("sub", loc(0), c(1)),))),
                )
            ),
        ),
        site=at("deep"),
    )
    b.function("fall_off", 1, (("n", INT),), (ir.IfStmt(loc(0), (ir.Return(c(3)),)),))
    b.expr(
        "many",
        0,
        (("i", INT),),
        # More calls than may run inside each other, one after the other.
        ir.Aggregate("sum", 0, ir.OverRange(c(1), c(300)), None, ir.Call(len(b.functions) - 1, (c(1),)), 0),
    )
    b.function(
        "keeps",
        0,
        (("n", INT),),
        (ir.Do(deep, (c(3),), 0), ir.Return(loc(0))),
    )
    b.expr(
        "coverable",
        3,
        (("left", nums), ("chosen", items), ("extra", INT), ("l", INT), ("r", INT)),
        # A left element fits what it divides.
        ir.Coverable(3, ir.SetLocal(0), 4, op("eq", op("mod", loc(4), loc(3)), c(0)), 1, loc(2)),
    )
    b.expr(
        "meeting",
        3,
        (("guests", nums), ("hosts", nums), ("room", INT), ("g", INT), ("h", INT), ("n", INT)),
        # A guest comes to what it divides, a host moves by one at most.
        ir.Meeting(
            3,
            ir.SetLocal(0),
            ir.SetBuild(num, 5, ir.OverDomain(num), op("eq", op("mod", loc(5), loc(3)), c(0)), None),
            4,
            ir.SetLocal(1),
            ir.SetBuild(
                num, 5, ir.OverDomain(num), op("le", ir.Unary("abs", op("sub", loc(5), loc(4))), c(1)), None
            ),
            loc(2),
            at("who is met"),
        ),
    )
    b.machine("main", 0, (), (ir.Block((), ir.ReturnMachine()),))
    return b.build()


def _word(unsigned: int) -> int:
    return unsigned - (1 << 32) if unsigned & 0x8000_0000 else unsigned
