"""Measure in one run: perft and playouts on both back ends, sight in C against Python, start-up, a changed cell.

Medians of several repetitions with their spread; figures of different runs are not comparable on a busy machine.
"""

from __future__ import annotations

import argparse
import random
import shutil
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import grognard
from grognard.compiler.bundle import load_ruleset
from grognard.compiler.diagnostics import Sink
from grognard.compiler.project import shipped_titles


def timed(work: Callable[[], object], repeat: int) -> tuple[float, float]:
    """Median and spread (max - min) in seconds."""
    times = []
    for _ in range(repeat):
        start = time.perf_counter()
        work()
        times.append(time.perf_counter() - start)
    return statistics.median(times), max(times) - min(times)


def line(what: str, figure: str, note: str = "") -> None:
    print(f"{what:52} {figure:>16}  {note}")


def playouts(title: str, games: int, repeat: int) -> None:
    engine = grognard.load(title, backend="compiled")
    oracle = grognard.load(title, backend="interpreter")
    fast, spread = timed(lambda: engine.playouts(games, seed=1), repeat)
    slow, _ = timed(lambda: oracle.playouts(max(2, games // 2000), seed=1), 1)
    per_fast, per_slow = fast / games, slow / max(2, games // 2000)
    line(f"{title}: playouts/s, compiled", f"{1 / per_fast:,.0f}", f"spread {spread / fast:.0%}")
    line(f"{title}: compiled / interpreter", f"{per_slow / per_fast:,.0f} x")


def stepping(title: str, steps: int, repeat: int) -> None:
    """legal + play from Python."""
    engine = grognard.load(title, backend="compiled")

    def run() -> None:
        answers = random.Random(1)
        position = engine.new_game(seed=1)
        for number in range(steps):
            if position.over:
                position = engine.new_game(seed=number)
            position = position.play(answers.choice(position.values()))

    taken, spread = timed(run, repeat)
    line(f"{title}: steps/s from Python", f"{steps / taken:,.0f}", f"spread {spread / taken:.0%}")


def start_up(title: str, repeat: int) -> None:
    grognard.load(title)
    warm, spread = timed(lambda: grognard.load(title).new_game(), repeat)
    line(f"{title}: warm load to first decision", f"{warm * 1000:,.0f} ms", f"spread {spread * 1000:,.0f} ms")


def changed_cell(title: str, repeat: int) -> None:
    """A digit in a YAML data file of a copy of the title is changed; until the engine is ready."""
    folder = shipped_titles()[title]
    root = folder.parent if (folder.parent / "series.yaml").exists() else folder
    with tempfile.TemporaryDirectory() as scratch:
        copy = Path(scratch) / root.name
        shutil.copytree(root, copy)
        place = copy / folder.relative_to(root)
        data = place / "units.yaml"
        if not data.exists():
            return
        text = data.read_text(encoding="utf-8")
        grognard.load(place)
        count = 0

        def change() -> None:
            nonlocal count
            count += 1
            data.write_text(text + f"# change {count}\n", encoding="utf-8")
            grognard.load(place).new_game()

        taken, spread = timed(change, repeat)
    line(
        f"{title}: data changed to engine ready", f"{taken * 1000:,.0f} ms", f"spread {spread * 1000:,.0f} ms"
    )


def checking(title: str, repeat: int) -> None:
    where = str(shipped_titles()[title])
    load_ruleset(where, Sink())
    taken, spread = timed(lambda: load_ruleset(where, Sink()), repeat)
    line(f"{title}: warm check", f"{taken * 1000:,.0f} ms", f"spread {spread * 1000:,.0f} ms")


def main(argv: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeat", type=int, default=5)
    parser.add_argument("--title", default="storms_of_steel", help="the large title")
    options = parser.parse_args(argv)
    playouts("connect_four", 20_000, options.repeat)
    playouts("breakthrough", 5_000, options.repeat)
    stepping("connect_four", 20_000, options.repeat)
    stepping(options.title, 2_000, options.repeat)
    start_up(options.title, options.repeat)
    changed_cell(options.title, options.repeat)
    checking(options.title, options.repeat)
    return 0


if __name__ == "__main__":
    sys.exit(main())
