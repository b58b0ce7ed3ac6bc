"""The interpreter, node by node, on the hand-built programs."""

from __future__ import annotations

import random
from array import array
from collections.abc import Callable
from typing import Any

import programs
import pytest
from grognard.contract import generator as rng
from grognard.contract import ir
from grognard.contract.backend import (
    Io,
    RuleFailure,
)
from grognard.contract.header import (
    DONE,
    FAIL_BUDGET,
    FAIL_CONFLICT,
    FAIL_DICE,
    FAIL_DIVIDE,
    FAIL_EMPTY,
    FAIL_INDEX,
    FAIL_JOURNAL,
    FAIL_LIST,
    FAIL_OVERFLOW,
    FAIL_POOL,
    FAIL_RANGE,
    FAIL_REQUIRE,
    FAIL_STACK,
    FAIL_TABLE,
    FAIL_UNIQUE,
    H_ASK,
    H_BRANCH,
    H_CHOOSER,
    H_EPOCH,
    H_FP,
    H_JOURNAL,
    H_OUTCOME,
    H_PLY,
    H_RNG_HI,
    H_RNG_LO,
    H_SP,
    H_STATUS,
    NONE,
    STATUS_DECISION,
    STATUS_OVER,
    STATUS_RUNNING,
)
from grognard.contract.trace import trace_records
from grognard.geometry import lines
from grognard.geometry.hexmap import HexMap
from grognard.interpreter.machine import Interpreter
from programs import Built, function_id, machine_id, site_id

MOST = 0x7FFF_FFFF


class Game:
    """A program with one position, by names."""

    def __init__(self, build: Callable[[], Built]) -> None:
        self.program, self.layout, self.data, self.cells = build()
        self.engine = Interpreter(self.program, self.layout, self.data)

    def call(self, name: str, *args: Any, io: Io | None = None) -> Any:
        return self.engine.call(self.cells, function_id(self.program, name), args, io or Io())

    def fails(
        self, kind: int, name: str, *args: Any, at: str | None = None, io: Io | None = None
    ) -> RuleFailure:
        before = bytes(self.cells)
        with pytest.raises(RuleFailure) as caught:
            self.call(name, *args, io=io)
        self.cells[:] = before
        assert caught.value.kind == kind
        if at is not None:
            assert caught.value.site == site_id(self.program, at)
        return caught.value

    def start(self, name: str, *args: Any, io: Io | None = None) -> None:
        self.engine.start(self.cells, machine_id(self.program, name), args, io or Io())

    def candidates(self) -> list[int]:
        return self.engine.candidates(self.cells)

    def answer(self, value: int, io: Io | None = None) -> None:
        self.engine.answer(self.cells, value, io or Io())

    def __getitem__(self, cell: int) -> int:
        return memoryview(self.cells).cast("i")[cell]

    def field(self, name: str) -> list[int]:
        entry = next(f for f in self.program.fields if f.name == name)
        start = self.layout.field_offset[entry.id]
        return memoryview(self.cells).cast("i")[start : start + self.layout.field_cells[entry.id]].tolist()

    def put(self, name: str, number: int, value: int) -> None:
        entry = next(f for f in self.program.fields if f.name == name)
        memoryview(self.cells).cast("i")[self.layout.field_offset[entry.id] + number] = value

    def stack(self) -> list[int]:
        return memoryview(self.cells).cast("i")[self.layout.stack_offset :].tolist()


@pytest.fixture
def kitchen() -> Game:
    return Game(programs.kitchen)


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


# -------------------------------------------------------------------------------------------- machines


