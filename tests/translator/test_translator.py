"""The back end that runs Python made from the IR: what it does beside what the differential tests compare."""

from __future__ import annotations

import random

import programs
import pytest
from engines import engine_for
from grognard.contract.backend import Io, RuleFailure
from grognard.contract.datablock import Scenario
from grognard.contract.generator import seeded
from grognard.contract.header import FAIL_BUDGET, H_RNG_HI, H_RNG_LO, H_STATUS, STATUS_DECISION
from grognard.interpreter.machine import Interpreter
from grognard.translator.machine import PythonBackend

TITLES = ("connect_four", "mbt", "hot_war", "storms_of_steel", "strait", "europe_1940")


def started(scenario: Scenario, seed: int) -> bytearray:
    cells = bytearray(scenario.cells.tobytes())
    with memoryview(cells) as raw, raw.cast("i") as c:
        c[H_RNG_LO], c[H_RNG_HI] = seeded(seed)
    return cells


def deciding(cells: bytearray) -> bool:
    with memoryview(cells) as raw, raw.cast("i") as c:
        return bool(c[H_STATUS] == STATUS_DECISION)


@pytest.mark.parametrize("title", TITLES)
def test_random_games_agree_with_the_oracle_at_every_trace_level(title: str) -> None:
    """The level changes from answer to answer, and now and then an earlier position is gone back to, so that what is kept of
    one position meets another."""
    setting = engine_for(title, "interpreter").setting()
    program, scenario = setting.program, setting.scenario
    oracle = Interpreter(program, scenario.layout, scenario.data)
    translated = PythonBackend(program, scenario.layout, scenario.data)
    chance = random.Random(title)
    answers = 12 if title == "europe_1940" else 60
    cells = started(scenario, 7)
    other = bytearray(cells)
    oracle.start(cells, program.main, (), Io())
    translated.start(other, program.main, (), Io())
    earlier = [bytes(cells)]
    for _ in range(answers):
        assert cells == other
        if not deciding(cells) or chance.random() < 0.1:
            cells = bytearray(chance.choice(earlier))
            other = bytearray(cells)
        offered = oracle.candidates(cells)
        assert translated.candidates(other) == offered
        assert other == cells
        value, level = chance.choice(offered), chance.randrange(3)
        ios = Io(level), Io(level)
        oracle.answer(cells, value, ios[0])
        translated.answer(other, value, ios[1])
        assert ios[0].trace == ios[1].trace
        if deciding(cells):
            earlier.append(bytes(cells))
    assert translated.handed_over == 0


def test_what_is_kept_is_dropped_when_a_field_is_written() -> None:
    """A value that was kept is worked out anew after a write, and found again when the old position comes back."""
    setting = engine_for("connect_four", "interpreter").setting()
    program, scenario = setting.program, setting.scenario
    translated = PythonBackend(program, scenario.layout, scenario.data)
    cells = started(scenario, 1)
    translated.start(cells, program.main, (), Io())
    first = bytes(cells)
    lines = {}
    for value in translated.candidates(cells):
        cells = bytearray(first)
        translated.answer(cells, value, Io())
        lines[value] = bytes(cells)
    assert len(set(lines.values())) == len(lines)
    for value, after in lines.items():
        cells = bytearray(first)
        Interpreter(program, scenario.layout, scenario.data).answer(cells, value, Io())
        assert bytes(cells) == after


def test_the_interpreter_says_where_the_steps_run_out() -> None:
    """Translated code counts steps but does not look at them after each: the place is the interpreter's all the same, and the
    trace and the cells are as if nothing had run before."""
    program, layout, data, cells = programs.PROGRAMS["duel"]()
    oracle, translated = Interpreter(program, layout, data), PythonBackend(program, layout, data)
    found = []
    for backend in (oracle, translated):
        mine, io = bytearray(cells), Io(2, budget=3)
        with pytest.raises(RuleFailure) as failed:
            backend.start(mine, program.main, (), io)
        found.append((failed.value.kind, failed.value.site, io.trace.tolist()))
    assert found[0] == found[1]
    assert found[0][0] == FAIL_BUDGET
    assert translated.handed_over == 1
    mine = bytearray(cells)
    again = bytearray(cells)
    oracle.start(mine, program.main, (), Io())
    translated.start(again, program.main, (), Io())
    assert mine == again


def test_a_journal_with_rubbish_behind_its_entries_is_kept_as_the_oracle_keeps_it() -> None:
    """Runs leave zeros there, and hypotheticals rely on it; a position from outside may hold anything."""
    setting = engine_for("mbt", "interpreter").setting()
    program, layout = setting.program, setting.scenario.layout
    assert layout.journal_entries
    given = program, layout, setting.scenario.data
    oracle, translated = Interpreter(*given), PythonBackend(*given)
    cells = started(setting.scenario, 3)
    oracle.start(cells, program.main, (), Io())
    chance = random.Random(1)
    for number in range(60):
        if not deciding(cells):
            break
        if number % 20 == 5:
            with memoryview(cells) as raw, raw.cast("i") as c:
                c[layout.journal_offset + chance.randrange(40)] = 7
                c[layout.stack_offset - 1] = number
        other = bytearray(cells)
        offered = oracle.candidates(cells)
        assert translated.candidates(other) == offered and other == cells
        value = chance.choice(offered)
        oracle.answer(cells, value, Io())
        translated.answer(other, value, Io())
        assert cells == other
