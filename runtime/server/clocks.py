"""Clocks: how long a seat may think, in all and about one answer.  Nothing happens by itself when time is up: the others
may claim the game, or let a bot take the seat, so that somebody who stays away never holds them up."""

from __future__ import annotations

import json
import time
from dataclasses import dataclass, field
from typing import Any

import sqlalchemy as sa
from grognard.server import store as db
from grognard.server.mistakes import malformed

#: Seconds that a clock may be set to: a year.
MAX_CLOCK = 366 * 24 * 3600


@dataclass(slots=True)
class Clock:
    """The clock of a game as it stands."""

    #: seconds for the whole game, and for one answer; None: no limit
    total: int | None
    move: int | None
    since: float | None = None
    spent: dict[str, float] = field(default_factory=dict)

    def charge(self, seats: dict[str, float], now: float, running: bool) -> None:
        """These seats were asked until then and are no longer; `running`: somebody is waited for from now on."""
        if self.since is not None:
            for seat, until in seats.items():
                self.spent[seat] = round(self.spent.get(seat, 0.0) + max(0.0, until - self.since), 3)
        self.since = now if running else None

    def is_up(self, seat: str, now: float) -> bool:
        """Whether the seat, which is asked, has thought too long."""
        if self.since is None:
            return False
        thought = now - self.since
        if self.move is not None and thought > self.move:
            return True
        return self.total is not None and self.spent.get(seat, 0.0) + thought > self.total

    def told(self, seats: list[str], asked: list[str], everybody: bool, names: list[str]) -> dict[str, Any]:
        """As it is sent to who holds these seats.  That a seat thinks may be secret: then only its own time is told,
        and when the present question was put only to those who know of it."""
        shown = names if everybody else seats
        made: dict[str, Any] = {
            "total": self.total,
            "move": self.move,
            "spent": {name: self.spent.get(name, 0.0) for name in shown},
            "now": round(time.time(), 3),
        }
        if self.since is not None and asked and (everybody or set(asked) & set(seats)):
            made["since"], made["asked"] = self.since, asked
        return made


def clock_order(value: Any) -> dict[str, int] | None:
    """What an order of a new game says of its clock, checked."""
    if value is None:
        return None
    names = ("total", "move")
    if not isinstance(value, dict) or not value or any(name not in names for name in value):
        raise malformed("`clock` has `total` and `move`, in seconds")
    for name, seconds in value.items():
        if type(seconds) is not int or not 1 <= seconds <= MAX_CLOCK:
            raise malformed(f"`{name}` of a clock is a whole number of seconds from 1 to {MAX_CLOCK}")
    return {name: value[name] for name in names if name in value}


def read_clock(connection: sa.Connection, game: str, header: dict[str, Any]) -> Clock | None:
    order = header.get("clock")
    if order is None:
        return None
    clock = Clock(order.get("total"), order.get("move"))
    row = connection.execute(sa.select(db.clocks).where(db.clocks.c.game == game)).first()
    if row is not None:
        clock.since, clock.spent = row.since, json.loads(row.spent)
    return clock


def write_clock(connection: sa.Connection, game: str, clock: Clock) -> None:
    values = {"since": clock.since, "spent": json.dumps(clock.spent)}
    changed = connection.execute(db.clocks.update().where(db.clocks.c.game == game).values(**values))
    if changed.rowcount == 0:
        connection.execute(db.clocks.insert().values(game=game, **values))
