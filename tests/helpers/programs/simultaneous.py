"""Simultaneous blocks."""

from __future__ import annotations

from typing import Any

from grognard.contract import ir
from grognard.contract.header import (
    H_PLY,
    NONE,
)

from programs.builder import FLAG, INT, Builder, Built, c, loc, op


def simultaneous() -> Built:
    """Functions and a machine whose branches act at the same time, and those that may not."""
    b = Builder("simultaneous")
    side = b.domain("side", "side", "red blue")
    spot = b.domain("spot", "enum", 40)
    unit = b.domain("unit", "piece", 4, alive=0)
    alive = b.field("alive", (unit,), FLAG, lo=0, hi=1)
    score = b.field("score", (side,), lo=-10, hi=10, default=5)
    mark = b.field("mark", (), lo=0, hi=99)
    lit = b.field("lit", (), ir.SetType(spot))
    path = b.field("path", (), ir.ListType(3))
    old = b.field("old", (side,), lo=-10, hi=10)
    s = b.site("write", "write")
    s_begin = b.site("rule", "begin")
    s_next = b.site("rule", "next")
    s_end = b.site("rule", "end")
    begin, next_, end = ir.BranchBegin(s_begin), ir.BranchNext(s_next), ir.BranchEnd(s_end)

    def add(value: int, clamp: bool = False) -> ir.Stmt:
        return ir.Store(score, (c(0),), c(value), "add", clamp, s)

    def put(value: int) -> ir.Stmt:
        return ir.Store(mark, (), c(value), "set", False, s)

    def bit(value: int, on: bool) -> ir.Stmt:
        return ir.StoreSetChange(lit, (), c(value), on, s)

    def both(name: str, *branches: tuple[ir.Stmt, ...], locals: Any = ()) -> None:
        body: tuple[ir.Stmt, ...] = (begin,)
        for branch in branches:
            body += (*branch, next_)
        b.function(name, 0, locals, (*body, end), None, False)

    both("adds", (add(2), add(1)), (add(-4),))
    both("adds_out", (add(4),), (add(4),))
    both("adds_clamped", (add(4, True),), (add(4),))
    both("sees_old", (add(2), ir.Store(mark, (), ir.Load(score, (c(0),), s), "set", False, s)), (add(1),))
    both("sets_agree", (put(3), put(7)), (put(7),))
    both("sets_differ", (put(3),), (put(7),))
    both(
        "set_and_add",
        (ir.Store(score, (c(0),), c(1), "set", False, s),),
        (add(1),),
    )
    both("add_then_set", (add(1), ir.Store(score, (c(0),), c(1), "set", False, s), add(3)), ())
    both("bits", (bit(1, True), bit(33, True)), (bit(2, True), bit(39, False)))
    both("bits_clash", (bit(1, True),), (bit(1, False),))
    both("bits_forth", (bit(1, False), bit(1, True)), (bit(1, True),))
    both("bits_back", (bit(1, True), bit(1, False)), (bit(1, False),))
    both(
        "whole",
        (
            ir.StoreSet(lit, (), ir.SetOf(spot, (c(3), c(31), c(35))), s),
            ir.CopyField(score, old),
            ir.Reset(mark),
            ir.ListAppend(0, c(8), s),
            ir.StoreList(path, (), ir.ListLocal(0), s),
            ir.Create(unit, 1, s),
            ir.StoreHead(H_PLY, c(3)),
        ),
        (ir.Destroy(unit, c(3), s),),
        locals=(("l", ir.ListType(3)), ("u", INT)),
    )
    queue = b.field("queue", (), ir.ListType(3))
    both(
        "queued",
        (ir.Enqueue(queue, ir.Load(mark, (), s), s), put(3), ir.Enqueue(queue, ir.Load(mark, (), s), s)),
        (ir.Enqueue(queue, c(9), s),),
    )
    both("queue_full", *((ir.Enqueue(queue, c(1), s),) for _ in range(4)))
    both("create_twice", (ir.Create(unit, 0, s),), (ir.Create(unit, 0, s),), locals=(("u", INT),))
    b.function("nested", 0, (), (begin, begin), None, False)
    b.function("unbegun", 0, (), (next_,), None, False)
    b.function("unclosed", 0, (), (begin, add(1), end), None, False)
    b.function(
        "flood",
        0,
        (("i", INT),),
        (begin, ir.For(0, ir.OverRange(c(1), c(100)), None, None, None, False, (add(0),), s)),
        None,
        False,
    )
    one_two = b.function("one_two", 0, (), (ir.Yield(c(1)), ir.Yield(c(2))), None)
    a_bid = b.ask("bid", "int", s)
    b.machine(
        "main",
        0,
        (("bid", INT), ("who", INT)),
        (
            ir.Block((begin,), ir.Jump(1)),
            ir.Block((), ir.Ask(a_bid, one_two, (), loc(1), 0, 2, None, None, None, True, None, None, s)),
            ir.Block(
                (
                    # What the branch before wrote has been taken back, so both bid on the same score.
                    ir.Store(score, (loc(1),), ir.Load(score, (c(0),), s), "set", False, s),
                    ir.Store(score, (loc(1),), loc(0), "add", False, s),
                    next_,
                    ir.Assign(1, op("add", loc(1), c(1))),
                ),
                ir.Branch(op("lt", loc(1), c(2)), 1, 3),
            ),
            ir.Block((end,), ir.EndGame(c(NONE))),
        ),
    )
    # The journal is full to the last entry when the question comes: making the view must not need any.
    a_tight = b.ask("tight", "int", s, on_view=True)
    b.machine(
        "tight",
        0,
        (("i", INT),),
        (
            ir.Block(
                (begin, ir.For(0, ir.OverRange(c(1), c(40)), None, None, None, False, (add(0),), s)),
                ir.Ask(a_tight, one_two, (), c(0), 0, 1, None, None, None, True, None, None, s),
            ),
            ir.Block((), ir.EndGame(c(NONE))),
        ),
    )
    mask = b.function("view", 1, (("seat", INT),), (put(9),), None, False)
    b.more = {"journal": 40, "seats": side, "sides": side, "view": mask}
    program, layout, data, cells = b.build()
    view = memoryview(cells).cast("i")
    view[layout.field_offset[alive] + 3] = 1
    view.release()
    return program, layout, data, cells
