"""Requests that come twice, late, out of order, from strangers or as nonsense."""

from __future__ import annotations

import json
import random
import secrets
from typing import Any

import pytest
from grognard.server.app import Table, make_app, make_table
from grognard.server.library import Library
from grognard.server.limits import Rate
from grognard.server.store import Store
from starlette.testclient import TestClient
from table_client import Eyes, Player


def names(eyes: Eyes) -> list[str]:
    return [choice["name"] for choice in eyes.question["choices"]]


def test_sent_twice_is_done_once(player: Player) -> None:
    game = player.create("connect_four")
    red, yellow = (Eyes(player, game, seat).look() for seat in ("red", "yellow"))
    first = player.answer(game, red, "C1", key="once")
    assert player.answer(game, red, "C1", key="once") == first
    yellow.look()
    assert yellow.n == 1 and yellow.view["Square"]["C2"]["disc"] is None
    # Under another key it is an answer to a question that is not asked any more.
    stale = player.answer(game, red, "C1", status=409, key="twice")
    assert stale["error"] == "stale" and [m["n"] for m in stale["messages"]] == [1]
    red.take(stale["messages"][0])
    assert red.look().n == stale["n"]


def test_the_same_question_put_again_is_another_one(player: Player) -> None:
    """A double click must not answer the next question, even if that looks the same."""
    game = player.create("connect_four", undo="free")
    red = Eyes(player, game, "red").look()
    before = red.question
    player.answer(game, red, "C1")
    player.post(f"/api/g/{game}/undo", {"key": "u", "seat": "red"})
    now = red.look().question
    assert names(red) == [choice["name"] for choice in before["choices"]] and now["id"] != before["id"]
    red.last["question"] = before
    assert player.answer(game, red, "C1", status=409)["error"] == "stale"


def test_a_gesture_is_taken_whole_or_not_at_all(player: Player) -> None:
    game = player.create("breakthrough")
    white = Eyes(player, game, "white").look()
    piece = names(white)[0]
    refused = player.answer(game, white, piece, "nowhere", status=409)
    assert refused["error"] == "illegal"
    assert player.get(f"/api/g/{game}/snapshot", seat="white")["n"] == 0
    player.answer(game, white, piece)
    to = names(white.look())[0]
    player.post(f"/api/g/{game}/undo", {"key": "back", "seat": "white"})
    n = white.look().n
    player.answer(game, white, piece, to)
    white.look()
    assert white.n == n + 1 and white.question is None, "one gesture, one message"
    # What follows the gesture belongs to somebody else.
    black = Eyes(player, game, "black").look()
    one, two = names(black)[0], "x"
    player.answer(game, black, one, two, status=409)
    assert Eyes(player, game, "black").look().n == black.n


def test_undo_goes_as_far_as_nothing_was_learnt(player: Player) -> None:
    game = player.create("skirmish", seed=1)
    german, soviet = (Eyes(player, game, seat) for seat in ("german", "soviet"))
    for eyes, name in ((german, "hold"), (soviet, "hold"), (german, "march"), (german, "A")):
        player.answer(game, eyes.look(), name)
    start = german.look().last["undo"]
    assert start is not None
    player.answer(game, german, names(german)[0])
    player.post(f"/api/g/{game}/undo", {"key": "1", "seat": "german", "to": start})
    assert "march" in names(german.look()) and german.view["Unit"]["A"]["spent"] is False
    german.check(player.get(f"/api/g/{game}/snapshot", seat="german"))
    # Dice fall: from there nobody goes back.
    for name in ("shoot", "T"):
        player.answer(game, german.look(), name)
    asked = next(eyes for eyes in (german.look(), soviet.look()) if eyes.question is not None)
    assert asked.last["undo"] is None
    told = player.post(f"/api/g/{game}/undo", {"key": "2", "seat": asked.seat}, status=409)
    assert told["error"] == "undo"


def test_nothing_is_taken_back_where_the_table_says_so(player: Player) -> None:
    game = player.create("connect_four", undo="none")
    red = Eyes(player, game, "red").look()
    player.answer(game, red, "C1")
    assert player.post(f"/api/g/{game}/undo", {"key": "1", "seat": "red"}, status=409)["error"] == "undo"


