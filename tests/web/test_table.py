"""The page in a real browser: a random but legal user plays by clicks; nothing goes wrong on the console."""

from __future__ import annotations

import os
import random
from pathlib import Path
from typing import Any

import pytest
from browsing import MAKE, MOVED, NOW, answer, begin, page_of, served
from engines import engine_for
from grognard.bots.advice import advise
from grognard.web import folder


def test_a_whole_game_by_clicks_on_the_board(browser: Any, address: str) -> None:
    """Connect Four, hot seat: lit squares are clicked where they lie; then the replay goes back to the first point."""
    dice = random.Random(7)
    with page_of(browser, address) as (page, troubles):
        begin(page, address, "connect_four")
        plies = 0
        while page.evaluate(NOW)["status"] != "over":
            before = page.evaluate(NOW)["id"]
            lit = page.evaluate(
                "() => [...grognardTable.game().board.litPlaces].map(p => grognardTable.game().board.screen(p))"
            )
            at = dice.choice(lit)
            box = page.locator("#board").bounding_box()
            page.mouse.click(box["x"] + at["x"], box["y"] + at["y"])
            page.wait_for_function(MOVED, arg=before, timeout=60_000)
            plies += 1
        assert plies >= 7
        assert page.locator("circle.stone").count() == plies
        assert "game is" in page.locator("#question h2").inner_text()
        head = page.evaluate(NOW)["n"]
        for back in (1, 2):
            page.get_by_role("button", name="one back").click()
            page.wait_for_function(f"() => grognardTable.game().past === {head - back}")
        page.wait_for_function(f"() => document.querySelectorAll('circle.stone').length === {plies - 2}")
        assert not page.locator("#question .choices button").count(), "the past cannot be played"
        page.get_by_role("button", name="Live").click()
        page.wait_for_function(f"() => document.querySelectorAll('circle.stone').length === {plies}")
        # From a line of the log to that point, which has an address of its own; and on from there against a bot.
        page.locator(".log .line button").nth(3).click()
        page.get_by_role("button", name="Show the game then").click()
        page.wait_for_function("() => grognardTable.game().past !== null")
        then = page.locator("circle.stone").count()
        assert then <= 2 and page.evaluate("() => location.hash.slice(1)") == str(
            page.evaluate("() => grognardTable.game().past")
        )
        page.reload()
        page.wait_for_function("() => globalThis.grognardTable?.game()?.past > 0")
        page.wait_for_function(f"() => document.querySelectorAll('circle.stone').length === {then}")
        game = page.url
        page.get_by_role("button", name="Try from here").click()
        page.get_by_role("dialog").get_by_label("yellow").select_option("bot:greedy")
        page.get_by_role("button", name="Begin").click()
        page.wait_for_url(lambda url: url != game, timeout=60_000)
        page.wait_for_function("() => globalThis.grognardTable?.game()?.last?.status")
        page.wait_for_function(MOVED, arg="", timeout=60_000)
        assert page.url.partition("#")[0] != game.partition("#")[0]
        assert "Yellow: bot greedy" in page.locator("#people").inner_text()
        assert page.locator("circle.stone").count() >= then
        assert not troubles


@pytest.mark.parametrize(
    ("title", "scenario"),
    [
        ("breakthrough", None),
        ("mbt", "crossroads"),
        ("hot_war", "oil_road"),
        ("storms_of_steel", "farm_track"),
        ("strait", "landing"),
        ("tarn_sound", "lumia"),
        ("europe_1940", "europe_1940"),
    ],
)
def test_a_random_user_plays_every_title(
    browser: Any, address: str, title: str, scenario: str | None
) -> None:
    plays(browser, address, title, scenario, 30)


@pytest.mark.parametrize("title", ["sidi_rahal", "leine_valley", "dry_border"])
def test_a_random_user_plays_a_title_of_ones_own(
    ready: None, browser: Any, tmp_path: Path, title: str
) -> None:
    folder = Path(__file__).parents[2] / "titles" / title
    with served(tmp_path, str(folder), "interpreter") as address:
        plays(browser, address, title, None, 10)


