"""What every title must do, on both back ends."""

from __future__ import annotations

import random
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import grognard
import pytest
from engines import affordable, engine_for, random_game
from grognard.compiler.build.build import compiler_available
from grognard.contract.header import H_RNG_HI, H_RNG_LO
from grognard.engine import Engine
from grognard.errors import NothingToUndo


def test_what_it_is(engine: Engine, backend: str) -> None:
    assert engine.backend == backend
    assert engine.title and engine.name
    assert engine.scenarios and len(engine.seats) >= 2
    assert len(engine.fingerprint) == 32
    assert engine.notices == []


def test_the_first_decision(engine: Engine) -> None:
    for scenario in engine.scenarios[:3]:
        position = engine.new_game(scenario, seed=3)
        assert position.scenario == scenario
        assert not position.over and position.outcome is None
        question = position.question
        assert question is not None and question.seat == position.to_move
        assert question.seat in engine.seats and question.label and question.name and question.kind


def test_serialise_clone_hash_equality(engine: Engine) -> None:
    game = random_game(engine, 1, 60)
    for position in (game.position, engine.new_game()):
        again = engine.position(bytes(position))
        assert again == position and again.hash == position.hash and hash(again) == hash(position)
        assert bytes(again) == bytes(position)
        assert again.values() == position.values() and again.legal() == position.legal()
        copy = position.clone()
        assert copy == position and copy is not position
    assert engine.new_game(seed=1) == engine.new_game(seed=1)
    assert len(game.history) == 0 or game.position != engine.new_game(seed=1)


def test_playing_leaves_the_old_position_alone(engine: Engine) -> None:
    position = engine.new_game(seed=5)
    before = bytes(position)
    after = position.play(position.legal()[-1])
    assert bytes(position) == before and after != position
    copy = position.clone()
    copy.play_inplace(position.legal()[-1])
    assert copy == after


