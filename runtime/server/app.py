"""The table as a web application: which request is answered by what."""

from __future__ import annotations

import json
import secrets
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from typing import Any

from grognard.server.accounts import told
from grognard.server.acts import MAX_GESTURE, demand_seat
from grognard.server.agreements import MAX_CHANGES, SUBSTITUTE
from grognard.server.clocks import clock_order
from grognard.server.desk import Job
from grognard.server.export import export_page
from grognard.server.library import static_texts
from grognard.server.limits import (
    MAX_CHAT,
    MAX_NAME,
    MAX_NOTES,
    MAX_SAVE,
)
from grognard.server.live import Live
from grognard.server.lobby import checked_bot
from grognard.server.looking import Looking
from grognard.server.mistakes import Mistake, conflict, malformed, refused
from grognard.server.openapi import description
from grognard.server.pages import Pages
from grognard.server.streaming import Streaming
from grognard.server.streams import WATCHER
from grognard.server.table import Table as Table
from grognard.server.table import make_table as make_table
from grognard.server.together import asked_seats, seen_by
from grognard.server.watching import Watching
from grognard.server.web import (
    Body,
    Shell,
    Visitor,
    asking,
    endpoint,
    on_http,
    on_mistake,
    packed_response,
    query_number,
)
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

MAX_SEED = 2**63 - 1
#: What an order of a new game may say.
NEW_GAME = (
    "title",
    "scenario",
    "seats",
    "undo",
    "seed",
    "name",
    "player",
    "errata",
    "listed",
    "clock",
    "options",
)


def make_app(table: Table, watching: Watching | None = None) -> Shell:
    requests = Requests(table)
    if watching is not None:
        requests.streaming.rules_news = watching.news

    @asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        table.wakeups.start()
        table.workers.start()
        table.workers.wake()
        if watching is not None:
            watching.start()
        yield
        if watching is not None:
            await run_in_threadpool(watching.stop)
        table.wakeups.stop()
        await run_in_threadpool(table.workers.stop)
        table.store.close()

    app = Starlette(
        routes=requests.routes(),
        lifespan=lifespan,
        exception_handlers={Mistake: on_mistake, HTTPException: on_http},
    )
    return Shell(app, table.gate.hosts)


