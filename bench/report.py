"""docs/performance.md: the table of the latest run, and plots of cost against size."""

from __future__ import annotations

import os
import platform
import resource
import shutil
import tempfile
from datetime import date
from pathlib import Path
from typing import Any, TypeAlias

import grognard
import rows_odds
import rows_sight
from grognard.compiler.build.build import build_engine
from grognard.compiler.build.cache import BuildCache
from grognard.compiler.cython.modules import emit_sources
from grognard.compiler.driver.pipeline import compile_title
from grognard.compiler.layers.title_paths import shipped_titles
from measure import Settings, race

DOCS = Path(__file__).resolve().parents[1] / "docs"
PLOTS = DOCS / "plots"
#: Lines of a plot by their names.
Lines: TypeAlias = dict[str, list[tuple[float, float]]]

TEXT = """# Performance

Written by `python bench/run.py --write` on {day}, {machine}, {processors} processors, Python {python}. All figures are of
one run: the median of {repeat} repetitions in turns, in processor time; *spread* is the distance of the fastest and the
slowest repetition as a share of the median, ours and theirs. Ratios of one run can be compared, absolute figures of a
busy machine cannot.

{table}

What is compared:

- *hand-written C*: `bench/reference/*.c`, compiled with gcc -O2. Each is checked in the same run to give the answers of the
  engine: sight by the number of pairs that see each other and by single pairs; the combats of Storms of Steel, Hot War and
  Next War cell by cell, from the same dice, on varied positions; the others by the frequencies of their outcomes. A
  reference reads the same arrays of cells, loops over the same counters and takes back what it changed; it has no
  checks, trace, step budget or questions, and refuses what its position cannot come to.
- *plain Python*: `grognard.geometry.sight_simple`.
- *OpenSpiel*: version {open_spiel} from PyPI, stepped from Python with `legal_actions` and `apply_action`.
- *our interpreter*: the oracle that every engine is compared with.

What of exact odds was known before, on an engine that is loaded (setting the battle up is always part of the time):

- *first time*: nothing. The rules are run to find out what the battle is: some rounds for each loss that either side can have.
  Like the others this is the mean of many calls, each on an engine that was made to forget; a single call among other work,
  whose code and data the processor has to fetch again, takes about twice as long.
- *after a larger one*, *after a smaller one*: a battle of the same kind with other numbers was asked for before, here with two
  more infantry on each side or one less. A battle that begins at a position of the earlier one is known, which is so when that
  had more of what is lost first; any other of this size is as good as the first time.
- *asked again*: this very battle. The rules are run to set it up, the probabilities are summed anew.
- *again*: the same of a battle that was set up for many questions: no rules are run.

Our side always runs the shipped rules, compiled, with every check on: indices, ranges, the step budget.

Sanitizers: `python bench/sanitized.py [TITLE ...]` plays random games of every scenario on engines that are built with
AddressSanitizer and UndefinedBehaviorSanitizer, and ends at the first finding. Such a build of a large title takes many
minutes; name the titles, and run one at a time.

## How cost grows

![sight](plots/sight.svg) ![playouts](plots/playouts.svg) ![odds](plots/odds.svg) ![build](plots/build.svg)

- Sight: a check on the 40 x 40 flat map, by the greatest range asked for.
- Playouts: random Breakthrough on square boards from 5 x 5 to 12 x 12; the map is data, the engine is the same.
- Odds: exact odds of n infantry against n infantry: the first time, after a battle with two more on each side, and again. Up to 10
  against 10 the rules are run from every position, and what a sample told of a larger battle will not do: hence the step there.
- Build: a cold build of Connect Four with more and more rules added, by lines of generated Cython.
"""


def write(table: str, settings: Settings) -> None:
    import matplotlib

    matplotlib.use("svg")
    PLOTS.mkdir(exist_ok=True)
    _plot("sight", "greatest range, hexes", "ns per check", sight_by_range(settings))
    _plot("playouts", "squares of the board", "µs per playout", playouts_by_size(settings))
    _plot("odds", "infantry of each side", "ms", rows_odds.growth(settings))
    _plot("build", "lines of Cython", "processor seconds of a cold build", build_by_lines())
    text = TEXT.format(
        day=date.today().isoformat(),
        machine=platform.machine(),
        processors=os.cpu_count(),
        python=platform.python_version(),
        repeat=settings.repeat,
        table=table,
        open_spiel=_version("open_spiel"),
    )
    (DOCS / "performance.md").write_text(text, encoding="utf-8")


def _version(package: str) -> str:
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version(package)
    except PackageNotFoundError:
        return "(not installed)"


