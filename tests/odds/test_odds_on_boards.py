"""Situations on boards of their own: what `map` draws on them counts."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import grognard

RULES = """\
title heights "Heights"
sides red, blue
kind Terrain
  name | cover
  open | 0
kind UnitType
  name   | fp
  rifles | 1
space Board: hexes from "board.yaml"
  terrain: Terrain
  level: 0..3
piece Unit of UnitType up to 4
  at: Hex?
  hits: 0..1
procedure hurt(u: Unit)
  roll die: d6
  if u.at is not none and die > 3 + u.at.level
    u.hits := 1
situation hill() "on a hill"
  board open 4x4
  map level = 2 at 0202
  counter red rifles as A at 0202
  odds of hurt(A)
  outcome "hit" = A.hits
sequence
  end game
"""
BOARD = """\
grid: {columns: 2, rows: 1}
legend: {".": {terrain: open, level: 0}}
rows: [".."]
"""


def test_what_is_drawn_on_the_board_of_a_situation_counts(tmp_path: Path) -> None:
    folder = tmp_path / "heights"
    (folder / "scenarios").mkdir(parents=True)
    (folder / "title.yaml").write_text("name: Heights\nid: heights\nscenario: only\n")
    (folder / "rules.grog").write_text(RULES)
    (folder / "board.yaml").write_text(BOARD)
    (folder / "scenarios" / "only.yaml").write_text("name: Only\nmaps: {Board: board.yaml}\n")
    engine = grognard.load(folder, backend="interpreter")
    # A six alone hits on level 2; on level 0 every second roll would.
    assert engine.weigh("hill", exact=True).distribution("hit") == {0: Fraction(5, 6), 1: Fraction(1, 6)}
    flat = RULES[RULES.index("  board") : RULES.index("sequence")].replace("level = 2", "level = 1")
    assert engine.weigh(flat, exact=True).distribution("hit")[1] == Fraction(1, 3)
