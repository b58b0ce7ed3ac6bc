"""Simple sight: the acceptance figures, reciprocity, and what grazing a hex means."""

from __future__ import annotations

import ctypes
import random

import pytest
from geometry_kernel import KernelMap, int32s
from geometry_strategies import Asked, asked
from grognard.geometry import HexMap, SightPolicy, distance, sight_simple
from hypothesis import given
from hypothesis import strategies as st

VISIBLE = {SightPolicy.BOTH: 12_080, SightPolicy.EITHER: 11_167, SightPolicy.CORNERS: 10_672}


class Field:
    """40 x 40 hexes of which about 15 percent block, and the pairs of hexes that look at each other."""

    def __init__(self) -> None:
        rng = random.Random(1940)
        self.hexmap = HexMap.rectangle("odd-q", 40, 40)
        self.blocks = [int(rng.random() < 0.15) for _ in range(self.hexmap.n)]
        self.pairs = [
            (a, b)
            for a in range(0, self.hexmap.n, 16)
            for b in range(self.hexmap.n)
            if 1 <= distance(self.hexmap, a, b) <= 12
        ]


@pytest.fixture(scope="module")
def field() -> Field:
    return Field()


def test_the_field_is_the_agreed_one(field: Field) -> None:
    assert sum(field.blocks) == 254
    assert len(field.pairs) == 35_013


@pytest.mark.parametrize("policy", list(SightPolicy))
def test_visible_pairs(field: Field, policy: SightPolicy) -> None:
    seen = sum(sight_simple(field.hexmap, field.blocks, a, b, policy) for a, b in field.pairs)
    assert seen == VISIBLE[policy]


@pytest.mark.parametrize("max_range", [None, 5, 12, -1])
@pytest.mark.parametrize("policy", list(SightPolicy))
def test_visible_pairs_in_c(
    field: Field, policy: SightPolicy, max_range: int | None, kernel: ctypes.CDLL
) -> None:
    asked_map = KernelMap(kernel, field.hexmap, max_range)
    pairs = int32s([cell for pair in field.pairs for cell in pair])
    seen = asked_map.ask("sight_count", int32s(field.blocks), len(field.pairs), pairs, int(policy))
    asked_map.free()
    assert seen == VISIBLE[policy]


@given(asked(nowhere=False), st.randoms(use_true_random=False), st.sampled_from(SightPolicy))
def test_sight_is_reciprocal(question: Asked, rng: random.Random, policy: SightPolicy) -> None:
    hexmap, a, b = question
    blocks = [rng.randrange(2) for _ in range(hexmap.n)]
    assert sight_simple(hexmap, blocks, a, b, policy) == sight_simple(hexmap, blocks, b, a, policy)


@given(asked(nowhere=False), st.randoms(use_true_random=False))
def test_each_policy_sees_no_more_than_the_one_before(question: Asked, rng: random.Random) -> None:
    hexmap, a, b = question
    blocks = [rng.randrange(2) for _ in range(hexmap.n)]
    seen = [sight_simple(hexmap, blocks, a, b, policy) for policy in SightPolicy]
    assert seen == sorted(seen, reverse=True)


def test_ends_never_block() -> None:
    hexmap = HexMap.from_axial("flat", [(0, 0), (1, 0), (2, 0)])
    for policy in SightPolicy:
        assert sight_simple(hexmap, [1, 0, 1], 0, 2, policy)
        assert not sight_simple(hexmap, [0, 1, 0], 0, 2, policy)
        assert sight_simple(hexmap, [1, 1, 1], 0, 1, policy)
        assert sight_simple(hexmap, [1, 1, 1], 0, 0, policy)


def test_hexside_with_one_hex_off_the_map() -> None:
    hexmap = HexMap.from_axial("flat", [(0, 0), (1, 0), (2, -1)])
    assert sight_simple(hexmap, [0, 1, 0], 0, 2, SightPolicy.BOTH)
    assert not sight_simple(hexmap, [0, 1, 0], 0, 2, SightPolicy.EITHER)


def test_touched_corner_counts_only_under_its_policy() -> None:
    cells = [(0, 0), (1, 0), (1, 1), (2, 0), (2, 1), (3, 0), (3, 1), (4, 1)]
    hexmap = HexMap.from_axial("pointy", cells)
    blocks = [int(cell == (3, 0)) for cell in cells]
    assert sight_simple(hexmap, blocks, 0, 7, SightPolicy.EITHER)
    assert not sight_simple(hexmap, blocks, 0, 7, SightPolicy.CORNERS)
