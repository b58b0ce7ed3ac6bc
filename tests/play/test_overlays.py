"""A rule over the whole map says what it says when it is asked place by place, and of what a seat may know alone."""

from __future__ import annotations

import random

import pytest
from engines import engine_for
from grognard.bots.knowledge import Knowledge
from grognard.drawing import layout
from grognard.errors import UnknownName
from grognard.play.asked import asked
from grognard.play.overlays import explained, painted
from grognard.play.position import Position

TITLES = [
    ("mbt", "crossroads"),
    ("storms_of_steel", "farm_track"),
    ("strait", "landing"),
    ("hot_war", "oil_road"),
]


@pytest.mark.parametrize(("title", "scenario"), TITLES)
def test_overlays_of_a_title(title: str, scenario: str) -> None:
    """Each overlay that the look names: painted for some counters of each side's view, the same in a position that the seat
    cannot tell from the true one."""
    dice = random.Random(2)
    engine = engine_for(title, "compiled")
    game = engine.game(scenario, 2)
    for _ in range(12):
        game.play(dice.choice(game.position.values()))
    here = game.position
    seat = here.to_move
    assert seat is not None
    view = here.view(seat)
    other = Position(here.setting, Knowledge(here).sample(random.Random(9))).view(seat)
    drawn = layout(engine, scenario)
    assert drawn["overlays"]
    somewhere = 0
    for entry in drawn["overlays"]:
        origins: list[tuple[str | None, str | None]] = [(None, None)]
        if entry["from"] is not None:
            param = here.setting.schema.callables[entry["rule"]].params[0][1].dom
            assert param is not None
            pieces = [dom.name for dom in here.setting.schema.doms if dom.sort == "piece"]
            origins = [
                (piece.name, at)
                for domain in ([param.name] if param.sort == "piece" else pieces)
                for piece in view.pieces(domain)
                if isinstance(at := dict(_state(piece)).get("at"), str)
            ][:4]
        for origin, at in origins:
            places = painted(view, entry["rule"], origin, at, seat)
            assert painted(other, entry["rule"], origin, at, seat) == places
            somewhere += bool(places)
            for place in list(places)[:2]:
                assert explained(view, entry["rule"], origin, at, seat, place)
    assert somewhere


def test_what_is_hidden_answers_nothing() -> None:
    """A rule that is asked by name runs on what its asker may know: hidden counters are not there, hidden fields are not
    read, and it answers as a rule that is painted."""
    here = engine_for("storms_of_steel", "compiled").new_game("ambush")
    hidden = {seat: _unseen(here, seat) for seat in ("german", "soviet")}
    assert any(hidden.values())
    for seat, names in hidden.items():
        for name in names:
            with pytest.raises(UnknownName, match="not `"):
                asked(here.view(seat), f"stunned({name})")
            other = "german" if seat == "soviet" else "soviet"
            assert asked(here.view(other), f"stunned({name})").says in ("yes", "no")
    mbt = engine_for("mbt", "compiled").new_game("crossroads").view("us")
    seen = painted(mbt, "los", None, "1A3", "us")
    for place in ("1B3", "2F3", "1A3"):
        assert (asked(mbt, f"los(1A3, {place})").says == "yes") == (place in seen)


def _unseen(here: Position, seat: str) -> set[str]:
    return {p.name for p in here.pieces("Unit")} - {p.name for p in here.view(seat).pieces("Unit")}


def _state(piece: object) -> list[tuple[str, object]]:
    return [("at", getattr(piece, "at", None))]


def test_what_blocks_a_line_is_named() -> None:
    """Of all that a hex of the MBT board does not see, each has the rule's own reason with its section."""
    here = engine_for("mbt", "compiled").new_game("crossroads")
    view = here.view("us")
    seen = painted(view, "los", None, "1A3", "us")
    assert "1B3" in seen and "2F3" not in seen
    (reason,) = explained(view, "los", None, "1A3", "us", "2F3")
    assert "blocked" in reason["text"] and "LOS9" in reason["cites"]
    for rule, at in (("los", "nowhere"), ("fire", "1A3"), ("no_such", "1A3")):
        with pytest.raises(UnknownName):
            painted(view, rule, None, at, "us")