def test_seats_are_held_by_tokens(client: TestClient, player: Player) -> None:
    made = player.post("/api/games", {"title": "skirmish", "seats": {"soviet": "open"}})
    game, link = made["game"], made["invitations"]["soviet"]
    stranger = Player(client, secrets.token_urlsafe(32))
    eyes = Eyes(player, game, "german").look()
    for seat in ("german", "soviet"):
        stranger.get(f"/api/g/{game}/snapshot", 403, seat=seat)
        stranger.get(f"/api/g/{game}/messages", 403, seat=seat, since=-1)
        body = {"key": "k", "seat": seat, "question": eyes.question["id"], "answers": ["hold"]}
        stranger.post(f"/api/g/{game}/answer", body, 403)
    assert stranger.get(f"/api/g/{game}")["invitations"] == {}
    # Who watches a game with secrets sees nothing of the board.
    assert stranger.get(f"/api/g/{game}/snapshot")["view"] == {}
    assert stranger.post("/api/join", {"invitation": link, "name": "Ivan"})["seats"] == ["soviet"]
    assert Player(client, secrets.token_urlsafe(32)).post("/api/join", {"invitation": link}, 409)
    own = Eyes(stranger, game, "soviet").look()
    assert "H" in own.view["Unit"] and "H" not in eyes.view["Unit"]
    player.get(f"/api/g/{game}/snapshot", 403, seat="soviet")
    player.get(f"/api/g/{game}/save", 403)
    player.post(f"/api/g/{game}/branch", {"seat": "german", "n": 0}, 403)
    forged = link[:-1] + ("0" if link[-1] != "0" else "1")
    stranger.post("/api/join", {"invitation": forged}, 404)


def test_talk_resign_and_draw(client: TestClient, player: Player) -> None:
    made = player.post("/api/games", {"title": "skirmish", "seats": {"soviet": "open"}, "player": "Anna"})
    game = made["game"]
    other = Player(client, secrets.token_urlsafe(32))
    other.post("/api/join", {"invitation": made["invitations"]["soviet"], "name": "Boris"})
    eyes = Eyes(player, game, "german").look()
    player.answer(game, eyes, "advance")
    secret = next(line["id"] for line in eyes.look().log if line.get("secret"))
    body = {"key": "c", "text": "<b>look</b>", "line": secret}
    assert player.post(f"/api/g/{game}/chat", body) == player.post(f"/api/g/{game}/chat", body)
    (mine,) = player.get(f"/api/g/{game}/chat", seat="german")["chat"]
    (theirs,) = other.get(f"/api/g/{game}/chat", seat="soviet")["chat"]
    assert mine["quote"]["line"] == secret and mine["name"] == "Anna" and mine["text"] == "<b>look</b>"
    assert "quote" not in theirs, "what is quoted may be a secret"
    player.post(f"/api/g/{game}/notes", {"text": "mine"})
    assert player.get(f"/api/g/{game}/notes") == {"text": "mine"}
    assert other.get(f"/api/g/{game}/notes") == {"text": ""}
    assert player.post(f"/api/g/{game}/draw", {"key": "d", "seat": "german"})["offers"] == ["german"]
    assert player.get(f"/api/g/{game}")["state"] == "playing"
    other.post(f"/api/g/{game}/resign", {"key": "r", "seat": "soviet"})
    last = eyes.look().last
    assert last["status"] == "over" and last["outcome"] == {
        "winner": "german",
        "how": "resigned",
        "seat": "soviet",
    }


def test_a_branch_leaves_the_game_alone(player: Player) -> None:
    game = player.create("connect_four")
    red, yellow = (Eyes(player, game, seat) for seat in ("red", "yellow"))
    player.answer(game, red.look(), "C1")
    player.answer(game, yellow.look(), "C2")
    made = player.post(f"/api/g/{game}/branch", {"seat": "red", "n": 1})["game"]
    other = Eyes(player, made, "yellow").look()
    assert other.question is not None and other.view["Square"]["C1"]["disc"] == "red"
    player.answer(made, other, "D1")
    assert yellow.look().view["Square"]["D1"]["disc"] is None


