"""Maps of other shapes: squares, pointy hexes, joined boards, areas with classes."""

from __future__ import annotations

from pathlib import Path

from grognard.compiler.data.load import BoardSpec, Scenario
from grognard.contract.header import NONE
from grognard.geometry import HexMap, distance
from test_data_errors import make, told
from test_data_title import Title

HEXES = """\
title boards
sides red, blue
kind Terrain
  name  | cost
  open  | 0
  woods | 1
space Board: hexes
  terrain: Terrain = open
  edge road: flag
  edge stream: 0..2
piece Unit, up to 3
  at: Hex?
  facing: Direction
"""
B1 = """\
grid: {columns: 4, rows: 3, numbering: "{colletter}{row}"}
legend: {".": {terrain: open}, w: {terrain: woods}}
rows: ["w...", "....", "...w"]
edges: [{along: [A1, A2], road: yes}]
"""


def load(folder: Path, rules: str, files: dict[str, str]) -> tuple[Title, Scenario]:
    title = Title(make(folder, {"title.yaml": "name: Small\n", "rules.grog": rules, **files}))
    game = title.scenario("first")
    assert game is not None
    return title, game


def joined(folder: Path, boards: str, board: str = B1) -> tuple[Title, Scenario]:
    scenario = f"name: First\nmaps:\n  Board:\n    boards:\n{boards}"
    return load(folder, HEXES, {"b1.yaml": board, "scenarios/first.yaml": scenario})


def near(title: Title, game: Scenario, name: str) -> set[str]:
    names = game.data.domains[title.dom("Hex").id].names
    entry = game.data.maps[0]
    place = names.index(name)
    return {names[b] for b in entry.neighbours[6 * place : 6 * place + 6] if b != NONE}


def test_boards_side_by_side(tmp_path: Path) -> None:
    title, game = joined(
        tmp_path,
        '      - {board: b1.yaml, name: "1"}\n      - {board: b1.yaml, name: "2", joins: "1", at: right}\n',
    )
    assert told(title) == []
    names = game.data.domains[title.dom("Hex").id].names
    assert len(names) == 24 and names[0] == "1-A1" and names[12] == "2-A1"
    # the layout goes on over the seam as if there were one sheet of eight columns
    assert near(title, game, "2-A1") == {"1-D1", "2-A2", "2-B1"}
    assert near(title, game, "2-A2") == {"2-A1", "1-D1", "1-D2", "2-B1", "2-B2", "2-A3"}
    woods = [n for n in names if title.column(game, "Hex", "terrain", n) == 1]
    assert woods == ["1-A1", "1-D3", "2-A1", "2-D3"]
    assert title.column(game, "Hexside", "road", "2-A1-2-A2") == 1
    entry = game.data.maps[0]
    hexmap = HexMap.from_axial("flat", zip(entry.q, entry.r), names)
    assert distance(hexmap, names.index("1-A1"), names.index("2-D1")) == 7


def test_a_turned_board_below(tmp_path: Path) -> None:
    title, game = joined(
        tmp_path,
        '      - {board: b1.yaml, name: "1"}\n'
        '      - {board: b1.yaml, name: "2", turn: 180, joins: "1", at: bottom}\n',
    )
    assert told(title) == []
    # half a turn puts D3 into the corner at the upper left; its column is high now, as A is
    assert near(title, game, "2-D3") >= {"1-A3", "2-D2"}
    assert near(title, game, "2-A3") >= {"1-D3", "2-A2"}
    assert title.column(game, "Hexside", "road", "2-A1-2-A2") == 1


def test_half_hexes_merge(tmp_path: Path) -> None:
    odd = (
        'grid: {columns: 3, rows: 2, numbering: "{colletter}{row}"}\nedges: [{along: [C1, C2], road: yes}]\n'
    )
    boards = (
        '      - {board: b1.yaml, name: "1"}\n      - {board: b1.yaml, name: "2", joins: "1"}\n    seam: merge_halves\n'
        '    hexes: {"2-A1": {terrain: woods}}\n'
    )
    title, game = joined(tmp_path, boards, odd)
    assert told(title) == []
    names = game.data.domains[title.dom("Hex").id].names
    assert len(names) == 10 and "2-A1" not in names
    # the merged hex answers to both names
    assert title.column(game, "Hex", "terrain", "1-C1") == 1
    assert title.column(game, "Hexside", "road", "1-C1-1-C2") == 1
    assert near(title, game, "1-C1") == {"1-B1", "1-C2", "2-B1"}