def _plot(name: str, across: str, up: str, points: list[tuple[float, float]] | Lines) -> None:
    from matplotlib import pyplot

    # The same picture for the same points, so that a new run changes no more than it must.
    pyplot.rcParams["svg.hashsalt"] = name
    figure, axes = pyplot.subplots(figsize=(4, 3))
    for label, line in points.items() if isinstance(points, dict) else [("", points)]:
        axes.plot(*zip(*line), marker="o", label=label)
    if isinstance(points, dict):
        axes.legend()
    axes.set_xlabel(across)
    axes.set_ylabel(up)
    axes.set_ylim(bottom=0)
    axes.grid(alpha=0.3)
    figure.tight_layout()
    figure.savefig(PLOTS / f"{name}.svg", metadata={"Date": None})
    pyplot.close(figure)


def sight_by_range(settings: Settings) -> list[tuple[float, float]]:
    ground = rows_sight.flat_ground()
    engine = rows_sight.made_title(
        "flat_sight", rows_sight.FLAT_DATA, rows_sight.FLAT_SIGHT, "los(a, b)", ground
    )
    position = engine.new_game()
    points = []
    for far in (2, 4, 8, 12, 16, 20, 24, 30):
        pairs = len(rows_sight.pairs_within(ground, 16, far))

        def ask(far: int = far, pairs: int = pairs) -> float:
            for _ in range(4):
                engine.call("seen", [far], position)
            return 4 * pairs

        (speed,) = race(settings, ask)
        points.append((float(far), 1e9 / speed.median))
    return points


def _copy_of(title: str, scratch: str) -> Path:
    target = Path(scratch) / title
    shutil.copytree(shipped_titles()[title], target)
    return target


def playouts_by_size(settings: Settings) -> list[tuple[float, float]]:
    points = []
    for size in (5, 6, 8, 10, 12):
        with tempfile.TemporaryDirectory() as scratch:
            folder = _copy_of("breakthrough", scratch)
            (folder / "maps" / "board.yaml").write_text(_board(size), encoding="utf-8")
            (folder / "scenarios" / "standard.yaml").write_text(_pawns(size), encoding="utf-8")
            engine = grognard.load(folder, backend="compiled")
            start = engine.new_game(seed=1)
            n = settings.many(200)

            def play(engine: Any = engine, start: Any = start, n: int = n) -> float:
                engine.playouts(n, seed=1, position=start)
                return n

            (speed,) = race(settings, play)
            points.append((float(size * size), 1e6 / speed.median))
    return points


def _names(size: int, row: int) -> list[str]:
    return [f"{chr(ord('A') + column)}{row}" for column in range(size)]


def _board(size: int) -> str:
    rows = ["w" * size, *["." * size] * (size - 2), "b" * size]
    lines = [
        f'grid: {{columns: {size}, rows: {size}, numbering: "{{colletter}}{{row}}", first_row: bottom}}',
        'legend: {w: {far: white}, b: {far: black}, ".": {}}',
        "rows:",
        *(f'  - "{row}"' for row in rows),
    ]
    return "\n".join(lines) + "\n"


def _pawns(size: int) -> str:
    lines = ["name: Measured", "maps: {Board: maps/board.yaml}", "places:", "  Board:"]
    for row, side in ((1, "white"), (2, "white"), (size - 1, "black"), (size, "black")):
        lines += [f"    {name}: {{pawn: {side}}}" for name in _names(size, row)]
    return "\n".join(lines) + "\n"


RULE = """
rule more_{n}(q: Square, d: Direction, p: Side) -> 0..9
  = 0 when not owned(toward(q, d, 1), p)
  = min(9, count(x in ray(q, d, 5) where owned(x, p))) otherwise
"""


def build_by_lines() -> list[tuple[float, float]]:
    points = []
    for rules in (0, 20, 60, 120):
        with tempfile.TemporaryDirectory() as scratch:
            folder = _copy_of("connect_four", scratch)
            game = folder / "game.grog"
            text = game.read_text(encoding="utf-8")
            text += "".join(RULE.format(n=n) for n in range(rules))
            game.write_text(text, encoding="utf-8")
            ruleset = compile_title(str(folder), examples=False)
            assert ruleset is not None
            lines = sum(source.text.count("\n") for source in emit_sources(ruleset.program))
            before = resource.getrusage(resource.RUSAGE_CHILDREN)
            build_engine(ruleset.program, cache=BuildCache(Path(scratch) / "cache"))
            after = resource.getrusage(resource.RUSAGE_CHILDREN)
            points.append((float(lines), after.ru_utime - before.ru_utime))
    return points
