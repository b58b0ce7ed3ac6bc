"""Games in browsers: hidden units between two of them, a server that is killed, keys alone, what is not lit, the finished game as a page."""

from __future__ import annotations

import os
import random
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from pathlib import Path
from typing import Any

import pytest
from browsing import MAKE, MOVED, NOW, answer, begin, page_of


def test_two_browsers_with_hidden_units(browser: Any, address: str) -> None:
    """One side deploys in hiding; nothing that reaches the other browser names those units until they are found."""
    with page_of(browser, address) as (one, troubles), page_of(browser, address) as (two, others):
        order = {"title": "storms_of_steel", "scenario": "ambush", "seed": 4}
        seats = {"german": "me", "german_2": "me", "soviet": "open", "soviet_2": "open"}
        made = one.evaluate(MAKE, {**order, "seats": seats})
        one.goto(f"{address}/g/{made['game']}")
        for link in made["invitations"].values():
            two.goto(address + link)
            two.wait_for_function(
                "() => globalThis.grognardTable?.game()?.view && grognardTable.game().last.status"
            )
        for page in (one, two):
            page.wait_for_function("() => globalThis.grognardTable?.game()?.last?.status")
        seen = answers = idle = 0
        while answers < 40 and idle < 300:
            idle += 1
            page.wait_for_timeout(50)
            for page in (one, two):
                now = page.evaluate(NOW)
                if now["id"] is not None and now["status"] != "over":
                    answers += 1
                    idle = 0
                    page.wait_for_function(
                        "() => performance.now() > grognardTable.game().until && !grognardTable.game().sending"
                    )
                    page.locator("#question .choices button").first.evaluate("button => button.click()")
                    page.wait_for_function(
                        "id => (grognardTable.game().question?.id ?? null) !== id",
                        arg=now["id"],
                        timeout=60_000,
                    )
            first, second = (
                page.evaluate("() => grognardTable.game().view.cells.Unit") for page in (one, two)
            )
            for there, here, page in ((first, second, two), (second, first, one)):
                hidden = [name for name, unit in there.items() if name not in here and unit.get("at")]
                seen += len(hidden)
                drawn = page.locator("#board [data-piece]").evaluate_all(
                    "nodes => nodes.map(node => node.dataset.piece)"
                )
                assert not set(hidden) & set(drawn)
        assert seen, "nothing was hidden in this game"
        assert not troubles and not others


