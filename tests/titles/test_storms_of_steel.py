"""Storms of Steel: the check is clean, its examples pass, and random play keeps what the rules promise."""

from __future__ import annotations

import random
import shutil
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import grognard
import pytest
import yaml
from every_title import EveryTitle
from grognard.bots import Knowledge
from grognard.compiler.build.build import compiler_available
from grognard.compiler.driver.pipeline import compile_title
from grognard.contract.backend import TRACE_OFF, Io
from grognard.contract.ruleset import Ruleset
from grognard.play.compare_backends import compare_backends
from grognard.play.examples import ExampleRunner
from grognard.play.playouts import playouts
from grognard.support.diagnostics import Sink

TITLE = "storms_of_steel"
SERIES = Path(__file__).parents[2] / "rulesdef" / "conflict_of_heroes"
ARMIES = {"german": "axis", "soviet": "allies", "german_2": "axis", "soviet_2": "allies"}
MOST_ANSWERS = 4000
UPDATE, QUESTIONS = "update of 2010", "questions of 2010"

#: Examples that hold only with an errata layer in force: without it the printed text gives another result.
CHANGED = {
    UPDATE: {
        "two units enter together for the price of the dearer",
        "weapon cards and hit counters",
        "the observation point of a mortar serves the batteries",
        "occupying works is an action of one point",
        "EX-101 pinned infantry stays aboard",
        "wheat and corn",
        "tracks do not cross small gullies",
        "a spent aircraft manoeuvres on command points",
        "EX-112 a grenade thrown one hex, at no cost",
    },
    QUESTIONS: {
        "EX-112 a grenade thrown one hex, at no cost",
        "a Command Action moves a hidden unit that stays hidden",
        "EX-109 a failed attempt to clear a mine sets it off",
        "wire does not stop an opportunity move",
        "a fight over a mined hex sets nothing off, unless the mine itself is attacked",
        "Molotovs cost nothing and are thrown one hex",
        "hidden units pass over mines",
        "a hidden squad walks over mines, by card too, and does not turn them up",
    },
}
#: Ours, one for each part of the rules.
FIREFIGHTS = (
    "village_square",
    "steel_on_the_steppe",
    "corn_and_ravine",
    "barrage_on_the_height",
    "fortified_line",
    "low_flyers",
    "column_on_the_road",
    "four_armies",
)


@pytest.fixture(scope="module")
def engine() -> grognard.Engine:
    return grognard.load(TITLE)


class TestStormsOfSteel(EveryTitle):
    fewest_examples = 310
    fewest_exercised = 313


def test_nothing_of_the_box_is_lost(ruleset: Ruleset) -> None:
    sundry = {"ambush", "farm_track", "proving_ground", "board_names", "optional_rules", "other_readings"}
    assert sundry | set(FIREFIGHTS) <= set(ruleset.scenario_names())


@pytest.mark.parametrize("scenario", FIREFIGHTS)
def test_firefights_are_recorded_as_even(scenario: str) -> None:
    """`bench/balance.py --record` wrote down how bots of one strength fared; a draw is half a win."""
    file = SERIES / TITLE / "scenarios" / f"{scenario}.yaml"
    balance = yaml.safe_load(file.read_text("utf-8"))["balance"]
    assert balance["games"] >= 40
    assert 0.35 <= (balance["axis"] + balance["drawn"] / 2) / balance["games"] <= 0.65


def test_every_rule_of_the_digest_is_cited(ruleset: Ruleset) -> None:
    """What the rulebook file does not excuse with a reason is cited by code, not by examples alone."""
    book = ruleset.rulebook
    assert book is not None
    excused = {name for name, section in book.sections.items() if section.status != "rule"}
    assert len(book.sections) > 340 and len(excused) < 45
    text = "".join(path.read_text("utf-8") for path in [*SERIES.glob("*.grog"), *SERIES.glob("*/game.grog")])
    text += "".join(path.read_text("utf-8") for path in SERIES.rglob("errata/*.grog"))
    cited = {word.strip() for part in text.split("[")[1:] for word in part.split("]")[0].split(",")}
    assert set(book.sections) - excused - cited == set()


