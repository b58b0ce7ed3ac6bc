"""One procedure done many times: both back ends count the same, and the position stays as it was."""

from __future__ import annotations

from pathlib import Path

import grognard
import pytest
from grognard.compiler.build.build import compiler_available

SKIRMISH = Path(__file__).resolve().parent / "titles" / "skirmish"


def engines(title: str | Path) -> list[grognard.Engine]:
    names = ["interpreter"] if compiler_available() is not None else ["interpreter", "compiled"]
    return [grognard.load(title, backend=name) for name in names]  # type: ignore[arg-type]


def test_choices_are_answered_and_a_rule_is_counted() -> None:
    counted = []
    for engine in engines("connect_four"):
        position = engine.new_game(seed=1)
        before = bytes(position)
        asked = {"n": 300, "position": position, "measure": ("lands", ["D1"])}
        counted.append(engine.sample("drop", ["red"], seed=3, **asked))  # type: ignore[arg-type]
        assert counted[-1].total() == 300 and set(counted[-1]) == {True, False}
        others = [engine.sample("drop", ["red"], seed=seed, **asked) for seed in (4, 5, 6)]  # type: ignore[arg-type]
        assert any(other != counted[-1] for other in others)
        # The first candidate is always the same.
        assert engine.sample("drop", ["red"], answers="first", **asked) == {True: 300}  # type: ignore[arg-type]
        assert bytes(position) == before
    assert all(one == counted[0] for one in counted)


def test_dice_and_writes_are_of_each_run_alone() -> None:
    """Fire changes the target: were a write left behind, later runs would see another target."""
    counted = []
    for engine in engines(SKIRMISH):
        measure = ("firepower", ["B"])
        counted.append(engine.sample("fire", ["A", "B"], 400, seed=7, measure=measure))
        assert len(counted[-1]) > 1
        halves = [engine.sample("fire", ["A", "B"], 1, seed=seed, measure=measure) for seed in range(400)]
        alone = sum((half for half in halves), start=type(counted[-1])())
        assert abs(alone.most_common(1)[0][1] - counted[-1].most_common(1)[0][1]) < 80
    assert all(one == counted[0] for one in counted)


def test_what_cannot_be_sampled() -> None:
    engine = engines("connect_four")[0]
    with pytest.raises(grognard.UnknownName):
        engine.sample("drip", ["red"])
    with pytest.raises(ValueError):
        engine.sample("drop", [])
    with pytest.raises(ValueError):
        engine.sample("drop", ["red"], -1)
    with pytest.raises(ValueError):
        engine.sample("drop", ["red"], answers="last")  # type: ignore[arg-type]
    assert engine.sample("four", ["D1", "red"], 3) == {False: 3}


FIRST = """\
title first "First"

sides red, blue

kind Thing
  name | worth | many
  a    | 0     | 1
  b    | 4     | 2
  c    | 6     | 0
  d    | 8     | 0

game
  sum: 0..99

# Whoever looks further than the second meets a division by nothing.
rule fits(t: Thing, least: 0..9) -> flag = t.worth >= least and 8 / t.many rounded down > 1

procedure pick(least: 0..9)
  choose t: Thing where fits(t, least) by red "which", else return
  may choose x: Thing where fits(x, least + 1) by red "or this"
  sum := t.worth + (0 if x is none else 10 * x.worth)

rule total() -> 0..99 = sum

action nothing "nothing"
  sum += 1
  end game if sum > 9

sequence
  alternate p from red until all pass
    offer p: nothing

victory
  = none
"""


def test_whoever_takes_the_first_meets_no_others(tmp_path: Path) -> None:
    """A filter that fails for the third candidate: it is not asked where the first two settle the matter."""
    (tmp_path / "title.yaml").write_text("name: First\nid: first\nscenario: only\n")
    (tmp_path / "game.grog").write_text(FIRST)
    (tmp_path / "scenarios").mkdir()
    (tmp_path / "scenarios" / "only.yaml").write_text("name: Only\n")
    for engine in engines(tmp_path):
        # Two are looked for, because one alone would settle it; of those who may decline, the first is enough.
        assert engine.sample("pick", [0], 3, measure="total", answers="first") == {40: 3}
        with pytest.raises(grognard.RuleError):
            engine.sample("pick", [0], 3, measure="total")
        # There is no second that passes before the one that fails.
        with pytest.raises(grognard.RuleError):
            engine.sample("pick", [1], 3, measure="total", answers="first")
