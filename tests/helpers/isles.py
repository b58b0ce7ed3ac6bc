"""A game file of our own in TripleA's form: powers on isles in a ring, each with a home, a factory and a few units."""

from __future__ import annotations

HEAD = """<?xml version="1.0" ?>
<!DOCTYPE game SYSTEM "game.dtd">
<game>
  <info name="War of &quot;the&quot; Isles" version="1.0"/>
  <diceSides value="6"/>
"""

UNITS = {
    "infantry": (3, "movement=1 attack=1 defense=2 transportCost=2 artillerySupportable=true"),
    "artillery": (4, "movement=1 attack=2 defense=2 transportCost=3 artillery=true"),
    "armour": (6, "movement=2 attack=3 defense=3 transportCost=3 canBlitz=true"),
    "aaGun": (5, "movement=1 isAAforCombatOnly=true maxAAattacks=3 transportCost=3"),
    "fighter": (
        10,
        "movement=4 attack=3 defense=4 isAir=true carrierCost=1 canIntercept=true canEscort=true",
    ),
    "bomber": (12, "movement=6 attack=4 defense=1 isAir=true isStrategicBomber=true bombingBonus=2"),
    "transport": (7, "movement=2 attack=0 defense=0 isSea=true transportCapacity=5"),
    "submarine": (6, "movement=2 attack=2 defense=1 isSea=true isSub=true blockade=2"),
    "destroyer": (8, "movement=2 attack=2 defense=2 isSea=true isDestroyer=true blockade=1"),
    "monitor": (11, "movement=9 attack=8 defense=3 isSea=true canBombard=true hitPoints=4 teleports=true"),
    "factory_minor": (12, "isFactory=true isInfrastructure=true canProduceXUnits=3 maxDamage=6"),
    "factory_major": (30, "isFactory=true isInfrastructure=true canProduceXUnits=10 maxDamage=20"),
}


def attachment(name: str, to: str, kind: str, sort: str, options: str, *more: str) -> str:
    given = [tuple(option.split("=", 1)) for option in options.split()]
    lines = [f'    <option name="{key}" value="{value}"/>' for key, value in given] + [
        f"    {line}" for line in more
    ]
    head = f'  <attachment name="{name}" attachTo="{to}" javaClass="games.strategy.triplea.attachments.{kind}" type="{sort}">'
    return "\n".join([head, *lines, "  </attachment>"])


