"""Large titles cost what they are large: calls are counted at N and 2N, no time is taken."""

from __future__ import annotations

import sys
from pathlib import Path
from types import FrameType
from typing import Any

import pytest
from grognard.compiler.driver.pipeline import compile_title
from grognard.compiler.store.ruleset import CompiledRuleset
from grognard.support.diagnostics import Sink

sys.path.insert(0, str(Path(__file__).parents[3] / "bench"))
from large_titles import write_large_title


def _compiled(folder: Path) -> CompiledRuleset:
    sink = Sink()
    ruleset = compile_title(str(folder), sink, to_run=False)
    assert ruleset is not None and not sink.has_errors, [found.message for found in sink][:3]
    return ruleset


def _calls(folder: Path) -> int:
    """Calls of Python and C functions while a title is checked and its scenario read."""
    count = 0

    def called(frame: FrameType, event: str, argument: Any) -> None:
        nonlocal count
        count += event in ("call", "c_call")

    before = sys.getprofile()
    sys.setprofile(called)
    try:
        _compiled(folder)
    finally:
        sys.setprofile(before)
    return count


@pytest.mark.parametrize(
    ("what", "size"), [("excluding", 150), ("ordered", 60), ("pieces", 1000), ("rows", 100)]
)
def test_twice_the_size_takes_twice_the_calls(tmp_path: Path, what: str, size: int) -> None:
    _compiled(write_large_title(tmp_path / "first", **{what: 4}))  # parsers and patterns are made once
    small, middle, large = (
        _calls(write_large_title(tmp_path / str(n), **{what: n})) for n in (size // 8, size, 2 * size)
    )
    # What is done once for any title is in all of them; growth of the square would be about twice this.
    assert large - small < 2.6 * (middle - small)


def test_each_exception_to_a_procedure_that_asks_is_one_machine(tmp_path: Path) -> None:
    counts = [
        len(_compiled(write_large_title(tmp_path / str(n), asking=n)).program.machines) for n in (0, 6, 12)
    ]
    assert counts == [counts[0], counts[0] + 6, counts[0] + 12]
