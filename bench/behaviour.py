"""What bots do, in numbers: shots from behind, units in cover, orders that support each other, capitals taken, men at sea.

    python bench/behaviour.py                                   # every title that is watched, greedy beside random
    python bench/behaviour.py europe_1940 --games 20 --bot greedy --seconds 900

Each line is a share or a mean, with the number of cases.  Random players are the baseline: what a bot does no more often than
they do, it does by chance.  Where what is counted belongs to one side, the two play against each other, with sides swapped from
game to game; else all sides are played by the one, and then by the other.  Games are counted as they end and kept (`--kept`), so
that a long measurement goes on where it stopped.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import grognard
from grognard import bots
from grognard.contract.header import NONE
from grognard.geometry import OUTSIDE, arc_place
from grognard.geometry.hexmap import HexMap
from grognard.play.game import first_step, next_step
from grognard.play.position import Position
from kept_games import FOLDER, bots_hash

#: Answers of a game at most.
MAX_ANSWERS = 12_000
#: Rounds of the war in Europe that are watched.
ROUNDS = 3
#: Answers between two looks at how units stand.
EVERY = 10


class Watch:
    """Counts what happens in one game: by name, how often and of how many."""

    #: the scenarios that are watched, game by game; none: the title's first
    scenarios: tuple[str, ...] = ()
    #: whether what is counted belongs to a side
    by_side = False

    def __init__(self, engine: grognard.Engine, position: Position, players: dict[int, str]) -> None:
        self.engine = engine
        self.setting = position.setting
        #: who plays a side, by the side's raw value
        self.players = players
        #: by player and what is counted: how often, of how many
        self.counts: dict[str, dict[str, list[float]]] = {player: {} for player in players.values()}
        self.begin(position)

    def begin(self, position: Position) -> None:
        """The game has not begun."""

    def look(self, before: Position, after: Position, lines: Sequence[str], answers: int) -> None:
        """One answer was given, and the log says this of it."""
        raise NotImplementedError

    def end(self, position: Position) -> None:
        """The game is over, or was given up."""

    def enough(self, position: Position) -> bool:
        """Whether what is watched has been seen, though the game goes on."""
        return False

    def count(self, what: str, happened: float, of: float = 1, side: int | None = None) -> None:
        player = next(iter(self.counts)) if side is None else self.players[side]
        known = self.counts[player].setdefault(what, [0, 0])
        known[0] += happened
        known[1] += of

    # -- reading positions

    def column(self, position: Position, kind: str, field: str) -> list[int]:
        """The raw values of a field of all counters of a type, of those out of play too."""
        dom = self.setting.schema.types[kind]
        number = dom.alive if field == "alive" else dom.fields[field].field
        assert number is not None
        layout = self.setting.scenario.layout
        start = layout.field_offset[number]
        with memoryview(position.cells) as raw, raw.cast("i") as c:
            return c[start : start + layout.count[dom.id]].tolist()

    def numbers(self, position: Position, kind: str) -> dict[str, int]:
        """What the log calls the counters of a type, and their numbers."""
        return {piece.label: piece.number for piece in position.pieces(kind)}

    def base(self, kind: str) -> int:
        """The raw value of the first member of a type."""
        return self.setting.scenario.data.domains[self.setting.schema.types[kind].id].base


class Armour(Watch):
    """Tank battles: shots from behind the broadside, vehicles that stand in cover."""

    by_side = True
    scenarios = ("great_hill", "hedgerows", "farms", "crossroads")
    FIRES = re.compile(r"^(?P<by>.+) fires .+ at (?P<at>.+): -?\d+ or less hits$")

    def begin(self, position: Position) -> None:
        self.turn = position.game("turn")
        board = self.setting.schema.types["Hex"].id
        data = next(data for data in self.setting.scenario.data.maps if data.domain == board)
        self.hexmap = HexMap.from_axial("flat" if data.flat else "pointy", zip(data.q, data.r, strict=True))
        self.first = data.base

    def look(self, before: Position, after: Position, lines: Sequence[str], answers: int) -> None:
        for line in lines:
            if found := self.FIRES.match(line):
                self._shot(before, found["by"], found["at"])
        if (turn := after.game("turn")) != self.turn:
            self.turn = turn
            sides = self.column(after, "Vehicle", "side")
            for vehicle in after.pieces("Vehicle"):
                if vehicle.at is not None:
                    covered = self.engine.call("cover", [vehicle.at], after) not in ("bare", None)
                    self.count("vehicles in cover at the end of a turn", covered, 1, sides[vehicle.number])

    def _shot(self, position: Position, by: str, at: str) -> None:
        named = self.numbers(position, "Vehicle")
        places, facings = (self.column(position, "Vehicle", field) for field in ("at", "facing"))
        firer, target = named[by], named[at]
        facing = facings[target] - self.base("Direction")
        where = arc_place(self.hexmap, places[target] - self.first, facing, 180, places[firer] - self.first)
        side = self.column(position, "Vehicle", "side")[firer]
        self.count("shots from behind the broadside", where == OUTSIDE, 1, side)


class SecretOrders(Watch):
    """Orders written in secret: fire at a target at which others fire too, marches that end beside friends."""

    by_side = True
    AIMS = re.compile(r"^(?P<by>.+): (?P<order>[^,:]+), target (?P<at>.+)$")
    GOES = re.compile(r"^(?P<by>.+): (?P<order>[^,:]+) to (?P<to>\S+)$")

    def look(self, before: Position, after: Position, lines: Sequence[str], answers: int) -> None:
        named = self.numbers(before, "Unit")
        aims = [found for line in lines if (found := self.AIMS.match(line)) and found["by"] in named]
        at = Counter(found["at"] for found in aims)
        sides = self.column(before, "Unit", "side")
        for found in aims:
            side = sides[named[found["by"]]]
            self.count("orders to fire or storm at a target of others", at[found["at"]] > 1, 1, side)
        places = self.column(before, "Unit", "at")
        for line in lines:
            found = self.GOES.match(line)
            if not found or found["by"] not in named:
                continue
            mover = named[found["by"]]
            friends = [
                place
                for number, place in enumerate(places)
                if number != mover and place != NONE and sides[number] == sides[mover]
            ]
            beside = self._beside(found["to"], friends)
            self.count("marches that end beside a friend", beside, 1, sides[mover])

    def _beside(self, name: str, places: list[int]) -> bool:
        hexes = self.setting.scenario.data.domains[self.setting.schema.types["Hex"].id]
        goal = hexes.base + hexes.names.index(name)
        return any(self._apart(goal, place) <= 1 for place in places)

    def _apart(self, one: int, other: int) -> int:
        data = next(data for data in self.setting.scenario.data.maps if data.base <= one < data.base + data.n)
        across = data.q[one - data.base] - data.q[other - data.base]
        down = data.r[one - data.base] - data.r[other - data.base]
        return max(abs(across), abs(down), abs(across + down))


class Squads(Watch):
    """Infantry fights: enemies near a unit that it faces."""

    by_side = True

    def look(self, before: Position, after: Position, lines: Sequence[str], answers: int) -> None:
        if answers % EVERY:
            return
        units = [unit for unit in after.pieces("Unit") if unit.at is not None and not unit.hidden]
        for unit in units:
            side = self.setting.side_of_seat[self.engine.seats.index(unit.army)] + self.base("Side")
            for enemy in units:
                if enemy is not unit and self.engine.call("near_enemy", [enemy.name, unit.name], after):
                    faced = self.engine.call("in_arc", [unit.name, enemy.at], after)
                    self.count("enemies within eight hexes that a unit faces", bool(faced), 1, side)


class Operations(Watch):
    """Operational war: battles, their columns, supply, landings."""

    BATTLE = re.compile(r"^\S+: column (?P<column>.+), die \d+, modifier (?P<drm>-?\d+): ")

    def begin(self, position: Position) -> None:
        self.turn = position.game("turn")
        self.turns = 0
        self.battles = 0
        self.landed: set[int] = set()

    def look(self, before: Position, after: Position, lines: Sequence[str], answers: int) -> None:
        self.battles += sum(bool(self.BATTLE.match(line)) for line in lines)
        self.landed |= {number for number, flag in enumerate(self.column(after, "Ground", "landed")) if flag}
        if (turn := after.game("turn")) != self.turn:
            self.turn, self.turns = turn, self.turns + 1
            self._supply(after)

    def _supply(self, position: Position) -> None:
        left, places, short = (
            self.column(position, "Ground", field) for field in ("left", "at", "unsupplied")
        )
        for number, steps in enumerate(left):
            if steps > 0 and places[number] != NONE:
                self.count("ground units out of supply at the end of a turn", short[number])

    def end(self, position: Position) -> None:
        self._supply(position)
        self.count("battles in a turn", self.battles, max(1, self.turns))
        self.count("units landed in a game", len(self.landed))


class Nations(Watch):
    """The war in Europe: France, declarations of war, men at sea, what the United States build."""

    DECLARES = re.compile(r"^(?P<who>.+) declares war on (?P<whom>[^,]+)(?P<provoked>, provoked)?$")

    def begin(self, position: Position) -> None:
        self.round = 0
        self.declared: Counter[str] = Counter()
        self.aboard: set[int] = set()
        self.carried = 0
        self.fell: int | None = None
        self.ships: list[int] = []

    def enough(self, position: Position) -> bool:
        return int(position.game("round")) > ROUNDS

    def look(self, before: Position, after: Position, lines: Sequence[str], answers: int) -> None:
        round_of = int(after.game("round"))
        for line in lines:
            if found := self.DECLARES.match(line):
                self.declared[found["who"].lower() + " on " + found["whom"].lower()] += 1
        if self.fell is None and after.get("Territory", "france", "controller") in ("germany", "italy"):
            self.fell = int(before.game("round"))
        aboard = {n for n, ship in enumerate(self.column(after, "Unit", "aboard")) if ship != NONE}
        self.carried += len(aboard - self.aboard)
        self.aboard = aboard
        if round_of != self.round:
            self.round = round_of
            self.ships.append(self._ships(after, "usa"))

    def _ships(self, position: Position, power: str) -> int:
        return sum(
            unit.power == power and position.get("UnitType", unit.type, "arm") == "sea"
            for unit in position.pieces("Unit")
        )

    def end(self, position: Position) -> None:
        rounds = max(1, min(ROUNDS, self.round))
        self.count("France taken in round 1 or 2", self.fell is not None and self.fell <= 2)
        self.count(f"France taken by round {ROUNDS}", self.fell is not None)
        self.count("declarations of war in a round", sum(self.declared.values()), rounds)
        for pair, times in self.declared.items():
            self.count(f"declared: {pair}", times)
        self.count("units carried by sea in a round", self.carried, rounds)
        if len(self.ships) > ROUNDS:
            self.count(f"ships of the USA gained in {ROUNDS} rounds", self.ships[ROUNDS] - self.ships[0])


class Corner(Operations):
    scenarios = ("lumia",)


WATCHES: dict[str, type[Watch]] = {
    "mbt": Armour,
    "hot_war": SecretOrders,
    "storms_of_steel": Squads,
    "strait": Operations,
    "tarn_sound": Corner,
    "europe_1940": Nations,
}


Counts = dict[str, dict[str, list[float]]]


def watched(
    engine: grognard.Engine, watch: type[Watch], scenario: str | None, names: Sequence[str], seed: int
) -> Counts:
    """The counts of one game, by player; the sides are played by these bots in turn."""
    setting = engine.setting(scenario)
    step = first_step(engine, setting, seed)
    sides = setting.engine.ruleset.schema.sides
    assert sides is not None
    of_side = {side: names[side % len(names)] for side in range(len(sides.members))}
    base = setting.scenario.data.domains[sides.id].base
    watching = watch(engine, step.position, {base + side: name for side, name in of_side.items()})
    players = {
        seat: bots.make(of_side[setting.side_of_seat[number]], seed)
        for number, seat in enumerate(engine.seats)
    }
    answers = 0
    while not step.position.over and answers < MAX_ANSWERS and not watching.enough(step.position):
        before = step.position
        assert before.to_move is not None
        step = next_step(step, players[before.to_move].choose(before))
        answers += 1
        watching.look(before, step.position, [line.text for line in step.lines], answers)
    watching.end(step.position)
    return watching.counts


class Measured:
    """Games of one title that were watched, kept in a file."""

    def __init__(self, engine: grognard.Engine, title: str, kept: Path) -> None:
        self.engine, self.watch = engine, WATCHES[title]
        self.file = kept / f"behaviour_{title}.jsonl"
        self.known: dict[str, Counts] = {}
        if self.file.exists():
            lines = map(json.loads, self.file.read_text("utf-8").splitlines())
            self.known = {entry["key"]: entry["counts"] for entry in lines}

    def games(self, names: Sequence[str], seed: int, games: int, seconds: float) -> tuple[int, Counts]:
        """How many games were watched, and their counts together; those that are known are not played again."""
        total: Counts = {name: {} for name in names}
        begun, played, done = time.process_time(), 0, 0
        for number in range(games):
            used = time.process_time() - begun
            swapped = names if number % 2 == 0 else list(reversed(names))
            counts, fresh = self._game(
                number, swapped, seed + number, played == 0 or used * (played + 1) / played < seconds
            )
            if counts is None:
                break
            played, done = played + fresh, done + 1
            for name, each in counts.items():
                for what, (happened, of) in each.items():
                    known = total[name].setdefault(what, [0, 0])
                    known[0] += happened
                    known[1] += of
        return done, total

    def _game(
        self, number: int, names: Sequence[str], seed: int, may_play: bool
    ) -> tuple[Counts | None, bool]:
        scenarios = self.watch.scenarios
        scenario = scenarios[number // 2 % len(scenarios)] if scenarios else self.engine.default_scenario
        code = bots_hash(tuple(names))
        key = f"{self.engine.setting(scenario).fingerprint}/{code}/{','.join(names)}/{seed}"
        if key in self.known:
            return self.known[key], False
        if not may_play:
            return None, False
        counts = self.known[key] = watched(self.engine, self.watch, scenario, names, seed)
        self.file.parent.mkdir(parents=True, exist_ok=True)
        with self.file.open("a", encoding="utf-8") as out:
            out.write(json.dumps({"key": key, "counts": counts}) + "\n")
        return counts, True


def told(counts: list[float] | None) -> str:
    """ "0.41 of 312": a share of so many cases, or a mean of what can happen more than once."""
    if counts is None or not counts[1]:
        return "none"
    happened, of = counts
    return f"{happened / of:.2f} of {of:g}"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "titles", nargs="*", choices=[*WATCHES, []], help="only these (default: all that are watched)"
    )
    parser.add_argument("--bot", default="greedy")
    parser.add_argument("--against", default="random", help="the baseline")
    parser.add_argument("--games", type=int, default=20, help="of each")
    parser.add_argument("--seed", type=int, default=7000)
    parser.add_argument(
        "--seconds", type=float, default=120.0, help="of the processor, for one title and bot"
    )
    parser.add_argument("--kept", type=Path, default=FOLDER, help="the folder where counts are kept")
    args = parser.parse_args()
    print(f"| title | what | `{args.bot}` | `{args.against}` |")
    print("| --- | --- | --- | --- |")
    for title in args.titles or WATCHES:
        engine = grognard.load(title)
        measured = Measured(engine, title, args.kept)
        pairs = [(args.bot, args.against)] if WATCHES[title].by_side else [(args.bot,), (args.against,)]
        found: Counts = {}
        for names in pairs:
            games, counts = measured.games(names, args.seed, args.games, args.seconds)
            found.update(counts)
            print(f"| {title} | games of {' and '.join(names)} | {games} | |")
        mine, theirs = found[args.bot], found[args.against]
        for what in dict.fromkeys([*mine, *theirs]):
            print(f"| {title} | {what} | {told(mine.get(what))} | {told(theirs.get(what))} |")
        sys.stdout.flush()
    return 0


if __name__ == "__main__":
    sys.exit(main())
