"""Bots: the stronger ones win, they repeat themselves for a seed, and none looks at what its seat may not know."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from engines import SKIRMISH, engine_for, random_game
from grognard import bots
from grognard.bots.action_tree import (
    Move,
    MoveStatistics,
    rank_moves,
)
from grognard.bots.determinisation import ForwardModel
from grognard.bots.evaluation import MarginValue
from grognard.bots.match import Order, play_match, wilson
from grognard.bots.outcomes import exact_outcomes, partial_outcomes
from grognard.contract.backend import RolloutOptions
from grognard.engine import Engine, load
from grognard.errors import UnknownName
from grognard.play.playouts import _Slow, guided_rollout
from grognard.play.position import Position
from small_titles import write_title_of_units


@pytest.mark.parametrize(
    ("title", "strong", "weak", "games", "least"),
    [
        ("connect_four", "greedy", "random", 8, 8),
        ("connect_four", "mcts:1000", "greedy", 4, 3),
        ("breakthrough", "greedy:60", "random", 4, 4),
    ],
)
def test_the_stronger_bot_wins(title: str, strong: str, weak: str, games: int, least: int) -> None:
    engine = engine_for(title, "compiled")
    result = play_match(Order(title, (strong, weak), seed=11), games, engine=engine)
    assert len(result.games) == games and result.unfinished == 0
    assert result.wins(0) >= least, [game.winner for game in result.games]
    # Each bot had each side equally often, with the same dice.
    assert [game.players["white" if title == "breakthrough" else "red"] for game in result.games] == [
        0,
        1,
    ] * (games // 2)


@pytest.mark.parametrize("name", ["random", "greedy:40", "mcts:60"])
def test_a_seed_decides(backend: str, name: str) -> None:
    engine = engine_for(str(SKIRMISH), backend)

    def played(seed: int) -> list[str]:
        position, bot, answers = engine.new_game(seed=3), bots.make(name, seed), []
        while not position.over and len(answers) < 6:
            choice = bot.choose(position)
            assert choice in position.legal()
            answers.append(choice.name)
            position = position.play(choice)
        return answers

    assert played(1) == played(1)


def _changed(engine: Engine, position: Position) -> Position:
    """The same position to the German, with other secrets of the Soviet: the hidden unit elsewhere, other dice."""
    other = position.clone()
    layout = position.setting.scenario.layout
    fields = {f.name: f for f in engine.ruleset.program.fields}
    number = position.piece("Unit", "H").number
    with memoryview(other.cells) as raw, raw.cast("i") as c:
        c[layout.field_offset[fields["Unit.at"].id] + number] += 2
        c[4] ^= 0x5A5A
    assert other != position and bytes(other.view("german")) == bytes(position.view("german"))
    return other


def test_bots_do_not_depend_on_hidden_information(skirmish: Engine) -> None:
    position = skirmish.new_game(seed=1)
    other = _changed(skirmish, position)
    assert position.to_move == "german"
    for name in ("random", "greedy:40", "mcts:80"):
        assert bots.make(name, 5).choose(position) == bots.make(name, 5).choose(other)
    for seed in range(5):
        imagined = [bots.Knowledge(p, "german").sample(random.Random(seed)) for p in (position, other)]
        assert imagined[0] == imagined[1]


def test_determinisations_agree_with_the_view(backend: str) -> None:
    """In many positions: a seat cannot tell an imagined position from the true one, and may do the same there."""
    engine = engine_for(str(SKIRMISH), backend)
    generator = random.Random(2)
    places = set()
    for seed in range(4):
        game = random_game(engine, seed, answers=12)
        for step in game._steps:
            for seat in engine.seats:
                known = bots.Knowledge(step.position, seat)
                imagined = Position(known.setting, known.sample(generator))
                assert bytes(imagined.view(seat)) == bytes(known.view)
                if step.position.to_move == seat:
                    assert imagined.values() == step.position.values()
                if seat == "german":
                    places.add(imagined.piece("Unit", "H").at)
    assert len(places) > 3, "a hidden counter is imagined in many places"


def test_outcome_probabilities_sum_to_one(skirmish: Engine) -> None:
    """The weights of all ways add up to one; where only some are followed, they are among them and weigh as much."""
    position = random_game(skirmish, 1, answers=4).position
    model = ForwardModel(position.setting)
    rolled = 0
    for value in position.values():
        ways = exact_outcomes(model, position.cells, value, 2_000)
        if ways is None:
            continue
        assert abs(sum(chance for chance, _ in ways) - 1) < 1e-9
        rolled += len(ways) > 1
        known = {_without_dice(cells) for _, cells in ways}
        some = partial_outcomes(model, position.cells, value, 8, random.Random(1))
        assert abs(sum(chance for chance, _ in some) - 1) < 1e-9 and len(some) <= 8
        assert {_without_dice(cells) for _, cells in some} <= known
    assert rolled


def _without_dice(cells: bytearray) -> bytes:
    return bytes(cells[:16]) + bytes(cells[24:])


def test_every_title_can_be_played_by_bots(title: str) -> None:
    """Random bots come to the end of a game, or far; the others think about its first decisions, without peeking."""
    engine = engine_for(title, "compiled")
    position, player = engine.new_game(seed=2), bots.make("random", 2)
    generator = random.Random(2)
    for number in range(1500):
        if position.over:
            break
        if number % 10 == 0 and number < 100:
            for seat in engine.seats[:2]:
                known = bots.Knowledge(position, seat)
                imagined = Position(known.setting, known.sample(generator))
                assert bytes(imagined.view(seat)) == bytes(known.view)
        if number < 6:
            for name in ("greedy:20", "mcts:20"):
                choice = bots.make(name).choose(position)
                # By number an answer is for all groups.
                assert choice in position.legal() or position.play(choice) == position.play(choice.name)
        position.play_inplace(player.choose(position))
    assert position.over or number == 1499


def test_shrinkage_grows_with_signal_and_samples() -> None:
    generator = random.Random(4)

    def moves(spread: float, noise: float) -> list[Move]:
        made = [Move((number,), prior_value=-0.1 * number) for number in range(6)]
        for number, move in enumerate(made):
            for _ in range(40):
                move.add_sample(spread * number + generator.gauss(0, noise))
        return made

    alike, apart = moves(0.0, 10.0), moves(5.0, 10.0)
    assert MoveStatistics.of(alike).shrinkage(40) < 0.7 and MoveStatistics.of(apart).shrinkage(40) > 0.9
    assert MoveStatistics.of(apart).shrinkage(2) < MoveStatistics.of(apart).shrinkage(40), (
        "few tries tell less"
    )
    assert rank_moves(apart[:2], apart)[0].answers == (1,), "the last two are judged by what all have told"
    assert rank_moves(apart)[0].answers == (5,)
    for move in apart:
        move.total -= 1000.0 * move.tries
        move.squares += 1e6 * move.tries - 2000.0 * (move.total + 1000.0 * move.tries)
    assert rank_moves([*apart, Move((9,), -50.0)])[0].answers == (5,), (
        "what was never tried is not the better for it"
    )
    sure = moves(0.0, 0.0)
    assert MoveStatistics.of(sure).shrinkage(40) == 0 and rank_moves(sure)[0].answers == (0,), (
        "nothing learnt: the first judgement decides"
    )


def test_mcts_sees_the_reply() -> None:
    """Breakthrough: to take a pawn that is guarded wins one and loses one; one ply ahead it looks like a gain."""
    engine = engine_for("breakthrough", "compiled")
    result = play_match(Order("breakthrough", ("mcts:60", "greedy"), seed=5), 4, engine=engine)
    assert result.wins(0) >= 3, [game.winner for game in result.games]


def test_guided_rollouts_are_the_same_on_both_back_ends() -> None:
    """Same answers, same dice, byte for byte, however thoroughly the movers look."""
    for path in (str(SKIRMISH), "breakthrough"):
        slow, fast = (engine_for(path, backend) for backend in ("interpreter", "compiled"))
        game = random_game(slow, 3, answers=6).position
        by = ForwardModel(game.setting).evaluator.native_evaluation(100)
        for seed, how in enumerate(
            (
                RolloutOptions(1, 0, 0),
                RolloutOptions(5, 0, 0),
                RolloutOptions(6, 3, 2),
                RolloutOptions(3, 9, 1),
            )
        ):
            ways = []
            for engine in (slow, fast):
                cells = bytearray(game.cells)
                setting = engine.new_game(seed=1).setting
                ways.append((guided_rollout(setting, cells, seed, 4, 60, how, by, seed % 2), cells))
            assert ways[0] == ways[1], (path, how)
            assert ways[0][1] != game.cells


def test_a_guided_rollout_takes_the_best_plan() -> None:
    """Breakthrough has no dice: with enough actions made up, the mover is as far ahead as any single move puts him."""
    engine = engine_for("breakthrough", "compiled")
    gained = 0
    for seed in range(12):
        position = random_game(engine, seed, answers=40).position
        if position.over:
            continue
        model = ForwardModel(position.setting)
        margin_value = MarginValue(model.evaluator, 1.0, 100.0)
        side = model.evaluator.side_of(engine.seats.index(position.to_move or ""))
        start, best = position.ply, -1e9
        waiting = [position]
        while waiting:
            here = waiting.pop()
            if here.over or here.ply > start:
                best = max(best, margin_value.value(bytearray(here.cells))[side])
            else:
                waiting += [here.play(choice) for choice in here.legal()]
        cells = bytearray(position.cells)
        stood = model.guided_rollout(
            cells,
            random.Random(seed),
            1,
            RolloutOptions(64, 0, 0),
            model.evaluator.native_evaluation(100),
            side,
        )
        assert stood == margin_value.value(cells)[side] == best
        gained += best > margin_value.value(bytearray(position.cells))[side]
    assert gained


def test_native_evaluation_equals_the_margin(title: str) -> None:
    engine = engine_for(title, "compiled")
    for answers in (0, 40):
        position = random_game(engine, 2, answers=answers).position
        evaluator = ForwardModel(position.setting).evaluator
        by, margin_value = evaluator.native_evaluation(100), MarginValue(evaluator, 1.0, 100.0)
        slow = _Slow(position.setting.backend, position.setting.program)
        assert [
            slow._worth(position.cells, by, side) for side in range(evaluator.sides)
        ] == margin_value.value(position.cells)
        if position.over:
            continue
        cells, same = bytearray(position.cells), bytearray(position.cells)
        how = RolloutOptions(4, 2, 1)
        side = evaluator.sides - 1
        found = guided_rollout(position.setting, cells, 7, 2, 80, how, by, side)
        assert found == slow.guided_rollout(same, 7, 2, 80, how, by, side) and cells == same


def test_stochastic_games_are_detected(skirmish: Engine) -> None:
    for engine, rolls in ((skirmish, True), (engine_for("breakthrough", "compiled"), False)):
        position = engine.new_game(seed=4)
        model = ForwardModel(position.setting)
        assert model.is_stochastic(bytearray(position.cells)) is rolls


ORDERS = """\
sides red, blue
enum Order: wait, dig, march
kind Sort
  name | worth
  foot | 1
