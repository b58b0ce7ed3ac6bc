"""What persons settle with each other in the page, seen in two browsers."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from browsing import MAKE, NOW, begin, page_of

STONES = "count => document.querySelectorAll('circle.stone').length === count"


@contextmanager
def two_at(
    browser: Any, address: str, title: str, seats: tuple[str, str], **more: Any
) -> Iterator[tuple[Any, Any]]:
    """One game in two browsers: who made it holds the first seat, who was invited the second."""
    with page_of(browser, address) as (one, troubles), page_of(browser, address, wide=390) as (two, others):
        order = {"title": title, "seed": 5, "undo": "fair", "seats": {seats[0]: "me", seats[1]: "open"}}
        made = one.evaluate(MAKE, {**order, **more})
        one.goto(f"{address}/g/{made['game']}")
        two.goto(address + made["invitations"][seats[1]])
        for page in (one, two):
            page.wait_for_function("() => globalThis.grognardTable?.game()?.last?.status", timeout=60_000)
            page.wait_for_selector("#connection[data-state=live]")
        yield one, two
        assert not troubles and not others


def play(page: Any, other: Any) -> None:
    """The first choice of who is asked, until both pages know of it."""
    page.wait_for_function(
        "() => { const t = grognardTable.game(); return t.question && !t.sending && performance.now() > t.until; }"
    )
    before = [one.evaluate(NOW)["n"] for one in (page, other)]
    page.locator("#question .choices button").first.evaluate("button => button.click()")
    for one, n in zip((page, other), before, strict=True):
        one.wait_for_function("n => grognardTable.game().stream.n > n", arg=n)


def test_taking_back_by_consent(browser: Any, address: str) -> None:
    """What is not taken back alone is proposed, withdrawn, declined, agreed to; then both positions are as before."""
    with two_at(browser, address, "connect_four", ("red", "yellow")) as (one, two):
        begun = one.evaluate(NOW)["hash"]
        play(one, two)
        play(two, one)
        one.get_by_role("button", name="Undo").click()
        one.get_by_role("button", name="Ask the others").click()
        one.get_by_role("button", name="Withdraw").wait_for()
        two.get_by_role("button", name="Agree").wait_for()
        assert two.evaluate("() => document.documentElement.scrollWidth") <= 390
        one.get_by_role("button", name="Withdraw").click()
        two.wait_for_function("() => !document.getElementById('deals').childElementCount")
        for word in ("Decline", "Agree"):
            one.get_by_role("button", name="Undo").click()
            one.get_by_role("button", name="Ask the others").click()
            two.get_by_role("button", name=word, exact=True).click()
            one.wait_for_function(
                "() => grognardTable.game().about.proposal === null && !document.querySelector('#deals button')"
            )
            if word == "Decline":
                assert one.locator("circle.stone").count() == 2
        for page in (one, two):
            page.wait_for_function(STONES, arg=0)
            assert page.evaluate(NOW)["hash"] == begun
        one.wait_for_function("() => grognardTable.game().question?.seat === 'red'")


def test_changes_by_hand_are_collected_and_agreed_to(browser: Any, address: str) -> None:
    """A pawn goes from one square to another by two changes; both browsers see it once both have agreed, not before."""
    pawns = "() => ['A8', 'A5'].map(name => grognardTable.game().view.cells.Square[name].pawn)"
    with two_at(browser, address, "breakthrough", ("white", "black")) as (one, two):
        one.locator("#more summary").click()
        one.get_by_role("button", name="Change the position").click()
        for square, value in (("A8", ""), ("A5", "black")):
            at = one.evaluate("name => grognardTable.game().board.screen(name)", square)
            box = one.locator("#board").bounding_box()
            one.mouse.click(box["x"] + at["x"], box["y"] + at["y"])
            one.get_by_label("value of pawn").fill(value)
            one.get_by_role("button", name="Set", exact=True).click()
        one.get_by_role("button", name="Propose").click()
        two.wait_for_function("() => document.querySelectorAll('#deals .deal-what li').length === 2")
        assert two.evaluate(pawns) == ["black", None]
        two.get_by_role("button", name="Agree").click()
        for page in (one, two):
            page.wait_for_function("() => !grognardTable.game().view.cells.Square.A8.pawn")
            assert page.evaluate(pawns) == [None, "black"]
        assert one.locator("#editing").inner_text() == ""


def test_counters_are_moved_and_removed_by_hand(browser: Any, address: str) -> None:
    """Who holds all seats agrees with nobody: pointing moves a counter, keys remove another one."""
    with page_of(browser, address) as (page, troubles):
        begin(page, address, "strait", "landing")
        page.locator("#more summary").click()
        page.get_by_role("button", name="Change the position").click()
        moved, removed, place = page.evaluate("""() => { const { board, view } = grognardTable.game();
          const lying = view.counters().filter(one => one.domain === 'Ground' && view.places.get(one.place)?.space === 'Hex');
          const alone = lying.filter(one => board.stacks.get(one.place).length === 1);
          return [alone[0], alone[1], '0906']; }""")
        for name in (moved["place"], place):
            at = page.evaluate("name => grognardTable.game().board.screen(name)", name)
            box = page.locator("#board").bounding_box()
            page.mouse.click(box["x"] + at["x"], box["y"] + at["y"])
        number = (
            "name => String(grognardTable.game().editing.targets().findIndex(one => one.member === name))"
        )
        page.get_by_label("Counter, place or game").select_option(page.evaluate(number, removed["name"]))
        page.get_by_role("button", name="Remove it").press("Enter")
        assert page.locator("#editing .changes li").count() == 2
        page.get_by_role("button", name="Propose").click()
        page.wait_for_function(
            """([moved, removed, place]) => { const cells = grognardTable.game().view.cells.Ground;
              return cells[moved.name].at === place && !cells[removed.name]; }""",
            arg=[moved, removed, place],
        )
        assert not troubles


def test_a_flag_falls_and_the_game_is_claimed(browser: Any, address: str) -> None:
    with two_at(browser, address, "connect_four", ("red", "yellow"), clock={"move": 1}) as (one, two):
        two.get_by_role("button", name="Claim the game").click()
        for page in (one, two):
            page.wait_for_function("() => grognardTable.game().last.status === 'over'")
            assert "Yellow wins (time)" in page.locator("#question h2").inner_text()
        assert not one.locator("#late").inner_text(), "one's own flag is not claimed"


def test_an_account_in_the_lobby(browser: Any, address: str) -> None:
    """Signing up takes the browser's games along; a name that looks like markup is text."""
    pytest.importorskip("argon2")
    with page_of(browser, address) as (page, troubles):
        begin(page, address, "connect_four")
        page.goto(address)
        page.get_by_role("button", name="Log in or sign up").click()
        page.locator("dialog input[name=name]").fill("<b>Ann</b>")
        page.locator("dialog input[name=password]").fill("long enough")
        page.get_by_role("button", name="Sign up", exact=True).click()
        page.get_by_role("button", name="Log out").wait_for()
        assert page.locator(".account .name").inner_text() == "<b>Ann</b>"
        assert page.locator(".games .due").count() == 1
        page.get_by_role("button", name="Log out").click()
        page.get_by_role("button", name="Log in or sign up").wait_for()
        assert page.locator(".games .due").count() == 0
        assert not troubles
