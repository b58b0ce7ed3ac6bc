"""Line of sight: the built-in query on a flat map, and the rules of two games on a map with hills and hexsides.

The titles of these rows are generated: a map, and the sight rules of the shipped series, read from their files.  One rule
queries all pairs, so that only compiled code is measured.
"""

from __future__ import annotations

import random
import tempfile
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import grognard
from grognard.compiler.layers.title_paths import shipped_titles
from grognard.geometry import HexMap, SightPolicy, distance, sight_simple
from measure import Row, Settings, race
from native import cells, reference

_scratch = tempfile.TemporaryDirectory(prefix="grognard_sight_")

HEAD = """title {id} "{id}"
sides us, them
{data}
{sight}
rule seen(far: 1..60) -> 0..9999999
  = sum(a in Hex where a.source: count(b in within(a, far) where b is not a and {asked}))
sequence
  alternate p from us until all pass
    offer p: wait
action wait "wait"
  pass
victory
  = none
"""


@dataclass
class Ground:
    """A map of hexes, odd-q, column by column, with what each hex and hexside has."""

    columns: int
    rows: int
    hexes: list[dict[str, Any]]
    #: (hex, direction) -> what the hexside has
    edges: dict[tuple[int, int], dict[str, Any]] = field(default_factory=dict)

    def name(self, number: int) -> str:
        return f"{number // self.rows + 1:02}{number % self.rows + 1:02}"

    @property
    def hexmap(self) -> HexMap:
        return HexMap.rectangle("odd-q", self.columns, self.rows)

    def yaml(self) -> str:
        lines = [
            "name: Ground",
            f"grid: {{columns: {self.columns}, rows: {self.rows}, layout: odd-q}}",
            "hexes:",
        ]
        for number, values in enumerate(self.hexes):
            inside = ", ".join(f"{key}: {value}" for key, value in values.items())
            lines.append(f'  "{self.name(number)}": {{{inside}}}')
        if self.edges:
            lines.append("edges:")
        for (number, side), values in self.edges.items():
            inside = ", ".join(f"{key}: {value}" for key, value in values.items())
            lines.append(f'  - {{of: "{self.name(number)}", sides: [{SIDES[side]}], {inside}}}')
        return "\n".join(lines) + "\n"


SIDES = ("n", "ne", "se", "s", "sw", "nw")


def made_title(name: str, data: str, sight: str, asked: str, ground: Ground) -> Any:
    """An engine of a title that is written now."""
    folder = Path(_scratch.name) / name
    (folder / "maps").mkdir(parents=True, exist_ok=True)
    (folder / "scenarios").mkdir(exist_ok=True)
    (folder / "title.yaml").write_text(f"name: {name}\nid: {name}\nscenario: plain\nabout: measured\n")
    (folder / "maps" / "ground.yaml").write_text(ground.yaml())
    (folder / "scenarios" / "plain.yaml").write_text("name: Plain\nmaps: {Board: maps/ground.yaml}\n")
    text = HEAD.format(id=name, data=data, sight=sight, asked=asked)
    (folder / "game.grog").write_text(text)
    return grognard.load(folder, backend="compiled")


def section(series: str, file: str, first: str, last: str) -> str:
    """A part of a shipped rules file, without its citations' meaning: from one line to before another."""
    title = next(folder for folder in shipped_titles().values() if folder.parent.name == series)
    lines = (title.parent / file).read_text(encoding="utf-8").splitlines()
    start = next(number for number, line in enumerate(lines) if line.startswith(first))
    end = next(number for number, line in enumerate(lines) if number > start and line.startswith(last))
    return "\n".join(lines[start:end])


def _options(series: str, file: str, names: tuple[str, ...]) -> list[str]:
    """The lines that declare these options."""
    title = next(folder for folder in shipped_titles().values() if folder.parent.name == series)
    lines = (title.parent / file).read_text(encoding="utf-8").splitlines()
    return [line for line in lines if line.startswith(tuple(f"option {name} " for name in names))]


# ------------------------------------------------------------------------------------------------- the flat map

FLAT_DATA = """space Board: hexes
  blocks: flag = no
  source: flag = no
"""
FLAT_SIGHT = """sight los(a: Hex, b: Hex) on Board
  same both ways
  along a hexside: blocked if both block
  at a corner: clear
  hex h blocks "wall" when h.blocks
"""
#: The pairs that see each other, as agreed for this map.
FLAT_VISIBLE, FLAT_PAIRS = 12_080, 35_013


