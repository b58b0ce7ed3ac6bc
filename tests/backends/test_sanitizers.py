"""Engines built with address and undefined-behaviour sanitizers play clean."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from grognard.compiler.build import compiler_available, sanitizer_environment

BENCH = Path(__file__).resolve().parents[2] / "bench" / "sanitized.py"


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
