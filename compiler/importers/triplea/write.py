"""A game as the files of a title."""

from __future__ import annotations

import json
import re
from collections import Counter

from grognard.compiler.importers.remarks import ImportRefused, Remarks
from grognard.compiler.importers.triplea.game import SIDES, Game
from grognard.compiler.importers.triplea.rules import Rules
from grognard.compiler.importers.triplea.units import Forces

SERIES = "axis_allies_1940"
#: The units that the series has room for.
ROOM = 1000
#: Units at the start with which a position could still be played.
MOST_ROOM = 10_000


def quoted(value: object) -> str:
    """A scalar for YAML: names and texts quoted as JSON, which is YAML too."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int) or (isinstance(value, str) and re.fullmatch(r"[a-z][a-z0-9_]*", value)):
        return (
            f'"{value}"'
            if value in ("yes", "no", "on", "off", "true", "false", "null", "y", "n")
            else str(value)
        )
    if isinstance(value, list):
        return f"[{', '.join(quoted(item) for item in value)}]"
    return json.dumps(str(value), ensure_ascii=False)


def plain(text: str) -> str:
    """A text as the language can quote it."""
    return " ".join(re.sub(r'["\\{}]|[^\w\s.,:;!?()&+*/\'-]', " ", text).split())[:120] or "Imported"


def row(values: dict[str, object]) -> str:
    return f"{{{', '.join(f'{key}: {quoted(value)}' for key, value in values.items())}}}"


class Writer:
    def __init__(
        self, game: Game, forces: Forces, rules: Rules, remarks: Remarks, title: str, rounds: int
    ) -> None:
        self.game, self.forces, self.rules, self.remarks = game, forces, rules, remarks
        self.title, self.rounds = title, rounds
        self.neutrals = {name: self._leaning(name) for name in game.sides if not game.plays(name)}
        self.kept = list(game.water)
        self.passages = self._passages()
        self.capitals = self._capitals()

    def files(self, source: str) -> dict[str, str]:
        head = f"# Imported from {source} (TripleA).  Whoever made that file has a say in what may be done with it.\n"
        made = {
            "title.yaml": self._title(source),
            "game.grog": self._game(source),
            "powers.yaml": head + self._powers(),
            "units.yaml": head + "instead: yes\n" + self._rows(self.forces.units),
            "facilities.yaml": head + self._rows(self.forces.facilities),
            "passages.yaml": head + self._passage_rows(),
            "maps/map.yaml": head + self._map(),
            "scenarios/start.yaml": head + self._scenario(),
        }
        return made

    # ---- what there is

    def _leaning(self, neutral: str) -> str | None:
        """The side that a neutral player favours, by its relations or its name."""
        friends: Counter[str] = Counter()
        for a, b, sort, _line in self.game.relations:
            other = b if a == neutral else a if b == neutral else None
            side = self.game.sides.get(other) if other else None
            if side and (
                ("friendly" in sort.lower() and "un" not in sort.lower())
                or self.game.archetypes.get(sort.lower()) == "allied"
            ):
                friends[side] += 1
        if len(friends) == 1:
            return next(iter(friends))
        words = neutral.lower()
        return "axis" if "axis" in words else "allies" if "allie" in words else None

    def _capitals(self) -> dict[str, str]:
        found: dict[str, str] = {}
        for a in self.game.of_kind("TerritoryAttachment"):
            owner = a.text("capital")
            if not self.game.plays(owner) or a.to not in self.kept or self.game.water.get(a.to):
                continue
            if owner in found:
                self.remarks.add(a.line, f"capital {a.to} of {owner}", f"a second one; {found[owner]} counts")
            found.setdefault(owner, a.to)
        for player in self.game.order:
            if player not in found:
                self.remarks.add(1, player, "it has no capital: it goes on as long as it likes")
        return found

    def _passages(self) -> dict[str, tuple[list[str], list[tuple[str, str]], list[str]]]:
        """Canals: name -> guards, pairs of zones, units that pass anyhow."""
        zones: dict[str, list[str]] = {}
        guards: dict[str, list[str]] = {}
        free: dict[str, list[str]] = {}
        for a in self.game.of_kind("CanalAttachment"):
            name = a.text("canalName", a.name)
            lands = a.option("landTerritories")
            zones.setdefault(name, []).append(a.to)
            guards[name] = [
                t for t in (lands.parts if lands else []) if t in self.kept and not self.game.water[t]
            ]
            free[name] = a.option("excludedUnits").parts if a.option("excludedUnits") else []  # type: ignore[union-attr]
        made = {}
        for name, ends in zones.items():
            pairs = [
                (a, b)
                for n, a in enumerate(ends)
                for b in ends[n + 1 :]
                if b in self.game.neighbours.get(a, ())
            ]
            sea = [pair for pair in pairs if all(self.game.water[end] for end in pair)]
            if not sea or not guards[name]:
                line = next(
                    a.line
                    for a in self.game.of_kind("CanalAttachment")
                    if a.text("canalName", a.name) == name
                )
                self.remarks.add(line, f"canal {name}", "it joins no two sea zones, or no land guards it")
                continue
            made[name] = (guards[name], sea, free[name])
        return made

    # ---- files

    def _title(self, source: str) -> str:
        values = {
            "name": self.game.name,
            "id": self.title,
            "series": SERIES,
            "provenance": f"imported from {source} (TripleA); IMPORT.md says what was not carried over",
            "scenario": "start",
            "about": f"{len(self.game.order)} powers; imported.",
        }
        return "".join(f"{key}: {json.dumps(value, ensure_ascii=False)}\n" for key, value in values.items())

    def _rows(self, rows: dict[str, dict[str, object]]) -> str:
        return "".join(f"{name}: {row(values)}\n" for name, values in rows.items()) or "{}\n"

    def _powers(self) -> str:
        lines = []
        for number, player in enumerate(self.game.order, 1):
            values: dict[str, object] = {
                "name": player.replace("_", " "),
                "side": self.game.sides[player],
                "order": number,
            }
            capital = self.capitals.get(player)
            text = row(values)[:-1] + (
                f", capital: {self.game.ids[capital]}}}" if capital else ", capital: NA}"
            )
            lines.append(f"{self.game.power_ids[player]}: {text}\n")
        return "".join(lines)

    def passage_ids(self) -> dict[str, str]:
        from grognard.compiler.importers.triplea.game import name_all

        return name_all([*self.passages], {})

    def _passage_rows(self) -> str:
        ids = self.passage_ids()
        rows = [
            f"{ids[name]}: {row({'name': name, 'guards': [self.game.ids[g] for g in guards]})}\n"
            for name, (guards, _pairs, _free) in self.passages.items()
        ]
        # The series wants a row; this one lies nowhere.
        return "".join(rows) or f"no_passage: {{name: none, guards: [{self.game.ids[self._first_land()]}]}}\n"

    def _first_land(self) -> str:
        return next(name for name in self.kept if not self.game.water[name])

    def _map(self) -> str:
        game = self.game
        armies = self._armies()
        lines = [f"name: {json.dumps(game.name, ensure_ascii=False)}\n", "default: {army: 0}\n", "areas:\n"]
        for name in self.kept:
            near = sorted(game.ids[other] for other in game.neighbours[name] if other in self.kept)
            about = next(iter(game.of_kind("TerritoryAttachment", name)), None)
            values: dict[str, object]
            if game.water[name]:
                values = {"class": "SeaZone", "name": name}
                if about is not None and about.option("blockadeZone"):
                    values["convoy"] = True
            else:
                values = self._land(name, armies)
            text = (
                row(values)
                .replace('class: "SeaZone"', "class: SeaZone")
                .replace('class: "Territory"', "class: Territory")
            )
            lines.append(f"  {game.ids[name]}: {text[:-1]}, adjacent: [{', '.join(near)}]}}\n")
        ids = self.passage_ids()
        edges = [
            f"  - {{between: [{game.ids[a]}, {game.ids[b]}], passage: {ids[name]}}}\n"
            for name, (_guards, pairs, _free) in self.passages.items()
            for a, b in pairs
        ]
        return "".join([*lines, *(["edges:\n", *edges] if edges else [])])

    def _land(self, name: str, armies: Counter[str]) -> dict[str, object]:
        game = self.game
        about = next(iter(game.of_kind("TerritoryAttachment", name)), None)
        values: dict[str, object] = {"class": "Territory", "name": name, "ipc": 0}
        if about is not None:
            values["ipc"] = min(max(about.number("production"), 0), 99)
            original = about.text("originalOwner") or game.owners.get(name, "")
            if about.yes("isImpassable") or about.yes("isImpassible"):
                values["barred"] = True
            if about.text("victoryCity") not in ("", "false", "0"):
                values["city"] = True
            for option in about.options:
                if option.name not in (
                    "production",
                    "unitProduction",
                    "originalOwner",
                    "isImpassable",
                    "isImpassible",
                    "victoryCity",
                    "capital",
                ):
                    self.remarks.add(
                        option.line, f"{name}: {option.name} {option.value}", "the series does not know it"
                    )
        else:
            original = game.owners.get(name, "")
        if game.plays(original):
            values["owner"] = game.power_ids[original]
        owner = game.owners.get(name, "")
        if not game.plays(owner):
            if armies[name]:
                values["army"] = min(armies[name], 99)
            leans = self.neutrals.get(owner)
            if leans is not None and not values.get("barred"):
                values["kin"] = leans
        if not any(not game.water[other] for other in game.neighbours[name]):
            values["island"] = True
        return values

    def _armies(self) -> Counter[str]:
        """Infantry of neutrals, by territory."""
        found: Counter[str] = Counter()
        for entry, unit, place, count, owner in self.game.placed:
            if self.game.plays(owner) or place not in self.game.ids:
                continue
            if (
                self.game.unit_ids.get(unit) == "UnitType.infantry"
                and not self.game.water[place]
                and not self.game.plays(self.game.owners.get(place, ""))
            ):
                found[place] += count
            else:
                self.remarks.add(
                    entry.line,
                    f"{count} {unit} of {owner or 'nobody'} in {place}",
                    "armies of neutrals are infantry in their own land",
                )
        return found

    def _scenario(self) -> str:
        game = self.game
        wars = []
        for a, b, sort, line in game.relations:
            if game.plays(a) and game.plays(b) and game.is_war(sort):
                if game.sides[a] != game.sides[b]:
                    wars.append(f"[{game.power_ids[a]}, {game.power_ids[b]}]")
                else:
                    self.remarks.add(line, f"war of {a} and {b}", "both are of one side")
        if not game.relations:
            wars = [
                f"[{game.power_ids[a]}, {game.power_ids[b]}]"
                for a in game.order
                for b in game.order
                if game.sides[a] == "axis" and game.sides[b] == "allies"
            ]
        lines = ["name: Start\n", "about: Imported.\n", "maps: {Map: maps/map.yaml}\n"]
        set_fields = {
            "last_round": self.rounds,
            **{name: True for name, on in self.rules.switches.items() if on},
        }
        lines.append(f"game: {row({**set_fields})}\n")
        if wars:
            lines.append(f"relations:\n  at_war: [{', '.join(wars)}]\n")
        lines.append("power:\n")
        lines += [f"  {game.power_ids[p]}: {{ipc: {game.money.get(p, 0)}}}\n" for p in game.order]
        lines += ["places:\n", "  Map:\n"]
        for name in self.kept:
            owner = game.owners.get(name, "")
            if game.water[name]:
                continue
            if game.plays(owner):
                lines.append(f"    {game.ids[name]}: {{controller: {game.power_ids[owner]}}}\n")
            elif self.neutrals.get(owner) and not self._barred(name):
                lines.append(f"    {game.ids[name]}: {{leans: {self.neutrals[owner]}}}\n")
        return "".join([*lines, "pieces:\n", *self._pieces()])

    def _barred(self, name: str) -> bool:
        return any(
            a.yes("isImpassable") or a.yes("isImpassible")
            for a in self.game.of_kind("TerritoryAttachment", name)
        )

    def _pieces(self) -> list[str]:
        game = self.game
        lines = []
        for entry, unit, place, count, owner in game.placed:
            kind, _, sort = game.unit_ids.get(unit, "").partition(".")
            if not game.plays(owner) and kind != "FacilityType":
                continue  # an army of a neutral
            what = f"{count} {unit} in {place}"
            if not kind or place not in self.kept:
                self.remarks.add(
                    entry.line,
                    what,
                    "the title has no such unit" if not kind else "the title has no such place",
                )
                continue
            if entry.get("hitsTaken") or entry.get("unitDamage"):
                self.remarks.add(entry.line, what, "damage at the start is not carried over")
            if kind == "FacilityType":
                if game.water[place]:
                    self.remarks.add(entry.line, what, "facilities stand on land")
                    continue
                lines += [f"  - {{Facility: {sort}, at: {game.ids[place]}}}\n"] * min(count, 1)
                continue
            arm = self.forces.units[sort]["arm"]
            if (game.water[place] and arm == "land") or (not game.water[place] and arm == "sea"):
                self.remarks.add(
                    entry.line, what, "land units at sea, or ships on land, are not carried over"
                )
                continue
            number = f", count: {count}" if count > 1 else ""
            lines.append(
                f"  - {{Unit: {sort}, power: {game.power_ids[owner]}, at: {game.ids[place]}{number}}}\n"
            )
        return lines

    # ---- rules

    def _game(self, source: str) -> str:
        rules, game = self.rules, self.game
        text = [
            f"# Imported from {source} (TripleA): powers, objectives, politics and victory of this game.",
            f'title {self.title} "{plain(game.name)}" of {SERIES}',
            "",
        ]
        placed = sum(
            count
            for _, unit, _, count, _ in game.placed
            if game.unit_ids.get(unit, "").startswith("UnitType.")
        )
        if placed > MOST_ROOM:
            raise ImportRefused(f"{placed} units at the start are more than a position has room for")
        if 2 * placed > ROOM:
            # As many again can be bought.
            text += [f"add to piece Unit up to {2 * placed}", ""]
        fields = [f"  {name}: 0..{most}" for name, most in rules.counters.items()]
        fields += [f"  {name}: flag" for name in rules.switches]
        if fields:
            text += ["game", *fields, ""]
        text += [
            "rule owner_of_space(s: Area) -> Power?", "  = s.owner when s is Territory", "  = none otherwise", "",
            "rule seated(side: Side) -> flag",
            "  = any(p in Power where p.side is side and p.capital is not none and held(p.capital, side))", "",
            *self._victory(), "",
        ]  # fmt: skip
        if rules.objectives:
            text += ["add to modifiers objectives", *(f"  {line}" for line in rules.objectives), ""]
        for me, when, counter in rules.limited:
            text += [
                f"on income_taken(p) when p is {me} and {counter} < {rules.counters[counter]}"
                + (f" and ({when})" if when != "yes" else ""),
                f"  {counter} += 1",
                "",
            ]
        text += self._politics()
        if rules.events:
            text += [
                "procedure settle_events",
                *(f"  {line}" for event in rules.events for line in event),
                "",
            ]
            text += [
                "on captured(t, p, loser)",
                "  do settle_events",
                "",
                "on income_due(p)",
                "  do settle_events",
                "",
            ]
        ids = self.passage_ids()
        for name, (_guards, _pairs, free) in self.passages.items():
            divers = [
                u
                for u in free
                if self.forces.units.get(game.unit_ids.get(u, "").partition(".")[2], {}).get("dives")
            ]
            if divers:
                text += [
                    f"exception {ids[name]}_dived to open_to when e is Passage.{ids[name]} and u.dives",
                    "  = yes",
                    "",
                ]
        return "\n".join(text).rstrip() + "\n"

    def _victory(self) -> list[str]:
        """When a side threatens to win: by the file's own conditions, else by cities, else by capitals."""
        lines = ["rule threatens(side: Side) -> flag"]
        for side in SIDES:
            found = self.rules.victory.get(side)
            if not found:
                number = self._cities(side)
                if number:
                    found = [f"count(t in Territory where t.city and held(t, {side})) >= {number}"]
                else:
                    found = [
                        f"all(p in Power where p.side is not {side} and p.capital is not none: held(p.capital, {side}))"
                    ]
                self.remarks.add(
                    1,
                    f"victory of the {side}",
                    "no trigger that the rules can say: "
                    + ("by the number of its cities" if number else "it holds the enemy's capitals"),
                )
            when = " or ".join(f"({text})" for text in found)
            lines.append(f"  = {when} " + ("when side is axis" if side == "axis" else "otherwise"))
        return lines

    def _cities(self, side: str) -> int:
        """The number of victory cities that properties of the game give to a side."""
        numbers = [
            int(value)
            for name, value in self.game.properties.items()
            if re.search(r"VCs$", name) and value.isdigit() and name.lower().startswith(side[:4])
        ]
        cities = sum(
            1
            for a in self.game.of_kind("TerritoryAttachment")
            if a.text("victoryCity") not in ("", "false", "0")
        )
        possible = [number for number in numbers if 0 < number <= cities]
        return min(possible) if possible else 0

    def _politics(self) -> list[str]:
        """Who may declare war on whom, where the file says so at all."""
        game, rules = self.game, self.rules
        if not rules.declares and not game.of_kind("PoliticalActionAttachment"):
            return []
        lines = [
            "exception politics_of_the_game to may_declare",
            "  = base and may_open(p, q)",
            "",
            "rule may_open(p: Power, q: Power) -> flag",
        ]
        for (p, q), when in rules.declares.items():
            text = " or ".join(f"({part})" for part in dict.fromkeys(when)) if len(when) > 1 else when[0]
            lines.append(f"  = {text} when p is {game.power(p)} and q is {game.power(q)}")
        lines += ["  = no otherwise", ""]
        for (p, q), wars in rules.follows.items():
            if wars:
                lines.append(f"on war_declared(p, q) when p is {game.power(p)} and q is {game.power(q)}")
                lines += [f"  at_war({game.power(a)}, {game.power(b)}) := yes" for a, b in wars]
                lines.append("")
        return lines
