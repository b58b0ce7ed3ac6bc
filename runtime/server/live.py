"""A game in memory, with who sits at its table."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from typing import Any

from grognard.server.clocks import Clock
from grognard.server.line import Event, Line
from grognard.server.streams import Message, Rules, Stream


@dataclass(slots=True)
class Seat:
    seat: str
    #: person, bot, open
    kind: str
    bot: str | None
    holder: str | None
    name: str | None
    invitation: int


@dataclass(slots=True)
class Proposal:
    """What a seat asks the persons at the table to agree to."""

    id: str
    #: undo, edit
    kind: str
    seat: str
    data: dict[str, Any]
    agreed: list[str]


class Live:
    """A game in memory."""

    def __init__(self, game: str, header: dict[str, Any], line: Line) -> None:
        self.id = game
        self.header = header
        self.line = line
        self.setting = line.engine.setting(header["scenario"])
        self.events: list[Event] = []
        self.streams: dict[str, Stream] = {}
        self.recent: dict[str, deque[Message]] = {}
        self.seats: dict[str, Seat] = {}
        self.table_version = 0
        self.offers: list[str] = []
        #: what all persons are asked to agree to
        self.proposal: Proposal | None = None
        self.clock: Clock | None = None
        #: the seats that are asked, for the clock
        self.asked: list[str] = []

    @property
    def rules(self) -> Rules:
        held: dict[str, set[str]] = {}
        for seat in self.seats.values():
            if seat.holder is not None:
                held.setdefault(seat.holder, set()).add(seat.seat)
        together = {
            seat.seat: frozenset(held.get(seat.holder or "", {seat.seat})) for seat in self.seats.values()
        }
        bots = frozenset(seat.seat for seat in self.seats.values() if seat.kind == "bot")
        return Rules(self.header["undo"], together, bots)

    def held_by(self, holder: str | None) -> list[str]:
        return [seat.seat for seat in self.seats.values() if holder is not None and seat.holder == holder]

    @property
    def persons(self) -> list[str]:
        """The seats that no bot plays."""
        return [seat.seat for seat in self.seats.values() if seat.kind != "bot"]

    @property
    def running(self) -> bool:
        """Whether the clock runs: all seats are taken, and somebody is asked."""
        return not self.over and all(seat.kind != "open" for seat in self.seats.values())

    @property
    def over(self) -> bool:
        return self.line.ending is not None or self.line.here.over
