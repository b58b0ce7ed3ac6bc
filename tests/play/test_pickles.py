"""Positions, games and engines as values of Python: copied, pickled, sent to other processes."""

from __future__ import annotations

import copy
import pickle
import subprocess
import sys

import grognard
import pytest
from engines import random_game
from grognard.engine import Engine


def test_positions_pickle_and_copy(skirmish: Engine) -> None:
    game = random_game(skirmish, 5, 12)
    position = game.position
    again = pickle.loads(pickle.dumps(position))
    assert again == position and again is not position
    assert again.setting.engine.fingerprint == skirmish.fingerprint
    assert [choice.name for choice in again.legal()] == [choice.name for choice in position.legal()]
    for made in (copy.copy(position), copy.deepcopy(position)):
        assert made == position and made.cells is not position.cells
        assert made.setting is position.setting


def test_two_positions_of_one_pickle_share_their_engine(skirmish: Engine) -> None:
    game = random_game(skirmish, 6, 8)
    one, other = pickle.loads(pickle.dumps((game.position, skirmish.new_game())))
    assert one.setting.engine is other.setting.engine


def test_games_pickle_with_their_history(skirmish: Engine) -> None:
    game = random_game(skirmish, 7, 10)
    answers = len(game.history)
    for made in (pickle.loads(pickle.dumps(game)), copy.deepcopy(game)):
        assert [played.name for played in made.history] == [played.name for played in game.history]
        assert made.position == game.position
        made.undo()
        assert made.log == game.log[: len(made.log)]
        assert made.redo() == game.position
    # The copy's undo has not touched the game itself.
    assert len(game.history) == answers


def test_a_position_is_read_by_another_process(connect_four: Engine) -> None:
    position = connect_four.new_game().play("D1")
    code = "import pickle, sys; print(pickle.load(sys.stdin.buffer).to_move)"
    done = subprocess.run(
        [sys.executable, "-c", code], input=pickle.dumps(position), capture_output=True, check=True
    )
    assert done.stdout.decode().strip() == position.to_move


def test_a_pickle_of_other_rules_is_refused(connect_four: Engine) -> None:
    function, (where, scenario, backend, errata, fingerprint, _) = connect_four.__reduce__()
    with pytest.raises(grognard.PositionError, match="changed since"):
        function(where, scenario, backend, errata, fingerprint[::-1])
