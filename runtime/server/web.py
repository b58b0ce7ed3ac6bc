"""HTTP as the table speaks it: who asks, what is sent, what may be sent; mistakes as JSON, never a traceback."""

from __future__ import annotations

import asyncio
import gzip
import json
import re
import secrets
import sys
import traceback
from collections.abc import Awaitable, Callable, Sequence
from typing import Any
from urllib.parse import urlsplit

from grognard.errors import GrognardError
from grognard.play.editing import Change
from grognard.server.desk import Desk, Dropped, Job
from grognard.server.limits import MAX_BODY, MAX_KEY, MAX_NAME, Rate
from grognard.server.mistakes import Mistake, conflict, malformed, refused
from grognard.server.store import digest
from grognard.support.suggest import hint_for
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

#: Shorter replies are not worth packing.
LEAST_PACKED = 4000
COOKIE = "grognard"
#: Seconds that a browser keeps its token: two years.
COOKIE_AGE = 2 * 365 * 24 * 3600
_TOKEN = re.compile(r"[A-Za-z0-9_-]{32,64}")

#: Scripts come from this server only and never stand in a page; styles may stand in pictures.
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data: blob:; "
    "connect-src 'self'; font-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
)
HEADERS = {
    "content-security-policy": POLICY,
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "x-frame-options": "DENY",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
}
#: What all visitors of one address may ask together, as a multiple of one visitor's.
HOST_SHARE = 20
LOOPBACK = ("localhost", "127.0.0.1", "::1")


class Visitor:
    """Who asks: known by a token that only their browser has."""

    def __init__(self, request: Request, holder_of: Callable[[str], str] = digest) -> None:
        self.request = request
        self._holder_of = holder_of
        bearer = request.headers.get("authorization", "")
        self.by_cookie = not bearer.startswith("Bearer ")
        token = request.cookies.get(COOKIE, "") if self.by_cookie else bearer.removeprefix("Bearer ")
        self.token: str | None = token if _TOKEN.fullmatch(token) else None
        #: a token that is to be given to the browser
        self.made: str | None = None

    @property
    def holder(self) -> str | None:
        """What the database knows them by."""
        return self._holder_of(self.token) if self.token is not None else None

    def known(self) -> str:
        """As `holder`; who has no token is refused."""
        if self.token is None:
            raise Mistake(401, "unknown", "you hold no seat here", "join by an invitation, or begin a game")
        return self._holder_of(self.token)

    def introduced(self) -> str:
        """As `holder`; who has no token gets one."""
        if self.token is None:
            self.token = self.made = secrets.token_urlsafe(32)
        return self._holder_of(self.token)

    @property
    def guest(self) -> str | None:
        """What a browser without an account holds seats by; None for one with an account."""
        holder = self.holder
        return holder if self.token is not None and holder == digest(self.token) else None

    def enter(self, token: str) -> None:
        """From now on the browser has this token: never one that somebody else could have planted before."""
        self.token = self.made = token

    @property
    def host(self) -> str:
        return self.request.client.host if self.request.client else "?"

    @property
    def address(self) -> str:
        return digest(self.token) if self.token is not None else self.host


