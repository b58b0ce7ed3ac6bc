"""What is painted over a map is what the rules say of each place, from what the seat may know."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from engines import engine_for
from grognard.cli.main import main
from grognard.drawing.painting import DARK
from grognard.errors import UnknownName
from grognard.play.reaching import reach_of
from grognard.play.seeing import seen_from, sights_of
from grognard.play.view import View


def test_what_is_seen_is_told_apart_from_what_is_hidden_with_its_section() -> None:
    engine = engine_for("storms_of_steel", "interpreter")
    view = engine.new_game("farm_track").view("german")
    sight = sights_of(view)[0]
    seen, hidden, _ = seen_from(view, "0405", sight)
    places = {place.name for place in view.places("Board")}
    assert set(seen) | set(hidden) == places - {"0405"} and not set(seen) & set(hidden)
    assert "obstacle at 0706" in hidden["0806"] and "LOS-8" in hidden["0806"]
    # Lines are the same both ways, as the title promises.
    assert all("0405" in seen_from(view, other, sight)[0] for other in seen[:10])
    with pytest.raises(UnknownName):
        seen_from(view, "9999", sight)


def test_reach_is_what_the_action_offers() -> None:
    engine = engine_for("europe_1940", "interpreter")
    position = engine.new_game(seed=1)
    for answer in ("done", "done", "done"):
        position = position.play(answer)
    position = position.play("march")
    view = position.view("germany")
    compared = 0
    for area in position.legal():
        asked = position.play(area)
        if asked.question is None or asked.question.name != "march.s":
            # With one place to go to, nothing is asked.
            continue
        with_whom: dict[str, set[str]] = {}
        for place in asked.legal():
            then = asked.play(place)
            if then.question is not None and then.question.name == "march.u":
                with_whom[place.name] = {name for group in then.legal().groups for name in group.members}
        for unit in set().union(*with_whom.values()):
            _, found = reach_of(view, unit, "by_land")
            assert set(found) - {area.name} <= {place.name for place in asked.legal()}
            assert {place for place in with_whom if unit in with_whom[place]} == set(found) & set(with_whom)
            compared += 1
    assert compared > 2
    with pytest.raises(UnknownName):
        reach_of(view, "nobody")


def test_the_command_paints(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    target = tmp_path / "map.svg"
    assert (
        main(
            ["map", "storms_of_steel", "--scenario", "farm_track", "--sight", "0405", "--output", str(target)]
        )
        == 0
    )
    told = capsys.readouterr().out
    count = re.search(r"sees (\d+) places.*?(\d+) not", told)
    assert count is not None
    assert target.read_text("utf-8").count(f'fill="{DARK}"') == int(count[2])
    assert main(["map", "europe_1940", "--reach", "tank_1", "--output", str(target)]) == 0
    assert main(["map", "mbt", "--diff", "hedgerows", "--output", str(target)]) == 0
    assert "only on the map of hedgerows" in capsys.readouterr().out
    for wrong in (
        ["--sight", "9Z9"],
        ["--reach", "Q9"],
        ["--diff", "nowhere"],
        ["--zoc", "--supply"],
        ["--paint", "ap_hit"],
        ["--seat", "mars", "--zoc"],
    ):
        assert main(["map", "mbt", *wrong, "--output", str(target)]) == 2
    assert "Traceback" not in capsys.readouterr().err


def test_a_saved_game_is_drawn_as_a_seat_may_know_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    engine = engine_for("storms_of_steel", "interpreter")
    game = engine.game("ambush", seed=3)
    for _ in range(3):
        game.play(game.position.legal()[0])
    save, target = tmp_path / "game.json", tmp_path / "map.svg"
    game.save(save)

    def drawn(*more: str) -> int:
        assert main(["map", "--game", str(save), *more, "--output", str(target)]) == 0
        return target.read_text("utf-8").count('<use href="#k-')

    def lying(view: View) -> int:
        return sum(1 for kind in ("Unit", "Work", "Plot") for piece in view.pieces(kind) if piece.at)

    seen = {}
    for seat in ("german", "soviet"):
        seen[seat] = drawn("--seat", seat)
        assert seen[seat] == lying(game.position.view(seat))
    assert seen["german"] < seen["soviet"]
    capsys.readouterr()
    decides = game.position.to_move
    assert decides is not None and drawn() == seen[decides]
    assert f"as {decides} sees it, {decides} decides" in capsys.readouterr().out
    first = game.steps[0].position
    assert first.to_move is not None
    assert drawn("--answer", "0") == lying(first.view(first.to_move))
    for wrong in (["--answer", "4"], ["--scenario", "ambush"]):
        assert main(["map", "--game", str(save), *wrong, "--output", str(target)]) == 2
    assert main(["map", "mbt", "--answer", "1", "--output", str(target)]) == 2
    assert "Traceback" not in capsys.readouterr().err
