"""A title, or a series with a title, to begin with: small, whole, and with remarks on what is to be written where.

It checks, plays and passes its example as it is, so that whatever goes wrong later came with the last line that was written.
"""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from grognard.authoring.rulebook_text import Heading
from grognard.errors import GrognardError

#: Citations that start so are the sample's own, and no sections of the rulebook.
OWN = "sample"
#: The folder of a series in which a small title lies to begin others from; it is none of its titles.
FIRST = "_first"


class BeginningError(GrognardError):
    """A title that cannot be made; says why."""


@dataclass(frozen=True, slots=True)
class Beginning:
    """What was made: the folder that can be checked and played, and all files."""

    title: Path
    files: tuple[Path, ...]


def identifier(name: str) -> str:
    """The id that a title of that name gets: the name of its folder."""
    made = re.sub(r"[^a-z0-9]+", "_", name.casefold()).strip("_")
    if not made or not made[0].isalpha():
        raise BeginningError(f"no id can be made of `{name}`: a name begins with a letter")
    return made


def new_title(name: str, into: Path, headings: Sequence[Heading] = ()) -> Beginning:
    """A title of its own in a new folder of `into`."""
    folder = _fresh(into / identifier(name))
    files = {
        "title.yaml": TITLE.format(name=json.dumps(name, ensure_ascii=False)),
        "game.grog": RULES.format(name=name),
        "units.yaml": UNITS,
        "maps/field.yaml": MAP,
        "scenarios/first.yaml": SCENARIO,
        "examples/fire.grog": EXAMPLE,
        "rulebook.yaml": rulebook_yaml(name, headings),
    }
    return Beginning(folder, _write(folder, files))


def new_series(name: str, into: Path, headings: Sequence[Heading] = ()) -> Beginning:
    """A series in a new folder of `into`, with a first title in which everything can be tried."""
    folder = _fresh(into / identifier(name))
    shared, own = _split_rules()
    files = {
        "series.yaml": f"# The series: its rules stand in the .grog files beside this one, each of its titles in a folder of its own.\nname: {json.dumps(name, ensure_ascii=False)}\n",
        "rules.grog": f"# {name}: the rules that all titles of the series share.\n" + shared,
        "rulebook.yaml": rulebook_yaml(name, headings),
        "first/title.yaml": TITLE.format(name=json.dumps(f"{name}: the first title", ensure_ascii=False)),
        "first/game.grog": "# What is this title's own: its terrain, its table, what it changes in the series' rules.\n"
        + own,
        "first/units.yaml": UNITS,
        "first/maps/field.yaml": MAP,
        "first/scenarios/first.yaml": SCENARIO,
        "first/examples/fire.grog": EXAMPLE,
    }
    return Beginning(folder / "first", _write(folder, files))


def title_of_series(name: str, sister: Path, into: Path, series: Path) -> Beginning:
    """A title of a series: a copy of a sister title, or of what the series has to begin from, under another name, to be
    changed file by file.

    The sister defines all that the series requires, so that the new title checks and plays from the start.  Outside the
    series' folder its title.yaml names the series."""
    made = identifier(name)
    folder = _fresh(into / made)
    ignored = shutil.ignore_patterns("__pycache__", "mutation.json", "errata", ".*")
    shutil.copytree(sister, folder, dirs_exist_ok=True, ignore=ignored)
    title = folder / "title.yaml"
    lines = [
        line
        for line in title.read_text(encoding="utf-8").splitlines()
        if not re.match(r"(name|id|edition|demo|errata|series)\s*:", line)
    ]
    begun = "Begun" if sister.name == FIRST else f"Begun as a copy of {sister.name}"
    head = f"# {begun}: change it file by file.  Counters, maps and scenarios are data (.yaml); what differs\n# from the series in rules stands in the .grog files.\nname: {json.dumps(name, ensure_ascii=False)}\nid: {made}\n"
    if not folder.resolve().is_relative_to(series.resolve()):
        head += f"series: {series.name}\n"
    title.write_text(head + "\n".join(lines) + "\n", encoding="utf-8")
    old = re.compile(r'^title \w+(?: "[^"\n]*")?', re.MULTILINE)
    shown = re.sub(r'["\\{}]', " ", name)
    for path in folder.rglob("*.grog"):
        text = path.read_text(encoding="utf-8")
        path.write_text(old.sub(lambda _: f'title {made} "{shown}"', text), encoding="utf-8")
    return Beginning(folder, tuple(sorted(path for path in folder.rglob("*") if path.is_file())))


