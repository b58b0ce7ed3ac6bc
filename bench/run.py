"""Measure in one run and print a table of ratios: medians of several repetitions in turns, with their spread.

Nothing here asserts a time.  Figures of different runs are not comparable on a busy machine; the ratios are.
OpenSpiel, for the rows that compare with it, and matplotlib, for the plots, come with `pip install 'grognard[bench]'`.
"""

from __future__ import annotations

import argparse
import sys
import time

import rows_combat
import rows_odds
import rows_playouts
import rows_sight
from measure import Row, Settings, as_markdown, as_text, table

#: One module for each group of rows; each has a list of functions that give rows.
GROUPS = (rows_sight, rows_combat, rows_odds, rows_playouts)


def main(argv: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeat", type=int, default=5, help="repetitions of each measurement")
    parser.add_argument("--size", type=float, default=1.0, help="factor on the size of each measurement")
    parser.add_argument("--only", default="", help="only row functions whose name contains this")
    parser.add_argument("--write", action="store_true", help="write docs/performance.md and its plots")
    options = parser.parse_args(argv)
    settings = Settings(options.repeat, options.size)
    rows: list[Row] = []
    for module in GROUPS:
        for work in module.ROWS:
            if options.only in work.__name__:
                start = time.time()
                rows += work(settings)
                print(f"{work.__name__}: {time.time() - start:.0f} s", file=sys.stderr)
    lines = table(rows)
    print(as_text(lines))
    if options.write:
        from report import write

        write(as_markdown(lines), settings)
    return 0


if __name__ == "__main__":
    sys.exit(main())
