"""A person at the table, as a program: folds a stream as the page does, and answers."""

from __future__ import annotations

import secrets
from typing import Any

from grognard.play.named_cells import checksum_of
from starlette.testclient import TestClient


class Player:
    def __init__(self, client: TestClient, token: str) -> None:
        self.client = client
        self.headers = {"authorization": f"Bearer {token}"}

    def get(self, path: str, status: int = 200, **query: Any) -> Any:
        reply = self.client.get(path, headers=self.headers, params=query)
        assert reply.status_code == status, reply.text
        return reply.json()

    def post(self, path: str, body: dict[str, Any], status: int = 200) -> Any:
        reply = self.client.post(path, headers=self.headers, json=body)
        assert reply.status_code == status, reply.text
        return reply.json()

    def create(self, title: str, **more: Any) -> str:
        made: str = self.post("/api/games", {"title": title, **more})["game"]
        return made

    def answer(self, game: str, eyes: Eyes, *names: str, status: int = 200, key: str = "") -> Any:
        body = {
            "key": key or secrets.token_hex(8),
            "seat": eyes.seat,
            "question": eyes.question["id"],
            "answers": list(names),
            "n": eyes.n,
        }
        return self.post(f"/api/g/{game}/answer", body, status)


class Eyes:
    """What one seat has been told, put together from its messages alone."""

    def __init__(self, player: Player, game: str, seat: str) -> None:
        self.player = player
        self.game = game
        self.seat = seat
        self.n = -1
        self.view: dict[str, Any] = {}
        self.log: list[Any] = []
        self.last: dict[str, Any] = {}
        self.sizes: list[int] = []

    @property
    def question(self) -> Any:
        return self.last["question"]

    def look(self) -> Eyes:
        """Follow the stream to its end."""
        found = self.player.get(f"/api/g/{self.game}/messages", seat=self.seat, since=self.n)
        for message in found["messages"]:
            self.take(message)
        return self

    def take(self, message: dict[str, Any]) -> None:
        assert message["n"] == self.n + 1, "numbers are dense"
        self.n = message["n"]
        for domain, members in message.get("gone", {}).items():
            for member in members:
                del self.view[domain][member]
        for domain, members in message.get("set", {}).items():
            for member, fields in members.items():
                self.view.setdefault(domain, {}).setdefault(member, {}).update(fields)
        assert f"{checksum_of(self.view):08x}" == message["hash"]
        del self.log[message.get("keep", len(self.log)) :]
        self.log += message.get("log", [])
        assert [line["id"] for line in self.log] == list(range(message["lines"]))
        self.last = message

    def check(self, snapshot: dict[str, Any]) -> None:
        """What was put together is what the server would send in one piece."""
        assert {domain: members for domain, members in self.view.items() if members} == snapshot["view"]
        assert self.log == snapshot["log"]
        for name in ("n", "hash", "question", "undo", "status"):
            assert self.last[name] == snapshot[name]
