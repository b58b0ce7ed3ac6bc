"""Games of TripleA as titles: what is made of a file checks, plays to its end and can be given to bots; what cannot be
carried over is told with its line; what is no such game is refused."""

from __future__ import annotations

import os
import random
from collections import Counter
from pathlib import Path
from typing import Any

import grognard
import pytest
import yaml
from grognard.bots import make as make_bot
from grognard.cli.main import main
from grognard.compiler.layers.library import shipped_root
from grognard.compiler_access import check, import_triplea
from grognard.contract.imported import Imported
from grognard.errors import CannotImport
from grognard.support.diagnostics import Severity
from isles import isles

pytest.importorskip("defusedxml")

#: Files of TripleA lie beside the repository, where they lie at all: they are not ours to ship.
BESIDE = Path(__file__).resolve().parents[4]
DATA = Path(os.environ.get("GROGNARD_TRIPLEA", BESIDE / "shared" / "data" / "triplea")) / "europe_1940"
SECOND = DATA / "ww2eur40_2nd_edition.xml"
needs_data = pytest.mark.skipif(not SECOND.is_file(), reason=f"no files of TripleA in {DATA}")


def imported(text: str, tmp_path: Path, rounds: int = 3) -> Imported:
    file = tmp_path / "game.xml"
    file.write_text(text, encoding="utf-8")
    return import_triplea(file, tmp_path / "made", rounds=rounds)


def problems(folder: Path) -> list[str]:
    return [d.message for d in check(str(folder))[2] if d.severity is not Severity.note]


def played(folder: Path, seed: int) -> Any:
    game = grognard.load(folder, backend="python").game(seed=seed)
    picker = random.Random(seed)
    for _ in range(20_000):
        values = game.position.values()
        if not values:
            break
        game.play(picker.choice(values))
    return game.position


@pytest.mark.parametrize("powers", [2, 4, 14])
def test_a_game_never_seen(tmp_path: Path, powers: int) -> None:
    """Other maps, more powers than any game of the family has, one of them without a capital."""
    made = imported(isles(powers), tmp_path)
    assert (made.powers, made.places, made.objectives) == (powers, 4 * powers + 1, 2)
    assert problems(made.folder) == []
    assert played(made.folder, powers).over


def test_what_it_says_holds(tmp_path: Path) -> None:
    engine = grognard.load(imported(isles(), tmp_path, 5).folder, backend="python")
    start = engine.new_game()
    assert [start.get("Power", p, "ipc") for p in ("power1", "power4")] == [12, 12]
    # Peace among the first three, until the first may declare war from the second round on; then his friend follows.
    assert not engine.call("may_open", ["power1", "power2"]) and not engine.call(
        "may_open", ["power2", "power1"]
    )
    # Two isles of the first power pay the second once, each of his isles pays the first.
    assert engine.call("objectives", ["power1"]) == 0 and engine.call("objectives", ["power2"]) == 0
    rows = yaml.safe_load((tmp_path / "made" / "units.yaml").read_text())
    assert (
        rows["monitor"]["attack"] == 6 and rows["monitor"]["hits"] == 2 and rows["monitor"]["bombards"] == 6
    )
    areas = yaml.safe_load((tmp_path / "made" / "maps" / "map.yaml").read_text())
    assert areas["areas"]["free_old_isle"] == {
        "class": "Territory", "name": "Free & Old Isle", "ipc": 0, "army": 3, "adjacent": ["isle_1"],
    }  # fmt: skip
    assert areas["edges"] == [{"between": ["sz_1", "sz_2"], "passage": "the_gut"}]


def test_what_is_not_carried_over_is_told_with_its_line(tmp_path: Path) -> None:
    text = isles(4, '<unitPlacement unitType="dragon" territory="Isle 1" quantity="1" owner="Power1"/>')
    made = imported(text, tmp_path)
    lines = text.split("\n")
    told = {remark.what: remark for remark in made.remarks}
    for what, on_the_line in {
        "monitor: teleports true": 'name="teleports"',
        "monitor: movement 9": 'attachTo="monitor"',
        "objectiveAttachment_far": 'value="Atlantis"',
        "MagicAttachment magicAttachment of Power1": 'attachTo="Power1" javaClass="games.strategy.triplea.attachments.MagicAttachment"',
        "1 dragon in Isle 1": 'unitType="dragon"',
        "Ice": 'territory name="Ice"',
    }.items():
        assert on_the_line in lines[told[what].line - 1], told[what]
    assert all(str(remark) in (made.folder / "IMPORT.md").read_text() for remark in made.remarks)


