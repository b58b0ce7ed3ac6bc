"""Engines built with address and undefined-behaviour sanitizers play clean."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from grognard.compiler.build.build import compiler_available, sanitizer_environment

BENCH = Path(__file__).resolve().parents[2] / "bench" / "sanitized.py"
DUEL = Path(__file__).resolve().parents[1] / "odds" / "titles" / "duel"

#: Grids that are tried whole and in part, proved, refused, known before, and walked on cached positions.
ODDS = """
import sys, grognard
from grognard.odds import prepare
engine = grognard.load(sys.argv[1], backend="compiled")
for trap in ("none", "outnumbers", "heavy_losses", "glory_of_hits"):
    for reds, blues in ((3, 4), (12, 12), (16, 8)):
        prepare(engine, "trap", {"t": trap, "reds": reds, "blues": blues}, policy="steady").odds()
for pikes in (8, 9, 7):
    for every in (False, True):
        values = {"pikes": pikes, "guns": 6, "foes": 11}
        prepare(engine, "clash", values, policy="steady", every=every).odds()
prepare(engine, "fate", {"others": 5}).odds()
weighing = prepare(engine, "clash", {"pikes": 3, "guns": 2, "foes": 4}, policy="steady")
weighing.simulate(5000, seed=3, workers=1)
print("clean")
"""


@pytest.mark.skipif(compiler_available() is not None, reason="nothing can be compiled here")
def test_random_games_of_the_small_titles_are_clean() -> None:
    """All titles: python bench/sanitized.py; their builds take too long here."""
    if sanitizer_environment() is None:
        pytest.skip("the C compiler has no sanitizers")
    run = subprocess.run(
        [sys.executable, str(BENCH), "connect_four", "breakthrough"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stderr[-4000:]
    assert run.stdout.count("is clean") == 2


@pytest.mark.skipif(compiler_available() is not None, reason="nothing can be compiled here")
def test_odds_are_clean() -> None:
    environment = sanitizer_environment()
    if environment is None:
        pytest.skip("the C compiler has no sanitizers")
    run = subprocess.run(
        [sys.executable, "-c", ODDS, str(DUEL)], capture_output=True, text=True, check=False, env=environment
    )
    assert run.returncode == 0, run.stderr[-4000:]
    assert run.stdout == "clean\n"
