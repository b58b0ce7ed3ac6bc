"""Maps and counters as SVG, of every shipped title: what is drawn is what the rules know."""

from __future__ import annotations

import math
import shutil
import xml.etree.ElementTree as ET
from functools import cache
from pathlib import Path

import grognard
import pytest
from grognard.cli.main import main
from grognard.drawing import LookError, board_svg, counters_svg, draw_map, layout
from grognard.drawing.areas import geographic_sheet
from grognard.drawing.board import drawn_spaces
from grognard.drawing.geography import inside
from grognard.drawing.look import Look, look_of
from grognard.drawing.lookfile import read_look_file
from grognard.drawing.scene import read_spaces, source_of
from grognard.engine import Engine

#: Titles that are written for this repository and not installed with it: a folder each.
FOLDERS = Path(__file__).parents[2] / "titles"
TITLES = (
    "connect_four", "breakthrough", "mbt", "hot_war", "strait", "tarn_sound", "storms_of_steel", "europe_1940",
    *sorted(folder.name for folder in FOLDERS.iterdir() if (folder / "title.yaml").is_file()),
)  # fmt: skip
SVG = "{http://www.w3.org/2000/svg}"
#: The budget of the page is 1,500 nodes with all counters; the board itself may use a part of it.
MOST_NODES = 1500


@cache
def engine_of(title: str) -> Engine:
    return grognard.load(FOLDERS / title if (FOLDERS / title).is_dir() else title, backend="interpreter")


def nodes(text: str) -> int:
    return sum(1 for _ in ET.fromstring(text).iter())


def touching(polygon: list[list[float]]) -> set[tuple[int, int]]:
    return {(round(x), round(y)) for x, y in polygon}


@pytest.mark.parametrize("title", TITLES)
def test_drawn_neighbours_are_the_rules_neighbours(title: str) -> None:
    """Two outlines share a side (squares: a corner) exactly where the rules say that one is the other's neighbour."""
    engine = engine_of(title)
    seen = set()
    for scenario in engine.scenarios:
        maps = engine.setting(scenario).scenario.data.maps
        if str(maps) in seen:
            continue
        seen.add(str(maps))
        drawn = layout(engine, scenario)
        names = {dom.id: dom.name for dom in engine.ruleset.schema.doms}
        for entry in maps:
            space = drawn["spaces"][names[entry.domain]]
            cells = space["cells"]
            assert len(cells) == entry.n
            if entry.sort == "areas":
                continue
            least = 2 if entry.sort == "hexes" else 1
            corners = {name: touching(cell["polygon"]) for name, cell in cells.items()}
            at: dict[tuple[int, int], list[str]] = {}
            for name, points in corners.items():
                for point in points:
                    at.setdefault(point, []).append(name)
            for name, cell in cells.items():
                near = {other for point in corners[name] for other in at[point]} - {name}
                shared = {other for other in near if len(corners[name] & corners[other]) >= least}
                assert shared == set(cell["neighbours"]), (scenario, name)


@pytest.mark.parametrize("title", TITLES)
def test_no_line_between_boxes_runs_through_a_third(title: str) -> None:
    engine = engine_of(title)
    for scenario in engine.scenarios:
        for space, sheet in drawn_spaces(engine, scenario):
            if space.map.sort != "areas" or sheet.coast:
                continue
            outlines = [[*zip(*cell.polygon)] for cell in sheet.cells]
            for a, b in sheet.connectors:
                one, other = sheet.cells[a], sheet.cells[b]
                for part in range(1, 40):
                    x = (one.x * part + other.x * (40 - part)) / 40
                    y = (one.y * part + other.y * (40 - part)) / 40
                    hit = {
                        number
                        for number, (xs, ys) in enumerate(outlines)
                        if min(xs) < x < max(xs) and min(ys) < y < max(ys)
                    }
                    assert hit <= {a, b}, (space.name, space.places[a].name, space.places[b].name)


def test_sides_are_told_apart_without_colours() -> None:
    """Counters of different sides have different patterns, in the page and in pictures."""
    for title in TITLES:
        engine = engine_of(title)
        drawn = ET.fromstring(draw_map(engine))
        fills: dict[str, set[str]] = {}
        for use in drawn.iter(f"{SVG}use"):
            if use.get("href") == "#body":
                # What all counters have in common, within their symbols.
                continue
            fills.setdefault(str(use.get("color")), set()).add(str(use.get("fill")))
        found = [fill for own in fills.values() for fill in own]
        assert all(len(own) == 1 for own in fills.values()), title
        known = {node.get("id") for node in drawn.iter(f"{SVG}pattern")}
        assert {fill[5:-1] for fill in found if fill != "none"} <= known
        marked = [fill for fill in found if fill != "none"]
        assert len(marked) == len(set(marked)), title