def flat_ground(size: int = 40) -> Ground:
    rng = random.Random(1940)
    hexes = []
    for number in range(size * size):
        blocks = rng.random() < 0.15
        hexes.append({"blocks": "yes" if blocks else "no", "source": "yes" if number % 16 == 0 else "no"})
    return Ground(size, size, hexes)


def pairs_within(ground: Ground, every: int, far: int) -> list[tuple[int, int]]:
    hexmap = ground.hexmap
    return [
        (a, b)
        for a in range(0, hexmap.n, every)
        for b in range(hexmap.n)
        if 1 <= distance(hexmap, a, b) <= far
    ]


def flat(settings: Settings) -> list[Row]:
    ground = flat_ground()
    engine = made_title("flat_sight", FLAT_DATA, FLAT_SIGHT, "los(a, b)", ground)
    position = engine.new_game()
    blocks = [int(values["blocks"] == "yes") for values in ground.hexes]
    library = reference("sight_flat")
    blocked = cells(blocks)
    pairs = pairs_within(ground, 16, 12)
    assert len(pairs) == FLAT_PAIRS
    rounds = settings.many(20)

    def ours() -> float:
        for _ in range(rounds):
            assert engine.call("seen", [12], position) == FLAT_VISIBLE
        return rounds * FLAT_PAIRS

    def in_c() -> float:
        for _ in range(rounds):
            assert library.seen(blocked, 40, 40, 16, 12) == FLAT_VISIBLE
        return rounds * FLAT_PAIRS

    hexmap = ground.hexmap
    some = pairs[:: max(1, int(40 / settings.size))]

    for a, b in some:
        assert engine.call("los", [a, b], position) == sight_simple(hexmap, blocks, a, b, SightPolicy.BOTH)

    def in_python() -> float:
        for a, b in some:
            sight_simple(hexmap, blocks, a, b, SightPolicy.BOTH)
        return len(some)

    fast, c, python = race(settings, ours, in_c, in_python)
    work = "sight, 40 x 40 flat map"
    return [
        Row("sight", work, "hand-written C", "checks/s", "0.7 x", fast, c, wanted=0.7),
        Row("sight", work, "plain Python", "checks/s", "60 x", fast, python, wanted=60.0),
    ]


# ------------------------------------------------------------------------------------------- hills and hexsides

#: Kinds of ground: name, height, whether it screens, whether it is low, whether it is built up.
KINDS = (
    ("open", 0, False, False, False),
    ("woods", 3, True, False, False),
    ("house", 0, True, False, True),
    ("gully", 0, False, True, False),
    ("brush", 1, False, False, False),
)
HILLS_FAR = 16


