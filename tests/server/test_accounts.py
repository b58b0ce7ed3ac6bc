"""Accounts beside tokens: games come along, sessions end, passwords cannot be tried at will."""

from __future__ import annotations

import secrets

import pytest
import sqlalchemy as sa
from grognard.server import store as db
from grognard.server.app import Table
from grognard.server.limits import Rate
from starlette.testclient import TestClient
from table_client import Player

ME = {"name": "Ada", "password": "correct horse"}


def browser(client: TestClient) -> Player:
    return Player(client, secrets.token_urlsafe(32))


def token(client: TestClient, player: Player, path: str, body: dict[str, str]) -> Player:
    """The same person with the token that the reply sets."""
    reply = client.post(path, json=body, headers=player.headers)
    assert reply.status_code == 200, reply.text
    cookie = reply.headers["set-cookie"]
    assert "HttpOnly" in cookie and "SameSite=lax" in cookie
    client.cookies.clear()
    return Player(client, cookie.partition("=")[2].partition(";")[0])


def test_games_come_along_and_sessions_end(client: TestClient, table: Table) -> None:
    guest = browser(client)
    game = guest.create("connect_four")
    seats = guest.get(f"/api/g/{game}")["me"]
    here = token(client, guest, "/api/account", ME)
    assert here.headers != guest.headers, "never the token that was there before"
    assert here.get("/api/me")["account"] == "Ada" and here.get(f"/api/g/{game}")["me"] == seats
    assert guest.get(f"/api/g/{game}")["me"] == [] and guest.get("/api/me")["account"] is None
    elsewhere = browser(client)
    other = elsewhere.create("breakthrough")
    there = token(client, elsewhere, "/api/login", {**ME, "name": "ADA "})
    assert {entry["game"] for entry in there.get("/api/games")["games"] if entry["me"]} == {game, other}
    again = token(client, here, "/api/password", {"old": ME["password"], "new": "battery staple"})
    assert there.get("/api/me")["account"] is None and again.get("/api/me")["account"] == "Ada"
    left = token(client, again, "/api/logout", {})
    assert again.get("/api/me")["account"] is None and left.get("/api/games")["games"] == []
    with table.store.reading() as connection:
        kept = connection.execute(sa.select(db.accounts.c.password)).scalar_one()
    assert kept.startswith("$argon2id$") and "battery" not in kept


@pytest.mark.parametrize(
    ("body", "status"),
    [
        ({"name": "ada", "password": "another password"}, 409),
        ({"name": "", "password": "long enough"}, 400),
        ({"name": "Bob", "password": "short"}, 400),
        ({"name": "Bob", "password": 12345678}, 400),
        ({"name": "B\u202eob", "password": "long enough"}, 400),
    ],
)
def test_what_cannot_be_an_account(client: TestClient, body: dict[str, object], status: int) -> None:
    browser(client).post("/api/account", dict(ME))
    browser(client).post("/api/account", body, status)


def test_passwords_cannot_be_tried_at_will(client: TestClient, table: Table) -> None:
    browser(client).post("/api/account", dict(ME))
    table.accounts.tries = Rate(0.0001, 3)
    wrong = {**ME, "password": "wrong horse"}
    replies = [browser(client).post("/api/login", wrong, status) for status in (401, 401, 401, 429)]
    nobody = {"name": "Nobody", "password": "wrong horse"}
    table.accounts.tries = Rate(0.0001, 3)
    assert browser(client).post("/api/login", nobody, 401) == replies[0], "nobody learns who has an account"
    browser(client).post("/api/password", {"old": "x", "new": "long enough"}, 401)
