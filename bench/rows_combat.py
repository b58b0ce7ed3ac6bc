"""One combat of a game, run many times in compiled code, against hand-written C of the same combat.

The engine runs the procedure of the shipped title from a position that is built here; the reference does the same work
with the same data, which it gets from the title's own tables.  Before the measurement the outcomes of both are compared:
frequencies of many runs must agree within statistical error.
"""

from __future__ import annotations

import ctypes
import math
import random
from collections import Counter
from typing import Any

import combats
import grognard
from combats import Combat
from measure import Row, Settings, race
from native import reference
from position import Table

#: How far two frequencies may be apart, in standard errors.
SIGMAS = 4.5


def agree(what: str, ours: Counter[Any], theirs: Counter[Any]) -> None:
    """Fails if two samples cannot well be of one distribution."""
    n, m = ours.total(), theirs.total()
    for value in {*ours, *theirs}:
        p = (ours[value] + theirs[value]) / (n + m)
        error = math.sqrt(max(p * (1 - p), 1e-9) * (1 / n + 1 / m))
        apart = abs(ours[value] / n - theirs[value] / m)
        assert apart <= SIGMAS * error + 1e-9, (
            f"{what}: {value} came {ours[value] / n} and {theirs[value] / m}"
        )


# -------------------------------------------------------------------------------------------- Axis & Allies


def battle_aa(settings: Settings) -> list[Row]:
    table = Table(grognard.load("europe_1940", backend="compiled"), "empty")
    where = table.member("Area", "normandy_bordeaux")
    germany, france = table.member("Power", "germany"), table.member("Power", "france")
    infantry, tank = table.member("UnitType", "infantry"), table.member("UnitType", "tank")
    battle = table.layout.base[table.fields["Battle.alive"].dims[0]]
    table.put("Battle.alive", battle, 1)
    table.put("Battle.at", battle, where)
    table.put("Battle.attacker", battle, germany)
    unit = table.layout.base[table.fields["Unit.alive"].dims[0]]
    for power, kind, count in (
        (germany, infantry, 10),
        (germany, tank, 5),
        (france, infantry, 10),
        (france, tank, 3),
    ):
        for _ in range(count):
            table.put("Unit.alive", unit, 1)
            table.put("Unit.type", unit, kind)
            table.put("Unit.power", unit, power)
            table.put("Unit.at", unit, where)
            if power == germany:
                table.put("Unit.battle", unit, battle)
            unit += 1
    library = reference("battle_aa")

    def in_c(n: int, seed: int = 5) -> tuple[int, int]:
        counts = (ctypes.c_int64 * 2)()
        library.battles(10, 5, 10, 3, n, ctypes.c_uint64(seed), counts)
        return counts[0], counts[1]

    def won(seed: int) -> bool:
        after = table.once("fight", [battle], seed)
        alive, power = table.get("Unit.alive", after), table.get("Unit.power", after)
        sides = Counter(p for a, p in zip(alive, power) if a)
        return sides[germany] > 0 and not sides[france]

    many = 20_000
    wins = in_c(many)[0]
    agree(
        "Axis & Allies battle",
        Counter(won(seed) for seed in range(400)),
        Counter({True: wins, False: many - wins}),
    )
    n, m = settings.many(300), settings.many(100_000)

    def ours() -> float:
        table.engine.sample("fight", [battle], n, position=table.position, answers="first")
        return n

    def theirs() -> float:
        in_c(m, random.randrange(1 << 30))
        return m

    fast, c = race(settings, ours, theirs)
    # Who simulates a battle gets stacks as numbers: rows_odds.py.
    work = "Axis & Allies battle, 10 inf 5 arm v 10 inf 3 arm, piece by piece, all rules each time"
    return [Row("combat", work, "hand-written C", "battles/s", "told", fast, c)]


# ------------------------------------------------------------------------------------- with the same dice in C


def _beside_c(combat: Combat, settings: Settings, size: int) -> list[Row]:
    """A combat that is first compared with its reference cell by cell, then measured."""
    combat.check(positions=40)
    reference = combat.reference()
    n = settings.many(size)

    def ours() -> float:
        table = combat.table
        table.engine.sample(combat.procedure, combat.args, n, position=table.position, answers="first")
        return n * combat.each

    def theirs() -> float:
        reference.library.many(ctypes.byref(reference.struct), *combat.given_many(), n, ctypes.c_uint64(5))
        return n * combat.each

    fast, c = race(settings, ours, theirs)
    return [Row("combat", combat.work, "hand-written C", combat.unit, "0.5 x", fast, c, wanted=0.5)]


def shot_mbt(settings: Settings) -> list[Row]:
    return _beside_c(combats.mbt(), settings, 100_000)


def shot_storms(settings: Settings) -> list[Row]:
    return _beside_c(combats.storms(), settings, 40_000)


def shooting_hot_war(settings: Settings) -> list[Row]:
    return _beside_c(combats.hot_war(), settings, 10_000)


def combat_next_war(settings: Settings) -> list[Row]:
    return _beside_c(combats.next_war(), settings, 4_000)


ROWS = [shot_mbt, shot_storms, shooting_hot_war, combat_next_war, battle_aa]
