"""The table as a web application: which request is answered by what."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

from grognard.server.acts import MAX_GESTURE, Acts, demand_seat
from grognard.server.export import export_page
from grognard.server.hall import Hall, Live
from grognard.server.library import Library, static_texts
from grognard.server.limits import (
    HEARTBEAT,
    MAX_CHAT,
    MAX_NAME,
    MAX_NOTES,
    MAX_SAVE,
    MAX_STREAMS,
    Rate,
)
from grognard.server.lobby import Lobby, checked_bot
from grognard.server.looking import Looking
from grognard.server.mistakes import Mistake, conflict, malformed, refused
from grognard.server.pages import Pages
from grognard.server.store import Store
from grognard.server.streams import WATCHER
from grognard.server.study import Study
from grognard.server.wakeups import Wakeups
from grognard.server.web import (
    Body,
    Gate,
    Shell,
    Visitor,
    endpoint,
    on_http,
    on_mistake,
    query_number,
)
from grognard.server.workers import Workers
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import Route

MAX_SEED = 2**63 - 1
#: What an order of a new game may say.
NEW_GAME = ("title", "scenario", "seats", "undo", "seed", "name", "player", "errata", "listed", "options")


@dataclass(slots=True)
class Table:
    """All parts of one server."""

    store: Store
    library: Library
    hall: Hall
    lobby: Lobby
    acts: Acts
    study: Study
    workers: Workers
    wakeups: Wakeups
    gate: Gate

    def __post_init__(self) -> None:
        self.hall.on_change = self.wakeups.changed
        self.hall.on_job = self.workers.wake


def make_table(
    store: Store, library: Library, *, hosts: tuple[str, ...] | None = None, rate: Rate | None = None
) -> Table:
    hall = Hall(store, library)
    lobby, acts = Lobby(hall), Acts(hall)
    return Table(
        store, library, hall, lobby, acts, Study(hall, lobby), Workers(hall, acts), Wakeups(store),
        Gate(hosts, rate or Rate(200.0, 600.0)),
    )  # fmt: skip


def make_app(table: Table) -> Shell:
    requests = Requests(table)

    @asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        table.wakeups.start()
        table.workers.start()
        table.workers.wake()
        yield
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
        self.pages = Pages(table.library)
        self.looking = Looking(table.hall, self._seat_to_read)
        self._streams: dict[str, int] = {}

    def routes(self) -> list[Route]:
        gate = self.table.gate

        def get(path: str, work: Any, cost: float = 1.0) -> Route:
            return Route(path, endpoint(gate, work, cost=cost), methods=["GET"])

        def post(path: str, work: Any, cost: float = 1.0, most: int | None = None) -> Route:
            more = {} if most is None else {"most": most}
            return Route(path, endpoint(gate, work, cost=cost, **more), methods=["POST"])

        game = "/api/g/{game}"
        return [
            get("/api/titles", self.titles),
            get("/api/titles/{title}", self.title, 10),
            get("/api/games", self.games),
            post("/api/games", self.create, 10),
            post("/api/import", self.load, 20, MAX_SAVE),
            post("/api/join", self.join, 5),
            get(game, self.about),
            get(f"{game}/snapshot", self.snapshot, 2),
            Route(f"{game}/stream", self.stream, methods=["GET"]),
            get(f"{game}/messages", self.messages),
            post(f"{game}/answer", self.answer),
            post(f"{game}/undo", self.undo),
            get(f"{game}/why", self.why),
            get(f"{game}/why-not", self.looking.why_not),
            get(f"{game}/gestures", self.looking.gestures, 5),
            get(f"{game}/ways", self.looking.ways, 5),
            get(f"{game}/overlay", self.looking.overlay, 5),
            get(f"{game}/odds", self.odds, 10),
            get(f"{game}/advice", self.advice, 10),
            get(f"{game}/at", self.at, 2),
            post(f"{game}/branch", self.branch, 10),
            get(f"{game}/chat", self.chat_since),
            post(f"{game}/chat", self.chat, 5),
            get(f"{game}/notes", self.notes),
            post(f"{game}/notes", self.set_notes),
            post(f"{game}/seat", self.seat),
            post(f"{game}/resign", self.resign),
            post(f"{game}/draw", self.draw),
            get(f"{game}/save", self.save, 5),
            get(f"{game}/export.html", self.export, 20),
            get("/board/{title}/{scenario}/{what}", self.pages.board, 2),
            get("/static/{file}", self.pages.static),
            get("/", self.pages.index),
            get("/g/{game}", self.pages.index),
            get("/join/{invitation}", self.pages.index),
        ]

    # ---- games

    def titles(self, visitor: Visitor, request: Request, body: Body) -> Any:
        return {"titles": self.table.library.titles()}

    def title(self, visitor: Visitor, request: Request, body: Body) -> Any:
        return self.table.library.title(request.path_params["title"])

    def games(self, visitor: Visitor, request: Request, body: Body) -> Any:
        return {"games": self.table.lobby.games(visitor.holder)}

    def create(self, visitor: Visitor, request: Request, body: Body) -> Any:
        body.only(NEW_GAME, "a new game")
        if body.fields.get("options"):
            # Taken silently they would be another game than was ordered.
            raise malformed(
                "a table takes no `options` yet", "scenarios with other rules, and `errata`, are taken"
            )
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
            more={"maker": holder, "listed": body.fields.get("listed", True) is True},
        )
        return self._made(game, visitor)

    def _made(self, game: str, visitor: Visitor) -> dict[str, Any]:
        with self.table.hall.playing(game) as live:
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
            return {
                "game": live.id,
                "title": header["title"],
                "title_name": engine.title,
                "scenario": header["scenario"],
                "name": header["name"],
                "undo_policy": header["undo"],
                "fingerprint": header["fingerprint"],
                "hidden": live.setting.program.view is not None,
                "board": f"{board}/board.svg",
                "counters": f"{board}/counters.svg",
                "layout": f"{board}/layout.json",
                "texts": static_texts(live.setting),
                **self._table_state(live, visitor),
            }

    def _table_state(self, live: Live, visitor: Visitor) -> dict[str, Any]:
        """What changes around a game: who sits where, offers, invitations."""
        mine = live.held_by(visitor.holder)
        lobby = self.table.lobby
        at_table = bool(mine) or (visitor.holder is not None and live.header.get("maker") == visitor.holder)
        return {
            "seats": [
                {
                    "seat": seat.seat,
                    "side": self.table.hall.side(live, seat.seat),
                    "kind": seat.kind,
                    "bot": seat.bot,
                    "name": seat.name,
                }
                for seat in live.seats.values()
            ],
            "me": mine,
            "state": "over" if live.over else "playing",
            "offers": list(live.offers),
            "head": {seat: live.streams[seat].n for seat in mine or (WATCHER,)},
            "invitations": lobby.invitations(live) if at_table else {},
            "watch": lobby.watch_link(live.id) if at_table else None,
            "sees_all": self.table.study.sees_all(live, visitor.holder),
            "version": live.table_version,
        }

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
            return self.table.study.snapshot(live, self._seat_to_read(live, visitor, request))

    def at(self, visitor: Visitor, request: Request, body: Body) -> Any:
        n = query_number(request, "n")
        with self.table.hall.playing(request.path_params["game"]) as live:
            return self.table.study.snapshot(live, self._seat_to_read(live, visitor, request), n)

    def messages(self, visitor: Visitor, request: Request, body: Body) -> Any:
        """What a stream would send, at once: for programs, and where streams are cut by a proxy."""
        since = query_number(request, "since", -1)
        with self.table.hall.playing(request.path_params["game"]) as live:
            seat = self._seat_to_read(live, visitor, request)
            texts = self.table.hall.messages_since(live, seat, since)
            return {"messages": [json.loads(text) for text in texts]}

    async def stream(self, request: Request) -> Response:
        visitor = Visitor(request)
        self.table.gate.check(request, visitor, 2)
        last = request.headers.get("last-event-id", "")
        since = int(last) if last.isdigit() and len(last) < 10 else query_number(request, "since", -1)
        chat = query_number(request, "chat", -1)
        game = request.path_params["game"]

        def find() -> str:
            with self.table.hall.playing(game) as live:
                return self._seat_to_read(live, visitor, request)

        seat = await run_in_threadpool(find)
        if self._streams.get(visitor.address, 0) >= MAX_STREAMS:
            raise Mistake(429, "too_many", "too many streams are open", "close other windows")
        headers = {"cache-control": "no-store", "x-accel-buffering": "no"}
        return StreamingResponse(
            self._told(visitor, game, seat, since, chat), headers=headers, media_type="text/event-stream"
        )

    async def _told(
        self, visitor: Visitor, game: str, seat: str, since: int, chat: int
    ) -> AsyncIterator[str]:
        address = visitor.address
        self._streams[address] = self._streams.get(address, 0) + 1
        version = -1

        def news() -> tuple[list[str], list[dict[str, Any]], dict[str, Any] | None, int]:
            with self.table.hall.playing(game) as live:
                if seat != WATCHER:
                    # A seat that was given up is not read on.
                    demand_seat(live, visitor.holder, seat)
                texts = self.table.hall.messages_since(live, seat, since)
                if live.table_version == version:
                    return texts, [], None, version
                said = self.table.acts.chat_since(live, seat, chat)
                return texts, said, self._table_state(live, visitor), live.table_version

        try:
            yield "retry: 1000\n\n"
            with self.table.wakeups.sleeper(game) as changed:
                while not self.table.wakeups.stopped:
                    changed.clear()
                    try:
                        texts, said, state, version = await run_in_threadpool(news)
                    except Mistake as mistake:
                        yield f"data: {json.dumps(mistake.body())}\n\n"
                        return
                    for text in texts:
                        since += 1
                        yield f"id: {since}\ndata: {text}\n\n"
                    # What undo does not touch has no number of its own.
                    if said:
                        chat = said[-1]["id"]
                        yield f"data: {json.dumps({'chat': said}, ensure_ascii=False)}\n\n"
                    if state is not None:
                        yield f"data: {json.dumps({'table': state}, ensure_ascii=False)}\n\n"
                    try:
                        await asyncio.wait_for(changed.wait(), HEARTBEAT)
                    except TimeoutError:
                        yield ": alive\n\n"
        finally:
            self._streams[address] -= 1
            if not self._streams[address]:
                del self._streams[address]

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

    def odds(self, visitor: Visitor, request: Request, body: Body) -> Any:
        answers: Sequence[str] = [a for a in request.query_params.get("answers", "").split(",")[:20] if a]
        with self.table.hall.playing(request.path_params["game"]) as live:
            self._asked_seat(live, visitor, request)
            asked = self.table.workers.asked(live)
        return self.table.workers.odds(asked, answers)

    def advice(self, visitor: Visitor, request: Request, body: Body) -> Any:
        bot = checked_bot(request.query_params.get("bot", "greedy")[:40])
        with self.table.hall.playing(request.path_params["game"]) as live:
            seat = self._asked_seat(live, visitor, request)
            asked, position = self.table.workers.asked(live), live.line.here
        # Not the seed of the game: it would tell something of the dice.
        answer = self.table.workers.advice(asked, live.id, bot, 1)
        label = next((c.label for c in position.legal() if c.name == answer), answer)
        return {"bot": bot, "seat": seat, "answer": answer, "label": label}

    def _asked_seat(self, live: Live, visitor: Visitor, request: Request) -> str:
        seat = request.query_params.get("seat") or ""
        demand_seat(live, visitor.holder, seat)
        if live.over or live.line.here.to_move != seat:
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
            page = export_page(live, self.pages)
            name = f"{live.header['title']}-{live.id}.html"
        headers = {
            "content-disposition": f'attachment; filename="{name}"',
            "content-security-policy": "default-src 'none'; style-src 'unsafe-inline'; img-src data:; sandbox",
            "cache-control": "no-store",
        }
        return Response(page.encode(), headers=headers, media_type="text/html; charset=utf-8")
