"""A real server over a real socket, killed without warning: what it acknowledged is there when it comes back."""

from __future__ import annotations

import json
import os
import random
import secrets
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import httpx
from engines import SKIRMISH

ROUNDS = 4


class Server:
    def __init__(self, folder: Path) -> None:
        command = [
            sys.executable,
            "-m",
            "grognard.cli.main",
            "serve",
            str(SKIRMISH),
            "--backend",
            "interpreter",
        ]
        command += ["--no-browser", "--port", "0", "--data", str(folder), "--plain"]
        self.process = subprocess.Popen(
            command, stdout=subprocess.PIPE, text=True, env={**os.environ, "PYTHONUNBUFFERED": "1"}
        )
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        self.address = line.split()[4].partition("/?")[0]
        for _ in range(600):
            try:
                httpx.get(f"{self.address}/api/games")
                return
            except httpx.TransportError:
                time.sleep(0.05)
        raise AssertionError("the server does not answer")

    def kill(self) -> None:
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()
        assert self.process.stdout is not None
        self.process.stdout.close()


def test_no_acknowledged_answer_is_lost(tmp_path: Path) -> None:
    headers = {"authorization": f"Bearer {secrets.token_urlsafe(32)}"}
    picker = random.Random(5)
    game = ""
    acknowledged = 0
    for _ in range(ROUNDS):
        server = Server(tmp_path)
        try:
            with httpx.Client(base_url=server.address, headers=headers, timeout=30) as client:
                if not game:
                    made = client.post("/api/games", json={"title": "skirmish", "seed": 1, "undo": "free"})
                    game = made.json()["game"]
                    # The stream of a seat is read on while it is played.
                assert _answers(client, game) >= acknowledged
                threading.Timer(0.2 + 0.3 * picker.random(), server.kill).start()
                acknowledged = _play_until_dead(client, game, picker)
        finally:
            server.kill()
    server = Server(tmp_path)
    try:
        with httpx.Client(base_url=server.address, headers=headers, timeout=30) as client:
            assert _answers(client, game) >= acknowledged > 0
            with client.stream("GET", f"/api/g/{game}/stream", params={"seat": "german"}) as stream:
                lines = (line for line in stream.iter_lines() if line.startswith("data: "))
                first = json.loads(next(lines).removeprefix("data: "))
            assert first["n"] == 0
    finally:
        server.kill()


def _answers(client: httpx.Client, game: str) -> int:
    """How many answers stand."""
    save = client.get(f"/api/g/{game}/save")
    assert save.status_code == 200, save.text
    return len(save.json()["answers"])


def _play_until_dead(client: httpx.Client, game: str, picker: random.Random) -> int:
    """Play at random until the server is gone; how many answers it had acknowledged."""
    count = _answers(client, game)
    try:
        while True:
            asked: dict[str, Any] | None = None
            for seat in ("german", "soviet"):
                snapshot = client.get(f"/api/g/{game}/snapshot", params={"seat": seat}).json()
                asked = asked or snapshot["question"]
            if asked is None:
                # Over: back to the beginning, which counts from there.
                client.post(
                    f"/api/g/{game}/undo", json={"key": secrets.token_hex(8), "seat": "german", "to": 0}
                )
                count = 0
                continue
            body = {
                "key": secrets.token_hex(8),
                "seat": asked["seat"],
                "question": asked["id"],
                "answers": [picker.choice(asked["choices"])["name"]],
            }
            reply = client.post(f"/api/g/{game}/answer", json=body)
            assert reply.status_code == 200, reply.text
            count += 1
    except httpx.TransportError:
        return count