@pytest.mark.parametrize("in_force", [(), (UPDATE,), (QUESTIONS,)])
def test_printed_rules_without_the_errata(in_force: tuple[str, ...]) -> None:
    """Both layers lie on top of the printed text: a build without one fails exactly the examples that it changes."""
    sink = Sink()
    printed = compile_title(TITLE, sink, errata=list(in_force))
    assert printed is not None and not list(sink)
    assert tuple(printed.merged.errata) == in_force
    absent = [layer for layer in CHANGED if layer not in in_force]
    expected = set().union(*(CHANGED[layer] for layer in absent))
    runner = ExampleRunner(printed, "interpreter")
    concerned = [
        example
        for example in printed.examples
        if example.title in expected or any(str(cite).startswith(("err", "faq")) for cite in example.cites)
    ]
    assert len(concerned) > 30
    failed = {example.title for example in concerned if not runner.run(example).passed}
    assert failed == expected


def test_another_box_is_data(tmp_path: Path) -> None:
    """A title of the series needs no rule of its own: other sides, armies, counters and cards, and it plays."""
    series = tmp_path / "conflict_of_heroes"
    box = series / "little_box"
    shutil.copytree(SERIES, series, ignore=shutil.ignore_patterns("storms_of_steel"))
    shutil.copytree(SERIES / TITLE / "maps", box / "maps")
    files = {
        "title.yaml": "{name: Little Box, id: little_box, scenario: meeting}\n",
        "game.grog": 'title little_box "Little Box" of conflict_of_heroes\nsides west, east [C-10]\n',
        "armies.yaml": "blue: {side: west, order: 1, file: 1}\nred: {side: east, order: 2, file: 2, bids_first: yes}\n",
        "units.yaml": (
            "UnitType:\n  squad: {body: infantry, travel: foot, fire_cost: 3, move_cost: 1, fp_red: 5, range: 5,"
            " dr: {front: 11, rear: 10}, dr_colour: {front: red, rear: red}}\n"
        ),
        "works.yaml": "WorkType:\n  trench: {dm: {front: 2, rear: 2}, shelters: [infantry]}\n",
        "batteries.yaml": "BatteryType:\n  guns: {fp: {red: 5}}\n",
        "cards.yaml": (
            "Card:\n  haste: {effect: move_two, copies: 3, in_deck: yes}\n"
            "  aim: {effect: secret_objective, goal: 1}\n"
        ),
        "scenarios/meeting.yaml": (
            "name: Meeting\nmaps: {Board: maps/farm_track.yaml}\ngame: {rounds: 2, cards_in_force: [haste]}\n"
            "power:\n  blue: {start_cap: 3, cap: 3, draws: 1}\n  red: {start_cap: 3, cap: 3, draws: 1}\n"
            'pieces:\n  - {Unit: squad, army: blue, at: "0306", facing: ne}\n'
            '  - {Unit: squad, army: red, at: "0706", facing: sw}\n'
        ),
    }
    for name, text in files.items():
        (box / name).parent.mkdir(exist_ok=True)
        (box / name).write_text(text, "utf-8")
    other = grognard.load(box, backend="interpreter")
    assert other.seats == ["blue", "red"]
    last = list(positions(other, "meeting", 5))[-1]
    assert last.over and last.outcome in (None, "west", "east")


@pytest.mark.parametrize("scenario", FIREFIGHTS)
def test_firefights_come_to_an_end(ruleset: Ruleset, scenario: str) -> None:
    """Random games on the compiled engine, and the beginning of one on both back ends (bench/stress.py plays more)."""
    if (reason := compiler_available()) is not None:
        pytest.skip(reason)
    engine = grognard.load(TITLE, scenario, backend="compiled")
    found = playouts(engine.new_game(scenario, seed=1), 20, seed=1, max_answers=20_000)
    assert found.unfinished == 0 and found.answers > 20 * 20
    report = compare_backends(ruleset, scenario, games=1, seed=1, max_answers=30)
    assert report.agree, str(report)


