"""Taking back and changing by consent of all persons, and clocks."""

from __future__ import annotations

import secrets
from typing import Any

import pytest
from grognard.server.app import Table
from starlette.testclient import TestClient
from table_client import Eyes, Player


def two(client: TestClient, title: str, **more: Any) -> tuple[str, dict[str, Player], dict[str, Eyes]]:
    """A game of two persons, with their eyes."""
    one, other = (Player(client, secrets.token_urlsafe(32)) for _ in range(2))
    seats = [s["seat"] for s in one.get(f"/api/titles/{title}")["scenarios"][0]["seats"]]
    made = one.post("/api/games", {"title": title, "seats": {seats[0]: "me", seats[1]: "open"}, **more})
    other.post("/api/join", {"invitation": made["invitations"][seats[1]]})
    players = dict(zip(seats, (one, other)))
    return made["game"], players, {seat: Eyes(players[seat], made["game"], seat).look() for seat in seats}


def after_orders(players: dict[str, Player], game: str) -> None:
    """The secret orders that the skirmish begins with are given."""
    for seat in ("german", "soviet"):
        players[seat].answer(game, Eyes(players[seat], game, seat).look(), "hold")


def act(player: Player, game: str, request: str, status: int = 200, **body: Any) -> Any:
    return player.post(f"/api/g/{game}/{request}", {"key": secrets.token_hex(8), **body}, status)


def test_an_undo_that_is_not_fair_needs_all(client: TestClient) -> None:
    game, players, eyes = two(client, "connect_four", seed=1)
    first, second = eyes
    for seat, column in ((first, 3), (second, 4), (first, 3)):
        asked = eyes[seat].look()
        players[seat].answer(game, asked, asked.question["choices"][column]["name"])
    for seen in eyes.values():
        seen.look()
    act(players[first], game, "undo", 409, seat=first, to=0)
    asked_for = act(players[first], game, "propose", seat=first, kind="undo", to=0)["proposal"]
    told = players[second].get(f"/api/g/{game}")["proposal"]
    assert told["kind"] == "undo" and told["seat"] == first and told["agreed"] == [first]
    assert told["keep"][second] < len(eyes[second].log)
    act(players[second], game, "propose", 409, seat=second, kind="undo", to=0)
    act(players[second], game, "consent", seat=second, proposal=asked_for, agree=True)
    for seen in eyes.values():
        seen.look()
    assert len(eyes[second].log) == told["keep"][second] and eyes[first].question is not None
    assert players[first].get(f"/api/g/{game}")["proposal"] is None
    # What is declined is gone, and so is what the game has gone on without.
    players[first].answer(game, eyes[first], eyes[first].question["choices"][0]["name"])
    refused = act(players[first], game, "propose", seat=first, kind="undo")["proposal"]
    act(players[second], game, "consent", seat=second, proposal=refused, agree=False)
    act(players[second], game, "consent", 409, seat=second, proposal=refused, agree=True)
    act(players[first], game, "propose", seat=first, kind="undo")
    players[second].answer(game, eyes[second].look(), eyes[second].question["choices"][0]["name"])
    assert players[first].get(f"/api/g/{game}")["proposal"] is None


def test_a_position_is_changed_by_hand(player: Player, table: Table) -> None:
    """Alone at the table: at once, logged, kept, taken back; the game goes on from there."""
    game = player.create("skirmish", seed=1, undo="free")
    change = {"set": "Unit", "member": "A", "fields": {"at": "0101"}}
    assert act(player, game, "propose", 409, seat="german", kind="edit", changes=[change])["error"] == "edit"
    after_orders({"german": player, "soviet": player}, game)
    eyes = Eyes(player, game, "german").look()
    before = eyes.n
    unit, fields = next(
        (name, dict(unit)) for name, unit in eyes.view["Unit"].items() if unit["side"] == "german"
    )
    places = sorted({u["at"] for u in eyes.view["Unit"].values() if u["at"]} - {fields["at"]})
    changes = [{"set": "Unit", "member": unit, "fields": {"at": places[0]}}]
    reply = act(player, game, "propose", seat="german", kind="edit", changes=changes)
    assert reply["done"]
    eyes.look()
    assert eyes.view["Unit"][unit]["at"] == places[0]
    assert any(line["kind"] == "edit" and places[0] in line["text"] for line in eyes.log)
    table.hall.forget(game)
    eyes.check(player.get(f"/api/g/{game}/snapshot", seat="german"))
    act(player, game, "propose", seat="german", kind="edit", changes=[{"remove": "Unit", "member": unit}])
    assert unit not in eyes.look().view["Unit"]
    for seat in ("german", "soviet") * 3:
        seen = Eyes(player, game, seat).look()
        if seen.question is not None:
            player.answer(game, seen, seen.question["choices"][0]["name"])
    act(player, game, "undo", seat="german", to=before)
    assert eyes.look().view["Unit"][unit]["at"] == fields["at"]
    player.get(f"/api/g/{game}/save", 200)
    act(player, game, "propose", seat="german", kind="edit", changes=changes)
    assert player.get(f"/api/g/{game}/save", 409)["error"] == "edited"
    branch = player.post(f"/api/g/{game}/branch", {"seat": "german", "n": eyes.look().n, "seats": {}})["game"]
    assert Eyes(player, branch, "german").look().view["Unit"][unit]["at"] == places[0]


