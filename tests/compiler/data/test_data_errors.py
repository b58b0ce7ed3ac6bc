"""Golden messages: each mistake in the data of a small title, and what the author is told.

Longer than 500 lines: it is one list of cases."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

import pytest
from test_data_title import Title

RULES = """\
title small
enum Colour: red, blue
enum Result: miss, hit, kill
sides german, soviet
kind Terrain
  name  | cost
  open  | 0
  woods | 1
kind UnitType from "units.yaml"
  fp(Colour): -9..30
  front: 0..40
  tracked: flag = no
  home: Terrain = open
  dice(1..3): 0..6 = 0
  may: set of Terrain = {open}
space Board: hexes
  terrain: Terrain
  level: 0..9 = 0
  state smoke: 0..3
  edge road: flag
piece Unit of UnitType, up to 2
  at: Hex
  hits(Colour): 0..9
game
  round: 1..20
each side
  cap: 0..30
relation friends(Side, Side)
option drift default off
"""
UNITS = """\
rifles: {fp: {red: 1, blue: 2}, front: 3}
t34: {fp: {red: 1, blue: 2}, front: 3}
"""
MAP = """\
grid: {columns: 3, rows: 2}
legend: {".": {terrain: open}, w: {terrain: woods}}
rows:
  - "..w"
  - "..."
hexes:
  "0101": {level: 1}
edges:
  - {between: ["0101", "0102"], road: yes}
"""
SCENARIO = """\
name: First
maps: {Board: map.yaml}
options: {drift: on}
game: {round: 2}
side: {german: {cap: 3}}
relations: {friends: [[german, soviet]]}
pieces:
  - {Unit: rifles, as: A, side: german, at: "0101"}
