"""Files that the page is made of, and the drawings of titles: whatever of both is installed."""

from __future__ import annotations

import gzip
import hashlib
import importlib
import importlib.resources
import json
import threading
from functools import lru_cache
from importlib.util import find_spec
from typing import Any

from grognard.engine import Engine
from grognard.errors import GrognardError, UnknownScenario
from grognard.server.library import Library
from grognard.server.mistakes import Mistake, conflict, missing
from grognard.server.pinning import Pinned
from grognard.server.web import Body, Visitor
from starlette.requests import Request
from starlette.responses import Response

TYPES = {
    "html": "text/html; charset=utf-8",
    "js": "text/javascript; charset=utf-8",
    "css": "text/css; charset=utf-8",
    "svg": "image/svg+xml",
    "json": "application/json; charset=utf-8",
    "webmanifest": "application/manifest+json",
}
PAGE, DRAWING = "grognard.web", "grognard.drawing"
#: what can be drawn: the file -> the function of the drawing package and whether it depends on the scenario
DRAWN = {"board.svg": "board_svg", "counters.svg": "counters_svg", "layout.json": "layout"}


class Pages:
    def __init__(self, library: Library, pinned: Pinned | None = None) -> None:
        self.library = library
        self.pinned = pinned
        self._drawn: dict[tuple[str, str, str], bytes] = {}
        self._lock = threading.Lock()

    # ---- the page

    def index(self, visitor: Visitor, request: Request, body: Body) -> Any:
        return self._file(request, "index.html")

    def static(self, visitor: Visitor, request: Request, body: Body) -> Any:
        return self._file(request, request.path_params["file"])

    def _file(self, request: Request, name: str) -> Response:
        if find_spec(PAGE) is None:
            raise missing("the page is not installed here", "the API is at /api")
        kind = TYPES.get(name.rpartition(".")[2])
        if kind is None or "/" in name or "\\" in name or name.startswith("."):
            raise missing("there is no such file")
        found = importlib.resources.files(PAGE).joinpath(name)
        if not found.is_file():
            raise missing("there is no such file")
        return _cached(request, found.read_bytes(), kind, "no-cache")

    # ---- drawings

    def board(self, visitor: Visitor, request: Request, body: Body) -> Any:
        what = request.path_params["what"]
        if what not in DRAWN:
            raise missing("there is no such drawing", f"there are {', '.join(DRAWN)}")
        title, scenario = request.path_params["title"], request.path_params["scenario"]
        data = self.drawing(title, scenario, what, request.query_params.get("rules"))
        return _cached(request, data, TYPES[what.rpartition(".")[2]], "no-cache")

    def prepare(self, title: str, scenario: str) -> None:
        """Begin to draw what the page of a new game will ask for."""

        def draw() -> None:
            for what in ("layout.json", "board.svg", "counters.svg"):
                try:
                    self.drawing(title, scenario, what)
                except (Mistake, GrognardError):
                    return

        threading.Thread(target=draw, name="grognard drawing", daemon=True).start()

    def drawing(self, title: str, scenario: str, what: str, rules: str | None = None) -> bytes:
        """A drawing of a title; made once as long as the rules stay the same.  `rules`: the fingerprint of an earlier
        version that games are played under."""
        if find_spec(DRAWING) is None:
            raise missing("nothing can be drawn here: the drawings are not installed")
        engine: Engine | None = None
        try:
            engine = self.library.engine(title)
            fingerprint = engine.fingerprint_of(scenario)
        except UnknownScenario as error:
            if rules is None:
                raise missing(str(error).partition("\n")[0]) from None
            fingerprint = ""
        if rules is not None and rules != fingerprint and self.pinned is not None:
            kept = self.pinned.engine(rules, scenario)
            if kept is not None:
                engine, fingerprint = kept, rules
        if engine is None or not fingerprint:
            raise missing(f"there is no scenario `{scenario[:80]}`")
        key = fingerprint, scenario, what
        with self._lock:
            if key not in self._drawn:
                draw = getattr(importlib.import_module(DRAWING), DRAWN[what])
                try:
                    made = draw(engine, scenario)
                except GrognardError as error:
                    raise conflict(f"{title} cannot be drawn: {error}", code="drawing") from None
                text = made if isinstance(made, str) else json.dumps(made, ensure_ascii=False)
                self._drawn[key] = text.encode()
            return self._drawn[key]


@lru_cache(maxsize=64)
def _packed(data: bytes) -> bytes:
    return gzip.compress(data, 6, mtime=0)


def _cached(request: Request, data: bytes, kind: str, policy: str) -> Response:
    """A file with its fingerprint: asked for again, it is not sent again.  Packed, if that is understood: nothing secret is in it."""
    tag = f'"{hashlib.blake2b(data, digest_size=12).hexdigest()}"'
    headers = {"etag": tag, "cache-control": policy, "vary": "accept-encoding"}
    if request.headers.get("if-none-match") == tag:
        return Response(status_code=304, headers=headers)
    if len(data) > 1000 and "gzip" in request.headers.get("accept-encoding", ""):
        data, headers["content-encoding"] = _packed(data), "gzip"
    return Response(data, headers=headers, media_type=kind)
