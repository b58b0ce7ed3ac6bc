"""Weights of an evaluation: found, fitted, written back; and bots that keep to their time."""

from __future__ import annotations

import random
import time
from pathlib import Path

import pytest
from engines import SKIRMISH, engine_for
from grognard import bots
from grognard.bots.evaluation import Evaluator
from grognard.bots.regression import fit, loss, probability, solve
from grognard.bots.tuning import tune
from grognard.bots.weights import read_weights, weights_file, weights_of, written_weights
from grognard.errors import GrognardError


def test_regression_finds_the_weights_that_made_the_results() -> None:
    generator = random.Random(1)
    rows = [[generator.uniform(-2, 2), generator.uniform(-2, 2)] for _ in range(3_000)]
    results = [float(generator.random() < probability(1.5 * a - 0.5 * b)) for a, b in rows]
    found = fit(rows, results, [0.1, 0.1], [1e-6, 1e-6])
    assert abs(found[0] - 1.5) < 0.2 and abs(found[1] + 0.5) < 0.2
    assert loss(rows, results, found) < loss(rows, results, [0.1, 0.1])
    # Held firmly, they stay.
    assert abs(fit(rows, results, [0.1, 0.1], [1e3, 1e3])[0] - 0.1) < 0.01


def test_equations_that_say_nothing_give_nothing() -> None:
    assert solve([[2.0, 0.0], [0.0, 0.0]], [4.0, 0.0]) == [2.0, 0.0]


def test_weights_are_read_and_can_be_changed_without_a_compiler() -> None:
    engine = engine_for("breakthrough", "interpreter")
    weights = weights_of(engine)
    assert dict(zip(weights.terms, weights.values, strict=True)) == {"pawn": 20, "step": 1}
    setting = engine.new_game().setting
    cells = bytearray(engine.new_game(seed=1).cells)
    other = weights.backend(engine, setting.scenario, [30, 1])
    program = setting.program
    assert program.evaluation is not None
    side = setting.scenario.layout.base[program.sides]
    before = Evaluator(setting).scores(cells)[0]
    assert other.prepared(program.evaluation, (side,))(cells) == before + 16 * 10


def test_tuning_says_what_it_did() -> None:
    engine = engine_for("breakthrough", "compiled")
    found = tune(engine, ["standard"], games=12, seed=3, bot="greedy:30")
    assert found.games == 12 and found.positions > 100 and 0 < found.kept_back < found.positions
    assert found.loss_after <= found.loss_before
    assert set(found.values) == {"pawn", "step"} and not found.idle
    assert all(value > 0 for value in found.values.values())


def test_a_file_keeps_its_comments_and_gets_a_record(tmp_path: Path) -> None:
    text = "# ours\njudged:\n  pawn: 20   # each\n  step: -1\nother:\n  pawn: 3\n"
    made = written_weights(text, "judged", {"pawn": 25, "step": -2}, "seed 1")
    again = written_weights(made, "judged", {"pawn": 26}, "seed 2")
    assert again == "# ours\n# Tuned: seed 2\njudged:\n  pawn: 26   # each\n  step: -2\nother:\n  pawn: 3\n"
    (tmp_path / "w.yaml").write_text(again)
    assert read_weights(tmp_path / "w.yaml", "judged") == {"pawn": 26, "step": -2}
    assert weights_file(engine_for("breakthrough", "interpreter"), "nothing") is None


def test_a_title_without_weights_is_told_what_to_write() -> None:
    with pytest.raises(GrognardError, match="declares no `evaluation`"):
        weights_of(engine_for("connect_four", "interpreter"))


def test_a_bot_takes_its_time_from_its_name() -> None:
    assert bots.make("mcts:2s").seconds == 2 and bots.make("greedy:0.5s").seconds == 0.5
    assert bots.make("mcts", seconds=3).seconds == 3 and bots.make("mcts:50", seconds=3).seconds is None
    position = engine_for(str(SKIRMISH), "interpreter").new_game(seed=3)
    begun = time.monotonic()
    assert bots.make("mcts:0.2s").choose(position) in position.legal()
    # Not a measure of speed: without its clock it would think for minutes here.
    assert time.monotonic() - begun < 60
