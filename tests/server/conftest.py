"""A table for the tests: in memory of the process, on a database of its own, without a network."""

from __future__ import annotations

import os
import secrets
from collections.abc import Iterator
from pathlib import Path

import pytest
from engines import SKIRMISH
from grognard.server.app import Table, make_app, make_table
from grognard.server.library import Library
from grognard.server.limits import Rate
from grognard.server.store import Store, database_in, metadata
from starlette.testclient import TestClient
from table_client import Player

DATABASES = ["sqlite", *(["postgres"] if os.environ.get("GROGNARD_POSTGRES_URL") else [])]


@pytest.fixture(scope="session")
def library() -> Library:
    return Library(str(SKIRMISH))


@pytest.fixture(params=DATABASES)
def database(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    if request.param == "sqlite":
        yield database_in(tmp_path)
        return
    url = "postgresql+psycopg://" + os.environ["GROGNARD_POSTGRES_URL"].partition("://")[2]
    yield url
    store = Store(url)
    metadata.drop_all(store.engine)
    store.close()


@pytest.fixture
def table(database: str, library: Library) -> Table:
    return make_table(Store(database), library, rate=Rate(1e9, 1e9))


@pytest.fixture
def client(table: Table) -> Iterator[TestClient]:
    with TestClient(make_app(table), base_url="http://localhost") as made:  # type: ignore[arg-type]
        yield made


@pytest.fixture
def player(client: TestClient) -> Player:
    return Player(client, secrets.token_urlsafe(32))
