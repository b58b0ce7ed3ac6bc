from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from client import Editor

pytest.importorskip("pygls")

SERIES = """\
# A small series.
series small "Small"

sides red, blue                                                    [1]

enum Weather [2]: clear, overcast, storm

kind Type from "types.yaml"                                        [3]
  strength: 0..9                                                   [3]
  mobile: flag = no

space Board: hexes                                                 [1]
  rough: flag

piece Unit of Type up to 6                                         [3]
  at: Hex
  tired: flag                                                      [3]

game
  weather: Weather                                                 [2]
  turn: 0..9 = 0

# How strong a unit is in the open.
rule power(u: Unit, by: int) -> 0..20                              [3]
  = 0 when u.tired and weather is storm
  = u.strength + min(9, max(0, by)) otherwise

modifiers drm(u: Unit) -> -9..9                                    [2]
  -1 "tired" when u.tired
  +2 "fresh" when not u.tired

table result(odds: 1..2, die: 1..6) -> Weather                     [2]
    | 1     | 2..5     | 6
  1 | clear | overcast | storm
  2 | clear | clear    | storm

procedure rest                                                     [3]
  for u in Unit where u.tired
    u.tired := no

sequence                                                           [1]
  phase night
    do rest
    turn := min(9, turn + 1)

victory                                                            [1]
  = none
"""

TITLE = """\
title tiny "Tiny" of small

exception snow to power when weather is storm                    [4]
  = 1

example "rest" [3]
  board open 3x3
  counter red rifles as A at 0101, tired = yes
  do rest
  expect not A.tired, power(A, 0) is 3, drm(A) is 2, result(1, 3) is overcast
"""

FILES = {
    "series.yaml": "name: Small\n",
    "rules.grog": SERIES,
    "tiny/title.yaml": "name: Tiny\nscenario: first\n",
    "tiny/game.grog": TITLE,
    "tiny/errata/first.grog": 'errata "2009" 2009-03-01 [err]\n  amend modifiers drm: fresh 2 -> 3   [err 1]\n',
    "tiny/types.yaml": "Type:\n  rifles: {name: Rifles, strength: 3, mobile: yes}\n  guns: {name: Guns, strength: 5}\n",
    "tiny/maps/board.yaml": 'grid: {columns: 3, rows: 3, numbering: "{col:02}{row:02}"}\ndefault: {rough: no}\nhexes:\n  "0202": {rough: yes}\n',
    "tiny/scenarios/first.yaml": 'name: First\nmaps: {Board: maps/board.yaml}\ngame: {weather: clear}\npieces:\n  - {Unit: rifles, side: red, at: "0101"}\n',
    "tiny/rulebook.yaml": 'prefixes: [err]\nsections:\n  "1": Play\n  "2": Weather\n  "3": Units\n  "4": Snow\n',
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("rules").resolve() / "small"
    for name, text in FILES.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return root


@pytest.fixture(scope="module")
def editor(folder: Path) -> Iterator[Editor]:
    made = Editor()
    made.start(folder)
    yield made
    made.stop()
