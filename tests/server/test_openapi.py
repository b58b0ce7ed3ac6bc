"""The description of the requests: complete, and true for whatever it allows and forbids."""

from __future__ import annotations

import secrets
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import schemathesis
from grognard.server.app import Requests, make_app, make_table
from grognard.server.library import Library
from grognard.server.limits import Rate
from grognard.server.openapi import REQUESTS, description
from grognard.server.store import Store, database_in
from hypothesis import HealthCheck, given, settings
from hypothesis.errors import FailedHealthCheck, Unsatisfiable
from schemathesis import GenerationMode
from schemathesis.specs.openapi.checks import content_type_conformance, response_schema_conformance
from starlette.testclient import TestClient
from table_client import Player

TOKEN = secrets.token_urlsafe(32)


@dataclass(frozen=True)
class Api:
    schema: Any
    #: the game that stands for every game that is asked for
    game: str


def begun(app: Any) -> Any:
    """An application that has begun already: it is asked to begin with every request."""

    async def run(scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] == "http":
            await app(scope, receive, send)
            return
        for step in ("startup", "shutdown"):
            await receive()
            await send({"type": f"lifespan.{step}.complete"})

    return run


@pytest.fixture(scope="module")
def api(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Api]:
    folder: Path = tmp_path_factory.mktemp("api")
    table = make_table(Store(database_in(folder)), Library(backend="interpreter"), rate=Rate(1e9, 1e9))
    app = make_app(table)
    with TestClient(app, base_url="http://localhost") as client:  # type: ignore[arg-type]
        game = Player(client, TOKEN).create("connect_four", seed=1)
        loaded = schemathesis.openapi.from_dict(description())
        loaded.app = begun(app)
        yield Api(loaded, game)


def test_every_request_is_described() -> None:
    class Nothing:
        def __getattr__(self, name: str) -> Any:
            return self

    routes = Requests(Nothing()).routes()  # type: ignore[arg-type]
    there = {
        (method.lower(), route.path)
        for route in routes
        for method in route.methods or ()
        if route.path.startswith("/api/") and method != "HEAD"
    }
    assert there - {("get", "/api/openapi.json")} == set(REQUESTS)


#: A stream does not end; bots and odds take their time in processes of their own; passwords are slow on purpose.
LEFT_OUT = ("/stream", "/odds", "/advice", "/account", "/login", "/password")


@pytest.mark.parametrize(("method", "path"), [key for key in REQUESTS if not key[1].endswith(LEFT_OUT)])
@pytest.mark.parametrize(
    "mode", [GenerationMode.POSITIVE, GenerationMode.NEGATIVE], ids=lambda mode: mode.value
)
def test_whatever_is_sent(api: Api, method: str, path: str, mode: GenerationMode) -> None:
    """What the description allows, and what it forbids: never a fault of the server; a mistake has a code and a sentence."""

    @given(case=api.schema[path][method].as_strategy(generation_mode=mode))
    @settings(
        max_examples=8,
        deadline=None,
        suppress_health_check=list(HealthCheck),
        derandomize=True,
        database=None,
    )
    def check(case: Any) -> None:
        if "game" in case.path_parameters:
            case.path_parameters["game"] = api.game
        reply = case.call(headers={"authorization": f"Bearer {TOKEN}"})
        assert reply.status_code < 500, reply.text
        case.validate_response(reply, checks=[content_type_conformance, response_schema_conformance])

    try:
        check()
    except (Unsatisfiable, FailedHealthCheck):
        # Where everything is allowed, there is nothing to forbid.
        assert mode is GenerationMode.NEGATIVE