space Board: hexes from "maps/board.yaml"
piece Unit of Sort up to 6
  at: Hex
  secret order: Order to owner
evaluation(p: Side) = (10 * count(u in Unit where u.side is p and u.order is march)
    + 4 * count(u in Unit where u.side is p and u.order is dig))
sequence
  each side secretly
    for u in Unit where mine(u)
      choose o: Order by u.side "order for {u}"
      u.order := o
  repeat 20 times
    for s in sides
      roll d: d6
      choose on: flag by s "on"
victory = none
"""


def test_the_last_order_counts_though_others_still_write(tmp_path: Path) -> None:
    # What a seat has written is not in force before all have: its last order must be judged none the less.
    write_title_of_units(tmp_path / "orders", ORDERS, ["...."], ["0101", "0201"], kinds=("foot", "foot"))
    position, given = load(str(tmp_path / "orders"), backend="interpreter").new_game(seed=1), []
    for _ in range(2):
        choice = bots.make("greedy", 1).choose(position)
        given.append((position.to_move, choice.name))
        position = position.play(choice)
    assert given == [("red", "march"), ("blue", "march")]


def test_names_of_bots() -> None:
    assert bots.make("mcts:50").iterations == 50  # type: ignore[attr-defined]
    for wrong in ("gredy", "mcts:", "mcts:x", "random:5", "greedy:0"):
        with pytest.raises(UnknownName):
            bots.make(wrong)


def test_confidence_intervals() -> None:
    low, high = wilson(0.5, 100)
    assert round(low, 3) == 0.404 and round(high, 3) == 0.596
    assert wilson(1.0, 10)[1] == 1.0 and wilson(1.0, 10)[0] > 0.7
