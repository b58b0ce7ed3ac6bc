"""`same both ways` is tried on the map: a sight that looks at one end only is found out."""

from __future__ import annotations

from pathlib import Path

from grognard.compiler.driver.pipeline import compile_title
from grognard.play.symmetry_check import check_symmetries
from grognard.support.diagnostics import Sink

RULES = """\
sides red, blue
space Board: hexes
  level: 0..3
sight fair(a: Hex, b: Hex) on Board
  same both ways
  along a hexside: blocked if both block
  hex h blocks when h.level > max(a.level, b.level)
sight lopsided(a: Hex, b: Hex) on Board
  same both ways
  along a hexside: blocked if both block
  hex h blocks when h.level > a.level
sequence
  end game
"""
MAP = """\
grid: {columns: 4, rows: 4, layout: odd-q, numbering: "{col:02}{row:02}"}
default: {level: 0}
grids: {level: ["0000", "0210", "0000", "1000"]}
"""


def test_a_lopsided_sight_fails_its_check(tmp_path: Path) -> None:
    for name, text in {
        "title.yaml": "name: Sights\nscenario: s\n",
        "game.grog": RULES,
        "maps/m.yaml": MAP,
        "scenarios/s.yaml": "name: s\nmaps: {Board: maps/m.yaml}\n",
    }.items():
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")
    sink = Sink()
    ruleset = compile_title(str(tmp_path), sink)
    assert ruleset is not None and not sink.has_errors
    fair, lopsided = check_symmetries(ruleset)
    assert fair.holds and fair.pairs == lopsided.pairs == 16 * 15 // 2
    assert not lopsided.holds
    assert lopsided.failures[0].code == "GR0907"
    assert "sees" in lopsided.failures[0].message
