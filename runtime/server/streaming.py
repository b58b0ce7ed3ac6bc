"""Streams of seats as server-sent events: what was missed, then what comes, as long as the connection lasts."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Sequence
from typing import Any

from grognard.server.acts import demand_seat
from grognard.server.limits import HEARTBEAT, MAX_STREAMS
from grognard.server.live import Live
from grognard.server.mistakes import Mistake
from grognard.server.streams import WATCHER
from grognard.server.table import Table
from grognard.server.web import Visitor, query_number
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse


class Streaming:
    def __init__(
        self,
        table: Table,
        seat_to_read: Callable[[Live, Visitor, Request], str],
        table_state: Callable[[Live, Visitor], dict[str, Any]],
        clock: Callable[[Live, Sequence[str]], dict[str, Any] | None],
    ) -> None:
        self.table = table
        self.seat_to_read = seat_to_read
        self.table_state = table_state
        self.clock = clock
        #: tells of rules that are being written: (title, game, number told) -> (news, number)
        self.rules_news: Callable[[str, str, int], tuple[dict[str, Any] | None, int]] | None = None
        #: open streams by visitor
        self._streams: dict[str, int] = {}

    async def stream(self, request: Request) -> Response:
        visitor = self.table.gate.visitor(request)
        self.table.gate.check(request, visitor, 2)
        last = request.headers.get("last-event-id", "")
        since = int(last) if last.isdigit() and len(last) < 10 else query_number(request, "since", -1)
        chat = query_number(request, "chat", -1)
        game = request.path_params["game"]

        def find() -> str:
            with self.table.hall.playing(game) as live:
                return self.seat_to_read(live, visitor, request)

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
        version, rules = -1, -1
        title = ""

        def rules_news() -> dict[str, Any] | None:
            nonlocal rules
            if self.rules_news is None:
                return None
            told, rules = self.rules_news(title, game, rules)
            return told

        def news() -> tuple[list[str], list[dict[str, Any]], dict[str, Any] | None, int]:
            nonlocal title
            with self.table.hall.playing(game) as live:
                title = live.header["title"]
                if seat != WATCHER:
                    # A seat that was given up is not read on.
                    demand_seat(live, visitor.holder, seat)
                texts = self.table.hall.messages_since(live, seat, since)
                if live.table_version == version:
                    clock = self.clock(live, live.held_by(visitor.holder)) if texts else None
                    return texts, [], None if clock is None else {"clock": clock}, version
                said = self.table.acts.chat_since(live, seat, chat)
                return texts, said, self.table_state(live, visitor), live.table_version

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
                    written = rules_news()
                    if written is not None:
                        yield f"data: {json.dumps({'rules': written}, ensure_ascii=False)}\n\n"
                    try:
                        await asyncio.wait_for(changed.wait(), HEARTBEAT)
                    except TimeoutError:
                        yield ": alive\n\n"
        finally:
            self._streams[address] -= 1
            if not self._streams[address]:
                del self._streams[address]
