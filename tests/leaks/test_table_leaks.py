"""Two games that differ only in what a seat may not know: all that a server sends to the seat is the same, to the byte."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from engines import engine_for
from grognard.bots.knowledge import Knowledge
from grognard.contract.header import HEADER
from grognard.engine import Engine
from grognard.play.game import Game, Step
from grognard.play.position import Position
from grognard.play.wording import Secrecy
from grognard.server.app import Table, make_table
from grognard.server.gestures import gestures
from grognard.server.library import Library
from grognard.server.preview import preview
from grognard.server.store import Store, database_in
from grognard.server.streams import WATCHER
from grognard.server.whynot import why_not
from leak_search import _fields, _otherwise, _throws, fork, search

AMBUSCADE = str(Path(__file__).parent / "titles" / "ambuscade")
#: titles with secrets, a scenario where much is hidden, and answers of a game
PLAYED = [(AMBUSCADE, "only", 40), ("mbt", "crossroads", 24), ("storms_of_steel", "ambush", 30), ("hot_war", "free_battle", 30)]  # fmt: skip


@pytest.fixture
def table(tmp_path: Path) -> Iterator[Table]:
    made = make_table(Store(database_in(tmp_path)), Library(AMBUSCADE))
    yield made
    made.store.close()


def pairs(engine: Engine, scenario: str, answers: int, seed: int) -> Iterator[tuple[str, Game, Game]]:
    """A seat, a game, and another one that the seat cannot tell from it."""
    generator = random.Random(seed)
    game = engine.game(scenario, seed)
    for _ in range(answers):
        values = game.position.values()
        if not values:
            break
        game.play(generator.choice(values))
    for seat in engine.seats:
        numbers = [n for n, played in enumerate(game.history) if played.seat != seat]
        generator.shuffle(numbers)
        for changed in numbers:
            before = game.steps[changed].position
            others = [value for value in before.values() if value != game.history[changed].value]
            for value in others[:2]:
                for other in _otherwise(game, changed, value, seat, generator):
                    same = fork(game, len(other.history))
                    if _fields(other.position) != _fields(same.position) and _throws(same, seat) == _throws(
                        other, seat
                    ):
                        yield seat, same, other


def sent(table: Table, engine: Engine, game: Game, seat: str) -> dict[str, Any]:
    """All that a server sends of the game to the seat and to who watches: streams, any point of the past, reasons."""
    person = {name: {"kind": "person", "holder": name, "name": name} for name in engine.seats}
    made = table.hall.create(engine.name, game.scenario, person, seed=game.seed, steps=game.steps)
    # As it is read from the database, not as it was made.
    table.hall.forget(made)
    found: dict[str, Any] = {}
    with table.hall.playing(made) as live:
        for who in (seat, WATCHER):
            found[f"messages of {who}"] = table.hall.messages_since(live, who, -1)
            for n in range(live.streams[who].n + 1):
                found[f"{n} of {who}"] = json.dumps(table.study.snapshot(live, who, n))
        lines = table.study.snapshot(live, seat)["lines"]
        for line in range(lines):
            found[f"why {line}"] = json.dumps(table.study.why(live, seat, line))
    listed = table.lobby.games(seat)
    (entry,) = [entry for entry in listed if entry["game"] == made]
    found["in the list"] = {key: entry[key] for key in entry if key not in ("game", "touched")}
    return found


@pytest.mark.parametrize(("title", "scenario", "answers"), PLAYED, ids=lambda value: Path(str(value)).name)
def test_what_a_server_sends_does_not_depend_on_secrets(
    table: Table, title: str, scenario: str, answers: int
) -> None:
    engine = table.library.engine(Path(title).name)
    compared = 0
    for seed in range(1, 12):
        for seat, game, other in pairs(engine, scenario, answers, seed):
            true, told = sent(table, engine, game, seat), sent(table, engine, other, seat)
            assert list(true) == list(told)
            for what in true:
                assert true[what] == told[what], f"{what} of {seat}, seed {seed}"
            compared += 1
            break
        if compared >= 2:
            return
    raise AssertionError("no two games were found that a seat cannot tell apart")


@pytest.mark.parametrize(
    ("title", "scenario", "answers"), [("strait", "landing_alternate", 80), ("mbt", "crossroads", 20)]
)
def test_worlds_that_a_seat_cannot_tell_apart(table: Table, title: str, scenario: str, answers: int) -> None:
    """Positions that differ in secrets alone: the same stream, the same answers to all that can be asked before an answer."""
    engine = table.library.engine(title)
    picker = random.Random(1)
    game = engine.game(scenario, 1)
    compared = 0
    for _ in range(answers):
        seat = game.position.to_move
        if seat is None:
            break
        if compared < 6:
            knowledge = Knowledge(game.position)
            worlds = [Position(game.setting, knowledge.sample(random.Random(seed))) for seed in (1, 2)]
            if bytes(worlds[0].cells[4 * HEADER :]) != bytes(worlds[1].cells[4 * HEADER :]):
                told = [of_world(table, engine, scenario, world, seat) for world in worlds]
                assert told[0] == told[1]
                compared += 1
        game.play(picker.choice(game.position.values()))
    assert compared >= 2


def of_world(table: Table, engine: Engine, scenario: str, position: Position, seat: str) -> list[str]:
    person = {name: {"kind": "person", "holder": name, "name": name} for name in engine.seats}
    steps = [Step(position, None, (), (), Secrecy())]
    made = table.hall.create(engine.name, scenario, person, seed=1, steps=steps)
    with table.hall.playing(made) as live:
        told = table.hall.messages_since(live, seat, -1)
        here = live.line.here
    question = json.loads(told[-1])["question"]
    assert question is not None
    for choice in question["choices"][:4]:
        told.append(json.dumps(preview(here, [choice["name"]], Secrecy())))
        pointed = choice.get("piece") or choice.get("place")
        if pointed is not None:
            told.append(json.dumps(gestures(here, [pointed])))
    told.append(json.dumps(why_not(here, "*")))
    return told


def test_the_search_finds_streams_that_tell_too_much(monkeypatch: pytest.MonkeyPatch) -> None:
    from grognard.server import streams

    monkeypatch.setattr(streams, "visible", lambda lines, seat: list(enumerate(lines)))
    found = search(engine_for(AMBUSCADE, "interpreter"), "only", 1, 60)
    assert found.streamed and any("stream of" in leak for leak in found.leaks)