def test_the_largest_map_stays_within_the_budget_of_nodes(browser: Any, address: str) -> None:
    """All counters of the longest campaign, at the first look, all of the map, and near."""
    with page_of(browser, address) as (page, troubles):
        begin(page, address, "tarn_sound", "campaign")
        for look in ("start()", "fit()", "zoom(1.5)"):
            page.evaluate(
                f"() => {{ const board = grognardTable.game().board; board.{look}; board.rest(); }}"
            )
            assert 100 < page.evaluate(NOW)["nodes"] < 1500, look
        assert not troubles


def plays(browser: Any, address: str, title: str, scenario: str | None, answers: int) -> None:
    """A random user, each panel looked at, a line of the log opened."""
    dice = random.Random(11)
    with page_of(browser, address) as (page, troubles):
        begin(page, address, title, scenario)
        for _ in range(answers):
            if not answer(page, dice):
                break
            assert page.evaluate(NOW)["nodes"] < 1500
        for tab in ("State", "Map in words", "Chat", "Log"):
            page.get_by_role("tab", name=tab).click()
            assert page.locator("#panel").inner_text().strip() or tab == "Chat"
        page.locator(".log .line > button").last.click()
        page.wait_for_selector(".reasons:not(:has-text('...'))")
        photographed(page, title)
        assert not troubles


def photographed(page: Any, title: str) -> None:
    """Pictures of the page in a large and a small window, kept in $GROGNARD_PICTURES; the map is to be seen in both."""
    for width, height in ((1400, 900), (390, 844)):
        page.set_viewport_size({"width": width, "height": height})
        page.locator("#board").scroll_into_view_if_needed()
        page.wait_for_timeout(500)
        seen = page.screenshot()
        hidden = page.add_style_tag(content="#board > * { visibility: hidden !important }")
        assert page.screenshot() != seen
        hidden.evaluate("style => style.remove()")
        if kept := os.environ.get("GROGNARD_PICTURES"):
            Path(kept, f"{title}_{width}.png").write_bytes(seen)


@pytest.mark.parametrize(
    ("title", "scenario", "answers"),
    [("strait", "landing", 4), ("storms_of_steel", "farm_track", 4), ("mbt", "crossroads", 1)],
)
def test_odds_shown_are_those_of_the_engine(
    browser: Any, address: str, title: str, scenario: str, answers: int
) -> None:
    """The same game in the page and without a table: same shares for every choice; and a bot's advice can be taken."""
    dice = random.Random(3)
    game = engine_for(title, "compiled").game(scenario, 5)
    with page_of(browser, address) as (page, troubles):
        begin(page, address, title, scenario)
        for _ in range(answers):
            choice = dice.choice(game.position.legal())
            before = page.evaluate(NOW)["id"]
            page.locator(f'#question .choices button[data-choice="{choice.name}"]').evaluate(
                "button => button.click()"
            )
            page.wait_for_function(MOVED, arg=before, timeout=60_000)
            game.play(choice.value)
        page.get_by_role("button", name="Odds").click()
        page.wait_for_selector("#told table.odds", timeout=60_000)
        rows = {
            row.get_attribute("data-choice"): row.locator("td.share").all_inner_texts()
            for row in page.locator("#told tbody tr").all()
        }
        wanted = advise(game.position)
        legal = game.position.legal()
        assert list(rows) == [choice.name for choice in legal]
        weighed = 0
        for choice in legal:
            odds = wanted[choice.value].odds
            shown = [float(text.removesuffix(" %")) for text in rows[choice.name]]
            assert shown == pytest.approx([100 * share for share in odds or ()], abs=0.0501)
            weighed += odds is not None
        assert weighed
        page.get_by_role("button", name="Advice").click()
        page.wait_for_selector("#told:has-text('The bot would take')", timeout=60_000)
        taken = page.locator("#told").inner_text().partition(": ")[2]
        assert any(taken == choice.label for choice in legal)
        assert not troubles


