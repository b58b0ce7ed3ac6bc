"""Exact odds of large battles, their cost against the size of the armies, and the same by Monte Carlo.

A battle is queried through its situation, on an engine that is loaded and has computed one tiny battle:
- first time: the caches hold no battle of this size; the rules are run to derive its grid (odds/attrition/derive.py);
- after a larger one, after a smaller one: the caches hold one battle of the same kind with other numbers of infantry
  (odds/attrition/reuse.py): this one is a part of the larger, the smaller is a part of this one;
- asked again: the same battle was queried before; the whole public call is measured, set-up included;
- again: the same battle, set up once for many queries; only the sums are computed again.
"""

from __future__ import annotations

import ctypes
import random
from collections.abc import Callable
from functools import cache

import grognard
from grognard.odds import prepare
from grognard.odds.query import Weighing
from measure import After, Row, Settings, Speed, race
from native import reference

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
#: How far a frequency may be from its probability, in standard errors.
SIGMAS = 4.5
#: Infantry of each side in the plot of growth.
SIZES = (5, 10, 20, 40, 80)


def fresh(army: dict[str, int]) -> Weighing:
    return prepare(_engine(), "land_battle", {**NOBODY, **army}, policy="usual")


@cache
def _engine() -> grognard.Engine:
    """A warm engine: what it computes once for all battles is not measured."""
    engine = grognard.load(TITLE, backend="compiled")
    army = {**NOBODY, "infantry": 1, "against_infantry": 1}
    prepare(engine, "land_battle", army, policy="usual").odds()
    return engine


#: Additional infantry on both sides of the battle that was queried before.
OTHERS = {"after a larger one": 2, "after a smaller one": -1}


def forget() -> None:
    """Drop the caches of earlier battles."""
    _engine().bench().forget()


def asked(army: dict[str, int]) -> float:
    fresh(army).odds()
    return 1.0


def first_time(army: dict[str, int], times: int = 1) -> Callable[[], float]:
    return After(forget, lambda: asked(army), times)


def after(army: dict[str, int], more: int, times: int = 1) -> Callable[[], float]:
    other = {**army, "infantry": army["infantry"] + more, "against_infantry": army["against_infantry"] + more}

    def before() -> None:
        forget()
        asked(other)

    return After(before, lambda: asked(army), times)


def asked_again(army: dict[str, int], times: int) -> Callable[[], float]:
    engine, values = _engine(), {**NOBODY, **army}

    def work() -> float:
        for _ in range(times):
            engine.weigh("land_battle", values, policy="usual")
        return float(times)

    # Other rows drop the caches: the first repetition here fills them again.
    def before() -> None:
        engine.weigh("land_battle", values, policy="usual")

    return After(before, work)


def again(army: dict[str, int], times: int) -> Callable[[], float]:
    weighing = fresh(army)
    weighing.odds()

    def work() -> float:
        for _ in range(times):
            weighing.odds()
        return float(times)

    return work


def exact_odds(settings: Settings) -> list[Row]:
    rows = []
    for name, army, wanted, solver in BATTLES:
        odds = fresh(army).odds()
        assert odds.method == "attrition" and abs(odds.total - 1) < 1e-12
        times = settings.many(max(1, int(0.1 / wanted)))
        works = {"first time": first_time(army, times)}
        works |= {how: after(army, more, times) for how, more in OTHERS.items()}
        works["asked again"] = asked_again(army, times)
        works["again"] = again(army, times)
        limit = Speed(1 / wanted, 1 / wanted, 1 / wanted)
        told = f"{wanted * 1000:g} ms (best public solver: {solver})"
        rows += [
            Row("odds", f"exact odds, {name}, {how}", told, "odds/s", "1 x", speed, limit, wanted=1.0)
            for how, speed in zip(works, race(settings, *works.values()))
        ]
    return rows


def by_dice(settings: Settings) -> list[Row]:
    """The battle by Monte Carlo as programs get it (stacks are numbers, every die is rolled), against hand-written C that does
    the same.

    The same battle with all rules run each time is a row of rows_combat.py."""
    name, army, _, _ = BATTLES[0]
    weighing = fresh(army)
    library = reference("battle_aa")
    n = settings.many(500_000)

    def cached() -> float:
        weighing.simulate(n, seed=5, workers=1)
        return n

    def in_c(seed: int) -> float:
        counts = (ctypes.c_int64 * 2)()
        library.battles(10, 5, 10, 3, n, ctypes.c_uint64(seed), counts)
        return counts[0] / n

    def theirs() -> float:
        in_c(random.randrange(1 << 30))
        return n

    exact = 1 - weighing.odds().probability(**{"attackers left": 0})
    found = weighing.simulate(n, seed=7, workers=1)
    for share in (1 - found.share(0, 0), in_c(7)):
        assert abs(share - exact) <= SIGMAS * found.error(exact), f"{share} of battles won, not {exact}"
    ours, c = race(settings, cached, theirs)
    work = f"Axis & Allies battle, {name}, Monte Carlo, stacks as numbers"
    return [Row("combat", work, "hand-written C", "battles/s", "0.6 x", ours, c, wanted=0.6)]


def growth(settings: Settings) -> dict[str, list[tuple[float, float]]]:
    """(infantry of each side, milliseconds) of first and of repeated queries, for the plot."""
    found: dict[str, list[tuple[float, float]]] = {"first time": [], "after a larger one": [], "again": []}
    for size in SIZES:
        army = {"infantry": size, "against_infantry": size}
        times = settings.many(20)
        speeds = race(settings, first_time(army, times), after(army, 2, times), again(army, times))
        for points, speed in zip(found.values(), speeds):
            points.append((float(size), 1000 / speed.median))
    return found


ROWS = [exact_odds, by_dice]