def test_machine_calls_and_frames() -> None:
    game = Game(programs.calls)
    io = Io(level=1)
    game.start("main", 1, io=io)
    pick, main = machine_id(game.program, "pick"), machine_id(game.program, "main")
    assert [game[cell] for cell in (H_STATUS, H_CHOOSER, H_ASK)] == [STATUS_DECISION, 1, 0]
    # main: i, got, sum, then its set of 40 cards; block 1 is where it will go on
    assert game.stack()[:9] == [main, 1, NONE, NONE, 1, 0, 0, 0b111 << 5, 1 << 6]
    # pick: who, gone (length and eight items), x, n, then its set
    assert game.stack()[9:27] == [pick, 0, 0, 1, 1, *[0] * 11, 0b111 << 5, 1 << 6]
    assert (game[H_FP], game[H_SP]) == (9, 27)
    assert game.candidates() == [43, 12, 11, 10, NONE]
    with pytest.raises(ValueError, match="no candidate"):
        game.answer(13)
    game.answer(10, io)  # takes 11 out of the hand as well
    assert game[H_EPOCH] == 1
    assert game.candidates() == [43, 12, NONE]
    assert game.stack()[9:27] == [pick, 0, 0, 1, 1, 1, 10, *[0] * 7, 10, 1, 0b101 << 5, 1 << 6]
    game.answer(43, io)
    game.answer(NONE, io)
    # The second call of pick has an empty hand: with nothing but NONE to answer it goes on at `empty`, unasked.
    assert game.field("total") == [2000 + 210]
    assert game.field("order") == [0] * 9
    assert (game[H_STATUS], game[H_OUTCOME], game[H_SP], game[H_FP]) == (STATUS_OVER, NONE, 0, NONE)
    assert (game[H_CHOOSER], game[H_ASK], game[H_EPOCH]) == (NONE, NONE, 3)
    assert not any(game.stack())
    site = site_id(game.program, "{0} picks {1}")
    assert trace_records(io.trace) == [(site, -1, (1, v)) for v in (10, 43, NONE)]
    with pytest.raises(ValueError, match="no decision"):
        game.candidates()


def test_recursive_machines_and_the_stack() -> None:
    game = Game(programs.calls)
    game.start("deep", 3)
    assert game.field("total") == [7 + 2 + 3]
    with pytest.raises(RuleFailure) as caught:
        game.start("deep", 1000)
    assert (caught.value.kind, caught.value.site) == (FAIL_STACK, site_id(game.program, "deep"))


def test_stuck_spinning_and_won() -> None:
    game = Game(programs.calls)
    with pytest.raises(RuleFailure) as caught:
        game.start("stuck")
    assert (caught.value.kind, caught.value.site) == (FAIL_EMPTY, site_id(game.program, "nothing to choose"))
    with pytest.raises(RuleFailure) as caught:
        game.start("spin", io=Io(budget=1000))
    assert caught.value.kind == FAIL_BUDGET
    game.start("win", 1)
    assert (game[H_STATUS], game[H_OUTCOME]) == (STATUS_OVER, 1)
    after = bytes(game.cells)
    game.engine.resume(game.cells, Io())
    assert bytes(game.cells) == after


def test_start_clears_what_was_before() -> None:
    game = Game(programs.calls)
    game.start("main", 0)
    game.start("win", 0)
    fresh = Game(programs.calls)
    fresh.start("win", 0)
    assert game.cells == fresh.cells


def test_what_is_offered() -> None:
    game = Game(programs.calls)
    game.start("odd")
    # NONE that is yielded does not count; DONE was yielded, so it does not come again as the extra.
    assert game.candidates() == [3, DONE, 4]
    with pytest.raises(RuleFailure) as caught:
        game.start("nobody")
    assert (caught.value.kind, caught.value.site) == (FAIL_INDEX, site_id(game.program, "nothing to choose"))


def test_variables_of_loops_are_0_afterwards() -> None:
    game = Game(programs.calls)
    game.start("vars")
    # i, j, k, m; the list of one die with its second cell empty again; n: 5 and a cover; then the set
    assert game.stack()[4:14] == [0, 0, 0, 0, 1, 4, 0, 6, 0b11111, 0]


def play(game: Game, seed: int, io: Io) -> int:
    choices = random.Random(seed)
    game.start("main", io=io)
    while game[H_STATUS] == STATUS_DECISION:
        game.answer(choices.choice(game.candidates()), io)
    return game[H_OUTCOME]


@pytest.mark.parametrize("seed", range(12))
def test_duel_is_deterministic(seed: int) -> None:
    runs = []
    for _ in range(2):
        game, io = Game(programs.duel), Io(level=2)
        outcome = play(game, seed, io)
        runs.append((outcome, bytes(game.cells), io.trace.tobytes()))
        assert not any(game.stack())
        alive = game.field("alive")
        left = [sum(alive[:3]), sum(alive[3:])]
        assert outcome == (NONE if left[0] == left[1] else int(left[1] > left[0]))
    assert runs[0] == runs[1]


