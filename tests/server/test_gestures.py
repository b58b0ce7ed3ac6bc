"""What can be done with what is pointed at: legal as it stands, found by pointing in any order, and no way to learn a secret."""

from __future__ import annotations

import random
from collections.abc import Iterator
from itertools import chain, pairwise

import pytest
from engines import engine_for
from grognard.bots.knowledge import Knowledge
from grognard.play.position import Position
from grognard.server.gestures import gestures, starts, ways_after

TITLES = [
    ("breakthrough", None),
    ("mbt", "crossroads"),
    ("storms_of_steel", "farm_track"),
    ("strait", "landing"),
    ("hot_war", "oil_road"),
    ("europe_1940", "europe_1940"),
]


def pointed(title: str, scenario: str | None, seed: int) -> Iterator[tuple[Position, str]]:
    """Positions of a random game, each with a counter that its seat sees."""
    dice = random.Random(seed)
    game = engine_for(title, "compiled").game(scenario, seed)
    for _ in range(60):
        here = game.position
        if here.over:
            return
        view = here.view(here.to_move or "")
        domains = [dom.name for dom in here.setting.schema.doms if dom.sort == "piece"]
        seen = [piece.name for domain in domains for piece in view.pieces(domain)]
        if seen:
            yield here, dice.choice(seen)
        game.play(dice.choice(here.legal()).value)


@pytest.mark.parametrize(("title", "scenario"), TITLES[1:])
def test_gestures_can_be_played_and_tell_no_secret(title: str, scenario: str | None) -> None:
    found = 0
    # Of random counters few can do something: as many games as it takes.
    for here, name in chain.from_iterable(pointed(title, scenario, seed) for seed in range(9, 20)):
        if found > 8:
            break
        made = gestures(here, [name])
        other = Position(here.setting, Knowledge(here).sample(random.Random(77)))
        again = gestures(other, [name])
        if not made.get("cut") and not again.get("cut"):
            assert again == made, "depends on what the seat may not know"
        for end in [*made["ends"][:3], *made["acts"][:2]]:
            after = here
            for answer in end["answers"]:
                after = after.play(answer)
            assert name in end["answers"]
            found += 1
    assert found


@pytest.mark.parametrize(("title", "scenario"), TITLES)
def test_what_can_be_pointed_at_is_what_actions_ask_for(title: str, scenario: str | None) -> None:
    """Each counter and place that is told is asked for after one of the actions, and no secret is in it."""
    found = 0
    for here, _ in pointed(title, scenario, 11):
        made = starts(here)
        other = Position(here.setting, Knowledge(here).sample(random.Random(78)))
        assert starts(other) == made, "depends on what the seat may not know"
        question = here.question
        if question is None or question.kind != "action":
            assert made == {"pieces": [], "places": []}
            continue
        asked = set()
        for choice in here.legal():
            after = here.play(choice)
            if after.to_move == here.to_move:
                asked |= {later.name for later in after.legal()}
        told = {name for _, name in made["pieces"]} | set(made["places"])
        # A hidden unit of others may bar in truth what the seat can suppose.
        if here.setting.program.view is None:
            assert told <= asked
        found += len(told & asked)
    # These two have no menus of actions that ask for something on the map.
    assert found or title in ("breakthrough", "hot_war")


def test_the_way_and_its_cost_are_those_of_the_movement() -> None:
    """Each step of a way goes to a neighbour, and the cost is what the rules say of it."""
    engine = engine_for("strait", "compiled")
    checked = 0
    for here, name in pointed("strait", "landing", 3):
        for end in gestures(here, [name])["ends"][:1]:
            ways = ways_after(here, end["answers"][:-1])["ways"]
            assert ways == ways_after(here, end["answers"][:-1])["ways"]
            for place, way in ways.items():
                assert way["path"][-1] == place and way["path"][0] == here.get("Ground", name, "at")
                assert way["cost"] >= len(way["path"]) - 1 > 0
                around = engine.setting("landing").scenario.data.maps[0]
                numbers = [engine.setting("landing").number_of(around.domain, step) for step in way["path"]]
                for a, b in pairwise(numbers):
                    assert a is not None and b in around.neighbours[a * 6 : a * 6 + 6]
                checked += 1
    assert checked > 20


def test_place_first_then_by_whom() -> None:
    """A square of Breakthrough that somebody can go to: who, in all the ways that there are."""
    here = engine_for("breakthrough", "compiled").new_game()
    moves = []
    for first in here.legal():
        between = here.play(first)
        if between.to_move == here.to_move:
            moves += [[first.name, last.name] for last in between.legal()]
    if not moves:
        moves = [[first.name] for first in here.legal()]
    target = moves[0][-1]
    made = gestures(here, [target])
    told = [entry["answers"] for entry in [*made["acts"], *made["ends"]]]
    for move in moves:
        if move[-1] == target:
            assert any(answers[: len(move)] == move for answers in told)
