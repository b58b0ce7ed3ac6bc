"""Odds of the shipped titles: reference battles of Axis & Allies, one combat of each of the other games."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from functools import cache
from math import comb
from pathlib import Path
from typing import Any

import pytest
from grognard.engine import Engine, load
from grognard.odds import prepare
from samples import likely

REFERENCE = (
    Path(__file__).resolve().parents[2].parent
    / "shared"
    / "data"
    / "aa_odds"
    / "reference_battles_aacalc2.json"
)
NAMES = {
    "inf": "infantry",
    "art": "artillery",
    "arm": "tank",
    "fig": "fighter",
    "bom": "strategic_bomber",
    "aa": "aaa",
    "sub": "submarine",
    "des": "destroyer",
    "cru": "cruiser",
    "bat": "battleship",
}
#: Pairs of units beyond which a battle without a compiled engine takes too long.
SMALL = 20
#: Battles with submarines have no grid and are followed position by position.
FOLLOWED = {"N17"}


@cache
def title(name: str, backend: str = "interpreter") -> Engine:
    return load(name, backend=backend)  # type: ignore[arg-type]


def reference_battles() -> Iterator[Any]:
    if not REFERENCE.exists():
        yield pytest.param(None, marks=pytest.mark.skip(reason=f"no reference odds: {REFERENCE} is absent"))
        return
    for battle in json.loads(REFERENCE.read_text())["battles"]:
        if battle["kind"] != "naval+subs" or battle["id"] in FOLLOWED:
            yield pytest.param(battle, id=battle["id"])


def situation(battle: Any) -> str:
    """The battle as the text of a situation."""
    place = "normandy_bordeaux" if battle["kind"].startswith("land") else "sz_110"
    lines = ['scenario "empty"', f"create Battle with at = {place}, attacker = germany -> b"]
    for side, order, power, more in (
        ("attack", "ool_att", "germany", ", battle = b"),
        ("defense", "ool_def", "france", ""),
    ):
        for kind in battle[order]:
            if kind in battle[side]:
                lines.append(f"counters {battle[side][kind]} of {power} {NAMES[kind]} at {place}{more}")
    lines += [
        "odds of fight(b)",
        'outcome "attackers" = any(u in Unit where u.power is germany)',
        'outcome "defenders" = any(u in Unit where u.power is france)',
    ]
    return "\n".join(lines)


@pytest.mark.parametrize("battle", list(reference_battles()))
def test_reference_battles(battle: Any) -> None:
    """To 1e-9, which is more than the reference itself promises to keep."""
    engine = title("europe_1940", "auto")
    size = sum(battle["attack"].values()) * sum(battle["defense"].values())
    if engine.backend == "interpreter" and size > SMALL:
        pytest.skip("without a compiler only small battles")
    odds = engine.weigh(situation(battle), policy="usual")
    assert abs(odds.total - 1) < 1e-12 and odds.endless == 0
    assert abs(odds.probability(attackers=True) - battle["att_survives"]) < 1e-9
    assert abs(odds.probability(defenders=True) - battle["def_survives"]) < 1e-9


def test_a_medium_battle_is_verified_in_every_state() -> None:
    """As `odds --prove`: the figures of the sample, and of a battle that was asked for before with more infantry."""
    engine = title("europe_1940", "auto")
    if engine.backend == "interpreter":
        pytest.skip("takes long without a compiler")
    kinds = ("infantry", "artillery", "tanks", "fighters", "bombers")
    nobody = {f"{who}{kind}": 0 for who in ("", "against_") for kind in (*kinds, "guns")}
    del nobody["guns"]
    values = {
        **nobody,
        "infantry": 18,
        "artillery": 6,
        "tanks": 6,
        "against_infantry": 22,
        "against_tanks": 8,
    }

    def weighed(more: int, every: bool) -> tuple[dict[Any, float], int]:
        values["infantry"] = 18 + more
        weighing = prepare(engine, "land_battle", values, policy="usual", every=every)
        odds = weighing.odds()
        assert odds.method == "attrition" and abs(odds.total - 1) < 1e-12
        assert odds.proved == odds.as_json()["proved"] == every, "what is sampled evidence says so"
        assert weighing._graph is not None
        return odds.joint, sum(model.checked for model in weighing._graph.attrition_models.values())

    sampled, some = weighed(0, False)
    proved, every = weighed(0, True)
    assert every == 30 * 30 > some
    weighed(2, True)
    engine.bench().forget()
    weighed(2, True)
    known, none = weighed(0, True)
    assert none == 0
    assert sampled.keys() == proved.keys() == known.keys()
    for values_, probability in proved.items():
        assert sampled[values_] == probability == known[values_]


def test_the_order_of_queries_changes_no_figure() -> None:
    """What other battles have told changes no figure, to the last bit."""
    engine = title("europe_1940", "auto")
    if engine.backend == "interpreter":
        pytest.skip("takes long without a compiler")
    kinds = ("infantry", "artillery", "tanks", "fighters", "bombers")
    names = [*kinds, *(f"against_{kind}" for kind in (*kinds, "guns"))]
    dice = random.Random(3)
    battles = [{name: dice.choice((0, 0, 1, 2, 4)) for name in names} for _ in range(25)]
    battles += [
        {**battle, "infantry": battle["infantry"] + more} for battle in battles[:8] for more in (1, 2)
    ]
    dice.shuffle(battles)
    engine.bench().forget()
    together = [engine.weigh("land_battle", battle, policy="usual").joint for battle in battles]
    for battle, joint in zip(battles, together):
        engine.bench().forget()
        assert engine.weigh("land_battle", battle, policy="usual").joint == joint


FLEETS = """scenario "empty"
create Battle with at = sz_110, attacker = germany -> b
counters 3 of germany submarine at sz_110, battle = b
counters 2 of germany destroyer at sz_110, battle = b
counters 2 of germany fighter at sz_110, battle = b
counters 1 of germany battleship at sz_110, battle = b
counter france carrier as C at sz_110
counters 2 of france fighter at sz_110, aboard = C
counters 2 of france submarine at sz_110
counters 2 of france destroyer at sz_110
counters 1 of france cruiser at sz_110
counters 2 of france transport at sz_110
odds of fight(b)
outcome "germans" = count(u in Unit where u.power is germany)
outcome "french" = count(u in Unit where u.power is france)
outcome "submarines" = count(u in Unit where u.power is germany and u.dives)"""
ARMIES = {
    "infantry": 4, "artillery": 2, "tanks": 2, "fighters": 2, "bombers": 1,
    "against_infantry": 5, "against_artillery": 1, "against_tanks": 1, "against_fighters": 1, "against_guns": 2,
}  # fmt: skip


@pytest.mark.parametrize("battle, values", [(FLEETS, None), ("land_battle", ARMIES)])
def test_stacks_as_numbers_fight_as_counters_do(battle: str, values: dict[str, int] | None) -> None:
    """Surprise strikes, destroyers, planes from a carrier, two hits; antiaircraft fire, artillery that helps infantry."""
    engine = title("europe_1940", "auto")
    if engine.backend != "compiled":
        pytest.skip("cached positions are walked by compiled code")
    weighing = prepare(engine, battle, values, policy="usual")
    joint = weighing.odds().joint
    likely(weighing.simulate(200_000, seed=3, workers=1).counts, joint)
    likely(weighing.simulate(1_500, seed=3, workers=1, by_piece=True).counts, joint)


def test_planes_and_submarines_part() -> None:
    """Planes without a destroyer cannot hit submarines, nor the other way round: nobody is lost, nothing loops."""
    text = """scenario "empty"
