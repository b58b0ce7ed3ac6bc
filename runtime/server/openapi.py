"""The requests of the table, described for programs: OpenAPI 3.1, at /api/openapi.json.

Bodies and queries are described here once; a test sends what the description allows, and what it does not."""

from __future__ import annotations

from typing import Any

from grognard.server.acts import MAX_GESTURE, UNDO_POLICIES
from grognard.server.agreements import MAX_CHANGES
from grognard.server.clocks import MAX_CLOCK
from grognard.server.limits import MAX_CHAT, MAX_KEY, MAX_NAME, MAX_NOTES

Schema = dict[str, Any]

TEXT: Schema = {"type": "string", "minLength": 1, "maxLength": 200}
NAME: Schema = {"type": "string", "maxLength": MAX_NAME}
KEY: Schema = {"type": "string", "minLength": 1, "maxLength": MAX_KEY, "description": "chosen by the client; sent twice, done once"}  # fmt: skip
NUMBER: Schema = {"type": "integer", "minimum": 0, "maximum": 10**9}
SEATS: Schema = {
    "type": "object",
    "maxProperties": 40,
    "additionalProperties": {"type": "string", "description": "me, open or bot:NAME"},
}
SECRET: Schema = {"type": "string", "minLength": 8, "maxLength": 200}
FLAG: Schema = {"type": "boolean"}


def _body(required: tuple[str, ...], more: bool = True, **fields: Schema) -> Schema:
    made: Schema = {"type": "object", "properties": fields, "required": list(required)}
    if not more:
        made["additionalProperties"] = False
    return made


CHANGE = _body(
    (),
    set=TEXT,
    create=TEXT,
    remove=TEXT,
    member=TEXT,
    fields={"type": "object", "maxProperties": 40},
)


def _act(*required: str, **fields: Schema) -> Schema:
    """The body of an act of a seat."""
    made = _body(("key", "seat", *required), key=KEY, seat=TEXT)
    made["properties"].update(fields)
    return made


#: (method, address) -> what it does, its body, its query
REQUESTS: dict[tuple[str, str], tuple[str, Schema | None, dict[str, Schema]]] = {
    ("get", "/api/titles"): ("the titles that can be played", None, {}),
    ("get", "/api/titles/{title}"): ("one title with its seats", None, {}),
    ("get", "/api/me"): ("the account of the visitor", None, {}),
    ("post", "/api/account"): ("make an account", _body(("name", "password"), name=NAME, password=SECRET), {}),
    ("post", "/api/login"): ("enter an account", _body(("name", "password"), name=NAME, password=SECRET), {}),
    ("post", "/api/logout"): ("leave it", _body(()), {}),
    ("post", "/api/password"): ("another password; ends all sessions", _body(("old", "new"), old=SECRET, new=SECRET), {}),
    ("get", "/api/games"): ("games of the visitor, and open ones", None, {}),
    ("post", "/api/games"): (
        "a new game",
        _body(
            ("title",), False, title=TEXT, scenario=TEXT, seats=SEATS, undo={"enum": list(UNDO_POLICIES)},
            seed={"type": "integer", "minimum": 0, "maximum": 2**63 - 1}, name=NAME, player=NAME,
            errata={"type": "array", "items": TEXT}, options={"type": "object"}, listed=FLAG,
            clock=_body((), False, total={"type": "integer", "minimum": 1, "maximum": MAX_CLOCK}, move={"type": "integer", "minimum": 1, "maximum": MAX_CLOCK}),
        ),
        {},
    ),
    ("post", "/api/import"): ("a game from a save", _body(("save",), save={"type": "string"}, seats=SEATS, player=NAME), {}),
    ("post", "/api/join"): ("sit down, by an invitation or on an open seat", _body((), invitation=TEXT, game=TEXT, seat=TEXT, name=NAME), {}),
    ("get", "/api/g/{game}"): ("what does not change in a game, and who sits at it", None, {}),
    ("get", "/api/g/{game}/snapshot"): ("all that a seat has been told, in one piece", None, {"seat": TEXT}),
    ("get", "/api/g/{game}/messages"): ("a stream as one reply", None, {"seat": TEXT, "since": NUMBER}),
    ("post", "/api/g/{game}/answer"): (
        "answer the question",
        _act("question", "answers", question=TEXT, n=NUMBER,
              answers={"type": "array", "items": TEXT, "minItems": 1, "maxItems": MAX_GESTURE}),
        {},
    ),
    ("post", "/api/g/{game}/undo"): ("take back", _act(to=NUMBER), {}),
    ("get", "/api/g/{game}/why"): ("why a line of the log happened", None, {"seat": TEXT, "line": NUMBER}),
    ("get", "/api/g/{game}/why-not"): ("why an answer is not offered", None, {"seat": TEXT, "what": TEXT}),
    ("get", "/api/g/{game}/gestures"): ("what can be done with what is pointed at", None, {"seat": TEXT, "of": TEXT}),
    ("get", "/api/g/{game}/ways"): ("ways and costs of the places that can be chosen", None, {"seat": TEXT, "answer": TEXT}),
    ("get", "/api/g/{game}/preview"): ("what comes into an answer: modifiers one by one, tables", None, {"seat": TEXT, "answer": TEXT}),
    ("get", "/api/g/{game}/overlay"): ("what a rule says of each place", None, {"seat": TEXT, "rule": TEXT, "from": TEXT, "at": TEXT, "to": TEXT}),
    ("get", "/api/g/{game}/at"): ("the snapshot after an earlier message, or after that which told a line of the log", None, {"seat": TEXT, "n": NUMBER, "line": NUMBER}),
    ("post", "/api/g/{game}/branch"): ("a new game from an earlier point", _body(("n",), n=NUMBER, seat=TEXT, seats=SEATS), {}),
    ("get", "/api/g/{game}/chat"): ("what was said", None, {"seat": TEXT, "since": NUMBER}),
    ("post", "/api/g/{game}/chat"): ("say something", _body(("key", "text"), key=KEY, text={"type": "string", "minLength": 1, "maxLength": MAX_CHAT}, seat=TEXT, line=NUMBER), {}),
    ("get", "/api/g/{game}/notes"): ("one's own notes", None, {}),
    ("post", "/api/g/{game}/notes"): ("write them", _body((), text={"type": "string", "maxLength": MAX_NOTES}), {}),
    ("post", "/api/g/{game}/seat"): ("leave a seat to others or to a bot", _body(("seat", "to"), seat=TEXT, to=TEXT), {}),
    ("post", "/api/g/{game}/resign"): ("resign", _act(), {}),
    ("post", "/api/g/{game}/draw"): ("offer a draw, or agree to one", _act(), {}),
    ("post", "/api/g/{game}/propose"): (
        "propose to take back or to change the position by hand",
        _act("kind", kind={"enum": ["undo", "edit"]}, to=NUMBER,
              changes={"type": "array", "items": CHANGE, "minItems": 1, "maxItems": MAX_CHANGES}),
        {},
    ),
    ("post", "/api/g/{game}/consent"): ("agree to what is proposed, or decline", _act("proposal", "agree", proposal=TEXT, agree=FLAG), {}),
    ("post", "/api/g/{game}/claim"): ("somebody's time is up: win, or let a bot take over", _act(what={"enum": ["win", "bot"]}, bot=TEXT), {}),
    ("get", "/api/g/{game}/odds"): ("what each choice costs and promises", None, {"seat": TEXT, "answers": TEXT}),
    ("get", "/api/g/{game}/advice"): ("the answer that a bot would give", None, {"seat": TEXT, "bot": TEXT}),
    ("get", "/api/g/{game}/trial"): ("what the rules as they are now would change", None, {"seat": TEXT}),
    ("get", "/api/g/{game}/save"): ("the save file", None, {}),
    ("get", "/api/g/{game}/stream"): ("the stream of a seat, as server-sent events", None, {"seat": TEXT, "since": NUMBER}),
    ("get", "/api/g/{game}/export.html"): ("a finished game as one page", None, {}),
}  # fmt: skip

