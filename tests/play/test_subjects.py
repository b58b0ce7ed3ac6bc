"""What questions are about: named without the rules saying so, and never more than the seat knows."""

from __future__ import annotations

import random

import pytest
from engines import engine_for
from grognard.play.subjects import subjects


def test_a_command_is_for_a_vehicle(backend: str) -> None:
    game = engine_for("mbt", backend).game("crossroads", seed=1)
    question = game.position.question
    assert question is not None and question.label == "command for M1 Abrams U1"
    assert game.subjects() == ["M1 Abrams U1"]
    game.play("fire")
    assert game.log[-1].text == "us: command for M1 Abrams U1 fire"
    assert game.log[-1].seats == {"us"}


def test_what_runs_over_counters_is_not_what_a_question_is_about(backend: str) -> None:
    """`for u in group` after a question reads no counter that is there while it is asked."""
    game = engine_for("europe_1940", backend).game("frontier", seed=1)
    for _ in range(40):
        position = game.position
        assert position.question is not None
        names = [choice.label for choice in position.legal()]
        if "attack by land" in names:
            break
        game.play("done" if "done" in names else position.legal()[0])
    game.play("attack by land")
    assert game.position.question is not None
    assert "from" in game.position.question.label
    assert game.subjects() == []


def test_a_battle_is_told_by_its_place_and_losses_by_their_owners() -> None:
    game = engine_for("europe_1940", "python").game("europe_1940", seed=3)
    for answer in ("done", "done"):
        game.play(answer)
    for start, way in (
        ("Holland/Belgium", "Holland/Belgium"),
        ("Greater Southern Germany", "Western Germany"),
    ):
        for answer in ("attack by land", start, "France", way, "3 tank"):
            game.play(answer)
    game.play("done")
    assert any(line.text == "Germany: fight next Battle 1 at France" for line in game.last_lines)
    labels = [group.label for group in game.position.legal().groups]
    assert labels[:3] == ["Artillery (United Kingdom)", "Tank (United Kingdom)", "Infantry"]
    assert "Tank (France)" in labels


@pytest.mark.parametrize(
    ("title", "scenario"), [("mbt", "crossroads"), ("storms_of_steel", "ambush"), ("hot_war", "free_battle")]
)
def test_only_what_the_seat_sees(title: str, scenario: str) -> None:
    """With everything spoken of, and thus nothing held back for another reason, no hidden counter is among them."""
    engine = engine_for(title, "compiled")
    game = engine.game(scenario, seed=4)
    picker = random.Random(4)
    found = 0
    for _ in range(60):
        position = game.position
        if position.to_move is None:
            break
        view = position.view(position.to_move)
        layout, program = game.setting.scenario.layout, game.setting.program
        everything = {
            (domain.id, layout.base[domain.id] + n)
            for domain in program.domains
            for n in range(layout.count[domain.id])
        }
        for subject in subjects(position, view, everything):
            found += 1
            domain = program.domains[subject.domain]
            if domain.sort == "piece":
                named = game.setting.names.name(subject.value, subject.show)
                assert named in {item.name for item in view.pieces(domain.name)}
        game.play(picker.choice(position.values()))
    assert found > 5
