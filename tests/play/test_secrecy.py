"""What a seat may know: views, log lines and explanations of a title with every kind of secret."""

from __future__ import annotations

from engines import random_game
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