@pytest.mark.parametrize("title", TITLES)
def test_every_map_is_well_formed_and_small(title: str) -> None:
    engine = engine_of(title)
    for scenario in engine.scenarios:
        assert nodes(board_svg(engine, scenario)) < MOST_NODES / 2
        whole = draw_map(engine, scenario)
        assert nodes(whole) < MOST_NODES
        ids = {node.get("id") for node in ET.fromstring(whole).iter() if node.get("id")}
        used = {str(node.get("href"))[1:] for node in ET.fromstring(whole).iter(f"{SVG}use")}
        assert used <= ids
        assert " style=" not in whole and "<style" not in whole, "a strict page would drop it"


@pytest.mark.parametrize("title", TITLES)
def test_each_row_of_a_kind_of_counters_has_a_symbol(title: str) -> None:
    engine = engine_of(title)
    found = {node.get("id") for node in ET.fromstring(counters_svg(engine)).iter(f"{SVG}symbol")}
    for piece in engine.ruleset.schema.doms:
        if piece.sort == "piece":
            rows = (
                [f"k-{piece.kind.name}-{row}" for row in piece.kind.members]
                if piece.kind
                else [f"k-{piece.name}"]
            )
            assert set(rows) <= found


def test_sides_have_colours_of_their_own() -> None:
    for title in TITLES:
        engine = engine_of(title)
        colours = look_of(engine).side_colours(engine.seats)
        assert len(set(colours.values())) == len(engine.seats), title


def test_areas_are_cut_out_of_the_coast() -> None:
    """Each place lies in its own outline; whoever the rules call neighbours touches on paper or is joined by a line."""
    engine = engine_of("europe_1940")
    space = read_spaces(source_of(engine, None))[0]
    sheet = geographic_sheet(space, look_of(engine))
    assert sheet is not None
    joined = {frozenset(pair) for pair in sheet.connectors}
    pairs = {frozenset((a, b)) for a, around in enumerate(space.neighbours) for b in around}
    assert joined <= pairs, "a line between places that are no neighbours"
    assert len(joined) < len(pairs) / 3, "most neighbours touch on paper"
    # A border on land of some length is one of the rules, or drawn as closed; who is not joined by a line is near.
    sea = {n for n, place in enumerate(space.places) if place.sort == "SeaZone"}
    assert sea
    shared: dict[frozenset[int], float] = {}
    sides: dict[frozenset[tuple[float, float]], list[int]] = {}
    spots: list[set[tuple[int, int]]] = []
    for number, cell in enumerate(sheet.cells):
        near = set[tuple[int, int]]()
        for ring in (cell.polygon, *cell.rings):
            for a, b in zip(ring, ring[1:] + ring[:1]):
                sides.setdefault(frozenset((round(x, 1), round(y, 1)) for x, y in (a, b)), []).append(number)
                steps = max(1, math.ceil(math.dist(a, b) / 5))
                for n in range(steps):
                    x, y = (a[i] + (b[i] - a[i]) * n / steps for i in (0, 1))
                    near.add((round(x / 10), round(y / 10)))
        spots.append(near)
    for side, who in sides.items():
        if len(side) == 2 and len(set(who)) == 2 and sea.isdisjoint(who):
            x, y = (sum(point[i] for point in side) / 2 for i in (0, 1))
            if any(
                sum(inside(ring, x, y) for ring in (c.polygon, *c.rings)) % 2
                for c in (sheet.cells[n] for n in sea)
            ):
                # A lake lies over it.
                continue
            pair = frozenset(who)
            shared[pair] = shared.get(pair, 0) + math.dist(*side)
    closed = {frozenset(pair) for pair in sheet.closed}
    assert closed.isdisjoint(pairs) and sheet.barriers
    assert {pair for pair, length in shared.items() if length > 40} <= pairs | closed
    for a, b in map(tuple, pairs - joined):
        around = {(x + i, y + j) for x, y in spots[a] for i in (-2, -1, 0, 1, 2) for j in (-2, -1, 0, 1, 2)}
        assert around & spots[b], (space.places[a].name, space.places[b].name)
    names = [place.name for place in space.places]
    north_sea = sheet.cells[names.index("sz_112")]
    assert all(math.hypot(x - north_sea.x, y - north_sea.y) < 300 for x, y in north_sea.polygon)
    # Paris is not in Berlin: land is cut by the nearest centre.
    for name, cell in zip(names, sheet.cells):
        if name in ("france", "germany", "spain", "turkey", "poland", "egypt"):
            odd = sum(inside(ring, cell.x, cell.y) for ring in (cell.polygon, *cell.rings)) % 2
            assert odd, name


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("geography: {zoom: 17}", "`centres` are missing"),
        ("geography: {middle: [1, 2], centres: {nowhere: [1, 2]}}", "the map has no `nowhere`"),
        ("geography: {middle: [1, 2], centres: {germany: [1]}}", "write [longitude, latitude]"),
        ("geography: {middle: 5, centres: {germany: [1, 2]}}", "has no centre, nor has a neighbour"),
    ],
)
def test_mistakes_in_a_geography_are_told(text: str, message: str, tmp_path: Path) -> None:
    (tmp_path / "look.yaml").write_text(text, "utf-8")
    look = Look(geography=read_look_file(tmp_path / "look.yaml")["geography"])  # type: ignore[arg-type]
    with pytest.raises(LookError) as caught:
        geographic_sheet(read_spaces(source_of(engine_of("europe_1940"), None))[0], look)
    assert message in str(caught.value)


