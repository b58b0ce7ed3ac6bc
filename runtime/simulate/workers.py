"""Where the games of a study are played: in this process, in processes of this machine, on a Dask cluster.

All of them take handfuls of games and give them back played, in any order.  A process that dies takes with it only what it was
playing; that is played again by another.
"""

from __future__ import annotations

import multiprocessing
import os
import threading
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from typing import TYPE_CHECKING, Any

from grognard.simulate.playing import load_variant, play_numbers
from grognard.simulate.study import Study, StudyError
from grognard.support.child_processes import quiet_children

if TYPE_CHECKING:
    from grognard.engine import Engine

#: (place of the variant, numbers of the games)
Handful = tuple[int, list[int]]
Played = tuple[Handful, list[dict[str, Any]]]
#: Deaths in a row, with nothing played between, after which something is wrong with more than one process.
MOST_DEATHS = 3


def play_here(study: Study, handfuls: Sequence[Handful], engines: dict[int, Engine]) -> Iterator[Played]:
    """One after the other, in this process."""
    for handful in handfuls:
        place, numbers = handful
        if place not in engines:
            engines[place] = load_variant(study, study.variants[place])
        yield handful, play_numbers(engines[place], study, study.variants[place], numbers)


def play_in_processes(study: Study, handfuls: Sequence[Handful], jobs: int) -> Iterator[Played]:
    """On the cores of this machine."""
    left = list(handfuls)
    deaths = 0
    while left:
        others = set(multiprocessing.active_children())
        pool = ProcessPoolExecutor(
            min(jobs, len(left)),
            multiprocessing.get_context("spawn"),
            initializer=_start,
            initargs=(study, os.getpid()),
        )
        done: list[Handful] = []
        try:
            waiting: dict[Future[list[dict[str, Any]]], Handful] = {}
            with quiet_children():
                for handful in left:
                    waiting[pool.submit(_play, *handful)] = handful
            while waiting:
                ready, _ = wait(waiting, return_when="FIRST_COMPLETED")
                for future in ready:
                    handful = waiting.pop(future)
                    rows = future.result()
                    done.append(handful)
                    deaths = 0
                    yield handful, rows
        except BrokenProcessPool as broken:
            deaths += 1
            if deaths >= MOST_DEATHS:
                raise StudyError(
                    "the processes that play are killed again and again (is there enough memory?): what is done is kept; "
                    "run the same command again, perhaps with fewer --jobs"
                ) from broken
        except BaseException:
            for child in set(multiprocessing.active_children()) - others:
                child.terminate()
            raise
        finally:
            pool.shutdown(wait=True, cancel_futures=True)
        finished = {(place, tuple(numbers)) for place, numbers in done}
        left = [h for h in left if (h[0], tuple(h[1])) not in finished]


_here: list[tuple[Study, dict[int, Engine]]] = []


def _start(study: Study, parent: int) -> None:
    _here[:] = [(study, {})]
    threading.Thread(target=_end_with, args=(parent,), daemon=True).start()


def _end_with(parent: int) -> None:
    """A parent that was killed tells nobody: its children would wait for work for ever."""
    while os.getppid() == parent:
        time.sleep(1)
    os._exit(1)


def _play(place: int, numbers: list[int]) -> list[dict[str, Any]]:
    study, engines = _here[0]
    if place not in engines:
        engines[place] = load_variant(study, study.variants[place])
    return play_numbers(engines[place], study, study.variants[place], numbers)
