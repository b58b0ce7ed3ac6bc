"""The compiled engine: bulk calls, threads, data without recompilation, and safety against bad data and positions."""

from __future__ import annotations

import contextlib
import copy
import dataclasses
import random
import struct
import threading
from array import array
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import programs
import pytest
from grognard.compiler.build.build import build_engine, compiler_available
from grognard.contract import generator as rng
from grognard.contract.backend import (
    Io,
    RuleFailure,
    fresh_cells,
)
from grognard.contract.datablock import DomainData
from grognard.contract.header import (
    FAIL_BUDGET,
    H_FP,
    H_OUTCOME,
    H_PLY,
    H_RNG_HI,
    H_RNG_LO,
    H_SP,
    H_STATUS,
    STATUS_DECISION,
    STATUS_OVER,
)
from grognard.contract.layout import compute_layout
from grognard.contract.prepared_data import DataError
from grognard.interpreter.machine import Interpreter
from grognard.native.engine import CompiledEngine

pytestmark = pytest.mark.skipif(compiler_available() is not None, reason=str(compiler_available()))


def engines(name: str) -> tuple[Interpreter, CompiledEngine, bytearray]:
    program, layout, data, cells = programs.PROGRAMS[name]()
    engine = CompiledEngine(build_engine(program), program, layout, data)
    return Interpreter(program, layout, data), engine, cells


def head(cells: bytearray, cell: int) -> int:
    return int(struct.unpack_from("i", cells, 4 * cell)[0])


def started(backend: Any, cells: bytearray, machine: str = "main", args: tuple[int, ...] = ()) -> bytearray:
    mine = bytearray(cells)
    backend.start(mine, programs.machine_id(backend.program, machine), args, Io())
    return mine


# --------------------------------------------------------------------------------------------------- perft


def lines(backend: Any, cells: bytearray, target: int) -> int:
    """Lines to the target ply, counted the plain way."""
    if head(cells, H_PLY) >= target:
        return 1
    if head(cells, H_STATUS) != STATUS_DECISION:
        return 0
    total = 0
    for value in backend.candidates(cells):
        after = bytearray(cells)
        backend.answer(after, value, Io())
        total += lines(backend, after, target)
    return total


@pytest.mark.parametrize("depth", [0, 1, 2, 3, 5])
def test_perft_counts_lines(depth: int) -> None:
    oracle, engine, cells = engines("duel")
    begun = started(oracle, cells)
    assert engine.perft(begun, depth) == lines(oracle, begun, head(begun, H_PLY) + depth)


def test_perft_changes_nothing_and_ends_with_the_game() -> None:
    oracle, engine, cells = engines("simultaneous")
    begun = started(oracle, cells)
    before = bytes(begun)
    # No ply is ever counted there: every line ends before its first one.
    assert engine.perft(begun, 1) == 0
    assert engine.perft(begun, 0) == 1
    assert bytes(begun) == before


# ------------------------------------------------------------------------------------------------ playouts


def plain_playouts(
    backend: Any, cells: bytearray, n: int, seed: int, most: int
) -> tuple[list[int], int, int]:
    """The same games on any back end, one call at a time."""
    outcomes, plies, answers = [0, 0, 0, 0], 0, 0
    dice = rng.joined(*rng.seeded(seed))
    for _ in range(n):
        mine = bytearray(cells)
        low, dice = rng.output(dice), rng.step(dice)
        high, dice = rng.output(dice), rng.step(dice)
        first, second = rng.seeded(low | high << 32)
        struct.pack_into("i", mine, 4 * H_RNG_LO, first)
        struct.pack_into("i", mine, 4 * H_RNG_HI, second)
        backend.resume(mine, Io())
        given = 0
        while head(mine, H_STATUS) == STATUS_DECISION and given < most:
            offered = backend.candidates(mine)
            number, dice = rng.draw(dice, len(offered))
            backend.answer(mine, offered[number], Io())
            given += 1
        if head(mine, H_STATUS) != STATUS_OVER:
            outcomes[3] += 1
        elif head(mine, H_OUTCOME) in (0, 1):
            outcomes[head(mine, H_OUTCOME)] += 1
        else:
            outcomes[2] += 1
        plies += head(mine, H_PLY) - head(cells, H_PLY)
        answers += given
    return outcomes, plies, answers


@pytest.mark.parametrize("most", [3, 1000])
def test_playouts_are_the_games_of_the_interpreter(most: int) -> None:
    oracle, engine, cells = engines("duel")
    begun = started(oracle, cells)
    before = bytes(begun)
    assert engine.playouts(begun, 25, 99, most) == plain_playouts(oracle, begun, 25, 99, most)
    assert bytes(begun) == before


