"""Processor seconds of large titles at N, 2N and 4N, so that growth which is worse than linear shows.

    python bench/large_titles.py --only exceptions --size 400 --profile 25

Titles are made in a temporary folder: N exceptions to one rule that exclude each other, or that are ordered one after
another, or to a procedure that asks (`do base` in each); N pieces in a scenario; a map of N hexes.  `check` is all that `grognard check` does, without its cache;
`scenario` is reading the scenario once more, with its map and its first position.
"""

from __future__ import annotations

import argparse
import cProfile
import pstats
import time
from collections.abc import Callable
from math import isqrt
from pathlib import Path
from tempfile import TemporaryDirectory

from grognard.compiler.driver.pipeline import compile_title
from grognard.support.diagnostics import Sink

#: There can be no more pieces of one type; further ones are of further types.
OF_ONE_TYPE = 10_000

RULES = """\
title large "Large"

sides red, blue

kind UnitType
  name   | fp
  rifles | 2
  guns   | 5

space Board: hexes from "maps/board.yaml"
  rough: flag

{types}
game
  turn: 0..9

rule value(u: Unit, n: 0..{most}) -> 0..{most} = u.type.fp

procedure rest(u: Unit)
  choose wait: flag by u.side "wait"
  if wait: turn += 1

{exceptions}
action march "march"
  choose u: Unit where u.side is me and value(u, turn) > 0 "unit"
  choose h: Hex where not h.rough and distance(u.at, h) <= 1 "to"
  u.at := h
  do rest(u)
  turn += 1
  end game if turn > 8

sequence
  alternate p from red until all pass
    offer p: march

victory
  = none
"""


def write_large_title(
    folder: Path,
    *,
    excluding: int = 0,
    ordered: int = 0,
    asking: int = 0,
    pieces: int = 2,
    columns: int = 8,
    rows: int = 8,
) -> Path:
    """A title of so many exceptions to one rule, pieces of its scenario and hexes of its map."""
    texts = [f"exception to value when n is {n}\n  = {n}\n" for n in range(excluding)]
    for n in range(ordered):
        after = f" after e{n - 1}" if n else ""
        texts.append(f"exception e{n} to value when n > {n}{after}\n  = base\n")
    for n in range(asking):
        after = f" after r{n - 1}" if n else ""
        texts.append(f"exception r{n} to rest when turn is {n % 9}{after}\n  do base\n")
    names = ["Unit", *(f"Unit{n}" for n in range(1, (pieces - 1) // OF_ONE_TYPE + 1))]
    types = "".join(
        f"piece {name} of UnitType up to {min(pieces, OF_ONE_TYPE)}\n  at: Hex\n" for name in names
    )
    (folder / "maps").mkdir(parents=True)
    (folder / "scenarios").mkdir()
    (folder / "title.yaml").write_text("name: Large\nid: large\nscenario: only\n")
    most = max(9, excluding, ordered)
    (folder / "game.grog").write_text(RULES.format(types=types, most=most, exceptions="".join(texts)))
    drawn = "".join(
        '  - "' + "".join("r" if (2 * x + 3 * y) % 7 < 2 else "." for x in range(columns)) + '"\n'
        for y in range(rows)
    )
    (folder / "maps" / "board.yaml").write_text(
        f'grid: {{columns: {columns}, rows: {rows}, numbering: "{{col:03}}.{{row:03}}"}}\n'
        f'legend: {{"r": {{rough: yes}}, ".": {{rough: no}}}}\nrows:\n{drawn}'
    )
    placed = "".join(
        f"  - {{{names[n // OF_ONE_TYPE]}: {('rifles', 'guns')[n % 2]}, as: U{n}, side: {('red', 'blue')[n % 2]}, "
        f'at: "{n % columns + 1:03}.{n // columns % rows + 1:03}"}}\n'
        for n in range(pieces)
    )
    (folder / "scenarios" / "only.yaml").write_text(f"name: Only\npieces:\n{placed}")
    return folder


def square(folder: Path, hexes: int) -> Path:
    side = isqrt(hexes)
    return write_large_title(folder, columns=side, rows=side)


#: What grows, with the size N at which it starts.
CASES: dict[str, tuple[int, Callable[[Path, int], Path]]] = {
    "exceptions": (100, lambda folder, n: write_large_title(folder, excluding=n)),
    "ordered": (100, lambda folder, n: write_large_title(folder, ordered=n)),
    "asking": (50, lambda folder, n: write_large_title(folder, asking=n)),
    "pieces": (25_000, lambda folder, n: write_large_title(folder, pieces=n)),
    "map": (22_500, square),
}


def measure(title: Path, profile: int) -> tuple[float, float]:
    """Processor seconds of checking a title and of reading its scenario again; `profile`: lines of a profile of both."""
    profiler = cProfile.Profile() if profile else None
    if profiler is not None:
        profiler.enable()
    sink = Sink()
    begun = time.process_time()
    ruleset = compile_title(str(title), sink, to_run=False)
    assert ruleset is not None and not sink.has_errors, [found.message for found in sink][:3]
    ruleset.scenario("only", sink)
    checked = time.process_time()
    scenario = ruleset.load_ground(ruleset.program, "only", sink)
    loaded = time.process_time()
    assert scenario is not None and not sink.has_errors, [found.message for found in sink][:3]
    if profiler is not None:
        profiler.disable()
        pstats.Stats(profiler).sort_stats("tottime").print_stats(profile)
        pstats.Stats(profiler).sort_stats("cumulative").print_stats(2 * profile)
    return checked - begun, loaded - checked


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", choices=list(CASES), help="only this one")
    parser.add_argument(
        "--size", type=int, help="N (default: 100 or 50 exceptions, 25,000 pieces, 22,500 hexes)"
    )
    parser.add_argument("--steps", type=int, default=3, help="N, 2N, 4N: so many of them")
    parser.add_argument("--profile", type=int, default=0, metavar="LINES", help="print profiles, too")
    args = parser.parse_args()
    print(f"{'what':<12}{'N':>9}{'check s':>10}{'scenario s':>12}")
    for name, (size, write) in CASES.items():
        if args.only in (None, name):
            for step in range(args.steps):
                n = (args.size or size) << step
                with TemporaryDirectory() as folder:
                    check, load = measure(write(Path(folder) / "large", n), args.profile)
                print(f"{name:<12}{n:>9}{check:>10.2f}{load:>12.2f}", flush=True)


if __name__ == "__main__":
    main()
