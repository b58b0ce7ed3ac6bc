"""A game as its events: the line of answers that stand, and the step from one event to the next.

Positions are values: each event that has one of its own keeps it, compressed, so any point of a game can be taken up
without playing it again.
"""

from __future__ import annotations

import json
import zlib
from collections import OrderedDict
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from itertools import takewhile
from typing import Any

from grognard.contract.header import H_BRANCH, H_RNG_HI, H_RNG_LO, NONE
from grognard.play.engine import Engine
from grognard.play.game import Played, Step, next_step
from grognard.play.position import Position
from grognard.play.telling import LONGEST_ACTION, Answers, Telling, Told
from grognard.play.wording import LogLine, Secrecy

#: Numbers of events from here on are on no line of a game: a seat's own orders, see together.py.
AWAY = 10**9
#: Positions that a game has at hand; older ones are read again.  What an answer tells is looked at for an action's length.
KEPT_POSITIONS = LONGEST_ACTION + 8


@dataclass(slots=True)
class Event:
    """One event as it is kept."""

    n: int
    #: start, answer, edit, undo, end; secret, order, unorder: see together.py
    kind: str
    time: float
    data: dict[str, Any]
    #: compressed; only while it has not been written yet
    position: bytes | None = None

    def row(self, game: str) -> dict[str, Any]:
        data = json.dumps(self.data, ensure_ascii=False, separators=(",", ":"))
        return {"game": game, "n": self.n, "kind": self.kind, "time": self.time, "data": data, "position": self.position}  # fmt: skip


@dataclass(slots=True)
class Standing:
    """An answer that stands (the first one is the start, which nobody gave)."""

    event: int
    played: Played | None
    #: the lines of the answer itself, those of choices as if all might know of them who may know of the counters
    lines: tuple[LogLine, ...]
    choices: tuple[tuple[int, Told], ...]
    secrecy: Secrecy
    #: the lines that seats are told with this answer, each for the seats that did not know it before, and where they come from:
    #: (event, place among its lines)
    told: tuple[LogLine, ...]
    origins: tuple[tuple[int, int], ...]
    #: whether dice or cards came into it
    rolled: bool
    #: whether a secret block or a seat's part of it ended with it
    closed: bool
    #: whether a secret block ended with it
    ended: bool


class Block:
    """A secret block whose seats are asked at the same time."""

    def __init__(self, event: int, step: int, seats: Iterable[str]) -> None:
        self.event = event
        #: steps of the line when it began
        self.step = step
        #: what each seat has ordered so far: (event, answer)
        self.orders: dict[str, list[tuple[int, str]]] = {seat: [] for seat in seats}
        #: orders that the game has taken
        self.taken = dict.fromkeys(self.orders, 0)
        #: whether the game takes the orders
        self.closing = False
        #: the lines of the seats
        self.asides: dict[str, Any] = {}

    def left(self, seat: str) -> list[str]:
        return [name for _, name in self.orders[seat][self.taken[seat] :]]


@dataclass(slots=True)
class Ending:
    """How a game ended otherwise than by its rules."""

    #: resigned, agreed, time
    how: str
    winner: str | None
    seat: str | None


