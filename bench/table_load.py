"""Many games at one table server: round trips of answers, streams that follow, a gap of the network, servers that are killed.

    python bench/table_load.py --games 200 --watchers 1 --seconds 30
    python bench/table_load.py --games 20 --kills 50
    python bench/table_load.py --database postgresql://USER@HOST/NAME --processes 2

Starts servers of its own on free ports.  Each game has two seats, each with a stream of its own, and streams of watchers; whoever
is asked answers after a while.  At the end each game is compared with what was acknowledged: nothing may be lost, nothing
done twice, no number of a stream left out.  Exit status 1 otherwise.  No time is asserted.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import random
import secrets
import signal
import socket
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass, field
from typing import Any

TITLES = ("connect_four", "breakthrough", "mbt")
#: Seconds after which a request is sent again.
PATIENCE = 15.0


class Gone(Exception):
    """The server does not answer."""


# ------------------------------------------------------------------------------------------------------ servers


class Server:
    def __init__(self, words: list[str]) -> None:
        self.words = words
        self.port = 0
        self.process: subprocess.Popen[str] | None = None
        self.start()

    def start(self) -> None:
        command = [sys.executable, "-u", "-m", "grognard.cli.main", "serve", "--no-browser", "--plain"]
        self.process = subprocess.Popen(
            [*command, "--port", str(self.port), *self.words], stdout=subprocess.PIPE, text=True
        )
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        if not line:
            raise SystemExit("the server does not start")
        self.port = int(line.split()[4].rstrip("/").rpartition(":")[2])
        for _ in range(600):
            try:
                socket.create_connection(("127.0.0.1", self.port), 1).close()
                return
            except OSError:
                time.sleep(0.05)
        raise SystemExit("the server does not answer")

    def kill(self, how: signal.Signals = signal.SIGKILL) -> None:
        if self.process is not None:
            self.process.send_signal(how)
            self.process.wait()
            assert self.process.stdout is not None
            self.process.stdout.close()


# ---------------------------------------------------------------------------------------------------- connections


class Link:
    """One connection that is kept, for requests one after the other."""

    def __init__(self, server: Server, token: str) -> None:
        self.server, self.token = server, token
        self.reader: asyncio.StreamReader | None = None
        self.writer: asyncio.StreamWriter | None = None

    async def ask(
        self, method: str, path: str, body: Any = None, patience: float = PATIENCE
    ) -> tuple[int, Any]:
        try:
            return await asyncio.wait_for(self._ask(method, path, body), patience)
        except (OSError, asyncio.IncompleteReadError, TimeoutError, ValueError) as error:
            self.close()
            raise Gone from error

    async def _ask(self, method: str, path: str, body: Any) -> tuple[int, Any]:
        if self.writer is None or self.reader is None:
            self.reader, self.writer = await asyncio.open_connection("127.0.0.1", self.server.port)
        self.writer.write(request(method, path, self.token, body))
        await self.writer.drain()
        status = int((await self.reader.readuntil(b"\r\n")).split()[1])
        length = 0
        while (line := await self.reader.readuntil(b"\r\n")) != b"\r\n":
            name, _, value = line.decode().partition(":")
            if name.lower() == "content-length":
                length = int(value)
        data = await self.reader.readexactly(length)
        return status, json.loads(data) if data else None

    def close(self) -> None:
        if self.writer is not None:
            self.writer.close()
        self.reader = self.writer = None


def request(method: str, path: str, token: str, body: Any = None, more: str = "") -> bytes:
    data = b"" if body is None else json.dumps(body).encode()
    kind = "content-type: application/json\r\n" if body is not None else ""
    head = f"{method} {path} HTTP/1.1\r\nhost: 127.0.0.1\r\nauthorization: Bearer {token}\r\n{more}{kind}content-length: {len(data)}\r\n\r\n"
    return head.encode() + data


# ----------------------------------------------------------------------------------------------------------- games


@dataclass(slots=True)
class Tally:
    trips: list[float] = field(default_factory=list)
    #: from the answer that was sent to the message at the other seat
    seen: list[float] = field(default_factory=list)
    sizes: list[int] = field(default_factory=list)
    resent: int = 0
    connects: int = 0
    trouble: list[str] = field(default_factory=list)


class Played:
    """One game with both of its seats."""

    def __init__(self, number: int, args: argparse.Namespace, servers: list[Server], tally: Tally) -> None:
        self.token = secrets.token_urlsafe(32)
        self.title = TITLES[number % len(TITLES)]
        self.args, self.tally = args, tally
        self.servers = servers
        self.link = Link(servers[number % len(servers)], self.token)
        #: read from another server than is written to, where there are several
        self.other = servers[(number + 1) % len(servers)]
        self.game = ""
        self.acknowledged: list[str] = []
        self.picker = random.Random(number)
        self.asked: asyncio.Queue[dict[str, Any]] = asyncio.Queue()
        self.sent_at = 0.0
        self.over = False

    async def begin(self) -> list[asyncio.Task[None]]:
        status, made = await self.link.ask("POST", "/api/games", {"title": self.title, "seed": 1}, 600)
        assert status == 200, made
        self.game = made["game"]
        _, about = await self.link.ask("GET", f"/api/g/{self.game}")
        seats = [seat["seat"] for seat in about["seats"]]
        made_tasks = [asyncio.create_task(self.follow(seat)) for seat in seats]
        made_tasks += [asyncio.create_task(self.follow("")) for _ in range(self.args.watchers)]
        return [*made_tasks, asyncio.create_task(self.answer())]

    async def follow(self, seat: str) -> None:
        """The stream of a seat; connects again where it was left."""
        last = -1
        cut = time.monotonic() + self.args.seconds / 3 if self.args.gap else None
        while True:
            writer: asyncio.StreamWriter | None = None
            try:
                self.tally.connects += 1
                reader, writer = await asyncio.open_connection("127.0.0.1", self.other.port, limit=2**22)
                path = f"/api/g/{self.game}/stream?seat={seat}&since={last}"
                more = f"last-event-id: {last}\r\n" if last >= 0 else ""
                writer.write(request("GET", path, self.token, None, more))
                while cut is None or time.monotonic() < cut:
                    # A line comes at least with every sign of life.
                    line = await reader.readline()
                    if not line:
                        raise ConnectionError
                    if line.startswith(b"data: "):
                        last = self.take(seat, json.loads(line[6:]), last, len(line))
            except (OSError, asyncio.IncompleteReadError):
                await asyncio.sleep(0.2 + self.picker.random() * 0.3)
                continue
            finally:
                if writer is not None:
                    writer.close()
            # The network is gone for a while.
            await asyncio.sleep(self.args.gap)
            cut = None

    def take(self, seat: str, message: dict[str, Any], last: int, size: int) -> int:
        if "n" not in message:
            return last
        self.tally.sizes.append(size)
        if message["n"] <= last:
            return last
        if message["n"] != last + 1:
            self.tally.trouble.append(f"{self.game}: {message['n']} of `{seat}` follows {last}")
        if message.get("question") and seat:
            self.asked.put_nowait(message["question"])
        elif seat and self.sent_at:
            self.tally.seen.append(time.monotonic() - self.sent_at)
        if message["status"] == "over":
            self.over = True
        return int(message["n"])

    async def answer(self) -> None:
        while True:
            question = await self.asked.get()
            await asyncio.sleep(self.picker.random() * 2 * self.args.think)
            name = self.picker.choice(question["choices"])["name"]
            body = {
                "key": secrets.token_hex(8), "seat": question["seat"], "question": question["id"], "answers": [name],
            }  # fmt: skip
            while True:
                start = self.sent_at = time.monotonic()
                try:
                    status, reply = await self.link.ask("POST", f"/api/g/{self.game}/answer", body)
                except Gone:
                    self.tally.resent += 1
                    await asyncio.sleep(0.1)
                    continue
                if status == 200:
                    self.tally.trips.append(time.monotonic() - start)
                    self.acknowledged.append(name)
                elif status != 409 or reply["error"] != "stale":
                    self.tally.trouble.append(f"{self.game}: {status} {reply}")
                break

    async def check(self) -> tuple[int, int]:
        """Answers that were acknowledged and are lost, and such that were done more than once."""
        for _ in range(50):
            try:
                status, save = await self.link.ask("GET", f"/api/g/{self.game}/save")
                break
            except Gone:
                await asyncio.sleep(0.2)
        assert status == 200, save
        found = [answer["answer"] for answer in save["answers"]]
        lost = sum(a != b for a, b in zip(self.acknowledged, found)) + max(
            0, len(self.acknowledged) - len(found)
        )
        # One may have been taken whose reply never came.
        return lost, max(0, len(found) - len(self.acknowledged) - 1)


async def run(args: argparse.Namespace, servers: list[Server]) -> int:
    tally = Tally()
    games = [Played(number, args, servers, tally) for number in range(args.games)]
    tasks: list[asyncio.Task[None]] = []
    begun = time.monotonic()
    for game in games:
        tasks += await game.begin()
    print(
        f"{len(games)} games and {len(tasks) - len(games)} streams in {time.monotonic() - begun:.1f} s",
        flush=True,
    )
    tally.trips.clear(), tally.seen.clear(), tally.sizes.clear()
    start, cpu = time.monotonic(), processor_time(servers)
    if args.kills:
        for _ in range(args.kills):
            await asyncio.sleep(args.between)
            server = random.choice(servers)
            server.kill()
            await asyncio.to_thread(server.start)
    else:
        await asyncio.sleep(args.seconds)
    spent, used = time.monotonic() - start, processor_time(servers) - cpu
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    for game in games:
        game.link.close()
    checks = [await game.check() for game in games]
    lost, twice = (sum(column) for column in zip(*checks))
    answers = sum(len(game.acknowledged) for game in games)
    print(f"{'':36}{'50 %':>10}{'95 %':>10}{'99 %':>10}")
    print(f"{'round trip of an answer, ms':36}{percentiles(tally.trips)}")
    print(f"{'until the other seat has it, ms':36}{percentiles(tally.seen)}")
    each = 1000 * used / max(1, len(tally.trips))
    print(
        f"{len(tally.trips)} answers in {spent:.1f} s, {len(tally.trips) / spent:.1f} a second; servers used {used / spent:.2f} cores, "
        f"{each:.1f} ms of processor an answer"
    )
    sizes = sorted(tally.sizes)
    if sizes:
        below = sum(size < 2048 for size in sizes) / len(sizes)
        print(f"{len(sizes)} messages, {below:.1%} below 2 KB, the longest {sizes[-1]} bytes")
    print(f"connections of streams {tally.connects}, answers sent again {tally.resent}")
    print(f"{answers} acknowledged: {lost} lost, {twice} done twice; other trouble: {len(tally.trouble)}")
    for line in tally.trouble[:5]:
        print(f"  {line[:300]}")
    return 1 if lost or twice or tally.trouble else 0


def percentiles(values: list[float]) -> str:
    if not values:
        return f"{'none':>10}"
    found = sorted(values)
    return "".join(f"{found[min(len(found) - 1, len(found) * p // 100)] * 1000:10.1f}" for p in (50, 95, 99))


def processor_time(servers: list[Server]) -> float:
    """Seconds that the servers' processes have used, without what was killed."""
    total = 0.0
    for server in servers:
        assert server.process is not None
        try:
            with open(f"/proc/{server.process.pid}/stat") as file:
                parts = file.read().rpartition(")")[2].split()
            total += (int(parts[11]) + int(parts[12])) / 100
        except OSError:
            continue
    return total


def main() -> int:
    parser = argparse.ArgumentParser(description="many games at one table server")
    parser.add_argument("--games", type=int, default=200)
    parser.add_argument("--watchers", type=int, default=1, help="streams of watchers of each game")
    parser.add_argument("--seconds", type=float, default=30)
    parser.add_argument("--think", type=float, default=2.0, help="seconds before an answer, on average")
    parser.add_argument("--gap", type=float, default=0, help="seconds that every stream is cut, once")
    parser.add_argument("--kills", type=int, default=0, help="kill a server so often, without warning")
    parser.add_argument("--between", type=float, default=2.0, help="seconds between kills")
    parser.add_argument("--database", help="a PostgreSQL database instead of SQLite in a folder of its own")
    parser.add_argument("--processes", type=int, default=1)
    args = parser.parse_args()
    if args.processes > 1 and not args.database:
        parser.error("several processes need --database")
    with tempfile.TemporaryDirectory() as folder:
        words = ["--data", folder, *(["--database", args.database] if args.database else [])]
        servers = [Server(words) for _ in range(args.processes)]
        try:
            return asyncio.run(run(args, servers))
        finally:
            for server in servers:
                server.kill()


if __name__ == "__main__":
    sys.exit(main())
