"""The option that rewrites the expected messages of the cases, and a cache of the tests' own."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--update-golden",
        action="store_true",
        help="write what the compiler says now into the cases, to be read before it is committed",
    )


@pytest.fixture(scope="module", autouse=True)
def own_cache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Thousands of spoilt files have no business in the cache of whoever runs the tests.

    No longer than for a module: the tests of other folders share the engines in the usual cache."""
    before = os.environ.get("GROGNARD_CACHE")
    os.environ["GROGNARD_CACHE"] = str(tmp_path_factory.mktemp("cache"))
    yield
    if before is None:
        del os.environ["GROGNARD_CACHE"]
    else:
        os.environ["GROGNARD_CACHE"] = before
