"""Both back ends play random programs: at least ten thousand answers in each run, with seeds of the day."""

from __future__ import annotations

import os

import pytest
from grognard.compiler.build.build import compiler_available
from play_programs import compare_program, seed_of_the_day

pytestmark = pytest.mark.skipif(compiler_available() is not None, reason=str(compiler_available()))

#: Compiling is what costs: few programs, each of many machines.
PROGRAMS, ANSWERS = 2, 5_100


def test_random_programs_are_played_alike(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GROGNARD_QUICK", "1")
    seed = int(os.environ.get("GROGNARD_PROGRAM_SEED", seed_of_the_day()))
    total = 0
    for number in range(PROGRAMS):
        found = compare_program(seed + number, ANSWERS)
        assert found.difference is None, f"seed {seed + number}: {found.difference}"
        # A generator that has lost its way shows here: most runs must come to a question, and few may fail.
        assert found.answers >= ANSWERS and found.failures * 20 < found.answers, (
            f"seed {seed + number}: {found}"
        )
        total += found.answers
    print(f"{total} answers compared, seeds from {seed}")
    assert total >= 10_000


def test_a_result_that_is_told_in_a_loop(monkeypatch: pytest.MonkeyPatch) -> None:
    """A program that differed: what is noted of a result lies below the next note of it, too."""
    monkeypatch.setenv("GROGNARD_QUICK", "1")
    assert compare_program(1982800034, 1_300).difference is None
