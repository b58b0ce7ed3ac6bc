"""The games of a server: made, found, followed.  Each is in memory while it is in use and always on disk.

A game changes under its lock and in one transaction: what is written is first checked against the number of its last
event, so that several servers can share a database.
"""

from __future__ import annotations

import json
import secrets
import threading
import time
from collections import OrderedDict, deque
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import sqlalchemy as sa
from grognard.engine import Engine
from grognard.errors import GrognardError, PositionError
from grognard.play.game import Step, first_step
from grognard.server import store as db
from grognard.server.clocks import read_clock, write_clock
from grognard.server.library import Library, side_of
from grognard.server.line import Event, Line
from grognard.server.live import Live, Proposal, Seat
from grognard.server.mistakes import Mistake, conflict, missing
from grognard.server.pinning import Pinned
from grognard.server.store import Store
from grognard.server.streams import WATCHER, Message, Rules, Sights, Stream, quiet_question, seat_view
from grognard.server.together import asked_seats, asked_text, opening, seen_by, thinking, until

#: Games in memory; those that were not used for the longest time are put away.
MAX_LIVE = 400
#: Messages of a stream at hand; older ones are read from the database.
RECENT = 64


class Hall:
    """All games of one database."""

    def __init__(self, store: Store, library: Library) -> None:
        self.store = store
        self.library = library
        self.pinned = Pinned(store, library.backend)
        self._live: OrderedDict[str, Live] = OrderedDict()
        self._locks: dict[str, threading.RLock] = {}
        self._guard = threading.Lock()
        #: called with a game's id after each change
        self.on_change: Callable[[str], None] = lambda game: None
        #: called when a bot is to answer
        self.on_job: Callable[[], None] = lambda: None

    # ---- finding

    @contextmanager
    def playing(self, game: str) -> Iterator[Live]:
        """A game as it stands, for one thread alone."""
        if not (len(game) <= 32 and game.isalnum()):
            raise missing("there is no such game")
        with self._guard:
            lock = self._locks.setdefault(game, threading.RLock())
        with lock:
            yield self._current(game)

    def _current(self, game: str) -> Live:
        with self.store.reading() as connection:
            row = connection.execute(
                sa.select(db.games.c.head, db.games.c.table_version).where(db.games.c.id == game)
            ).first()
            if row is None:
                raise missing(
                    "there is no such game", "the link may be mistyped, or the game was made elsewhere"
                )
            with self._guard:
                live = self._live.get(game)
            if live is None or live.line.head > row.head:
                live = self._load(connection, game)
            elif live.line.head < row.head:
                self._catch_up(connection, live)
            elif live.table_version != row.table_version:
                self._read_table(connection, live)
        with self._guard:
            self._live[game] = live
            self._live.move_to_end(game)
            while len(self._live) > MAX_LIVE:
                self._live.popitem(last=False)
        return live

    def forget(self, game: str) -> None:
        with self._guard:
            self._live.pop(game, None)

    def _load(self, connection: sa.Connection, game: str) -> Live:
        row = connection.execute(sa.select(db.games).where(db.games.c.id == game)).one()
        header = json.loads(row.header)
        line = Line(self._engine_of(header), lambda event: self._position(game, event))
        live = Live(game, header, line)
        self._read_table(connection, live)
        found = connection.execute(
            sa.select(db.events.c.n, db.events.c.kind, db.events.c.time, db.events.c.data)
            .where(db.events.c.game == game)
            .order_by(db.events.c.n)
        )
        live.events = [Event(n, kind, when, json.loads(data)) for n, kind, when, data in found]
        line.follow(live.events)
        live.asked = thinking(line)
        for name in (*live.seats, WATCHER):
            live.streams[name] = self._load_stream(connection, live, name)
            live.recent[name] = deque(maxlen=RECENT)
        return live

    def _catch_up(self, connection: sa.Connection, live: Live) -> None:
        """Follow what another server has done to a game."""
        head = live.line.head
        with self._guard:
            # Half way it is nobody's game: if something fails, it is read anew.
            self._live.pop(live.id, None)
        self._read_table(connection, live)
        told: dict[int, list[Any]] = {}
        for row in connection.execute(
            sa.select(db.messages).where(db.messages.c.game == live.id, db.messages.c.event > head)
        ):
            told.setdefault(row.event, []).append(row)
        found = connection.execute(
            sa.select(db.events.c.n, db.events.c.kind, db.events.c.time, db.events.c.data)
            .where(db.events.c.game == live.id, db.events.c.n > head)
            .order_by(db.events.c.n)
        ).all()
        rules = live.rules
        for n, kind, when, data in found:
            event = Event(n, kind, when, json.loads(data))
            live.events.append(event)
            live.line.follow((event,))
            for stream in live.streams.values():
                self._note(stream, live.line, event, rules)
            for row in told.get(n, ()):
                message = Message(row.seat, row.n, n, row.undo, row.undone, json.loads(row.body))
                own = seen_by(live.line, row.seat)
                live.streams[row.seat].take(message, own, seat_view(own.here, row.seat))
                live.recent[row.seat].append(message)
        live.asked = thinking(live.line)

    def _load_stream(self, connection: sa.Connection, live: Live, seat: str) -> Stream:
        stream = Stream(live.setting, seat)
        where = sa.and_(db.messages.c.game == live.id, db.messages.c.seat == seat)
        columns = db.messages.c
        rows = connection.execute(
            sa.select(columns.n, columns.event, columns.undo, columns.undone).where(where).order_by(columns.n)
        ).all()
        for row in rows[:-1]:
            stream.follow_trail(*row)
        last = rows[-1]
        body = json.loads(
            connection.execute(sa.select(columns.body).where(where, columns.n == last.n)).scalar_one()
        )
        then = live.line.at(live.events, last.event)
        message = Message(seat, last.n, last.event, last.undo, last.undone, body)
        own = seen_by(then, seat)
        stream.take(message, own, seat_view(own.here, seat))
        rules = live.rules
        for event in live.events[last.event + 1 :]:
            then.follow((event,))
            self._note(stream, then, event, rules)
        return stream

    def _engine_of(self, header: dict[str, Any]) -> Engine:
        """The rules that a game was begun under."""
        scenario, fingerprint = header["scenario"], header["fingerprint"]
        try:
            engine = self.library.engine(header["title"], header["errata"])
            if scenario in engine.scenarios and engine.fingerprint_of(scenario) == fingerprint:
                return engine
        except (Mistake, GrognardError):
            # The title is gone, or its files have mistakes now: that is no concern of this game.
            pass
        kept = self.pinned.engine(fingerprint, scenario)
        if kept is None:
            raise conflict(
                f"the rules of {header['title']} have changed since this game was begun",
                "start the server with the version of the title that the game was begun under",
                code="rules_changed",
            )
        return kept

    def _position(self, game: str, event: int) -> bytes:
        with self.store.reading() as connection:
            found = connection.execute(
                sa.select(db.events.c.position).where(db.events.c.game == game, db.events.c.n == event)
            ).scalar()
        if found is None:
            raise PositionError(f"event {event} of the game has no position")
        return bytes(found)

    # ---- making

    def create(
        self,
        title: str,
        scenario: str | None,
        seats: dict[str, dict[str, Any]],
        *,
        seed: int | None = None,
        undo: str = "fair",
        name: str = "",
        errata: Sequence[str] | None = None,
        steps: Sequence[Step] = (),
        more: dict[str, Any] | None = None,
    ) -> str:
        """A new game; with `steps` one that stands after them already, under their rules.  `seats` as in the table of
        that name."""
        engine: Any = steps[0].position.engine if steps else self.library.engine(title, errata)
        setting = engine.setting(scenario)
        self.pinned.keep(engine, setting.scenario.name)
        seed = secrets.randbelow(2**31) if seed is None else seed
        game = secrets.token_hex(8)
        header = {
            "title": engine.name,
            "scenario": setting.scenario.name,
            "errata": list(engine.ruleset.about.errata),
            "seed": seed,
            "fingerprint": setting.fingerprint,
            "undo": undo,
            "name": name,
            **(more or {}),
        }
        line = Line(engine, lambda event: self._position(game, event))
        live = Live(game, header, line)
        for seat in engine.seats:
            live.seats[seat] = Seat(
                seat, **{"bot": None, "holder": None, "name": None, "invitation": 0, **seats[seat]}
            )
        now = time.time()
        events = [line.first(steps[0] if steps else first_step(engine, setting, seed), now)]
        told: list[Message] = []
        rules = live.rules
        live.streams = {seat: Stream(setting, seat) for seat in (*live.seats, WATCHER)}
        live.recent = {seat: deque(maxlen=RECENT) for seat in live.streams}
        live.events = list(events)

        def tell(last: bool) -> None:
            secret = opening(live, now) if last else None
            if secret is not None:
                line.follow((secret,))
                for kept in (events, live.events):
                    kept.append(secret)
                for stream in live.streams.values():
                    self._note(stream, line, secret, rules)
            told.extend(self._tell(live, rules))

        tell(len(steps) < 2)
        for number, step in enumerate(steps[1:], 2):
            quiet = quiet_question(line.here)
            event = (
                line.again(step, now)
                if step.played is not None
                else line.edit(step.position, step.lines, now)
            )
            events.append(event)
            live.events.append(event)
            for stream in live.streams.values():
                self._note(stream, line, event, rules, quiet)
            tell(number == len(steps))
        live.asked = thinking(line)
        with self.store.writing() as connection:
            connection.execute(
                db.games.insert().values(
                    id=game,
                    header=json.dumps(header),
                    made=now,
                    head=line.head,
                    touched=now,
                    status="over" if live.over else "playing",
                    asked=asked_text(line),
                    table_version=0,
                    offers="[]",
                )
            )
            connection.execute(
                db.seats.insert(),
                [
                    {"game": game, "seat": s.seat, "kind": s.kind, "bot": s.bot, "holder": s.holder, "name": s.name, "invitation": 0}
                    for s in live.seats.values()
                ],
            )  # fmt: skip
            connection.execute(db.events.insert(), [event.row(game) for event in events])
            connection.execute(db.messages.insert(), [message.row(game) for message in told])
            self.set_job(connection, live)
            live.clock = read_clock(connection, game, header)
            if live.clock is not None:
                live.clock.charge({}, now, live.running)
                write_clock(connection, game, live.clock)
        for event in events:
            event.position = None
        with self._guard:
            self._live[game] = live
        self._changed(live)
        return game

    # ---- changing

    def commit(
        self,
        live: Live,
        events: Sequence[Event],
        reply: Callable[[list[Message]], tuple[str, str, dict[str, Any]] | None] = lambda told: None,
        quiet: Sequence[bool] = (),
        offers: list[str] | None = None,
        closes: bool = False,
    ) -> dict[str, Any]:
        """Write events that the line of the game has followed already, and tell the seats of them.

        `reply` gives holder, key and the answer to keep for the key; `closes`: with them the proposal is settled.  When this returns, all of it is on disk."""
        try:
            before = live.line.head - len(events)
            rules = live.rules
            secret = opening(live, time.time())
            if secret is not None:
                live.line.follow((secret,))
                events = [*events, secret]
            asked = thinking(live.line)
            for place, event in enumerate(events):
                live.events.append(event)
                for stream in live.streams.values():
                    self._note(stream, live.line, event, rules, place < len(quiet) and quiet[place])
            ordering = {event.data["seat"] for event in events if event.kind in ("order", "unorder")}
            told = self._tell(
                live, rules, ordering if live.line.awaited is not None and secret is None else ()
            )
            kept = reply(told)
            with self.store.writing(live.id) as connection:
                values: dict[str, Any] = {
                    "head": live.line.head,
                    "status": "over" if live.over else "playing",
                    "asked": asked_text(live.line),
                }
                now = time.time()
                if live.clock is not None:
                    if live.line.awaited is None or secret is not None:
                        live.clock.charge(until(live, now), now, live.running)
                        write_clock(connection, live.id, live.clock)
                openly = {message.seat for message in told} >= set(live.seats)
                if openly:
                    # Lists of games show the time: of what is done in secret nobody else sees that it was.
                    values["touched"] = now
                if (openly or closes) and live.proposal is not None:
                    # The game has gone on: what was proposed has been answered.
                    connection.execute(db.proposals.delete().where(db.proposals.c.game == live.id))
                    live.proposal = None
                    values["table_version"] = db.games.c.table_version + 1
                if offers is not None and offers != live.offers:
                    values.update(offers=json.dumps(offers), table_version=db.games.c.table_version + 1)
                changed = connection.execute(
                    db.games.update()
                    .where(db.games.c.id == live.id, db.games.c.head == before)
                    .values(**values)
                )
                if changed.rowcount != 1:
                    raise conflict("another server was faster: please look again", code="stale")
                connection.execute(db.events.insert(), [event.row(live.id) for event in events])
                if told:
                    connection.execute(db.messages.insert(), [message.row(live.id) for message in told])
                if kept is not None:
                    holder, key, body = kept
                    connection.execute(
                        db.replies.insert().values(
                            game=live.id, holder=holder, key=key, body=json.dumps(body)
                        )
                    )
                self.set_job(connection, live)
                self.store.notify(connection, live.id)
        except BaseException:
            # What is in memory may not be what is on disk: it is read again.
            self.forget(live.id)
            raise
        for event in events:
            event.position = None
        if "table_version" in values:
            live.offers = live.offers if offers is None else offers
            live.table_version += 1
        live.asked = asked
        self._changed(live)
        return kept[2] if kept is not None else {}

    def change_table(self, live: Live, write: Callable[[sa.Connection], None]) -> None:
        """Change what is around the game: seats, names, offers, chat."""
        with self.store.writing(live.id) as connection:
            write(connection)
            connection.execute(
                db.games.update()
                .where(db.games.c.id == live.id)
                .values(table_version=db.games.c.table_version + 1)
            )
            self.store.notify(connection, live.id)
        with self.store.reading() as connection:
            self._read_table(connection, live)
        clock = live.clock
        if clock is not None and live.running != (clock.since is not None):
            # A seat was taken or left: the clock begins, or stands still.
            clock.charge(until(live, time.time()), time.time(), live.running)
            with self.store.writing(live.id) as connection:
                write_clock(connection, live.id, clock)
        self.on_change(live.id)

    def _read_table(self, connection: sa.Connection, live: Live) -> None:
        """Who sits at the table now, and who offers a draw."""
        row = connection.execute(
            sa.select(db.games.c.table_version, db.games.c.offers).where(db.games.c.id == live.id)
        ).one()
        live.table_version, live.offers = row.table_version, json.loads(row.offers)
        found = {
            seat.seat: Seat(seat.seat, seat.kind, seat.bot, seat.holder, seat.name, seat.invitation)
            for seat in connection.execute(sa.select(db.seats).where(db.seats.c.game == live.id))
        }
        live.seats = {name: found[name] for name in live.line.engine.seats if name in found}
        live.clock = read_clock(connection, live.id, live.header)
        proposed = connection.execute(sa.select(db.proposals).where(db.proposals.c.game == live.id)).first()
        live.proposal = None
        if proposed is not None:
            live.proposal = Proposal(
                proposed.id,
                proposed.kind,
                proposed.seat,
                json.loads(proposed.data),
                json.loads(proposed.agreed),
            )

    def _note(
        self, stream: Stream, line: Line, event: Event, rules: Rules, quiet: bool | None = None
    ) -> None:
        if event.kind == "undo":
            stream.note_undo(line, event.data["to"])
        elif event.kind == "secret":
            stream.note_secret(event.data["seats"], rules)
        elif event.kind == "unorder" and event.data["seat"] == stream.seat and "to" in event.data:
            stream.note_undo(seen_by(line, stream.seat), event.data["to"])
        elif event.kind == "edit":
            # What all have agreed to is taken back by consent alone.
            stream.note_answer("", rules, True)
        elif event.kind == "answer":
            asked = quiet
            if asked is None:
                names = {ask.name: ask.quiet for ask in stream.setting.program.asks}
                asked = names.get(event.data["ask"], False)
            stream.note_answer(event.data["seat"], rules, not asked)

    def _tell(self, live: Live, rules: Rules, seats: Collection[str] = ()) -> list[Message]:
        """The next messages of these seats; by default of all.  Of orders that wait for others only their seat is told."""
        told, sights = [], Sights()
        for seat, stream in live.streams.items():
            if seats and seat not in seats:
                continue
            message = stream.advance(seen_by(live.line, seat), rules, sights)
            if message is not None:
                told.append(message)
                live.recent[seat].append(message)
        return told

    def set_job(self, connection: sa.Connection, live: Live) -> None:
        """A bot that is asked now is a job for a worker."""
        connection.execute(db.jobs.delete().where(db.jobs.c.game == live.id))
        if self.bot_asked(live) is not None:
            connection.execute(db.jobs.insert().values(game=live.id, event=live.line.head, claimed_until=0.0))

    @staticmethod
    def bot_asked(live: Live) -> Seat | None:
        if live.over:
            return None
        found = (live.seats.get(seat) for seat in asked_seats(live.line))
        return next((seat for seat in found if seat is not None and seat.kind == "bot"), None)

    def _changed(self, live: Live) -> None:
        self.on_change(live.id)
        if self.bot_asked(live) is not None:
            self.on_job()

    # ---- reading streams

    def messages_since(self, live: Live, seat: str, since: int) -> list[str]:
        """The messages of a stream after a number, as texts."""
        stream, recent = live.streams[seat], live.recent[seat]
        if since >= stream.n:
            return []
        if recent and recent[0].n <= since + 1:
            return [message.text for message in recent if message.n > since]
        columns = db.messages.c
        with self.store.reading() as connection:
            return list(
                connection.execute(
                    sa.select(columns.body)
                    .where(columns.game == live.id, columns.seat == seat, columns.n > since)
                    .order_by(columns.n)
                ).scalars()
            )

    def side(self, live: Live, seat: str) -> str | None:
        try:
            return side_of(live.setting, seat)
        except GrognardError:
            return None