class Requests:
    """What each request does; named after its address."""

    def __init__(self, table: Table) -> None:
        self.table = table
        self.pages = Pages(table.library, table.hall.pinned)
        self.looking = Looking(table.hall, self._seat_to_read)
        self.streaming = Streaming(table, self._seat_to_read, self._table_state, self._clock)

    def routes(self) -> list[Route]:
        gate = self.table.gate

        def get(path: str, work: Any, cost: float = 1.0) -> Route:
            return Route(path, endpoint(gate, work, cost=cost), methods=["GET"])

        def post(path: str, work: Any, cost: float = 1.0, most: int | None = None) -> Route:
            more = {} if most is None else {"most": most}
            return Route(path, endpoint(gate, work, cost=cost, **more), methods=["POST"])

        game = "/api/g/{game}"
        return [
            get("/api/openapi.json", self.openapi),
            get("/api/titles", self.titles),
            get("/api/titles/{title}", self.title, 10),
            get("/api/me", self.me),
            post("/api/account", self.register, 50),
            post("/api/login", self.log_in, 20),
            post("/api/logout", self.log_out),
            post("/api/password", self.change_password, 50),
            get("/api/games", self.games),
            post("/api/games", self.create, 10),
            post("/api/import", self.load, 20, MAX_SAVE),
            post("/api/join", self.join, 5),
            get(game, self.about),
            get(f"{game}/snapshot", self.snapshot, 2),
            Route(f"{game}/stream", self.streaming.stream, methods=["GET"]),
            get(f"{game}/messages", self.messages),
            post(f"{game}/answer", self.answer),
            post(f"{game}/undo", self.undo),
            get(f"{game}/why", self.why),
            get(f"{game}/why-not", self.looking.why_not),
            get(f"{game}/gestures", self.looking.gestures, 5),
            get(f"{game}/ways", self.looking.ways, 5),
            get(f"{game}/preview", self.looking.preview, 5),
            get(f"{game}/overlay", self.looking.overlay, 5),
            Route(f"{game}/odds", asking(gate, self.odds, cost=10), methods=["GET"]),
            Route(f"{game}/advice", asking(gate, self.advice, cost=10), methods=["GET"]),
            get(f"{game}/at", self.at, 2),
            post(f"{game}/branch", self.branch, 10),
            get(f"{game}/chat", self.chat_since),
            post(f"{game}/chat", self.chat, 5),
            get(f"{game}/notes", self.notes),
            post(f"{game}/notes", self.set_notes),
            post(f"{game}/seat", self.seat),
            post(f"{game}/resign", self.resign),
            post(f"{game}/draw", self.draw),
            post(f"{game}/propose", self.propose, 5),
            post(f"{game}/consent", self.consent),
            post(f"{game}/claim", self.claim),
            get(f"{game}/trial", self.trial, 20),
            get(f"{game}/save", self.save, 5),
            get(f"{game}/export.html", self.export, 20),
            get("/board/{title}/{scenario}/{what}", self.pages.board, 2),
            get("/static/{file}", self.pages.static),
            get("/", self.pages.index),
            get("/g/{game}", self.pages.index),
            get("/join/{invitation}", self.pages.index),
        ]

    def openapi(self, visitor: Visitor, request: Request, body: Body) -> Any:
        return description()

    # ---- accounts

    def me(self, visitor: Visitor, request: Request, body: Body) -> Any:
        return told(self.table.accounts, visitor.token)

    def register(self, visitor: Visitor, request: Request, body: Body) -> Any:
        visitor.enter(
            self.table.accounts.register(body.text("name", MAX_NAME), body.secret("password"), visitor.guest)
        )
        return {"ok": True, **self.me(visitor, request, body)}

    def log_in(self, visitor: Visitor, request: Request, body: Body) -> Any:
        name, password = body.text("name", MAX_NAME), body.secret("password")
        visitor.enter(self.table.accounts.log_in(name, password, visitor.host, visitor.guest))
        return {"ok": True, **self.me(visitor, request, body)}

    def log_out(self, visitor: Visitor, request: Request, body: Body) -> Any:
        if visitor.token is not None:
            self.table.accounts.log_out(visitor.token)
            visitor.enter(secrets.token_urlsafe(32))
        return {"ok": True}

    def change_password(self, visitor: Visitor, request: Request, body: Body) -> Any:
        visitor.known()
        token = visitor.token or ""
        visitor.enter(
            self.table.accounts.change_password(token, body.secret("old"), body.secret("new"), visitor.host)
        )
        return {"ok": True}

    # ---- games

    def titles(self, visitor: Visitor, request: Request, body: Body) -> Any:
        return {"titles": self.table.library.titles()}

    def title(self, visitor: Visitor, request: Request, body: Body) -> Any:
        return self.table.library.title(request.path_params["title"])

    def games(self, visitor: Visitor, request: Request, body: Body) -> Any:
        return {"games": self.table.lobby.games(visitor.holder)}

    def create(self, visitor: Visitor, request: Request, body: Body) -> Any:
        body.only(NEW_GAME, "a new game")
        options = body.fields.get("options") or {}
        if not isinstance(options, dict) or not all(isinstance(v, str | bool) for v in options.values()):
            raise malformed("`options` are names with values", '{"options": {"NAME": "VALUE"}}')
        errata = body.fields.get("errata")
        if errata is not None and not (isinstance(errata, list) and all(isinstance(e, str) for e in errata)):
            raise malformed("`errata` is a list of names")
        holder = visitor.introduced()
        game = self.table.lobby.create(
            holder,
            body.text("title"),
            body.maybe_text("scenario"),
            body.mapping("seats"),
            undo=body.maybe_text("undo") or "fair",
            seed=body.number("seed", 0, MAX_SEED),
            name=body.maybe_text("name", MAX_NAME) or "",
            player=body.player(),
            errata=errata,
            options=options,
            more={
                "maker": holder,
                "listed": body.fields.get("listed", True) is True,
                "clock": clock_order(body.fields.get("clock")),
            },
        )
        return self._made(game, visitor)

    def _made(self, game: str, visitor: Visitor) -> dict[str, Any]:
        with self.table.hall.playing(game) as live:
            self.pages.prepare(live.header["title"], live.header["scenario"])
            # The token is the browser's alone: a program that sends it as a bearer knows it already.
            return {"game": game, "token": None, "invitations": self.table.lobby.invitations(live)}

    def load(self, visitor: Visitor, request: Request, body: Body) -> Any:
        save = body.fields.get("save")
        if not isinstance(save, str):
            raise malformed("`save` is the text of a saved game")
        try:
            data = save.encode("utf-8")
        except UnicodeEncodeError:
            raise malformed("`save` is not text in UTF-8") from None
        game = self.table.study.load(visitor.introduced(), data, body.mapping("seats"), body.player())
        return self._made(game, visitor)

    def join(self, visitor: Visitor, request: Request, body: Body) -> Any:
        name = body.maybe_text("name", MAX_NAME)
        invitation = body.maybe_text("invitation")
        if invitation is not None:
            # The whole link will do as well.
            return self.table.lobby.join(visitor.introduced(), invitation.rpartition("/")[2], name)
        return self.table.lobby.take_seat(body.text("game"), visitor.introduced(), body.text("seat"), name)

    def about(self, visitor: Visitor, request: Request, body: Body) -> Any:
        with self.table.hall.playing(request.path_params["game"]) as live:
            header, engine = live.header, live.line.engine
            board = f"/board/{header['title']}/{header['scenario']}"
            rules = f"?rules={header['fingerprint']}"
            return {
                "game": live.id,
                "title": header["title"],
                "title_name": engine.title,
                "scenario": header["scenario"],
                "scenario_name": live.setting.scenario.title,
                "name": header["name"],
                "undo_policy": header["undo"],
                "fingerprint": header["fingerprint"],
                "hidden": live.setting.program.view is not None,
                "board": f"{board}/board.svg{rules}",
                "counters": f"{board}/counters.svg{rules}",
                "layout": f"{board}/layout.json{rules}",
                "texts": static_texts(live.setting),
                **self._table_state(live, visitor),
            }

    def _table_state(self, live: Live, visitor: Visitor) -> dict[str, Any]:
        """What changes around a game: who sits where, offers, invitations."""
        mine, lobby = live.held_by(visitor.holder), self.table.lobby
        at_table = bool(mine) or (visitor.holder is not None and live.header.get("maker") == visitor.holder)
        return {
            "seats": [
                {
                    "seat": seat.seat,
                    "side": self.table.hall.side(live, seat.seat),
                    "kind": seat.kind,
                    "bot": seat.bot,
                    "name": seat.name,
                    "idle": seat.seat not in live.setting.seats,
                }
                for seat in live.seats.values()
            ],
            "me": mine,
            "edit": "all" if live.setting.program.view is None or {*live.persons} <= {*mine} else "open",
            "state": "over" if live.over else "playing",
            "offers": list(live.offers),
            "proposal": self.table.agreements.told(live, mine or [WATCHER]),
            "clock": self._clock(live, mine),
            "head": {seat: live.streams[seat].n for seat in mine or (WATCHER,)},
            "invitations": lobby.invitations(live) if at_table else {},
            "watch": lobby.watch_link(live.id) if at_table else None,
            "sees_all": self.table.study.sees_all(live, visitor.holder),
            "version": live.table_version,
        }

    def _clock(self, live: Live, mine: Sequence[str]) -> dict[str, Any] | None:
        asked = [] if live.over else live.asked
        if live.clock is None:
            return None
        return live.clock.told(list(mine), asked, live.setting.program.view is None, list(live.seats))

    def seat(self, visitor: Visitor, request: Request, body: Body) -> Any:
        game = request.path_params["game"]
        return self.table.lobby.set_seat(game, visitor.known(), body.text("seat"), body.text("to"))

    # ---- streams

    def _seat_to_read(self, live: Live, visitor: Visitor, request: Request) -> str:
        """The seat whose eyes are used; none: those of who watches."""
        seat = request.query_params.get("seat") or WATCHER
        if seat != WATCHER:
            demand_seat(live, visitor.holder, seat)
        return seat

    def snapshot(self, visitor: Visitor, request: Request, body: Body) -> Any:
        with self.table.hall.playing(request.path_params["game"]) as live:
            found = self.table.study.snapshot(live, self._seat_to_read(live, visitor, request))
        return packed_response(request, found)

    def at(self, visitor: Visitor, request: Request, body: Body) -> Any:
        with self.table.hall.playing(request.path_params["game"]) as live:
            seat = self._seat_to_read(live, visitor, request)
            if "line" in request.query_params:
                n = self.table.study.number_of_line(live, seat, query_number(request, "line"))
            else:
                n = query_number(request, "n")
            found = self.table.study.snapshot(live, seat, n)
        return packed_response(request, found)

    def messages(self, visitor: Visitor, request: Request, body: Body) -> Any:
        """What a stream would send, at once: for programs, and where streams are cut by a proxy."""
        since = query_number(request, "since", -1)
        with self.table.hall.playing(request.path_params["game"]) as live:
            seat = self._seat_to_read(live, visitor, request)
            texts = self.table.hall.messages_since(live, seat, since)
            return {"messages": [json.loads(text) for text in texts]}

    # ---- acts

    def answer(self, visitor: Visitor, request: Request, body: Body) -> Any:
        return self.table.acts.answer(
            request.path_params["game"],
            visitor.known(),
            body.key(),
            body.text("seat"),
            body.text("question"),
            body.texts("answers", MAX_GESTURE),
            body.number("n", -1, 10**9),
        )

    def undo(self, visitor: Visitor, request: Request, body: Body) -> Any:
        game, to = request.path_params["game"], body.number("to", 0, 10**9)
        return self.table.acts.undo(game, visitor.known(), body.key(), body.text("seat"), to)

    def resign(self, visitor: Visitor, request: Request, body: Body) -> Any:
        game = request.path_params["game"]
        return self.table.acts.resign(game, visitor.known(), body.key(), body.text("seat"))

    def draw(self, visitor: Visitor, request: Request, body: Body) -> Any:
        game = request.path_params["game"]
        return self.table.acts.draw(game, visitor.known(), body.key(), body.text("seat"))

    def propose(self, visitor: Visitor, request: Request, body: Body) -> Any:
        game, kind = request.path_params["game"], body.text("kind")
        agreements, holder, key, seat = self.table.agreements, visitor.known(), body.key(), body.text("seat")
        if kind == "undo":
            return agreements.propose_undo(game, holder, key, seat, body.number("to", 0, 10**9))
        if kind == "edit":
            return agreements.propose_edit(game, holder, key, seat, body.changes(MAX_CHANGES))
        raise malformed("`kind` is `undo` or `edit`")

    def consent(self, visitor: Visitor, request: Request, body: Body) -> Any:
        agree = body.fields.get("agree")
        if not isinstance(agree, bool):
            raise malformed("`agree` is true or false")
        return self.table.agreements.consent(
            request.path_params["game"], visitor.known(), body.key(), body.text("seat"), body.text("proposal"), agree
        )  # fmt: skip

    def claim(self, visitor: Visitor, request: Request, body: Body) -> Any:
        what = body.maybe_text("what") or "win"
        if what not in ("win", "bot"):
            raise malformed("`what` is `win` or `bot`")
        bot = checked_bot(body.maybe_text("bot") or SUBSTITUTE)
        return self.table.agreements.claim(
            request.path_params["game"], visitor.known(), body.key(), body.text("seat"), what, bot
        )

    def chat(self, visitor: Visitor, request: Request, body: Body) -> Any:
        return self.table.acts.chat(
            request.path_params["game"],
            visitor.known(),
            body.key(),
            body.text("text", MAX_CHAT, lines=True),
            body.maybe_text("seat"),
            body.number("line", 0, 10**9),
        )

    def chat_since(self, visitor: Visitor, request: Request, body: Body) -> Any:
        since = query_number(request, "since", -1)
        with self.table.hall.playing(request.path_params["game"]) as live:
            seat = self._seat_to_read(live, visitor, request)
            return {"chat": self.table.acts.chat_since(live, seat, since)}

    def notes(self, visitor: Visitor, request: Request, body: Body) -> Any:
        return self.table.acts.notes(request.path_params["game"], visitor.known(), None)

    def set_notes(self, visitor: Visitor, request: Request, body: Body) -> Any:
        text = body.maybe_text("text", MAX_NOTES, lines=True) or ""
        return self.table.acts.notes(request.path_params["game"], visitor.known(), text)

    # ---- studying

    def why(self, visitor: Visitor, request: Request, body: Body) -> Any:
        line = query_number(request, "line")
        with self.table.hall.playing(request.path_params["game"]) as live:
            return self.table.study.why(live, self._seat_to_read(live, visitor, request), line)

    def odds(self, visitor: Visitor, request: Request) -> tuple[Job, Callable[[Any], Any]]:
        answers = [a for a in request.query_params.get("answers", "").split(",")[:20] if a]
        with self.table.hall.playing(request.path_params["game"]) as live:
            seat = self._asked_seat(live, visitor, request)
            asked = self.table.workers.asked(live, seat)
        return self.table.workers.odds(visitor.known(), asked, live.id, answers), lambda found: found

    def advice(self, visitor: Visitor, request: Request) -> tuple[Job, Callable[[Any], Any]]:
        bot = checked_bot(request.query_params.get("bot", "greedy")[:40])
        with self.table.hall.playing(request.path_params["game"]) as live:
            seat = self._asked_seat(live, visitor, request)
            asked, position = self.table.workers.asked(live, seat), seen_by(live.line, seat).here

        def told(answer: str) -> Any:
            label = next((c.label for c in position.legal() if c.name == answer), answer)
            return {"bot": bot, "seat": seat, "answer": answer, "label": label}

        # Not the seed of the game: it would tell something of the dice.
        return self.table.workers.advice(visitor.known(), asked, live.id, bot, 1), told

    def _asked_seat(self, live: Live, visitor: Visitor, request: Request) -> str:
        seat = request.query_params.get("seat") or ""
        demand_seat(live, visitor.holder, seat)
        if live.over or seat not in asked_seats(live.line):
            raise conflict(f"{seat} is not asked anything now", code="not_asked")
        return seat

    def branch(self, visitor: Visitor, request: Request, body: Body) -> Any:
        holder = visitor.introduced()
        n = body.number("n", 0, 10**9)
        if n is None:
            raise malformed("`n` is missing: a number of the stream")
        with self.table.hall.playing(request.path_params["game"]) as live:
            seat = body.maybe_text("seat") or WATCHER
            if seat != WATCHER:
                demand_seat(live, visitor.holder, seat)
            made = self.table.study.branch(live, holder, seat, n, body.mapping("seats"))
        return self._made(made, visitor)

    def trial(self, visitor: Visitor, request: Request, body: Body) -> Any:
        with self.table.hall.playing(request.path_params["game"]) as live:
            self._seat_to_read(live, visitor, request)
            return self.table.study.trial(live, visitor.holder)

    def save(self, visitor: Visitor, request: Request, body: Body) -> Any:
        with self.table.hall.playing(request.path_params["game"]) as live:
            text = self.table.study.save(live, visitor.holder)
            name = f"{live.header['title']}-{live.id}.json"
        headers = {"content-disposition": f'attachment; filename="{name}"', "cache-control": "no-store"}
        return Response(text.encode(), headers=headers, media_type="application/json; charset=utf-8")

    def export(self, visitor: Visitor, request: Request, body: Body) -> Any:
        with self.table.hall.playing(request.path_params["game"]) as live:
            if not live.over:
                raise refused("a game can be exported when it is over", "save it to go on elsewhere")
            page = export_page(live)
            name = f"{live.header['title']}-{live.id}.html"
        headers = {
            "content-disposition": f'attachment; filename="{name}"',
            "content-security-policy": "default-src 'none'; style-src 'unsafe-inline'; img-src data:; sandbox",
            "cache-control": "no-store",
        }
        return Response(page.encode(), headers=headers, media_type="text/html; charset=utf-8")
