"""Looking before an answer is given: what can be done with what is pointed at, what is not offered and why, what a rule says of places.

Who points while another answer arrives has made no mistake: there is nothing to tell then, and no error."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from grognard.errors import GrognardError
from grognard.play.overlays import explained, painted
from grognard.play.position import Position
from grognard.server.acts import MAX_GESTURE
from grognard.server.gestures import gestures, starts, ways_after
from grognard.server.hall import Hall
from grognard.server.live import Live
from grognard.server.mistakes import malformed, missing, refused
from grognard.server.preview import preview
from grognard.server.streams import seat_view
from grognard.server.together import asked_seats, seen_by
from grognard.server.web import Body, Visitor
from grognard.server.whynot import why_not
from starlette.requests import Request

#: Things that can be pointed at together.
MAX_POINTED = 4


class Looking:
    def __init__(self, hall: Hall, seat_to_read: Callable[[Live, Visitor, Request], str]) -> None:
        self.hall = hall
        self.seat_to_read = seat_to_read

    def gestures(self, visitor: Visitor, request: Request, body: Body) -> Any:
        if request.query_params.get("of") == "*":
            position = self._position(visitor, request)
            return starts(position) if position is not None else {"pieces": [], "places": []}
        wanted = [name[:200] for name in request.query_params.getlist("of")[:MAX_POINTED] if name]
        if not wanted:
            raise malformed("`of` is missing: what is pointed at")
        position = self._position(visitor, request)
        return gestures(position, wanted) if position is not None else {"ends": [], "acts": []}

    def ways(self, visitor: Visitor, request: Request, body: Body) -> Any:
        answers = [name[:200] for name in request.query_params.getlist("answer")[:MAX_GESTURE]]
        position = self._position(visitor, request)
        return ways_after(position, answers) if position is not None else {"ways": {}}

    def preview(self, visitor: Visitor, request: Request, body: Body) -> Any:
        answers = [name[:200] for name in request.query_params.getlist("answer")[:MAX_GESTURE]]
        with self.hall.playing(request.path_params["game"]) as live:
            seat = self.seat_to_read(live, visitor, request)
            own = seen_by(live.line, seat)
            asked, position, secrecy = seat in asked_seats(live.line), own.here, own.steps[-1].secrecy
        if live.over or not asked:
            return {"answers": [], "rolled": False, "reasons": []}
        return preview(position, answers, secrecy)

    def why_not(self, visitor: Visitor, request: Request, body: Body) -> Any:
        what = request.query_params.get("what", "")[:200]
        position = self._position(visitor, request)
        return why_not(position, what) if position is not None else {"what": what, "reasons": []}

    def overlay(self, visitor: Visitor, request: Request, body: Body) -> Any:
        """`rule`, with `from` (a counter) and `at` (a place) if it is asked from something; with `to`, the reasons for that place."""
        asked = {name: text[:200] for name, text in request.query_params.items()}
        with self.hall.playing(request.path_params["game"]) as live:
            seat = self.seat_to_read(live, visitor, request)
            view, side = seat_view(seen_by(live.line, seat).here, seat), self.hall.side(live, seat) or seat
        if view is None:
            raise refused("who watches is not told this in a game with secrets")
        rule, origin, at = asked.get("rule", ""), asked.get("from") or None, asked.get("at") or None
        try:
            if "to" in asked:
                return {"rule": rule, "reasons": explained(view, rule, origin, at, side, asked["to"])}
            return {"rule": rule, "places": painted(view, rule, origin, at, side)}
        except GrognardError as error:
            raise missing(str(error).partition("\n")[0]) from None

    def _position(self, visitor: Visitor, request: Request) -> Position | None:
        """The position of a seat that is asked; looked at without the game's lock, since a position never changes."""
        with self.hall.playing(request.path_params["game"]) as live:
            seat = self.seat_to_read(live, visitor, request)
            return seen_by(live.line, seat).here if not live.over and seat in asked_seats(live.line) else None
