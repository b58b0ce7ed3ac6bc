"""Monte Carlo: a procedure is run many times, and what comes of it is counted.

Two ways.  By numbers (cached_simulation.py): every die is rolled, but positions that differ only in which of interchangeable
pieces is which are one, and rules run only for what has not come up before.  Piece by piece: all rules each time, on the
program that games are played with; that shares nothing with the exact odds, so that it is the independent check of both.
"""

from __future__ import annotations

import multiprocessing
import os
from collections import Counter
from collections.abc import Callable, Iterator
from time import perf_counter
from typing import TYPE_CHECKING, Any, Protocol

from grognard.contract.backend import Io
from grognard.contract.generator import seeded
from grognard.contract.header import (
    H_OUTCOME,
    H_RNG_HI,
    H_RNG_LO,
    H_STATUS,
    NONE,
    STATUS_DECISION,
)
from grognard.odds.errors import OddsError
from grognard.odds.policy import Answers, missing_policy
from grognard.odds.query import Query, transfer_cells
from grognard.odds.result import Simulation
from grognard.support.child_processes import quiet_children

if TYPE_CHECKING:
    from grognard.odds.cached_simulation import CachedSimulation
    from grognard.play.setting import Setting

#: Runs of a batch.  The batches determine the dice, so their size is a constant.
BATCH = 250
#: The same with a transition cache.
CACHED_BATCH = 20_000
#: The distance between the seeds of the runs.
SEED_STRIDE = 0x9E37_79B9_7F4A_7C15
#: Answers of one run before it counts as endless.
MAX_ANSWERS = 1_000_000


class BatchSimulator(Protocol):
    """Runs batches, each with dice of its own."""

    size: int

    def batch(self, number: int, runs: int, seed: int) -> Counter[tuple[Any, ...]]:
        """The outcomes of batch `number` out of `runs` runs in all."""


class Simulator:
    """Runs the procedure of a query.  `setting` belongs to the program that games are played with."""

    size = BATCH

    def __init__(self, query: Query, setting: Setting) -> None:
        self.query, self.setting = query, setting
        program = setting.program
        self.machine = next((m.id for m in program.machines if m.name == query.target), None)
        self.function = next((f.id for f in program.functions if f.name == query.target), None)
        self.cells = transfer_cells(query.cells, query.program.fields, query.layout, setting.scenario.layout)
        own = {(p.name, n): line for p in program.policies for n, line in enumerate(p.lines)}
        chance = {id(line): (p.name, n) for p in query.program.policies for n, line in enumerate(p.lines)}
        lines = [
            (own[chance[id(line)]], None) if id(line) in chance else (line, other)
            for line, other in query.lines
        ]
        self.answers = Answers(
            program,
            setting.scenario.layout,
            setting.backend,
            lines,
            query.choosers,
            setting.names.answer_label,
            query.otherwise,
        )

    def run(self, number: int, seed: int) -> tuple[Any, ...]:
        """The outcomes of one run."""
        cells = bytearray(self.cells)
        backend = self.setting.backend
        with memoryview(cells) as raw, raw.cast("i") as c:
            c[H_RNG_LO], c[H_RNG_HI] = seeded((seed + (number + 1) * SEED_STRIDE) & 0xFFFF_FFFF_FFFF_FFFF)
            if self.machine is None:
                if self.function is None:
                    raise OddsError(f"there is no procedure `{self.query.target}`")
                result = backend.call(cells, self.function, self.query.args, Io())
                c[H_OUTCOME] = result if isinstance(result, int) else NONE
            else:
                backend.start(cells, self.machine, self.query.args, Io())
                for _ in range(MAX_ANSWERS):
                    if c[H_STATUS] != STATUS_DECISION:
                        break
                    if self.answers.answer_natively(cells, MAX_ANSWERS, True):
                        continue
                    offered = backend.candidates(cells)
                    value = self.answers.answer(cells, c, offered)
                    if value is None:
                        raise missing_policy(self.answers, self.machine, cells, c, offered, self.query.target)
                    backend.answer(cells, value, Io())
        back = transfer_cells(
            cells, self.query.program.fields, self.setting.scenario.layout, self.query.layout
        )
        return self.query.read(back)

    def batch(self, number: int, runs: int, seed: int) -> Counter[tuple[Any, ...]]:
        begin = number * BATCH
        return Counter(self.run(n, seed) for n in range(begin, min(begin + BATCH, runs)))


class CachedSimulator:
    """Runs on a transition cache."""

    size = CACHED_BATCH

    def __init__(self, cached: CachedSimulation) -> None:
        self.cached = cached

    def batch(self, number: int, runs: int, seed: int) -> Counter[tuple[Any, ...]]:
        count = min(CACHED_BATCH, runs - number * CACHED_BATCH)
        return self.cached.run(count, seed + (number + 1) * SEED_STRIDE)


_simulator: BatchSimulator | None = None


def _in_process(task: tuple[int, int, int]) -> Counter[tuple[Any, ...]]:
    assert _simulator is not None
    return _simulator.batch(*task)


def simulate(
    query: Query,
    setting: Setting,
    runs: int,
    *,
    seed: int = 1,
    workers: int | None = None,
    progress: Callable[[int], None] | None = None,
    cached: CachedSimulation | None = None,
) -> Simulation:
    """Run the procedure `runs` times; the result depends only on that number and the seed."""
    began = perf_counter()
    simulator: BatchSimulator = Simulator(query, setting) if cached is None else CachedSimulator(cached)
    tasks = [(number, runs, seed) for number in range(-(-runs // simulator.size))]
    counts: Counter[tuple[Any, ...]] = Counter()
    done = 0
    for found in _batches(simulator, tasks, workers or os.cpu_count() or 1):
        counts += found
        done += sum(found.values())
        if progress is not None:
            progress(done)
    return Simulation(runs, dict(counts), perf_counter() - began, by_piece=cached is None)


def _batches(
    simulator: BatchSimulator, tasks: list[tuple[int, int, int]], workers: int
) -> Iterator[Counter[tuple[Any, ...]]]:
    """The batches, on all processors where processes can be forked: engines cannot be pickled."""
    global _simulator
    if workers < 2 or len(tasks) < 2 or "fork" not in multiprocessing.get_all_start_methods():
        yield from (simulator.batch(*task) for task in tasks)
        return
    if isinstance(simulator, CachedSimulator):
        # The first batch fills the cache before the processes are forked.
        yield simulator.batch(*tasks.pop(0))
    _simulator = simulator
    with quiet_children():
        made = multiprocessing.get_context("fork").Pool(min(workers, len(tasks)))
    with made as pool:
        yield from pool.imap(_in_process, tasks)