def test_boards_that_cannot_be_joined(tmp_path: Path) -> None:
    title, _ = joined(
        tmp_path,
        '      - {board: b1.yaml, name: "1"}\n      - {board: b1.yaml, name: "2", joins: "3"}\n',
    )
    assert told(title) == ["GR0608 scenarios/first.yaml:6:44 there is no board `3` before this one"]
    title, _ = joined(tmp_path, '      - {board: b1.yaml, name: "1"}\n      - {board: b1.yaml, name: "2"}\n')
    assert told(title) == ["GR0603 scenarios/first.yaml:6:9 board `2` lacks `joins`"]
    title, _ = joined(tmp_path, '      - {board: b1.yaml, name: "1", turn: 45}\n')
    assert told(title) == ["GR0605 scenarios/first.yaml:5:43 turn must be a multiple of 60 degrees, not 45"]
    title, _ = joined(
        tmp_path,
        '      - {board: b1.yaml, name: "1"}\n      - {board: b1.yaml, name: "2", joins: "1", at: rihgt}\n',
    )
    assert told(title) == [
        "GR0604 scenarios/first.yaml:6:53 at must be one of right, left, top, bottom, not `rihgt`"
    ]


def test_boards_that_contradict_each_other(tmp_path: Path) -> None:
    odd = (
        'grid: {columns: 3, rows: 2, numbering: "{colletter}{row}"}\nedges: [{along: [C1, C2], stream: 1}]\n'
    )
    two = odd.replace("[C1, C2], stream: 1", "[A1, A2], stream: 2")
    boards = (
        '    boards:\n      - {board: b1.yaml, name: "1"}\n      - {board: b2.yaml, name: "2", joins: "1"}\n'
        "    seam: merge_halves\n"
    )
    files = {
        "b1.yaml": odd,
        "b2.yaml": two,
        "scenarios/first.yaml": f"name: First\nmaps:\n  Board:\n{boards}",
    }
    title, _ = load(tmp_path, HEXES, files)
    (line,) = told(title)
    assert line.startswith("GR0614 scenarios/first.yaml:4:5 the map: contradiction on the hexside")
    agree = files | {"b2.yaml": two.replace("stream: 2", "stream: 1")}
    title, game = load(tmp_path, HEXES, agree)
    assert told(title) == []
    assert title.column(game, "Hexside", "stream", "1-C1-1-C2") == 1


def test_pointy_hexes_name_their_directions(tmp_path: Path) -> None:
    scenario = 'name: First\nmaps: {Board: map.yaml}\npieces: [{Unit: , side: red, facing: w, at: "0201"}]\n'
    files = {"map.yaml": "grid: {columns: 2, rows: 2, layout: odd-r}\n", "scenarios/first.yaml": scenario}
    title, game = load(tmp_path, HEXES, files)
    assert told(title) == []
    assert title.dom("Direction").members == ["ne", "e", "se", "sw", "w", "nw"]
    entry = game.data.maps[0]
    assert not entry.flat
    # cells go down the columns: 0101, 0102, 0201, 0202; west of 0201 is 0101
    assert entry.neighbours[6 * 2 + 4] == 0
    assert title.cell(game, title.dom("Unit").fields["facing"].field, 0) == 4
    board = title.scenario(BoardSpec("open", 2, 2))
    assert board is not None and not board.data.maps[0].flat


def test_maps_of_one_title_must_lie_alike(tmp_path: Path) -> None:
    files = {
        "map.yaml": "grid: {columns: 2, rows: 2, layout: odd-r}\n",
        "other.yaml": "grid: {columns: 2, rows: 2}\n",
        "scenarios/early.yaml": "name: Early\nmaps: {Board: map.yaml}\n",
        "scenarios/first.yaml": "name: First\nmaps: {Board: other.yaml}\n",
    }
    title, _ = load(tmp_path, HEXES, files)
    assert told(title) == ['GR0614 other.yaml:1:1 "other.yaml" has flat-top hexes, other maps do not']


