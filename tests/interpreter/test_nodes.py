"""Values, sets, writes and control flow, node by node, on the hand-built programs."""

from __future__ import annotations

from array import array

import pytest
from grognard.contract import generator as rng
from grognard.contract.backend import (
    Io,
)
from grognard.contract.header import (
    FAIL_BUDGET,
    FAIL_DICE,
    FAIL_DIVIDE,
    FAIL_INDEX,
    FAIL_LIST,
    FAIL_OVERFLOW,
    FAIL_POOL,
    FAIL_RANGE,
    FAIL_REQUIRE,
    FAIL_TABLE,
    FAIL_UNIQUE,
    H_RNG_HI,
    H_RNG_LO,
    NONE,
)
from grognard.contract.trace import trace_records
from interpreted import Game
from programs import site_id

MOST = 0x7FFF_FFFF


# ------------------------------------------------------------------------------------------- arithmetic


@pytest.mark.parametrize(
    ("name", "a", "b", "result"),
    [
        ("add", MOST - 1, 1, MOST),
        ("sub", -MOST + 1, 1, -MOST),
        ("mul", -7, 3, -21),
        ("div_down", -7, 2, -4),
        ("div_down", 7, -2, -4),
        ("div_up", -7, 2, -3),
        ("div_up", 7, 2, 4),
        ("div_near", 5, 2, 3),
        ("div_near", -5, 2, -3),
        ("div_near", 5, -2, -3),
        ("div_near", -5, -2, 3),
        ("div_near", 4, 3, 1),
        ("mod", -7, 3, 2),
        ("mod", 7, -3, -2),
        ("min", NONE, 3, NONE),
        ("max", NONE, 3, 3),
        ("eq", NONE, NONE, 1),
        ("ne", NONE, NONE, 0),
        ("ne", 2, 3, 1),
        ("lt", 1, 2, 1),
        ("lt", 2, 2, 0),
        ("lt", NONE, 2, 0),
        ("le", 2, 2, 1),
        ("le", NONE, NONE, 0),
        ("le", NONE, 5, 0),
        ("gt", 3, 2, 1),
        ("gt", 3, NONE, 0),
        ("ge", 2, 2, 1),
        ("ge", 3, NONE, 0),
        ("ge", NONE, NONE, 0),
        ("and", 5, 7, 1),
        ("and", 5, 0, 0),
        ("or", 0, 7, 1),
        ("or", 0, 0, 0),
    ],
)
def test_binary(kitchen: Game, name: str, a: int, b: int, result: int) -> None:
    assert kitchen.call(name, a, b) == result


@pytest.mark.parametrize("name", ["eq", "ne", "lt", "le", "gt", "ge"])
def test_comparing_with_constants_is_the_same(kitchen: Game, name: str) -> None:
    for a in (NONE, 2, 3, 4):
        assert kitchen.call(f"{name}_3", a) == kitchen.call(name, a, 3)
        assert kitchen.call(f"{name}_none", a) == kitchen.call(name, a, NONE)


@pytest.mark.parametrize(
    ("name", "a", "b", "kind"),
    [
        ("add", MOST, 1, FAIL_OVERFLOW),
        ("add", -MOST, -1, FAIL_OVERFLOW),  # would be NONE
        ("sub", -MOST, 2, FAIL_OVERFLOW),
        ("mul", 1 << 16, 1 << 15, FAIL_OVERFLOW),
        ("div_down", NONE, -1, FAIL_OVERFLOW),
        ("div_down", 1, 0, FAIL_DIVIDE),
        ("div_up", 1, 0, FAIL_DIVIDE),
        ("div_near", 1, 0, FAIL_DIVIDE),
        ("mod", 1, 0, FAIL_DIVIDE),
    ],
)
def test_binary_fails(kitchen: Game, name: str, a: int, b: int, kind: int) -> None:
    kitchen.fails(kind, name, a, b, at=name)


def test_unary_and_constants(kitchen: Game) -> None:
    assert kitchen.call("neg", 5) == -5
    assert [kitchen.call("not", n) for n in (0, 1, NONE)] == [1, 0, 0]
    assert [kitchen.call("abs", n) for n in (-4, 4)] == [4, 4]
    kitchen.fails(FAIL_OVERFLOW, "neg", NONE)
    kitchen.fails(FAIL_OVERFLOW, "abs", NONE)
    assert kitchen.call("if", 1) == 7
    kitchen.fails(FAIL_DIVIDE, "if", 0, at="never")
    assert kitchen.call("symbol") == 42
    assert kitchen.call("count_num") == 70
    assert kitchen.call("base_num") == -3
    kitchen.call("reset")
    assert kitchen.call("head") == 5


