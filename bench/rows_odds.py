"""Exact odds of large battles, and how they grow with the armies.

The rules are run once to find the grid (odds/attrition.py); what is measured is the odds of a battle whose grid is known:
all sums anew, each time.  How long the first time took is told as well.
"""

from __future__ import annotations

import time

import grognard
from grognard.odds import prepare
from grognard.odds.query import Weighing
from measure import Row, Settings, Speed, race

TITLE = "europe_1940"
NOBODY = {
    f"{who}{kind}": 0
    for who, kinds in (
        ("", ("infantry", "artillery", "tanks", "fighters", "bombers")),
        ("against_", ("infantry", "artillery", "tanks", "fighters", "bombers", "guns")),
    )
    for kind in kinds
}
#: name, armies, seconds that are wanted, what the best public solver takes
BATTLES = (
    ("10 inf 5 arm v 10 inf 3 arm", {"infantry": 10, "tanks": 5, "against_infantry": 10, "against_tanks": 3}, 0.0003, "0.5 ms"),
    (
        "20 inf 10 art 10 arm 6 fig 3 bom v 25 inf 5 art 5 arm 5 fig 3 aa",
        {
            "infantry": 20, "artillery": 10, "tanks": 10, "fighters": 6, "bombers": 3, "against_infantry": 25,
            "against_artillery": 5, "against_tanks": 5, "against_fighters": 5, "against_guns": 3,
        },
        0.030,
        "65 ms",
    ),
    (
        "100 inf 40 art 10 fig v 100 inf 40 art 6 fig 3 aa",
        {
            "infantry": 100, "artillery": 40, "fighters": 10, "against_infantry": 100, "against_artillery": 40,
            "against_fighters": 6, "against_guns": 3,
        },
        1.0,
        "3.6 s",
    ),
)  # fmt: skip
#: Infantry of each side in the plot of growth.
SIZES = (5, 10, 20, 40, 80)


def weighed(army: dict[str, int]) -> tuple[Weighing, float]:
    """A battle whose grid is known, and how long that took."""
    engine = grognard.load(TITLE, backend="compiled")
    weighing = prepare(engine, "land_battle", {**NOBODY, **army}, policy="usual")
    start = time.process_time()
    odds = weighing.odds()
    assert odds.method == "attrition" and abs(odds.total - 1) < 1e-12
    return weighing, time.process_time() - start


def exact_odds(settings: Settings) -> list[Row]:
    rows = []
    for name, army, wanted, solver in BATTLES:
        weighing, first = weighed(army)
        times = settings.many(max(1, int(0.2 / wanted)))

        def work(weighing: Weighing = weighing, times: int = times) -> float:
            for _ in range(times):
                weighing.odds()
            return times

        (speed,) = race(settings, work)
        rate = 1 / wanted
        limit = Speed(rate, rate, rate)
        told = f"{wanted * 1000:g} ms (best public solver: {solver}; first time here: {first:.1f} s)"
        rows.append(Row("odds", f"exact odds, {name}", told, "odds/s", "1 x", speed, limit, wanted=1.0))
    return rows


def growth(settings: Settings) -> list[tuple[int, float, float]]:
    """(infantry of each side, seconds of the first odds, seconds of further ones), for the plot."""
    found = []
    for size in SIZES:
        weighing, first = weighed({"infantry": size, "against_infantry": size})
        (speed,) = race(settings, lambda weighing=weighing: float(bool(weighing.odds())))
        found.append((size, first, 1 / speed.median))
    return found


def odds_and_armies(settings: Settings) -> list[Row]:
    """The plot's figures as rows."""
    return [
        Row("growth", f"exact odds, {size} inf v {size} inf", "nothing", "odds/s", "told", Speed(1 / again, 1 / again, 1 / again))
        for size, _first, again in growth(settings)
    ]  # fmt: skip


ROWS = [exact_odds, odds_and_armies]
