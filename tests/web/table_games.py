"""Whole games of every title by clicks of a random but legal user in a real browser.

./dev table-games [TITLE...] [--answers N] [--seed N]      until the game is over, or N answers
"""

from __future__ import annotations

import argparse
import random
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "helpers"))
sys.path.insert(0, str(Path(__file__).parent))

from browsing import NOW, answer, begin, page_of, served

TITLES = {
    "connect_four": None,
    "breakthrough": None,
    "mbt": "crossroads",
    "hot_war": "oil_road",
    "storms_of_steel": "farm_track",
    "strait": "landing",
    "tarn_sound": "lumia",
    "europe_1940": "europe_1940",
}


def main() -> int:
    parser = argparse.ArgumentParser(prog="./dev table-games")
    parser.add_argument("titles", nargs="*", metavar="TITLE", choices=[*TITLES, []])
    parser.add_argument("--answers", type=int, default=3000)
    parser.add_argument("--seed", type=int, default=int(time.time()))
    wanted = parser.parse_args()
    from conftest import CHROMIUM, FLAGS, absent
    from playwright.sync_api import sync_playwright

    missing = absent()
    if missing:
        print(f"table-games: {missing}", file=sys.stderr)
        return 2
    faults = 0
    with (
        tempfile.TemporaryDirectory() as folder,
        served(Path(folder)) as address,
        sync_playwright() as playwright,
    ):
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        for title in wanted.titles or TITLES:
            dice = random.Random(wanted.seed)
            begun, answers = time.monotonic(), 0
            with page_of(browser, address) as (page, troubles):
                begin(page, address, title, TITLES[title])
                while answers < wanted.answers and answer(page, dice):
                    answers += 1
                now = page.evaluate(NOW)
            took = (time.monotonic() - begun) / max(1, answers)
            print(
                f"{title}: {answers} answers, {now['status']}, {1000 * took:.0f} ms each, {now['nodes']} nodes",
                flush=True,
            )
            for trouble in troubles:
                print(f"  {trouble}")
            faults += bool(troubles)
        browser.close()
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