class Body:
    """A request's JSON object, read field by field."""

    def __init__(self, fields: dict[str, Any]) -> None:
        self.fields = fields

    def only(self, names: Sequence[str], what: str) -> None:
        """Refuses fields that nothing would be done with."""
        for name in self.fields:
            if name not in names:
                shown = "".join(sign for sign in name[:80] if sign.isprintable())
                raise malformed(f"{what} has no `{shown}`", hint_for(name, names))

    def text(self, name: str, most: int = 200, *, lines: bool = False) -> str:
        value = self.maybe_text(name, most, lines=lines)
        if value is None or value == "":
            raise malformed(f"`{name}` is missing: it is a text")
        return value

    def maybe_text(self, name: str, most: int = 200, *, lines: bool = False) -> str | None:
        value = self.fields.get(name)
        if value is None:
            return None
        return clean(name, value, most, lines=lines)

    def secret(self, name: str) -> str:
        """A password: any signs, and never in a message."""
        value = self.fields.get(name)
        if not isinstance(value, str) or len(value) > 1000 or (not value.isascii() and not _encodable(value)):
            raise malformed(f"`{name}` is a text")
        return value

    def key(self) -> str:
        return self.text("key", MAX_KEY)

    def player(self) -> str | None:
        return self.maybe_text("player", MAX_NAME)

    def number(self, name: str, low: int, high: int) -> int | None:
        value = self.fields.get(name)
        if value is None:
            return None
        if type(value) is not int or not low <= value <= high:
            raise malformed(f"`{name}` is a whole number from {low} to {high}")
        return value

    def texts(self, name: str, most: int) -> list[str]:
        value = self.fields.get(name)
        if not isinstance(value, list) or not 0 < len(value) <= most:
            raise malformed(f"`{name}` is a list of 1 to {most} texts")
        return [clean(name, item, 200) for item in value]

    def changes(self, most: int) -> list[Change]:
        """Changes of a position: `{"set": "Unit", "member": "A1", "fields": {"at": "0404"}}`, `create`, `remove`."""
        value = self.fields.get("changes")
        if not isinstance(value, list) or not 0 < len(value) <= most:
            raise malformed(f"`changes` is a list of 1 to {most} changes")
        made = []
        for item in value:
            what = next(
                (w for w in ("set", "create", "remove") if isinstance(item, dict) and w in item), None
            )
            if what is None:
                raise malformed("a change has `set`, `create` or `remove` with what it is of")
            fields = item.get("fields", {})
            if not isinstance(fields, dict) or len(fields) > 40:
                raise malformed("`fields` is an object")
            for field, content in fields.items():
                clean("fields", field, 200)
                for part in content if isinstance(content, list) else [content]:
                    if isinstance(part, str):
                        clean(field, part, 200)
                    elif part is not None and not isinstance(part, int):
                        raise malformed(
                            f"`{field[:80]}` is a name, a number, true, false, null, or a list of names"
                        )
            member = item.get("member")
            made.append(
                Change(
                    what,
                    clean(what, item[what], 200),
                    None if member is None else clean("member", member, 200),
                    fields,
                )
            )
        return made

    def mapping(self, name: str) -> dict[str, str]:
        value = self.fields.get(name)
        if value is None:
            return {}
        if not isinstance(value, dict) or len(value) > 40:
            raise malformed(f"`{name}` is an object of texts")
        return {clean(name, key, 200): clean(name, item, 200) for key, item in value.items()}


def clean(name: str, value: Any, most: int, *, lines: bool = False) -> str:
    """A text from outside, as long as it may be and without what moves a cursor."""
    if not isinstance(value, str):
        raise malformed(f"`{name}` is a text")
    if len(value) > most:
        raise malformed(f"`{name}` is longer than {most} characters")
    for sign in value:
        if not (sign.isprintable() or (lines and sign in "\n\t")):
            raise malformed(f"`{name}` has signs in it that cannot be shown")
    return value