def test_other_names_of_units(tmp_path: Path) -> None:
    """What artillery supports and costs least is infantry; a tank beside armour is another unit."""
    made = imported(isles().replace('"infantry"', '"Peltasten"').replace('"bomber"', '"tank"'), tmp_path)
    assert problems(made.folder) == []
    units = yaml.safe_load((made.folder / "units.yaml").read_text())
    assert units["infantry"]["name"] == "Peltasten" and units["tank"]["name"] == "Armour"
    assert units["tank_5"]["arm"] == "air"
    assert any(r.what == "Peltasten" and "infantry" in r.why for r in made.remarks)


def test_larger_armies_than_the_series_has_room_for(tmp_path: Path) -> None:
    made = imported(isles(4).replace('quantity="2"', 'quantity="300"'), tmp_path)
    assert problems(made.folder) == []
    start = grognard.load(made.folder, backend="python").new_game()
    units = sum(
        p.get("count", 1)
        for p in yaml.safe_load((made.folder / "scenarios" / "start.yaml").read_text())["pieces"]
        if "Unit" in p
    )
    assert units > 1000 and len(start.view("power1").pieces("Unit")) == units


def test_bots_play_it(tmp_path: Path) -> None:
    game = grognard.load(imported(isles(2), tmp_path).folder, backend="python").game(seed=1)
    bots = [make_bot(name, seed=1) for name in ("greedy", "random")]
    for turn in range(30):
        if game.position.over:
            break
        game.play(bots[turn % 2].choose(game.position))
    assert len(game.history) == 30 or game.position.over


@pytest.mark.parametrize(
    ("text", "line", "why"),
    [
        ("<game>\n<a></game>", 2, "not well-formed"),
        ("", 1, "not well-formed"),
        ("<html/>", 1, "no TripleA game"),
        ('<!DOCTYPE g [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;&a;">]>\n<game>&b;</game>', 1, "entities"),
        ('<!DOCTYPE g [<!ENTITY a SYSTEM "file:///etc/passwd">]>\n<game>&a;</game>', 1, "entities"),
        ('<game>\n<diceSides value="12"/></game>', 2, "12 sides"),
        ("<game><resourceList><resource name='gold'/></resourceList></game>", 1, "no resource `PUs`"),
        ('<?xml version="1.0" encoding="none-such"?><game/>', 0, "encoding"),
        (isles().replace('alliance="Allies"', 'alliance="Axis"'), 3, "two sides"),
        (isles().replace('canProduceXUnits', "produces").replace("isFactory", "isHouse"), 0, "no factory"),
        (isles().replace('"infantry"', '"peltast"').replace("artillerySupportable", "brave"), 0, "no infantry"),
        (isles().replace("<connection", "<path"), 3, "no land of its map"),
        ("<a>" * 60 + "</a>" * 60, 1, "too many elements"),
    ],
)  # fmt: skip
def test_what_is_no_such_game_is_refused(tmp_path: Path, text: str, line: int, why: str) -> None:
    with pytest.raises(CannotImport, match=why) as found:
        imported(text, tmp_path)
    assert found.value.line == line
    assert not (tmp_path / "made").exists()


def test_the_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "isles.xml").write_text(isles(), encoding="utf-8")
    words = ["import", "triplea", str(tmp_path / "isles.xml"), "--output", str(tmp_path / "isles")]
    assert main(words) == 0
    said = capsys.readouterr().out
    assert "4 powers, 17 places, 2 objectives" in said and "isles.xml:" in said
    assert main(words) == 2
    assert "is there already and not empty" in capsys.readouterr().err
    (tmp_path / "bad.xml").write_text("<game>", encoding="utf-8")
    assert main(["import", "triplea", str(tmp_path / "bad.xml"), "--output", str(tmp_path / "x")]) == 2
    assert "bad.xml:1 cannot be imported" in capsys.readouterr().err


# ------------------------------------------------------------------------------------------------ files of TripleA


@needs_data
@pytest.mark.parametrize("file", ["ww2eur40_2nd_edition", "ww2eur40", "ww2eur40_veqryn_balanced"])
def test_files_of_europe(file: str, tmp_path: Path) -> None:
    made = import_triplea(DATA / f"{file}.xml", tmp_path / "made", rounds=2)
    assert made.powers == 6 and made.objectives >= 13
    assert problems(made.folder) == []
    assert played(made.folder, 1).over