def _fresh(folder: Path) -> Path:
    if folder.exists():
        raise BeginningError(f"{folder} is there already: take another name, or another folder with --in")
    try:
        folder.mkdir(parents=True)
    except OSError as trouble:
        raise BeginningError(f"{folder} cannot be made: {trouble.strerror}") from trouble
    return folder


def _write(folder: Path, files: dict[str, str]) -> tuple[Path, ...]:
    written = []
    for name, text in files.items():
        path = folder.joinpath(*name.split("/"))
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        written.append(path)
    return tuple(written)


def rulebook_yaml(name: str, headings: Sequence[Heading]) -> str:
    """The list of sections to work through."""
    lines = [
        "# The sections of the rulebook: what citations in brackets refer to, and what `grognard coverage` counts.",
        '# A section that needs no code says so: "1.2": {title: Components, status: component, why: nothing to compute}',
        "# (status: component, advice, example or design).",
        f"title: {json.dumps(name, ensure_ascii=False)}",
        f"prefixes: [{OWN}, err]        # citations that begin so are no sections: `{OWN}` are the sample's, to be replaced",
    ]
    if not headings:
        return "\n".join([*lines, "sections:", '  "1": Sides', '  "2": The map', '  "3": Units', '  "4": Sequence of play', '  "5": Movement', '  "6": Fire', '  "7": Victory', ""])  # fmt: skip
    lines.append("sections:")
    for heading in headings:
        lines.append(
            f"  {json.dumps(heading.id)}: {json.dumps(heading.title or heading.id, ensure_ascii=False)}"
        )
    return "\n".join(lines) + "\n"


def _split_rules() -> tuple[str, str]:
    """The sample's rules, shared ones and a title's own."""
    body = RULES.split("\n", 3)[3]
    parts = re.split(r"^# own: .*\n", body, flags=re.MULTILINE)
    shared = parts[0] + parts[2]
    return shared, parts[1]


TITLE = """\
# What the title is.  Rules stand in the .grog files beside this one, data in .yaml files.
name: {name}
scenario: first                      # the scenario that is played unless another is named
about: One sentence on what it is about.
"""

UNITS = """\
# The counters: one line for each sort, with the columns that `kind UnitType` declares.
rifles: {name: Rifles, fire: 2, move: 4}
guns:   {name: Guns, fire: 4, move: 2}
"""

MAP = """\
# The map: one symbol for each hex of a row.  docs/language.md, "map files worked through", has everything else.
grid: {columns: 7, rows: 6, layout: odd-q, numbering: "{col:02}{row:02}"}
legend:
  ".": {terrain: open}
  "w": {terrain: woods}
rows:
  - ". . . w . . ."
  - ". w . . . w ."
  - ". . . w . . ."
  - ". . w w w . ."
  - ". w . . . w ."
  - ". . . . . . ."
"""

SCENARIO = """\
# Who stands where.  `as` gives a counter a name for examples and reports.
name: First scenario
maps: {Board: maps/field.yaml}
pieces:
  - {Unit: rifles, as: B1, side: blue, at: "0101"}
  - {Unit: rifles, as: B2, side: blue, at: "0301"}
  - {Unit: guns, as: B3, side: blue, at: "0201"}
  - {Unit: rifles, as: R1, side: red, at: "0506"}
  - {Unit: rifles, as: R2, side: red, at: "0706"}
  - {Unit: guns, as: R3, side: red, at: "0606"}
"""