def test_duel_decisions() -> None:
    game = Game(programs.duel)
    io = Io(level=1, script=array("i", [1, 2, 6, 5, 1, 5, 4, 4]))
    game.start("main", io=io)
    # Turn 1 (blue) missed with 3; turn 2: red rolled 11.  Three equal counters are one candidate.
    assert (game[H_CHOOSER], game[H_PLY], io.script_used) == (0, 2, 4)
    assert game.candidates() == [13, DONE]
    game.answer(13, io)
    # In the middle of the combat its owner is asked; yielding 1 twice counts once.
    assert (game[H_CHOOSER], game.candidates()) == (1, [1, 0])
    game.answer(0, io)
    # 11 - 6 = 5 hits, clamped at 0: the counter is gone.  Then blue rolls 6.
    assert game.field("hp") == [4, 4, 4, 0, 4, 4]
    assert game.field("alive") == [1, 1, 1, 0, 1, 1]
    assert game.field("hits") == [5]
    assert (game[H_CHOOSER], game.candidates()) == (1, [10, DONE])
    game.answer(DONE, io)
    assert (game[H_CHOOSER], game.candidates()) == (0, [14, DONE])
    sites = [(game.program.sites[site].kind, seen, args) for site, seen, args in trace_records(io.trace)]
    assert sites == [
        ("roll", -1, (2, 1, 6, 1, 2)),
        ("roll", -1, (2, 1, 6, 6, 5)),
        ("choice", -1, (0, 13)),
        ("choice", 2, (1, 0)),
        ("log", -1, (13, 5)),
        ("roll", -1, (2, 1, 6, 1, 5)),
        ("choice", -1, (1, DONE)),
        ("roll", -1, (2, 1, 6, 4, 4)),
    ]


def test_candidates_see_only_the_view() -> None:
    game = Game(programs.duel)
    game.put("shields", 1, 0)
    game.put("hp", 5, 1)
    game.start("main", io=Io(script=array("i", [1, 2, 6, 5])))
    # Blue has no shields, so the filter would leave out b3 (15) if red could know that.
    assert game.candidates() == [13, 15, DONE]
    assert game.field("shields") == [2, 0]
    no_view = Game(programs.duel)
    no_view.program = ir.Program(
        **{name: getattr(no_view.program, name) for name in ir.Program.__dataclass_fields__} | {"view": None}
    )
    no_view.engine = Interpreter(no_view.program, no_view.layout, no_view.data)
    no_view.put("shields", 1, 0)
    no_view.put("hp", 5, 1)
    no_view.start("main", io=Io(script=array("i", [1, 2, 6, 5])))
    assert no_view.candidates() == [13, DONE]


def test_lone_candidates_are_taken() -> None:
    game = Game(programs.duel)
    for number in (3, 4):
        game.put("alive", number, 0)
    game.put("shields", 0, 0)  # no shields of its own: red may not pass
    io = Io(level=1, script=array("i", [1, 2, 6, 5]))
    game.start("main", io=io)
    # b3 is the only target: noted like a choice, but no decision was counted.
    assert (game[H_CHOOSER], game[H_ASK], game[H_EPOCH]) == (1, 1, 0)
    assert (site_id(game.program, "{0} aims at {1}"), -1, (0, 15)) in trace_records(io.trace)
    assert game.field("aimed") == [15]


def test_distinct_needs_equal_pieces_that_nobody_names() -> None:
    game = Game(programs.duel)
    game.put("hp", 4, 3)
    game.start("main", io=Io(script=array("i", [1, 2, 6, 5])))
    assert game.candidates() == [13, 14, DONE]
    game.put("hp", 4, 4)
    assert game.candidates() == [13, DONE]
    game.put("aimed", 0, 14)  # some field names b2: it cannot be told to be like the others
    assert game.candidates() == [13, 14, DONE]
    game.put("aimed", 0, 13)
    assert game.candidates() == [13, 14, DONE]
    game.put("aimed", 0, NONE)
    game.put("marked", 1, 1 << 4)  # blue's set has b2 in it
    assert game.candidates() == [13, 14, DONE]
    game.put("marked", 1, 0b111 << 3)
    assert game.candidates() == [13, DONE]
    game.put("queue", 1, 15)  # behind the end of the list: not in it
    assert game.candidates() == [13, DONE]
    game.put("queue", 0, 1)
    assert game.candidates() == [13, 15, DONE]


def test_candidates_change_nothing() -> None:
    game = Game(programs.duel)
    game.start("main")
    before = bytes(game.cells)
    first = game.candidates()
    first.append(99)
    assert 99 not in game.candidates()
    assert bytes(game.cells) == before
    with pytest.raises(ValueError):
        game.answer(99)
    assert bytes(game.cells) == before
    # A fresh engine finds the same from the cells alone.
    assert Interpreter(game.program, game.layout, game.data).candidates(game.cells) == game.candidates()


