"""The golden games, played again: whole on the compiled engine, and as many answers on the interpreter as there is time for."""

from __future__ import annotations

import difflib
from functools import cache

import grognard
import pytest
from golden_games import FOLDER, SEEDS, GoldenGame, game_lines, golden_games
from grognard.compiler.build.build import compiler_available
from grognard.compiler.layers.title_paths import shipped_titles
from grognard.contract.backend import TRACE_LOG, Io
from grognard.engine import Engine

TITLES = sorted(shipped_titles())
#: Answers of each game that the interpreter gives too, and the work of an answer that it is asked for at the most.
INTERPRETED = 25
MOST_STEPS = 200_000
#: Lines of a difference that are shown.
SHOWN = 30

needs_compiler = pytest.mark.skipif(compiler_available() is not None, reason="needs a C compiler")


@cache
def engine_for(title: str, backend: str) -> Engine:
    return grognard.load(title, backend=backend)  # type: ignore[arg-type]


@pytest.mark.parametrize("title", TITLES)
def test_every_scenario_has_its_games(title: str) -> None:
    recorded = {(game.scenario, game.seed) for game in golden_games(title)}
    scenarios = engine_for(title, "interpreter").scenarios
    assert recorded == {(scenario, seed) for scenario in scenarios for seed in SEEDS}
    assert {folder.name for folder in FOLDER.iterdir()} == set(TITLES)


@pytest.mark.parametrize("backend", [pytest.param("compiled", marks=needs_compiler), "python"])
@pytest.mark.parametrize("title", TITLES)
def test_they_are_played_again(title: str, backend: str) -> None:
    for golden in golden_games(title):
        game = engine_for(title, backend).game(golden.scenario, golden.seed)
        now = list(game_lines(game, iter(golden.answers)))
        if now != golden.lines:
            changed = difflib.unified_diff(golden.lines, now, "recorded", "now", lineterm="", n=1)
            shown = "\n".join(list(changed)[:SHOWN])
            pytest.fail(
                f"{title}, {golden.scenario}, seed {golden.seed} goes otherwise now. If a rule was changed on "
                f"purpose, record the games anew with `./dev golden {title}`\n{shown}"
            )


@needs_compiler
@pytest.mark.parametrize("title", TITLES)
def test_the_interpreter_gives_the_same_answers(title: str) -> None:
    compared = sum(interpreted(golden) for golden in golden_games(title))
    assert compared >= len(golden_games(title))


def interpreted(golden: GoldenGame) -> int:
    """Answers spread over the game, each from the compiled engine's position: how many were compared.

    Whole games would take the interpreter hours; an answer that takes too much work is left to the other tests."""
    fast, slow = (engine_for(golden.title, backend) for backend in ("compiled", "interpreter"))
    game = fast.game(golden.scenario, golden.seed)
    answers = golden.answers
    wanted = {len(answers) * part // INTERPRETED for part in range(INTERPRETED)}
    compared = 0
    for number, answer in enumerate(answers):
        before = game.position
        try:
            game.play(answer)
        except grognard.RuleError:
            break
        if number not in wanted:
            continue
        value = before.value_of(answer)
        heard = Io(TRACE_LOG, budget=MOST_STEPS)
        try:
            before.clone().answer(value, heard)
        except grognard.RuleError:
            continue
        after = slow.position(bytes(before)).clone()
        io = Io(TRACE_LOG)
        after.answer(value, io)
        where = f"{golden.title}, {golden.scenario}, seed {golden.seed}, answer {number + 1}"
        assert bytes(after) == bytes(game.position), where
        assert io.trace == heard.trace, where
        compared += 1
    return compared