def test_the_point_at_which_a_line_was_told(player: Player) -> None:
    """Each line of the log leads to the message that told it, also behind an undo; a spectator has lines of their own."""
    game = player.create("skirmish", seed=2, undo="free")
    seats = [Eyes(player, game, seat).look() for seat in ("german", "soviet")]
    for number in range(12):
        eyes = next(eyes for eyes in seats if eyes.question is not None)
        if number == 6:
            player.post(f"/api/g/{game}/undo", {"key": "back", "seat": eyes.seat})
        else:
            player.answer(game, eyes, eyes.question["choices"][0]["name"])
        for one in seats:
            one.look()
    for eyes in seats:
        lines = player.get(f"/api/g/{game}/snapshot", seat=eyes.seat)["log"]
        points = set[int]()
        for line in lines:
            then = player.get(f"/api/g/{game}/at", seat=eyes.seat, line=line["id"])
            assert [one["text"] for one in then["log"]] == [one["text"] for one in lines[: len(then["log"])]]
            assert then["log"][line["id"]]["text"] == line["text"]
            points.add(then["n"])
        assert len(points) > 3
        player.get(f"/api/g/{game}/at", 404, seat=eyes.seat, line=len(lines))


def test_bots_play_in_the_background(player: Player) -> None:
    game = player.create("connect_four", seats={"yellow": "bot:random"})
    red = Eyes(player, game, "red").look()
    for _ in range(3):
        player.answer(game, red, random.Random(1).choice(names(red)))
        for _ in range(400):
            if red.look().question is not None or red.last["status"] == "over":
                break
            player.client.portal.call(_a_moment)  # type: ignore[union-attr]
        assert red.question is not None
    assert sum(square["disc"] == "yellow" for square in red.view["Square"].values()) == 3


async def _a_moment() -> None:
    import anyio

    await anyio.sleep(0.02)


def test_why(player: Player) -> None:
    game = player.create("skirmish", seed=1)
    german, soviet = (Eyes(player, game, seat) for seat in ("german", "soviet"))
    for eyes, name in ((german, "hold"), (soviet, "hold"), (german, "shoot"), (german, "T")):
        player.answer(game, eyes.look(), name)
    rolled = next(line["id"] for line in german.look().log if line["kind"] == "roll")
    told = player.get(f"/api/g/{game}/why", seat="german", line=rolled)
    assert "2d6" in json.dumps(told) and "file" not in json.dumps(told)
    assert player.get(f"/api/g/{game}/why", 404, seat="german", line=9999)["error"] == "missing"


# ------------------------------------------------------------------------------------------------- nonsense

NONSENSE: list[Any] = [
    None,
    True,
    -1,
    10**30,
    1.5,
    "",
    "x" * 300,
    "\ud800",
    "\x00",
    [],
    [[]],
    {},
    {"a": {}},
    ["me"] * 300,
]


def test_an_order_that_would_not_be_carried_out_is_refused(player: Player) -> None:
    for more, word in (
        ({"options": {"fog": True}}, "fog"),
        ({"options": ["fog"]}, "options"),
        ({"undoo": "free"}, "undoo"),
    ):
        told = player.post("/api/games", {"title": "connect_four", **more}, status=400)
        assert word in told["message"]
    assert not player.get("/api/games")["games"]