# ------------------------------------------------------------------------------------------------------ random play


def positions(
    engine: grognard.Engine, scenario: str, seed: int, most: int = MOST_ANSWERS
) -> Iterator[grognard.Position]:
    """A game of chance that prefers shooting to waiting; every position up to the end."""
    rng = random.Random(seed)
    position = engine.new_game(scenario, seed=seed)
    for _ in range(most):
        yield position
        if position.over:
            return
        choices = position.legal()
        weights = [_weight(choice.name) for choice in choices]
        position = position.play(rng.choices(choices, weights)[0])
    yield position


def _weight(name: str) -> float:
    if name in ("pass_turn", "stall"):
        return 0.4
    return 3.0 if name in ("fire", "lob", "strike", "fire_up", "bomb", "scatter") else 1.0


def chits(position: grognard.Position) -> Counter[str]:
    """All hit counters of the game: those in the bags and those under units."""
    found: Counter[str] = Counter()
    for bag in ("SoftHits", "HardHits"):
        found.update(position.bag(bag))
    for unit in position.pieces("Unit"):
        if unit.hit is not None:
            found[str(unit.hit)] += 1
    return +found


def check(position: grognard.Position, total: Counter[str]) -> None:
    for army in ARMIES:
        cap, pool = position.side(army, "cap"), position.side(army, "pool")
        assert isinstance(cap, int) and cap >= 0
        assert isinstance(pool, int) and pool >= 0
        group = position.side(army, "group")
        assert group or pool == 0
    assert chits(position) == total
    for unit in position.pieces("Unit"):
        assert bool(unit.damaged) == (unit.hit is not None)
        if unit.carrier is not None:
            assert position.piece("Unit", str(unit.carrier)).at == unit.at
        if unit.under is not None:
            assert position.piece("Work", str(unit.under)).at == unit.at


@pytest.mark.parametrize(
    "scenario, games", [("farm_track", 20), ("ambush", 20), ("four_armies", 10), ("solitaire", 10)]
)
def test_games_end(engine: grognard.Engine, scenario: str, games: int) -> None:
    """No rule fails, no command point is overdrawn, no hit counter is lost, the better score wins."""
    for seed in range(games):
        total: Counter[str] | None = None
        last = None
        for number, position in enumerate(positions(engine, scenario, seed)):
            if total is None:
                total = chits(position)
                assert sum(total.values()) == 40
            if number % 20 == 0 or position.over:
                check(position, total)
            last = position
        assert last is not None and last.over
        points = dict.fromkeys(ARMIES.values(), 0)
        for army, side in ARMIES.items():
            value = last.side(army, "vp")
            assert isinstance(value, int)
            points[side] += value
        best = [side for side, value in points.items() if value == max(points.values())]
        assert last.outcome == (best[0] if len(best) == 1 else None)


# ---------------------------------------------------------------------------------------------------------- secrets


def altered(position: grognard.Position, field: str, item: int, value: int) -> grognard.Position:
    """A copy in which one field of one counter is something else."""
    copy = position.clone()
    setting = copy.setting
    entry = next(f for f in setting.program.fields if f.name == field)
    layout = setting.scenario.layout
    with memoryview(copy.cells) as raw, raw.cast("i") as cells:
        cells[layout.field_offset[entry.id] + item - layout.base[entry.dims[0]]] = value
    return copy


def test_hidden_units_are_not_in_the_enemys_view(engine: grognard.Engine) -> None:
    """A hidden counter is absent from the enemy's view, and nothing in that view depends on where it is."""
    seen_hidden = 0
    for seed in range(4):
        for number, position in enumerate(positions(engine, "ambush", seed)):
            if number % 11 or position.over:
                continue
            units = position.pieces("Unit")
            for army, side in ARMIES.items():
                view = position.view(army)
                shown = {unit.name for unit in view.pieces("Unit")}
                for unit in units:
                    if unit.army == army:
                        assert unit.name in shown
                    elif unit.hidden and ARMIES[str(unit.army)] != side:
                        seen_hidden += 1
                        assert unit.name not in shown
                        moved = altered(position, "Unit.at", unit.value, 0)
                        if moved.to_move != army:
                            assert bytes(moved.view(army)) == bytes(view)
    assert seen_hidden > 100