#: What is not JSON.
OTHER = {"/api/g/{game}/stream": "text/event-stream", "/api/g/{game}/export.html": "text/html"}
#: Of these the query must be given.
NEEDED = {("/api/g/{game}/why", "line"), ("/api/g/{game}/odds", "seat"),
          ("/api/g/{game}/advice", "seat"), ("/api/g/{game}/why-not", "seat"), ("/api/g/{game}/gestures", "of"),
          ("/api/g/{game}/overlay", "rule")}  # fmt: skip


def description() -> dict[str, Any]:
    """The whole description."""
    paths: dict[str, Any] = {}
    for (method, path), (what, body, query) in REQUESTS.items():
        kind = OTHER.get(path, "application/json")
        operation: dict[str, Any] = {
            "summary": what,
            "operationId": f"{method}{path.replace('/', '_').replace('{', '').replace('}', '').replace('.', '_')}",
            "parameters": [
                {"name": name, "in": "path", "required": True, "schema": TEXT}
                for name in ("title", "game")
                if f"{{{name}}}" in path
            ]
            + [
                {"name": name, "in": "query", "required": (path, name) in NEEDED, "schema": schema}
                for name, schema in query.items()
            ],
            "responses": {
                "200": {"description": "done", "content": {kind: {"schema": {} if kind != "application/json" else {"type": "object"}}}},
                "4XX": {
                    "description": "a mistake, in words",
                    "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Mistake"}}},
                },
            },
        }  # fmt: skip
        if body is not None:
            operation["requestBody"] = {"required": True, "content": {"application/json": {"schema": body}}}
        paths.setdefault(path, {})[method] = operation
    mistake = _body(("error", "message"), error={"type": "string"}, message={"type": "string"}, hint={"type": "string"})  # fmt: skip
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "The table",
            "version": "1",
            "description": "Games of any title, by questions and answers.",
        },
        "paths": paths,
        "components": {
            "schemas": {"Mistake": mistake},
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
        },
        "security": [{"token": []}, {}],
    }
