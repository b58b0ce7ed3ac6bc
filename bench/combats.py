"""One combat of each game that has a reference implementation in C: the position, the procedure, and variations of both.

Reference and engine use the same dice, so that the resulting positions can be compared cell by cell."""

from __future__ import annotations

import ctypes
import random
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import grognard
from grognard.contract.header import NONE
from native import structure
from position import Reference, Table


@dataclass
class Combat:
    """A procedure on a table, and the reference that does the same."""

    work: str
    unit: str
    table: Table
    procedure: str
    args: list[int]
    #: the reference with the position as it is now
    reference: Callable[[], Reference]
    #: what C wants of the arguments, for one run and for many
    given: Callable[[], list[Any]]
    given_many: Callable[[], list[Any]]
    #: puts the combatants elsewhere, or in another state
    vary: Callable[[random.Random], None]
    #: combats in one run of the procedure
    each: int = 1

    def check(self, positions: int, seeds: int = 3) -> None:
        """Fails if engine and reference ever leave different cells behind; the position ends as it began."""
        before = bytes(self.table.position.cells)
        args = list(self.args)
        chance = random.Random(1)
        for number in range(positions):
            if number:
                self.vary(chance)
            reference = self.reference()
            for seed in range(seeds):
                wrong = reference.differs(self.procedure, self.args, 1000 * number + seed, *self.given())
                assert not wrong, f"{self.work}: {wrong} differs, position {number}, dice {seed}"
        self.table.position.cells[:] = before
        self.args[:] = args


def _table(title: str, scenario: str, backend: str) -> Table:
    return Table(grognard.load(title, backend=backend), scenario)


def _edges(table: Table) -> list[int]:
    """The hexside in each direction of each hex, -1 at the rim."""
    first = table.domain("Hexside").base
    return [edge - first if edge != NONE else -1 for edge in table.data.maps[0].side_edge]


# ------------------------------------------------------------------------------------------------------------ MBT


def mbt(backend: str = "compiled") -> Combat:
    """A tank fires at another."""
    table = _table("mbt", "crossroads", backend)
    firer, target = table.member("Vehicle", "U1"), table.member("Vehicle", "S1")
    card, guns = table.get("Vehicle.type")[firer], table.column("Gun.card")
    bands = table.domain("Band").count
    ammo = next(x for x, gun in enumerate(table.column("Ammo.gun")) if guns[gun] == card)
    reach = max(table.column("Ammo.reach")[ammo * bands :][:bands])
    table.put("Vehicle.load", firer, ammo)
    space = table.data.maps[0]
    near = _within(space, table.get("Vehicle.at")[firer], reach)
    args = [firer, target, table.member("Manner", "direct")]

    def vary(chance: random.Random) -> None:
        place = chance.choice(near)
        table.put("Vehicle.at", target, place)
        table.put("Vehicle.facing", target, chance.randrange(6))
        for vehicle in (firer, target):
            table.put("Vehicle.damaged", vehicle, chance.choice((0, 1)))
            table.put("Vehicle.command", vehicle, chance.randrange(4))
        table.put("Vehicle.command (known)", target, chance.choice((0, 1)))
        for smoke in chance.sample(near, 3):
            table.put("Hex.smoke", smoke, chance.choice((0, 1)))

    def reference() -> Reference:
        hit = [table.looked_up("ap_hit", net, band) for net in range(-10, 6) for band in range(bands)]
        return Reference(table, "shot_mbt", ap_hit=hit)

    def given() -> list[Any]:
        return list(args)

    return Combat("MBT shot", "shots/s", table, "shoot", args, reference, given, given, vary)


def _within(space: Any, centre: int, most: int) -> list[int]:
    """The hexes that far from one, itself not counted."""
    found = []
    for number, (q, r) in enumerate(zip(space.q, space.r)):
        dq, dr = q - space.q[centre], r - space.r[centre]
        if 0 < max(abs(dq), abs(dr), abs(dq + dr)) <= most:
            found.append(number)
    return found


# ------------------------------------------------------------------------------------------------ Storms of Steel

EFFECTS = "luck use_of_terrain better_equipped high_morale combat_hardened blood_and_honour"


def storms(backend: str = "compiled") -> Combat:
    """A gun fires at a tank in the open."""
    table = _table("storms_of_steel", "steel_on_the_steppe", backend)
    units = table.domain("Unit")
    alive, types, army = table.get("Unit.alive"), table.get("Unit.type"), table.get("Unit.army")
    ours, theirs = ([u for u in range(units.count) if alive[u] and army[u] == a] for a in (0, 1))
    places = len(table.data.maps[0].q)
    args = [0] * 13

    def aimed(firer: int, target: int) -> None:
        at, fp = table.get("Unit.at"), table.column("UnitType.fp")[2 * types[firer] :][:2]
        direct = table.member("Shot", "direct")
        args[:] = [direct, units.base + firer, at[firer], at[target], 0, *fp, 0, 0, 0, NONE, 0, NONE]

    def vary(chance: random.Random) -> None:
        firer, target = chance.choice(ours), chance.choice(theirs)
        place = chance.randrange(places)
        table.put("Unit.at", units.base + target, place)
        table.put("Unit.facing", units.base + target, chance.randrange(6))
        table.put("Unit.hit", units.base + target, chance.choice((NONE, NONE, 1, 2, 3)))
        table.put("Hex.thick", place, chance.choice((0, 0, 1)))
        table.put("Army.cap", 0, chance.randrange(4))
        aimed(firer, target)

    def reference() -> Reference:
        effects = {name: table.member("Effect", name) for name in EFFECTS.split()}
        suspicion, words = table.get("game.suspicion")[0], (units.count + 31) // 32
        return Reference(
            table, "shot_storms", side_edge=_edges(table), suspicion=suspicion, words=words, **effects
        )

    def given() -> list[Any]:
        pair = ctypes.c_int32 * 2
        made = structure("shot_storms.c", "attack")(*args[:5], pair(*args[5:7]), pair(*args[7:9]), args[9])
        return [ctypes.byref(made)]

    aimed(ours[0], theirs[0])
    return Combat("Storms of Steel shot", "shots/s", table, "attack", args, reference, given, given, vary)


