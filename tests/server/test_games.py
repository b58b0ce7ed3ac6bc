"""Whole games over HTTP: what a seat puts together from its stream is what the engine lets it see."""

from __future__ import annotations

import random
import secrets

import pytest
from grognard.play.game import Game
from grognard.play.named_cells import named_cells
from grognard.server.app import Table, make_app, make_table
from grognard.server.limits import Rate
from grognard.server.store import Store
from starlette.testclient import TestClient
from table_client import Eyes, Player

SMALL = [("connect_four", 60), ("breakthrough", 100), ("skirmish", 200)]
#: Several answers of large titles, some of which have secrets.
LARGE = [("mbt", 40), ("storms_of_steel", 40), ("europe_1940", 12)]


@pytest.mark.parametrize(("title", "answers"), [*SMALL, *LARGE])
def test_a_random_game(client: TestClient, table: Table, player: Player, title: str, answers: int) -> None:
    engine = table.library.engine(title)
    game = player.create(title, seed=5)
    seats = [Eyes(player, game, seat).look() for seat in engine.seats]
    beside = Game(engine, None, 5)
    picker = random.Random(3)
    for number in range(answers):
        asked = [eyes for eyes in seats if eyes.question is not None]
        if not asked:
            break
        (eyes,) = asked
        assert eyes.seat == beside.position.to_move
        legal = beside.position.legal()
        assert [choice["name"] for choice in eyes.question["choices"]] == [c.name for c in legal]
        choice = picker.choice(legal)
        player.answer(game, eyes, choice.name)
        beside.play(choice)
        for eyes in seats:
            eyes.look()
        if number % 10 == 0 or beside.position.over:
            for eyes in seats:
                eyes.check(player.get(f"/api/g/{game}/snapshot", seat=eyes.seat))
    for eyes in seats:
        view = beside.position.view(eyes.seat)
        seen = named_cells(beside.setting).everything(view)
        # As the view itself is read, which knows nothing of how it is sent.
        state = view.state()
        for sort in ("pieces", "places"):
            for domain, members in state[sort].items():
                shown = {name: {f: seen[domain][name][f] for f in fields} for name, fields in members.items()}
                assert shown == members and (sort == "places" or set(seen.get(domain, ())) == set(members))
        assert {domain: members for domain, members in eyes.view.items() if members} == seen
        # The same lines; a table tells those late that could not be told at once, the log puts them where they belong.
        assert sorted(line["text"] for line in eyes.log) == sorted(
            line.text for line in beside.log_for(eyes.seat)
        )
        assert eyes.last["status"] == ("over" if beside.position.over else "playing")
    if beside.position.over:
        assert seats[0].last["outcome"]["winner"] == beside.position.outcome
        # The save is that of the terminal, to the letter.
        from grognard.play.savefile import save_text

        reply = client.get(f"/api/g/{game}/save", headers=player.headers)
        assert reply.text == save_text(beside)
        again = player.post("/api/import", {"save": reply.text})["game"]
        assert player.get(f"/api/g/{again}")["state"] == "over"
        page = client.get(f"/api/g/{game}/export.html", headers=player.headers)
        assert page.status_code == 200 and "<script" not in page.text


def test_a_game_is_the_same_when_it_is_read_again(table: Table, player: Player) -> None:
    """What is in memory and what is made of the database alone do not differ, also in the middle of undone lines."""
    game = player.create("skirmish", seed=2, undo="free")
    picker = random.Random(1)
    seats = [Eyes(player, game, seat).look() for seat in ("german", "soviet")]
    told: list[dict[str, object]] = []
    for number in range(80):
        eyes = next((eyes for eyes in seats if eyes.question is not None), None)
        if eyes is None:
            break
        if number % 2:
            table.hall.forget(game)
        if picker.random() < 0.25 and eyes.last["undo"] is not None and eyes.n > 2:
            body = {"key": secrets.token_hex(8), "seat": eyes.seat}
            player.post(f"/api/g/{game}/undo", body)
        else:
            player.answer(game, eyes, picker.choice(eyes.question["choices"])["name"])
        for eyes in seats:
            eyes.look()
            snapshot = player.get(f"/api/g/{game}/snapshot", seat=eyes.seat)
            eyes.check(snapshot)
            if eyes.seat == "german":
                told.append(snapshot)
    # Any point of the past is still what it was.
    for snapshot in told[::7]:
        past = player.get(f"/api/g/{game}/at", seat="german", n=snapshot["n"])
        for name in ("view", "log", "question", "hash", "status"):
            assert past[name] == snapshot[name]