@pytest.mark.parametrize(
    "change",
    [
        {"set": "Unit", "member": "nobody", "fields": {"at": "0101"}},
        {"set": "Unit", "member": "A", "fields": {"at": "nowhere"}},
        {"set": "Unit", "member": "A", "fields": {"nothing": 1}},
        {"set": "Nothing", "member": "A", "fields": {}},
        {"set": "game", "fields": {"round": 10**12}},
        {"set": "Unit", "member": "A", "fields": {"side": 3}},
        {"set": "Unit", "member": "A", "fields": {"at": {"deep": 1}}},
        {"drop": "Unit"},
        "text",
    ],
)
def test_a_change_that_cannot_be(player: Player, change: Any) -> None:
    game = player.create("skirmish", seed=1)
    after_orders({"german": player, "soviet": player}, game)
    reply = act(player, game, "propose", 400, seat="german", kind="edit", changes=[change])
    assert reply["error"] == "malformed" and reply["message"]


def test_what_can_be_hidden_is_not_changed_among_several(client: TestClient) -> None:
    """The same words whether the enemy has it there or not; what all see can be changed when all agree."""
    game, players, _eyes = two(client, "skirmish", seed=1)
    after_orders(players, game)
    for name in ("H", "nobody"):
        change = {"set": "Unit", "member": name, "fields": {"at": "0101"}}
        reply = act(players["german"], game, "propose", 400, seat="german", kind="edit", changes=[change])
        assert reply["message"] == f"there is no Unit `{name}` in play"
    change = {"set": "Unit", "member": "A", "fields": {"spent": True}}
    act(players["german"], game, "propose", 403, seat="german", kind="edit", changes=[change])


def test_a_clock_lets_the_others_go_on(client: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody's time runs while a seat is open; when it is up, the others win or a bot takes over."""
    from grognard.server import agreements, clocks, hall

    now = [1000.0]
    for module in (agreements, clocks, hall):
        monkeypatch.setattr(module.time, "time", lambda: now[0])
    game, players, eyes = two(client, "connect_four", clock={"total": 100, "move": 60})
    first, second = eyes
    now[0] += 50
    act(players[second], game, "claim", 409, seat=second)
    players[first].answer(game, eyes[first].look(), eyes[first].question["choices"][0]["name"])
    clock = players[first].get(f"/api/g/{game}")["clock"]
    assert clock["spent"] == {first: 50.0, second: 0.0} and clock["asked"] == [second]
    now[0] += 61
    act(players[second], game, "claim", 409, seat=second)
    act(players[first], game, "claim", seat=first, what="bot", bot="random")
    seats = {seat["seat"]: seat["kind"] for seat in players[first].get(f"/api/g/{game}")["seats"]}
    assert seats == {first: "person", second: "bot"}
    game, players, eyes = two(client, "connect_four", clock={"total": 100})
    now[0] += 101
    act(players[first], game, "claim", 409, seat=first)
    act(players[second], game, "claim", seat=second)
    assert eyes[first].look().last["outcome"]["how"] == "time"
    assert eyes[first].last["outcome"]["winner"] == players[first].get(f"/api/g/{game}")["seats"][1]["side"]
    for wrong in ({"total": 0}, {"hours": 3}, [], {"move": "3"}):
        assert (
            players[first].post("/api/games", {"title": "connect_four", "clock": wrong}, 400)["error"]
            == "malformed"
        )


def test_seats_that_a_scenario_does_not_use(client: TestClient) -> None:
    """They are not offered; who plays for their side has them, so that nobody looks at the other side's secrets from there."""
    one, other = (Player(client, secrets.token_urlsafe(32)) for _ in range(2))
    told = one.get("/api/titles/storms_of_steel")["scenarios"]
    offered = {entry["id"]: [(s["seat"], s["side"]) for s in entry["seats"]] for entry in told}
    assert offered["ambush"] == [("german", "axis"), ("soviet", "allies")]
    assert len(offered["four_armies"]) == 4
    made = one.post(
        "/api/games",
        {"title": "storms_of_steel", "scenario": "ambush", "seats": {"german": "me", "soviet": "open"}},
    )
    game = made["game"]
    assert list(made["invitations"]) == ["soviet"]
    other.post("/api/join", {"invitation": made["invitations"]["soviet"]})
    assert one.get(f"/api/g/{game}")["me"] == ["german", "german_2"]
    assert other.get(f"/api/g/{game}")["me"] == ["soviet"]
    # The bot that keeps the empty seat is no player who could refuse a draw.
    act(one, game, "draw", seat="german")
    act(other, game, "draw", seat="soviet")
    assert one.get("/api/games")["games"][0]["status"] == "over"
