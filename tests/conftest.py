"""Fixtures: back ends and titles, and engines of them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from engines import BACKENDS, SKIRMISH, engine_for
from grognard.compiler.layers.title_paths import shipped_titles
from grognard.engine import Engine


@pytest.fixture(autouse=True, scope="session")
def games_of_tests(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Games that tests begin are not kept among the user's own."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("GROGNARD_DATA", str(tmp_path_factory.mktemp("data")))
        yield


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
