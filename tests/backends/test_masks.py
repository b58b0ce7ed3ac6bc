"""Filters that are asked for all places at once give what they give place by place, whatever the size of the map."""

from __future__ import annotations

from pathlib import Path

import grognard
import pytest
from grognard.compiler.build import compiler_available
from grognard.compiler.emit import emit_source
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
    assert "grog_m1_shift" in emit_source(engine.ruleset.program)
    report = grognard.compare_backends(engine.ruleset, games=6, seed=3)
    assert report.agree, str(report)
    assert report.positions > 60
