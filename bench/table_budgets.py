"""What the table's promises cost on this machine: an answer, its messages, any point of a long game, undo.

    python bench/table_budgets.py [TITLE...] [--answers 2000] [--seconds 240]

One server in this process, without a network; random play of one person who holds all seats, all titles in turn, over when the time
is up.  Nothing asserts a time: the budgets stand beside what was measured.  `cpu` is processor time in ms, which other programs on
the machine change little.
"""

from __future__ import annotations

import argparse
import random
import secrets
import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from grognard.compiler.layers.title_paths import shipped_titles
from grognard.server.app import Table, make_table
from grognard.server.library import Library
from grognard.server.mistakes import Mistake
from grognard.server.store import Store, database_in

ME = "a" * 64


def timed(work: Callable[..., Any], *arguments: Any, busy: list[float] | None = None) -> tuple[float, Any]:
    """Milliseconds that it takes, and what comes of it; `busy` gets those of the processor."""
    start, used = time.perf_counter(), time.process_time()
    made = work(*arguments)
    if busy is not None:
        busy.append((time.process_time() - used) * 1000)
    return (time.perf_counter() - start) * 1000, made


def cpu(values: list[float]) -> str:
    """The median and 95 % of what the processor was used."""
    if not values:
        return ""
    found = sorted(values)
    return (
        f"; cpu {statistics.median(found):.1f}, 95 % {found[min(len(found) - 1, len(found) * 95 // 100)]:.1f}"
    )


def shown(values: list[float]) -> str:
    if not values:
        return "       -        -        -"
    found = sorted(values)
    half, most = statistics.median(found), found[min(len(found) - 1, len(found) * 95 // 100)]
    return f"{half:8.1f} {most:8.1f} {found[-1]:8.1f}"


HEAD = f"{'':16}{'':26}{'median':>8} {'95 %':>8} {'highest':>8}   budget"


def row(title: str, what: str, values: list[float], budget: str) -> None:
    print(f"{title:16}{what:26}{shown(values)}   {budget}", flush=True)


def measure(table: Table, title: str, scenario: str | None, answers: int, seconds: float) -> None:
    picker = random.Random(1)
    game = table.lobby.create(ME, title, scenario, {}, undo="free", seed=1)
    trips: list[float] = []
    sizes: list[float] = []
    sent: dict[str, int] = {}
    played = 0
    used: list[float] = []
    until = time.monotonic() + seconds
    while played < answers and time.monotonic() < until:
        with table.hall.playing(game) as live:
            seat = live.line.here.to_move
            if live.over or seat is None:
                break
            question = live.streams[seat].last["question"]
        name = picker.choice(question["choices"])["name"]
        key = secrets.token_hex(8)
        try:
            took, _ = timed(table.acts.answer, game, ME, key, seat, question["id"], [name], None, busy=used)
        except Mistake:
            # A rule fails upon this answer: another one will do.
            continue
        trips.append(took)
        played += 1
        with table.hall.playing(game) as live:
            for who, stream in live.streams.items():
                if stream.n > sent.get(who, 0):
                    texts = table.hall.messages_since(live, who, sent.get(who, 0))
                    sizes += [len(text.encode()) for text in texts]
                    sent[who] = stream.n
    with table.hall.playing(game) as live:
        seat = next(iter(live.seats))
        last = live.streams[seat].n
    ats: list[float] = []
    ats_used: list[float] = []
    undos_used: list[float] = []
    for _ in range(30):
        n = picker.randrange(last + 1)
        with table.hall.playing(game) as live:
            ats.append(timed(table.study.snapshot, live, seat, n, busy=ats_used)[0])
    table.hall.forget(game)

    def read_again() -> None:
        with table.hall.playing(game):
            pass

    again = timed(read_again)[0]
    undos: list[float] = []
    for _ in range(10):
        with table.hall.playing(game) as live:
            seat = next((s for s in live.seats if len(live.streams[s].trail) > 2), seat)
        try:
            undos.append(
                timed(table.acts.undo, game, ME, secrets.token_hex(8), seat, None, busy=undos_used)[0]
            )
        except Mistake:
            break
    below = sum(size < 2048 for size in sizes) / max(1, len(sizes))
    row(
        title,
        f"{played} answers, ms",
        trips,
        f"50 to the picture, page included{cpu(used)}",
    )
    row("", f"{len(sizes)} messages, bytes", sizes, f"95 % below 2048: {below:.1%} are")
    row("", "any point, ms", ats, f"100{cpu(ats_used)}")
    row("", "undo, ms", undos, f"50{cpu(undos_used)}")
    row("", "read from the database, ms", [again], "")


def main() -> None:
    parser = argparse.ArgumentParser(description="what the table's promises cost on this machine")
    parser.add_argument("titles", nargs="*", default=[], metavar="TITLE")
    parser.add_argument("--answers", type=int, default=2000)
    parser.add_argument("--seconds", type=float, default=240, help="for all titles together")
    parser.add_argument("--scenario")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        table = make_table(Store(database_in(Path(folder))), Library())
        titles = args.titles or sorted(shipped_titles())
        print(HEAD)
        until = time.monotonic() + args.seconds
        for number, title in enumerate(titles):
            # Of what is left: short games leave theirs to long ones.
            share = (until - time.monotonic()) / (len(titles) - number)
            measure(table, title, args.scenario, args.answers, share * 0.85)
        table.store.close()


if __name__ == "__main__":
    main()
