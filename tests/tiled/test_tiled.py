"""A map goes to Tiled and comes back the same; what a person draws there is taken, or it is said why not."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import grognard
import pytest
from engines import engine_for
from grognard.cli.main import main
from grognard.compiler_access import shipped_titles
from grognard.tiled import Board, TiledError, board_of, map_text, read_tiled, write_tiled
from grognard.tiled.board import Border


def grids() -> list[tuple[str, str]]:
    """Scenarios whose map is one grid, one for each map file."""
    found: dict[tuple[str, str], tuple[str, str]] = {}
    for title in sorted(shipped_titles()):
        engine = engine_for(title, "interpreter")
        for scenario in engine.scenarios:
            try:
                board = board_of(engine, scenario)
            except TiledError:
                continue
            found.setdefault((title, repr(sorted(board.cells.items()))), (title, scenario))
    return list(found.values())


def same(a: Board, b: Board) -> bool:
    ends = [sorted((*sorted((x.a, x.b)), x.field, x.value) for x in board.borders) for board in (a, b)]
    return (a.columns, a.rows, a.layout, a.cells) == (b.columns, b.rows, b.layout, b.cells) and ends[
        0
    ] == ends[1]


def test_every_grid_comes_back_as_it_was(tmp_path: Path) -> None:
    tried = grids()
    assert len(tried) >= 6
    for number, (title, scenario) in enumerate(tried):
        board = board_of(engine_for(title, "interpreter"), scenario)
        for through in (frozenset[str](), frozenset(border.field for border in board.borders)):
            file = tmp_path / f"map{number}.tmj"
            write_tiled(board, file, through=through)
            again, told = read_tiled(file)
            assert not told and same(board, again), (title, scenario)
            assert all(board.number(cell) == again.number(cell) for cell in board.cells)


def test_a_map_file_made_of_a_drawing_is_the_same_map_in_the_title(tmp_path: Path) -> None:
    series = shipped_titles()["storms_of_steel"].parent
    folder = tmp_path / series.name
    shutil.copytree(series, folder)
    engine = engine_for("storms_of_steel", "interpreter")
    tried = 0
    for scenario in ("proving_ground", "farm_track", "village_square"):
        board = board_of(engine, scenario)
        text = map_text(board)
        made = folder / "storms_of_steel" / "maps" / "drawn.yaml"
        made.write_text(text, "utf-8")
        setup = folder / "storms_of_steel" / "scenarios" / "drawn.yaml"
        setup.write_text("name: Drawn\nmaps: {Board: maps/drawn.yaml}\n", "utf-8")
        copy = grognard.load(str(folder / "storms_of_steel"), backend="interpreter", scenario="drawn")
        assert same(board, board_of(copy, "drawn")), scenario
        tried += 1
    assert tried == 3


def drawn(tmp_path: Path, **changes: object) -> Path:
    content: dict[str, object] = {
        "type": "map", "orientation": "hexagonal", "width": 3, "height": 3, "tilewidth": 80, "tileheight": 70,
        "staggeraxis": "x", "staggerindex": "odd", "hexsidelength": 40, "infinite": False,
        "tilesets": [{"firstgid": 1, "name": "terrain", "tiles": [{"id": 0, "type": "open"}, {"id": 1, "image": "tiles/terrain-woods.png"}]}],
        "layers": [
            {"type": "tilelayer", "name": "terrain", "data": [1, 2, 1, 1, 1, 0x80000002, 1, 1, 0]},
            {"type": "group", "layers": [{"type": "objectgroup", "name": "road", "objects": [
                {"id": 7, "x": 40, "y": 35, "polyline": [{"x": 0, "y": 0}, {"x": 0, "y": 140}]},
            ]}]},
        ],
    }  # fmt: skip
    file = tmp_path / "board.tmj"
    file.write_text(json.dumps(content | changes), "utf-8")
    return file


def test_what_a_person_draws_is_taken(tmp_path: Path) -> None:
    board, told = read_tiled(drawn(tmp_path))
    # One line over three places is a road over two hexsides; a turned tile is the same tile; a place without a tile is none.
    assert (
        board.borders == [Border((0, 0), (0, 1), "road", "yes"), Border((0, 1), (0, 2), "road", "yes")]
        and not told
    )
    assert board.cells[1, 0] == board.cells[2, 1] == {"terrain": "woods"} and (2, 2) not in board.cells
    assert '- {along: ["0101", "0102", "0103"], road: yes}' in map_text(board) and '"x": null' in map_text(
        board
    )
    astray = [{"type": "tilelayer", "name": "terrain", "data": [1] * 9}, {"type": "objectgroup", "name": "road", "objects": [
        {"id": 9, "x": 40, "y": 35, "polyline": [{"x": 0, "y": 0}, {"x": 12, "y": 3}]}]}]  # fmt: skip
    _, told = read_tiled(drawn(tmp_path, layers=astray))
    assert told == ["road: line 9 lies on no border near 0101: draw it from centre to centre or along a side"]


def test_the_xml_form_says_the_same(tmp_path: Path) -> None:
    file = tmp_path / "board.tmx"
    file.write_text(
        '<?xml version="1.0" encoding="UTF-8"?><map orientation="hexagonal" width="2" height="2" tilewidth="80" tileheight="70" '
        'staggeraxis="x" staggerindex="even" hexsidelength="40"><tileset firstgid="1" name="terrain"><tile id="0" type="open"/></tileset>'
        '<layer name="terrain" width="2" height="2"><data encoding="csv">\n1,1,\n1,0\n</data></layer>'
        '<objectgroup name="river"><object id="3" x="40" y="70"><polyline points="0,0 0,70"/></object></objectgroup></map>',
        "utf-8",
    )
    board, told = read_tiled(file)
    assert board.layout == "even-q" and len(board.cells) == 3 and not told
    assert board.borders == [Border((0, 0), (0, 1), "river", "yes")]


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"infinite": True}, "infinite"),
        ({"orientation": "isometric"}, "hexagonal or orthogonal"),
        ({"tilesets": [{"firstgid": 1, "source": "ground.tsj"}]}, "embed the tileset"),
        ({"layers": [{"type": "tilelayer", "name": "terrain", "data": [1]}]}, "has 1 tiles"),
        ({"layers": []}, "no places"),
        ({"width": "wide"}, "no map of Tiled"),
        ({"properties": [{"name": "numbering", "value": "{col}"}]}, "numbering"),
    ],
)
def test_a_drawing_that_is_no_map_is_refused(tmp_path: Path, changes: dict[str, object], words: str) -> None:
    with pytest.raises(TiledError, match=words):
        read_tiled(drawn(tmp_path, **changes))


def test_bytes_of_strangers_are_refused(tmp_path: Path) -> None:
    for data in (
        b"",
        b"{",
        b"<map",
        b"\xff\xfe\x00",
        b'<!DOCTYPE m [<!ENTITY a "b">]><map/>',
        b"[1]",
        b"<other/>",
        b'{"a": ' * 3000,
    ):
        file = tmp_path / "bad.tmj"
        file.write_bytes(data)
        with pytest.raises(TiledError):
            read_tiled(file)


def test_the_command_writes_and_reads(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    target = tmp_path / "board.tmj"
    assert main(["map", "storms_of_steel", "--scenario", "proving_ground", "--output", str(target)]) == 0
    assert main(["map", "--from-tiled", str(target), "--output", str(tmp_path / "board.yaml")]) == 0
    assert "grid:" in (tmp_path / "board.yaml").read_text("utf-8")
    assert (
        main(["map", "--from-tiled", str(tmp_path / "none.tmj"), "--output", str(tmp_path / "board.yaml")])
        == 2
    )
    assert main(["map", "europe_1940", "--output", str(target)]) == 2
    assert main(["map", "--output", str(target)]) == 2
    told = capsys.readouterr().err
    assert "areas" in told and "none.tmj" in told and "Traceback" not in told
