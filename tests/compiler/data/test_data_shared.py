"""What files share: parts of larger maps, scenarios that are like another, legends of single grids."""

from __future__ import annotations

from pathlib import Path

import pytest
from grognard.contract.header import NONE
from test_data_errors import make, told
from test_data_maps import HEXES, load, near
from test_data_title import Title

BIG = """\
grid: {columns: 5, rows: 4}
legend: {".": {terrain: open}, w: {terrain: woods}}
rows: ["w....", "..w..", "....w", ".w..."]
edges:
  - {along: ["0101", "0102", "0202", "0302", "0402"], road: yes}
  - {of: "0302", sides: [n, s], stream: 2}
"""
FIRST = "name: First\nmaps: {Board: part.yaml}\n"


def part(folder: Path, text: str, **more: str) -> Title:
    files = {"big.yaml": BIG, "part.yaml": text, "scenarios/first.yaml": FIRST, **more}
    return load(folder, HEXES, files)[0]


def test_a_part_of_a_map(tmp_path: Path) -> None:
    text = (
        'part_of: big.yaml\ncorners: ["0202", "0403"]\nhexes: {"0303": {terrain: woods}}\n'
        'edges: [{between: ["0303", "0202"], stream: 1}]\n'
    )
    title, game = load(tmp_path, HEXES, {"big.yaml": BIG, "part.yaml": text, "scenarios/first.yaml": FIRST})
    assert told(title) == []
    names = list(game.data.domains[title.dom("Hex").id].names)
    assert names == ["0202", "0203", "0302", "0303", "0402", "0403"]
    assert near(title, game, "0303") == {"0202", "0203", "0302", "0402", "0403"}
    assert title.column(game, "Hexside", "stream", "0202-0303") == 1
    assert [n for n in names if title.column(game, "Hex", "terrain", n)] == ["0302", "0303"]


def test_the_whole_of_a_map_is_the_map(tmp_path: Path) -> None:
    text = 'part_of: big.yaml\ncorners: ["0101", "0504"]\n'
    title, game = load(tmp_path, HEXES, {"big.yaml": BIG, "part.yaml": text, "scenarios/first.yaml": FIRST})
    whole, same = load(tmp_path / "whole", HEXES, {"part.yaml": BIG, "scenarios/first.yaml": FIRST})
    assert told(title) == told(whole) == []
    ours, theirs = game.data.maps[0], same.data.maps[0]
    assert (ours.q, ours.r, ours.edge_a) == (theirs.q, theirs.r, theirs.edge_a)
    assert list(ours.neighbours) == list(theirs.neighbours) and NONE in ours.neighbours
    for edge in ("0101-0102", "0302-0402"):
        assert title.column(game, "Hexside", "road", edge) == 1
    assert title.column(game, "Hexside", "stream", "0302-0303") == 2


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (
            'part_of: big.yaml\ncorners: ["0202", "0609"]\n',
            "GR0609 part.yaml:2:19 there is no `0609` on this map",
        ),
        (
            'part_of: big.yaml\ncorners: ["0202"]\n',
            "GR0604 part.yaml:2:10 corners must be two places, [top left, bottom right]",
        ),
        (
            'part_of: part.yaml\ncorners: ["0202", "0302"]\n',
            'GR0604 part.yaml:1:10 "part.yaml" is a part of itself',
        ),
        ('part_of: big.yaml\ncorners: ["0403", "0202"]\n', 'GR0613 part.yaml:1:1 "part.yaml" has no places'),
        (
            'part_of: big.yaml\ncorners: ["0202", "0403"]\nhexes: {"0101": {terrain: open}}\n',
            "GR0609 part.yaml:3:9 there is no `0101` on this map",
        ),
    ],
)
def test_mistakes_in_a_part(tmp_path: Path, text: str, says: str) -> None:
    (line,) = told(part(tmp_path, text))
    assert line.startswith(says)


