"""Positions that steps make share nothing: whatever is kept, dropped and played on from keeps its cells."""

from __future__ import annotations

import random
from pathlib import Path

import grognard
import pytest
from grognard.compiler.build.build import compiler_available
from small_titles import write_small_title

needs_compiler = pytest.mark.skipif(compiler_available() is not None, reason="nothing can be compiled here")

RULES = """\
title tide "Tide"

sides red, blue

space Board: hexes from "maps/board.yaml"
  rough: flag
  state depth: 0..9
  state owner: Side?

game
  turns: 0..99

action drop "drop"
  choose h: Hex where h.depth < 9 and not h.rough "in"
  h.depth += 1
  h.owner := me
  turns += 1
  end game if turns > 80

# More cells than a step notes one by one.
action flood "flood"
  for h in Hex
    h.depth := (h.depth + turns) mod 10
  turns += 1

action calm "calm"
  for h in Hex
    h.depth := 0
  turns += 1

action split "split"
  choose h: Hex where h.rough "around"
  simultaneously
    for n in neighbours(h)
      n.depth := 3
    for n in neighbours(h) where n.rough
      n.owner := me
  choose n in neighbours(h) "and then", else return
  n.depth := 0
  turns += 1

# A rule that cannot go on once the water is high.
action dive "dive"
  choose h: Hex where h.depth > 7 "in"
  h.depth := h.depth + 5
  turns += 1

sequence
  alternate p from red until all pass
    offer p: drop, flood, calm, split, dive

victory
  = none
"""


@needs_compiler
def test_every_position_keeps_its_cells(tmp_path: Path) -> None:
    folder = str(write_small_title(tmp_path / "tide", RULES, 20, 20))
    engine, oracle = (grognard.load(folder, backend=name) for name in ("compiled", "interpreter"))
    chance = random.Random(11)
    first = engine.new_game("only", seed=2)
    #: positions with what they must be, and what looks at their cells all the while
    known = [(first, bytes(first), oracle.new_game("only", seed=2), memoryview(first.cells))]
    failures = many = 0
    for number in range(700):
        place = len(known) - 1 if number % 5 else chance.randrange(len(known))
        position, before, wanted, _ = known[place]
        if position.over:
            place, (position, before, wanted, _) = 0, known[0]
        assert bytes(position) == before
        value = chance.choice(position.values())
        try:
            wanted = wanted.play(value)
        except grognard.RuleError:
            # Nothing of a step that failed is left over in those that come after it.
            failures += 1
            with pytest.raises(grognard.RuleError):
                position.play(value)
            assert bytes(position) == before
            continue
        after = position.play(value)
        assert bytes(after) == bytes(wanted) and after.values() == wanted.values()
        many += sum(a != b for a, b in zip(bytes(after), before)) > 300
        known.append((after, bytes(after), wanted, memoryview(after.cells)))
        while len(known) > chance.choice((2, 3, 30)):
            known.pop(chance.randrange(1, len(known) - 1))
    assert failures > 3 and many > 3
    for position, before, wanted, cells in known:
        assert bytes(position) == before == bytes(wanted) and bytes(cells) == bytes(position.cells)