def test_tables(kitchen: Game) -> None:
    assert kitchen.call("crt", 1, 0) == 100
    assert kitchen.call("crt", 3, 2) == 106
    assert kitchen.call("crt", 6, 4) == 111
    assert kitchen.call("crt", -50, 99) == 103  # clamped low and high
    for index in ((7, 0), (1, -1), (1, 3), (NONE, 0), (1, NONE)):
        assert kitchen.fails(FAIL_TABLE, "crt", *index, at="crt lookup").detail == index
    assert kitchen.call("scalar") == 42
    io = Io(level=2)
    kitchen.call("crt", -50, 99, io=io)
    assert trace_records(io.trace) == [(site_id(kitchen.program, "crt lookup"), -1, (-50, 99, 103))]
    io = Io(level=1)
    kitchen.call("crt", 1, 0, io=io)
    assert not io.trace


def test_fields_and_columns(kitchen: Game) -> None:
    kitchen.call("store_power", 102, 1, 20)
    assert kitchen.field("power") == [3, 3, 3, 3, 3, 20, 3, 3, 3, 3]
    assert kitchen.call("power", 102, 1) == 20
    for index in ((99, 0), (105, 0), (100, 2), (100, NONE)):
        kitchen.fails(FAIL_INDEX, "power", *index, at="power read")
    kitchen.fails(FAIL_RANGE, "store_power", 102, 1, 21, at="power write")
    assert kitchen.call("mood", 104) == 7
    kitchen.put("mood", 4, 2)
    assert kitchen.call("mood", 104) == 2
    for piece in (99, 105, NONE):
        kitchen.fails(FAIL_INDEX, "mood", piece, at="mood read")
    assert kitchen.call("weight", -3) == 0
    assert kitchen.call("weight", 66) == 69 * 7 % 11
    kitchen.fails(FAIL_INDEX, "weight", 67, at="weight read")
    kitchen.fails(FAIL_INDEX, "weight", -4, at="weight read")


# ------------------------------------------------------------------------------------------- aggregates


def weight(n: int) -> int:
    return (n + 3) * 7 % 11


@pytest.mark.parametrize(("a", "b"), [(1, 12), (2, 2), (3, 3), (3, 4), (9, 1), (NONE, 4), (-3, 66)])
def test_aggregates(kitchen: Game, a: int, b: int) -> None:
    odd = [n for n in range(a, b + 1) if n % 2] if a != NONE else []
    call = kitchen.call
    assert call("agg_count", a, b) == len(odd)
    assert call("agg_any", a, b) == bool(odd)
    assert call("agg_first", a, b) == (odd[0] if odd else NONE)
    assert call("agg_last", a, b) == (odd[-1] if odd else NONE)
    assert call("agg_only", a, b) == (odd[0] if len(odd) == 1 else NONE)
    if len(odd) == 1:
        assert call("agg_the", a, b) == odd[0]
    else:
        kitchen.fails(FAIL_UNIQUE, "agg_the", a, b, at="agg the")
    assert call("agg_sum", a, b) == sum(map(weight, odd))
    assert call("agg_min", a, b) == min(map(weight, odd), default=NONE)
    assert call("agg_max", a, b) == max(map(weight, odd), default=NONE)
    assert call("agg_all", a, b) == all(n > 4 for n in odd)
    for how, best in (("high", max), ("low", min)):
        top = [n for n in odd if weight(n) == best(map(weight, odd))]
        assert call(f"agg_best_{how}", a, b) == (top[0] if top else NONE)
        assert call(f"agg_only_{how}", a, b) == (top[0] if len(top) == 1 else NONE)


def test_aggregate_sources(kitchen: Game) -> None:
    assert kitchen.call("agg_some_none") == 2
    assert kitchen.call("sum_big", MOST, -1) == MOST - 1
    kitchen.fails(FAIL_OVERFLOW, "sum_big", MOST, 1, at="big sum")
    assert kitchen.call("sum_list", [4, 4, -1]) == 7
    assert kitchen.call("sum_set", {-3, 66, 5}) == 68
    assert kitchen.call("living") == 0
    kitchen.call("make", 1)
    kitchen.call("make", 1)
    assert kitchen.call("living") == 2