class Line:
    """The answers of a game that stand, in order.  Follows events; positions come from `fetch` by the event's number."""

    def __init__(self, engine: Engine, fetch: Callable[[int], bytes]) -> None:
        self.engine = engine
        self._fetch = fetch
        self.steps: list[Standing] = []
        self.ending: Ending | None = None
        self.head = -1
        #: the secret block that is open to several seats at once
        self.block: Block | None = None
        #: seats that are asked in secret at the same time
        self.awaited: tuple[str, ...] | None = None
        #: of the line of one seat: whether it has ordered all that it is asked for
        self.done = False
        #: of the line of one seat: where it left the game's, as (event, steps)
        self.forked: tuple[int, int] | None = None
        self._positions: OrderedDict[int, Position] = OrderedDict()
        #: what was made of each event, on whatever line it stands
        self._made: dict[int, Standing] = {}
        self._telling: Telling | None = None

    # ---- reading

    def position(self, event: int) -> Position:
        """The position that an event (a start or an answer) led to."""
        found = self._positions.get(event)
        if found is None:
            found = self.engine.position(zlib.decompress(self._fetch(event)))
            self.keep(event, found)
        else:
            self._positions.move_to_end(event)
        return found

    def position_bytes(self, event: int) -> bytes:
        return self._fetch(event)

    @property
    def told_head(self) -> int:
        """The last event of the game."""
        return self.head

    def keep(self, event: int, position: Position) -> None:
        self._positions[event] = position
        while len(self._positions) > KEPT_POSITIONS:
            self._positions.popitem(last=False)

    @property
    def here(self) -> Position:
        return self.position(self.steps[-1].event)

    @property
    def history(self) -> list[Played]:
        return [step.played for step in self.steps if step.played is not None]

    def step(self, number: int) -> Step:
        """A step as the rules take it on."""
        standing = self.steps[number]
        position = self.position(standing.event)
        return Step(position, standing.played, standing.lines, standing.choices, standing.secrecy)

    def number_of(self, event: int) -> int:
        """The place of an answer that stands."""
        return next(number for number, standing in enumerate(self.steps) if standing.event == event)

    def choices_known(self, number: int, seat: str) -> list[bool]:
        """For each choice that an answer's lines tell of, whether the seat has been told by now."""
        event = self.steps[number].event
        known = {
            place
            for standing in self.steps[number : number + LONGEST_ACTION + 2]
            for line, (origin, place) in zip(standing.told, standing.origins)
            if origin == event and line.visible_to(seat)
        }
        return [place in known for place, _ in self.steps[number].choices]

    def action_lines(self, seat: str) -> list[LogLine]:
        """What a seat has been told in the action that runs."""
        asks = {ask.name: ask.menu for ask in self.engine.ruleset.program.asks}
        found: list[LogLine] = []
        for standing in reversed(self.steps[-LONGEST_ACTION:]):
            found += [line for line in standing.told if line.visible_to(seat)]
            if standing.played is None or asks.get(standing.played.question, False):
                break
        return found

    # ---- following events

    def follow(self, events: Iterable[Event]) -> None:
        for event in events:
            self.head = event.n
            match event.kind:
                case "start" | "answer" | "edit":
                    standing = self._made.get(event.n)
                    if standing is None:
                        standing = self._made[event.n] = self._standing(event)
                    self.steps.append(standing)
                    self._close(event, standing)
                case "secret":
                    self.block = Block(event.n, len(self.steps), event.data["seats"])
                case "order" if self.block is not None:
                    self.block.orders[event.data["seat"]].append((event.n, event.data["answer"]))
                case "unorder" if self.block is not None:
                    seat, keep = event.data["seat"], event.data["keep"]
                    del self.block.orders[seat][max(keep, self.block.taken[seat]) :]
                case "undo":
                    self.block = None
                    while self.steps[-1].event > event.data["to"]:
                        self.steps.pop()
                    self.ending = None
                case "end":
                    data = event.data
                    self.ending = Ending(data["how"], data.get("winner"), data.get("seat"))
                    self.block = None
        if self.forked is None:
            open_ = self.block is not None and not self.block.closing
            self.awaited = tuple(self.block.orders) if self.block is not None and open_ else None

    def _close(self, event: Event, standing: Standing) -> None:
        """An open block takes its orders."""
        block = self.block
        if block is None:
            return
        block.closing = True
        seat = event.data.get("seat")
        if seat in block.orders and block.taken[seat] < len(block.orders[seat]):
            block.taken[seat] += 1
        if event.kind == "edit" or standing.ended or standing.secrecy.branch is None:
            self.block = None

    def at(self, events: Iterable[Event], last: int) -> Line:
        """The line as it was after an event."""
        made = Line(self.engine, self._fetch)
        made._positions = self._positions
        made._made = self._made
        made.follow(takewhile(lambda event: event.n <= last, events))
        return made

    # ---- going on

    def first(self, step: Step, now: float) -> Event:
        """The event that begins a game."""
        return self._add(step, None, now, "start")

    def answer(self, name: str, now: float) -> Event:
        """The event of an answer, by its name; IllegalChoice if it is not offered."""
        before = self.step(len(self.steps) - 1)
        step = next_step(before, name)
        return self._add(step, before.position, now, "answer")

    def again(self, step: Step, now: float) -> Event:
        """The event of an answer that was given elsewhere: in a save, or in a game that this one branches off."""
        return self._add(step, self.here, now, "answer")

    def edit(self, position: Position, lines: tuple[LogLine, ...], now: float) -> Event:
        """The event of a change that was made by hand."""
        return self._add(Step(position, None, lines, (), self.steps[-1].secrecy), None, now, "edit")

    def _add(self, step: Step, before: Position | None, now: float, kind: str) -> Event:
        position = step.position
        rolled = before is not None and any(
            before.head(cell) != position.head(cell) for cell in (H_RNG_LO, H_RNG_HI)
        )
        data: dict[str, Any] = {
            "lines": [_line_data(line) for line in step.lines],
            "secrecy": [step.secrecy.branch, sorted(step.secrecy.acting)],
        }
        if step.played is not None and position.setting.program.view is not None:
            data["choices"] = [
                [place, told.seat, told.value, told.show, sorted(told.about)] for place, told in step.choices
            ]
            data["told"] = [
                [event, place, None if seats is None else sorted(seats)]
                for event, place, seats in self._newly_told(step)
            ]
        if rolled:
            data["rolled"] = True
        if before is not None and before.head(H_BRANCH) not in (NONE, position.head(H_BRANCH)):
            data["closed"] = True
        if step.ended:
            data["ended"] = True
        if step.played is not None:
            played = step.played
            data.update(seat=played.seat, ask=played.question, answer=played.name, value=played.value)
        event = Event(self.head + 1, kind, now, data, zlib.compress(bytes(position), 1))
        self.keep(event.n, position)
        self.follow((event,))
        return event

    # ---- what is told of answers

    def _newly_told(self, step: Step) -> list[tuple[int, int, frozenset[str] | None]]:
        """Lines that seats may read after the next step and could not before: (event, place, seats; None: all).

        Answers are told when it is known what comes of them (grognard.play.telling), so lines of earlier answers are among
        them.  Who is told depends on the seat's own view alone."""
        setting = step.position.setting
        if self._telling is None:
            self._telling = Telling(setting)
        names = setting.scenario.data.domains[setting.program.seats].names
        # What was changed by hand nobody answered: what lies before it is told by now, or never.
        first = next((n for n in range(len(self.steps) - 1, 0, -1) if self.steps[n].played is None), 0)
        steps = self.steps[first:]
        answers = Answers(steps, lambda standing: self.position(standing.event), step)
        at = len(answers) - 1
        chosen = {place for place, _ in step.choices}
        own = [
            (self.head + 1, place, line.seats) for place, line in enumerate(step.lines) if place not in chosen
        ]
        earlier: list[tuple[int, int, frozenset[str] | None]] = []
        for number in range(max(0, at - LONGEST_ACTION), at + 1):
            standing = steps[number + 1] if number < at else None
            lines, choices = (
                (step.lines, step.choices) if standing is None else (standing.lines, standing.choices)
            )
            if not choices or any(
                self._telling.is_last(answers, number, before) for before in range(number, at)
            ):
                continue
            for place, told in choices:
                line = lines[place]
                knowing = set[str]()
                for seat, name in enumerate(names):
                    if not line.visible_to(name):
                        continue
                    if seat == told.seat:
                        if standing is None:
                            knowing.add(name)
                    elif standing is not None and self._was_told(first + number + 1, place, name):
                        continue
                    elif self._telling.is_moment(answers, number, at, seat) and self._telling.may_know(
                        answers, number, at, seat, told
                    ):
                        knowing.add(name)
                if standing is None:
                    everybody = line.seats is None and len(knowing) == len(names)
                    own.append((self.head + 1, place, None if everybody else frozenset(knowing)))
                elif knowing:
                    earlier.append((standing.event, place, frozenset(knowing)))
        return earlier + sorted(own, key=lambda entry: entry[1])

    def _was_told(self, number: int, place: int, seat: str) -> bool:
        event = self.steps[number].event
        return any(
            origin == (event, place) and line.visible_to(seat)
            for standing in self.steps[number:]
            for line, origin in zip(standing.told, standing.origins)
        )

    def _standing(self, event: Event) -> Standing:
        data = event.data
        played = None
        if event.kind == "answer":
            played = Played(data["seat"], data["ask"], data["answer"], data["value"])
        branch, acting = data["secrecy"]
        lines = tuple(_line(line) for line in data["lines"])
        choices = tuple(
            (place, Told(seat, value, show, frozenset((domain, number) for domain, number in about)))
            for place, seat, value, show, about in data.get("choices", ())
        )
        told = [(origin, place, seats) for origin, place, seats in data.get("told", ())]
        if "told" not in data:
            told = [(event.n, place, line.seats) for place, line in enumerate(lines)]
        by_event = {standing.event: standing.lines for standing in self.steps[-LONGEST_ACTION - 2 :]}
        by_event[event.n] = lines
        return Standing(
            event.n,
            played,
            lines,
            choices,
            Secrecy(branch, frozenset((domain, value) for domain, value in acting)),
            tuple(
                replace(by_event[origin][place], seats=None if seats is None else frozenset(seats))
                for origin, place, seats in told
            ),
            tuple((origin, place) for origin, place, _ in told),
            data.get("rolled", False),
            data.get("closed", False),
            data.get("ended", False),
        )


def _line_data(line: LogLine) -> list[Any]:
    seats = None if line.seats is None else sorted(line.seats)
    return [line.text, list(line.cites), line.kind, seats, line.site, list(line.args)]


def _line(data: list[Any]) -> LogLine:
    text, cites, kind, seats, site, args = data
    return LogLine(text, tuple(cites), kind, None if seats is None else frozenset(seats), site, tuple(args))
