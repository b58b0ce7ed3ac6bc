"""What a table tells the seats of a game, without a server around it: the streams that follow its answers.

A recorder can be forked at any answer, so that two games with the same beginning are told only from where they part."""

from __future__ import annotations

import copy
import itertools

from grognard.play.game import Game
from grognard.server.line import Event, Line
from grognard.server.streams import WATCHER, Rules, Stream, quiet_question


class Recorder:
    """The streams of a game that stands after some of its answers."""

    def __init__(self, game: Game, undo: str = "fair") -> None:
        self.setting = game.setting
        names = game.setting.scenario.data.domains[game.setting.program.seats].names
        self.rules = Rules(undo, {seat: frozenset((seat,)) for seat in names}, frozenset())
        self.line = Line(game.engine, self._fetch)
        self._kept: dict[int, bytes] = {}
        self.streams = {seat: Stream(game.setting, seat) for seat in (*names, WATCHER)}
        self.told: dict[str, list[str]] = {seat: [] for seat in self.streams}
        self._keep(self.line.first(game.steps[0], 0.0))
        self._tell()

    def _fetch(self, event: int) -> bytes:
        return self._kept[event]

    def _keep(self, event: Event) -> None:
        assert event.position is not None
        self._kept[event.n] = event.position

    def _tell(self) -> None:
        for seat, stream in self.streams.items():
            message = stream.advance(self.line, self.rules)
            if message is not None:
                self.told[seat].append(message.text)

    def follow(self, game: Game, last: int | None = None) -> Recorder:
        """Go on to the answer of that number, or to the last one."""
        for step in itertools.islice(game.steps, len(self.line.steps), None if last is None else last + 1):
            quiet = quiet_question(self.line.here)
            event = self.line.again(step, 0.0)
            self._keep(event)
            assert step.played is not None
            for stream in self.streams.values():
                stream.note_answer(step.played.seat, self.rules, not quiet)
            self._tell()
        return self

    def fork(self) -> Recorder:
        """The same, to go on with otherwise."""
        made = copy.copy(self)
        made._kept = dict(self._kept)
        made.line = copy.copy(self.line)
        made.line._fetch = made._fetch
        made.line.steps = list(self.line.steps)
        made.line._positions = self.line._positions.copy()
        # From here on the same numbers are other events.
        made.line._made = dict(self.line._made)
        made.streams = {seat: _forked(stream) for seat, stream in self.streams.items()}
        made.told = {seat: list(texts) for seat, texts in self.told.items()}
        return made


def _forked(stream: Stream) -> Stream:
    made = copy.copy(stream)
    made._counts = list(stream._counts)
    made._log = list(stream._log)
    made.trail = list(stream.trail)
    made._limits = dict(stream._limits)
    made.last = dict(stream.last)
    return made
