"""A whole small title, from files to cells."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from grognard.compiler.data.ground import Ground
from grognard.compiler.data.kinds import load_kinds
from grognard.compiler.data.load import (
    BoardSpec,
    Scenario,
    load_scenario,
)
from grognard.compiler.data.tables.pack import load_tables, table_ranges
from grognard.compiler.data.values import Values
from grognard.compiler.layers.merge import merge
from grognard.compiler.layers.project import (
    Project,
    open_project,
    read_layers,
)
from grognard.compiler.sema.declare.declare import declare
from grognard.compiler.sema.declared_program import declared_program
from grognard.compiler.sema.declaring import Declaring
from grognard.compiler.sema.types import Dom
from grognard.contract import ir
from grognard.contract.datablock import table_lookup
from grognard.contract.header import (
    H_ASK,
    H_CHOOSER,
    H_FP,
    H_OUTCOME,
    H_STATUS,
    NONE,
)
from grognard.support.diagnostics import Sink, format_text

FIXTURES = Path(__file__).parent / "data_fixtures"


class Title:
    """A title with its data loaded; `scenario` loads one on top."""

    def __init__(self, folder: Path, symbols: tuple[str, ...] = ()) -> None:
        self.sink = Sink()
        project = open_project(str(folder), self.sink)
        assert project is not None
        self.project: Project = project
        merged = merge(read_layers(project, self.sink), None, self.sink)
        self.symbols = Declaring(project.id, self.sink)
        declare(self.symbols, merged)
        ground = Ground(self.symbols, self.sink)
        self.values: Values = load_kinds(ground, project, merged)
        load_tables(ground, project, merged, self.values)
        self.symbols.unread |= ground.unread
        self.names = [*(f"option {name}" for name in self.symbols.options), *symbols]

    def program(self) -> ir.Program:
        return declared_program(self.symbols, self.names)

    def scenario(self, what: str | BoardSpec) -> Scenario | None:
        ground = Ground(self.symbols, self.sink)
        return load_scenario(ground, self.project, self.program(), self.values, what)

    def report(self) -> str:
        return format_text(self.sink, self.project.sources, color=False)

    def dom(self, name: str) -> Dom:
        return self.symbols.types[name]

    def column(self, scenario: Scenario, owner: str, name: str, *index: str) -> int:
        """An integer cell of a column, by names."""
        info = self.dom(owner).fields.get(name)
        assert info is not None and info.column is not None
        dims = self.symbols.columns[info.column].dims
        place = 0
        for dim, key in zip(dims, index, strict=True):
            domain = scenario.data.domains[dim]
            place = place * domain.count + domain.names.index(key)
        return scenario.data.columns[info.column][place]

    def cell(self, scenario: Scenario, number: int | None, *index: int) -> int:
        assert number is not None
        place = 0
        for dim, ordinal in zip(self.symbols.fields[number].dims, index, strict=True):
            place = place * scenario.layout.count[dim] + ordinal
        return scenario.cells[
            scenario.layout.field_offset[number] + place * scenario.layout.field_words[number]
        ]


SYMBOLS = (
    "Terrain.woods",
    "Hex.0202",
    "Box.3",
    "option drift",
    "option weather",
    "count Hex",
    "UnitType.kv1",
)


@pytest.fixture(scope="module")
def village() -> tuple[Title, Scenario]:
    title = Title(FIXTURES / "village", SYMBOLS)
    assert not list(title.sink), title.report()
    scenario = title.scenario("meeting")
    assert scenario is not None and not list(title.sink), title.report()
    return title, scenario


def test_kinds(village: tuple[Title, Scenario]) -> None:
    title, game = village
    assert title.dom("UnitType").members == ["rifles", "t34", "kv1"]
    assert title.dom("UnitType").titles == ["Rifles '41", "t34", "kv1"]
    assert title.dom("Terrain").members == ["open", "woods", "house", "hut"]

    def unit(*path: str) -> int:
        return title.column(game, "UnitType", path[0], *path[1:])

    assert [unit("fp", u, c) for u in ("rifles", "t34") for c in ("red", "blue")] == [4, 1, 5, -9]
    assert [unit("dice", "rifles", n) for n in "123"] == [1, 2, 0]
    assert [unit("dice", "t34", n) for n in "123"] == [0, 6, 6]
    assert [unit("pen", "rifles", c, n) for c in ("red", "blue") for n in "12"] == [0, 0, 0, 7]
    assert [unit("tracked", u) for u in ("rifles", "t34", "kv1")] == [0, 1, 0]
    assert [unit("home", u) for u in ("rifles", "t34", "kv1")] == [NONE, 1, NONE]
    assert [unit("may_enter", u) for u in ("rifles", "t34", "kv1")] == [0b1111, 0b11, 0b1]
    assert [unit("twin", u) for u in ("rifles", "t34")] == [NONE, 0]
    terrain = [title.column(game, "Terrain", "cover", t) for t in ("open", "woods", "house", "hut")]
    assert terrain == [NONE, 1, 3, 3]
    stops = [title.column(game, "Terrain", "stops", t) for t in ("open", "woods", "house", "hut")]
    assert stops == [0, 1, 1, 1]


def test_nested_kinds_are_named_by_their_parent_only_where_needed(village: tuple[Title, Scenario]) -> None:
    title, game = village
    guns = title.dom("Gun").members
    assert guns == ["t34_main", "hull", "kv1_main"]
    assert [title.column(game, "Gun", "calibre", gun) for gun in guns] == [76, 7, 85]
    assert [title.column(game, "Gun", "unittype", gun) for gun in guns] == [1, 1, 2]


def test_map(village: tuple[Title, Scenario]) -> None:
    title, game = village
    board, track = game.data.maps
    assert (board.sort, board.base, board.n, track.sort, track.base, track.n) == (
        "hexes",
        0,
        12,
        "areas",
        12,
        5,
    )
    names = game.data.domains[title.dom("Hex").id].names
    assert names[:4] == ("0101", "0102", "0103", "0201")
    woods = [name for name in names if title.column(game, "Hex", "terrain", name) == 1]
    houses = [name for name in names if title.column(game, "Hex", "terrain", name) == 2]
    assert (woods, houses) == (["0201"], ["0302"])
    levels = {name: title.column(game, "Hex", "level", name) for name in names}
    # the grid of levels lies over the legend, a dot leaves what is there, single hexes come last
    assert (levels["0102"], levels["0302"], levels["0401"], levels["0403"]) == (0, 4, 2, -2)
    edges = game.data.domains[title.dom("Hexside").id]
    roads = [e for e in edges.names if title.column(game, "Hexside", "road", e)]
    walls = [e for e in edges.names if title.column(game, "Hexside", "wall", e)]
    assert set(roads) == {"0101-0102", "0102-0202", "0202-0302"}
    assert set(walls) == {"0201-0202", "0202-0203"}
    assert title.column(game, "Hexside", "width", "0101-0102") == 2
    assert title.column(game, "Hexside", "width", "0102-0103") == NONE
    # every side of every hex leads to the edge that joins the two
    for a in range(board.n):
        for d in range(6):
            b, edge = board.neighbours[6 * a + d], board.side_edge[6 * a + d]
            assert (b == NONE) == (edge == NONE)
            if b != NONE:
                assert {board.edge_a[edge], board.edge_b[edge]} == {a, b}
    assert track.edge_base == edges.count == len(board.edge_a)
    assert [track.adjacent[track.start[i] : track.start[i + 1]] for i in range(5)] == [
        (1,),
        (0, 2),
        (1, 3),
        (2, 4),
        (3,),
    ]
    assert list(game.data.place_domain) == [title.dom("Hex").id] * 12 + [title.dom("Box").id] * 5


def test_symbols(village: tuple[Title, Scenario]) -> None:
    title, game = village
    found = dict(zip(title.names, game.data.symbols))
    assert found == {
        "option drift": 1,
        "option weather": 2,
        "Terrain.woods": 1,
        "Hex.0202": 4,
        "Box.3": 14,
        "count Hex": 12,
        "UnitType.kv1": 2,
    }


def test_first_position(village: tuple[Title, Scenario]) -> None:
    title, game = village
    unit, marker = title.dom("Unit"), title.dom("Marker")
    bases = [game.data.domains[dom.id].base for dom in (unit, marker)]
    assert bases == [0, 6]
    assert game.names == {"A": 0, "K": 3}
    assert game.options == {"drift": "on", "weather": "snow"}
    heads = (H_STATUS, H_CHOOSER, H_OUTCOME, H_ASK, H_FP)
    assert [game.cells[h] for h in heads] == [0, NONE, NONE, NONE, NONE]

    def units(name: str) -> list[int]:
        return [title.cell(game, unit.fields[name].field, n) for n in range(4)]

    assert [title.cell(game, unit.alive, n) for n in range(6)] == [1, 1, 1, 1, 0, 0]
    assert units("type") == [0, 1, 1, 2]
    assert units("side") == [0, 1, 1, 1]
    assert units("at") == [4, 9, 9, NONE]
    assert units("facing") == [3, 0, 0, 0]
    assert units("seen") == [0b11, 0, 0, 0]
    assert units("carrier") == [NONE, 0, 0, NONE]
    assert [title.cell(game, unit.fields["hits"].field, 0, c) for c in (0, 1)] == [0, 3]
    assert title.cell(game, marker.alive, 0) == 1
    assert title.cell(game, marker.fields["on"].field, 0) == 14
    # a counter that is not in play has a place of its own space, not number 0
    assert title.cell(game, marker.fields["on"].field, 1) == 12
    assert title.cell(game, title.symbols.globals["round"].field) == 5
    assert [title.cell(game, title.symbols.seat_fields["cap"].field, s) for s in (0, 1)] == [7, 6]
    friends = title.symbols.relations["friends"].field
    assert [title.cell(game, friends, a, b) for a in (0, 1) for b in (0, 1)] == [0, 1, 1, 0]
    assert title.cell(game, title.dom("Hex").fields["smoke"].field, 11) == 4
    assert [title.cell(game, title.symbols.bags["Deck"].field.field, c) for c in range(3)] == [0, 3, 0]
    names = game.data.domains[unit.id]
    assert names.names == ("A", "t34_1", "t34_2", "K", "Unit_5", "Unit_6")
    assert names.titles[0] == "Rifles '41 A"


def test_tables(village: tuple[Title, Scenario]) -> None:
    title, game = village
    tables = {table.name: game.data.tables[table.id] for table in title.symbols.tables}
    assert [table_lookup(tables["quality"], (n,)) for n in range(5)] == [None, 0, 1, 1, None]
    crt = tables["crt"]
    assert [table_lookup(crt, (roll, 0)) for roll in (-7, 1, 2, 4, 5, 99)] == [1, 1, 2, 2, 3, 3]
    assert [table_lookup(crt, (5, odds)) for odds in (-5, -1, 2, 9)] == [2, 2, 5, 5]
    cover = tables["cover"]
    assert [table_lookup(cover, (0, c, r)) for c in (0, 1) for r in (1, 2, 3, 4)] == [NONE, NONE, 0, 0] * 2
    assert [table_lookup(cover, (1, c, 4)) for c in (0, 1)] == [2, 1]
    assert [table_lookup(cover, (t, c, 1)) for t in (2, 3) for c in (0, 1)] == [2, 0, 2, 0]
    assert table_lookup(cover, (1, 0, 5)) is None
    ranges = table_ranges(title.values)
    assert ranges[title.symbols.callables["crt"].table or 0] == [(1, 5, True, True), (-1, 2, True, True)]


def test_plain_board_of_an_example() -> None:
    title = Title(FIXTURES / "village", SYMBOLS)
    spec = BoardSpec("woods", 3, 2, None, (("0202", "hut", None),))
    game = title.scenario(spec)
    assert game is not None and not list(title.sink), title.report()
    names = game.data.domains[title.dom("Hex").id].names
    assert names == ("0101", "0102", "0201", "0202", "0301", "0302")
    assert [title.column(game, "Hex", "terrain", name) for name in names] == [1, 1, 1, 3, 1, 1]
    assert game.data.maps[1].base == 6
    assert game.data.symbols[title.names.index("Box.3")] == 8
    # another scenario of the same title starts afresh
    again = title.scenario("meeting")
    assert again is not None and again.data.maps[0].n == 12


def test_the_same_program_takes_a_changed_cell(tmp_path: Path) -> None:
    folder = tmp_path / "village"
    shutil.copytree(FIXTURES / "village", folder)
    before = Title(folder).scenario("meeting")
    units = folder / "units.yaml"
    units.write_text(units.read_text().replace("front: 16", "front: 17"))
    title = Title(folder)
    after = title.scenario("meeting")
    assert before is not None and after is not None
    assert before.data.columns != after.data.columns
    assert before.cells == after.cells