SQUARES = """\
title chess
sides white, black
space Board: squares from "board.yaml"
  edge wall: flag
piece Pawn up to 2
  at: Square
"""


def test_squares(tmp_path: Path) -> None:
    board = (
        'grid: {columns: 3, rows: 3, numbering: "{colletter}{row}", first_row: bottom}\n'
        "edges: [{between: [A1, B2], wall: yes}]\n"
    )
    scenario = "name: First\npieces: [{Pawn: , side: white, at: A1}]\n"
    title, game = load(tmp_path, SQUARES, {"board.yaml": board, "scenarios/first.yaml": scenario})
    assert told(title) == []
    assert title.dom("Direction").members == ["n", "ne", "e", "se", "s", "sw", "w", "nw"]
    entry = game.data.maps[0]
    names = game.data.domains[title.dom("Square").id].names
    assert entry.sort == "squares" and names[:3] == ("A3", "A2", "A1")
    around = entry.neighbours[8 * 4 : 8 * 5]
    assert [names[b] for b in around] == ["B3", "C3", "C2", "C1", "B1", "A1", "A2", "A3"]
    corner = entry.neighbours[8 * 2 : 8 * 3]
    assert [NONE if b == NONE else names[b] for b in corner] == [
        "A2",
        "B2",
        "B1",
        NONE,
        NONE,
        NONE,
        NONE,
        NONE,
    ]
    assert len(entry.edge_a) == 12 + 8
    assert title.column(game, "Link", "wall", "A2-B2") == 0
    assert title.column(game, "Link", "wall", "A1-B2") == 1
    assert title.cell(game, title.dom("Pawn").fields["at"].field, 0) == 2


AREAS = """\
title world
sides axis, allies
powers Power from "powers.yaml"
  side: Side
  capital: Territory?
  ipc_start: 0..99
space Air: boxes
space World: areas from "world.yaml"
  port: flag
  class Territory
    ipc: 0..20
    state owner: Power?
  class SeaZone
    depth: 0..9 = 1
  edge passage: flag
relation at_war(Power, Power) mutual
each power
  money: 0..99
table tax(Territory) -> 0..9
  germany / poland | 5
  uk               | 3
"""
POWERS = """\
germany: {side: axis, capital: germany, ipc_start: 30}
uk: {side: allies, capital: uk, ipc_start: 28}
"""
WORLD = """\
default: {ipc: 1}
areas:
  sz_1: {class: SeaZone, adjacent: [uk, sz_2]}
  germany: {class: Territory, name: Greater Germany, ipc: 5, port: yes, adjacent: [poland, sz_2]}
  poland: {class: Territory, adjacent: [germany]}
  sz_2: {class: SeaZone, depth: 3, adjacent: [sz_1, germany]}
  uk: {class: Territory, ipc: 8, adjacent: [sz_1]}
edges: [{between: [sz_1, sz_2], passage: yes}]
"""
FIRST = """\
name: First
maps: {Air: {boxes: [airborne, landed]}}
relations: {at_war: [[germany, uk]]}
power: {uk: {money: 28}}
places: {World: {poland: {owner: germany}}, Territory: {uk: {owner: uk}}}
"""


def world(folder: Path, **changes: str) -> tuple[Title, Scenario]:
    files = {"powers.yaml": POWERS, "world.yaml": WORLD, "scenarios/first.yaml": FIRST}
    return load(
        folder, AREAS, files | {k.replace("__", ".").replace("_S_", "/"): v for k, v in changes.items()}
    )


