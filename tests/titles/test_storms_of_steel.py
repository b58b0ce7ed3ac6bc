"""Storms of Steel: the check is clean, its examples pass, and random play keeps what the rules promise."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator

import grognard
import pytest
from grognard.compiler.build import compiler_available
from grognard.compiler.compile import Ruleset, compile_title
from grognard.compiler.diagnostics import Sink, format_text
from grognard.examplerun import ExampleRunner
from grognard.machineio import TRACE_OFF, Io
from grognard.search import compare_backends, playouts

TITLE = "storms_of_steel"
SIDES = ("german", "soviet")
MOST_ANSWERS = 900
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
def ruleset() -> Ruleset:
    sink = Sink()
    made = compile_title(TITLE, sink)
    assert made is not None
    assert not list(sink), format_text(sink.sorted(), sink.sources, False)
    return made


@pytest.fixture(scope="module")
def engine() -> grognard.Engine:
    return grognard.load(TITLE, backend="interpreter")


def test_check_is_clean(ruleset: Ruleset) -> None:
    assert {"ambush", "farm_track", "proving_ground", *FIREFIGHTS} <= set(ruleset.scenario_names())
    for name in ruleset.scenario_names():
        sink = Sink()
        assert ruleset.scenario(name, sink) is not None
        assert not list(sink)


def test_printed_rules_without_the_update(ruleset: Ruleset) -> None:
    """The update is a layer of its own: without it the printed values stand."""
    sink = Sink()
    printed = compile_title(TITLE, sink, errata=[], examples=False)
    assert printed is not None and not list(sink)
    assert printed.merged.errata == []
    assert ruleset.merged.errata == ["update of 2010"]


def test_examples(ruleset: Ruleset) -> None:
    """On the interpreter and, where a C compiler is at hand, on both back ends with equal bytes."""
    runner = ExampleRunner(ruleset, "auto")
    results = [runner.run(example) for example in ruleset.examples]
    assert len(results) > 100
    failed = [r for r in results if not r.passed]
    assert not failed, format_text([d for r in failed for d in r.failures], ruleset.sink.sources, False)


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
    return 3.0 if name in ("fire", "lob", "strike", "fire_up") else 1.0


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
    for side in SIDES:
        cap, start = position.side(side, "cap"), position.side(side, "start_cap")
        losses = position.side(side, "losses")
        assert isinstance(cap, int) and isinstance(start, int) and isinstance(losses, int)
        assert cap >= 0
        group = position.side(side, "group")
        if not group:
            assert position.side(side, "pool") == 0
    assert chits(position) == total


@pytest.mark.parametrize(
    "scenario, seed", [*(("farm_track", n) for n in range(18)), *(("ambush", n) for n in range(2))]
)
def test_games_end(engine: grognard.Engine, scenario: str, seed: int) -> None:
    """Twenty games: no rule fails, no command point is overdrawn, no hit counter is lost."""
    total: Counter[str] | None = None
    last = None
    for number, position in enumerate(positions(engine, scenario, seed)):
        if total is None:
            total = chits(position)
            assert sum(total.values()) == 40
        if number % 10 == 0 or position.over:
            check(position, total)
        last = position
    assert last is not None and last.over
    points = [last.side(side, "vp") for side in SIDES]
    expected = None if points[0] == points[1] else SIDES[points[1] > points[0]]
    assert last.outcome == expected


def test_hidden_units_are_not_in_the_enemys_view(engine: grognard.Engine) -> None:
    seen_hidden = 0
    for number, position in enumerate(positions(engine, "ambush", 3, 120)):
        if number % 7:
            continue
        for side in SIDES:
            view = position.view(side)
            shown = {unit.name for unit in view.pieces("Unit")}
            for unit in position.pieces("Unit"):
                if unit.side != side and unit.hidden:
                    seen_hidden += 1
                    assert unit.name not in shown
                if unit.side == side:
                    assert unit.name in shown
    assert seen_hidden > 0


def test_hits_are_secret(engine: grognard.Engine) -> None:
    for number, position in enumerate(positions(engine, "farm_track", 2, 300)):
        if number % 25:
            continue
        for side in SIDES:
            for unit in position.view(side).pieces("Unit"):
                if unit.side != side and unit.hit is not None:
                    assert unit.name in {u.name for u in position.pieces("Unit") if u.hit is not None}


def test_sight_is_mutual(engine: grognard.Engine) -> None:
    """LOS-4: for all pairs of hexes of the shipped map, each at its own level."""
    position = engine.new_game("farm_track", seed=1)
    setting = position._setting
    los = next(f.id for f in setting.program.functions if f.name == "los")
    cells = bytearray(bytes(position._cells))
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
