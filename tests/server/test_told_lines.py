"""What a table tells a seat of others' answers is what a game's log tells it, from answer to answer."""

from __future__ import annotations

import random
import zlib

import pytest

pytest.importorskip("sqlalchemy")

from engines import engine_for
from grognard.play.game import first_step
from grognard.server.line import Event, Line
from grognard.server.streams import visible


@pytest.mark.parametrize(("title", "answers"), [("storms_of_steel", 90), ("mbt", 60), ("connect_four", 10)])
def test_told_as_in_the_log(title: str, answers: int) -> None:
    engine = engine_for(title, "compiled")
    events: list[Event] = []

    def fetch(number: int) -> bytes:
        position = events[number].position
        assert position is not None
        return position

    picker = random.Random(5)
    game = engine.game(seed=5)
    line = Line(engine, fetch)
    events.append(line.first(first_step(engine, game.setting, 5), 0.0))
    late = 0
    for _ in range(answers):
        legal = game.position.legal()
        if not legal:
            break
        answer = picker.choice(legal).name
        game.play(answer)
        events.append(line.answer(answer, 0.0))
        assert line.here == game.position
        last = line.steps[-1]
        late += sum(event != last.event for event, _ in last.origins)
        for seat in engine.seats:
            told = [entry.text for step in line.steps for _, entry in visible(step.told, seat)]
            assert sorted(told) == sorted(entry.text for entry in game.log_for(seat))
    # What is read from the database is what was told.
    again = Line(engine, fetch)
    again.follow(events)
    assert [step.told for step in again.steps] == [step.told for step in line.steps]
    assert zlib.decompress(fetch(len(events) - 1)) == bytes(game.position)
    assert late > 0 or title == "connect_four"
