"""What people do at a table: answer, take back, resign, agree on a draw, talk, write notes.

Every act has a key that its client chose: sent twice it is done once, and the first reply is given again.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from typing import Any

import sqlalchemy as sa
from grognard.errors import GrognardError, IllegalChoice
from grognard.server import store as db
from grognard.server.hall import Hall
from grognard.server.line import Event
from grognard.server.live import Live
from grognard.server.mistakes import Mistake, conflict, refused
from grognard.server.streams import WATCHER, Message, quiet_question, visible
from grognard.server.together import answer_of, asked_seats, is_done, order, seen_by, take_orders

#: Answers of one gesture.
MAX_GESTURE = 200
UNDO_POLICIES = ("none", "fair", "free")


class Acts:
    def __init__(self, hall: Hall) -> None:
        self.hall = hall

    # ---- answering

    def answer(
        self, game: str, holder: str, key: str, seat: str, question: str, names: list[str], since: int | None
    ) -> dict[str, Any]:
        """Answers to the question with this fingerprint and to those that follow: all are taken, or none."""

        def act(live: Live) -> dict[str, Any]:
            self._demand_question(live, seat, question, since)
            events, quiet = self._play(live, seat, names)

            def reply(told: list[Message]) -> tuple[str, str, dict[str, Any]]:
                return holder, key, {"ok": True, "n": live.streams[seat].n}

            return self.hall.commit(live, events, reply, quiet, offers=self._offers_after(live, seat, quiet))

        return self.once(game, holder, key, seat, act)

    def answer_for_bot(self, game: str, event: int, name: str) -> bool:
        """What a bot has found, unless the game has gone on without it."""
        with self.hall.playing(game) as live:
            bot = self.hall.bot_asked(live)
            if bot is None or not self.is_same(live, event):
                return False
            events, quiet = self._play(live, bot.seat, [name])
            self.hall.commit(live, events, quiet=quiet)
            return True

    @staticmethod
    def is_same(live: Live, event: int) -> bool:
        """Whether a bot is still asked what it was asked at an event: others' orders change nothing of it."""
        since = live.events[event + 1 :]
        bot = Hall.bot_asked(live)
        return bot is not None and all(
            one.kind in ("order", "unorder") and one.data["seat"] != bot.seat for one in since
        )

    def _order(self, live: Live, seat: str, names: list[str]) -> tuple[list[Event], list[bool]]:
        """Answers in a block that is open to several: orders, which the game takes when all are done."""
        events: list[Event] = []
        now = time.time()
        try:
            for place, name in enumerate(names):
                if is_done(live.line, seat):
                    raise conflict(
                        f"after {place} of {len(names)} answers nothing more is asked",
                        "give the answers one by one",
                        "interrupted",
                    )
                events.append(order(live, seat, name, now))
            events += take_orders(live.line, now)
        except Mistake:
            self.hall.forget(live.id)
            raise
        except IllegalChoice as error:
            self.hall.forget(live.id)
            raise conflict(f"{error}: nothing was taken", code="illegal") from None
        except GrognardError as error:
            self.hall.forget(live.id)
            first = str(error).strip().partition("\n")[0]
            raise conflict(f"the rules cannot go on with this answer: {first}", code="rule_error") from None
        return events, [True] * len(events)

    def _play(self, live: Live, seat: str, names: list[str]) -> tuple[list[Event], list[bool]]:
        if live.line.awaited is not None and seat in live.line.awaited:
            return self._order(live, seat, names)
        events: list[Event] = []
        quiet: list[bool] = []
        now = time.time()
        line = live.line
        try:
            for place, name in enumerate(names):
                position = line.here
                if live.over or position.to_move != seat:
                    raise conflict(
                        f"after {place} of {len(names)} answers another one is asked: none was taken",
                        "give the answers one by one",
                        code="interrupted",
                    )
                choice = next((c for c in position.legal() if c.name == name), None)
                if choice is None:
                    # By number: refused with a reason if it cannot be.
                    choice = position.counted(name)
                if choice is None:
                    offered = ", ".join(c.name for c in position.legal()[:12])
                    raise conflict(
                        f"`{name[:80]}` is not offered here: nothing was taken",
                        f"offered: {offered}",
                        "illegal",
                    )
                quiet.append(quiet_question(position))
                events.append(line.answer(choice.name, now))
                if line.block is not None:
                    # Orders that stand ready behind this answer.
                    events += take_orders(line, now)
                    quiet += [True] * (len(events) - len(quiet))
        except Mistake:
            if events:
                self.hall.forget(live.id)
            raise
        except IllegalChoice as error:
            self.hall.forget(live.id)
            raise conflict(str(error).partition("\n")[0], code="illegal") from None
        except GrognardError as error:
            # A rule of the title cannot go on from here: the game stays as it was.
            self.hall.forget(live.id)
            first = str(error).strip().partition("\n")[0]
            raise conflict(f"the rules cannot go on with this answer: {first}", code="rule_error") from None
        return events, quiet

    def _demand_question(self, live: Live, seat: str, question: str, since: int | None) -> None:
        stream = live.streams[seat]
        asked = stream.last.get("question")
        if asked is not None and asked["id"] == question and not live.over:
            return
        start = stream.n - 1 if since is None else max(since, stream.n - 50)
        missed = [json.loads(text) for text in self.hall.messages_since(live, seat, start)]
        raise Mistake(
            409,
            "stale",
            "the game has gone on: this is not what is asked now",
            "look at what has happened and decide again",
            n=stream.n,
            messages=missed,
        )

    @staticmethod
    def _offers_after(live: Live, seat: str, quiet: list[bool]) -> list[str] | None:
        """Who plays on has declined the others' offer of a draw; not where nobody is to know that they were asked."""
        if not live.offers or seat in live.offers or all(quiet):
            return None
        return []

    # ---- taking back

    def undo(self, game: str, holder: str, key: str, seat: str, to: int | None) -> dict[str, Any]:
        """Back to an earlier message of the seat's stream; by default to the one before."""

        def act(live: Live) -> dict[str, Any]:
            event = self._undo_event(live, seat, to)
            live.line.follow((event,))

            def reply(told: list[Message]) -> tuple[str, str, dict[str, Any]]:
                return holder, key, {"ok": True, "n": live.streams[seat].n}

            return self.hall.commit(live, [event], reply)

        return self.once(game, holder, key, seat, act)

    def _undo_event(self, live: Live, seat: str, to: int | None) -> Event:
        stream = live.streams[seat]
        if live.header["undo"] == "none":
            raise conflict("at this table nothing is taken back", code="undo")
        if stream.undo is None:
            raise conflict(
                "this cannot be taken back: dice have fallen, something came to light or somebody else has decided since",
                "what is known cannot be unlearnt",
                code="undo",
            )
        trail = stream.trail
        if to is None:
            to = self._step_back(live, seat)
        found = next((entry for entry in trail if entry[0] == to), None)
        if found is None or to < stream.undo or found == trail[-1]:
            raise conflict(
                f"the game cannot be taken back to {to}",
                f"it can be taken back as far as {stream.undo}",
                "undo",
            )
        block = live.line.block
        if (
            block is not None
            and live.line.awaited is not None
            and found[1] >= block.event
            and seat in block.orders
        ):
            keep = sum(event <= found[1] for event, _ in block.orders[seat])
            data = {"seat": seat, "keep": keep, "to": found[1]}
            return Event(live.line.head + 1, "unorder", time.time(), data)
        return self._undo_to(live, seat, found[1])

    def consented_undo(self, live: Live, seat: str, to: int | None) -> Event:
        """As undo, to any message of the seat's that is still on its line: all persons agree."""
        trail = live.streams[seat].trail
        if to is None:
            to = self._step_back(live, seat)
        found = next((entry for entry in trail if entry[0] == to), None)
        if found is None or found == trail[-1]:
            raise conflict(f"the game cannot be taken back to {to}", code="undo")
        return self._undo_to(live, seat, found[1])

    def _undo_to(self, live: Live, seat: str, event_told: int) -> Event:
        """The event that goes back to where the seat was told this event: its own answers since are gone."""
        together = live.rules.together.get(seat, frozenset((seat,)))
        after = next(
            (
                event.n
                for event in live.events[event_told + 1 :]
                if event.kind == "edit"
                or (
                    event.kind == "answer"
                    and (event.data["seat"] in together or live.header["undo"] == "free")
                )
            ),
            event_told + 1,
        )
        target = min(after - 1, live.line.head)
        if live.line.steps[-1].event <= target:
            raise conflict("there is nothing to take back", code="undo")
        return Event(live.line.head + 1, "undo", time.time(), {"to": target, "seat": seat})

    @staticmethod
    def _step_back(live: Live, seat: str) -> int:
        """The last message before which a person of this table's side of the screen was asked: a bot would only go on."""
        trail = live.streams[seat].trail
        bots = live.rules.bots
        for place in range(len(trail) - 2, -1, -1):
            line = live.line.at(live.events, trail[place][1])
            if not bots.issuperset(asked_seats(line)):
                return trail[place][0]
        return trail[-2][0] if len(trail) > 1 else trail[-1][0]

    # ---- ending

    def resign(self, game: str, holder: str, key: str, seat: str) -> dict[str, Any]:
        def act(live: Live) -> dict[str, Any]:
            self._demand_playing(live)
            mine = self.hall.side(live, seat)
            others = {self.hall.side(live, name) for name in live.seats} - {mine}
            winner = others.pop() if len(others) == 1 else None
            return self._end(live, holder, key, seat, "resigned", winner)

        return self.once(game, holder, key, seat, act)

    def draw(self, game: str, holder: str, key: str, seat: str) -> dict[str, Any]:
        """Offer a draw, or agree to one: the game ends when all persons do."""

        def act(live: Live) -> dict[str, Any]:
            self._demand_playing(live)
            offers = sorted({*live.offers, *live.held_by(holder)})
            persons = [name for name, taken in live.seats.items() if taken.kind != "bot"]
            bots = [name for name in live.setting.seats if name not in persons]
            if bots and len(set(persons) - set(offers)) == 0:
                raise conflict("a bot does not agree to draws", code="draw")
            if set(persons) <= set(offers):
                return self._end(live, holder, key, seat, "agreed", None)
            body = {"ok": True, "n": live.streams[seat].n, "offers": offers}

            def write(connection: sa.Connection) -> None:
                connection.execute(
                    db.games.update().where(db.games.c.id == game).values(offers=json.dumps(offers))
                )
                self.keep_reply(connection, live, holder, key, body)

            self.hall.change_table(live, write)
            return body

        return self.once(game, holder, key, seat, act)

    def _end(
        self, live: Live, holder: str, key: str, seat: str, how: str, winner: str | None
    ) -> dict[str, Any]:
        data = {"how": how, "winner": winner, "seat": seat if how == "resigned" else None}
        event = Event(live.line.head + 1, "end", time.time(), data)
        live.line.follow((event,))

        def reply(told: list[Message]) -> tuple[str, str, dict[str, Any]]:
            return holder, key, {"ok": True, "n": live.streams[seat].n}

        return self.hall.commit(live, [event], reply, offers=[])

    @staticmethod
    def _demand_playing(live: Live) -> None:
        if live.over:
            raise conflict("the game is over", code="over")

    # ---- talking

    def chat(
        self, game: str, holder: str, key: str, text: str, seat: str | None, quoted: int | None
    ) -> dict[str, Any]:
        with self.hall.playing(game) as live:
            known = self.known_reply(live, holder, key)
            if known is not None:
                return known
            mine = live.held_by(holder)
            if seat is not None:
                demand_seat(live, holder, seat)
            speaker = seat if seat is not None else (mine[0] if mine else None)
            if speaker is None and not self.watches(game, holder):
                raise refused("only who sits at the table or watches may talk", "join the game first")
            name = (live.seats[speaker].name if speaker is not None else None) or speaker or "a spectator"
            event, place = self._quote(live, speaker or WATCHER, quoted)
            body: dict[str, Any] = {"ok": True}

            def write(connection: sa.Connection) -> None:
                last = connection.execute(
                    sa.select(sa.func.max(db.chat.c.n)).where(db.chat.c.game == game)
                ).scalar()
                body["id"] = 0 if last is None else last + 1
                connection.execute(
                    db.chat.insert().values(
                        game=game, n=body["id"], time=time.time(), seat=speaker, name=name, text=text,
                        event=event, line=place,
                    )
                )  # fmt: skip
                self.keep_reply(connection, live, holder, key, body)

            self.hall.change_table(live, write)
            return body

    @staticmethod
    def _quote(live: Live, seat: str, line: int | None) -> tuple[int | None, int | None]:
        if line is None:
            return None, None
        count = 0
        for step in seen_by(live.line, seat).steps:
            for place, _entry in visible(step.told, seat):
                if count == line:
                    return step.event, place
                count += 1
        raise conflict(f"there is no line {line} in the log", code="missing")

    def chat_since(self, live: Live, seat: str, since: int) -> list[dict[str, Any]]:
        """What was said after a number, as a seat reads it: quotes only of lines that it may read."""
        with self.hall.store.reading() as connection:
            rows = connection.execute(
                sa.select(db.chat)
                .where(db.chat.c.game == live.id, db.chat.c.n > since)
                .order_by(db.chat.c.n)
                .limit(500)
            ).all()
        said = []
        for row in rows:
            entry: dict[str, Any] = {
                "id": row.n, "time": row.time, "seat": row.seat, "name": row.name, "text": row.text,
            }  # fmt: skip
            if row.event is not None:
                quote = self._quoted(live, seat, row.seat, row.event, row.line)
                if quote is not None:
                    entry["quote"] = quote
            said.append(entry)
        return said

    @staticmethod
    def _quoted(live: Live, seat: str, speaker: str, event: int, place: int) -> dict[str, Any] | None:
        count = 0
        own = seen_by(live.line, seat)
        event = answer_of(own, speaker, event)
        for step in own.steps:
            seen = visible(step.told, seat)
            if step.event == event:
                for number, (found, line) in enumerate(seen):
                    if found == place:
                        return {"line": count + number, "text": line.text}
                return None
            count += len(seen)
        return None

    # ---- notes, watching

    def notes(self, game: str, holder: str, text: str | None) -> dict[str, Any]:
        """What somebody has written for nobody else; with a text, it is replaced."""
        where = sa.and_(db.notes.c.game == game, db.notes.c.holder == holder)
        with self.hall.playing(game):
            if text is None:
                with self.hall.store.reading() as connection:
                    return {
                        "text": connection.execute(sa.select(db.notes.c.text).where(where)).scalar() or ""
                    }
            with self.hall.store.writing(game) as connection:
                connection.execute(db.notes.delete().where(where))
                connection.execute(db.notes.insert().values(game=game, holder=holder, text=text))
            return {"ok": True}

    def watches(self, game: str, holder: str) -> bool:
        with self.hall.store.reading() as connection:
            found = connection.execute(
                sa.select(db.watchers.c.game).where(
                    db.watchers.c.game == game, db.watchers.c.holder == holder
                )
            ).first()
        return found is not None

    # ---- keys

    def once(
        self, game: str, holder: str, key: str, seat: str, act: Callable[[Live], dict[str, Any]]
    ) -> dict[str, Any]:
        """What a person does for a seat under a key of theirs: done once, however often it is sent."""
        with self.hall.playing(game) as live:
            known = self.known_reply(live, holder, key)
            if known is not None:
                return known
            demand_seat(live, holder, seat)
            return act(live)

    def known_reply(self, live: Live, holder: str, key: str) -> dict[str, Any] | None:
        with self.hall.store.reading() as connection:
            found = connection.execute(
                sa.select(db.replies.c.body).where(
                    db.replies.c.game == live.id, db.replies.c.holder == holder, db.replies.c.key == key
                )
            ).scalar()
        if found is None:
            return None
        reply: dict[str, Any] = json.loads(found)
        return reply

    @staticmethod
    def keep_reply(
        connection: sa.Connection, live: Live, holder: str, key: str, body: dict[str, Any]
    ) -> None:
        connection.execute(
            db.replies.insert().values(game=live.id, holder=holder, key=key, body=json.dumps(body))
        )


def demand_seat(live: Live, holder: str | None, seat: str) -> None:
    if seat not in live.seats:
        raise refused(f"there is no seat `{seat[:80]}` in this game", f"there are {', '.join(live.seats)}")
    if holder is None or live.seats[seat].holder != holder:
        raise refused(
            f"you do not hold the seat {seat}", "join the game by an invitation, or take an open seat"
        )