def test_no_stream_depends_on_what_its_seat_may_not_know(player: Player) -> None:
    """Two games that differ only in where a hidden unit marches give the other seat the same bytes."""
    german, soviet = [], []
    for where in range(2):
        game = player.create("skirmish", seed=1)
        for seat, name in (
            ("german", "hold"),
            ("soviet", "hold"),
            ("german", "done"),
            ("soviet", "march"),
            ("soviet", "H"),
        ):
            player.answer(game, Eyes(player, game, seat).look(), name)
        eyes = Eyes(player, game, "soviet").look()
        player.answer(game, eyes, eyes.question["choices"][where]["name"])
        for seat, texts in (("german", german), ("soviet", soviet)):
            query = {"seat": seat, "since": -1}
            texts.append(
                player.client.get(f"/api/g/{game}/messages", headers=player.headers, params=query).content
            )
            query = {"seat": seat}
            texts.append(
                player.client.get(f"/api/g/{game}/snapshot", headers=player.headers, params=query).content
            )
    assert german[:2] == german[2:]
    assert soviet[0] != soviet[2] and soviet[1] != soviet[3], "the games do differ"


@pytest.mark.parametrize("seed", range(3))
def test_secret_orders_tell_the_other_seat_nothing(player: Player, seed: int) -> None:
    """Whatever is ordered in secret, and whether it is taken back meanwhile, the other seat gets nothing."""
    game = player.create("mbt", seed=seed, undo="free")
    us, soviet = (Eyes(player, game, seat).look() for seat in ("us", "soviet"))
    mine, other = (us, soviet) if us.question is not None else (soviet, us)
    picker = random.Random(seed)
    before = other.n
    for _ in range(8):
        if mine.question is None:
            break
        player.answer(game, mine, picker.choice(mine.question["choices"])["name"])
        mine.look()
        other.look()
        if other.question is not None:
            break
        assert other.n == before
    assert mine.n > 0


def test_two_servers_of_one_database_follow_each_other(
    database: str, table: Table, client: TestClient, player: Player
) -> None:
    """Each answer and each undo goes to another server; both tell every seat the same, and go on from each other's."""
    other = make_table(Store(database), table.library, rate=Rate(1e9, 1e9))
    with TestClient(make_app(other), base_url="http://localhost") as beside:  # type: ignore[arg-type]
        again = Player(beside, player.headers["authorization"].removeprefix("Bearer "))
        game = player.create("skirmish", seed=3, undo="free")
        picker = random.Random(2)
        for number in range(60):
            here, there = (player, again) if number % 2 else (again, player)
            eyes = [Eyes(here, game, seat).look() for seat in ("german", "soviet")]
            asked = next((e for e in eyes if e.question is not None), None)
            if asked is None:
                break
            if picker.random() < 0.2 and asked.last["undo"] is not None and asked.n > 2:
                here.post(f"/api/g/{game}/undo", {"key": secrets.token_hex(8), "seat": asked.seat})
            else:
                here.answer(game, asked, picker.choice(asked.question["choices"])["name"])
            for seat in ("german", "soviet"):
                query = {"seat": seat}
                path = f"/api/g/{game}"
                assert there.get(f"{path}/snapshot", **query) == here.get(f"{path}/snapshot", **query)
                assert there.get(f"{path}/messages", **query) == here.get(f"{path}/messages", **query)
