"""Machines that stop to ask, and simultaneous blocks, on the hand-built programs."""

from __future__ import annotations

import random
from array import array

import programs
import pytest
from grognard.contract import ir
from grognard.contract.backend import (
    Io,
    RuleFailure,
)
from grognard.contract.header import (
    DONE,
    FAIL_BUDGET,
    FAIL_CONFLICT,
    FAIL_EMPTY,
    FAIL_INDEX,
    FAIL_JOURNAL,
    FAIL_LIST,
    FAIL_RANGE,
    FAIL_STACK,
    H_ASK,
    H_BRANCH,
    H_CHOOSER,
    H_EPOCH,
    H_FP,
    H_JOURNAL,
    H_OUTCOME,
    H_PLY,
    H_SP,
    H_STATUS,
    NONE,
    STATUS_DECISION,
    STATUS_OVER,
)
from grognard.contract.trace import trace_records
from grognard.interpreter.machine import Interpreter
from interpreted import Game
from programs import machine_id, site_id

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