def test_the_server_is_killed_and_comes_back(ready: None, browser: Any, tmp_path: Path) -> None:
    """What was answered is there; the page finds its stream again by itself and the game goes on."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [sys.executable, "-m", "grognard.cli.main", "serve", "connect_four", "--backend", "interpreter"]
    command += ["--no-browser", "--port", str(port), "--data", str(tmp_path), "--plain"]
    address = f"http://127.0.0.1:{port}"

    def start() -> subprocess.Popen[str]:
        made = subprocess.Popen(command, stdout=subprocess.DEVNULL, text=True, env=dict(os.environ))
        for _ in range(1200):
            try:
                urllib.request.urlopen(f"{address}/api/games", timeout=5).close()
                return made
            except OSError:
                time.sleep(0.05)
        raise AssertionError("the server does not answer")

    server = start()
    try:
        with page_of(browser, address) as (page, _):
            begin(page, address, "connect_four")
            assert answer(page, random.Random(1))
            before = page.evaluate(NOW)
            server.send_signal(signal.SIGKILL)
            server.wait()
            page.wait_for_selector("#connection[data-state=offline]", timeout=30_000)
            server = start()
            page.wait_for_selector("#connection[data-state=live]", timeout=60_000)
            now = page.evaluate(NOW)
            assert (now["n"], now["hash"]) == (before["n"], before["hash"])
            assert answer(page, random.Random(2))
            assert page.locator("circle.stone").count() == 2
    finally:
        server.kill()
        server.wait()


def by_keys(page: Any, dice: random.Random) -> None:
    """One answer of somebody who has only keys and hears what is said: to the question, along its choices, Enter."""
    page.keyboard.press("q")
    page.wait_for_timeout(60)
    said = page.locator("#announce").inner_text()
    heading = page.locator("#question h2").inner_text()
    assert heading.split(" ", 1)[1].lower() in said.lower(), "the question is said"
    choices = page.evaluate("() => grognardTable.game().question.choices.length")
    for _ in range(1 + dice.randrange(min(choices, 6))):
        page.keyboard.press("Tab")
    where = page.evaluate(
        "() => document.activeElement.matches('.choices button') ? 'choice' : document.activeElement.tagName"
    )
    if where == "INPUT":
        # Many choices: some letters of one, then to what is left.
        wanted = page.evaluate("() => grognardTable.game().question.choices.at(-1).label")
        page.keyboard.type(wanted)
        page.keyboard.press("Tab")
    elif where != "choice":
        return page.keyboard.press("1")
    page.keyboard.press("Enter")


def test_a_whole_game_by_keys_and_words_alone(browser: Any, address: str) -> None:
    """A hex wargame to its end without mouse or map: the question by keys, places by arrows, what is near in words."""
    dice = random.Random(6)
    with page_of(browser, address) as (page, troubles):
        begin(page, address, "mbt", "crossroads")
        for number in range(1500):
            now = page.evaluate(NOW)
            if now["status"] == "over":
                break
            by_keys(page, dice)
            page.wait_for_function(MOVED, arg=now["id"], timeout=60_000)
            if number == 20:
                look_around(page)
                page.keyboard.press("Escape")
        assert page.evaluate(NOW)["status"] == "over"
        assert "game is" in page.locator("#question h2").inner_text()
        assert not troubles


def look_around(page: Any) -> None:
    """The map by arrows and in words, what is near, what a counter sees: all of it is said or text."""
    page.keyboard.press("m")
    page.evaluate("() => { grognardTable.game().board.cursor = '1B4'; }")
    page.keyboard.press("ArrowDown")
    page.wait_for_timeout(100)
    said = page.locator("#announce").inner_text()
    assert said.startswith("1B5")
    page.keyboard.press("n")
    page.wait_for_timeout(100)
    near = page.locator("#announce").inner_text()
    assert " at " in near and near[0].isdigit()
    page.get_by_role("tab", name="Map in words").click()
    page.get_by_label("place", exact=True).fill("1B5")
    page.keyboard.press("Enter")
    told = page.locator("#panel .place").inner_text()
    assert "north: 1B4" in told and "Near it" in told
    # Distances are those of the rules: the first thing near is the nearest.
    away = [int(line.split()[0]) for line in page.locator("#panel .near li").all_inner_texts()]
    assert away == sorted(away) and away[0] >= 2


@pytest.mark.parametrize(("title", "scenario"), [("mbt", "crossroads"), ("storms_of_steel", "farm_track")])
def test_what_is_not_lit_says_why_and_rules_are_painted(
    browser: Any, address: str, title: str, scenario: str
) -> None:
    with page_of(browser, address) as (page, troubles):
        begin(page, address, title, scenario)
        dice = random.Random(1)
        for _ in range(60):
            asked = page.evaluate(
                "() => grognardTable.game().question.choices.some(c => c.place && !c.piece) "
                "&& grognardTable.game().board.litPlaces.size < 12"
            )
            if asked or not answer(page, dice):
                break
        at = page.evaluate("""() => { const board = grognardTable.game().board;
          for (const place of board.view.places.keys())
            if (!board.litPlaces.has(place) && !board.stacks.has(place)) { const at = board.screen(place);
              if (at.x > 30 && at.y > 80 && at.x < board.pane.clientWidth - 30) return at; } }""")
        box = page.locator("#board").bounding_box()
        page.mouse.click(box["x"] + at["x"], box["y"] + at["y"])
        page.wait_for_selector("#inspect .why-not li", timeout=60_000)
        assert page.locator("#inspect .why-not").inner_text().startswith("Why not")
        page.select_option("#overlay", "0")
        page.evaluate("""() => { const table = grognardTable.game();
          table.inspect([...table.board.stacks.values()].flat().find(one => one.place)); }""")
        page.wait_for_selector(".shade.yes", state="attached", timeout=60_000)
        assert not troubles


def test_directions_are_clicked_and_targets_weighed(browser: Any, address: str) -> None:
    """Counters that an action would ask for are ringed; a facing is given by the neighbour that is clicked; a target that is
    pointed at says what firing at it promises."""
    dice = random.Random(2)
    turned = weighed = ringed = False
    with page_of(browser, address) as (page, troubles):
        begin(page, address, "storms_of_steel", "farm_track")
        for _ in range(200):
            now = page.evaluate(NOW)
            if now["status"] == "over":
                break
            kind = page.evaluate("() => grognardTable.game().question.kind")
            toward = page.evaluate(
                "() => grognardTable.game().question.choices.filter(one => one.toward)"
                ".map(one => [one.name, one.toward])"
            )
            if kind == "action" and not ringed:
                page.wait_for_timeout(300)
                ringed = page.locator(".hint-ring").count() > 0
            if kind == "action" and not weighed:
                weighed = page.evaluate("""async () => { const table = grognardTable.game();
                  for (const counter of [...table.board.stacks.values()].flat())
                    if (table.carries(counter) && await table.pointing.take(counter)) {
                      if (table.pointing.pick.ends.some(end => table.pointing.against(end))) return true;
                      table.pointing.drop(true);
                    }
                  return false; }""")
                if weighed:
                    page.wait_for_selector(".prices text:has-text('%')", state="attached", timeout=120_000)
                    page.keyboard.press("Escape")
            if toward and not turned:
                name, place = toward[0]
                at = page.evaluate("place => grognardTable.game().board.screen(place)", place)
                box = page.locator("#board").bounding_box()
                page.mouse.click(box["x"] + at["x"], box["y"] + at["y"])
                page.wait_for_function(MOVED, arg=now["id"], timeout=60_000)
                turned = any(
                    f" {name}" in line for line in page.locator(".log .line").all_inner_texts()[-12:]
                )
                assert turned
            elif not answer(page, dice):
                break
            if turned and weighed and ringed:
                break
        assert turned and weighed and ringed
        assert not troubles


def test_the_finished_game_as_one_page(browser: Any, address: str, tmp_path: Path) -> None:
    with page_of(browser, address) as (page, troubles):
        game = begin(page, address, "connect_four")
        dice = random.Random(3)
        while answer(page, dice):
            pass
        text = page.evaluate(f"() => fetch('/api/g/{game}/export.html').then(reply => reply.text())")
        file = tmp_path / "game.html"
        file.write_text(text, encoding="utf-8")
        page.goto(file.as_uri())
        assert page.locator("svg").count() == 1
        assert (
            page.locator("details").count()
            == page.evaluate("() => document.querySelectorAll('ol > li > details').length")
            > 6
        )
        page.locator("summary").first.click()
        assert "wins" in page.locator("body").inner_text() or "draw" in page.locator("body").inner_text()
        assert not troubles


@pytest.mark.parametrize(
    ("title", "scenario", "seats", "asked"),
    [
        ("mbt", "crossroads", ("us", "soviet"), "command for"),
        ("hot_war", "oil_road", ("usa", "ussr"), "order"),
    ],
)
def test_two_browsers_order_at_the_same_time(
    browser: Any, address: str, title: str, scenario: str, seats: tuple[str, str], asked: str
) -> None:
    """Secret orders: both are asked at once; who is done first waits, and the game goes on when both are."""
    with page_of(browser, address) as (one, troubles), page_of(browser, address) as (two, others):
        sitting = {seats[0]: "me", seats[1]: "open"}
        made = one.evaluate(MAKE, {"title": title, "scenario": scenario, "seed": 5, "seats": sitting})
        one.goto(f"{address}/g/{made['game']}")
        two.goto(address + made["invitations"][seats[1]])
        for page in (one, two):
            page.wait_for_function(MOVED, arg="", timeout=60_000)
            assert asked in page.locator("#question h2").inner_text()
        dice = random.Random(4)
        before = one.evaluate(NOW)
        orders = 0
        while two.locator("#question .choices button").count() and orders < 200:
            now = two.evaluate(NOW)
            answered(two, dice)
            two.wait_for_function("id => (grognardTable.game().question?.id ?? null) !== id", arg=now["id"])
            orders += 1
        assert orders and f"Waiting for {seats[0].upper()}" in two.locator("#question h2").inner_text()
        lines = two.evaluate("() => grognardTable.game().log.length")
        assert one.evaluate(NOW) == before, "nothing is told of another's orders"
        while one.evaluate("() => grognardTable.game().question?.secret") and orders < 400:
            now = one.evaluate(NOW)
            answered(one, dice)
            one.wait_for_function("id => (grognardTable.game().question?.id ?? null) !== id", arg=now["id"])
            orders += 1
            # Where the turn has gone on to the next orders, that is enough.
            if two.evaluate("lines => grognardTable.game().log.length > lines", lines):
                break
        two.wait_for_function("lines => grognardTable.game().log.length > lines", arg=lines)
        assert not troubles and not others


def answered(page: Any, dice: random.Random) -> None:
    page.wait_for_function(
        "() => performance.now() > grognardTable.game().until && !grognardTable.game().sending"
    )
    buttons = page.locator("#question .choices button")
    buttons.nth(dice.randrange(buttons.count())).evaluate("button => button.click()")