def test_playouts_depend_on_the_seed_only() -> None:
    _, engine, cells = engines("duel")
    begun = started(engine, cells)
    first = engine.playouts(begun, 200, 1)
    assert sum(first[0]) == 200
    assert first == engine.playouts(begun, 200, 1)
    assert first != engine.playouts(begun, 200, 2)


def test_a_failure_in_a_playout_is_told() -> None:
    _, engine, cells = engines("calls")
    begun = bytearray(cells)
    with pytest.raises(RuleFailure):
        engine.start(begun, programs.machine_id(engine.program, "spin"), (), Io(budget=5))
    # The machine that never stops is still running in these cells.
    with pytest.raises(RuleFailure) as told:
        engine.playouts(begun, 1, 1)
    assert told.value.kind == FAIL_BUDGET


# ------------------------------------------------------------------------------------------- many at once


def test_many_answers_at_once() -> None:
    oracle, engine, cells = engines("duel")
    positions, expected, values = [], [], []
    for seed in range(40):
        mine = bytearray(cells)
        low, high = rng.seeded(seed)
        struct.pack_into("ii", mine, 4 * H_RNG_LO, low, high)
        begun = started(oracle, mine)
        value = oracle.candidates(begun)[0]
        positions.append(bytearray(begun))
        values.append(value)
        oracle.answer(begun, value, Io())
        expected.append(bytes(begun))
    for threads in (1, 3):
        mine_all = [bytearray(position) for position in positions]
        assert engine.answer_many(mine_all, values, threads) == [None] * 40
        assert [bytes(position) for position in mine_all] == expected
    wrong = engine.answer_many([bytearray(positions[0]), bytearray(cells)], [12345, 1])
    assert all(isinstance(result, ValueError) for result in wrong)
    with pytest.raises(ValueError):
        engine.answer_many(positions, values[:-1])


def test_threads_share_an_engine() -> None:
    oracle, engine, cells = engines("duel")
    expected = plain_playouts(oracle, started(oracle, cells), 3, 7, 1000)
    barrier = threading.Barrier(4)

    def play(_: int) -> Any:
        barrier.wait()
        return [plain_playouts(engine, started(engine, cells), 3, 7, 1000) for _ in range(10)]

    with ThreadPoolExecutor(4) as pool:
        for results in pool.map(play, range(4)):
            assert results == [expected] * 10


def test_other_threads_run_while_rules_run() -> None:
    _, engine, cells = engines("duel")
    begun = started(engine, cells)
    done = threading.Event()

    def long() -> None:
        engine.playouts(begun, 20_000, 1)
        done.set()

    thread = threading.Thread(target=long)
    thread.start()
    turns = 0
    while not done.is_set():
        turns += 1
    thread.join()
    # With the GIL held throughout, this loop would turn a few times at most.
    assert turns > 1000


# ------------------------------------------------------------------------------------------ data is loaded


def test_changed_cells_need_no_compiler() -> None:
    program, layout, data, cells = programs.kitchen()
    module = build_engine(program)
    changed = copy.deepcopy(data)
    changed.columns[0][5] = 77
    changed.symbols[0] = -9
    table = changed.tables[0]
    table[table[1]] = 500
    for block in (data, changed):
        oracle, engine = Interpreter(program, layout, block), CompiledEngine(module, program, layout, block)
        for name, args in (("weight", (2,)), ("symbol", ()), ("crt", (1, 0))):
            number = programs.function_id(program, name)
            assert engine.call(cells, number, args, Io()) == oracle.call(cells, number, args, Io())


def test_more_rows_need_no_compiler() -> None:
    """The same module with domains of other sizes: sets change their words, fields and frames their places."""
    program, layout, data, _ = programs.calls()
    module = build_engine(program)
    for count in (41, 64, 100):
        more = copy.deepcopy(data)
        more.domains[1] = DomainData(5, count, tuple(f"card{i}" for i in range(count)))
        wide = compute_layout(program, layout.base, [layout.count[0], count])
        fresh = fresh_cells(program, wide, 5)
        oracle, engine = Interpreter(program, wide, more), CompiledEngine(module, program, wide, more)
        a, b = started(oracle, fresh, args=(1,)), bytearray()
        try:
            b = started(engine, fresh, args=(1,))
        except RuleFailure:
            pytest.fail("only one back end failed")
        chance = random.Random(count)
        while head(a, H_STATUS) == STATUS_DECISION:
            assert a == b
            assert oracle.candidates(a) == engine.candidates(b)
            value = chance.choice(oracle.candidates(a))
            oracle.answer(a, value, Io())
            engine.answer(b, value, Io())
        assert a == b


