"""What takes long and nobody waits for any more is not done, and holds nobody up."""

from __future__ import annotations

import time

import pytest
from grognard.errors import GrognardError
from grognard.server.desk import Desk, Dropped
from table_client import Eyes, Player


def refuse(text: str) -> None:
    raise GrognardError(text)


def test_what_is_dropped_makes_room() -> None:
    desk = Desk()
    try:
        endless = desk.submit("ada", time.sleep, 10_000)
        again = desk.submit("bob", time.sleep, 10_000)
        newer = desk.submit("bob", sum, (1, 2))
        desk.drop(endless)
        assert newer.future.result(60) == 3, "after what was dropped, instead of what is out of date"
        for job in (endless, again):
            with pytest.raises(Dropped):
                job.future.result(0)
        with pytest.raises(GrognardError, match="no such thing"):
            desk.submit("ada", refuse, "no such thing\nat all").future.result(60)
        assert desk.submit("ada", len, "still there").future.result(60) == 11
    finally:
        desk.stop()


def test_odds_and_advice(player: Player) -> None:
    game = player.create("connect_four", seed=1)
    red = Eyes(player, game, "red").look()
    found = player.get(f"/api/g/{game}/odds", seat="red")
    assert [c["name"] for c in found["choices"]] == [c["name"] for c in red.question["choices"]]
    advice = player.get(f"/api/g/{game}/advice", seat="red", bot="greedy")
    assert advice["answer"] in [c["name"] for c in red.question["choices"]]
    assert player.get(f"/api/g/{game}/odds", 409, seat="yellow")["error"] == "not_asked"


def test_odds_after_answers_that_are_not_given_yet(player: Player) -> None:
    """What a gesture would promise: its first answers are only supposed."""
    game = player.create("breakthrough", seed=1)
    white = Eyes(player, game, "white").look()
    weighed = 0
    for choice in white.question["choices"][:4]:
        found = player.get(f"/api/g/{game}/odds", seat="white", answers=choice["name"])
        assert found["choices"], choice
        weighed += sum("odds" in one for one in found["choices"])
    assert weighed
    assert Eyes(player, game, "white").look().question["id"] == white.question["id"]
