"""Fixtures: back ends and titles, and engines of them."""

from __future__ import annotations

from pathlib import Path

import pytest
from engines import BACKENDS, SKIRMISH, engine_for
from grognard.compiler.layers.title_paths import shipped_titles
from grognard.engine import Engine


@pytest.fixture(params=BACKENDS)
def backend(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(params=[*sorted(shipped_titles()), str(SKIRMISH)], ids=lambda name: Path(name).name)
def title(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def engine(title: str, backend: str) -> Engine:
    return engine_for(title, backend)


@pytest.fixture
def skirmish(backend: str) -> Engine:
    return engine_for(str(SKIRMISH), backend)


@pytest.fixture
def connect_four(backend: str) -> Engine:
    return engine_for("connect_four", backend)