# -------------------------------------------------------------------------------------------------- sets


def test_sets(kitchen: Game) -> None:
    x, y = {-3, 0, 28, 29, 66}, {0, 29, 30}
    call = kitchen.call
    assert call("union", x, y) == x | y
    assert call("minus", x, y) == x - y
    assert call("inter", x, y) == x & y
    assert [call("set_equal", x, x), call("set_equal", x, y)] == [1, 0]
    assert [call("subset", {0}, x), call("subset", x, x), call("subset", y, x)] == [1, 1, 0]
    assert call("set_count", x) == 5
    assert [call("set_next", x, n) for n in (NONE, -3, 0, 27, 66, MOST, -50)] == [
        -3,
        0,
        28,
        28,
        NONE,
        NONE,
        -3,
    ]
    assert [call("in", x, n) for n in (66, 65, 67, -4, NONE)] == [1, 0, 0, 0, 0]
    assert call("multiples", 20) == {0, 20, 40, 60}
    assert call("doubled", 1, 4) == {2, 6, 8}
    kitchen.fails(FAIL_INDEX, "doubled", 1, 40)
    assert call("set_of", 5, 66) == {5, 66}
    assert call("set_of", NONE, 66) == {66}
    kitchen.fails(FAIL_INDEX, "set_of", 67, 1)
    assert call("set_data", 0) == {2, 3, 28, 37}
    assert call("set_data", 1) == {60, 61}
    kitchen.fails(FAIL_INDEX, "set_data", 2, at="primes read")
    assert call("set_if", 30) == {0, 30, 60}
    assert call("set_if", 0) == {1}
    assert call("set_locals", 7, 0) == {1, 7}
    assert call("set_locals", NONE, NONE) == {0, 1}
    kitchen.fails(FAIL_INDEX, "set_locals", 99, 0)


def test_set_fields(kitchen: Game) -> None:
    kitchen.call("store_bags", 1, {-3, 28, 60, 66})
    assert kitchen.field("bags") == [0, 0, 0, 1 | -(1 << 31), -(1 << 31), 1 << 5]
    assert kitchen.field("saved") == kitchen.field("bags")
    assert kitchen.call("set_load", 1) == {-3, 28, 60, 66}
    assert kitchen.call("set_load", 0) == frozenset()
    kitchen.fails(FAIL_INDEX, "set_load", 2, at="bags read")
    kitchen.call("change_bag", 60, NONE)
    kitchen.call("change_bag", 28, 5)
    assert kitchen.field("bag") == [-(1 << 31), -(1 << 31), 0]
    kitchen.call("change_bag", NONE, 28)
    assert kitchen.field("bag") == [0, -(1 << 31), 0]
    kitchen.fails(FAIL_INDEX, "change_bag", 67, NONE, at="bag change")
    kitchen.fails(FAIL_INDEX, "change_bag", 1, -4, at="bag change 2")


# ---------------------------------------------------------------------------------------------- writes


def test_stores(kitchen: Game) -> None:
    for name, value, result in (
        ("store", 100, 100),
        ("store_add", -150, -50),
        ("store_add_clamp", -70, -100),
        ("store_clamp", 5000, 100),
        ("store_add_clamp", 1, 100),
        ("store", -100, -100),
    ):
        kitchen.call(name, value)
        assert kitchen.field("plain") == [result]
    for name, value, kind in (
        ("store", 101, FAIL_RANGE),
        ("store", NONE, FAIL_RANGE),
        ("store_clamp", NONE, FAIL_RANGE),
        ("store_add", -1, FAIL_RANGE),
        ("store_add", NONE, FAIL_INDEX),
        ("store_add_clamp", NONE, FAIL_INDEX),
    ):
        kitchen.fails(kind, name, value, at="plain write")
    kitchen.fails(FAIL_INDEX, "add_opt", 1, at="plain write")
    kitchen.call("store_opt", 4)
    kitchen.call("add_opt", 1)
    assert kitchen.field("opt") == [5]
    kitchen.call("store_opt", NONE)
    assert kitchen.field("opt") == [NONE]
    kitchen.fails(FAIL_RANGE, "store_opt", 6)


