"""Axis & Allies Europe 1940: clean check, examples on both back ends, odds of the land battle, random games."""

from __future__ import annotations

import json
import math
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from grognard import rng
from grognard.compiler.compile import Ruleset, compile_title
from grognard.compiler.dataload import Scenario, load_scenario
from grognard.compiler.diagnostics import Sink, format_text
from grognard.examplerun import ExampleRunner
from grognard.interpreter import Interpreter
from grognard.machineio import Io
from grognard.values import H_ASK, H_RNG_HI, H_RNG_LO, H_STATUS, NONE, STATUS_DECISION, STATUS_OVER

TITLE = Path(__file__).parents[2] / "rulesdef" / "axis_allies_1940" / "europe_1940"
ODDS = (
    Path(__file__).resolve().parents[2].parent
    / "shared"
    / "data"
    / "aa_odds"
    / "reference_battles_aacalc2.json"
)
NAMES = {
    "inf": "infantry",
    "art": "artillery",
    "arm": "tank",
    "fig": "fighter",
    "bom": "strategic_bomber",
    "aa": "aaa",
}
#: Battles of the reference that are fought here: four without and four with antiaircraft guns.
PICKED = 4
#: Battles fought for each, on the compiled back end and on the interpreter.
RUNS = {"compiled": 1500, "interpreter": 60}


@pytest.fixture(scope="module")
def ruleset() -> Ruleset:
    sink = Sink()
    made = compile_title(str(TITLE), sink)
    assert made is not None
    assert not list(sink), format_text(sink.sorted(), sink.sources, False)
    return made


@pytest.fixture(scope="module")
def runner(ruleset: Ruleset) -> ExampleRunner:
    return ExampleRunner(ruleset, "auto")


def back_end(ruleset: Ruleset, runner: ExampleRunner, name: str) -> tuple[Any, Scenario]:
    """A scenario of the title and what runs it: the engine that the examples were compiled to, if there is one."""
    program = ruleset.example_program
    scenario = load_scenario(ruleset.world, ruleset.project, program, ruleset.values, name)
    assert scenario is not None
    if runner._module is None:
        return Interpreter(program, scenario.layout, scenario.data), scenario
    from grognard.compiled import CompiledEngine

    return CompiledEngine(runner._module, program, scenario.layout, scenario.data), scenario


@pytest.mark.parametrize("name", ["europe_1940", "frontier", "channel", "empty"])
def test_scenarios_load(ruleset: Ruleset, name: str) -> None:
    sink = Sink()
    assert ruleset.scenario(name, sink) is not None
    assert not sink.has_errors


def test_every_rule_of_the_digest_is_known(ruleset: Ruleset) -> None:
    """Each rule of the rulebook is cited somewhere."""
    assert ruleset.rulebook is not None
    silent = {
        s.id
        for s in ruleset.rulebook.sections.values()
        if s.status == "rule" and s.id not in ruleset.world.cited
    }
    assert not silent


def test_examples(ruleset: Ruleset, runner: ExampleRunner) -> None:
    assert len(ruleset.examples) >= 120
    bad = []
    for example in ruleset.examples:
        result = runner.run(example)
        if not result.passed:
            bad.append(f"{example.title}: {'; '.join(d.message for d in result.failures)}")
    assert not bad, "\n".join(bad)


# -------------------------------------------------------------------------------------------- odds of the land battle


class Field:
    """A battlefield: the empty board with units put on it cell by cell."""

    def __init__(self, ruleset: Ruleset, scenario: Scenario) -> None:
        self.world = ruleset.world
        self.program = ruleset.example_program
        self.scenario = scenario
        self.cells = bytearray(scenario.cells.tobytes())
        self.view = memoryview(self.cells).cast("i")
        self.units = 0

    def number(self, domain: str, name: str) -> int:
        data = self.scenario.data.domains[self.world.types[domain].id]
        return data.base + data.names.index(name)

    def start_of(self, domain: str, field: str) -> int:
        dom = self.world.types[domain]
        number = dom.alive if field == "alive" else dom.fields[field].field
        assert number is not None
        return self.scenario.layout.field_offset[number]

    def put(self, kind: str, power: str, place: str, battle: int | None) -> None:
        values = {
            "alive": 1,
            "type": self.number("UnitType", kind),
            "power": self.number("Power", power),
            "at": self.number("Area", place),
            "battle": NONE if battle is None else battle,
        }
        for field, value in values.items():
            self.view[self.start_of("Unit", field) + self.units] = value
        self.units += 1

    def battle(self, place: str, attacker: str) -> int:
        base = self.scenario.data.domains[self.world.types["Battle"].id].base
        self.view[self.start_of("Battle", "alive")] = 1
        self.view[self.start_of("Battle", "at")] = self.number("Area", place)
        self.view[self.start_of("Battle", "attacker")] = self.number("Power", attacker)
        return base