places: {Board: {"0102": {smoke: 1}}}
"""


@dataclass
class Case:
    id: str
    file: str
    old: str
    new: str
    says: list[str]
    more: str = ""  # rules added at the end
    files: dict[str, str] = field(default_factory=dict)


def make(folder: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return folder


def told(title: Title) -> list[str]:
    """Each diagnostic in one line: code, place, message, and the hint if there is one."""
    lines = []
    for d in title.sink:
        place = f" {d.span.file}:{d.span.line}:{d.span.column}" if d.span else ""
        severity = "" if d.severity.value == "error" else f" {d.severity.value}"
        lines.append(f"{d.code}{severity}{place} {d.message}" + (f" | {d.hint}" if d.hint else ""))
    return lines


def load(folder: Path, files: dict[str, str], symbols: tuple[str, ...] = ()) -> Title:
    title = Title(make(folder, {"title.yaml": "name: Small\n", **files}), symbols)
    title.scenario("first")
    return title


def small(more: str = "") -> dict[str, str]:
    return {
        "rules.grog": RULES + more,
        "units.yaml": UNITS,
        "map.yaml": MAP,
        "scenarios/first.yaml": SCENARIO,
    }


def test_the_title_is_good(tmp_path: Path) -> None:
    assert told(load(tmp_path, small())) == []


CASES = [
    # ------------------------------------------------------------------------------------------- kinds
    Case(
        "unknown column",
        "units.yaml",
        "rifles: {fp: {red: 1, blue: 2}, front: 3}",
        "rifles: {fp: {red: 1, blue: 2}, font: 3}",
        [
            "GR0602 units.yaml:1:33 UnitType rifles has no column `font` | did you mean `front`?",
        ],
    ),
    Case(
        "missing axis member",
        "units.yaml",
        "rifles: {fp: {red: 1, blue: 2}",
        "rifles: {fp: {red: 1}",
        ["GR0603 units.yaml:1:14 UnitType rifles: fp lacks blue"],
    ),
    Case(
        "unknown axis member",
        "units.yaml",
        "rifles: {fp: {red: 1, blue: 2}",
        "rifles: {fp: {red: 1, blu: 2}",
        [
            "GR0603 units.yaml:1:14 UnitType rifles: fp lacks blue",
            "GR0608 units.yaml:1:23 Colour has no `blu` | did you mean `blue`?",
        ],
    ),
    Case(
        "no axis at all",
        "units.yaml",
        "rifles: {fp: {red: 1, blue: 2}",
        "rifles: {fp: 7",
        ["GR0604 units.yaml:1:14 UnitType rifles: fp must be a map over Colour, not the number 7"],
    ),
    Case(
        "single columns beside a map",
        "units.yaml",
        "rifles: {",
        "rifles: {fp_red: 4, ",
        ["GR0606 units.yaml:1:10 `fp` is given twice, as a map and in single columns"],
    ),
    Case(
        "wrong type",
        "units.yaml",
        "front: 3}\nt34",
        "front: three}\nt34",
        ["GR0604 units.yaml:1:40 UnitType rifles: front must be a whole number, not `three`"],
    ),
    Case(
        "flag",
        "units.yaml",
        "front: 3}\nt34",
        "front: 3, tracked: 1}\nt34",
        ["GR0604 units.yaml:1:52 UnitType rifles: tracked must be `yes` or `no`, not the number 1"],
    ),
    Case(
        "out of range",
        "units.yaml",
        "front: 3}\nt34",
        "front: 41}\nt34",
        ["GR0605 units.yaml:1:40 UnitType rifles: front must lie in 0..40, not 41"],
    ),
    Case(
        "unknown member",
        "units.yaml",
        "front: 3}\nt34",
        "front: 3, home: wods}\nt34",
        ["GR0608 units.yaml:1:49 Terrain has no `wods` | did you mean `woods`?"],
    ),
    Case(
        "unknown member in a set",
        "units.yaml",
        "front: 3}\nt34",
        "front: 3, may: [open, wods]}\nt34",
        ["GR0608 units.yaml:1:55 Terrain has no `wods` | did you mean `woods`?"],
    ),
    Case(
        "list too long",
        "units.yaml",
        "front: 3}\nt34",
        "front: 3, dice: [1, 2, 3, 4]}\nt34",
        ["GR0605 units.yaml:1:59 UnitType rifles: dice has more values than 1..3 (4)"],
    ),
    Case(
        "number outside an axis",
        "units.yaml",
        "front: 3}\nt34",
        "front: 3, dice: {3: 1, 4: 2}}\nt34",
        ["GR0605 units.yaml:1:56 `4` is outside 1..3"],
    ),
    Case(
        "row given twice",
        "units.yaml",
        "t34: {fp",
        "rifles: {fp",
        ["GR0606 units.yaml:2:1 the key `rifles` is given twice"],
    ),
    Case("empty", "units.yaml", UNITS, "", [
        'GR0613 rules.grog:9:20 "units.yaml" has no rows for UnitType',
        "GR0608 scenarios/first.yaml:8:12 UnitType has no `rifles`",
    ]),
    Case(
        "inline cell not given",
        "rules.grog",
        "  woods | 1\n",
        "  woods | ?\n",
        ["GR0410 note rules.grog:8:11 Terrain woods: `cost` is not given"],
    ),
    # ------------------------------------------------------------------------------------------ errata
    Case(
        "erratum finds another value",
        "units.yaml",
        "",
        "",
        ["GR0503 rules.grog:31:24 `rifles.front` is 3, not 4 as the erratum expects"],
        more='errata "one" 2001-01-01\n  amend kind UnitType: rifles.front 4 -> 5\n',
    ),
    Case(
        "erratum names no row",
        "units.yaml",
        "",
        "",
        ["GR0608 rules.grog:31:24 UnitType has no `rifle` | did you mean `rifles`?"],
        more='errata "one" 2001-01-01\n  amend kind UnitType: rifle.front 3 -> 5\n',
    ),
    Case(
        "erratum names no column",
        "units.yaml",
        "",
        "",
        ["GR0602 rules.grog:31:31 UnitType has no column `font` | did you mean `front`?"],
        more='errata "one" 2001-01-01\n  amend kind UnitType: rifles.font 3 -> 5\n',
    ),
    # -------------------------------------------------------------------------------------------- maps
    Case(
        "unknown symbol",
        "map.yaml",
        '"..w"',
        '"..x"',
        [
            "GR0608 map.yaml:4:8 the legend has no `x`",
        ],
    ),
    Case(
        "row too short",
        "map.yaml",
        '"..w"',
        '". ."',
        [
            "GR0404 map.yaml:4:5 2 symbols in this row, the grid has 3 columns",
        ],
    ),
    Case(
        "a line is missing",
        "map.yaml",
        '  - "..."\n',
        "",
        [
            'GR0404 map.yaml:4:3 "map.yaml": rows has 1 lines, the grid has 2 rows',
        ],
    ),
    Case(
        "legend with a wrong field",
        "map.yaml",
        ".\": {terrain: open}",
        ".\": {terrian: open}",
        [
            'GR0602 map.yaml:2:16 "map.yaml": legend . has no field `terrian` | did you mean `terrain`?',
            "GR0603 map.yaml:7:3 Hex 0101 and 4 more lack `terrain`"
            " | give it in the legend, or for all places below `default:`",
        ],
    ),
    Case(
        "legend with a wrong value is blamed once",
        "map.yaml",
        ".\": {terrain: open}",
        ".\": {terrain: open, level: 12}",
        ["GR0605 map.yaml:2:38 Hex 0102: level must lie in 0..9, not 12"],
    ),
    Case(
        "state in a map",
        "map.yaml",
        "{level: 1}",
        "{smoke: 1}",
        [
            "GR0602 map.yaml:7:12 Hex 0101: `smoke` is no map data"
            " | it changes in play: give it below `places:` of a scenario"
        ],
    ),
    Case(
        "unknown hex",
        "map.yaml",
        '"0101": {level',
        '"0109": {level',
        ["GR0609 map.yaml:7:3 there is no `0109` on this map | did you mean `0101`?"],
    ),
    Case(
        "edge of hexes that do not touch",
        "map.yaml",
        '["0101", "0102"]',
        '["0101", "0301"]',
        ["GR0609 map.yaml:9:24 `0301` is not next to `0101` | next to it lie 0201, 0102"],
    ),
    Case(
        "edge without a place",
        "map.yaml",
        'between: ["0101", "0102"], ',
        "",
        [
            "GR0603 map.yaml:9:5 an edge lacks `between`"
            " | write between: [a, b], along: [a, b, c], or of: a with sides: [n, ne]"
        ],
    ),
    Case(
        "edge off the map",
        "map.yaml",
        'between: ["0101", "0102"]',
        'of: "0101", sides: [n]',
        ["GR0609 map.yaml:9:26 `0101` lies on the rim: nothing is n of it"],
    ),
    Case(
        "edge field",
        "map.yaml",
        "road: yes",
        "rod: yes",
        ["GR0602 map.yaml:9:33 Hexside 0101-0102 has no field `rod` | did you mean `road`?"],
    ),
    Case(
        "layout",
        "map.yaml",
        "rows: 2}",
        "rows: 2, layout: odd-p}",
        [
            "GR0604 map.yaml:1:37 `odd-p` is no layout of hexes | did you mean `odd-q`?",
        ],
    ),
    Case(
        "no such map",
        "scenarios/first.yaml",
        "map.yaml",
        "mapp.yaml",
        [
            'GR0001 scenarios/first.yaml:2:15 there is no file "mapp.yaml" | did you mean `map.yaml`?',
        ],
    ),
    # --------------------------------------------------------------------------------------- scenarios
    Case(
        "no map",
        "scenarios/first.yaml",
        "maps: {Board: map.yaml}\n",
        "",
        [
            "GR0610 scenarios/first.yaml:1:1 the scenario names no map for Board",
        ],
    ),
    Case(
        "unknown section",
        "scenarios/first.yaml",
        "game:",
        "gane:",
        ["GR0602 scenarios/first.yaml:4:1 a scenario has no `gane` | did you mean `game`?"],
    ),
    Case(
        "unknown option",
        "scenarios/first.yaml",
        "drift: on",
        "drifts: on",
        ["GR0510 scenarios/first.yaml:3:11 there is no option `drifts` | did you mean `drift`?"],
    ),
    Case(
        "option value",
        "scenarios/first.yaml",
        "drift: on",
        "drift: often",
        ["GR0510 scenarios/first.yaml:3:18 option `drift` has no value `often`"],
    ),
    Case(
        "unknown side",
        "scenarios/first.yaml",
        "side: {german:",
        "side: {polish:",
        ["GR0614 scenarios/first.yaml:5:8 there is no side `polish`"],
    ),
    Case(
        "field of a side",
        "scenarios/first.yaml",
        "{cap: 3}",
        "{cap: 31}",
        ["GR0605 scenarios/first.yaml:5:22 side german: cap must lie in 0..30, not 31"],
    ),
    Case(
        "field of the game",
        "scenarios/first.yaml",
        "game: {round: 2}",
        "game: {rounds: 2}",
        ["GR0602 scenarios/first.yaml:4:8 game has no field `rounds` | did you mean `round`?"],
    ),
    Case(
        "relation",
        "scenarios/first.yaml",
        "[[german, soviet]]",
        "[[german, soviets], german]",
        [
            "GR0608 scenarios/first.yaml:6:32 Side has no `soviets` | did you mean `soviet`?",
            "GR0604 scenarios/first.yaml:6:42 friends must be a list of pairs [a, b], not `german`",
        ],
    ),
    Case(
        "unknown row",
        "scenarios/first.yaml",
        "Unit: rifles",
        "Unit: rifle",
        ["GR0608 scenarios/first.yaml:8:12 UnitType has no `rifle` | did you mean `rifles`?"],
    ),
    Case(
        "unknown type of piece",
        "scenarios/first.yaml",
        "Unit: rifles",
        "Unti: rifles",
        ["GR0603 scenarios/first.yaml:8:5 a piece lacks its type | did you mean `Unit`?"],
    ),
    Case(
        "unknown place",
        "scenarios/first.yaml",
        'at: "0101"',
        'at: "0501"',
        ["GR0609 scenarios/first.yaml:8:45 Hex has no `0501` | did you mean `0101`?"],
    ),
    Case(
        "no place",
        "scenarios/first.yaml",
        ', at: "0101"',
        "",
        ["GR0603 scenarios/first.yaml:8:5 Unit lacks `at`"],
    ),
    Case(
        "no side",
        "scenarios/first.yaml",
        "side: german, ",
        "",
        ["GR0603 scenarios/first.yaml:8:5 Unit lacks `side`"],
    ),
    Case(
        "field of a piece",
        "scenarios/first.yaml",
        'at: "0101"',
        'at: "0101", hist: {red: 1}',
        ["GR0602 scenarios/first.yaml:8:53 Unit has no field `hist` | did you mean `hits`?"],
    ),
    Case(
        "too many",
        "scenarios/first.yaml",
        "as: A,",
        "as: A, count: 2,",
        ["GR0611 scenarios/first.yaml:9:6 3 pieces of type Unit, but at most 2 are declared"
         " | piece Unit ... up to 3; a title of a series: add to piece Unit up to 3"],
        files={"scenarios/first.yaml": SCENARIO.replace(
            "places:", '  - {Unit: t34, side: soviet, at: "0102"}\nplaces:')},
    ),
    Case(
        "two of one name",
        "scenarios/first.yaml",
        "",
        "",
        ["GR0614 scenarios/first.yaml:9:21 two pieces are called `A`"],
        files={"scenarios/first.yaml": SCENARIO.replace(
            "places:", '  - {Unit: t34, as: A, side: soviet, at: "0102"}\nplaces:')},
    ),
    Case(
        "constant data in a set-up",
        "scenarios/first.yaml",
        "{smoke: 1}",
        "{level: 1}",
        ["GR0602 scenarios/first.yaml:9:27 Hex 0102 has no field `level`"
         " | it is constant data, not part of a set-up"],
    ),
    Case(
        "a bag that asks too much",
        "units.yaml",
        "",
        "",
        ["GR0301 rules.grog:30:33 bag `Chits` can be filled only by columns of Terrain, fields of the game"
         " and options | write for example: where t.column is 1, 2 each"],
        more="bag Chits of t in Terrain where count(u in Unit) > 1, 1 each\n",
    ),
]  # fmt: skip


@pytest.mark.parametrize("case", CASES, ids=[c.id for c in CASES])
def test_message(case: Case, tmp_path: Path) -> None:
    files = small(case.more) | case.files
    if case.old:
        assert files[case.file].count(case.old) == 1
        files[case.file] = files[case.file].replace(case.old, case.new)
    assert told(load(tmp_path, files)) == case.says


def test_errata_change_cells(tmp_path: Path) -> None:
    errata = (
        'errata "one" 2001-01-01\n'
        "  amend kind UnitType: rifles.front 3 -> 4\n"
        "  amend kind UnitType: rifles.fp(blue) 2 -> -1\n"
        "  amend kind UnitType: rifles.home open -> woods\n"
        "  amend kind Terrain: woods.cost 1 -> 0\n"
    )
    title = Title(make(tmp_path, {"title.yaml": "name: Small\n", **small(errata)}))
    game = title.scenario("first")
    assert game is not None and told(title) == []
    assert title.column(game, "UnitType", "front", "rifles") == 4
    assert [title.column(game, "UnitType", "fp", "rifles", c) for c in ("red", "blue")] == [1, -1]
    assert title.column(game, "UnitType", "home", "rifles") == 1
    assert title.column(game, "UnitType", "front", "t34") == 3


def test_a_place_that_rules_name_must_be_on_the_map(tmp_path: Path) -> None:
    title = load(tmp_path, small(), ("Hex.0401",))
    assert told(title) == ["GR0609 the map has no Hex `0401`, which the rules name | did you mean `0101`?"]


def test_sections_of_a_shared_file(tmp_path: Path) -> None:
    files = small()
    files["units.yaml"] = "unittype:\n" + "".join(f"  {line}\n" for line in UNITS.splitlines()) + "guns: {}\n"
    assert told(load(tmp_path, files)) == [
        'GR0602 units.yaml:4:1 "units.yaml" has a section `guns` that no kind reads'
    ]