def test_create_and_destroy(kitchen: Game) -> None:
    assert [kitchen.call("make", n) for n in (1, 2, 3)] == [100, 101, 102]
    for number in range(10):
        kitchen.put("power", number, 9)
    kitchen.call("kill", 101)
    assert kitchen.field("alive") == [1, 0, 1, 0, 0]
    assert kitchen.field("mood") == [1, 2, 3, 7, 7]
    assert kitchen.field("tags") == [1, 2, 1, 0, 0]
    kitchen.put("tags", 1, 3)
    assert kitchen.call("make", 8) == 101
    assert kitchen.field("mood") == [1, 8, 3, 7, 7]
    assert kitchen.field("tags") == [1, 2, 1, 0, 0]  # emptied, then tagged anew
    # What it has in fields with more axes goes back to the default as well; what others have does not.
    assert kitchen.field("power") == [9, 9, 3, 3, 9, 9, 9, 9, 9, 9]
    kitchen.call("make", 1)
    kitchen.call("make", 1)
    kitchen.fails(FAIL_POOL, "make", 1, at="create")
    kitchen.fails(FAIL_INDEX, "kill", NONE, at="destroy")
    kitchen.fails(FAIL_INDEX, "kill", 105, at="destroy")


def test_reset(kitchen: Game) -> None:
    kitchen.call("store_power", 100, 0, 9)
    kitchen.call("store_bags", 0, {1})
    kitchen.call("reset")
    assert kitchen.field("power") == [3] * 10
    assert kitchen.field("bags") == [0] * 6
    assert kitchen.field("saved")[0] != 0


def test_lists(kitchen: Game) -> None:
    kitchen.call("store_route", 1, [5, 6, 7])
    assert kitchen.field("route") == [0] * 5 + [3, 5, 6, 7, 0]
    kitchen.call("store_route", 1, [9])
    assert kitchen.field("route") == [0] * 5 + [1, 9, 0, 0, 0]
    kitchen.fails(FAIL_LIST, "store_route", 0, [1] * 5, at="route write")
    assert kitchen.call("route_item", 1, 1) == 9
    kitchen.fails(FAIL_INDEX, "route_item", 1, 2)
    kitchen.fails(FAIL_INDEX, "route_item", 2, 1, at="route read")
    assert kitchen.call("item", [4, 5], 2) == 5
    for n in (0, 3, NONE):
        kitchen.fails(FAIL_INDEX, "item", [4, 5], n, at="item")
    assert kitchen.call("squeeze", [1, 2]) == 30
    kitchen.fails(FAIL_LIST, "squeeze", [1, 2, 3], at="append")
    kitchen.fails(FAIL_LIST, "squeeze", [1, 2, 3, 4])


def test_lists_are_values(kitchen: Game) -> None:
    given = [1, 2]
    kitchen.call("squeeze", given)
    assert given == [1, 2]
    with pytest.raises(ValueError, match="list of up to 6"):
        kitchen.call("squeeze", [1] * 7)
    with pytest.raises(ValueError, match="arguments"):
        kitchen.call("squeeze")
    with pytest.raises(ValueError, match="is a set"):
        kitchen.call("set_count", 3)
    with pytest.raises(ValueError, match="is an integer"):
        kitchen.call("neg", {3})


# --------------------------------------------------------------------------------------------- control


def test_loops(kitchen: Game) -> None:
    assert kitchen.call("loops", 4) == 10
    assert kitchen.call("loops", 3) == 666
    assert kitchen.call("keyed", 0) == 143  # lowest first, then the order has turned
    assert kitchen.call("keyed", 1) == 413
    assert kitchen.call("keyed_ties") == 123123
    for _ in range(5):
        kitchen.call("make", 1)
    assert kitchen.call("fixed_at_entry") == 5
    assert kitchen.call("living") == 0


def test_calls_and_results(kitchen: Game) -> None:
    assert kitchen.call("deep", 199) == 199
    kitchen.fails(FAIL_BUDGET, "deep", 200, at="deep")
    assert kitchen.call("fall_off", 1) == 3
    assert kitchen.call("fall_off", 0) == NONE
    assert kitchen.call("keeps") == 3
    assert kitchen.call("many") == 900
    assert kitchen.call("kill", 100) is None
    kitchen.fails(FAIL_REQUIRE, "fail", at="required")