def isles(powers: int = 4, extra: str = "") -> str:
    """A game of so many powers, of both sides in turn; the last has no capital."""
    names = [f"Power{n}" for n in range(1, powers + 1)]
    sides = {name: "Axis" if n % 2 == 0 else "Allies" for n, name in enumerate(names)}
    lands = [f"Isle {n}" for n in range(1, 2 * powers + 1)]
    seas = [f"{n} Sea Zone" for n in range(1, 2 * powers + 1)]
    owner = {land: names[n // 2] for n, land in enumerate(lands)}
    free = "Free & Old Isle".replace("&", "&amp;")
    text = [HEAD, "<map>"]
    text += [f'  <territory name="{land}"/>' for land in [*lands, free, "Ice"]]
    text += [f'  <territory name="{sea}" water="true"/>' for sea in seas]
    for n, (land, sea) in enumerate(zip(lands, seas, strict=True)):
        text += [f'  <connection t1="{land}" t2="{sea}"/>', f'  <connection t1="{sea}" t2="{seas[n - 1]}"/>']
        if n % 2:
            text.append(f'  <connection t1="{land}" t2="{lands[n - 1]}"/>')
    text += [f'  <connection t1="{free}" t2="{lands[0]}"/>', "</map>"]
    text += ['<resourceList><resource name="PUs"/></resourceList>', "<playerList>"]
    text += [f'  <player name="{name}" optional="false"/>' for name in [*names, "Neutral_True"]]
    text += [f'  <alliance player="{name}" alliance="{side}"/>' for name, side in sides.items()]
    text += ["</playerList>", "<unitList>", *(f'  <unit name="{unit}"/>' for unit in UNITS), "</unitList>"]
    text += [
        '<relationshipTypes><relationshipType name="War"/><relationshipType name="Peace"/></relationshipTypes>'
    ]
    text += [
        '<gamePlay><delegate name="move" javaClass="games.strategy.triplea.delegate.MoveDelegate" display="m"/><sequence>'
    ]
    text += [f'  <step name="{name}Move" delegate="move" player="{name}"/>' for name in names]
    text += ["</sequence></gamePlay>", "<production>"]
    text += [
        f'  <productionRule name="buy{u}"><cost resource="PUs" quantity="{price}"/><result resourceOrUnit="{u}" quantity="1"/></productionRule>'
        for u, (price, _) in UNITS.items()
    ]
    text += ["</production>", "<attachmentList>"]
    text += [
        attachment("unitAttachment", u, "UnitAttachment", "unitType", options)
        for u, (_, options) in UNITS.items()
    ]
    text += [
        attachment(
            "relationshipTypeAttachment", "War", "RelationshipTypeAttachment", "relationship", "archeType=war"
        )
    ]
    text += [
        attachment(
            "relationshipTypeAttachment",
            "Peace",
            "RelationshipTypeAttachment",
            "relationship",
            "archeType=neutral",
        )
    ]
    for n, land in enumerate(lands):
        capital = f" capital={owner[land]} victoryCity=1" if n % 2 == 0 and n // 2 < powers - 1 else ""
        text.append(
            attachment(
                "territoryAttachment",
                land,
                "TerritoryAttachment",
                "territory",
                f"production={3 + n}{capital}",
            )
        )
    text += [
        attachment(
            "canal",
            sea,
            "CanalAttachment",
            "territory",
            "",
            '<option name="canalName" value="The Gut"/>',
            '<option name="landTerritories" value="Isle 1"/>',
        )
        for sea in seas[:2]
    ]
    text += [
        attachment("objectiveAttachment_each", names[0], "RulesAttachment", "player", "objectiveValue=2",
                   '<option name="directOwnershipTerritories" value="Isle 3:Isle 4" count="each"/>'),
        attachment("objectiveAttachment_once", names[1], "RulesAttachment", "player", "objectiveValue=7 uses=1",
                   '<option name="alliedOwnershipTerritories" value="Isle 1:Isle 2" count="1"/>'),
        attachment("objectiveAttachment_far", names[1], "RulesAttachment", "player", "objectiveValue=3",
                   '<option name="directOwnershipTerritories" value="Atlantis" count="1"/>'),
        attachment("conditionLate", names[0], "RulesAttachment", "player", "rounds=2-+"),
        attachment("conditionPeace", names[0], "RulesAttachment", "player", "",
                   f'<option name="atWarPlayers" value="{names[1]}" count="0"/>'),
        attachment("politicalActionAttachment_war", names[0], "PoliticalActionAttachment", "player", "conditionType=AND",
                   '<option name="conditions" value="conditionLate:conditionPeace"/>',
                   f'<option name="relationshipChange" value="{names[0]}:{names[1]}:War"/>',
                   f'<option name="relationshipChange" value="{names[2]}:{names[1]}:War"/>' if powers > 2 else ""),
        attachment("triggerAttachment_levy", names[1], "TriggerAttachment", "player", "conditions=conditionLate uses=1",
                   '<option name="placement" value="Isle 3:infantry:infantry"/>'),
        attachment("magicAttachment", names[0], "MagicAttachment", "player", "spell=fog"),
    ]  # fmt: skip
    text += ["</attachmentList>", "<initialize><ownerInitialize>"]
    text += [f'  <territoryOwner territory="{land}" owner="{name}"/>' for land, name in owner.items()]
    text += [
        f'  <territoryOwner territory="{free}" owner="Neutral_True"/>',
        "</ownerInitialize><unitInitialize>",
    ]
    for n, land in enumerate(lands):
        home = n % 2 == 0
        units = (
            {"infantry": 2, "fighter": 1, "factory_major": 1, "aaGun": 1}
            if home
            else {"infantry": 1, "armour": 1}
        )
        text += [
            f'  <unitPlacement unitType="{u}" territory="{land}" quantity="{q}" owner="{owner[land]}"/>'
            for u, q in units.items()
        ]
        sea = {"transport": 1, "destroyer": 1} if home else {"monitor": 1}
        text += [
            f'  <unitPlacement unitType="{u}" territory="{seas[n]}" quantity="{q}" owner="{owner[land]}"/>'
            for u, q in sea.items()
        ]
    text += [
        f'  <unitPlacement unitType="infantry" territory="{free}" quantity="3" owner="Neutral_True"/>',
        extra,
    ]
    text += ["</unitInitialize><resourceInitialize>"]
    text += [f'  <resourceGiven player="{name}" resource="PUs" quantity="12"/>' for name in names]
    text += ["</resourceInitialize><relationshipInitialize>"]
    text += [
        f'  <relationship player1="{a}" player2="{b}" type="{"Peace" if {a, b} <= set(names[:3]) else "War"}" roundValue="1"/>'
        for n, a in enumerate(names)
        for b in names[n + 1 :]
        if sides[a] != sides[b]
    ]
    return "\n".join([*text, "</relationshipInitialize></initialize>", "<propertyList/>", "</game>"])
