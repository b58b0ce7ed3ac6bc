"""The title that tests of odds use: small battles, and every kind of dice."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest
from grognard.compiler.build.build import compiler_available
from grognard.engine import Engine, load

DUEL = Path(__file__).parents[1] / "odds" / "titles" / "duel"


@cache
def duel(backend: str) -> Engine:
    if backend == "compiled" and (reason := compiler_available()) is not None:
        pytest.skip(reason)
    return load(DUEL, backend=backend)  # type: ignore[arg-type]
