"""Hand-built programs that several of these tests use."""

from __future__ import annotations

import programs
import pytest
from interpreted import Game


@pytest.fixture
def kitchen() -> Game:
    return Game(programs.kitchen)


@pytest.fixture
def hexes() -> Game:
    return Game(programs.hexes)
