"""Two games that differ only in what a seat may not know: all that a server sends to the seat is the same, to the byte."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from engines import engine_for
from grognard.engine import Engine
from grognard.play.game import Game
from grognard.server.app import Table, make_table
from grognard.server.library import Library
from grognard.server.store import Store, database_in
from grognard.server.streams import WATCHER
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


def test_the_search_finds_streams_that_tell_too_much(monkeypatch: pytest.MonkeyPatch) -> None:
    from grognard.server import streams

    monkeypatch.setattr(streams, "visible", lambda lines, seat: list(enumerate(lines)))
    found = search(engine_for(AMBUSCADE, "interpreter"), "only", 1, 60)
    assert found.streamed and any("stream of" in leak for leak in found.leaks)
