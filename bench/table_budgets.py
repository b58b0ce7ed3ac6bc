"""What the table's promises cost on this machine: an answer, its messages, any point of a long game, undo.

    python bench/table_budgets.py [TITLE...] [--answers 2000]

One server in this process, without a network; random play of one person who holds all seats.  Nothing asserts a time: the
budgets stand beside what was measured.
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


def timed(work: Callable[..., Any], *arguments: Any) -> tuple[float, Any]:
    start = time.perf_counter()
    made = work(*arguments)
    return (time.perf_counter() - start) * 1000, made


def shown(values: list[float], budget: str) -> str:
    found = sorted(values)
    half, most = statistics.median(found), found[min(len(found) - 1, len(found) * 95 // 100)]
    return f"{half:8.1f} {most:8.1f} {found[-1]:8.1f}   {budget}"


def measure(table: Table, title: str, scenario: str | None, answers: int) -> None:
    picker = random.Random(1)
    game = table.lobby.create(ME, title, scenario, {}, undo="free", seed=1)
    trips: list[float] = []
    sizes: list[float] = []
    sent: dict[str, int] = {}
    played = 0
    while played < answers:
        with table.hall.playing(game) as live:
            seat = live.line.here.to_move
            if live.over or seat is None:
                break
            question = live.streams[seat].last["question"]
        name = picker.choice(question["choices"])["name"]
        key = secrets.token_hex(8)
        try:
            took, _ = timed(table.acts.answer, game, ME, key, seat, question["id"], [name], None)
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
    for _ in range(30):
        n = picker.randrange(last + 1)
        with table.hall.playing(game) as live:
            ats.append(timed(table.study.snapshot, live, seat, n)[0])
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
            undos.append(timed(table.acts.undo, game, ME, secrets.token_hex(8), seat, None)[0])
        except Mistake:
            break
    print(f"{title}: {played} answers, {len(sizes)} messages, {last + 1} at {seat}")
    print("                                 median     95 %  highest   (budget)")
    print(f"  an answer, ms              {shown(trips, '50 ms to the picture, page included')}")
    below = sum(size < 2048 for size in sizes) / max(1, len(sizes))
    print(f"  a message, bytes           {shown(sizes, f'95 % below 2048: {below:.1%} are')}")
    print(f"  any point of the game, ms  {shown(ats, '100')}")
    if undos:
        print(f"  undo, ms                   {shown(undos, '50')}")
    print(f"  read from the database, ms {again:8.1f}")


def main() -> None:
    parser = argparse.ArgumentParser(description="what the table's promises cost on this machine")
    parser.add_argument("titles", nargs="*", default=[], metavar="TITLE")
    parser.add_argument("--answers", type=int, default=2000)
    parser.add_argument("--scenario")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        table = make_table(Store(database_in(Path(folder))), Library())
        for title in args.titles or sorted(shipped_titles()):
            measure(table, title, args.scenario, args.answers)
        table.store.close()


if __name__ == "__main__":
    main()
