"""The recorded games of a folder under two versions of a title, on all cores."""

from __future__ import annotations

import multiprocessing
import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass, field
from pathlib import Path

from grognard.compare.courses import Comparison, Course, parted
from grognard.compare.depends import Changed
from grognard.compare.versions import Version
from grognard.engine import load
from grognard.errors import GrognardError, SaveError
from grognard.play.engine import BackendName
from grognard.play.savefile import read_save
from grognard.support.child_processes import quiet_children

#: Games that a process takes at once.
AT_ONCE = 20
#: Compiled engines are worth their build from so many games on.
MANY = 200
#: Parts of a run that are told one by one; of the others, how many there are of each kind.
EXPLAINED = 20


@dataclass(frozen=True, slots=True)
class Explained:
    """A game whose course changes, in words."""

    course: Course
    difference: str
    reason: str


@dataclass(slots=True)
class RecordedGames:
    """What came of a folder of saves, in the order of their names."""

    courses: list[Course] = field(default_factory=list)
    explained: list[Explained] = field(default_factory=list)
    #: files of another title, and those that are no saves, with what is wrong
    other_titles: int = 0
    unreadable: list[str] = field(default_factory=list)
    backend: str = ""
    seconds: float = 0.0

    @property
    def parted(self) -> list[Course]:
        return parted(self.courses)

    def by_decision(self) -> list[tuple[str, str, int]]:
        """(sort, question, games), the most frequent first."""
        counted: dict[tuple[str, str], int] = {}
        for course in self.parted:
            key = course.sort, course.decision[1] if course.decision else "the set-up"
            counted[key] = counted.get(key, 0) + 1
        return sorted(((*key, n) for key, n in counted.items()), key=lambda entry: (-entry[2], entry[:2]))


def save_files(folder: Path) -> list[Path]:
    """The files of a folder that can be saves, in the order of their names."""
    return sorted(path for path in folder.rglob("*.json") if path.is_file())


Order = tuple[Version, Version, str, BackendName]


def compare_recorded(
    old: Version,
    new: Version,
    title: str,
    files: Sequence[Path],
    *,
    jobs: int = 1,
    backend: BackendName = "auto",
    explain: int = EXPLAINED,
    changed: Changed | None = None,
    progress: Callable[[int], None] = lambda done: None,
) -> RecordedGames:
    """All games of the title with this id, under both versions; `changed` are declarations that differ.  The result does not depend on the number of jobs."""
    order = (old, new, title, backend)
    found = RecordedGames()
    batches = [files[n : n + AT_ONCE] for n in range(0, len(files), AT_ONCE)]
    parts: list[_Part | None] = [None] * len(batches)
    done = 0
    for number, part in _parts(order, batches, jobs):
        parts[number] = part
        done += len(batches[number])
        progress(done)
    for part in filter(None, parts):
        found.courses += part.courses
        found.other_titles += part.other_titles
        found.unreadable += part.unreadable
        found.backend = found.backend or part.backend
    if explain and found.parted:
        comparison = _comparison(order)
        for course in _chosen(found.parted, explain):
            told, reason = comparison.why(read_save(course.name), course, changed or {})
            found.explained.append(Explained(course, told, reason))
    return found


def _chosen(courses: Sequence[Course], most: int) -> list[Course]:
    """Some of each kind first: twenty games that part in one way say less than one of each."""
    turns: dict[tuple[str, str], int] = {}
    ranked = []
    for place, course in enumerate(courses):
        key = course.sort, course.decision[1] if course.decision else ""
        turns[key] = turns.get(key, 0) + 1
        ranked.append((turns[key], place))
    return [courses[place] for _turn, place in sorted(ranked)[:most]]


@dataclass(slots=True)
class _Part:
    courses: list[Course] = field(default_factory=list)
    other_titles: int = 0
    unreadable: list[str] = field(default_factory=list)
    backend: str = ""


def _parts(order: Order, batches: Sequence[Sequence[Path]], jobs: int) -> Iterator[tuple[int, _Part]]:
    if jobs <= 1 or len(batches) <= 1:
        comparison = _comparison(order)
        for number, batch in enumerate(batches):
            yield number, _compare(comparison, order[2], batch)
        return
    others = set(multiprocessing.active_children())
    pool = ProcessPoolExecutor(
        min(jobs, len(batches)), multiprocessing.get_context("spawn"), initializer=_start, initargs=(order,)
    )
    try:
        waiting: dict[Future[_Part], int] = {}
        with quiet_children():
            for number, batch in enumerate(batches):
                waiting[pool.submit(_compare_here, batch)] = number
        while waiting:
            ready, _ = wait(waiting, return_when="FIRST_COMPLETED")
            for future in ready:
                yield waiting.pop(future), future.result()
    except BrokenProcessPool as broken:
        raise GrognardError(
            "a process that compared games was killed; run it again, or with --jobs 1"
        ) from broken
    except BaseException:
        for child in set(multiprocessing.active_children()) - others:
            child.terminate()
        raise
    finally:
        pool.shutdown(wait=True, cancel_futures=True)


_here: list[tuple[Comparison, str]] = []


def _start(order: Order) -> None:
    _here[:] = [(_comparison(order), order[2])]


def _compare_here(batch: Sequence[Path]) -> _Part:
    return _compare(*_here[0], batch)


def _comparison(order: Order) -> Comparison:
    old, new, _title, backend = order
    engines = [load(v.where, backend=backend, errata=v.as_argument()) for v in (old, new)]
    return Comparison(engines[0], engines[1])


def _compare(comparison: Comparison, title: str, batch: Sequence[Path]) -> _Part:
    part = _Part(backend=comparison.engines[1].backend)
    for path in batch:
        try:
            saved = read_save(path)
        except SaveError as error:
            part.unreadable.append(str(error))
            continue
        if saved.title != title:
            part.other_titles += 1
            continue
        part.courses.append(comparison.course(saved, os.fspath(path)))
    return part