def _encodable(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def query_number(request: Request, name: str, default: int | None = None) -> int:
    text = request.query_params.get(name)
    if text is None and default is not None:
        return default
    if text is None or not re.fullmatch(r"-?[0-9]{1,9}", text):
        raise malformed(f"`{name}` is a whole number")
    return int(text)


class Gate:
    """What a request must be like before anything is done with it."""

    def __init__(
        self, hosts: tuple[str, ...] | None, rate: Rate, holder_of: Callable[[str], str] = digest
    ) -> None:
        #: names that the server answers to; None: any
        self.hosts = hosts
        self.rate = rate
        #: of an address, whatever tokens are sent from it: who makes up new ones gets no further by it
        self.host_rate = Rate(rate.per_second * HOST_SHARE, rate.burst * HOST_SHARE)
        self.holder_of = holder_of

    def visitor(self, request: Request) -> Visitor:
        return Visitor(request, self.holder_of)

    def check(self, request: Request, visitor: Visitor, cost: float) -> None:
        if not (self.rate.allows(visitor.address, cost) and self.host_rate.allows(visitor.host, cost)):
            raise Mistake(429, "too_many", "too many requests", "wait a moment")
        if request.method in ("GET", "HEAD"):
            return
        kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
        if kind != "application/json":
            # Forms of other pages cannot send this.
            raise Mistake(415, "content_type", "send JSON, with the content type application/json")
        origin = request.headers.get("origin")
        if origin is not None and urlsplit(origin).netloc != request.headers.get("host"):
            raise refused("this request comes from a page of another server")
        if request.headers.get("sec-fetch-site", "same-origin") not in ("same-origin", "none"):
            raise refused("this request comes from a page of another server")


async def read_body(request: Request, most: int = MAX_BODY) -> bytes:
    length = request.headers.get("content-length", "")
    if length.isdigit() and int(length[:12]) > most:
        raise Mistake(413, "too_large", f"at most {most} bytes can be sent")
    data = b""
    async for part in request.stream():
        data += part
        if len(data) > most:
            raise Mistake(413, "too_large", f"at most {most} bytes can be sent")
    return data


def parsed(data: bytes) -> dict[str, Any]:
    try:
        value = json.loads(data.decode("utf-8") or "{}")
    except (ValueError, RecursionError):
        raise malformed("the body is not JSON in UTF-8") from None
    if not isinstance(value, dict):
        raise malformed("the body is not a JSON object")
    return value


Work = Callable[[Visitor, Request, Body], Any]


def endpoint(
    gate: Gate, work: Work, *, cost: float = 1.0, most: int = MAX_BODY
) -> Callable[[Request], Awaitable[Response]]:
    """A request that is answered by a function, in a thread of its own."""

    async def answer(request: Request) -> Response:
        visitor = gate.visitor(request)
        gate.check(request, visitor, cost)
        body = Body({} if request.method in ("GET", "HEAD") else parsed(await read_body(request, most)))
        made = await run_in_threadpool(work, visitor, request, body)
        response = made if isinstance(made, Response) else json_response(made)
        if visitor.made is not None:
            response.set_cookie(
                COOKIE,
                visitor.made,
                max_age=COOKIE_AGE,
                path="/",
                httponly=True,
                samesite="lax",
                secure=request.url.scheme == "https",
            )
        return response

    return answer


#: Seconds that a person waits for odds, and between looks whether they still do.
PATIENCE = 60.0
LOOK = 0.3

Asking = Callable[[Visitor, Request], tuple[Job, Callable[[Any], Any]]]


def asking(gate: Gate, begin: Asking, *, cost: float) -> Callable[[Request], Awaitable[Response]]:
    """A request that is answered from the desk.  Who goes away meanwhile has dropped it."""

    async def answer(request: Request) -> Response:
        visitor = gate.visitor(request)
        gate.check(request, visitor, cost)
        job, told = await run_in_threadpool(begin, visitor, request)
        waited = 0.0
        done = asyncio.wrap_future(job.future)
        while not done.done():
            await asyncio.wait((done,), timeout=LOOK)
            waited += LOOK
            if not done.done() and (waited > PATIENCE or await request.is_disconnected()):
                Desk.drop(job)
                done.add_done_callback(lambda future: future.exception())
                raise conflict("this takes too long here", code="too_long")
        try:
            return json_response(told(done.result()))
        except Dropped:
            raise conflict("something newer was asked instead", code="dropped") from None
        except GrognardError as error:
            raise conflict(str(error).partition("\n")[0]) from None

    return answer


def json_response(value: Any, status: int = 200) -> Response:
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    return Response(
        text.encode(), status, {"cache-control": "no-store"}, media_type="application/json; charset=utf-8"
    )


def packed_response(request: Request, value: Any) -> Response:
    """As `json_response`, packed if that is understood.  Only for what no other person can write texts into: else its length
    could be made to tell something of the rest."""
    response = json_response(value)
    if len(response.body) < LEAST_PACKED or "gzip" not in request.headers.get("accept-encoding", ""):
        return response
    data = gzip.compress(bytes(response.body), 4, mtime=0)
    headers = {"cache-control": "no-store", "content-encoding": "gzip", "vary": "accept-encoding"}
    return Response(data, headers=headers, media_type="application/json; charset=utf-8")


async def on_mistake(request: Request, mistake: Exception) -> Response:
    assert isinstance(mistake, Mistake)
    return json_response(mistake.body(), mistake.status)


async def on_http(request: Request, problem: Exception) -> Response:
    assert isinstance(problem, HTTPException)
    words = {404: "there is nothing at this address", 405: "this address does not take such requests"}
    code = {404: "missing", 405: "method"}.get(problem.status_code, "refused")
    response = json_response(
        {"error": code, "message": words.get(problem.status_code, str(problem.detail))}, problem.status_code
    )
    for name, value in (problem.headers or {}).items():
        response.headers[name] = value
    return response


class Shell:
    """Around everything: headers of safety, the names that the server answers to, and faults of its own in one sentence."""

    def __init__(self, app: ASGIApp, hosts: tuple[str, ...] | None = None) -> None:
        self.app = app
        self.hosts = hosts

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        begun = False

        async def guarded(message: Message) -> None:
            nonlocal begun
            if message["type"] == "http.response.start":
                begun = True
                known = {name.lower() for name, _ in message["headers"]}
                message["headers"] = [
                    *message["headers"],
                    *((k.encode(), v.encode()) for k, v in HEADERS.items() if k.encode() not in known),
                ]
            await send(message)

        if self.hosts is not None and self._host(scope) not in self.hosts:
            response: Response = JSONResponse(
                {"error": "host", "message": "this server does not answer to that name"}, 421
            )
            await response(scope, receive, guarded)
            return
        try:
            await self.app(scope, receive, guarded)
        except ClientDisconnect:
            return
        except Exception:
            # Told in full where the server's log goes, and to nobody else.
            traceback.print_exc(file=sys.stderr)
            if not begun:
                fault = {"error": "fault", "message": "the server has a fault: please report it"}
                await JSONResponse(fault, 500)(scope, receive, guarded)

    @staticmethod
    def _host(scope: Scope) -> str:
        for name, value in scope["headers"]:
            if name == b"host":
                text: str = value.decode("latin-1")
                return (urlsplit(f"//{text}").hostname or "") if not re.search(r"[/?#@]", text) else ""
        return ""
