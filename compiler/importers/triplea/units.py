"""Units and facilities: their profiles as rows of `UnitType` and `FacilityType`."""

from __future__ import annotations

from dataclasses import dataclass, field

from grognard.compiler.importers.remarks import ImportRefused, Remarks
from grognard.compiler.importers.triplea.game import Attachment, Game, slug

#: What the series calls the usual units.
OURS = {
    "armour": "tank", "aagun": "aaa", "aa_gun": "aaa", "bomber": "strategic_bomber", "factory_major": "major_ic",
    "factory_minor": "minor_ic", "airfield": "air_base", "harbour": "naval_base", "harbor": "naval_base",
    "mechanized_infantry": "mech_infantry", "aircraftcarrier": "carrier",
}  # fmt: skip
#: Options that say nothing the series needs.
SILENT = {
    "movement", "attack", "defense", "isSea", "isAir", "hitPoints", "transportCost", "transportCapacity", "carrierCost",
    "carrierCapacity", "isLandTransportable", "isLandTransport", "isStrategicBomber", "isDestroyer", "isSub", "canBombard",
    "bombard", "blockade", "bombingBonus", "canBlitz", "isAAforCombatOnly", "isAA", "maxAAattacks", "isInfrastructure",
    "isFactory", "isConstruction", "constructionType", "canProduceXUnits", "maxDamage", "isAirBase", "receivesAbilityWhenWith",
    "isCombatTransport", "artillery", "artillerySupportable", "isInfantry", "canBeDamaged", "canScramble", "canEscort",
    "canIntercept", "airAttack", "airDefense", "maxScrambleDistance", "maxScrambleCount", "isAAforBombingThisUnitOnly",
    "bombingTargets", "whenCapturedChangesInto", "repairsUnits", "givesMovement", "maxOperationalDamage", "isTwoHit",
    "canNotMoveDuringCombatMove", "canOnlyBePlacedInTerritoryValuedAtX", "constructionsPerTerrPerTypePerTurn", "isKamikaze",
    "maxConstructionsPerTypePerTerr", "isRocket", "isAirTransport", "isAirTransportable", "bombingMaxDieSides", "bombingMaxDie",
    "special", "whenCombatDamaged", "isSuicide", "consumesUnits", "canNotTarget", "canNotBeTargetedBy", "canEvade", "isFirstStrike",
}  # fmt: skip


#: A larger factory in the place of a smaller: an action of the series, not a facility.
UPGRADE = "upgrade"


@dataclass(slots=True)
class Forces:
    """The units of a title: rows by id, and which unit of the file each is."""

    units: dict[str, dict[str, object]] = field(default_factory=dict)
    facilities: dict[str, dict[str, object]] = field(default_factory=dict)


def read_units(game: Game, remarks: Remarks) -> Forces:
    forces = Forces()
    helped = _helped(game)
    infantry = _infantry(game)
    if infantry is not None and slug(infantry) != "infantry":
        remarks.add(game.units[infantry], infantry, "it is the infantry of which armies of neutrals are made")
    for name, line in game.units.items():
        found = game.of_kind("UnitAttachment", name)
        if not found:
            remarks.add(line, name, "it has no unit attachment")
            continue
        about = found[0]
        facility = _facility(about)
        row_id = "infantry" if name == infantry else OURS.get(slug(name), slug(name))
        if facility is not None and facility != UPGRADE:
            _add_facility(game, forces, remarks, name, facility, about)
        elif facility == UPGRADE:
            if game.prices.get(name, 20) != 20:
                remarks.add(
                    about.line, f"{name}: price {game.prices[name]}", "the series enlarges a complex for 20"
                )
        elif (
            about.yes("isInfrastructure") and not about.yes("isAA") and not about.yes("isAAforCombatOnly")
        ) or about.yes("isConstruction"):
            remarks.add(about.line, name, "the series has no such construction")
        else:
            if row_id in forces.units:
                row_id = slug(name) if slug(name) not in forces.units else f"{slug(name)}_{len(forces.units)}"
            game.unit_ids[name] = f"UnitType.{row_id}"
            forces.units[row_id] = _profile(game, name, about, helped, remarks)
        for option in about.options:
            if option.name not in SILENT:
                remarks.add(
                    option.line, f"{name}: {option.name} {option.value}", "the series does not know it"
                )
    if "infantry" not in forces.units:
        raise ImportRefused("it has no infantry, of which the armies of neutrals are made")
    if not any(row.get("works") for row in forces.facilities.values()):
        raise ImportRefused("it has no factory that produces a number of units: it is not of the 1940 family")
    return forces