#: How our Europe 1940 differs from the second edition's file, and why.
DIFFERENCES = {
    "place caspian_sea": "the sea that the rulebook names; the file numbers it as a zone, sz_128",
    "place sz_128": "the same sea",
    "place pripet_marshes": "impassable and without a border: the import leaves it out",
    "place sahara_desert": "impassable and without a border: the import leaves it out",
    "border central_america - venezuela": "Colombia lies between them; the file joins them",
    "border poland - sz_115": "Poland's coast is on SZ 114 alone; the file joins them",
}
OF_THE_FILE = {"germans": "germany", "russians": "ussr", "americans": "usa", "british": "uk", "italians": "italy", "french": "france"}  # fmt: skip
#: Ours alone: what regions rules speak of.
REGIONS = ("north_america", "mediterranean", "cite", "name")


@needs_data
def test_our_europe_and_the_second_edition(tmp_path: Path) -> None:
    """Map, units, forces, money and wars agree but for what is listed here with its reason."""
    made = import_triplea(SECOND, tmp_path / "made", rounds=20).folder
    series = shipped_root() / "axis_allies_1940"
    ours = series / "europe_1940"

    def read(path: Path) -> Any:
        text = path.read_text(encoding="utf-8")
        for word, our in OF_THE_FILE.items():
            text = text.replace(f"owner: {word}", f"owner: {our}").replace(f"power: {word}", f"power: {our}")
            text = text.replace(f"controller: {word}", f"controller: {our}").replace(f"{word}:", f"{our}:")
            text = text.replace(f"{word},", f"{our},").replace(f"{word}]", f"{our}]")
        return yaml.safe_load(text)

    def bare(row: dict[str, Any], usual: dict[str, Any]) -> dict[str, Any]:
        kept = {key: value for key, value in row.items() if key not in REGIONS and value not in (0, False)}
        return {**usual, **kept}

    differences = set()
    map_of, map_of_file = read(ours / "maps" / "europe.yaml"), read(made / "maps" / "map.yaml")
    places, of_file = map_of["areas"], map_of_file["areas"]
    differences |= {f"place {name}" for name in places.keys() ^ of_file.keys()}
    borders = [
        {tuple(sorted((a, b))) for a, row in areas.items() for b in row.get("adjacent", ())}
        for areas in (places, of_file)
    ]
    for a, b in borders[0] ^ borders[1]:
        if f"place {a}" not in differences and f"place {b}" not in differences:
            differences.add(f"border {a} - {b}")
    for name in places.keys() & of_file.keys():
        rows = [
            {k: v for k, v in bare(row, {}).items() if k != "adjacent"}
            for row in (places[name], of_file[name])
        ]
        if rows[0] != rows[1]:
            differences.add(f"values of {name}: {rows[0]} - {rows[1]}")
    edges = [
        {(frozenset(e["between"]), e["passage"]) for e in found["edges"]} for found in (map_of, map_of_file)
    ]
    differences |= {f"passage {name}" for _, name in edges[0] ^ edges[1]}
    for file in ("units.yaml", "facilities.yaml"):
        rows_of, rows_of_file = read(series / file), read(made / file)
        for name in (rows_of.keys() | rows_of_file.keys()) - {"instead"}:
            row = bare(rows_of[name], {"hits": 1} if file == "units.yaml" else {})
            theirs = rows_of_file[name]
            if any(row.get(key) != value for key, value in theirs.items() if key != "name"):
                differences.add(f"{file} {name}: {row} - {theirs}")
    start, start_of_file = (
        read(ours / "scenarios" / "europe_1940.yaml"),
        read(made / "scenarios" / "start.yaml"),
    )
    forces = [
        Counter({(p.get("Unit") or p["Facility"], p.get("power"), p["at"]): 0 for p in found["pieces"]})
        for found in (start, start_of_file)
    ]
    for counted, found in zip(forces, (start, start_of_file), strict=True):
        for p in found["pieces"]:
            counted[p.get("Unit") or p["Facility"], p.get("power"), p["at"]] += p.get("count", 1)
    differences |= {
        f"forces {key}" for key in forces[0].keys() | forces[1].keys() if forces[0][key] != forces[1][key]
    }
    if start["power"] != start_of_file["power"]:
        differences.add("money")
    wars = [{frozenset(pair) for pair in found["relations"]["at_war"]} for found in (start, start_of_file)]
    differences |= {f"war {sorted(pair)}" for pair in wars[0] ^ wars[1]}
    lands = [found["places"]["Map"] for found in (start, start_of_file)]
    differences |= {
        f"holder of {name}"
        for name in lands[0].keys() | lands[1].keys()
        if lands[0].get(name) != lands[1].get(name)
    }
    assert differences == set(DIFFERENCES)