def test_data_that_does_not_fit_is_refused() -> None:
    program, layout, data, _ = programs.hexes()
    module = build_engine(program)

    def refused(**changes: Any) -> None:
        block = copy.deepcopy(data)
        block.maps[0] = dataclasses.replace(block.maps[0], **changes)
        with pytest.raises(DataError):
            CompiledEngine(module, program, layout, block)

    neighbours = list(data.maps[0].neighbours)
    refused(neighbours=(9999, *neighbours[1:]))
    refused(neighbours=tuple(neighbours[:-1]))
    refused(side_edge=tuple([10**6] * len(neighbours)))
    refused(edge_a=(1,) * 3)
    refused(base=10)
    areas = copy.deepcopy(data)
    areas.maps[1] = dataclasses.replace(areas.maps[1], adjacent=(1, 2, 0, 2, 0, 77))
    with pytest.raises(DataError):
        CompiledEngine(module, program, layout, areas)


def test_tables_and_columns_that_do_not_fit_are_refused() -> None:
    program, layout, data, _ = programs.kitchen()
    module = build_engine(program)

    def refused(act: Any) -> None:
        block = copy.deepcopy(data)
        act(block)
        with pytest.raises(DataError):
            CompiledEngine(module, program, layout, block)

    refused(lambda block: block.columns[0].pop())
    refused(lambda block: block.columns.pop())
    refused(lambda block: block.symbols.pop())
    refused(lambda block: block.tables[0].pop())
    refused(lambda block: block.tables.__setitem__(0, array("i", [5, 0])))
    refused(lambda block: block.tables[0].__setitem__(6, 10**6))
    refused(lambda block: block.tables[0].__setitem__(3, 10**6))
    other = programs.duel()[0]
    with pytest.raises(DataError):
        CompiledEngine(module, other, layout, data)


# ------------------------------------------------------------------------------------------------- safety


def broken(cells: bytearray, chance: random.Random) -> Iterator[bytearray]:
    """Positions that no rule can have made: some cells hold anything."""
    values = (0, 1, -1, 5, 1000, -(2**31), 2**31 - 1, 123456789)
    for _ in range(300):
        mine = bytearray(cells)
        for _ in range(chance.choice((1, 2, 10, 100))):
            cell = chance.choice((H_SP, H_FP, H_STATUS, chance.randrange(len(cells) // 4)))
            struct.pack_into("i", mine, 4 * cell, chance.choice(values))
        yield mine


@pytest.mark.parametrize("name", sorted(programs.PROGRAMS))
def test_no_position_can_crash_the_engine(name: str) -> None:
    """What happens to rubbish is not defined, except that it ends and touches nothing outside."""
    _, engine, cells = engines(name)
    chance = random.Random(name)
    program = engine.program
    begun = bytearray(cells)
    engine.start(begun, program.main, [0] * program.machines[program.main].params, Io())
    io = {"budget": 20_000}
    for mine in broken(begun, chance):
        for act in (
            lambda m: engine.resume(m, Io(**io)),
            engine.candidates,
            lambda m: engine.answer(m, 11, Io(**io)),
            lambda m: engine.playouts(m, 2, 1, 20),
        ):
            with contextlib.suppress(RuleFailure, ValueError):
                act(mine)
        for function in program.functions:
            if all(type(local.type).__name__ == "IntType" for local in function.locals[: function.params]):
                args = [chance.choice((0, 1, 11, 102))] * function.params
                with contextlib.suppress(RuleFailure):
                    engine.call(mine, function.id, args, Io(**io))


def test_buffers_are_checked() -> None:
    _, engine, cells = engines("duel")
    with pytest.raises(ValueError):
        engine.resume(bytearray(len(cells) - 4), Io())
    with pytest.raises(ValueError):
        engine.candidates(bytearray(len(cells) + 4))
    with pytest.raises(BufferError):
        engine.resume(bytes(cells), Io())  # type: ignore[arg-type]
    begun = started(engine, cells)
    assert engine.candidates(bytes(begun)) == engine.candidates(begun)  # type: ignore[arg-type]
    with pytest.raises(ValueError):
        engine.answer(begun, 2**40, Io())
    with pytest.raises(ValueError):
        engine.candidates(cells)


def test_endless_recursion_fails_with_the_budget() -> None:
    _, engine, cells = engines("kitchen")
    number = programs.function_id(engine.program, "deep")
    assert engine.call(cells, number, [150], Io()) == 150
    with pytest.raises(RuleFailure) as told:
        engine.call(cells, number, [10**6], Io())
    assert told.value.kind == FAIL_BUDGET