GRIDS = """\
grid: {columns: 3, rows: 2}
grids:
  terrain:
    legend: {o: open, w: woods}
    rows: ["o w .", "w o o"]
"""


def test_a_grid_with_a_legend(tmp_path: Path) -> None:
    files = {"part.yaml": GRIDS, "scenarios/first.yaml": FIRST}
    title, game = load(tmp_path, HEXES, files)
    assert told(title) == []
    names = game.data.domains[title.dom("Hex").id].names
    assert [n for n in names if title.column(game, "Hex", "terrain", n)] == ["0102", "0201"]
    wrong = load(tmp_path, HEXES, files | {"part.yaml": GRIDS.replace('"w o o"', '"w x o"')})[0]
    assert told(wrong) == ['GR0608 part.yaml:5:24 "part.yaml": terrain: the legend has no `x`']


RULES = HEXES.replace("  edge road", "  state smoke: 0..3\n  edge road") + (
    "game\n  round: 1..20\n  last: 1..20\neach side\n  cap: 0..30\noption drift default off\n"
)
MODEL = """\
name: Model
about: the longer one
maps: {Board: part.yaml}
options: {drift: on}
game: {round: 2, last: 9}
side: {red: {cap: 3}, blue: {cap: 4}}
balance: {bot: greedy, games: 2, seed: 1, red: 1, blue: 1}
places: {Board: {"0101, 0102": {smoke: 1}, "0201": {smoke: 2}}}
pieces:
  - {Unit: , as: A, side: red, at: "0101"}
  - {Unit: , side: red, at: "0102"}
"""
LIKE = """\
name: First
like: model
game: {last: 5}
side: {blue: {cap: 7}}
places: {Board: {"0102": {smoke: 3}}}
pieces:
  - {Unit: , as: A, side: blue, at: "0202"}
"""


def test_a_scenario_like_another(tmp_path: Path) -> None:
    files = {"part.yaml": BIG, "scenarios/model.yaml": MODEL, "scenarios/first.yaml": LIKE}
    title, game = load(tmp_path, RULES, files)
    assert told(title) == []
    symbols = title.symbols
    fields = {name: symbols.globals[name].field for name in ("round", "last")}
    assert [title.cell(game, field) for field in fields.values()] == [2, 5]
    assert [title.cell(game, symbols.seat_fields["cap"].field, n) for n in (0, 1)] == [3, 7]
    assert game.options["drift"] == "on"
    names = game.data.domains[title.dom("Hex").id].names
    smoke = title.dom("Hex").fields["smoke"].field
    assert {n: s for i, n in enumerate(names) if (s := title.cell(game, smoke, i))} == {
        "0101": 1,
        "0102": 3,
        "0201": 2,
    }
    at = title.dom("Unit").fields["at"].field
    # the counter without a name is taken over, the one called A stands for the other of that name
    assert [names[title.cell(game, at, n)] for n in (0, 1)] == ["0102", "0202"]


def test_mistakes_in_what_a_scenario_is_like(tmp_path: Path) -> None:
    def says(first: str, model: str = MODEL) -> list[str]:
        files = {"part.yaml": BIG, "scenarios/model.yaml": model, "scenarios/first.yaml": first}
        title = Title(make(tmp_path, {"title.yaml": "name: Small\n", "rules.grog": RULES, **files}))
        title.scenario("first")
        return told(title)

    assert says(LIKE.replace("like: model", "like: first")) == [
        'GR0604 scenarios/first.yaml:2:7 "scenarios/first.yaml" is like itself'
    ]
    assert says(LIKE, MODEL.replace("about: the longer one", "like: first")) == [
        'GR0604 scenarios/model.yaml:2:7 "scenarios/first.yaml" is like itself'
    ]
    (line,) = says(LIKE.replace("like: model", "like: modle"))
    assert line.startswith("GR0001 scenarios/first.yaml:2:7")
    (line,) = says(LIKE, MODEL.replace("smoke: 2", "smoke: 4"))
    assert line.startswith("GR0605 scenarios/model.yaml:8")
