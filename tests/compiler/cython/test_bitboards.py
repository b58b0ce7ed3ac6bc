"""Filters that are asked for all places at once give what they give place by place, whatever the size of the map."""

from __future__ import annotations

from pathlib import Path

import grognard
import pytest
from grognard.compiler.build.build import compiler_available
from grognard.compiler.cython.modules import emit_source
from small_titles import write_small_title

RULES = """\
title growth "Growth"

sides red, blue

space Board: hexes from "maps/board.yaml"
  state mark: Side?
  rough: flag

rule held(h: Hex?, p: Side) -> flag
  = h is not none and h.mark is p

# Every way to look around: beside in one direction, any neighbour, its direction, columns and fields of both.
rule grows(h: Hex, p: Side) -> flag
  = no when h.mark is not none
  = yes when held(neighbour(h, n), p) and not h.rough
  = neighbour(h, se) is none or not held(neighbour(h, se), p) when held(neighbour(h, sw), p)
  = any(b in neighbours(h) where b.mark is p and (direction(h, b) is s or b.rough)) otherwise

action grow "grow"
  choose h: Hex where grows(h, me) "into"
  h.mark := me
  end game if count(x in Hex where x.mark is not none) >= 24

sequence
  alternate p from red until all pass
    offer p: grow

victory
  = none
"""


PLACES = """\
places:
  Board:
    "0202": {mark: red}
    "0404": {mark: blue}
    "0503": {mark: red}
    "0304": {mark: blue}
"""


@pytest.mark.skipif(compiler_available() is not None, reason="nothing can be compiled here")
@pytest.mark.parametrize("columns, rows", [(7, 9), (16, 24), (25, 16)])
def test_masks_of_every_width_give_what_single_questions_give(
    tmp_path: Path, columns: int, rows: int
) -> None:
    engine = grognard.load(str(write_small_title(tmp_path / "growth", RULES, columns, rows, PLACES)))
    assert "grog_board1_shift" in emit_source(engine.ruleset.program)
    report = grognard.compare_backends(engine.ruleset, games=6, seed=3)
    assert report.agree, str(report)
    assert report.positions > 60


# Cells are written in every way: by the action itself, in a loop, by a procedure without a decision, in branches that are put
# together, all at once by a reset, and only to see what would come of it.
SOWING = """\
title sowing "Sowing"

sides red, blue

space Board: hexes from "maps/board.yaml"
  state mark: Side?
  state dug: flag reset at dawn
  rough: flag

game
  turns: 0..200

rule firm(h: Hex?) -> flag
  = h is not none and (h.mark is not none or h.dug)

rule open(h: Hex) -> flag
  = h.mark is none and (neighbour(h, s) is none or firm(neighbour(h, s)))

rule held(p: Side) -> 0..63 = count(x in Hex where x.mark is p)

procedure clear(h: Hex)
  h.mark := none

procedure storm(p: Side) -> 0..63
  if any(x in Hex where x.mark is other(p))
    choose x: Hex where x.mark is other(p) "storm"
    x.mark := none
  return held(p)

action sow "sow"
  choose h: Hex where open(h) "into"
  h.mark := me
  h.dug := yes
  for b in neighbours(h) where b.mark is other(me) and b.rough
    b.mark := none
  if turns mod 5 is 0
    do clear(h)
  if turns mod 7 is 3
    simultaneously
      for b in neighbours(h) where b.mark is none and not b.dug
        b.mark := me
  if turns mod 11 is 4 and at best storm(me) > 20
    h.mark := none
  if turns mod 3 is 2
    mark dawn
  turns += 1
  end game if not any(x in Hex where x.mark is none) or turns > 150
  end game if not any(x in Hex where x.mark is not none) and turns > 9

sequence
  alternate p from red until all pass
    offer p: sow

victory
  = none
"""


@pytest.mark.skipif(compiler_available() is not None, reason="nothing can be compiled here")
def test_masks_that_follow_writes_are_those_made_anew(tmp_path: Path) -> None:
    folder = str(write_small_title(tmp_path / "sowing", SOWING, 7, 9))
    compiled, slow = (grognard.load(folder, backend=name) for name in ("compiled", "interpreter"))
    source = emit_source(compiled.ruleset.program)
    assert "grog_board_update" in source and "grog_board_any" in source
    report = grognard.compare_backends(compiled.ruleset, games=6, seed=3)
    assert report.agree, str(report)
    # Games at random keep their masks from the first answer to the last.
    assert compiled.playouts(12, seed=5) == slow.playouts(12, seed=5)
