"""The sums of the fast way in C against the same in Python, and both against fractions."""

from __future__ import annotations

import random
from array import array
from fractions import Fraction
from itertools import accumulate
from pathlib import Path
from typing import Any

import pytest
from grognard.compiler.build.build import compiler_available
from grognard.engine import load
from grognard.odds import prepare
from grognard.odds.attrition import grid as attrition
from grognard.odds.attrition.sides import (
    DicePool,
    PythonChain,
    Side,
)

DUEL = Path(__file__).parent / "titles" / "duel"


@pytest.fixture(scope="module")
def kernel() -> Any:
    if (reason := compiler_available()) is not None:
        pytest.skip(reason)
    engine = load(DUEL, backend="compiled")
    return prepare(engine, "clash", {"pikes": 1, "foes": 1}, policy="steady").query.setting.engine.module


def side(pools: list[DicePool]) -> Side:
    """A side of which only the dice are known."""
    chain = PythonChain(bytearray())
    chain.states = [bytearray() for _ in pools]
    return Side(chain, pools)


def pools(dice: random.Random, losses: int) -> list[DicePool]:
    """Armies that lose one die after the other; now and then there are more dice than the other side has losses, or none."""
    kinds = sorted(dice.sample(range(1, 6), dice.randint(1, 3)))
    counts = {kind: dice.choice((0, 1, 2, losses, 3 * losses)) for kind in kinds}
    found = []
    for _ in range(losses):
        found.append(tuple((kind, 6, count) for kind, count in counts.items() if count))
        least = next((kind for kind, count in counts.items() if count), None)
        if least is not None:
            counts[least] -= 1
    return found


@pytest.mark.parametrize("seed", range(40))
def test_the_native_sweep_equals_the_python_one(kernel: Any, seed: int) -> None:
    dice = random.Random(seed)
    m, n = dice.randint(1, 14), dice.randint(1, 14)
    first, second = side(pools(dice, m)), side(pools(dice, n))
    model = attrition.AttritionModel(first, second, [(k,) for k in range(m + n + 1)])
    for i, j in ((0, 0), (m // 2, n // 3)):
        part = model.subgrid(i, j)
        compiled, endless, bound = attrition.sweep(part, False, kernel)
        first.distributions = second.distributions = None
        plain, plain_endless, plain_bound = attrition.sweep(part, False, None)
        exact, exact_endless, _ = attrition.sweep(part, True, None)
        assert len(compiled) == len(plain) == len(exact) == sum(part.size) + 1 == len(part.end_outcomes)
        assert bound == plain_bound < 1e-9
        assert sum(exact) + exact_endless == 1
        for a, b, true in zip(compiled, plain, exact):
            assert abs(Fraction(a) - true) <= bound * true + Fraction(1, 10**24)
            assert abs(Fraction(b) - true) <= bound * true + Fraction(1, 10**24)
        for found in (endless, plain_endless):
            assert abs(Fraction(found) - exact_endless) <= bound * exact_endless + Fraction(1, 10**24)


def test_hit_distributions_of_a_chain(kernel: Any) -> None:
    """To the last bit, by compiled code that has the chain, by that which has its dice, and by Python."""
    weighing = prepare(
        load(DUEL, backend="compiled"), "clash", {"pikes": 7, "guns": 5, "foes": 9}, policy="steady"
    )
    weighing.odds()
    assert weighing._graph is not None
    (model,) = weighing._graph.attrition_models.values()
    for each in (model.first, model.second):
        distributions = attrition.hit_distributions(each, kernel)
        numbers = array("q", [number for pool in each.pools for die in pool for number in die])
        spreads, starts = kernel.hits(
            numbers, array("q", accumulate(map(len, each.pools))), attrition.NEGLIGIBLE
        )
        assert distributions.values.tobytes() == spreads and distributions.at.tobytes() == starts
        assert distributions.values.tolist() == [
            p for pool in each.pools for p in attrition.hit_distribution(pool)
        ]
        assert distributions.dice.tolist() == [sum(n for _, _, n in pool) for pool in each.pools]
        assert each.dice_changes() == side(each.pools).dice_changes()
        assert each.same_dice(1, each, 1, len(each) - 1) and not each.same_dice(0, each, 1, 1)
        assert not each.same_dice(1, each, 1, len(each))


def test_malformed_grids_are_rejected(kernel: Any) -> None:
    one, at = array("d", [0.5, 0.5]), array("q", [0, 2])
    assert kernel.attrition(1, 1, one, at, one, at, 1e-26)[0] == pytest.approx([1 / 3, 1 / 3, 1 / 3])
    for m, n, first_at in ((0, 1, at), (2, 1, at), (1, 1, array("q", [0, 3])), (1, 1, array("q", [1, 1]))):
        with pytest.raises(ValueError, match="part"):
            kernel.attrition(m, n, one, first_at, one, at, 1e-26)