def test_budget_counts_steps(kitchen: Game) -> None:
    # one call and four passes; one call, the range; one call, the domain although all are dead
    for name, args, need in (
        ("loops", (3,), 5),
        ("agg_count", (1, 10), 11),
        ("agg_count", (10, 1), 1),
        ("living", (), 6),
        ("multiples", (5,), 71),
        ("sum_set", ({1, 2, 3},), 4),
        ("sum_big", (1, 2), 4),
        ("deep", (3,), 4),
    ):
        kitchen.call(name, *args, io=Io(budget=need))
        kitchen.fails(FAIL_BUDGET, name, *args, io=Io(budget=need - 1))


def test_dice(kitchen: Game) -> None:
    state = rng.joined(kitchen[H_RNG_LO], kitchen[H_RNG_HI])
    dice = []
    for _ in range(3):
        face, state = rng.draw(state, 10)
        dice.append(face - 2)
    io = Io(level=1)
    assert kitchen.call("dice", 3, -2, 7, io=io) == sum(dice)
    assert (kitchen[H_RNG_LO], kitchen[H_RNG_HI]) == rng.split(state)
    assert trace_records(io.trace) == [
        (site_id(kitchen.program, "dice"), -1, (3, -2, 7, *dice)),
        (site_id(kitchen.program, "rolled {0}"), -1, (sum(dice), 3)),
    ]
    assert kitchen.call("dice", 0, 1, 6) == 0
    assert kitchen.call("dice", -4, 1, 6) == 0
    assert (kitchen[H_RNG_LO], kitchen[H_RNG_HI]) == rng.split(state)
    kitchen.fails(FAIL_LIST, "dice", 5, 1, 6, at="dice")
    kitchen.fails(FAIL_RANGE, "dice", 1, 6, 5, at="dice")
    kitchen.fails(FAIL_INDEX, "dice", NONE, 1, 6, at="dice")


def test_scripted_dice(kitchen: Game) -> None:
    before = bytes(kitchen.cells)
    io = Io(script=array("i", [6, 1, 2]))
    assert kitchen.call("dice", 2, 1, 6, io=io) == 7
    assert io.script_used == 2
    assert kitchen.call("dice", 1, 1, 6, io=io) == 2
    assert bytes(kitchen.cells) == before
    kitchen.fails(FAIL_DICE, "dice", 1, 1, 6, io=io, at="dice")
    kitchen.fails(FAIL_DICE, "dice", 1, 1, 6, io=Io(script=array("i", [7])), at="dice")


def test_notes_cost_nothing_when_off(kitchen: Game) -> None:
    # The note of level 2 divides by the number of dice.
    assert kitchen.call("dice", 0, 1, 6, io=Io(level=1)) == 0
    kitchen.fails(FAIL_DIVIDE, "dice", 0, 1, 6, io=Io(level=2))
    io = Io(level=2)
    kitchen.call("dice", 2, 1, 1, io=io)
    assert trace_records(io.trace)[-1] == (site_id(kitchen.program, "why {0}"), 2, (3,))


def test_coverable(kitchen: Game) -> None:
    cover = kitchen.call
    assert cover("coverable", {2, 3}, [6, 4], NONE) == 1  # 6 must give 2 back to 4
    assert cover("coverable", {2, 3}, [6, 4], 9) == 0
    assert cover("coverable", {2, 3, 9}, [6, 4], 9) == 1
    assert cover("coverable", {2}, [], NONE) == 1
    assert cover("coverable", set(), [1], NONE) == 0
    assert cover("coverable", {2, 5}, [4, 4], NONE) == 0


def test_meeting(kitchen: Game) -> None:
    meet = kitchen.call
    assert meet("meeting", {2, 4}, {5}, 2) == 2  # both at 4
    assert meet("meeting", {2, 4}, {5}, 1) == 1
    assert meet("meeting", {4, 6}, {5}, 2) == 1  # at 4 or at 6
    assert meet("meeting", {4, 6}, {5, 6}, 2) == 2
    assert meet("meeting", {4, 6}, {5}, 0) == 0
    assert meet("meeting", set(), {5}, 1) == meet("meeting", {2}, set(), 1) == 0