# -------------------------------------------------------------------------------------------------------- Hot War


def hot_war(backend: str = "compiled") -> Combat:
    """Three platoons fire at a platoon of tanks."""
    table = _table("hot_war", "crossroads", backend)
    shooters = [table.member("Unit", name) for name in ("A1", "M1", "I3")]
    target = table.member("Unit", "T1")
    terrain = table.column("Hex.terrain")
    plain = [h for h, kind in enumerate(terrain) if kind == table.member("Terrain", "plain")]
    outside = [h for h, kind in enumerate(terrain) if kind != table.member("Terrain", "town")]
    for shooter in shooters:
        table.put("Unit.order.name", shooter, table.member("Order", "fire"))
        table.put("Unit.order.target", shooter, target)

    def vary(chance: random.Random) -> None:
        for shooter in shooters:
            table.put("Unit.at", shooter, chance.choice(plain))
        table.put("Unit.at", target, chance.choice(outside))
        table.put("Unit.strength", target, chance.choice((1, 2, 3)))
        table.put("Unit.hits", target, chance.choice((0, 1, 3)))
        table.put("Unit.guard", target, chance.choice((0, 1)))
        table.put("Unit.suppressed", shooters[0], chance.choice((0, 0, 1)))

    def reference() -> Reference:
        names = {
            "Class": "INF ART ARM LTK HTK HEL ENG",
            "Terrain": "town ravine",
            "WorkType": "wire",
            "Order": "fire area_fire bombard smoke_screen dig_in defence attack ambush move",
        }
        members = {name: table.member(kind, name) for kind, all_ in names.items() for name in all_.split()}
        return Reference(table, "shooting_hot_war", words=(table.domain("Unit").count + 31) // 32, **members)

    return Combat(
        "Hot War shooting test",
        "tests/s",
        table,
        "shooting",
        [],
        reference,
        list,
        lambda: [target],
        vary,
        each=len(shooters),
    )


# ------------------------------------------------------------------------------------------------------- Next War


def next_war(backend: str = "compiled") -> Combat:
    """Four divisions attack two in a city, at even odds."""
    table = _table("strait", "landing", backend)
    grounds = table.domain("Ground")
    for kind in ("Helo", "Naval"):
        first = table.domain(kind)
        for number in range(first.count):
            table.put(f"{kind}.alive", first.base + number, 0)
    for unit, ship in enumerate(table.get("Ground.aboard")):
        if ship != NONE:
            table.put("Ground.aboard", unit, NONE)
            table.put("Ground.at", unit, NONE)
    alive, sides, types = (table.get(f"Ground.{name}") for name in ("alive", "side", "type"))
    allied, prc = table.member("Side", "allied"), table.member("Side", "prc")
    division, defender = table.member("GroundType", "prc_inf"), table.member("GroundType", "roc_inf")
    attackers = [u for u in range(grounds.count) if alive[u] and sides[u] == prc][:4]
    defenders = [u for u in range(grounds.count) if alive[u] and sides[u] == allied and types[u] == defender][
        :2
    ]
    city, *around = (table.member("Hex", name) for name in CITY)
    for unit, place in zip(attackers, (around[0], around[0], around[1], around[1])):
        table.put("Ground.at", unit, place)
        table.put("Ground.type", unit, division)
    for unit in defenders:
        table.put("Ground.at", unit, city)
    args = [city, prc, attackers[0]]

    def vary(chance: random.Random) -> None:
        # Never so much that a unit would have to retreat.
        table.put("Ground.left", chance.choice(attackers), chance.choice((1, 2, 2)))
        for unit in attackers:
            table.put("Ground.left", unit, 2)
            table.put("Ground.strike", unit, chance.choice((0, 0, 1)))
            table.put("Ground.unsupplied", unit, chance.choice((0, 0, 1)))
            # Of a battle before, and to be taken off.
            table.put("Ground.lost_now", unit, chance.choice((0, 0, 1)))
            table.put("Ground.stands", unit, chance.choice((0, 0, 1)))
        table.put("Battle.a", table.domain("Battle").base, chance.randrange(9))
        table.put(
            "Ground.type", attackers[-1], table.member("GroundType", chance.choice(("prc_inf", "prc_mech")))
        )
        args[2] = chance.choice(attackers)

    def reference() -> Reference:
        rows, ratios = table.domain("CrtRow").count, table.domain("Ratio").count
        start = [
            table.looked_up("start_column", row, ratio) for row in range(rows) for ratio in range(ratios)
        ]
        crt = [table.looked_up("crt", column, die) for column in range(1, 14) for die in range(-3, 13)]
        ground = {name: table.member("Terrain", name) for name in ("urban", "marsh")}
        return Reference(
            table, "combat_next_war", side_edge=_edges(table), start_column=start, crt=crt, **ground
        )

    return Combat(
        "Next War combat",
        "combats/s",
        table,
        "battle",
        args,
        reference,
        lambda: list(args),
        lambda: list(args),
        vary,
    )


#: A city of the map, and two hexes beside it.
CITY = ("0506", "0405", "0505")

ALL = (mbt, storms, hot_war, next_war)