def _infantry(game: Game) -> str | None:
    """The unit that is infantry: by its name, else the cheapest on land that says so or that artillery supports."""
    named = next((name for name in game.units if slug(name) == "infantry"), None)
    if named is not None:
        return named
    found = [
        (game.prices[name], number, name)
        for number, name in enumerate(game.units)
        for a in game.of_kind("UnitAttachment", name)
        if name in game.prices and (a.yes("isInfantry") or a.yes("artillerySupportable"))
        if not a.yes("isSea") and not a.yes("isAir") and a.number("defense") > 0
    ]
    return min(found)[2] if found else None


def _helped(game: Game) -> dict[str, set[str]]:
    """Land unit that gives support to attackers -> whom it supports."""
    found: dict[str, set[str]] = {}
    for a in game.of_kind("UnitSupportAttachment"):
        side = a.text("side", "offence")
        if (
            "offence" in side
            and a.text("dice", "strength") == "strength"
            and "allied" in a.text("faction", "allied")
            and a.number("bonus", 1) > 0
        ):
            players = a.option("players")
            if players is not None and players.parts:  # without any it waits for research
                found.setdefault(a.to, set()).update(part for o in a.all("unitType") for part in o.parts)
    return found


def _profile(
    game: Game, name: str, a: Attachment, helped: dict[str, set[str]], remarks: Remarks
) -> dict[str, object]:
    sea, air = a.yes("isSea"), a.yes("isAir")
    row: dict[str, object] = {
        "name": name.replace("_", " ").title(),
        "arm": "sea" if sea else "air" if air else "land",
    }
    price = game.prices.get(name)
    if price is None:
        remarks.add(a.line, name, "nobody can buy it at the start; the series prices it at 40")
        price = 40
    row["cost"] = _within(price, 1, 40, f"{name}: price", a, remarks)
    for ours, theirs in (("attack", "attack"), ("defence", "defense"), ("move", "movement")):
        row[ours] = _within(a.number(theirs), 0, 6, f"{name}: {theirs}", a, remarks)
    hits = 2 if a.yes("isTwoHit") else a.number("hitPoints", 1)
    row["hits"] = _within(hits, 1, 2, f"{name}: hitPoints", a, remarks)
    aa = not sea and not air and (a.yes("isAAforCombatOnly") or a.yes("isAA"))
    if aa:
        shots = a.number("maxAAattacks", 3)
        row["flak"] = 3 if shots < 0 else _within(shots, 0, 3, f"{name}: maxAAattacks", a, remarks)
    if a.option("blockade") and not air:  # planes on decks have theirs in the series' rules
        row["convoy_dice"] = _within(a.number("blockade"), 0, 3, f"{name}: blockade", a, remarks)
    carried = a.number("carrierCost", -1)
    flags: dict[str, bool] = {}
    if sea:
        capacity = a.number("transportCapacity", -1)
        transport = capacity > 0 and row["attack"] == 0 and row["defence"] == 0
        flags = {"dives": a.yes("isSub"), "hunts_subs": a.yes("isDestroyer"), "last_to_die": transport}
        flags["surface"] = not flags["dives"] and not transport
        if capacity > 0:
            row["holds"] = 2 if capacity >= 5 else 1
            if capacity not in (5,):
                remarks.add(
                    a.line, f"{name}: transportCapacity {capacity}", f"the series carries {row['holds']}"
                )
        if a.number("carrierCapacity", -1) > 0:
            row["deck"] = _within(a.number("carrierCapacity"), 0, 3, f"{name}: carrierCapacity", a, remarks)
        if a.yes("canBombard"):
            row["bombards"] = _within(
                a.number("bombard", int(str(row["attack"]))), 0, 6, f"{name}: bombard", a, remarks
            )
    elif air:
        bomber = a.yes("isStrategicBomber")
        targets = a.option("bombingTargets")
        factories = {
            u for u in game.units if any(x.yes("isFactory") for x in game.of_kind("UnitAttachment", u))
        }
        # A plane that others support is the one that dives upon bases.
        dives = not bomber and (any(name in taken for taken in helped.values()) or "tactical" in slug(name))
        works = bomber and (targets is None or bool(factories & set(targets.parts)))
        flags = {
            "carrier_borne": carried == 1,
            "raids_works": works,
            "raids_bases": bomber or dives,
            "dogfights": not bomber
            and not dives
            and (a.yes("canIntercept") or a.yes("canEscort") or carried == 1),
        }
        if carried > 1:
            remarks.add(
                a.line,
                f"{name}: carrierCost {carried}",
                "only planes of which a deck holds one for each place fly from decks",
            )
        if a.number("bombingBonus") > 0:
            row["raid_bonus"] = _within(a.number("bombingBonus"), 0, 3, f"{name}: bombingBonus", a, remarks)
    else:
        trails = "canBlitz" in a.text("receivesAbilityWhenWith")
        gives = {unit for unit, taken in helped.items() if name in taken and _is_land(game, unit)}
        flags = {
            "captures": not aa,
            "trails": trails,
            "blitzes": a.yes("canBlitz"),
            "gun": any(_is_land(game, unit) for unit in helped.get(name, ())) or a.yes("artillery"),
            "foot": not trails and (bool(gives) or a.yes("artillerySupportable") or slug(name) == "infantry"),
        }
    return {
        key: value
        for key, value in {**row, **{k: True for k, v in flags.items() if v}}.items()
        if value not in (0, "")
    }


