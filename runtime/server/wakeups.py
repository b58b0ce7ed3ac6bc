"""Streams sleep until their game changes: in this server by an event, in others of the same database by LISTEN."""

from __future__ import annotations

import asyncio
import sys
import threading
import traceback
from collections.abc import Iterator
from contextlib import contextmanager

from grognard.server.store import Store


class Wakeups:
    def __init__(self, store: Store) -> None:
        self.store = store
        self._loop: asyncio.AbstractEventLoop | None = None
        self._sleeping: dict[str, set[asyncio.Event]] = {}
        self._stopped = threading.Event()
        self._thread: threading.Thread | None = None

    def start(self) -> None:
        self._loop = asyncio.get_running_loop()
        if self.store.postgres:
            self._thread = threading.Thread(target=self._listen, name="grognard listen", daemon=True)
            self._thread.start()

    def stop(self) -> None:
        self._stopped.set()
        if self._loop is not None:
            # Streams that are still open end themselves.
            for game in list(self._sleeping):
                self._wake(game)

    @property
    def stopped(self) -> bool:
        return self._stopped.is_set()

    @contextmanager
    def sleeper(self, game: str) -> Iterator[asyncio.Event]:
        """An event that is set whenever the game has changed."""
        event = asyncio.Event()
        self._sleeping.setdefault(game, set()).add(event)
        try:
            yield event
        finally:
            waiting = self._sleeping.get(game)
            if waiting is not None:
                waiting.discard(event)
                if not waiting:
                    del self._sleeping[game]

    def changed(self, game: str) -> None:
        """From any thread."""
        loop = self._loop
        if loop is not None and not loop.is_closed():
            loop.call_soon_threadsafe(self._wake, game)

    def everybody(self) -> None:
        """From any thread: all streams look whether there is something to tell."""
        for game in list(self._sleeping):
            self.changed(game)

    def _wake(self, game: str) -> None:
        for event in self._sleeping.get(game, ()):
            event.set()

    def _listen(self) -> None:
        """What other servers of the database have changed."""
        import psycopg

        address = self.store.engine.url.set(drivername="postgresql").render_as_string(hide_password=False)
        while not self._stopped.is_set():
            try:
                with psycopg.connect(address, autocommit=True) as connection:
                    connection.execute("LISTEN grognard")
                    while not self._stopped.is_set():
                        for told in connection.notifies(timeout=1.0):
                            self.changed(told.payload)
            except psycopg.Error:
                traceback.print_exc(file=sys.stderr)
                self._stopped.wait(2.0)
