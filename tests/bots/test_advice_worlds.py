"""Odds for a seat that does not know everything: averaged over what it may think, and the same whatever is true."""

from __future__ import annotations

import random
from array import array
from itertools import product
from pathlib import Path

import pytest
from grognard.bots.advice import MAX_WORLDS, Advice, advise, advise_after
from grognard.bots.knowledge import Knowledge
from grognard.contract.backend import Io
from grognard.engine import Engine, load
from grognard.play.position import Position

PARLEY = Path(__file__).parent / "titles" / "parley"
#: An assault succeeds with a die of at least twice the guard.
CHANCES = {1: 5 / 6, 2: 3 / 6, 3: 1 / 6}


@pytest.fixture(scope="module")
def parley() -> Engine:
    return load(PARLEY, backend="interpreter")


def guarded(engine: Engine, *guards: int) -> Position:
    """The start with other guards of the blue posts."""
    position = engine.game("only", 1).position
    field = position.setting.schema.types["Post"].fields["guard"].field
    assert field is not None
    start = position.setting.scenario.layout.field_offset[field]
    with memoryview(position.cells) as raw, raw.cast("i") as cells:
        assert list(cells[start : start + 4]) == [1, 1, 2, 3]
        for number, guard in enumerate(guards, 1):
            cells[start + number] = guard
    return position


def by_name(position: Position, with_odds: bool = True) -> dict[str, Advice]:
    found = advise(position, with_odds)
    return {choice.name: found[choice.value] for choice in position.legal()}


def gone(advice: Advice) -> float:
    (told,) = advice.consequences
    assert told[1] == "gone"
    return told[2]


def test_what_was_revealed_counts_and_what_is_hidden_is_averaged(parley: Engine) -> None:
    start = parley.game("only", 1).position
    for with_odds in (True, False):
        unknown = by_name(start.play("assault"), with_odds)
        for advice in unknown.values():
            # One world would say 5/6, 3/6 or 1/6.
            assert gone(advice) == pytest.approx(1 / 2)
            assert not advice.certain and advice.worlds == MAX_WORLDS
        position = start
        for scouted, name in enumerate("BCD", 1):
            position = position.play("scout").play(name)
            after = by_name(position.play("assault"), with_odds)
            for number, other in enumerate("BCD", 1):
                known = number <= scouted
                assert gone(after[other]) == pytest.approx(CHANCES[number] if known else 1 / 2)
                assert after[other].certain == known
                assert after[other].worlds == (0 if scouted == 3 else 3 ** (3 - scouted))
    better, same, worse = by_name(start.play("assault"))["C"].odds or (0, 0, 0)
    assert (better, same, worse) == pytest.approx((1 / 2, 1 / 2, 0))


def test_positions_that_look_the_same_have_the_same_odds(parley: Engine) -> None:
    for scouts in ((), ("B",)):
        told: dict[int, set[str]] = {}
        for guards in product((1, 2, 3), repeat=3):
            position = guarded(parley, *guards)
            for name in scouts:
                position = position.play("scout").play(name)
            said = repr(
                [advise(position), advise_after(position, ["assault"]), advise_after(position, ["scout"])]
            )
            told.setdefault(guards[0] if scouts else 0, set()).add(said)
        assert all(len(all_) == 1 for all_ in told.values())
        # What was shown makes a difference.
        assert len(set().union(*told.values())) == (3 if scouts else 1)


def test_answers_that_are_only_thought_of_show_nothing(parley: Engine) -> None:
    start = parley.game("only", 1).position
    choices, found = advise_after(start, ["scout", "D", "assault"])
    assert [choice.name for choice in choices] == ["B", "C", "D"]
    assert [gone(found[choice.value]) for choice in choices] == pytest.approx([1 / 2] * 3)
    assert advise_after(start, ["done"]) == ([], {})


# -------------------------------------------------------------------------------- what a rule remembers while it waits


@pytest.fixture(scope="module")
def siege() -> Engine:
    return load(Path(__file__).parent / "titles" / "siege", backend="interpreter")


@pytest.mark.parametrize("action", ["assault", "breach"])
def test_what_a_rule_has_looked_up_is_imagined_too(siege: Engine, action: str) -> None:
    """`let g = t.guard`, or an argument, before the question: the odds are those of all guards, not of the true one."""
    told: set[str] = set()
    for guard in (1, 2, 3):
        position = guarded(siege, guard, 2, 3).play(action).play("B")
        assert position.question is not None
        advice = by_name(position)["yes"]
        assert gone(advice) == pytest.approx(1 / 2), "not 5/6, 3/6 or 1/6"
        assert not advice.unknown and not advice.certain
        told.add(repr(advise(position)))
        assert {world_gone(position, seed) for seed in range(30)} == {5, 3, 1}, "faces of the die, of six"
    assert len(told) == 1


def world_gone(position: Position, seed: int) -> int:
    """In how many of six throws the post falls in an imagined position."""
    cells = Knowledge(position).sample(random.Random(seed))
    gone = 0
    for face in range(1, 7):
        after = bytearray(cells)
        (yes,) = (choice.value for choice in position.legal() if choice.name == "yes")
        position.setting.backend.answer(after, yes, Io(script=array("i", [face])))
        gone += "B" not in {post.name for post in Position(position.setting, after).pieces("Post")}
    return gone


def test_what_cannot_be_imagined_is_not_told(siege: Engine) -> None:
    told: set[str] = set()
    for guard in (1, 2, 3):
        position = guarded(siege, guard, 2, 3).play("starve").play("B")
        found = advise(position)
        assert all(
            one.unknown == ("weeks",) and one.odds is None and not one.consequences for one in found.values()
        )
        told.add(repr(found))
    assert len(told) == 1