def test_nonsense_is_refused_in_words(client: TestClient, player: Player) -> None:
    game = player.create("connect_four")
    question = Eyes(player, game, "red").look().question["id"]
    good: dict[str, dict[str, Any]] = {
        "/api/games": {"title": "connect_four", "scenario": "standard", "seats": {"red": "me"}, "undo": "fair", "seed": 1, "name": "x", "errata": []},
        "/api/join": {"invitation": f"{game}.0", "name": "x"},
        "/api/import": {"save": "{}", "seats": {}},
        f"/api/g/{game}/answer": {"key": "k", "seat": "red", "question": question, "answers": ["Z9"]},
        f"/api/g/{game}/undo": {"key": "k", "seat": "red", "to": 3},
        f"/api/g/{game}/branch": {"seat": "red", "n": 5, "seats": {}},
        f"/api/g/{game}/chat": {"key": "k", "text": "hm", "line": 99, "seat": "red"},
        f"/api/g/{game}/seat": {"seat": "red", "to": "nobody"},
        f"/api/g/{game}/resign": {"key": "k", "seat": "blue"},
        f"/api/g/{game}/draw": {"key": "k", "seat": "blue"},
    }  # fmt: skip
    for path, body in good.items():
        for field in body:
            for value in NONSENSE:
                data = json.dumps({**body, field: value}).encode()
                reply = client.post(
                    path, content=data, headers={**player.headers, "content-type": "application/json"}
                )
                assert reply.status_code < 500, (path, field, value, reply.text)
                if reply.status_code >= 400:
                    assert set(reply.json()) >= {"error", "message"}
        for data in (b"", b"[]", b"{", b"\xff", b"[" * 50_000, b"1" * 5000, b"x" * 70_000):
            headers = {**player.headers, "content-type": "application/json"}
            if path == "/api/import" and len(data) == 70_000:
                continue
            assert 400 <= client.post(path, content=data, headers=headers).status_code < 500
    for path in ("snapshot", "stream", "at", "why", "why-not", "odds", "advice", "messages", "chat"):
        for query in (
            "",
            "?seat=nobody",
            "?seat=yellow&n=-5&line=x&what=",
            "?n=99999999999999999999&line=1&since=z",
        ):
            if path == "stream" and "since=z" not in query:
                # A stream that is granted does not end.
                continue
            assert client.get(f"/api/g/{game}/{path}{query}", headers=player.headers).status_code < 500
    for path in (
        "/api/g/none/snapshot",
        "/api/nothing",
        "/board/no/no/board.svg",
        "/static/..%2fsetup.py",
        "/static/x.py",
    ):
        reply = client.get(path, headers=player.headers)
        assert reply.status_code == 404 and reply.json()["error"] == "missing"
    assert player.get(f"/api/g/{game}/snapshot", seat="red")["status"] == "playing"


def test_requests_of_other_pages_are_refused(client: TestClient, player: Player) -> None:
    body = {"title": "connect_four"}
    for headers, status in (
        ({"origin": "http://evil.example"}, 403),
        ({"sec-fetch-site": "cross-site"}, 403),
        ({"origin": "http://localhost"}, 200),
    ):
        assert client.post("/api/games", json=body, headers=headers).status_code == status
    form = {"content-type": "text/plain"}
    assert client.post("/api/games", content=json.dumps(body), headers=form).status_code == 415
    cookie = client.post("/api/games", json=body, headers={"cookie": ""}).headers.get("set-cookie", "")
    if cookie:
        assert "HttpOnly" in cookie and "SameSite=lax" in cookie
    policy = client.get("/api/games").headers["content-security-policy"]
    assert "script-src 'self';" in policy and "default-src 'none'" in policy


def test_names_and_rates(database: str, library: Library) -> None:
    table: Table = make_table(Store(database), library, hosts=("localhost",), rate=Rate(0.001, 5))
    with TestClient(make_app(table), base_url="http://localhost") as client:  # type: ignore[arg-type]
        assert client.get("/api/games", headers={"host": "evil.example"}).status_code == 421
        assert [client.get("/api/games").status_code for _ in range(6)] == [200] * 5 + [429]


@pytest.mark.parametrize("title", ["skirmish"])
def test_duplicates_and_reorders_do_no_harm(player: Player, title: str) -> None:
    """Every request is sent again later, in any order: the game is that of the first of each."""
    game = player.create(title, seed=4)
    picker = random.Random(9)
    sent: list[tuple[dict[str, Any], int, Any]] = []
    seats = [Eyes(player, game, seat).look() for seat in ("german", "soviet")]
    for _ in range(40):
        eyes = next((eyes for eyes in seats if eyes.question is not None), None)
        if eyes is None:
            break
        name = picker.choice(names(eyes))
        body = {
            "key": secrets.token_hex(8),
            "seat": eyes.seat,
            "question": eyes.question["id"],
            "answers": [name],
        }
        sent.append((body, 200, player.post(f"/api/g/{game}/answer", body)))
        body, status, reply = picker.choice(sent)
        assert player.post(f"/api/g/{game}/answer", body, status) == reply
        player.post(f"/api/g/{game}/answer", {**body, "key": secrets.token_hex(8)}, 409)
        for eyes in seats:
            eyes.look()
    for eyes in seats:
        eyes.check(player.get(f"/api/g/{game}/snapshot", seat=eyes.seat))