def test_areas_with_classes(tmp_path: Path) -> None:
    title, game = world(tmp_path)
    assert told(title) == []
    land = title.dom("Territory")
    areas, lands, seas = (game.data.domains[title.dom(name).id] for name in ("Area", "Territory", "SeaZone"))
    assert (areas.base, lands.base, seas.base) == (2, 2, 5)
    assert areas.names == ("germany", "poland", "uk", "sz_1", "sz_2")
    assert lands.titles == ("Greater Germany", "poland", "uk")
    assert (
        list(game.data.place_domain)
        == [title.dom("Box").id] * 2 + [land.id] * 3 + [title.dom("SeaZone").id] * 2
    )
    entry = game.data.maps[1]
    assert [entry.adjacent[entry.start[i] : entry.start[i + 1]] for i in range(5)] == [
        (1, 4),
        (0,),
        (3,),
        (2, 4),
        (0, 3),
    ]
    assert [title.column(game, "Territory", "ipc", n) for n in lands.names] == [5, 1, 8]
    assert [title.column(game, "SeaZone", "depth", n) for n in seas.names] == [1, 3]
    assert [title.column(game, "Area", "port", n) for n in areas.names] == [1, 0, 0, 0, 0]
    edges = game.data.domains[title.dom("Border").id].names
    assert [n for n in edges if title.column(game, "Border", "passage", n)] == ["sz_1-sz_2"]
    # cells and tables that name places wait for the map
    assert [title.column(game, "Power", "capital", n) for n in ("germany", "uk")] == [2, 4]
    table = game.data.tables[0]
    assert list(table[2:5]) == [2, 4, 0]
    owner = land.fields["owner"].field
    assert [title.cell(game, owner, n) for n in range(3)] == [NONE, 0, 1]
    assert [title.cell(game, title.symbols.relations["at_war"].field, a, 1 - a) for a in (0, 1)] == [1, 1]
    assert [title.cell(game, title.symbols.seat_fields["money"].field, p) for p in (0, 1)] == [0, 28]


def test_mistakes_in_areas(tmp_path: Path) -> None:
    def says(old: str, new: str) -> list[str]:
        assert WORLD.count(old) == 1
        return told(world(tmp_path, world__yaml=WORLD.replace(old, new))[0])

    assert says("adjacent: [germany]}", "}") == [
        "GR0612 warning world.yaml:4:84 `germany` is next to `poland`, but not the other way round"
        " | add `germany` to the neighbours of `poland`; taken as mutual"
    ]
    assert says("class: SeaZone, adj", "adj") == [
        "GR0603 world.yaml:3:3 sz_1 lacks `class` | one of Territory, SeaZone",
    ]
    assert says("[poland, sz_2]", "[poland, germany, sz_2]") == [
        "GR0614 world.yaml:4:92 `germany` cannot be next to itself"
    ]
    assert says("class: SeaZone, depth", "class: Seazone, depth") == [
        "GR0608 world.yaml:6:17 Area has no class `Seazone` | did you mean `SeaZone`?"
    ]
    assert says("[uk, sz_2]", "[uk, sz_3]") == [
        "GR0609 world.yaml:3:41 there is no `sz_3` on this map | did you mean `sz_1`?",
        "GR0612 warning world.yaml:6:47 `sz_2` is next to `sz_1`, but not the other way round"
        " | add `sz_2` to the neighbours of `sz_1`; taken as mutual",
    ]
    assert says("depth: 3", "ipc: 3") == [
        "GR0602 world.yaml:6:26 SeaZone sz_2 has no field `ipc`",
    ]
    assert says("between: [sz_1, sz_2]", "between: [sz_1, poland]") == [
        "GR0609 world.yaml:8:26 `poland` is not next to `sz_1` | next to it lie sz_2, uk"
    ]
    assert says("default: {ipc: 1}", "default: {icp: 1}") == [
        'GR0602 world.yaml:1:11 "world.yaml": default has no field `icp` | did you mean `ipc`?',
        "GR0603 world.yaml:5:3 Territory poland lacks `ipc`",
    ]


def test_a_cell_that_names_no_place(tmp_path: Path) -> None:
    title, _ = world(tmp_path, powers__yaml=POWERS.replace("capital: uk", "capital: sz_1"))
    assert told(title) == ["GR0609 powers.yaml:2:29 Territory has no `sz_1` | there are germany, poland, uk"]
