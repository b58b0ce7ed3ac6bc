"""What a seat may know: views, log lines and explanations of a title with every kind of secret."""

from __future__ import annotations

from pathlib import Path

import grognard
import pytest
from engines import BACKENDS, random_game
from grognard.engine import Engine
from grognard.play.game import Game


def texts(game: Game, seat: str) -> list[str]:
    return [line.text for line in game.log_for(seat)]


def test_orders_are_secret_until_all_are_given(skirmish: Engine) -> None:
    game = skirmish.game(seed=1)
    start = game.position
    game.play("advance")
    assert game.position.to_move == "soviet"
    for seat in skirmish.seats:
        assert game.position.view(seat).side("german", "order") is None
    assert bytes(game.position.view("german")) != b""
    other = start.play("hold")
    assert bytes(other.view("soviet")) == bytes(game.position.view("soviet"))
    assert texts(game, "soviet") == ["round 1"]
    assert texts(game, "german") == ["round 1", "german: order advance", "an order is given"]
    assert not game.can_undo_fairly()
    game.play("hold")
    for seat in skirmish.seats:
        assert game.position.view(seat).side("german", "order") == "advance"
        assert game.position.view(seat).side("soviet", "order") == "hold"
    # What was answered in secret stays so; what came of it is in the state.
    assert "german: order advance" not in texts(game, "soviet")


def test_hidden_counters_are_absent(skirmish: Engine) -> None:
    position = skirmish.new_game(seed=1)
    own, other = position.view("soviet"), position.view("german")
    assert [unit.name for unit in own.pieces("Unit")] == ["A", "T", "B", "H"]
    assert [unit.name for unit in other.pieces("Unit")] == ["A", "T", "B"]
    assert own.piece("Unit", "H").at == "0303" and other.piece("Unit", "H").at is None
    assert "H" not in other.state()["pieces"]["Unit"]


def test_nothing_in_a_view_tells_where_a_hidden_counter_is(skirmish: Engine) -> None:
    position = skirmish.new_game(seed=1)
    moved = position.clone()
    layout = skirmish.ruleset.scenario().layout  # type: ignore[union-attr]
    field = next(f for f in skirmish.ruleset.program.fields if f.name == "Unit.at")
    steps = next(f for f in skirmish.ruleset.program.fields if f.name == "Unit.steps")
    target = next(f for f in skirmish.ruleset.program.fields if f.name == "Unit.target")
    with memoryview(moved.cells) as raw, raw.cast("i") as cells:
        cells[layout.field_offset[field.id] + 3] = 0
        cells[layout.field_offset[steps.id] + 2 * 3 + 1] = 2
        cells[layout.field_offset[target.id]] = 3
    assert moved.piece("Unit", "H").at == "0101" and moved.piece("Unit", "H").steps(2) == 2
    assert moved.piece("Unit", "A").target == "H"
    assert bytes(moved.view("german")) == bytes(position.view("german"))
    assert moved.view("soviet").piece("Unit", "H").steps(2) == 2


def test_marching_unseen(skirmish: Engine) -> None:
    game = skirmish.game(seed=1)
    for answer in ("hold", "hold", "done", "march", "H", "0302"):
        game.play(answer)
    assert "soviet: unit Rifles H" in texts(game, "soviet") and "soviet: to 0302" in texts(game, "soviet")
    german = texts(game, "german")
    assert not any("Rifles H" in text or "0302" in text for text in german)
    assert "0302" not in str(game.why(seat="german")) and "0302" in str(game.why())
    for answer in ("shoot", "A"):
        game.play(answer)
    assert "soviet: target Rifles A" in texts(game, "german")


def test_hits_are_known_to_their_owner_alone(skirmish: Engine) -> None:
    for seed in range(20):
        game = skirmish.game(seed=seed)
        for answer in ("hold", "hold", "shoot", "T"):
            game.play(answer)
        alive = any(unit.name == "B" for unit in game.position.pieces("Unit"))
        if alive and game.position.get("Unit", "B", "hit") == "pinned":
            break
    assert game.position.view("soviet").get("Unit", "B", "hit") == "pinned"
    assert game.position.view("german").get("Unit", "B", "hit") is None
    assert not game.can_undo_fairly(), "dice were rolled"
    # The firepower of a counter is read from its hit: whoever may not know it is not told either.
    assert "firepower" in str(game.why()) and "firepower" not in str(game.why(seat="german"))
    assert "2d6" in str(game.why(seat="german"))