def reference_battles() -> Iterator[Any]:
    if not ODDS.exists():
        yield pytest.param(None, marks=pytest.mark.skip(reason=f"no reference odds: {ODDS} is absent"))
        return
    battles = json.loads(ODDS.read_text())["battles"]

    def size(entry: Any) -> int:
        return sum(entry["attack"].values()) + sum(entry["defense"].values())

    for letter in ("L", "A"):
        known = [
            b
            for b in battles
            if b["id"].startswith(letter) and set(b["attack"]) | set(b["defense"]) <= set(NAMES)
        ]
        for entry in sorted(known, key=size)[:PICKED]:
            yield pytest.param(entry, id=entry["id"])


@pytest.mark.parametrize("battle", list(reference_battles()))
def test_odds_of_land_battles(ruleset: Ruleset, runner: ExampleRunner, battle: Any) -> None:
    """Casualties in the reference's order of loss, nobody retreats: the odds agree within 4 standard errors."""
    engine, scenario = back_end(ruleset, runner, "empty")
    field = Field(ruleset, scenario)
    number = field.battle("normandy_bordeaux", "germany")
    for kind, count in battle["attack"].items():
        for _ in range(count):
            field.put(NAMES[kind], "germany", "normandy_bordeaux", number)
    attackers = field.units
    for kind, count in battle["defense"].items():
        for _ in range(count):
            field.put(NAMES[kind], "france", "normandy_bordeaux", None)
    program = ruleset.example_program
    fight = dict(program.entry_points)["fight"]
    kinds = scenario.data.domains[ruleset.world.types["UnitType"].id].names
    order = {
        side: [NAMES[name] for name in battle[key]] for side, key in ((True, "ool_att"), (False, "ool_def"))
    }
    base = scenario.data.domains[ruleset.world.types["Unit"].id].base
    types, alive = field.start_of("Unit", "type"), field.start_of("Unit", "alive")
    holder = field.start_of("Territory", "controller") + (
        field.number("Territory", "normandy_bordeaux")
        - scenario.data.domains[ruleset.world.types["Territory"].id].base
    )
    germany = field.number("Power", "germany")
    runs = RUNS[engine.name]
    won = {"att_survives": 0, "def_survives": 0, "takes_territory": 0}
    for run in range(runs):
        cells = bytearray(field.cells)
        view = memoryview(cells).cast("i")
        view[H_RNG_LO], view[H_RNG_HI] = rng.seeded(1940 * 10_000 + run)
        io = Io()
        engine.start(cells, fight, (number,), io)
        while view[H_STATUS] == STATUS_DECISION:
            offered = engine.candidates(cells)
            if program.asks[view[H_ASK]].name == "combat_round.s":
                engine.answer(cells, NONE, io)
                continue

            ranks = {
                value: order[value - base < attackers].index(kinds[view[types + value - base]])
                for value in offered
            }
            engine.answer(cells, min(offered, key=ranks.__getitem__), io)
        left = [bool(view[alive + n]) for n in range(field.units)]
        won["att_survives"] += any(left[:attackers])
        won["def_survives"] += any(left[attackers:])
        won["takes_territory"] += view[holder] == germany
        view.release()
    for key, count in won.items():
        expected = battle[key]
        allowed = 4 * max(math.sqrt(expected * (1 - expected) / runs), 0.5 / runs)
        assert abs(count / runs - expected) <= allowed, (battle["id"], key, count / runs, expected)


# ------------------------------------------------------------------------------------------------------ random games


@pytest.mark.parametrize(("name", "games"), [("frontier", 8), ("channel", 3)])
def test_random_games_of_small_scenarios(
    ruleset: Ruleset, runner: ExampleRunner, name: str, games: int
) -> None:
    engine, scenario = back_end(ruleset, runner, name)
    for seed in range(games):
        pick = random.Random(seed)
        cells = bytearray(scenario.cells.tobytes())
        view = memoryview(cells).cast("i")
        view[H_RNG_LO], view[H_RNG_HI] = rng.seeded(seed)
        io = Io()
        engine.start(cells, ruleset.example_program.main, (), io)
        answers = 0
        while view[H_STATUS] == STATUS_DECISION:
            engine.answer(cells, pick.choice(engine.candidates(cells)), io)
            answers += 1
            assert answers < 5000, "the game does not end"
        assert view[H_STATUS] == STATUS_OVER
        view.release()
