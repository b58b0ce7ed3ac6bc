"""What people ask that takes long (odds, advice), one after the other in a process of its own.

Who no longer waits holds nobody up: a question that was dropped is not begun, and the process is ended if it is at it.  A newer
question of the same person about the same game takes the place of the older one."""

from __future__ import annotations

import multiprocessing
import queue
import sys
import threading
import traceback
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass, field
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from typing import Any

from grognard.errors import GrognardError

#: Seconds between looks whether somebody still waits.
GLANCE = 0.1


class Dropped(Exception):
    """Nobody waits for it any more."""


@dataclass(slots=True)
class Job:
    key: str
    work: Callable[..., Any]
    arguments: tuple[Any, ...]
    future: Future[Any] = field(default_factory=Future)
    dropped: bool = False


class Desk:
    def __init__(self) -> None:
        self._jobs: queue.Queue[Job | None] = queue.Queue()
        self._latest: dict[str, Job] = {}
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None
        self._child: tuple[BaseProcess, Connection] | None = None

    def submit(self, key: str, work: Callable[..., Any], *arguments: Any) -> Job:
        job = Job(key, work, arguments)
        with self._lock:
            older = self._latest.get(key)
            if older is not None:
                older.dropped = True
            self._latest[key] = job
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, name="grognard desk", daemon=True)
                self._thread.start()
        self._jobs.put(job)
        return job

    @staticmethod
    def drop(job: Job) -> None:
        job.dropped = True

    def stop(self) -> None:
        if self._thread is not None:
            with self._lock:
                for job in self._latest.values():
                    job.dropped = True
            self._jobs.put(None)
            self._thread.join(timeout=5)

    # ---- its thread

    def _run(self) -> None:
        while (job := self._jobs.get()) is not None:
            try:
                self._do(job)
            except Exception as fault:
                # A fault here must not end the desk.
                traceback.print_exc(file=sys.stderr)
                self._end()
                if not job.future.done():
                    job.future.set_exception(fault)
            with self._lock:
                if self._latest.get(job.key) is job:
                    del self._latest[job.key]
        self._end()

    def _do(self, job: Job) -> None:
        if job.dropped:
            job.future.set_exception(Dropped())
            return
        if self._child is None or not self._child[0].is_alive():
            self._begin()
        assert self._child is not None
        connection = self._child[1]
        connection.send((job.work, job.arguments))
        while not connection.poll(GLANCE):
            if job.dropped or not self._child[0].is_alive():
                self._end()
                job.future.set_exception(Dropped())
                return
        try:
            good, made = connection.recv()
        except EOFError:
            self._end()
            job.future.set_exception(Dropped())
            return
        if good:
            job.future.set_result(made)
        else:
            job.future.set_exception(GrognardError(made))

    def _begin(self) -> None:
        # Not forked: the server has threads.
        context = multiprocessing.get_context("spawn")
        here, there = context.Pipe()
        child = context.Process(target=_work, args=(there,), daemon=True)
        child.start()
        there.close()
        self._child = child, here

    def _end(self) -> None:
        if self._child is not None:
            child, connection = self._child
            self._child = None
            child.kill()
            child.join(timeout=5)
            connection.close()


def _work(connection: Connection) -> None:
    """The process: one question after the other, until nobody asks any more."""
    while True:
        try:
            work, arguments = connection.recv()
        except (EOFError, OSError):
            return
        try:
            reply = True, work(*arguments)
        except GrognardError as error:
            reply = False, str(error).partition("\n")[0]
        except Exception:
            traceback.print_exc(file=sys.stderr)
            reply = False, "this cannot be worked out here"
        connection.send(reply)
