"""Many counters can be created in one secret block: its journal has room for all that there can be."""

from __future__ import annotations

from pathlib import Path

import pytest
from grognard.engine import load
from small_titles import write_small_title

FIELDS = 30
MOST = 120
RULES = f"""title armies "Armies"
sides red, blue
space Board: hexes
  rough: flag
kind Card from "cards.yaml"
  cost: 1..9
piece Unit of Card up to {MOST}
  at: Hex?
  side: Side
{"".join(f"  f{n}: 0..99 = {n}{chr(10)}" for n in range(FIELDS))}
game
  asked: 0..99
procedure raise(p: Side)
  choose n: 1..{MOST // 2} "how many"
  for k in 1..n
    create Unit of levy with side = p, f0 = n
procedure muster
  each side secretly: do raise(me)
  asked += 1
  choose go: flag by red "go on"
sequence
  do muster
victory
  = red when count(u in Unit where u.side is red) > count(u in Unit where u.side is blue)
  = blue otherwise
"""


@pytest.mark.parametrize("backend", ["interpreter", "python", "compiled"])
def test_two_armies_are_raised_in_one_secret_block(tmp_path: Path, backend: str) -> None:
    title = write_small_title(tmp_path / "armies", RULES, 3, 3)
    (title / "cards.yaml").write_text("Card:\n  levy: {cost: 1}\n", encoding="utf-8")
    engine = load(str(title), backend=backend)
    position = engine.new_game(seed=1)
    for _ in range(2):
        position = position.play(position.legal()[-1])
    units = position.view("red").pieces("Unit")
    assert len(units) == MOST
    assert [unit.f29 for unit in units] == [29] * MOST
