"""Looking at a game: where it stands or stood, why something happened, what may come of a choice; branches, saves."""

from __future__ import annotations

import json
import secrets
from typing import Any

import sqlalchemy as sa
from grognard.contract.generator import seeded
from grognard.contract.header import H_RNG_HI, H_RNG_LO
from grognard.engine import Engine
from grognard.errors import GrognardError, SaveError
from grognard.play.game import Game, Step, why_played
from grognard.play.named_cells import named_cells
from grognard.play.savefile import parse_save, replay_save, save_text
from grognard.play.wording import Secrecy
from grognard.server import store as db
from grognard.server.hall import Hall
from grognard.server.live import Live
from grognard.server.lobby import Lobby
from grognard.server.mistakes import conflict, malformed, missing, refused
from grognard.server.pinning import trial, under
from grognard.server.streams import WATCHER, seat_view, visible
from grognard.server.together import seen_by


class Study:
    def __init__(self, hall: Hall, lobby: Lobby) -> None:
        self.hall = hall
        self.lobby = lobby

    # ---- where it stands, or stood

    def snapshot(self, live: Live, seat: str, n: int | None = None) -> dict[str, Any]:
        """All that a seat has been told up to a number of its stream, in one piece; by default up to now.

        The view is read anew from the position, not put together from what was sent."""
        stream = live.streams[seat]
        if n is None:
            n = stream.n
        if not 0 <= n <= stream.n:
            raise missing(f"the stream of this seat has the numbers 0 to {stream.n}")
        event, body = self._message(live, seat, n)
        line = live.line if event == live.line.head else live.line.at(live.events, event)
        line = seen_by(line, seat)
        view = seat_view(line.here, seat)
        named = named_cells(live.setting).everything(view) if view is not None else {}
        lines: list[dict[str, Any]] = []
        for step in line.steps:
            for place, entry in visible(step.told, seat):
                lines.append(stream.line_data(len(lines), entry, (step.event, place)))
        made = {
            "n": n,
            "hash": body["hash"],
            "view": named,
            "log": lines,
            "question": body.get("question"),
            "undo": body.get("undo"),
            "status": body["status"],
            "lines": body["lines"],
            "head": stream.n,
        }
        for key in ("waiting", "outcome", "dice"):
            if key in body:
                made[key] = body[key]
        if n != stream.n:
            # Of the past nothing can be answered.
            made["past"] = True
        return made

    def number_of_line(self, live: Live, seat: str, line: int) -> int:
        """The number of the message with which a seat was told a line of its log."""
        count = 0
        for step in seen_by(live.line, seat).steps:
            count += len(visible(step.told, seat))
            if 0 <= line < count:
                return next(n for n, event in live.streams[seat].trail if event >= step.event)
        raise missing(f"there is no line {line} in the log")

    def _message(self, live: Live, seat: str, n: int) -> tuple[int, dict[str, Any]]:
        for message in live.recent[seat]:
            if message.n == n:
                return message.event, message.body
        columns = db.messages.c
        with self.hall.store.reading() as connection:
            row = connection.execute(
                sa.select(columns.event, columns.body).where(
                    columns.game == live.id, columns.seat == seat, columns.n == n
                )
            ).one()
        return row.event, json.loads(row.body)

    # ---- why

    def why(self, live: Live, seat: str, line: int) -> dict[str, Any]:
        """How the answer came to its result that a line of the seat's log tells of, as far as the seat may know."""
        count = 0
        own = seen_by(live.line, seat)
        for number, step in enumerate(own.steps):
            seen = visible(step.told, seat)
            if count <= line < count + len(seen):
                # The answer that the line tells of: it may have been kept back for a while.
                place, entry = seen[line - count]
                number = own.number_of(step.origins[place][0])
                step = own.steps[number]
                if step.played is None:
                    return {"line": line, "reason": None}
                before = own.step(number - 1)
                if seat == WATCHER and live.setting.program.view is not None:
                    raise refused("who watches is not told why in a game with secrets")
                known_as = seat if seat != WATCHER else None
                told = own.choices_known(number, seat) if known_as is not None else []
                reason = why_played(before, step.played, known_as, told).as_dict()
                return {"line": line, "text": entry.text, "reason": _without_places(reason)}
            count += len(seen)
        raise missing(f"there is no line {line} in the log")

    # ---- branches

    def sees_all(self, live: Live, holder: str | None) -> bool:
        """Whether nothing of the game can be new to somebody: it is over, or nobody else plays it."""
        if live.over:
            return True
        persons = [seat for seat in live.seats.values() if seat.kind != "bot"]
        alone = bool(persons) and all(seat.holder == holder for seat in persons)
        return alone and (live.setting.program.view is None or len(persons) == len(live.seats))

    def branch(self, live: Live, holder: str, seat: str, n: int, seats: dict[str, str]) -> str:
        """A new game that starts where this one stood after a message.  Dice that are still to fall here fall otherwise
        there: a branch is no way to look into the future."""
        if live.setting.program.view is not None and not self.sees_all(live, holder):
            raise refused(
                "a game with secrets can be branched off when it is over, or when you play all of its seats"
            )
        if not 0 <= n <= live.streams[seat].n:
            raise missing(f"the stream of this seat has the numbers 0 to {live.streams[seat].n}")
        event, _ = self._message(live, seat, n)
        line = live.line.at(live.events, event)
        steps = [line.step(number) for number in range(len(line.steps))]
        more: dict[str, Any] = {"origin": {"game": live.id, "event": event}, "maker": holder}
        if not live.over:
            steps[-1] = _with_other_dice(steps[-1])
            more["other_dice"] = True
        header = live.header
        return self.lobby.create(
            holder,
            header["title"],
            header["scenario"],
            seats,
            undo="free",
            seed=header["seed"],
            name=header["name"],
            errata=header["errata"],
            steps=steps,
            more=more,
        )

    # ---- other rules

    def trial(self, live: Live, holder: str | None) -> dict[str, Any]:
        """What the title's rules as they are now would change in the game, which keeps those that it was begun under."""
        header, old = live.header, live.line.engine
        new = self.hall.library.engine(header["title"], header["errata"])
        made: dict[str, Any] = {"pinned": header["fingerprint"], "changed": new is not old}
        if new is old:
            return made
        if live.setting.program.view is not None and not self.sees_all(live, holder):
            raise refused(
                "what other rules would change depends on what you may not know",
                "it can be tried when the game is over, or when you play all of its seats",
            )
        if header.get("other_dice") or any(step.played is None for step in live.line.steps[1:]):
            raise conflict("a game that was branched off or changed by hand cannot be tried", code="trial")
        steps = [live.line.step(number) for number in range(len(live.line.steps))]
        found = trial(old, new, header["scenario"], header["seed"], steps)
        return {**made, "same": found.same, "answers": found.answers, "step": found.step, "what": found.what}

    def succeed(self, live: Live, engine: Engine) -> tuple[str, str]:
        """A game of the same persons under other rules that goes on from here; and what of this one was kept."""
        header = live.header
        steps = [live.line.step(number) for number in range(len(live.line.steps))]
        made, kept = under(engine, header["scenario"], header["seed"], steps)
        seats = {
            seat.seat: {"kind": seat.kind, "bot": seat.bot, "holder": seat.holder, "name": seat.name}
            for seat in live.seats.values()
        }
        more = {
            "origin": {"game": live.id, "event": live.line.head},
            "maker": header.get("maker"),
            "listed": header.get("listed", True),
        }
        game = self.hall.create(
            header["title"], header["scenario"], seats, seed=header["seed"], undo=header["undo"],
            name=header["name"], steps=made, more=more,
        )  # fmt: skip
        with self.hall.store.writing(live.id) as connection:
            connection.execute(db.games.update().where(db.games.c.id == live.id).values(status="replaced"))
        return game, kept

    # ---- saves

    def save(self, live: Live, holder: str | None) -> str:
        """The save file of the terminal."""
        if not self.sees_all(live, holder):
            raise refused(
                "the file would tell what you may not know: it has the dice and all answers",
                "it can be had when the game is over",
            )
        return save_text(self.game(live))

    def game(self, live: Live) -> Game:
        """The game as the terminal has it."""
        if live.header.get("other_dice"):
            raise conflict("a branch of a running game cannot be saved to a file", code="branch")
        if any(step.played is None for step in live.line.steps[1:]):
            raise conflict("a game that was changed by hand cannot be saved to a file", code="edited")
        game = Game(live.line.engine, live.header["scenario"], live.header["seed"])
        for played in live.line.history:
            game.play(played.value)
        return game

    def load(self, holder: str, data: bytes, seats: dict[str, str], player: str | None) -> str:
        """A game from a save file of the terminal or of a table."""
        try:
            saved = parse_save(data)
        except SaveError as error:
            raise malformed(str(error)) from None
        engine = self.hall.library.engine(saved.title, saved.errata)
        try:
            game = replay_save(saved, "the save", engine)
        except GrognardError as error:
            raise conflict(str(error).partition("\n")[0], code="rules_changed") from None
        return self.lobby.create(
            holder,
            saved.title,
            saved.scenario,
            seats,
            seed=saved.seed,
            errata=saved.errata,
            steps=game.steps,
            undo="free",
            player=player,
            more={"maker": holder},
        )


def _with_other_dice(step: Step) -> Step:
    position = step.position.clone()
    with memoryview(position.cells) as raw, raw.cast("i") as cells:
        cells[H_RNG_LO], cells[H_RNG_HI] = seeded(secrets.randbits(63))
    return Step(
        position, step.played, step.lines, step.choices, Secrecy(step.secrecy.branch, step.secrecy.acting)
    )


def _without_places(reason: dict[str, Any]) -> dict[str, Any]:
    """Files of the rules are the server's own affair."""
    kept = {key: value for key, value in reason.items() if key not in ("file", "line", "children")}
    kept["children"] = [_without_places(child) for child in reason["children"]]
    return kept
