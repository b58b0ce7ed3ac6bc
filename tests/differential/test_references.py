"""The hand-written C that the bench compares with gives the engine's answers, cell by cell, from the same dice."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

import pytest

BENCH = Path(__file__).resolve().parents[2] / "bench"


@pytest.mark.skipif(shutil.which("gcc") is None, reason="the references are compiled with gcc")
@pytest.mark.parametrize("name", ["mbt", "storms", "hot_war", "next_war"])
def test_reference_agrees(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(BENCH))
    try:
        import combats  # type: ignore[import-not-found]

        getattr(combats, name)("interpreter").check(positions=40)
    finally:
        for module in ("combats", "position", "native"):
            sys.modules.pop(module, None)