#: The first counter or stone that can be taken up and go somewhere: where it lies, where it can go and what is answered then.
MOVABLE = """async () => { const table = grognardTable.game(), board = table.board;
  const stones = [...board.litPlaces].map(place => board.stoneAt(board.screen(place))).filter(Boolean);
  for (const counter of [...[...board.stacks.values()].flat(), ...stones]) {
    if (!counter.place || !table.carries(counter) || !await table.pointing.take(counter)) continue;
    const ends = table.pointing.pick.ends.filter(end => end.place && !end.piece && end.place !== counter.place);
    table.pointing.drop();
    if (ends.length) return {from: board.screen(counter.place), to: board.screen(ends[0].place), place: ends[0].place};
  } return null; }"""


@pytest.mark.parametrize(
    ("title", "scenario"), [("breakthrough", None), ("storms_of_steel", "farm_track"), ("strait", "landing")]
)
def test_a_counter_is_dragged_and_keys_do_the_same(
    browser: Any, address: str, title: str, scenario: str | None
) -> None:
    """Dragging a counter answers all of its questions at once; Escape puts it back; Enter takes it up as well."""
    dice = random.Random(3)
    with page_of(browser, address) as (page, troubles):
        begin(page, address, title, scenario)
        move = page.evaluate(MOVABLE)
        for _ in range(60):
            if move is not None:
                break
            assert answer(page, dice)
            move = page.evaluate(MOVABLE)
        assert move is not None
        before = page.evaluate(NOW)
        box = page.locator("#board").bounding_box()
        page.mouse.move(box["x"] + move["from"]["x"], box["y"] + move["from"]["y"])
        page.mouse.down()
        page.mouse.move(box["x"] + move["to"]["x"], box["y"] + move["to"]["y"], steps=5)
        page.wait_for_function("() => grognardTable.game().pointing.pick")
        page.mouse.up()
        page.keyboard.press("Escape")
        page.wait_for_function("() => !document.querySelector('#chooser')")
        page.wait_for_timeout(300)
        if page.evaluate(NOW)["id"] == before["id"]:
            # There were several ways to do it: nothing was sent.  Once more, and the first of them.
            page.keyboard.press("Escape")
            page.wait_for_function("() => !grognardTable.game().pointing.pick")
            page.evaluate("place => { grognardTable.game().board.cursor = place; }", page.evaluate(
                "at => grognardTable.game().board.placeAt(at)", move["from"]))  # fmt: skip
            page.locator("svg.map").focus()
            page.keyboard.press("Enter")
            page.wait_for_function(
                "() => grognardTable.game().pointing.pick || document.querySelector('#chooser')"
            )
            if page.locator("#chooser").count():
                page.keyboard.press("Enter")
                page.wait_for_function("() => grognardTable.game().pointing.pick")
            page.evaluate("place => { grognardTable.game().board.cursor = place; }", move["place"])
            page.locator("svg.map").focus()
            page.keyboard.press("Enter")
            page.wait_for_function(
                "id => document.querySelector('#chooser') || grognardTable.game().question?.id !== id",
                arg=before["id"],
            )
            if page.locator("#chooser").count():
                page.keyboard.press("Enter")
        page.wait_for_function(MOVED, arg=before["id"], timeout=60_000)
        assert not troubles


def test_undo_keyboard_and_chat(browser: Any, address: str) -> None:
    with page_of(browser, address) as (page, troubles):
        begin(page, address, "connect_four")
        first = page.evaluate(NOW)
        page.keyboard.press("4")
        page.wait_for_function(MOVED, arg=first["id"])
        assert page.locator("circle.stone").count() == 1
        page.get_by_role("button", name="Undo").click()
        page.wait_for_function("() => document.querySelectorAll('circle.stone').length === 0")
        page.wait_for_function(MOVED, arg="")
        # By keyboard alone: to the map, along it, choose.
        page.locator("svg.map").focus()
        page.wait_for_timeout(300)
        for key in ("ArrowUp", "ArrowDown", "ArrowDown", "ArrowDown", "ArrowDown", "Enter"):
            page.keyboard.press(key)
        page.wait_for_function("() => document.querySelectorAll('circle.stone').length === 1")
        page.get_by_role("tab", name="Chat").click()
        page.get_by_label("message").fill("<img src=x onerror=alert(1)> & good luck")
        page.get_by_role("button", name="Say").click()
        page.wait_for_selector(".chat li")
        assert page.locator(".chat li").inner_text().endswith("<img src=x onerror=alert(1)> & good luck")
        assert page.locator(".chat img").count() == 0
        assert not troubles


