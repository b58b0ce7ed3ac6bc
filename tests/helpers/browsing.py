"""A page of the table in a real browser, and a random but legal user of it."""

from __future__ import annotations

import random
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from grognard.play.engine import BackendName

MAKE = """order => fetch('/api/games', {method: 'POST', headers: {'content-type': 'application/json'},
  body: JSON.stringify(order)}).then(reply => reply.json())"""
#: What the page knows of the point that it shows.
NOW = """() => { const table = grognardTable.game(); return {n: table.stream.n, id: table.question?.id ?? null, seat: table.seat,
  status: table.last.status, hash: table.view.checksum(), nodes: document.querySelectorAll('svg.map *').length}; }"""
#: Another question, or the end.
MOVED = """id => { const table = grognardTable?.game(); return table && table.view && table.last.status &&
  (table.last.status === 'over' || (table.question && table.question.id !== id && !table.sending
    && performance.now() > table.until)); }"""


@contextmanager
def served(folder: Path, title: str | None = None, backend: BackendName = "auto") -> Iterator[str]:
    """A table on loopback, in a thread of this process; `title`: the folder of one beside the shipped ones."""
    import uvicorn
    from grognard.server.app import make_app, make_table
    from grognard.server.library import Library
    from grognard.server.limits import Rate
    from grognard.server.store import Store, database_in

    table = make_table(Store(database_in(folder)), Library(title, backend), rate=Rate(1e9, 1e9))
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    config = uvicorn.Config(make_app(table), host="127.0.0.1", port=port, log_level="error")  # type: ignore[arg-type]
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    while not server.started:
        time.sleep(0.02)
    yield f"http://127.0.0.1:{port}"
    table.wakeups.stop()
    server.should_exit = True
    thread.join(10)


@contextmanager
def page_of(browser: Any, address: str, wide: int = 1300) -> Iterator[tuple[Any, list[str]]]:
    context = browser.new_context(viewport={"width": wide, "height": 900})
    page = context.new_page()
    troubles: list[str] = []
    page.on("console", lambda said: troubles.append(said.text) if said.type in ("error", "warning") else None)
    page.on("pageerror", lambda error: troubles.append(str(error)))
    page.goto(address)
    try:
        yield page, troubles
    finally:
        context.close()


def begin(page: Any, address: str, title: str, scenario: str | None = None) -> str:
    order = {"title": title, "scenario": scenario, "seed": 5, "undo": "free"}
    game = str(page.evaluate(MAKE, order)["game"])
    page.goto(f"{address}/g/{game}")
    page.wait_for_function(MOVED, arg="", timeout=120_000)
    return game


def answer(page: Any, dice: random.Random) -> bool:
    """One click of somebody who only knows that buttons are there to be pressed; False when the game is over."""
    now = page.evaluate(NOW)
    if now["status"] == "over":
        return False
    form = page.locator("#question form.counting")
    if form.count():
        # By number: some of the first kinds, as many as are asked for.
        left = page.evaluate("() => grognardTable.game().question.numbers.fewest")
        for field in form.locator("input").all():
            least, most = (int(field.get_attribute(name) or 0) for name in ("min", "max"))
            some = max(least, min(most, left))
            left -= some
            field.fill(str(some))
        form.get_by_role("button", name="Take these").evaluate("button => button.click()")
        page.wait_for_function(MOVED, arg=now["id"], timeout=60_000)
        return True
    buttons = page.locator("#question .choices button")
    count = buttons.count()
    assert count, "a question without a button"
    buttons.nth(dice.randrange(count)).evaluate("button => button.click()")
    page.wait_for_function(MOVED, arg=now["id"], timeout=60_000)
    return True
