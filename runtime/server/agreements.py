"""What the persons at a table decide together: taking back beyond what is fair, changes of the position by hand; and what the
others may do when somebody's time is up.

A proposal stands until all persons have agreed, one has declined, or the game has gone on.  Bots agree to everything.
"""

from __future__ import annotations

import json
import secrets
import time
from collections.abc import Sequence
from typing import Any

import sqlalchemy as sa
from grognard.contract.header import H_BRANCH, NONE
from grognard.errors import EditError, GrognardError
from grognard.play.editing import Change, described, edited, seen_by_all
from grognard.play.wording import LogLine
from grognard.server import store as db
from grognard.server.acts import Acts
from grognard.server.hall import Hall
from grognard.server.line import Event
from grognard.server.live import Live, Proposal
from grognard.server.mistakes import conflict, malformed, refused
from grognard.server.streams import Message, visible
from grognard.server.together import asked_seats

#: Changes of one proposal.
MAX_CHANGES = 100
#: What a bot that takes over is, unless another one is named.
SUBSTITUTE = "greedy"


class Agreements:
    def __init__(self, hall: Hall, acts: Acts) -> None:
        self.hall = hall
        self.acts = acts

    # ---- proposing

    def propose_undo(self, game: str, holder: str, key: str, seat: str, to: int | None) -> dict[str, Any]:
        """Back to any message of the seat's stream that is still on its line, if all agree."""

        def act(live: Live) -> dict[str, Any]:
            if live.header["undo"] == "none":
                raise conflict("at this table nothing is taken back", code="undo")
            event = self.acts.consented_undo(live, seat, to)
            return self._propose(live, holder, key, seat, "undo", {"to": event.data["to"]})

        return self.acts.once(game, holder, key, seat, act)

    def propose_edit(
        self, game: str, holder: str, key: str, seat: str, changes: Sequence[Change]
    ) -> dict[str, Any]:
        def act(live: Live) -> dict[str, Any]:
            self._edited(live, holder, seat, changes)
            data = {
                "changes": [[c.what, c.domain, c.member, dict(c.fields)] for c in changes],
                "texts": [described(c, live.line.here) for c in changes],
                "holder": holder,
            }
            return self._propose(live, holder, key, seat, "edit", data)

        return self.acts.once(game, holder, key, seat, act)

    def _edited(self, live: Live, holder: str, seat: str, changes: Sequence[Change]) -> Any:
        """The position with the changes; a mistake that says why it cannot be."""
        position = live.line.here
        all_mine = set(live.held_by(holder)) == set(live.seats)
        if live.over:
            raise conflict("the game is over: nothing can be changed", code="over")
        if position.head(H_BRANCH) != NONE:
            raise conflict(
                "nothing can be changed while orders are written in secret",
                "wait until they are complete",
                "edit",
            )
        try:
            made = edited(position, changes, None if all_mine else position.view(seat))
        except EditError as error:
            raise malformed(str(error), error.hint) from None
        except GrognardError as error:
            raise conflict(
                f"the rules cannot go on from there: {str(error).partition(chr(10))[0]}", code="edit"
            ) from None
        alone = set(live.persons) <= set(live.held_by(holder))
        if not alone and not seen_by_all(position, made):
            # Nobody can agree to what they do not see; and who sees it must not be found out by trying.
            raise refused(
                "what can be hidden is not changed by hand while several persons play",
                "counters and values that all always see can be changed",
            )
        return made

    def _propose(
        self, live: Live, holder: str, key: str, seat: str, kind: str, data: dict[str, Any]
    ) -> dict[str, Any]:
        proposal = Proposal(secrets.token_hex(8), kind, seat, data, sorted(live.held_by(holder)))
        if set(live.persons) <= set(proposal.agreed):
            return self._carry_out(live, holder, key, seat, proposal)
        if live.proposal is not None:
            raise conflict("something is proposed already", "agree to it or decline it first", "proposed")
        body = {"ok": True, "n": live.streams[seat].n, "proposal": proposal.id}

        def write(connection: sa.Connection) -> None:
            connection.execute(db.proposals.delete().where(db.proposals.c.game == live.id))
            connection.execute(
                db.proposals.insert().values(
                    game=live.id, id=proposal.id, kind=kind, seat=seat, data=json.dumps(data),
                    agreed=json.dumps(proposal.agreed),
                )
            )  # fmt: skip
            self.acts.keep_reply(connection, live, holder, key, body)

        self.hall.change_table(live, write)
        return body

    # ---- agreeing

    def consent(
        self, game: str, holder: str, key: str, seat: str, proposal: str, agree: bool
    ) -> dict[str, Any]:
        """Agree or decline; who proposed something takes it back by declining."""

        def act(live: Live) -> dict[str, Any]:
            found = live.proposal
            if found is None or found.id != proposal:
                raise conflict("this is no longer proposed", code="stale")
            found.agreed = sorted({*found.agreed, *live.held_by(holder)})
            if agree and set(live.persons) <= set(found.agreed):
                return self._carry_out(live, holder, key, seat, found)
            body: dict[str, Any] = {"ok": True, "n": live.streams[seat].n}

            def write(connection: sa.Connection) -> None:
                mine = db.proposals.c.game == live.id
                if agree:
                    connection.execute(
                        db.proposals.update().where(mine).values(agreed=json.dumps(found.agreed))
                    )
                else:
                    connection.execute(db.proposals.delete().where(mine))
                self.acts.keep_reply(connection, live, holder, key, body)

            self.hall.change_table(live, write)
            return body

        return self.acts.once(game, holder, key, seat, act)

    def _carry_out(self, live: Live, holder: str, key: str, seat: str, proposal: Proposal) -> dict[str, Any]:
        now = time.time()
        if proposal.kind == "undo":
            event = Event(
                live.line.head + 1,
                "undo",
                now,
                {"to": proposal.data["to"], "seat": proposal.seat, "agreed": True},
            )
            live.line.follow((event,))
        else:
            changes = [Change(*change) for change in proposal.data["changes"]]
            position = self._edited(live, proposal.data["holder"], proposal.seat, changes)
            public = seen_by_all(live.line.here, position)
            seats = None if public else frozenset((proposal.seat,))
            texts = [f"{proposal.seat} changes the position by hand", *proposal.data["texts"]]
            lines = tuple(
                LogLine(text, (), "edit", None if number == 0 else seats, 0)
                for number, text in enumerate(texts)
            )
            event = live.line.edit(position, lines, now)

        def reply(told: list[Message]) -> tuple[str, str, dict[str, Any]]:
            return holder, key, {"ok": True, "n": live.streams[seat].n, "done": True}

        return self.hall.commit(live, [event], reply, closes=True)

    @staticmethod
    def told(live: Live, seats: Sequence[str]) -> dict[str, Any] | None:
        """What is proposed, as who holds these seats is told."""
        found = live.proposal
        if found is None:
            return None
        made: dict[str, Any] = {
            "id": found.id,
            "kind": found.kind,
            "seat": found.seat,
            "agreed": found.agreed,
        }
        if found.kind == "edit":
            made["changes"] = found.data["texts"]
        else:
            # For each seat the lines of its log that would stay: that is what it would be told.
            made["keep"] = {
                seat: sum(
                    len(visible(step.told, seat))
                    for step in live.line.steps
                    if step.event <= found.data["to"]
                )
                for seat in seats
            }
        return made

    # ---- when time is up

    def claim(self, game: str, holder: str, key: str, seat: str, what: str, bot: str) -> dict[str, Any]:
        """The seat that is asked has thought too long: the game is won by the others, or a bot takes over."""

        def act(live: Live) -> dict[str, Any]:
            now = time.time()
            asked = asked_seats(live.line) if live.clock is not None else []
            up = [
                one
                for one in asked
                if one not in live.held_by(holder) and live.clock and live.clock.is_up(one, now)
            ]
            if live.over or live.clock is None:
                raise conflict(
                    "there is no clock to claim by" if not live.over else "the game is over", code="clock"
                )
            if not up:
                raise conflict("nobody else's time is up", code="clock")
            late = up[0]
            if what == "bot":
                return self._substitute(live, holder, key, seat, late, bot)
            mine, theirs = self.hall.side(live, seat), self.hall.side(live, late)
            if mine == theirs:
                raise conflict("a game is not won against one's own side", "let a bot take over", "clock")
            others = {self.hall.side(live, name) for name in live.seats} - {theirs}
            winner = others.pop() if len(others) == 1 else None
            event = Event(
                live.line.head + 1, "end", time.time(), {"how": "time", "winner": winner, "seat": late}
            )
            live.line.follow((event,))

            def reply(told: list[Message]) -> tuple[str, str, dict[str, Any]]:
                return holder, key, {"ok": True, "n": live.streams[seat].n}

            return self.hall.commit(live, [event], reply, offers=[], closes=True)

        return self.acts.once(game, holder, key, seat, act)

    def _substitute(
        self, live: Live, holder: str, key: str, seat: str, late: str, bot: str
    ) -> dict[str, Any]:
        body = {"ok": True, "n": live.streams[seat].n}

        def write(connection: sa.Connection) -> None:
            mine = sa.and_(db.seats.c.game == live.id, db.seats.c.seat == late)
            connection.execute(
                db.seats.update()
                .where(mine)
                .values(
                    kind="bot", bot=bot, holder=None, name=bot, invitation=live.seats[late].invitation + 1
                )
            )
            self.acts.keep_reply(connection, live, holder, key, body)

        self.hall.change_table(live, write)
        with self.hall.store.writing(live.id) as connection:
            self.hall.set_job(connection, live)
        self.hall.on_job()
        return body
