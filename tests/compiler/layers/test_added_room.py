"""A title says how many counters there can be, and what lies between the places of its maps."""

from __future__ import annotations

from pathlib import Path

import grognard
import pytest
from grognard.compiler_access import check

SERIES = """\
series small "Small"
sides red, blue
space Board: hexes
  far: flag
piece Unit up to 2
  at: Hex?
record Order up to 1
  of: Unit
record Pair
  a, b: Unit
sequence
  phase play
    choose u: Unit by red "who"
    create Order with of = u
    if room(Order) > 0
      create Order with of = u
    end game
victory = red
"""
BOARD = "grid: {columns: 2, rows: 1}\nedges: [{between: ['0101', '0201'], rail: yes}]\n"
SCENARIO = "name: First\nmaps: {Board: board.yaml}\npieces: [{Unit: , side: red, at: '0101', count: %d}]\n"
ADDED = """\
title box "Box" of small
add to piece Unit up to 5
  tired: 0..3
add to record Order, up to 2
add to space Board
  edge rail: flag
rule railway(a: Hex, b: Hex) -> flag = side(a, b).rail
"""


def made(folder: Path, rules: str, count: int) -> Path:
    files = {
        "series.yaml": "name: Small\nid: small\n",
        "small.grog": SERIES,
        "box/title.yaml": "name: Box\nscenario: first\n",
        "box/game.grog": rules,
        "box/board.yaml": BOARD if "rail" in rules else BOARD.partition("edges")[0],
        "box/scenarios/first.yaml": SCENARIO % count,
    }
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return folder / "box"


def told(where: Path) -> list[str]:
    return [f"{d.code} {d.message}" for d in check(str(where))[2]]


@pytest.mark.parametrize("backend", ["interpreter", "python"])
def test_a_title_makes_room(tmp_path: Path, backend: str) -> None:
    engine = grognard.load(made(tmp_path, ADDED, 5), backend=backend)  # type: ignore[arg-type]
    assert engine.call("railway", ("0101", "0201"))
    position = engine.new_game()
    assert len(position.values()) == 5
    assert [piece.tired for piece in position.pieces("Unit")] == [0] * 5
    position.play_inplace(position.values()[0])
    assert position.over and len(position.pieces("Order")) == 2


def test_without_it_the_series_room_counts(tmp_path: Path) -> None:
    where = made(tmp_path, 'title box "Box" of small\n', 2)
    assert told(where) == []
    scenario = where / "scenarios" / "first.yaml"
    text = scenario.read_text(encoding="utf-8")
    scenario.write_text(text.rstrip("]\n") + ", {Unit: , side: blue, at: '0201'}]\n", encoding="utf-8")
    assert told(where) == ["GR0611 3 pieces of type Unit, but at most 2 are declared"]


@pytest.mark.parametrize(
    ("line", "says"),
    [
        (
            "add to record Pair up to 4",
            "GR0504 `Pair` is a bundle of values, of which any number can be made",
        ),
        ("add to record Unit up to 4", "GR0504 `Unit` is not a record"),
        ("add to piece Order up to 4", "GR0504 `Order` is not a piece"),
        ("add to piece Unti up to 4", "GR0504 there is no piece `Unti`"),
        ("add to piece Unit up to 0", "GR0611 of Unit there can be 1 to 10,000, not 0"),
        ("add to space Board up to 4", "GR0101 pieces and records have room, not a space"),
        ("add to piece Unit\n  edge rail: flag", "GR0101 edges are added to a space, not to a piece"),
    ],
)
def test_mistakes(tmp_path: Path, line: str, says: str) -> None:
    where = made(tmp_path, f'title box "Box" of small\n{line}\n', 2)
    assert any(said.startswith(says) for said in told(where)), told(where)