# ------------------------------------------------------------------------------------- simultaneous blocks


def test_branches_that_agree() -> None:
    for name, field, result in (
        ("adds", "score", [4, 5]),
        ("adds_clamped", "score", [10, 5]),
        ("sets_agree", "mark", [7]),
        ("add_then_set", "score", [4, 5]),
        ("bits", "lit", [0b110, 0b10]),
        ("bits_back", "lit", [0, 0]),
        ("bits_forth", "lit", [0b10, 0]),
        ("sees_old", "mark", [7]),
        ("sees_old", "score", [8, 5]),
    ):
        game = Game(programs.simultaneous)
        game.call(name)
        assert game.field(field) == result, name
        assert (game[H_JOURNAL], game[H_BRANCH]) == (0, NONE)
        journal = memoryview(game.cells).cast("i")[game.layout.journal_offset : game.layout.stack_offset]
        assert not any(journal)


def test_branches_clear_bits() -> None:
    game = Game(programs.simultaneous)
    game.put("lit", 1, 1 << 7)
    game.call("bits")
    assert game.field("lit") == [0b110, 0b10]


def test_branches_write_everything() -> None:
    game = Game(programs.simultaneous)
    game.put("mark", 0, 50)
    game.call("whole")
    assert game.field("lit") == [1 << 3 | -(1 << 31), 1 << 3]
    assert game.field("old") == [5, 5]
    assert game.field("mark") == [0]
    assert game.field("path") == [1, 8, 0, 0]
    assert game.field("alive") == [1, 0, 0, 0]
    assert game[H_PLY] == 3


def test_branches_that_clash() -> None:
    game = Game(programs.simultaneous)
    for name, kind, at in (
        ("adds_out", FAIL_RANGE, "end"),
        ("sets_differ", FAIL_CONFLICT, "end"),
        ("set_and_add", FAIL_CONFLICT, "end"),
        ("bits_clash", FAIL_CONFLICT, "end"),
        ("nested", FAIL_JOURNAL, "begin"),
        ("unbegun", FAIL_JOURNAL, "next"),
        ("unclosed", FAIL_JOURNAL, "end"),
        ("flood", FAIL_JOURNAL, "write"),
    ):
        game.fails(kind, name, at=at)
    mark = next(f.id for f in game.program.fields if f.name == "mark")
    assert game.fails(FAIL_CONFLICT, "sets_differ").detail == (mark, 0)
    # Each branch that creates brings a counter of its own to life.
    game.call("create_twice")
    assert game.field("alive") == [1, 1, 0, 1]


def test_passes_cut_short() -> None:
    game = Game(programs.kitchen)
    # 2 + 4 three times up to 5, and 0 + 2 + 4 of the set.
    assert game.call("evens", 5) == 24


def test_what_is_queued_stays_when_a_branch_is_taken_back() -> None:
    game = Game(programs.simultaneous)
    game.call("queued")
    assert game.field("queue") == [3, 0, 3, 9]
    assert game.fails(FAIL_LIST, "queue_full").detail == (1,)


def test_decisions_inside_branches() -> None:
    game = Game(programs.simultaneous)
    game.start("main")
    assert (game[H_CHOOSER], game[H_BRANCH], game[H_JOURNAL]) == (0, 0, 0)
    game.answer(2)
    # Red's bid has been taken back and waits in the journal: set to 5, 2 added, then the boundary.
    assert game.field("score") == [5, 5]
    assert (game[H_CHOOSER], game[H_BRANCH], game[H_JOURNAL]) == (1, 3, 3)
    score = game.layout.field_offset[1]
    start = game.layout.journal_offset
    assert memoryview(game.cells).cast("i")[start : start + 12].tolist() == [
        *(score, 0, 5, 5),
        *(score, 1, 2, 5),
        *(-1, 0, 0, 0),
    ]
    game.answer(1)
    assert game.field("score") == [7, 6]
    assert game[H_STATUS] == STATUS_OVER


def test_the_view_is_not_journalled() -> None:
    game = Game(programs.simultaneous)
    game.start("tight")
    assert game[H_JOURNAL] == 40
    assert game.candidates() == [1, 2]
    assert game.field("mark") == [0]


# ------------------------------------------------------------------------------------------------- maps


@pytest.fixture
def hexes() -> Game:
    return Game(programs.hexes)


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
