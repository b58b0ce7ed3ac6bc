"""Maps in text, letter by letter."""

from __future__ import annotations

from dataclasses import replace
from io import StringIO

import pytest
from grognard.cli.board.boardview import (
    CounterView,
    EdgeView,
    PlaceView,
    SpaceView,
)
from grognard.cli.board.looks import Look
from grognard.cli.board.mapdraw import draw_space
from grognard.cli.board.showing import position_lines
from grognard.cli.console import Console, fit, to_ascii, wide
from grognard.contract.datablock import MapData
from grognard.engine import load


class Utf8(StringIO):
    encoding = "utf-8"


def whole(parts: tuple[list[str], list[str]]) -> list[str]:
    drawn, lists = parts
    return [*drawn, *(line for entry in lists for line in entry.split("\n"))]


def text(lines: list[str]) -> str:
    return "\n" + "\n".join(line.rstrip() for line in lines) + "\n"


@pytest.fixture
def console() -> Console:
    return Console(Utf8(), Utf8())


SKIRMISH = r"""
  ____        ____        ____
 /0101\      /0301\      /0501\
/      \____/      \____/      \
\ .    /0201\ w    /0401\ .    /
 \____/      \____/(T  ↙)\____/
 /0102\ .    /0302\ .    /0502\
/      \____/      \____/      \
\ .    /0202\ .    /0402\ .    /
 \____/[A  ↗]\____/      \____/
 /0103\ #1 +2/0303\ .    /0503\
/      \____/      \____/      \
\ w    /0203\ .    /0403\ . (B)/
 \____/      \____/      \____/
 /0104\ .    /0304\ .    /0504\
/      \____/      \____/      \
\ .    /0204\ .    /0404\ .    /
 \____/      \____/      \____/
      \ .    /    \ .    /
       \____/      \____/
  . open   w woods   # house
  0202  A = red squad A facing ne, s1 = red squad 1 facing s, s2 = red squad 2 facing s
  0401  T = blue tank T facing sw (hits 1)
  0503  held blue
shots 0
red   vp 0
blue  vp 0
"""

SMALL = r"""
    01 02 03 04 05
    __    __    __
01 /. \__/w \__/. \
   \__/. \__/T↙\__/
02 /. \__/. \__/. \
   \__/A↗\__/. \__/
03 /w \__/. \__/.B\
   \__/. \__/. \__/
04 /. \__/. \__/. \
   \__/. \__/. \__/
      \__/  \__/
  . open   w woods   # house
"""

FOUR = """
  ┌─────────────────────┐
6 │ ·  ·  ·  ·  ·  ·  · │
5 │ ·  ·  ·  ·  ·  ·  · │
4 │ ·  ·  ·  ·  ·  ·  · │
3 │ ·  ·  ·  ·  ·  ·  · │
2 │ ·  ·  ·  R  ·  ·  · │
1 │ ·  ·  ·  R  Y  ·  · │
  └─────────────────────┘
    A  B  C  D  E  F  G
"""

FOUR_PLAIN = """
  +---------------------+
6 | .  .  .  .  .  .  . |
5 | .  .  .  .  .  .  . |
4 | .  .  .  .  .  .  . |
3 | .  .  .  .  .  .  . |
2 | .  .  .  R  .  .  . |
1 | .  .  .  R  Y  .  . |
  +---------------------+
    A  B  C  D  E  F  G
"""

POINTY = r"""
  / \   / \
 /   \ /   \
|a    |b    |
|     |[A →]|
 \ . / \w+1/
  \ /   \ /
   |c    |
   |     |
    \ . /
     \ /
  b  A = Red squad A facing e, B = Red squad B
"""

POINTY_SMALL = r"""
 / \ / \
|.  |A →|
 \ / \ /
  |.  |
   \ /
  b  A = Red squad A facing e, B = Red squad B
"""


def test_flat_hexes(skirmish: str, console: Console) -> None:
    position = load(skirmish, backend="interpreter").new_game()
    assert text(position_lines(position, console)) == SKIRMISH


def test_small_hexes(skirmish: str, console: Console) -> None:
    position = load(skirmish, backend="interpreter").new_game()
    assert text(position_lines(position, console, "small")).startswith(SMALL)
    plain = Console(Utf8(), Utf8(), plain=True)
    assert text(position_lines(position, plain, "small")).startswith(
        SMALL.replace("↙", " ").replace("↗", " ")
    )


def test_plain_hexes_are_ascii(skirmish: str) -> None:
    position = load(skirmish, backend="interpreter").new_game()
    drawn = text(position_lines(position, Console(Utf8(), Utf8(), plain=True)))
    assert drawn.isascii()
    assert "[A ne]" in drawn and "(T sw)" in drawn


def test_coloured_counters(skirmish: str) -> None:
    position = load(skirmish, backend="interpreter").new_game()
    lines = position_lines(position, Console(Utf8(), Utf8(), color=True))
    drawn = "\n".join(lines)
    assert "\x1b[1;97;41m A   ↗\x1b[0m" in drawn
    assert "\x1b[1;97;44m T   ↙\x1b[0m" in drawn