def hills() -> tuple[Ground, list[int], list[int]]:
    """40 x 30 hexes with levels 0 to 3, some woods, houses and low ground, crests, hedges and roads; the kind of each
    hex and its gully."""
    rng = random.Random(1941)
    columns, rows = 40, 30
    peaks = [(rng.randrange(columns), rng.randrange(rows), rng.choice((2, 3))) for _ in range(14)]
    kinds, gullies, hexes = [], [], []
    for number in range(columns * rows):
        x, y = divmod(number, rows)
        level = max([0, *(top - (abs(x - px) + abs(y - py)) // 2 for px, py, top in peaks)])
        kind = rng.choices(range(len(KINDS)), (76, 8, 4, 4 if level == 0 else 0, 8))[0]
        gully = rng.randrange(1, 4) if kind == 3 else 0
        kinds.append(kind)
        gullies.append(gully)
        hexes.append({"terrain": KINDS[kind][0], "level": min(level, 2), "storeys": rng.choice((1, 1, 2))})
        hexes[-1] |= {"gully": gully, "source": "yes" if number % 12 == 0 else "no"}
    ground = Ground(columns, rows, hexes)
    hexmap = ground.hexmap
    for number in range(hexmap.n):
        for side in range(3):
            if hexmap.neighbours[number][side] < 0:
                continue
            chance = rng.random()
            if chance < 0.04:
                ground.edges[number, side] = {"crest": "yes"}
            elif chance < 0.08:
                ground.edges[number, side] = {"hedge": "yes"}
            elif chance < 0.2:
                ground.edges[number, side] = {"road": "yes"}
    return ground, kinds, gullies


def _terrain(columns: str) -> str:
    lines = ["kind Terrain", f"  name | {columns}"]
    for name, height, screens, low, built in KINDS:
        values = {
            "height": str(height),
            "screens": "yes" if screens else "no",
            "low": "yes" if low else "no",
            "under": "open" if built else "-",
            "crops": "no",
        }
        lines.append(f"  {name} | " + " | ".join(values[column] for column in columns.split(" | ")))
    return "\n".join(lines)


HILLS_DATA = """
space Board: hexes
  terrain: Terrain
  level: -1..9 = 0
  storeys: 1..9 = 1
  gully: 0..9 = 0
  source: flag = no
  state thick, thin: 0..9
  edge crest, hedge, road, path: flag
"""


def _hexsides(ground: Ground) -> list[int]:
    """Bits of what each of the six hexsides of each hex has: 1 crest, 2 hedge, 4 road."""
    hexmap = ground.hexmap
    bits = [0] * (6 * hexmap.n)
    for (number, side), values in ground.edges.items():
        value = sum(bit for key, bit in (("crest", 1), ("hedge", 2), ("road", 4)) if key in values)
        bits[6 * number + side] = value
        bits[6 * hexmap.neighbours[number][side] + (side + 3) % 6] = value
    return bits


def _asked(rounds: int, pairs: int, ask: Callable[[], object]) -> Callable[[], float]:
    def work() -> float:
        for _ in range(rounds):
            ask()
        return rounds * pairs

    return work


def with_hills(settings: Settings) -> list[Row]:
    ground, kinds, gullies = hills()
    levels = [int(values["level"]) for values in ground.hexes]
    storeys = [int(values["storeys"]) for values in ground.hexes]
    library = reference("sight_hills")
    flags = [screens + 2 * low + 4 * built for _, _, screens, low, built in KINDS]
    given = [cells(part) for part in (kinds, levels, storeys, gullies, _hexsides(ground))]
    given += [cells([height for _, height, *_ in KINDS]), cells(flags)]
    rows = []
    for work, series, parts, columns, asked in (
        (
            "MBT",
            "armour",
            section("armour", "sight.grog", "sight los", "# ----"),
            "height | screens | low | under",
            "los(a, b)",
        ),
        (
            "Storms of Steel",
            "conflict_of_heroes",
            "\n".join(_options("conflict_of_heroes", "data.grog", ("blind_slopes", "low_crops")))
            + "\n"
            + section("conflict_of_heroes", "ground.grog", "rule top", "rule eye")
            + "\n"
            + section("conflict_of_heroes", "ground.grog", "sight los", "rule in_melee"),
            "height | crops",
            "los(a, b, a.level, b.level)",
        ),
    ):
        engine = made_title(f"hills_{series}", _terrain(columns) + HILLS_DATA, parts, asked, ground)
        position = engine.new_game()
        ask = library.seen_mbt if series == "armour" else library.seen_storms
        pairs = len(pairs_within(ground, 12, HILLS_FAR))
        seen = ask(*given, ground.columns, ground.rows, 12, HILLS_FAR)
        found = engine.call("seen", [HILLS_FAR], position)
        assert found == seen, f"{work}: we see {found}, the reference {seen}"
        one = library.one_mbt if series == "armour" else library.one_storms
        for a, b in random.Random(1).sample(pairs_within(ground, 12, HILLS_FAR), 2_000):
            more = [] if series == "armour" else [levels[a], levels[b]]
            ours_sees = engine.call("los", [a, b, *more], position)
            assert ours_sees == bool(one(*given, ground.columns, ground.rows, a, b)), f"{work}: {a} to {b}"
        rounds = settings.many(10)
        work_of = partial(_asked, rounds, pairs)
        ours = work_of(partial(engine.call, "seen", [HILLS_FAR], position))
        in_c = work_of(partial(ask, *given, ground.columns, ground.rows, 12, HILLS_FAR))
        fast, c = race(settings, ours, in_c)
        text = f"sight with elevation and hexsides, {work} rules, 40 x 30"
        rows.append(
            Row("sight", text, "hand-written C", "checks/s", "0.6 x, over 1 M/s", fast, c, wanted=0.6)
        )
    return rows


ROWS = [flat, with_hills]
