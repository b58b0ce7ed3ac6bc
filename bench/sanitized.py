"""Random games of the shipped titles (or of those named) on engines with address and undefined-behaviour sanitizers.

Each title runs in a process of its own with the sanitizers' libraries preloaded; the first finding ends it with a report
and status 1.
"""

from __future__ import annotations

import argparse
import subprocess
import sys

from grognard.compiler.build.build import sanitizer_environment
from grognard.compiler.layers.title_paths import shipped_titles

PLAY = """
import sys, grognard
title, games, answers = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
engine = grognard.load(title, backend="compiled")
for scenario in engine.scenarios:
    engine.playouts(games, seed=1, max_answers=answers, position=engine.new_game(scenario, seed=1))
    position = engine.new_game(scenario, seed=2)
    for _ in range(40):
        if position.over:
            break
        for seat in engine.seats:
            position.view(seat)
        position = position.play(position.legal()[-1])
print(title, "is clean:", len(engine.scenarios), "scenarios")
"""


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("titles", nargs="*", metavar="TITLE", help="default: all shipped titles")
    titles = parser.parse_args().titles
    environment = sanitizer_environment()
    if environment is None:
        print("the C compiler has no sanitizers here", file=sys.stderr)
        return 2
    status = 0
    for title in titles or sorted(shipped_titles()):
        command = [sys.executable, "-P", "-c", PLAY, title, "3", "400"]
        status |= subprocess.run(command, env=environment, check=False).returncode != 0
    return int(status)


if __name__ == "__main__":
    sys.exit(main())