def with_look(folder: Path, text: str) -> Engine:
    title = folder / "breakthrough"
    shutil.copytree(Path(grognard.load("breakthrough", backend="interpreter").ruleset.about.folder), title)
    (title / "look.yaml").write_text(text, "utf-8")
    return grognard.load(title, backend="interpreter")


def test_a_look_file_colours_the_sides(tmp_path: Path) -> None:
    engine = with_look(tmp_path, "# ours\nsides:\n  white: '#abcdef'\n  black: tan\n")
    assert layout(engine)["sides"]["white"] == "#abcdef"
    assert "#abcdef" in draw_map(engine)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("side: {white: red}", "`side` is no part of a look file; did you mean `sides`?"),
        ("sides: {whyte: red}", "the title has no `whyte`; did you mean `white`?"),
        ("sides: {white: bluish}", "`bluish` is no colour"),
        ("sides:\n  white: [red", "line 2: `]` is missing"),
        ("sides:\n\twhite: red", "line 2: a tab in the indentation"),
        ("sides: {white: red}\n  black: red", "line 2: its indentation fits nothing above it"),
        ("sides", "line 1: expected `name: value`"),
        ("sides: red", "`sides` has no entries"),
    ],
)
def test_mistakes_in_a_look_file_are_told(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(LookError) as caught:
        board_svg(with_look(tmp_path, text))
    assert message in str(caught.value)


def test_grognard_map_writes_a_picture(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    target = tmp_path / "map.svg"
    assert main(["map", "connect_four", "--backend", "interpreter", "--output", str(target)]) == 0
    assert ET.fromstring(target.read_text("utf-8")).tag == f"{SVG}svg"
    assert (
        main(["map", "connect_four", "--backend", "interpreter", "--output", str(tmp_path / "map.gif")]) == 2
    )
    assert ".svg, .png, .pdf or .tmj" in capsys.readouterr().err


def test_objectives_holders_and_facings_are_on_the_picture() -> None:
    """What stands out of the state of places is written, who holds them is painted, counters show where they look."""
    tactical = engine_of("storms_of_steel")
    scenario = "village_square"
    position = tactical.new_game(scenario)
    worth = [place.name for place in position.view("german").places("Board") if place.worth]
    drawn = ET.fromstring(draw_map(tactical, scenario))
    states = next(node for node in drawn.iter(f"{SVG}g") if node.get("class") == "states")
    written = "".join("".join(node.itertext()) for node in states.iter(f"{SVG}text"))
    assert written.count("worth") == len(worth) > 0
    held = [place for place in position.view("german").places("Board") if place.held is not None]
    assert sum(1 for node in states.iter(f"{SVG}path")) == len(held)
    turns = [n.get("transform", "") for n in drawn.iter(f"{SVG}path") if n.get("fill") == "#b3261e"]
    assert turns and len({turn.split("rotate")[1] for turn in turns}) > 1
    # The game's own sets of places.
    assert "objective" in draw_map(engine_of("hot_war"), "river_line").replace("\N{NO-BREAK SPACE}", " ")


@pytest.mark.parametrize("title", TITLES)
def test_grounds_that_would_look_alike_differ(title: str) -> None:
    engine = engine_of(title)
    for node in ET.fromstring(board_svg(engine, engine.scenarios[0])).iter(f"{SVG}g"):
        if node.get("class") != "terrain":
            continue
        looks: dict[str, str] = {}
        for path in node:
            ground = path.get("data-ground")
            if ground is not None:
                last = ground
                looks[last] = path.get("fill", "")
            elif looks:
                looks[last] += path.get("fill", "")
        assert len(set(looks.values())) == len(looks)
