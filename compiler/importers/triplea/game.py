"""A game file as data: players, map, units, attachments, set-up.  Old files spell some words otherwise; both are read."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass, field

from grognard.compiler.importers.remarks import ImportRefused, Remarks
from grognard.compiler.importers.xml_lines import Element

WAR, NEUTRAL, ALLIED = "war", "neutral", "allied"
SIDES = ("axis", "allies")
#: Names that rules could not say: words of the language, and of YAML.
RESERVED = frozenset(
    [
        "all",
        "and",
        "any",
        "at",
        "best",
        "by",
        "count",
        "each",
        "else",
        "end",
        "for",
        "from",
        "if",
        "in",
        "is",
        "let",
        "me",
        "my",
        "none",
        "no",
        "not",
        "of",
        "on",
        "or",
        "others",
        "other",
        "power",
        "powers",
        "side",
        "sides",
        "sum",
        "the",
        "then",
        "to",
        "where",
        "while",
        "with",
        "yes",
        "max",
        "min",
        "first",
        "last",
        "next",
        "round",
        "turn",
        "area",
        "map",
        "land",
        "sea",
        "air",
        "null",
        "true",
        "false",
        "off",
        "y",
        "n",
    ]
)


@dataclass(slots=True)
class Option:
    name: str
    value: str
    count: str
    line: int

    @property
    def parts(self) -> list[str]:
        return [part.strip() for part in self.value.split(":") if part.strip()]


@dataclass(slots=True)
class Attachment:
    name: str
    to: str
    kind: str
    line: int
    options: list[Option] = field(default_factory=list)

    def option(self, name: str) -> Option | None:
        return next((option for option in self.options if option.name == name), None)

    def all(self, name: str) -> list[Option]:
        return [option for option in self.options if option.name == name]

    def text(self, name: str, default: str = "") -> str:
        found = self.option(name)
        return found.value if found is not None else default

    def number(self, name: str, default: int = 0) -> int:
        text = self.text(name)
        return int(text) if re.fullmatch(r"-?\d+", text) else default

    def yes(self, name: str) -> bool:
        return self.text(name).lower() == "true"


@dataclass(slots=True)
class Game:
    name: str
    #: territory -> whether it is water, and its line
    water: dict[str, bool]
    lines: dict[str, int]
    neighbours: dict[str, set[str]]
    #: player -> side of a power that plays; None: a neutral
    sides: dict[str, str | None]
    #: those who play, in their order of play
    order: list[str]
    units: dict[str, int]
    #: unit -> price, for those that anybody can buy
    prices: dict[str, int]
    attachments: list[Attachment]
    #: relationship type -> archetype
    archetypes: dict[str, str]
    relations: list[tuple[str, str, str, int]]
    owners: dict[str, str]
    placed: list[tuple[Element, str, str, int, str]]
    money: dict[str, int]
    properties: dict[str, str]
    #: places, powers and units as rules name them
    ids: dict[str, str] = field(default_factory=dict)
    power_ids: dict[str, str] = field(default_factory=dict)
    unit_ids: dict[str, str] = field(default_factory=dict)

    def of_kind(self, kind: str, to: str | None = None) -> list[Attachment]:
        return [a for a in self.attachments if a.kind == kind and (to is None or a.to == to)]

    def power(self, player: str) -> str:
        return f"Power.{self.power_ids[player]}"

    def plays(self, player: str) -> bool:
        return self.sides.get(player) is not None

    def place(self, territory: str) -> str:
        """A place as rules name it."""
        sort = "SeaZone" if self.water[territory] else "Territory"
        return f"{sort}.{self.ids[territory]}"

    def is_war(self, sort: str) -> bool:
        return self.archetypes.get(sort.lower(), sort.lower()) in (WAR, "anywar")


def slug(text: str) -> str:
    plain = unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode().lower()
    made = re.sub(r"[^a-z0-9]+", "_", plain).strip("_") or "place"
    if made in RESERVED or made[0].isdigit():
        made = f"{made}_place" if made in RESERVED else f"n_{made}"
    return made


def name_all(texts: list[str], sea: dict[str, bool]) -> dict[str, str]:
    """An id for each name, no two the same; `7 Sea Zone` is `sz_7`."""
    made: dict[str, str] = {}
    taken: set[str] = set()
    for text in texts:
        number = re.fullmatch(r"(\d+)\s*(?:sea zone|sz)|(?:sea zone|sz)\s*(\d+)", text.strip().lower())
        wanted = f"sz_{number[1] or number[2]}" if number and sea.get(text) else slug(text)
        found, more = wanted, 2
        while found in taken:
            found, more = f"{wanted}_{more}", more + 1
        taken.add(found)
        made[text] = found
    return made


def read_game(root: Element, remarks: Remarks) -> Game:
    if root.tag != "game":
        raise ImportRefused(
            f"it is no TripleA game: its first element is `{root.tag[:40]}`, not `game`", root.line
        )
    _check_family(root)
    info = root.child("info")
    water = {t.get("name"): t.get("water").lower() == "true" for t in root.below("map", "territory")}
    lines = {t.get("name"): t.line for t in root.below("map", "territory")}
    neighbours: dict[str, set[str]] = {name: set() for name in water}
    for link in root.below("map", "connection"):
        a, b = link.get("t1"), link.get("t2")
        if a not in water or b not in water or a == b:
            remarks.add(link.line, f"connection {a} - {b}", "it names a place that the map does not have")
            continue
        neighbours[a].add(b)
        neighbours[b].add(a)
    for name in [name for name, near in neighbours.items() if not near]:
        remarks.add(lines[name], name, "it borders on nothing, and is left out")
        del water[name], neighbours[name]
    if all(water.values()):
        raise ImportRefused("no land of its map borders on anything", root.line)
    attachments = [
        _attachment(e) for e in root.below("attachmentList|attatchmentList", "attachment|attatchment")
    ]
    for element in [*root.below("variableList"), *root.below("technology")]:
        what = "technology" if element.tag == "technology" else "variables"
        why = (
            "the series has no research"
            if what == "technology"
            else "attachments that use them are read as written"
        )
        remarks.add(element.line, what, why)
    archetypes = {
        a.to.lower(): a.text("archeType", a.text("archetype", NEUTRAL)).lower()
        for a in attachments
        if a.kind == "RelationshipTypeAttachment"
    }
    game = Game(
        info.get("name", "Imported game") if info is not None else "Imported game",
        water, lines, neighbours, {}, [],
        {u.get("name"): u.line for u in root.below("unitList", "unit")},
        _prices(root, remarks),
        attachments,
        archetypes,
        [(r.get("player1"), r.get("player2"), r.get("type"), r.line) for r in root.below("initialize", "relationshipInitialize", "relationship")],
        {o.get("territory"): o.get("owner") for o in root.below("initialize", "ownerInitialize", "territoryOwner")},
        _placed(root, remarks),
        {},
        _properties(root),
    )  # fmt: skip
    _players(root, game, remarks)
    for given in root.below("initialize", "resourceInitialize", "resourceGiven"):
        amount = given.get("quantity")
        if given.get("resource") == "PUs" and amount.isdigit():
            game.money[given.get("player")] = min(int(amount), 999_999)
        elif given.get("resource") not in ("PUs", "techTokens"):
            remarks.add(given.line, f"{amount} {given.get('resource')}", "the series counts IPCs alone")
    game.ids = name_all([*water], water)
    game.power_ids = name_all(game.order, {})
    return game


def _check_family(root: Element) -> None:
    dice = root.child("diceSides")
    if dice is not None and dice.get("value", "6") != "6":
        raise ImportRefused(f"its dice have {dice.get('value')} sides; the series plays with six", dice.line)
    if not any(r.get("name") == "PUs" for r in root.below("resourceList", "resource")):
        raise ImportRefused("it has no resource `PUs`: it is not of the Axis & Allies family", root.line)
    if not root.below("map", "territory") or not root.below("playerList", "player"):
        raise ImportRefused("it has no map or no players", root.line)


def _attachment(element: Element) -> Attachment:
    made = Attachment(
        element.get("name"),
        element.get("attachTo") or element.get("attatchTo"),
        element.get("javaClass").rpartition(".")[2].replace("Attatchment", "Attachment"),
        element.line,
    )
    made.options = [
        Option(o.get("name"), o.get("value"), o.get("count"), o.line) for o in element.below("option")
    ]
    return made


def _prices(root: Element, remarks: Remarks) -> dict[str, int]:
    """Of each unit that a player can buy at the start: what one costs."""
    frontiers = {p.get("frontier") for p in root.below("production", "playerProduction")}
    offered = {
        r.get("name")
        for frontier in root.below("production", "productionFrontier")
        if not frontiers or frontier.get("name") in frontiers
        for r in frontier.below("frontierRules")
    }
    found: dict[str, int] = {}
    for rule in root.below("production", "productionRule"):
        if offered and rule.get("name") not in offered:
            continue
        costs = [(c.get("resource"), c.get("quantity")) for c in rule.below("cost")]
        for result in rule.below("result"):
            unit, number = result.get("resourceOrUnit"), result.get("quantity", "1")
            price = next((int(q) for r, q in costs if r == "PUs" and q.isdigit()), None)
            if price is None or any(r != "PUs" for r, _ in costs) or number != "1":
                remarks.add(rule.line, f"price of {unit}", "it is not one counter for a sum of PUs")
            elif unit in found and found[unit] != price:
                remarks.add(
                    rule.line,
                    f"price {price} of {unit}",
                    f"players pay different prices; {found[unit]} is taken",
                )
            else:
                found[unit] = price
    return found


#: Counters of one kind at one place at the start: more than anybody counts is a slip.
MOST_PLACED = 500


def _placed(root: Element, remarks: Remarks) -> list[tuple[Element, str, str, int, str]]:
    found = []
    for entry in root.below("initialize", "unitInitialize", "unitPlacement"):
        number = entry.get("quantity", "1")
        count = int(number[:9]) if number.isascii() and number.isdigit() else 1
        if count > MOST_PLACED:
            what = f"{number[:20]} {entry.get('unitType')} in {entry.get('territory')}"
            remarks.add(entry.line, what, f"a position has no room for so many; {MOST_PLACED} are placed")
            count = MOST_PLACED
        found.append((entry, entry.get("unitType"), entry.get("territory"), count, entry.get("owner")))
    return found


def _properties(root: Element) -> dict[str, str]:
    return {p.get("name"): p.get("value") for p in root.below("propertyList", "property")}


def _players(root: Element, game: Game, remarks: Remarks) -> None:
    """Who plays, on which side, in what order: those with a move of their own; others are neutrals."""
    names = [p.get("name") for p in root.below("playerList", "player")]
    alliances: dict[str, str] = {}
    for entry in root.below("playerList", "alliance"):
        if entry.get("player") in alliances:
            remarks.add(entry.line, f"second alliance of {entry.get('player')}", "the first counts")
        alliances.setdefault(entry.get("player"), entry.get("alliance"))
    moving = {
        d.get("name")
        for d in root.below("gamePlay", "delegate")
        if re.search(r"(?:^|\.)(?:Move|Place|Purchase)Delegate$", d.get("javaClass"))
    }
    for step in root.below("gamePlay", "sequence", "step"):
        player = step.get("player")
        if (
            player in names
            and player not in game.order
            and step.get("delegate") in moving
            and step.get("maxRunCount") != "1"
        ):
            if re.match(r"neutral", player, re.I):
                remarks.add(step.line, f"turns of {player}", "neutrals have none in the series")
            else:
                game.order.append(player)
    playing = list(dict.fromkeys(alliances.get(player, player) for player in game.order))
    if len(playing) != 2:
        shown = ", ".join(playing[:6]) or "none"
        raise ImportRefused(
            f"the series is played by two sides; the players of this game are in {len(playing)} ({shown})",
            root.line,
        )
    axis = next((a for a in playing if "axis" in a.lower()), None) or next(
        (a for a in playing if "allie" not in a.lower()), playing[0]
    )
    for player in names:
        plays = player in game.order
        game.sides[player] = (
            ("axis" if alliances.get(player, player) == axis else "allies") if plays else None
        )
    if not {axis} & {"Axis"}:
        remarks.add(root.line, f"alliance {axis}", "it plays as the side `axis`, the other as `allies`")
