"""The situations that titles declare for `grognard odds`: figures that can be worked out by hand."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest
from grognard.engine import load

#: The shot of the rulebook's example: a carrier at a halt, three hexes, woods, from behind.
CARRIER = {"range": 3, "round": "apds_30", "target": "m2a1", "in_woods": 1, "rear": 1, "halt": 1}
#: Sixteen to four, one column for the lead, two formations; a second step more than the defender has is waived for one's own.
BRIGADES = {"first_unit": "prc_armor", "infantry": 1, "against": "roc_inf"}
#: Three dice at evens against what four hits have left of a Defence of five.
PLATOONS = {"range": 3, "firer": "abrams", "strength": 3, "target": "t72", "left": 3, "woods": 1, "on_defence": 1, "hits": 4}  # fmt: skip
#: Nine and more of two dice destroy, five and more hit, and one hit counter in twenty kills.
SQUADS = {"range": 3, "firer": "hmg", "target": "mg", "points": 2}


@pytest.mark.parametrize(
    ("title", "situation", "values", "policy", "label", "shares"),
    [
        ("mbt", "shot", CARRIER, (), "target", {"damaged": (36, 100), "intact": (64, 100)}),
        ("strait", "ground_attack", BRIGADES, "usual", "attacker's steps lost", {0: (1, 2), 1: (1, 2)}),
        ("strait", "ground_attack", BRIGADES, "usual", "defender's steps lost", {1: (3, 5), 2: (2, 5)}),
        ("strait", "ground_attack", BRIGADES, "usual", "hex taken", {False: (1, 5), True: (4, 5)}),
        ("hot_war", "fire_order", PLATOONS, (), "strength left", {1: (1, 8), 2: (3, 8), 3: (1, 2)}),
        ("storms_of_steel", "shot", SQUADS, "eager", "destroyed", {False: (25, 36), True: (11, 36)}),
    ],
)
def test_odds_of_a_declared_situation(
    title: str, situation: str, values: dict[str, Any], policy: Any, label: str, shares: dict[Any, Any]
) -> None:
    odds = load(title, backend="interpreter").weigh(situation, values, policy=policy, exact=True)
    assert odds.distribution(label) == {value: Fraction(*share) for value, share in shares.items()}
