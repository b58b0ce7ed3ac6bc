"""Why not: an answer that is not offered fails a condition that is named, and nothing hidden decides which."""

from __future__ import annotations

import random

import pytest
from engines import engine_for
from grognard.bots.knowledge import Knowledge
from grognard.contract import ir
from grognard.contract.header import H_ASK
from grognard.play.position import Position
from grognard.play.refusals import menu, refusals

TITLES = [
    ("connect_four", None),
    ("breakthrough", None),
    ("mbt", "crossroads"),
    ("storms_of_steel", "farm_track"),
    ("strait", "landing"),
    ("hot_war", "oil_road"),
    ("europe_1940", "europe_1940"),
]


def told(position: Position, value: int) -> list[dict[str, object]]:
    return [refusal.as_dict() for refusal in refusals(position, value)]


@pytest.mark.parametrize(("title", "scenario"), TITLES)
def test_what_is_not_offered_fails_something(title: str, scenario: str | None) -> None:
    """In random games: most of what is not offered has a reason (legs of routes have none of their own), what is offered has none, and a position that the seat
    cannot tell from the true one gives the same reasons."""
    dice = random.Random(8)
    game = engine_for(title, "compiled").game(scenario, 8)
    asked = answered = 0
    for _ in range(20):
        here = game.position
        if here.over:
            break
        legal = here.values()
        show = here.setting.program.asks[here.head(H_ASK)].show
        domains = [here.setting.scenario.data.domains[number] for number in ir.shown_domains(show)]
        values = [value for data in domains for value in range(data.base, data.base + data.count)]
        values = menu(here) if show == "action" else dice.sample(values, min(12, len(values)))
        other = Position(here.setting, Knowledge(here).sample(random.Random(5)))
        for value in values[:12]:
            reasons = told(here, value)
            assert told(other, value) == reasons, "depends on what the seat may not know"
            if value in legal:
                assert not reasons
            else:
                asked += 1
                answered += bool(reasons)
        game.play(dice.choice(legal))
    assert asked and answered >= 0.5 * asked


def test_conditions_are_named_one_by_one() -> None:
    """Four in a row: a stone falls on another or on the ground, and the rule that says so is cited."""
    here = engine_for("connect_four", "compiled").new_game()
    (reason,) = refusals(here, next(v for v in range(7, 42) if v not in here.values()))
    assert reason.text == "wanted: lands(q)" and reason.cites == ("3",)
    assert reason.children and "taken" in reason.children[0].text