EXAMPLE = """\
# Examples of play, as the rulebook has them: set up, play, say what must come of it.  `grognard test` runs them all.
example "rifles fire at guns in the woods" [sample 6]
  board open 5x5
  terrain woods at 0303
  counter blue rifles as A at 0301
  counter red guns as B at 0303
  dice 5 4
  do shoot(A, B)                     # 9 + 2 for the weapon - 1 for the woods - 1 for the range = 9: one hit
  expect B.hits is 1, drm(A, B) is 0

# What the dice can do: `grognard odds` works it out exactly, and `grognard diff` tells when a change moves it.
situation fire(weapon: UnitType, in_woods: 0..1) "fire at rifles two hexes away" [sample 6]
  board open 5x5
  terrain woods at 0301
  create Unit of weapon with at = Hex.0303, side = blue -> u
  create Unit of rifles with at = (Hex.0301 if in_woods is 1 else Hex.0305), side = red -> t
  odds of shoot(u, t)
  outcome "hits" = t.hits
"""

RULES = """\
# {name}: a small battle to begin with.  Change one thing at a time and check: `grognard watch` does it on every save.
# In brackets stand the sections of the rulebook.  [sample ...] are this sample's own: put your rulebook's numbers there.

sides blue, red                                                  [sample 1]

# own: terrain and results belong to a title, even in a series
# What the ground does: one line for each sort.
kind Terrain                                                     [sample 2]
  name  | cost | cover
  open  |  1   |   0
  woods |  2   |   1

# The table of results: total of dice and modifiers, hits.
table hits_of(total: int) -> 0..2                                [sample 6]
  ..8    | 0
  9..11  | 1
  12..   | 2

# own: end
# The counters; their values are in units.yaml.
kind UnitType from "units.yaml"                                  [sample 3]
  fire, move: 1..9

space Board: hexes                                               [sample 2]
  terrain: Terrain

piece Unit of UnitType up to 40                                  [sample 3]
  at   : Hex?
  hits : 0..2
  moved: flag per turn               # back to no with each new turn
  fired: flag per turn

game
  turn: 1..6

# The sequence of play: who does what when.
sequence                                                         [sample 4]
  repeat turn from 1 to 6
    phase fire: for p in sides: p repeats shots until done       [sample 6]
    phase movement: for p in sides: p repeats march until done   [sample 5]

# Movement: what a step costs, where nobody may go.
movement walk(u: Unit) on Board                                  [sample 5]
  start u.at
  allowance u.move
  step from a to b
  never "somebody is there" when any(e in Unit where e.at is b)
  costs b.terrain.cost

action march "move a unit"                                       [sample 5]
  choose u: Unit where mine(u) and not u.moved and u.at is not none "unit"
  choose h in reach(walk(u)) "to"
  u.at := h
  u.moved := yes

# Fire: who may fire at whom, what is added to the dice, what comes of it.
rule in_range(u: Unit, t: Unit) -> flag                          [sample 6.1]
  = u.at is not none and t.at is not none and distance(u.at, t.at) <= 3

action shots "fire"                                              [sample 6]
  choose u: Unit where mine(u) and not u.fired and u.at is not none "unit"
  choose t: Unit where enemy(t) and in_range(u, t) "target"
  u.fired := yes
  do shoot(u, t)

modifiers drm(u: Unit, t: Unit) -> -9..9                         [sample 6.2]
  +u.fire "weapon"
  -1 "cover"      when t.at is not none and t.at.terrain.cover > 0
  -1 "far away"   when u.at is not none and t.at is not none and distance(u.at, t.at) > 1

procedure shoot(u: Unit, t: Unit)                                [sample 6]
  roll dice: 2d6
  let hits = hits_of(dice + drm(u, t))
  t.hits := min(2, t.hits + hits)
  if t.hits is 2: destroy t

victory                                                          [sample 7]
  = best(p in sides by highest count(u in Unit where u.side is p))
"""
