"""Secret orders of several persons at once: each sees its own, nobody sees who has answered, the game goes on when all have."""

from __future__ import annotations

import json
import random
import secrets
from typing import Any

import pytest
from grognard.play.game import Game
from grognard.server.app import Table
from starlette.testclient import TestClient
from table_client import Eyes, Player

TITLES = [("mbt", "crossroads"), ("hot_war", "oil_road")]


def seated(client: TestClient, title: str, scenario: str) -> tuple[str, list[Eyes]]:
    """A game of two persons."""
    one, two = (Player(client, secrets.token_urlsafe(32)) for _ in range(2))
    info = one.get(f"/api/titles/{title}")
    names = next(
        [seat["seat"] for seat in found["seats"]] for found in info["scenarios"] if found["id"] == scenario
    )
    seats = {names[0]: "me", **dict.fromkeys(names[1:], "open")}
    made = one.post("/api/games", {"title": title, "scenario": scenario, "seed": 5, "seats": seats})
    for link in made["invitations"].values():
        two.post("/api/join", {"invitation": link.rpartition("/")[2]})
    game = made["game"]
    return game, [Eyes(one if name == names[0] else two, game, name).look() for name in names]


def answer(game: str, eyes: Eyes, picker: random.Random) -> str:
    choice = str(picker.choice(eyes.question["choices"])["name"])
    eyes.player.answer(game, eyes, choice)
    eyes.look()
    return choice


def stream(eyes: Eyes) -> bytes:
    found = eyes.player.get(f"/api/g/{eyes.game}/messages", seat=eyes.seat, since=-1)["messages"]
    return json.dumps(found).encode()


@pytest.mark.parametrize(("title", "scenario"), TITLES)
def test_all_order_at_once(client: TestClient, table: Table, title: str, scenario: str) -> None:
    """The second seat orders first, then the first one: the same position as when they are asked in turn."""
    game, (first, second) = seated(client, title, scenario)
    assert first.question is not None and second.question is not None, "both are asked at once"
    assert first.last.get("waiting") is None
    before, orders = stream(first), 0
    picker = random.Random(3)
    while second.question is not None:
        answer(game, second, picker)
        orders += 1
        assert stream(first) == before, "nobody is told that another has answered"
        second.check(second.player.get(f"/api/g/{game}/snapshot", seat=second.seat))
    assert orders and second.last["waiting"] == [first.seat]
    # What was ordered can be taken back while others think, and ordered again; also by a server that has read it anew.
    assert second.last["undo"] is not None
    second.player.post(f"/api/g/{game}/undo", {"key": secrets.token_hex(8), "seat": second.seat})
    second.look()
    assert second.question is not None and stream(first) == before
    table.hall.forget(game)
    second.check(second.player.get(f"/api/g/{game}/snapshot", seat=second.seat))
    while second.question is not None:
        answer(game, second, picker)
    told = stream(second)
    opened = None
    for number in range(400):
        with table.hall.playing(game) as live:
            block = live.line.block
        opened = opened or (block and block.event)
        if block is None or block.event != opened:
            break
        assert stream(second) == told
        if number == 1:
            table.hall.forget(game)
        answer(game, first, picker)
    assert stream(second) != told, "all is in: the game goes on"
    with table.hall.playing(game) as live:
        beside = Game(live.line.engine, scenario, 5)
        for played in live.line.history:
            beside.play(played.value)
        assert beside.position == live.line.here
    for eyes in (first, second):
        eyes.look().check(eyes.player.get(f"/api/g/{game}/snapshot", seat=eyes.seat))


@pytest.mark.parametrize(("title", "scenario"), TITLES)
def test_no_byte_of_anothers_orders(client: TestClient, table: Table, title: str, scenario: str) -> None:
    """Games that differ only in what the first seat has ordered, or whether it has, give the second the same bytes."""
    told: list[Any] = []
    for seed in range(3):
        game, (first, second) = seated(client, title, scenario)
        mine, theirs = random.Random(9), random.Random(seed)
        for _ in range(2):
            for _ in range(seed):
                answer(game, first, theirs)
            answer(game, second, mine)
        with table.hall.playing(game) as live:
            assert live.line.awaited is not None, "the block is still open"
        told.append(stream(second))
    assert told[0] == told[1] == told[2]
    assert len(json.loads(told[0])) > 2
