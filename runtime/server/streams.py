"""The stream of one seat: what it is told, number by number, made from its view, its log and its question alone.

A message is made only when something that the seat may know is otherwise than when it was told last.  While another
seat decides quietly (that it is asked at all is secret) nothing is told until it has: so the stream is the same whether
there was somebody to ask or not.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from grognard.bots.evaluation import owner_field
from grognard.contract import ir
from grognard.contract.header import H_ASK, H_BRANCH, NONE
from grognard.play.named_cells import Changes, checksum_of, named_cells
from grognard.play.position import Position
from grognard.play.setting import Setting
from grognard.play.view import View, make_view
from grognard.play.wording import LogLine
from grognard.server.line import AWAY, Line
from grognard.server.questions import question_for

#: whose stream it is that watches without a seat
WATCHER = ""
#: lines that tell of chance
CHANCE = ("roll", "draw")


@dataclass(frozen=True, slots=True)
class Rules:
    """What the table decides about undoing: the policy, and whose answers a seat may take back beside its own."""

    undo: str
    #: for each seat the seats that the same person holds
    together: dict[str, frozenset[str]]
    bots: frozenset[str]


@dataclass(frozen=True, slots=True)
class Message:
    seat: str
    n: int
    event: int
    undo: int | None
    undone: int | None
    body: dict[str, Any]

    @property
    def text(self) -> str:
        return json.dumps(self.body, ensure_ascii=False, separators=(",", ":"))

    def row(self, game: str) -> dict[str, Any]:
        return {
            "game": game,
            "seat": self.seat,
            "n": self.n,
            "event": self.event,
            "undo": self.undo,
            "undone": self.undone,
            "body": self.text,
        }


def seat_view(position: Position, seat: str) -> View | None:
    """What a seat sees; who has none sees what all see, and nothing where seats have secrets of their own."""
    if seat != WATCHER:
        return make_view(position, seat)
    setting = position.setting
    if setting.program.view is not None:
        return None
    # As one that is not deciding: what is written in secret is then not in it.
    names = setting.scenario.data.domains[setting.program.seats].names
    other = next((name for name in names if name != position.to_move), names[0])
    return make_view(position, other)


def visible(lines: tuple[LogLine, ...], seat: str) -> list[tuple[int, LogLine]]:
    """The lines of one event that a seat may read, with their places."""
    return [
        (place, line)
        for place, line in enumerate(lines)
        if (line.seats is None if seat == WATCHER else line.visible_to(seat))
    ]


class Sights:
    """What several streams see of one position, where all see the same: worked out once."""

    def __init__(self) -> None:
        self._views: dict[int, View] = {}
        self._changes: dict[tuple[int, int, int], Changes] = {}

    def view(self, position: Position, seat: str) -> View | None:
        setting = position.setting
        if setting.program.view is not None or position.head(H_BRANCH) != NONE or quiet_question(position):
            return seat_view(position, seat)
        found = self._views.get(id(position))
        if found is None:
            seen = seat_view(position, seat)
            assert seen is not None
            found = self._views[id(position)] = seen
        return found

    def changes(self, setting: Setting, before: View, checksum: int, after: View) -> Changes:
        key = id(before), checksum, id(after)
        found = self._changes.get(key)
        if found is None:
            found = self._changes[key] = named_cells(setting).changes(before, checksum, after)
        return found


class Stream:
    """How far one seat has been told."""

    def __init__(self, setting: Setting, seat: str) -> None:
        self.setting = setting
        self.seat = seat
        self.n = -1
        #: the last event that was told
        self.event = -1
        #: the shortest that the line has been since
        self.floor = 0
        #: lines of the log that the seat may read, up to each step of the line
        self._counts: list[int] = []
        #: those lines
        self._log: list[LogLine] = []
        #: where the line that was told last had left the game's
        self._forked: tuple[int, int] | None = None
        self.view: View | None = None
        self.checksum = 0
        self.last: dict[str, Any] = {}
        #: numbers of messages on the line as it stands, each with its event
        self.trail: list[tuple[int, int]] = []
        #: lowest number that the seat may go back to
        self.undo: int | None = None
        #: for each message of the trail the limit that held after it
        self._limits: dict[int, int | None] = {}
        #: lines of the log as they are sent, by event and place
        self._lines: dict[tuple[int, int], dict[str, Any]] = {}
        #: whether somebody else has decided openly since the last message
        self._others = False
        self._undone: int | None = None

    # ---- what happens to the line

    def note_answer(self, giver: str, rules: Rules, openly: bool) -> None:
        """An answer was given; `openly`: all know that its seat was asked."""
        mine = rules.together.get(self.seat, frozenset((self.seat,))) | rules.bots
        if giver not in mine and openly:
            self._others = True

    def note_secret(self, seats: Sequence[str], rules: Rules) -> None:
        """Several seats are asked in secret from here on: before this nobody goes back alone."""
        mine = rules.together.get(self.seat, frozenset((self.seat,))) | rules.bots
        if any(seat not in mine for seat in seats):
            self._others = True

    def note_undo(self, line: Line, to: int) -> None:
        self.floor = min(self.floor, len(line.steps))
        popped = False
        while self.trail and self.trail[-1][1] > to:
            self.trail.pop()
            popped = True
        if popped:
            self._undone = self.trail[-1][0] if self.trail else 0

    # ---- telling

    def advance(self, line: Line, rules: Rules, sights: Sights | None = None) -> Message | None:
        """The next message, if there is something to tell."""
        sights = sights or Sights()
        position = line.here
        over = position.over or line.ending is not None
        view = sights.view(position, self.seat)
        if line.forked != self._forked:
            # Its own line, or the game's again: from where they part it is told what is otherwise.
            for parting in (line.forked, self._forked):
                if parting is not None:
                    self.floor = min(self.floor, parting[1])
            self._forked = line.forked
        if not over and position.to_move not in (None, self.seat) and quiet_question(position):
            # Somebody is asked, and nobody is to know.
            return None
        body: dict[str, Any] = {"n": self.n + 1}
        named = named_cells(self.setting)
        changes = Changes()
        if view is not None:
            if self.view is None:
                changes.set = named.everything(view)
                changes.checksum = checksum_of(changes.set)
            else:
                changes = sights.changes(self.setting, self.view, self.checksum, view)
        del self._counts[self.floor :]
        kept = self._counts[-1] if self._counts else 0
        told = [entry for step in line.steps[self.floor :] for _place, entry in visible(step.told, self.seat)]
        known = self._log[kept:]
        same = 0
        while same < min(len(told), len(known)) and _alike(told[same], known[same]):
            same += 1
        kept += same
        new = list(enumerate(told[same:], kept))
        waiting = self._waiting(line, position, view, over)
        status = _status(position, line)
        asked = view is not None and position.to_move == self.seat and not over and not line.done
        quiet = (
            not changes
            and not new
            and not asked
            and self._undone is None
            and kept == self.last.get("lines", 0)
            and self.last.get("question") is None
            and waiting == self.last.get("waiting")
            and status == self.last.get("status")
        )
        if quiet and self.n >= 0:
            self._skip(line, view)
            return None
        body["hash"] = f"{changes.checksum:08x}"
        if changes.set:
            body["set"] = changes.set
        if changes.gone:
            body["gone"] = changes.gone
        if kept < self.last.get("lines", 0):
            body["keep"] = kept
        if new:
            body["log"] = [self.line_data(number, entry) for number, entry in new]
        rolls = [roll for _, entry in new if (roll := _roll(entry))]
        if rolls:
            body["dice"] = rolls
        body["question"] = None
        if asked and view is not None:
            body["question"] = question_for(
                position, view, self.seat, self.n + 1, line.history, line.action_lines(self.seat)
            )
        if body["question"] is None:
            body["waiting"] = waiting
        limit = self._limit(line, rules, changes, [entry for _, entry in new], asked, waiting, over)
        body["undo"] = limit
        body["lines"] = kept + len(new)
        body["status"] = status
        if status == "over":
            body["outcome"] = _outcome(position, line)
        message = Message(self.seat, self.n + 1, line.told_head, limit, self._undone, body)
        self.take(message, line, view)
        return message

    def take(self, message: Message, line: Line, view: View | None) -> None:
        """The message has been made: from here on."""
        self.n, self.event = message.n, message.event
        self.view, self.checksum = view, int(message.body["hash"], 16)
        self.last = {key: message.body.get(key) for key in ("lines", "question", "waiting", "status")}
        self._forked = line.forked
        self._count(line)
        self.follow_trail(message.n, message.event, message.undo, message.undone)
        self._others, self._undone = False, None

    def follow_trail(self, n: int, event: int, undo: int | None, undone: int | None) -> None:
        if undone is not None:
            while self.trail and self.trail[-1][0] >= undone:
                self.trail.pop()
        self.trail.append((n, event))
        self.undo = undo
        self._limits[n] = undo

    def _skip(self, line: Line, view: View | None) -> None:
        self.view = view
        self._others = self._others or self._decided(line)
        self._count(line)

    def _count(self, line: Line) -> None:
        """All of the line has been told, or is not for this seat."""
        del self._counts[self.floor :]
        del self._log[self._counts[-1] if self._counts else 0 :]
        for step in line.steps[len(self._counts) :]:
            self._log += [entry for _place, entry in visible(step.told, self.seat)]
            self._counts.append(len(self._log))
        self.floor = len(line.steps)

    def _waiting(self, line: Line, position: Position, view: View | None, over: bool) -> list[str]:
        if over:
            return []
        if line.awaited is not None:
            # Who has answered is nobody's affair.
            return [seat for seat in line.awaited if seat != self.seat]
        if view is None:
            return [] if position.to_move is None else [position.to_move]
        return [view.to_move] if view.to_move is not None and view.to_move != self.seat else []

    def _limit(
        self,
        line: Line,
        rules: Rules,
        changes: Changes,
        new: list[LogLine],
        asked: bool,
        waiting: list[str],
        over: bool,
    ) -> int | None:
        """How far back the seat may go, from what it has been told alone: it must have learnt nothing since."""
        if self.n < 0 or rules.undo == "none" or self.seat == WATCHER:
            return None
        if self._undone is not None:
            # As it was at the message that this one goes back to.
            return self._limits.get(self._undone)
        if rules.undo == "free":
            return self.trail[0][0]
        mine = rules.together.get(self.seat, frozenset((self.seat,))) | rules.bots
        if line.ending is not None or not (
            asked or over or line.done or all(seat in mine for seat in waiting)
        ):
            return None
        learnt = self._others or any(entry.kind in CHANCE for entry in new) or self._decided(line)
        if self.setting.program.view is not None:
            learnt = learnt or self._of_others(changes.revealed) or self._of_others(changes.came)
        if learnt:
            return None
        return self.undo if self.undo is not None else self.n

    def _decided(self, line: Line) -> bool:
        """Whether secret orders were closed since the last message, or chance came in where nothing of it is secret."""
        open_ = self.setting.program.view is None
        return any(step.closed or (open_ and step.rolled) for step in line.steps[self.floor :])

    def _of_others(self, members: dict[str, list[str]]) -> bool:
        """Whether some of these belong to somebody else, as far as the seat saw them before."""
        for domain, names in members.items():
            dom = self.setting.schema.types.get(domain)
            owner = owner_field(self.setting, dom) if dom is not None else None
            if dom is None or owner is None or self.view is None:
                return True
            base = self.setting.scenario.layout.base[self.setting.program.seats]
            mine = base + self.setting.seat_number(self.seat)
            start = self.setting.scenario.layout.field_offset[owner]
            numbers = [self.setting.number_of(dom.id, name) for name in names]
            with memoryview(self.view.cells) as raw, raw.cast("i") as cells:
                if any(number is None or cells[start + number] != mine for number in numbers):
                    return True
        return False

    def line_data(self, number: int, entry: LogLine, where: tuple[int, int] | None = None) -> dict[str, Any]:
        """A line of the log as it is sent; with its event and place, what was made of it before is used again."""
        if where is not None and where[0] >= AWAY:
            # Of a line of one's own: its numbers are given again.
            where = None
        if where is not None and where in self._lines:
            return {**self._lines[where], "id": number}
        made: dict[str, Any] = {
            "id": number,
            "text": entry.text,
            "kind": entry.kind,
            "cites": list(entry.cites),
        }
        if entry.seats is not None:
            made["secret"] = True
        spoken = mentioned(self.setting, entry)
        for key in ("places", "pieces"):
            if spoken[key]:
                made[key] = spoken[key]
        if where is not None:
            self._lines[where] = made
        return made


def mentioned(setting: Setting, line: LogLine) -> dict[str, list[str]]:
    """The places and counters that a line of the log speaks of."""
    found: dict[str, list[str]] = {"places": [], "pieces": []}
    site = setting.program.sites[line.site]
    for show, value in zip(site.shows, line.args):
        for number in ir.shown_domains(show):
            data = setting.scenario.data.domains[number]
            if 0 <= value - data.base < data.count:
                sort = setting.program.domains[number].sort
                key = {"place": "places", "piece": "pieces"}.get(sort)
                name = data.names[value - data.base]
                if key is not None and name not in found[key]:
                    found[key].append(name)
                break
    return found


def _alike(one: LogLine, other: LogLine) -> bool:
    return one.text == other.text and one.kind == other.kind and one.cites == other.cites


def _roll(line: LogLine) -> list[int] | None:
    """The dice of a line that tells of a roll: (count, lowest, highest, dice...)."""
    if line.kind != "roll" or len(line.args) < 4:
        return None
    return list(line.args[3:])


def quiet_question(position: Position) -> bool:
    """Whether that somebody is asked is secret."""
    ask = position.head(H_ASK)
    return ask != NONE and position.setting.program.asks[ask].quiet


def _status(position: Position, line: Line) -> str:
    return "over" if position.over or line.ending is not None else "playing"


def _outcome(position: Position, line: Line) -> dict[str, Any]:
    if line.ending is not None:
        ending = line.ending
        return {"winner": ending.winner, "how": ending.how, "seat": ending.seat}
    return {"winner": position.outcome, "how": "rules"}
