"""What a question says that it is about: of the action that runs now, and nothing of the one before it."""

from __future__ import annotations

from typing import Any

import pytest
from engines import engine_for
from grognard.server.questions import question_for


def asked(game: Any) -> dict[str, Any]:
    position = game.position
    seat = position.to_move
    made = question_for(position, position.view(seat), seat, 0, game.history)
    assert made is not None
    return made


def test_what_was_ordered_of_one_unit_is_not_said_of_the_next(backend: str) -> None:
    game = engine_for("hot_war", backend).game("oil_road", seed=5)
    first = asked(game)
    assert first["label"] == "order" and "order" not in first["about"]
    game.play("defence")
    now = asked(game)
    assert now["about"]["order"] == "defence" and now["label"] == "sector"
    unit = next(value for value in now["about"].values() if value != "defence")
    while asked(game)["label"] != "order":
        game.play(game.position.legal()[0].value)
    after = asked(game)
    assert unit not in after["about"].values()
    assert {"order", "sector", "depth of the zone"}.isdisjoint(after["about"])


@pytest.mark.parametrize("backend", ["compiled"])
def test_the_action_is_named_in_words(backend: str) -> None:
    game = engine_for("storms_of_steel", backend).game("farm_track", seed=5)
    for _ in range(200):
        made = asked(game)
        if made["name"].startswith("act."):
            assert made["action"] == "act with a unit"
            if made["name"] == "act.u":
                assert made["about"].get("paid by") in (None, "points", "command", "opportunity")
                return
        choices = game.position.legal()
        game.play(next((c for c in choices if c.name in ("act", "change_activation")), choices[0]).value)
    raise AssertionError("nobody acted")
