"""The cross-check: the procedure done many times with real dice, on the program that games are played with.

Nothing in it knows the chance program, so that the two ways to the same figures share as little as they can.  Who wants
many runs more than an independent check takes the remembered procedure (remember.py), which is far faster.
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
from grognard.odds.policy import Answers, missing
from grognard.odds.query import Query, moved
from grognard.odds.result import Simulation

if TYPE_CHECKING:
    from grognard.odds.cached_simulation import Remembered
    from grognard.play.setting import Setting

#: Runs are done in parts of this many; how they are cut decides the dice, so it depends on nothing else.
PART = 250
#: The same of a remembered procedure.
LARGE_PART = 50_000
#: Keeps the seeds of the runs far from each other.
STRIDE = 0x9E37_79B9_7F4A_7C15
#: Answers that one run may need before it counts as one that never ends.
MAX_ANSWERS = 1_000_000


class Parts(Protocol):
    """What is done part by part, each with dice of its own."""

    size: int

    def part(self, number: int, runs: int, seed: int) -> Counter[tuple[Any, ...]]:
        """What came of a part: so many runs of all from `number * size` on."""


class Simulator:
    """Does the procedure of a query by dice.  `setting` is of the program that games are played with."""

    size = PART

    def __init__(self, query: Query, setting: Setting) -> None:
        self.query, self.setting = query, setting
        program = setting.program
        self.machine = next((m.id for m in program.machines if m.name == query.target), None)
        self.function = next((f.id for f in program.functions if f.name == query.target), None)
        self.cells = moved(query.cells, query.program.fields, query.layout, setting.scenario.layout)
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
            c[H_RNG_LO], c[H_RNG_HI] = seeded((seed + (number + 1) * STRIDE) & 0xFFFF_FFFF_FFFF_FFFF)
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
                    if self.answers.answer_many(cells, MAX_ANSWERS, True):
                        continue
                    offered = backend.candidates(cells)
                    value = self.answers.answer(cells, c, offered)
                    if value is None:
                        raise missing(self.answers, self.machine, cells, c, offered, self.query.target)
                    backend.answer(cells, value, Io())
        back = moved(cells, self.query.program.fields, self.setting.scenario.layout, self.query.layout)
        return self.query.read(back)

    def part(self, number: int, runs: int, seed: int) -> Counter[tuple[Any, ...]]:
        begin = number * PART
        return Counter(self.run(n, seed) for n in range(begin, min(begin + PART, runs)))


class RememberedSimulator:
    """Walks where the procedure has been before."""

    size = LARGE_PART

    def __init__(self, remembered: Remembered) -> None:
        self.remembered = remembered

    def part(self, number: int, runs: int, seed: int) -> Counter[tuple[Any, ...]]:
        count = min(LARGE_PART, runs - number * LARGE_PART)
        return self.remembered.run(count, seed + (number + 1) * STRIDE)


_simulator: Parts | None = None


def _in_process(task: tuple[int, int, int]) -> Counter[tuple[Any, ...]]:
    assert _simulator is not None
    return _simulator.part(*task)


def simulate(
    query: Query,
    setting: Setting,
    runs: int,
    *,
    seed: int = 1,
    workers: int | None = None,
    progress: Callable[[int], None] | None = None,
    remembered: Remembered | None = None,
) -> Simulation:
    """Do it `runs` times; the result depends on the number of runs and the seed alone."""
    began = perf_counter()
    simulator: Parts = Simulator(query, setting) if remembered is None else RememberedSimulator(remembered)
    tasks = [(number, runs, seed) for number in range(-(-runs // simulator.size))]
    counts: Counter[tuple[Any, ...]] = Counter()
    done = 0
    for found in _parts(simulator, tasks, workers or os.cpu_count() or 1):
        counts += found
        done += sum(found.values())
        if progress is not None:
            progress(done)
    return Simulation(runs, dict(counts), perf_counter() - began)


def _parts(
    simulator: Parts, tasks: list[tuple[int, int, int]], workers: int
) -> Iterator[Counter[tuple[Any, ...]]]:
    """The parts, on all processors where processes can be forked; engines cannot be sent anywhere else."""
    global _simulator
    if workers < 2 or len(tasks) < 2 or "fork" not in multiprocessing.get_all_start_methods():
        yield from (simulator.part(*task) for task in tasks)
        return
    if isinstance(simulator, RememberedSimulator):
        # What the first part remembers is there for all.
        yield simulator.part(*tasks.pop(0))
    _simulator = simulator
    with multiprocessing.get_context("fork").Pool(min(workers, len(tasks))) as pool:
        yield from pool.imap(_in_process, tasks)
