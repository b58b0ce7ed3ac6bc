"""What the page costs in a real browser: bytes, the first picture, from a click to the picture, frames while the map is dragged, live nodes.

    python bench/table_page.py [TITLE...] [--answers 40] [--chromium PATH]

A server of its own on loopback, Chromium without a window and without a graphics card, a random but legal user who holds all seats.
`cpu` is processor time of the page's main thread for each answer, which other programs on the machine change little.
Nothing asserts a time: the budgets stand beside what was measured.
"""

from __future__ import annotations

import argparse
import random
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

FLAGS = ["--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking"]
MAKE = """order => fetch('/api/games', {method: 'POST', headers: {'content-type': 'application/json'},
  body: JSON.stringify(order)}).then(reply => reply.json())"""
READY = """() => { const table = globalThis.grognardTable?.game(); return table?.question && table.board?.sheet.ground
  && performance.now() > table.until; }"""
#: A click on a choice, or as few by number as are asked for, until the frame that shows what came of it.
ANSWER = """([number, id]) => new Promise(done => { const start = performance.now();
  const form = document.querySelector('#question form.counting');
  if (form) {
    let left = grognardTable.game().question.numbers.fewest;
    for (const field of form.querySelectorAll('input')) {
      const some = Math.max(+field.min, Math.min(+field.max, left));
      left -= some; field.value = String(some); field.dispatchEvent(new Event('input', {bubbles: true}));
    }
    form.requestSubmit();
  } else document.querySelectorAll('#question .choices button')[number].click();
  const look = () => { const table = grognardTable.game();
    if (table.last.status === 'over' || (table.question && table.question.id !== id))
      requestAnimationFrame(() => setTimeout(() => done(performance.now() - start)));
    else setTimeout(look, 1); }; look(); })"""
#: Frames a second while the map is dragged to and fro.
DRAG = """zoom => new Promise(done => { const board = grognardTable.game().board; if (zoom) board.zoom(2.2);
  const start = performance.now(); let frames = 0;
  const frame = () => { const now = performance.now(); frames++; const back = Math.floor((now - start) / 400) % 2;
    board.drag(back ? -6 : 6, back ? -3 : 3);
    if (now - start < 2400) requestAnimationFrame(frame);
    else { board.rest(); board.fit(); done(1000 * frames / (now - start)); } }; requestAnimationFrame(frame); })"""
NODES = "() => document.querySelectorAll('svg.map *').length"
LEAST = "() => performance.getEntriesByType('resource').reduce((sum, one) => sum + one.transferSize, 0)"


@contextmanager
def served(folder: str) -> Iterator[tuple[str, float]]:
    """The address of a table, and the seconds until it answered."""
    start = time.perf_counter()
    command = [
        sys.executable,
        *("-u", "-m", "grognard.cli.main", "serve", "--no-browser", "--plain", "--port", "0"),
        *("--data", folder),
    ]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout is not None
        words = process.stdout.readline().split()
        if len(words) < 5:
            raise SystemExit("the server does not start")
        yield words[4].rstrip("/"), time.perf_counter() - start
    finally:
        process.kill()
        process.wait()


def opened(page: Any, address: str, title: str) -> dict[str, float]:
    """The first picture of a new game: of the page that nothing is known of, and when it is opened again."""
    made = page.evaluate(MAKE, {"title": title, "seed": 5, "undo": "free"})
    if "game" not in made:
        raise SystemExit(f"{title}: {made.get('message')}")
    found: dict[str, float] = {}
    for what in ("first", "again"):
        start = time.perf_counter()
        page.goto(f"{address}/g/{made['game']}")
        page.wait_for_function(READY, timeout=180_000)
        found[what] = time.perf_counter() - start
        found.setdefault("bytes", page.evaluate(LEAST))
    return found


def measure(page: Any, address: str, title: str, answers: int) -> None:
    found = opened(page, address, title)
    devtools = page.context.new_cdp_session(page)
    devtools.send("Performance.enable", {"timeDomain": "threadTicks"})

    def busy() -> float:
        metrics = devtools.send("Performance.getMetrics")["metrics"]
        return float(next(one["value"] for one in metrics if one["name"] == "TaskDuration"))

    dice = random.Random(2)
    took: list[float] = []
    nodes = 0
    before = busy()
    for _ in range(answers):
        page.wait_for_function(
            "() => { const table = grognardTable.game(); return table.last.status === 'over' ||"
            " (table.question && !table.sending && performance.now() > table.until); }"
        )
        asked = page.evaluate(
            "() => grognardTable.game().last.status !== 'over' && grognardTable.game().question.id"
        )
        if not asked:
            break
        count = page.locator("#question .choices button").count()
        took.append(page.evaluate(ANSWER, [dice.randrange(max(1, count)), asked]))
        nodes = max(nodes, page.evaluate(NODES))
    spent = 1000 * (busy() - before) / max(1, len(took))
    frames = [page.evaluate(DRAG, zoom) for zoom in (False, True)]
    took.sort()
    print(
        f"{title:16}{found['first']:8.2f}{found['again']:8.2f}{found['bytes'] / 1000:8.0f}"
        f"{statistics.median(took):9.1f}{took[len(took) * 95 // 100]:8.1f}{spent:7.1f}"
        f"{frames[0]:9.0f}{frames[1]:8.0f}{nodes:8}",
        flush=True,
    )


def main() -> int:
    parser = argparse.ArgumentParser(description="what the page of the table costs in a browser")
    parser.add_argument("titles", nargs="*", metavar="TITLE")
    parser.add_argument("--answers", type=int, default=40)
    parser.add_argument("--chromium", default=shutil.which("chromium") or shutil.which("chromium-browser"))
    args = parser.parse_args()
    if args.chromium is None:
        parser.error("Chromium is not installed: apt-get install chromium")
    from playwright.sync_api import sync_playwright

    with (
        tempfile.TemporaryDirectory() as folder,
        served(folder) as (address, until),
        sync_playwright() as playwright,
    ):
        browser = playwright.chromium.launch(executable_path=args.chromium, args=FLAGS)
        start = time.perf_counter()
        first = browser.new_page(viewport={"width": 1400, "height": 900})
        first.goto(address)
        first.wait_for_selector("summary", timeout=60_000)
        print(
            f"server {until:.2f} s, lobby {time.perf_counter() - start:.2f} s, {first.evaluate(LEAST) / 1000:.0f} KB"
        )
        known = first.evaluate("() => fetch('/api/titles').then(reply => reply.json())")["titles"]
        first.close()
        print("                   first picture, s    KB   click to picture, ms       frames/s     live")
        print(
            f"{'':16}{'new':>8}{'again':>8}{'':8}{'median':>9}{'95 %':>8}{'cpu':>7}{'whole':>9}{'zoomed':>8}{'nodes':>8}"
        )
        for title in args.titles or [one["id"] for one in known]:
            # Nothing is kept from one title to the next.
            context = browser.new_context(viewport={"width": 1400, "height": 900})
            page = context.new_page()
            page.goto(address)
            measure(page, address, title, args.answers)
            context.close()
        print(f"{'budgets':16}{'1':>8}{'1':>8}{'300':>8}{'50':>9}{'':8}{'':7}{'':9}{'':8}{'1500':>8}")
        browser.close()
    return 0


if __name__ == "__main__":
    sys.exit(main())
