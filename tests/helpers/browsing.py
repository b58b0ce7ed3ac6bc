"""A page of the table in a real browser, and a random but legal user of it."""

from __future__ import annotations

import random
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

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
    buttons = page.locator("#question .choices button")
    count = buttons.count()
    assert count, "a question without a button"
    buttons.nth(dice.randrange(count)).evaluate("button => button.click()")
    page.wait_for_function(MOVED, arg=now["id"], timeout=60_000)
    return True
