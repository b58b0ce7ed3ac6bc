"""What persons settle with each other in the page, seen in two browsers."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from browsing import MAKE, NOW, page_of

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