def test_two_browsers_by_invitation(browser: Any, address: str) -> None:
    """The maker plays red; another browser takes the invitation, sees the answer arrive and replies."""
    with page_of(browser, address) as (one, troubles), page_of(browser, address) as (two, others):
        made = one.evaluate(MAKE, {"title": "connect_four", "seats": {"red": "me", "yellow": "open"}})
        one.goto(f"{address}/g/{made['game']}")
        one.wait_for_function(MOVED, arg="")
        two.goto(address + made["invitations"]["yellow"])
        two.wait_for_selector("text=Waiting for red")
        assert not two.locator("#question .choices button").count()
        one.locator("#question .choices button").first.evaluate("button => button.click()")
        two.wait_for_function(MOVED, arg="")
        assert two.locator("circle.stone").count() == 1
        two.locator("#question .choices button").first.evaluate("button => button.click()")
        one.wait_for_function("() => document.querySelectorAll('circle.stone').length === 2")
        assert not troubles and not others


def test_the_lobby_starts_a_game_against_a_bot(browser: Any, address: str) -> None:
    with page_of(browser, address) as (page, troubles):
        page.locator("summary", has_text="Connect Four").click()
        page.wait_for_selector("form[data-title=connect_four] .seats select")
        page.locator("form[data-title=connect_four] button").click()
        page.wait_for_function(MOVED, arg="", timeout=60_000)
        assert "Yellow: bot greedy" in page.locator("#people").inner_text()
        assert not troubles


def test_a_phone_shows_board_and_question(browser: Any, address: str) -> None:
    with page_of(browser, address, wide=390) as (page, troubles):
        begin(page, address, "breakthrough")
        wide = page.evaluate("() => document.documentElement.scrollWidth")
        assert wide <= 390, "nothing sticks out sideways"
        board = page.locator("#board").bounding_box()
        question = page.locator("#question").bounding_box()
        assert board["height"] > 300 and question["y"] >= board["y"] + board["height"]
        assert not troubles


def test_nothing_that_axe_finds(browser: Any, address: str) -> None:
    """The lobby and a table with all its panels, by the rules of WCAG that a program can check."""
    axe = pytest.importorskip("axe_playwright_python.sync_playwright").Axe()
    with page_of(browser, address) as (page, _):
        page.wait_for_selector("summary")
        found = {"lobby": axe.run(page).response["violations"]}
        page.get_by_role("button", name="Log in or sign up").click()
        found["account"] = axe.run(page).response["violations"]
        begin(page, address, "strait", "landing")
        page.locator("#question .choices button").first.evaluate("button => button.click()")
        for tab in ("Log", "State", "Map in words", "Chat"):
            page.get_by_role("tab", name=tab).click()
            found[tab] = axe.run(page).response["violations"]
        page.locator("#more summary").click()
        page.get_by_role("button", name="Change the position").click()
        page.get_by_label("Counter, place or game").select_option(index=2)
        found["edit"] = axe.run(page).response["violations"]
    told = {
        where: [(v["id"], v["nodes"][0]["html"]) for v in list_] for where, list_ in found.items() if list_
    }
    assert not told


def test_the_page_is_small_and_keeps_to_the_policy() -> None:
    files = [file for file in folder().iterdir() if file.suffix in (".html", ".js", ".css", ".svg")]
    assert sum(file.stat().st_size for file in files) < 300_000
    for file in files:
        text = file.read_text("utf-8")
        assert "innerHTML" not in text and "insertAdjacentHTML" not in text, (
            f"{file.name} reads text as markup"
        )
        if file.suffix == ".js":
            assert text.startswith("// @ts-check"), file.name
        if file.suffix == ".html":
            assert "<script>" not in text and " style=" not in text