create Battle with at = sz_110, attacker = germany -> b
counters 2 of germany fighter at sz_110, battle = b
counters 2 of france submarine at sz_110
odds of fight(b)
outcome "left" = count(u in Unit)"""
    odds = title("europe_1940").weigh(text, policy="usual")
    assert odds.joint == {(4,): 1.0} and odds.endless == 0


# ---------------------------------------------------------------------------------- one combat of each other game

SHOT = """board open 8x8
counter soviet rifles as T at 0402, facing = s
counter german infantry_squad as A at 0405, facing = n
odds of attack(Attack(by = A, army = german, origin = 0405, hex = 0402, how = direct, fp = A.fp))
outcome "in play" = in_play(T)
outcome "hit" = T.hit is not none"""

TANKS = """board open 8x8
counter us m1 as A at 0407, facing = n, command = fire, load = apfsds_105
counter soviet t80bv as B at 0404, facing = s, command = move
odds of shoot(A, B, direct)
outcome "lost" = not in_play(B)"""

VOLLEY = """board plain 10x10
counter ussr motor_rifles as R at 0404, strength = 5, ammo = 8
counter usa us_infantry as I at 0405, strength = 5
let s = Shot(by = R, target = I, mode = aimed, range = 1)
odds of volley(s, intensity(s)) -> misses
outcome "misses" = misses"""

BATTLE = """board flat 11x11
Side.allied.home_edge := n
counter prc prc_inf as A at 0607, left = 2
counter prc prc_inf as B at 0507, left = 2
counter allied roc_inf as D at 0606, left = 2
odds of battle(0606, Side.prc, A)
outcome "defender" = D.left
outcome "attackers" = A.left + B.left"""


def first_or_none(name: str, answers: list[str]) -> str:
    """Nobody does what he need not do; otherwise the first that is offered."""
    return answers[-1] if answers[-1] in ("none", "done") else answers[0]


def agrees_with_dice(name: str, text: str, policy: Any, runs: int) -> Any:
    weighing = prepare(title(name), text, policy=policy)
    odds = weighing.odds()
    assert abs(odds.total - 1) < 1e-12
    found = weighing.simulate(runs, seed=7, workers=1, by_piece=True)
    for place, label in enumerate(odds.labels):
        for value, probability in odds.distribution(label).items():
            off = abs(found.share(place, value) - probability)
            assert off <= 5 * max(found.error(probability), 1 / runs), (label, value)
    return odds


def test_fire_of_storms_of_steel() -> None:
    """2d6, and for a hit a chit drawn from the bag."""
    odds = agrees_with_dice("storms_of_steel", SHOT, (), 300)
    assert len(odds.joint) == 3


def test_a_shot_of_mbt() -> None:
    """90 at point blank, less the moving target's two: 72 in a hundred."""
    odds = agrees_with_dice("mbt", TANKS, ["claim_motion.shows: yes; struck_aspect.aspect: front"], 300)
    assert odds.probability(lost=True) == pytest.approx(0.72, abs=1e-15)


def test_a_volley_of_hot_war() -> None:
    """Ten dice that hit with 1 and 2."""
    odds = agrees_with_dice("hot_war", VOLLEY, (), 200)
    for misses, probability in odds.distribution("misses").items():
        assert probability == pytest.approx(comb(10, misses) * 2**misses / 3**10, rel=1e-14)


def test_a_battle_of_next_war() -> None:
    agrees_with_dice("strait", BATTLE, [first_or_none], 60)