def _is_land(game: Game, unit: str) -> bool:
    return any(not a.yes("isAir") and not a.yes("isSea") for a in game.of_kind("UnitAttachment", unit))


def _within(value: int, least: int, most: int, what: str, a: Attachment, remarks: Remarks) -> int:
    if not least <= value <= most:
        remarks.add(a.line, f"{what} {value}", f"the series has {least} to {most}; the nearest is taken")
    return min(max(value, least), most)


def _facility(a: Attachment) -> str | None:
    if a.yes("isFactory") and a.option("consumesUnits"):
        return UPGRADE
    if a.yes("isFactory"):
        made = a.number("canProduceXUnits", -1)
        return None if made == 0 else "major_ic" if made < 0 or made > 5 else "minor_ic"
    if a.yes("isAirBase"):
        return "air_base"
    if a.yes("isInfrastructure") and (a.option("repairsUnits") or a.option("givesMovement")):
        return "naval_base"
    return None


def _add_facility(game: Game, forces: Forces, remarks: Remarks, name: str, ours: str, a: Attachment) -> None:
    game.unit_ids[name] = f"FacilityType.{ours}"
    made = a.number("canProduceXUnits", -1)
    if ours in forces.facilities:
        remarks.add(
            a.line, name, f"it is a {ours.replace('_', ' ')}, like another one, with that one's values"
        )
        return
    row: dict[str, object] = {}
    if ours.endswith("_ic"):
        row = {"works": True}
        if made < 0:
            remarks.add(a.line, name, "its output has no number; it is that of a major industrial complex")
        elif made != {"major_ic": 10, "minor_ic": 3}[ours]:
            row["output"] = _within(made, 0, 10, f"{name}: canProduceXUnits", a, remarks)
    price = game.prices.get(name)
    if price is not None:
        row["cost"] = _within(price, 1, 40, f"{name}: price", a, remarks)
    damage = a.number("maxDamage", -1)
    if damage > 0:
        row["cap"] = _within(damage, 0, 20, f"{name}: maxDamage", a, remarks)
    forces.facilities[ours] = row
