"""Games as people find them: made, listed, joined by invitation or by an open seat, watched, left."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

import sqlalchemy as sa
from grognard.bots import BOTS, make
from grognard.errors import GrognardError, UnknownName, UnknownScenario
from grognard.play.game import Step
from grognard.play.setting import Setting
from grognard.server import store as db
from grognard.server.acts import UNDO_POLICIES, demand_seat
from grognard.server.hall import Hall
from grognard.server.live import Live, Seat
from grognard.server.mistakes import conflict, malformed, missing, refused

#: Games that a list shows.
MAX_LISTED = 200
#: Iterations of a bot's search that somebody may ask a server for.
MAX_EFFORT = 5000


class Lobby:
    def __init__(self, hall: Hall) -> None:
        self.hall = hall

    # ---- making

    def create(
        self,
        holder: str,
        title: str,
        scenario: str | None,
        seats: dict[str, str],
        *,
        undo: str = "fair",
        seed: int | None = None,
        name: str = "",
        player: str | None = None,
        errata: Sequence[str] | None = None,
        options: Mapping[str, str | bool] | None = None,
        steps: Sequence[Step] = (),
        more: dict[str, Any] | None = None,
    ) -> str:
        if undo not in UNDO_POLICIES:
            raise malformed(f"undo is one of {', '.join(UNDO_POLICIES)}")
        engine = steps[0].position.engine if steps else self.hall.library.engine(title, errata)
        unknown = [seat for seat in seats if seat not in engine.seats]
        if unknown:
            raise malformed(
                f"{engine.title} has no seat `{unknown[0][:80]}`", f"the seats are {', '.join(engine.seats)}"
            )
        try:
            # With options the name of the scenario carries them from here on.
            setting = engine.setting(scenario, options) if options else engine.setting(scenario)
            scenario = setting.scenario.name
        except UnknownScenario as error:
            raise missing(str(error).partition("\n")[0]) from None
        except UnknownName as error:
            raise malformed(str(error).partition("\n")[0]) from None
        except GrognardError as error:
            raise conflict(f"the game cannot be set up: {str(error).partition(chr(10))[0]}") from None
        wanted = {**_idle_seats(setting, seats), **seats}
        rows = {seat: self._seat(wanted.get(seat, "me"), holder, player) for seat in engine.seats}
        try:
            return self.hall.create(
                title, scenario, rows, seed=seed, undo=undo, name=name, errata=errata, steps=steps, more=more
            )
        except UnknownScenario as error:
            raise missing(str(error).partition("\n")[0]) from None
        except GrognardError as error:
            raise conflict(f"the game cannot be set up: {str(error).partition(chr(10))[0]}") from None

    @staticmethod
    def _seat(who: str, holder: str, player: str | None) -> dict[str, Any]:
        if who == "me":
            return {"kind": "person", "holder": holder, "name": player}
        if who == "open":
            return {"kind": "open"}
        kind, _, bot = who.partition(":")
        if kind == "bot":
            return {"kind": "bot", "bot": checked_bot(bot), "name": bot}
        raise malformed(f"a seat is `me`, `open` or `bot:NAME`, not `{who[:80]}`")

    # ---- invitations

    def invitation(self, game: str, seat: Seat) -> str:
        """What lets its bearer sit down; another one once the seat was taken back."""
        return f"{game}.{self.hall.store.sign('seat', game, seat.seat, str(seat.invitation))}"

    def invitations(self, live: Live) -> dict[str, str]:
        """Of all seats that wait for a person."""
        return {
            seat.seat: f"/join/{self.invitation(live.id, seat)}"
            for seat in live.seats.values()
            if seat.kind == "open"
        }

    def watch_link(self, game: str) -> str:
        return f"/join/{game}.{self.hall.store.sign('watch', game)}"

    def join(self, holder: str, invitation: str, name: str | None) -> dict[str, Any]:
        game, _, signature = invitation.partition(".")
        with self.hall.playing(game) as live:
            if signature == self.hall.store.sign("watch", game):
                self._watch(live, holder)
                return {"game": game, "seats": live.held_by(holder)}
            for seat in live.seats.values():
                if signature != self.invitation(game, seat).partition(".")[2]:
                    continue
                if seat.holder == holder:
                    return {"game": game, "seats": live.held_by(holder)}
                if seat.kind != "open":
                    raise conflict(f"the seat {seat.seat} is taken", "ask for another invitation", "taken")
                self._sit(live, seat, holder, name)
                return {"game": game, "seats": live.held_by(holder)}
        raise missing("this invitation is not valid (any more)", "ask for another one")

    def take_seat(self, game: str, holder: str, seat: str, name: str | None) -> dict[str, Any]:
        """Sit down on an open seat of a game that is listed."""
        with self.hall.playing(game) as live:
            found = live.seats.get(seat)
            if found is None or not live.header.get("listed"):
                raise refused("this game has no such open seat", "ask for an invitation")
            if found.kind != "open":
                raise conflict(f"the seat {seat} is taken", code="taken")
            self._sit(live, found, holder, name)
            return {"game": game, "seats": live.held_by(holder)}

    def set_seat(self, game: str, holder: str, seat: str, to: str) -> dict[str, Any]:
        """Who holds a seat may leave it to others or to a bot; an open one may be filled by whoever sits at the table."""
        with self.hall.playing(game) as live:
            found = live.seats.get(seat)
            if found is None:
                raise missing(f"there is no seat `{seat[:80]}` in this game")
            if found.kind == "person":
                demand_seat(live, holder, seat)
            elif not live.held_by(holder) and live.header.get("maker") != holder:
                raise refused("only who sits at the table may change it")
            row = self._seat(to, holder, None)

            def write(connection: sa.Connection) -> None:
                connection.execute(
                    db.seats.update()
                    .where(db.seats.c.game == game, db.seats.c.seat == seat)
                    .values(
                        kind=row["kind"],
                        bot=row.get("bot"),
                        holder=row.get("holder"),
                        name=row.get("name"),
                        invitation=found.invitation + 1,
                    )
                )

            self.hall.change_table(live, write)
        with self.hall.playing(game) as live:
            if self.hall.bot_asked(live) is not None:
                with self.hall.store.writing(game) as connection:
                    self.hall.set_job(connection, live)
                self.hall.on_job()
            return {"ok": True, "invitations": self.invitations(live)}

    def _sit(self, live: Live, seat: Seat, holder: str, name: str | None) -> None:
        def write(connection: sa.Connection) -> None:
            changed = connection.execute(
                db.seats.update()
                .where(db.seats.c.game == live.id, db.seats.c.seat == seat.seat, db.seats.c.kind == "open")
                .values(kind="person", holder=holder, name=name, invitation=seat.invitation)
            )
            if changed.rowcount != 1:
                raise conflict(f"the seat {seat.seat} is taken", code="taken")

        self.hall.change_table(live, write)

    def _watch(self, live: Live, holder: str) -> None:
        where = sa.and_(db.watchers.c.game == live.id, db.watchers.c.holder == holder)
        with self.hall.store.writing(live.id) as connection:
            if connection.execute(sa.select(db.watchers.c.game).where(where)).first() is None:
                connection.execute(db.watchers.insert().values(game=live.id, holder=holder))

    # ---- lists

    def games(self, holder: str | None) -> list[dict[str, Any]]:
        """The games of somebody, and those that have a seat for anybody; the last played first."""
        mine = sa.select(db.seats.c.game).where(db.seats.c.holder == (holder or ""))
        watched = sa.select(db.watchers.c.game).where(db.watchers.c.holder == (holder or ""))
        waiting = sa.select(db.seats.c.game).where(db.seats.c.kind == "open")
        columns = db.games.c
        with self.hall.store.reading() as connection:
            rows = connection.execute(
                sa.select(columns.id, columns.header, columns.touched, columns.status, columns.asked, columns.head)
                .where(
                    columns.status != "replaced",
                    sa.or_(
                        columns.id.in_(mine),
                        columns.id.in_(watched),
                        sa.and_(columns.id.in_(waiting), columns.status == "playing"),
                    ),
                )
                .order_by(columns.touched.desc())
                .limit(MAX_LISTED)
            ).all()  # fmt: skip
            seats: dict[str, list[Any]] = {}
            if rows:
                for seat in connection.execute(
                    sa.select(db.seats).where(db.seats.c.game.in_([row.id for row in rows]))
                ):
                    seats.setdefault(seat.game, []).append(seat)
        made = []
        for row in rows:
            header = json.loads(row.header)
            held = [seat.seat for seat in seats[row.id] if holder is not None and seat.holder == holder]
            if not held and not header.get("listed"):
                continue
            made.append(
                {
                    "game": row.id,
                    "title": header["title"],
                    "scenario": header["scenario"],
                    "name": header["name"],
                    "status": row.status,
                    "touched": row.touched,
                    "seats": [{"seat": s.seat, "kind": s.kind, "name": s.name} for s in seats[row.id]],
                    "me": held,
                    "mine_to_move": row.status == "playing"
                    and bool({*held} & {*(row.asked or "").split(",")}),
                }
            )
        return made


def _idle_seats(setting: Setting, seats: Mapping[str, str]) -> dict[str, str]:
    """Who sits on the seats that the scenario does not use: who plays for their side, so that nobody looks into the other's
    secrets from there.  A person who is still to come gets one seat only: a bot has the rest."""
    found: dict[str, str] = {}
    for seat in setting.engine.seats:
        mates = [name for name in setting.seats if setting.side_of(name) == setting.side_of(seat)]
        if seat not in setting.seats and mates:
            who = seats.get(mates[0], "me")
            found[seat] = f"bot:{next(iter(BOTS))}" if who == "open" else who
    return found


def checked_bot(name: str) -> str:
    """The name of a bot that there is and that a server can afford."""
    try:
        make(name)
    except UnknownName as error:
        raise malformed(str(error).partition("\n")[0]) from None
    effort = name.partition(":")[2]
    if effort and int(effort) > MAX_EFFORT:
        raise malformed(f"a bot may search {MAX_EFFORT} steps at most here")
    return name
