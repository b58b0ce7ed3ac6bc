"""Bots as workers: they take jobs from the database and answer, in processes beside the server.

A job is claimed for a while; if its worker is gone (the server was killed), another one takes it up."""

from __future__ import annotations

import multiprocessing
import secrets
import sys
import threading
import time
import traceback
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from typing import Any

import sqlalchemy as sa
from grognard.errors import GrognardError
from grognard.server import store as db
from grognard.server.acts import Acts
from grognard.server.desk import Desk, Job
from grognard.server.hall import Hall
from grognard.server.live import Live
from grognard.server.mistakes import Mistake
from grognard.server.thinking import Asked, bot_answer, odds_of_choices
from grognard.server.together import seen_by

#: Seconds that a worker may think before somebody else may take the job.
CLAIM = 300.0
#: Seconds after which jobs of other servers are looked for.
POLL = 5.0


class Workers:
    def __init__(self, hall: Hall, acts: Acts, processes: int = 1) -> None:
        self.hall = hall
        self.acts = acts
        self.name = secrets.token_hex(8)
        #: for what people ask: it never waits for a bot, nor a bot for it
        self.desk = Desk()
        self._processes = processes
        self._pool: ProcessPoolExecutor | None = None
        self._lock = threading.Lock()
        self._wake = threading.Event()
        self._free = threading.Semaphore(processes)
        self._stopped = False
        self._thread = threading.Thread(target=self._run, name="grognard bots", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def wake(self) -> None:
        self._wake.set()

    def stop(self) -> None:
        self._stopped = True
        self._wake.set()
        self.desk.stop()
        self._thread.join(timeout=5)
        with self._lock:
            if self._pool is not None:
                self._pool.shutdown(wait=False, cancel_futures=True)

    # ---- bots

    def _run(self) -> None:
        while not self._stopped:
            try:
                if self._take_one():
                    continue
            except Exception:
                # A fault here must not end all bots; it is told where the server's log goes.
                traceback.print_exc(file=sys.stderr)
                time.sleep(1)
            self._wake.wait(POLL)
            self._wake.clear()

    def _take_one(self) -> bool:
        """Claim a job and begin it; False if there is none."""
        game, event = self._claim()
        if game is None:
            return False
        try:
            with self.hall.playing(game) as live:
                bot = self.hall.bot_asked(live)
                if bot is None or not self.acts.is_same(live, event):
                    self._drop(game, event)
                    return True
                asked, name, seed = self.asked(live, bot.seat), bot.bot or "random", live.header["seed"]
                here = seen_by(live.line, bot.seat).here
                quick = name == "random" or len(here.values()) == 1
                if quick:
                    answer = secrets.choice(here.legal()).name
        except (Mistake, GrognardError):
            self._drop(game, event)
            return True
        if quick:
            self._give(game, event, answer)
            return True
        self._free.acquire()
        self._submit(bot_answer, asked, game, name, seed).add_done_callback(
            lambda done: self._finished(game, event, done)
        )
        return True

    def _finished(self, game: str, event: int, done: Future[str]) -> None:
        self._free.release()
        try:
            self._give(game, event, done.result())
        except Exception:
            traceback.print_exc(file=sys.stderr)
            self._drop(game, event, again=True)
        self.wake()

    def _give(self, game: str, event: int, answer: str) -> None:
        try:
            if not self.acts.answer_for_bot(game, event, answer):
                self._drop(game, event)
        except Mistake:
            self._drop(game, event, again=True)

    def _claim(self) -> tuple[str | None, int]:
        jobs = db.jobs
        now = time.time()
        with self.hall.store.reading() as connection:
            if (
                connection.execute(sa.select(jobs.c.game).where(jobs.c.claimed_until < now).limit(1)).first()
                is None
            ):
                return None, 0  # fmt: skip
        with self.hall.store.writing() as connection:
            free = sa.select(jobs.c.game, jobs.c.event).where(jobs.c.claimed_until < now).limit(1)
            if self.hall.store.postgres:
                free = free.with_for_update(skip_locked=True)
            row = connection.execute(free).first()
            if row is None:
                return None, 0
            connection.execute(
                jobs.update()
                .where(jobs.c.game == row.game)
                .values(claimed_until=now + CLAIM, claimed_by=self.name)
            )
            return row.game, row.event

    def _drop(self, game: str, event: int, again: bool = False) -> None:
        jobs = db.jobs
        mine = sa.and_(jobs.c.game == game, jobs.c.event == event)
        with self.hall.store.writing() as connection:
            if again:
                connection.execute(jobs.update().where(mine).values(claimed_until=time.time() + POLL))
            else:
                connection.execute(jobs.delete().where(mine))

    # ---- thinking

    def asked(self, live: Live, seat: str) -> Asked:
        """The position of a seat that is asked."""
        header, library = live.header, self.hall.library
        rules = None
        if not library.is_current(header["title"], live.line.engine):
            rules = self.hall.pinned.body(header["fingerprint"])
        return Asked(
            library.address(header["title"]),
            tuple(header["errata"]),
            library.backend,
            header["scenario"],
            bytes(seen_by(live.line, seat).here),
            rules,
        )

    def advice(self, holder: str, live_asked: Asked, game: str, bot: str, seed: int) -> Job:
        """What a bot would answer here; it remembers nothing of the game's own bots."""
        return self.desk.submit(
            f"{holder} {game} advice", bot_answer, live_asked, f"{game} advice", bot, seed
        )

    def odds(self, holder: str, live_asked: Asked, game: str, answers: Sequence[str]) -> Job:
        return self.desk.submit(f"{holder} {game} odds", odds_of_choices, live_asked, tuple(answers))

    def _submit(self, work: Callable[..., Any], *arguments: Any) -> Future[Any]:
        with self._lock:
            if self._pool is None:
                self._pool = self._new_pool()
            try:
                return self._pool.submit(work, *arguments)
            except BrokenProcessPool:
                self._pool = self._new_pool()
                return self._pool.submit(work, *arguments)

    def _new_pool(self) -> ProcessPoolExecutor:
        # Not forked: the server has threads.
        return ProcessPoolExecutor(self._processes, mp_context=multiprocessing.get_context("spawn"))