def test_squares(console: Console) -> None:
    position = load("connect_four", backend="interpreter").new_game()
    for move in ("D1", "E1", "D2"):
        position = position.play(move)
    assert text(position_lines(position, console)) == FOUR
    assert text(position_lines(position, Console(Utf8(), Utf8(), plain=True))) == FOUR_PLAIN


def _space(sort: str, q: tuple[int, ...], r: tuple[int, ...], names: str) -> SpaceView:
    data = MapData(sort, 0, 0, len(names), flat=False, q=q, r=r)  # type: ignore[arg-type]
    return SpaceView("Board", data, [PlaceView(name, name) for name in names])


LOOK = Look(["red", "blue"], ["Red", "Blue"], {}, {})


def test_pointy_hexes(console: Console) -> None:
    space = replace(
        _space("hexes", (0, 1, 0), (0, 0, 1), "abc"), directions=("ne", "e", "se", "sw", "w", "nw")
    )
    space.places[1].letter = "w"
    space.places[1].counters = [CounterView("A", "squad A", 0, 1), CounterView("B", "squad B", 0)]
    assert text(whole(draw_space(space, LOOK, console, "large"))) == POINTY
    assert text(whole(draw_space(space, LOOK, console, "small"))) == POINTY_SMALL


def test_a_facing_without_room_stands_below_its_counter(console: Console) -> None:
    """Small flat hexes have two columns: a code of two letters leaves none for the arrow; a star is a place with a story."""
    space = _space("hexes", (0, 1), (0, 0), "ab")
    space = replace(space, map=replace(space.map, flat=True), directions=("n", "ne", "se", "s", "sw", "nw"))
    space.places[0].counters = [CounterView("G1", "squad G1", 0, 2)]
    space.places[1].states = ["worth 2"]
    drawn = whole(draw_space(space, LOOK, console, "small"))
    assert drawn[1:4] == ["/G1\\__", "\\_↘/.*\\", "   \\__/"]
    assert "* see below" in text(drawn) and "b  worth 2" in text(drawn)
    assert draw_space(space, LOOK, Console(Utf8(), Utf8(), plain=True), "small")[0][2] == "\\__/.*\\"


def test_areas(console: Console) -> None:
    space = _space("areas", (), (), "xyz")
    space.places[0].title = "Calais"
    space.places[0].marks = [CounterView("R", "held Red", 0)]
    space.places[0].counters = [CounterView("inf", "Infantry", 0, count=3), CounterView("t", "Tank", 1)]
    space.places[1].states = ["damage 2"]
    assert whole(draw_space(space, LOOK, console)) == [
        "  Calais  Red, 3 Infantry, Blue Tank",
        "  y       damage 2",
        "  z",
    ]


def test_many_areas_show_only_what_is_full(console: Console) -> None:
    space = _space("areas", (), (), "abcdefghijklmnopqrstuvwxyzABCDEFGHIJ")
    space.places[3].states = ["smoke"]
    assert whole(draw_space(space, LOOK, console)) == ["  d  smoke", "  (and 35 empty ones)"]


def test_empty_maps(console: Console) -> None:
    for sort in ("hexes", "squares", "areas"):
        assert draw_space(_space(sort, (), (), ""), LOOK, console) == ([], [])


def test_squares_with_counters(console: Console) -> None:
    space = _space("squares", (0, 1), (0, 0), "ab")
    space.places[0].counters = [CounterView("r12", "rifles", 1), CounterView("t", "tank", 0)]
    drawn = whole(draw_space(space, LOOK, console))
    assert "(r12)+1" in drawn[1]


def test_widths() -> None:
    assert wide("abc") == 3 and wide("日本") == 4 and wide("é") == 1
    assert fit("日本", 3) == "日 " and fit("a", 3) == "a  "


def test_other_encodings() -> None:
    assert to_ascii("↗ é│…", "ascii") == "/ e|..."
    assert to_ascii("é│", "latin-1") == "é|"


def test_hexsides(console: Console) -> None:
    """Roads and rivers are signs on the hexsides, named in the legend; the title may choose them."""
    space = replace(_space("hexes", (0, 1, 0), (0, 0, 1), "abc"))
    space.edges = [EdgeView(0, 1, "road", "road", 0), EdgeView(1, 2, "river", "great river", 1)]
    drawn = text(whole(draw_space(space, LOOK, console, "large")))
    assert drawn.splitlines()[3:7] == ["|a    =b    |", "|     =     |", r" \ . / : . /", r"  \ /   : /"]
    look = replace(LOOK, symbols={"road": "#", "great river": "~"})
    small = text(whole(draw_space(space, look, console, "small")))
    assert small.splitlines()[2:4] == ["|.  #.  |", r" \ / ~ /"]
    assert "# road (hexside)   ~ great river (hexside)" in small
    flat = replace(space, map=replace(space.map, flat=True))
    assert text(whole(draw_space(flat, LOOK, console, "large"))).splitlines()[4:8] == [
        r"\ .    =b   \ ".rstrip(),
        r" \____=      \ ".rstrip(),
        r" /c   : .    /",
        r"/      :____/",
    ]
