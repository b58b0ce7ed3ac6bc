"""A title in the making: when one of its files is saved, its rules are read again and its games go on under the new ones.

A game that runs under the old rules is succeeded by one under the new: with its position where nothing of what the cells
mean has moved, else with as many of its answers as are still legal.  Mistakes are told to the page, with their excerpts.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import sqlalchemy as sa
from grognard.errors import GrognardError, RulesetError
from grognard.server import store as db
from grognard.server.mistakes import Mistake
from grognard.server.table import Table
from grognard.support.diagnostics import format_json, format_text

#: Seconds between looks at the files.
PAUSE = 0.4
#: What rules and data are written in.
SUFFIXES = (".grog", ".yaml", ".yml", ".csv")
#: Games that go on under new rules at once.
MOST_GAMES = 20


class Watching:
    def __init__(
        self, table: Table, title: str, folder: Path, tell: Callable[[str], None], series: Path | None = None
    ) -> None:
        self.table = table
        self.title = title
        #: the title's folder, and that of its series
        self.folders = [folder] if series is None else [folder, series]
        self.tell = tell
        #: counts what was told
        self.serial = 0
        self._news: dict[str, Any] = {}
        self._successors: dict[str, dict[str, Any]] = {}
        self._stamps = self._look()
        self._stopped = threading.Event()
        self._thread = threading.Thread(target=self._run, name="grognard watch", daemon=True)

    def begin(self) -> None:
        """Tell of the mistakes that there are from the start."""
        library = self.table.library
        try:
            library.engine(self.title)
        except Mistake as error:
            text = library.problems.setdefault(self.title, str(error.more.get("text", error.message)))
            self._publish(False, [], text)

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        self._stopped.set()
        self._thread.join(timeout=5)

    def news(self, title: str, game: str, since: int) -> tuple[dict[str, Any] | None, int]:
        """What is to be told to a page of a game that has been told so much."""
        if title != self.title or self.serial == since or not self._news:
            return None, since
        return {**self._news, **self._successors.get(game, {})}, self.serial

    # ---- looking

    def _look(self) -> dict[str, tuple[int, int]]:
        found = {}
        for path in (path for folder in self.folders for path in folder.rglob("*")):
            if path.suffix in SUFFIXES:
                try:
                    stat = path.stat()
                except OSError:
                    continue
                found[str(path)] = stat.st_mtime_ns, stat.st_size
        return found

    def _run(self) -> None:
        while not self._stopped.wait(PAUSE):
            self.look()

    def look(self) -> bool:
        """Read the rules again if a file has changed; whether one has."""
        stamps = self._look()
        if stamps == self._stamps:
            return False
        self._stamps = stamps
        self._reload()
        return True

    def _reload(self) -> None:
        library = self.table.library
        try:
            engine = library.reload(self.title)
        except RulesetError as error:
            if not library.has_engine(self.title):
                library.problems[self.title] = error.format()
            self._publish(False, json.loads(format_json(error.diagnostics)), error.format())
            return
        except (GrognardError, OSError) as error:
            self._publish(False, [], str(error))
            return
        warnings = list(engine.diagnostics)
        text = format_text(warnings, engine.ruleset.sink.sources, False) if warnings else ""
        for game in self._games():
            try:
                with self.table.hall.playing(game) as live:
                    scenario = live.header["scenario"]
                    if scenario in engine.scenarios and live.header["fingerprint"] == engine.fingerprint_of(
                        scenario
                    ):
                        continue
                    if scenario not in engine.scenarios or live.over:
                        continue
                    made, kept = self.table.study.succeed(live, engine)
                    self._successors[game] = {"game": made, "kept": kept}
            except (Mistake, GrognardError) as error:
                self.tell(f"game {game} cannot go on under the new rules: {str(error).partition(chr(10))[0]}")
        self._publish(True, json.loads(format_json(warnings)), text)

    def _games(self) -> list[str]:
        """Games of the title that are being played, the last played first."""
        columns = db.games.c
        with self.table.store.reading() as connection:
            rows = connection.execute(
                sa.select(columns.id, columns.header)
                .where(columns.status == "playing")
                .order_by(columns.touched.desc())
                .limit(500)
            ).all()
        return [row.id for row in rows if json.loads(row.header)["title"] == self.title][:MOST_GAMES]

    def _publish(self, ok: bool, diagnostics: list[Any], text: str) -> None:
        self._news = {"ok": ok, "title": self.title, "diagnostics": diagnostics, "text": text}
        self.serial += 1
        first = text.strip().partition("\n")[0]
        self.tell(f"{self.title}: {'read again' if ok else 'has mistakes'}{f' ({first})' if first else ''}")
        self.table.wakeups.everybody()