def test_hits_are_secret(engine: grognard.Engine) -> None:
    """An enemy's view names no hit counter under a unit, and would be the same with any other counter there."""
    secrets = 0
    for seed in range(8):
        for number, position in enumerate(positions(engine, "farm_track", seed)):
            if number % 3 or position.over:
                continue
            for unit in position.pieces("Unit"):
                if unit.hit is None:
                    continue
                owner = str(unit.army)
                assert position.view(owner).piece("Unit", unit.name).hit == unit.hit
                for army, side in ARMIES.items():
                    if side == ARMIES[owner]:
                        continue
                    secrets += 1
                    view = position.view(army)
                    assert view.piece("Unit", unit.name).hit is None and view.piece("Unit", unit.name).damaged
                    for other in (1, 4):
                        if position.to_move != army:
                            swapped = altered(position, "Unit.hit", unit.value, other)
                            assert bytes(swapped.view(army)) == bytes(view)
    assert secrets > 100


def test_the_enemy_does_not_hear_what_is_drawn(engine: grognard.Engine) -> None:
    """Hit counters and cards as they come up are in their owner's log alone."""
    game = engine.game("ambush", seed=7)
    rng = random.Random(7)
    while not game.position.over and game.position.ply < 180:
        choices = game.position.legal()
        game.play(rng.choices(choices, [_weight(c.name) for c in choices])[0])
    heard = {army: [line.text for line in game.log_for(army) if "drawn from" in line.text] for army in ARMIES}
    assert heard["german"] and heard["soviet"]
    drawn = [line.text for line in game.log if "drawn from" in line.text]
    assert len(drawn) > 10 and sum(len(lines) for lines in heard.values()) == len(drawn)


def test_sight_is_mutual(engine: grognard.Engine) -> None:
    """LOS-4: for all pairs of hexes of the shipped map, each at its own level."""
    position = engine.new_game("farm_track", seed=1)
    setting = position.setting
    los = next(f.id for f in setting.program.functions if f.name == "los")
    cells = bytearray(bytes(position.cells))
    io = Io(TRACE_OFF)
    hexes = [(place.value, place.level) for place in position.places("Board")]
    assert len(hexes) == 168
    blocked = 0
    for number, (a, level_a) in enumerate(hexes):
        for b, level_b in hexes[number + 1 :]:
            there = setting.backend.call(cells, los, [a, b, level_a, level_b], io)
            assert there == setting.backend.call(cells, los, [b, a, level_b, level_a], io), (a, b)
            blocked += not there
    assert 2000 < blocked < 12000


def test_bots_imagine_hidden_units_where_they_can_be(engine: grognard.Engine) -> None:
    """HD-1, HD-2: not where a unit in the open would see them, nor on one's own; but in many places."""
    position = next(p for p in positions(engine, "corn_and_ravine", 3) if p.to_move == "german" and p.ply > 2)
    knowledge = Knowledge(position)
    assert not knowledge.complete
    own = {unit.at for unit in position.pieces("Unit") if unit.army == "german"}
    hidden = [unit.name for unit in position.pieces("Unit") if unit.hidden and unit.army == "soviet"]
    assert len(hidden) >= 2
    setting = position.setting
    rule = setting.program.plausible
    assert rule is not None
    places = set()
    for seed in range(20):
        imagined = knowledge.sample(random.Random(seed))
        there = grognard.Position(setting, imagined)
        for name in hidden:
            unit = there.piece("Unit", name)
            assert unit.hidden and unit.at not in own
            assert setting.backend.call(imagined, rule[0], [unit.value], Io(TRACE_OFF)) == 1
            places.add(unit.at)
    assert len(places) > 15