def test_cards_are_drawn_unseen(skirmish: Engine) -> None:
    game = skirmish.game(seed=1)
    for answer in ("hold", "hold", "draw_card"):
        game.play(answer)
    assert any(text.startswith("drawn from Deck: ") for text in texts(game, "german"))
    assert not any(text.startswith("drawn from Deck: ") for text in texts(game, "soviet"))
    assert sum(game.position.bag("Deck").values()) == 3
    for seat in skirmish.seats:
        view = game.position.view(seat)
        assert view.bag("Deck") == {} and view.bag_size("Deck") == 3


def test_undo_is_fair_where_nothing_was_learnt(skirmish: Engine) -> None:
    game = skirmish.game(seed=1)
    game.play("hold")
    game.play("hold")
    game.play("march")
    assert game.can_undo_fairly()
    game.play("A")
    game.play("0201")
    assert game.can_undo_fairly()


def test_coming_out_of_hiding_is_not_taken_back_fairly(skirmish: Engine) -> None:
    for seed in range(30):
        game = random_game(skirmish, seed, 120)
        while game.history:
            before, after = game._steps[game._at - 1].position, game.position
            hidden = [p.view("german").get("Unit", "H", "at") is None for p in (before, after)]
            if hidden == [True, False]:
                assert not game.can_undo_fairly()
                return
            game.undo()
    raise AssertionError("no game showed it")


def test_dead_counters_keep_their_secrets(skirmish: Engine) -> None:
    for seed in range(30):
        game = skirmish.game(seed=seed)
        for answer in ("hold", "hold", "shoot", "T"):
            game.play(answer)
        if not any(unit.name == "B" for unit in game.position.pieces("Unit")):
            assert game.position.get("Unit", "B", "hit") == "pinned"
            for seat in skirmish.seats:
                assert game.position.view(seat).get("Unit", "B", "hit") is None
            return
    raise AssertionError("B was never destroyed")


AS_OF_DAWN = """sides red, blue
space Board: hexes from "maps/board.yaml"
piece Unit up to 6
  at: Hex?
  hidden: flag
  secret trap: flag to owner
  secret all to owner while hidden
rule crowded(h: Hex) -> flag = any(u in Unit where u.at is h) as of dawn
rule armed(u: Unit) -> flag = u.trap as of dawn
movement walk(h: Hex) on Board
  start h
  allowance 1
  step from a to b
  never when any(u in Unit where u.at is b)
  costs 1
sequence
  mark dawn
  for u in Unit where u.at is 0201: destroy u
  phase one
    choose h: Hex where crowded(h) by red "where somebody was", else end game
    choose u: Unit where armed(u) by red "who was armed", else end game
    log "{h} {u}"
    choose r in reach(walk(0101)) by red "where one can go", else end game
    choose s along walk(0101) by red "how to go", else end game
    if length(s) > 0: log "{r}"
victory = red
"""


@pytest.mark.parametrize("backend", BACKENDS)
def test_what_is_hidden_decides_no_choice_of_others(backend: str, tmp_path: Path) -> None:
    """As of a mark, hidden counters, those among them that have left play since, and secret fields are as secret as now; and
    a movement that a hidden counter would stop is offered."""
    places = {"R": "0101", "S": "0202", "H": "0102", "G": "0201", "Q": "0101"}
    offered: list[list[list[str]]] = []
    for hidden in ("yes", "no"):
        folder = tmp_path / f"dawn_{hidden}"
        (folder / "maps").mkdir(parents=True)
        (folder / "scenarios").mkdir()
        (folder / "title.yaml").write_text("name: Dawn\nscenario: only\n", encoding="utf-8")
        (folder / "game.grog").write_text(AS_OF_DAWN, encoding="utf-8")
        (folder / "maps" / "board.yaml").write_text("grid: {columns: 2, rows: 2}\n", encoding="utf-8")
        pieces = "".join(
            f'  - {{Unit: 1, as: {name}, side: {"red" if name in "RQ" else "blue"}, at: "{at}", trap: yes, '
            f"hidden: {hidden if name in 'HG' else 'no'}}}\n"
            for name, at in places.items()
        )
        (folder / "scenarios" / "only.yaml").write_text(f"name: Only\npieces:\n{pieces}", encoding="utf-8")
        position = grognard.load(str(folder), backend=backend).new_game(seed=1)  # type: ignore[arg-type]
        offered.append([])
        while not position.over:
            offered[-1].append(sorted(str(answer) for answer in position.legal()))
            position = position.play(position.legal()[0])
    everywhere = [["0101", "0102", "0201", "0202"], ["Q", "R"]]
    assert offered == [[["0101", "0202"], ["Q", "R"], ["0102", "0201"], ["0102", "0201"]], everywhere]