def test_all_legal_choices_can_be_played_by_value_name_and_choice(engine: Engine) -> None:
    game = random_game(engine, 2, 40)
    for number in (0, len(game.history) // 2, len(game.history)):
        position = game._steps[number].position
        choices = position.legal()
        assert [choice.value for choice in choices] == position.values()
        for choice in choices[: affordable(engine, 40)]:
            after = position.play(choice)
            assert after == position.play(choice.value)
            if sum(other.name == choice.name for other in choices) == 1:
                assert after == position.play(choice.name)


def test_illegal_choices_are_refused(engine: Engine) -> None:
    position = engine.new_game()
    before = bytes(position)
    for bad in (2**31 - 1, -77, "no such thing at all"):
        with pytest.raises(grognard.IllegalChoice) as caught:
            position.play(bad)
        assert caught.value.legal == position.legal()
        with pytest.raises(grognard.IllegalChoice):
            position.play_inplace(bad)
    for wide in (2**31, -(2**40)):
        with pytest.raises(grognard.IllegalChoice):
            position.play(wide)
    assert bytes(position) == before


def test_random_play_to_the_end(engine: Engine, backend: str) -> None:
    answers = 3_000 if backend == "compiled" else 400
    for seed in range(2):
        game = random_game(engine, seed, answers)
        assert game.position.over or len(game.history) == affordable(engine, answers)
        if game.position.over:
            assert game.position.legal() == [] and game.position.values() == []
            assert game.position.question is None and game.position.to_move is None
            with pytest.raises(grognard.IllegalChoice, match="the game is over"):
                game.play(0)


def test_undo_and_redo(engine: Engine) -> None:
    game = random_game(engine, 4, 30)
    positions = [step.position for step in game._steps]
    log = game.log
    for position in reversed(positions[:-1]):
        assert game.undo() == position
    assert game.history == []
    assert not game.can_undo_fairly()
    with pytest.raises(NothingToUndo):
        game.undo()
    for position in positions[1:]:
        assert game.redo() == position
    with pytest.raises(NothingToUndo):
        game.redo()
    assert game.log == log
    game.undo()
    game.play(game.position.legal()[0])
    with pytest.raises(NothingToUndo):
        game.redo()


def test_dice_make_an_undo_unfair(engine: Engine) -> None:
    game = random_game(engine, 6, 80)
    while game.history:
        before = game._steps[game._at - 1].position
        rolled = any(before.head(cell) != game.position.head(cell) for cell in (H_RNG_LO, H_RNG_HI))
        if rolled:
            assert not game.can_undo_fairly()
        game.undo()


def test_save_load_replay(engine: Engine, tmp_path: Path) -> None:
    game = random_game(engine, 7, 80)
    path = tmp_path / "game.json"
    game.save(path)
    again = grognard.load_game(path, engine)
    assert again.position == game.position
    assert again.history == game.history and again.log == game.log
    assert again.no_longer_legal is None
    assert game.replay().position == game.position
    again.save(path)
    assert list(tmp_path.iterdir()) == [path], "nothing but the save is left behind"


def test_why_explains_every_answer(engine: Engine) -> None:
    game = random_game(engine, 8, 30)
    for number, played in enumerate(game.history):
        reason = game.why(number)
        assert reason.kind == "answer" and played.name in reason.text
        assert all(child.text for child in reason.walk())
        assert reason.as_dict()["children"] == [child.as_dict() for child in reason.children]
        for seat in engine.seats:
            game.why(number, seat)
    with pytest.raises(IndexError):
        game.why(len(game.history))


def test_views(engine: Engine) -> None:
    game = random_game(engine, 9, 60)
    for number in range(0, len(game.history) + 1, 7):
        position = game._steps[number].position
        for seat in engine.seats:
            view = position.view(seat)
            assert view.seat == seat and view.ply == position.ply
            assert view.head(H_RNG_LO) == view.head(H_RNG_HI) == 0
            assert view.legal() == (position.legal() if position.to_move == seat else [])
            assert view == position.view(seat)
            assert set(view.state()) == set(position.state())
    with pytest.raises(grognard.UnknownName):
        game.position.view("nobody at all")


def test_views_do_not_depend_on_the_dice(engine: Engine) -> None:
    position = engine.new_game(seed=1)
    other = position.clone()
    with memoryview(other.cells) as raw, raw.cast("i") as cells:
        cells[H_RNG_LO] ^= 0x5555
    assert other != position
    for seat in engine.seats:
        assert bytes(other.view(seat)) == bytes(position.view(seat))


def test_state_is_plain(engine: Engine) -> None:
    import json

    state = random_game(engine, 3, 20).position.state()
    assert json.loads(json.dumps(state)) == state


def test_log_lines_have_words_and_places(engine: Engine) -> None:
    for line in random_game(engine, 10, 60).log:
        assert line.text and "{" not in line.text
        assert engine.ruleset.program.sites[line.site].kind == line.kind
        assert line.kind not in ("hidden roll", "branch")


def test_many_at_once(engine: Engine) -> None:
    start = engine.new_game(seed=11)
    choices = start.legal()[:12]
    positions = [start] * (3 * len(choices))
    made = engine.play_many(positions, choices * 3, threads=3)
    assert made == [start.play(choice) for choice in choices * 3]
    with pytest.raises(grognard.IllegalChoice):
        engine.play_many([start, start], [choices[0].value, 2**31 - 2], threads=2)
    with pytest.raises(ValueError):
        engine.play_many([start], [])


def test_threads_share_an_engine(engine: Engine) -> None:
    def play(seed: int) -> int:
        return random_game(engine, seed, 40).position.hash

    with ThreadPoolExecutor(4) as pool:
        together = list(pool.map(play, range(8)))
    assert together == [play(seed) for seed in range(8)]


def test_playouts_add_up(engine: Engine) -> None:
    most = affordable(engine, 150)
    found = engine.playouts(3, seed=5, max_answers=most)
    assert sum(found.wins.values()) + found.draws + found.unfinished == 3
    assert found == engine.playouts(3, seed=5, max_answers=most)


def test_both_back_ends_agree(title: str) -> None:
    if (reason := compiler_available()) is not None:
        pytest.skip(reason)
    slow, fast = engine_for(title, "interpreter"), engine_for(title, "compiled")
    most = affordable(slow, 200)
    # One scenario of many is enough here; all of them are compared by the tests of each title.
    for scenario in slow.scenarios[:2]:
        report = grognard.compare_backends(slow.ruleset, scenario, games=2, seed=21, max_answers=most)
        assert report.agree, str(report)
        assert report.positions > 1
    assert slow.fingerprint == fast.fingerprint
    assert slow.playouts(2, seed=9, max_answers=most) == fast.playouts(2, seed=9, max_answers=most)
    picker = random.Random(3)
    left, right = slow.new_game(seed=2), fast.new_game(seed=2)
    for _ in range(min(30, most)):
        assert left == right and left.legal() == right.legal()
        for seat in slow.seats:
            assert bytes(left.view(seat)) == bytes(right.view(seat))
        if left.over:
            break
        value = picker.choice(left.values())
        left, right = left.play(value), right.play(value)
