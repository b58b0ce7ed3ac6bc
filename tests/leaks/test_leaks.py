"""Nothing leaks: what a seat is told is the same wherever it may not know the difference."""

from __future__ import annotations

from pathlib import Path

import pytest
from engines import SKIRMISH, affordable, engine_for
from grognard.compiler.layers.title_paths import shipped_titles
from grognard.engine import Engine
from grognard.play.game import Game
from grognard.play.telling import Telling
from leak_search import Found, search

AMBUSCADE = str(Path(__file__).parent / "titles" / "ambuscade")


@pytest.fixture
def ambuscade(backend: str) -> Engine:
    return engine_for(AMBUSCADE, backend)


def played(engine: Engine, *answers: str) -> Game:
    game = engine.game(seed=1)
    for answer in answers:
        game.play(answer)
    return game


def told(game: Game, seat: str) -> str:
    lines = [line.text for line in game.log_for(seat)]
    return "\n".join([*lines, *(str(game.why(n, seat)) for n in range(len(game.history)))])


# ------------------------------------------------------------------------------ answers that would give secrets away


def test_the_hex_of_a_hidden_march(ambuscade: Engine) -> None:
    game = played(ambuscade, "done", "choose_lead", "H", "creep", "0402")
    assert "0402" in told(game, "blue")
    assert "creep" in told(game, "red"), "that points were spent is seen"
    assert "0402" not in told(game, "red") and "squad H" not in told(game, "red")


def test_the_hex_of_hiding(ambuscade: Engine) -> None:
    game = played(ambuscade, "choose_lead", "A", "hide", "0201")
    assert "squad A" in told(game, "blue"), "it was in sight when it took the lead"
    assert "0201" in told(game, "red") and "0201" not in told(game, "blue")


def test_the_hex_and_the_kind_of_a_hidden_mine(ambuscade: Engine) -> None:
    game = played(ambuscade, "mine", "large", "0301")
    assert "large" in told(game, "red") and "0301" in told(game, "red")
    assert "large" not in told(game, "blue") and "0301" not in told(game, "blue")


@pytest.mark.parametrize("trap", ["yes", "no"])
def test_that_no_trap_was_left_is_as_secret_as_one(ambuscade: Engine, trap: str) -> None:
    game = played(ambuscade, "choose_lead", "A", "step_off", trap, "0201")
    assert f"leave a trap {trap}" in told(game, "red") and "leave a trap" not in told(game, "blue")
    assert "red: to 0201" in told(game, "blue"), "the march itself is in sight"


def test_an_answer_is_kept_back_until_it_is_known_what_comes_of_it(ambuscade: Engine) -> None:
    game = played(ambuscade, "choose_lead", "A", "hide")
    assert [line.text for line in game.log if line.pending] == ["red picks go into hiding"]
    assert "hiding" not in told(game, "blue")
    game.play("0201")
    assert "hiding" in told(game, "blue") and not any(line.pending for line in game.log)


# ------------------------------------------------------------------------------------------------ hidden fields


def test_hidden_fields_read_as_hidden(ambuscade: Engine) -> None:
    game = played(ambuscade, "set_stance", "A", "rush", "hold_back", "2")
    red, blue = game.position.view("red"), game.position.view("blue")
    assert red.piece("Unit", "A").stance == "rush" and red.side("red", "reserve") == 2
    for unit in ("A", "B"):
        assert blue.piece("Unit", unit).stance is None, "neither rush nor wait"
    assert blue.side("red", "reserve") is None and blue.state()["sides"]["red"]["reserve"] is None
    assert blue.piece("Unit", "C").stance == "wait" and blue.side("blue", "reserve") == 0


# --------------------------------------------------------------------------------------------------- in general


def sound(engine: Engine, answers: int, games: int = 1) -> Found:
    """Random games of all scenarios; of large titles on the interpreter the beginning of one."""
    found = Found()
    played = affordable(engine, answers, 6)
    scenarios = engine.scenarios * games if played == answers else engine.scenarios[:1]
    for number, scenario in enumerate(scenarios):
        short = played < answers
        found.add(
            search(
                engine,
                scenario,
                number,
                played,
                every=2 if short else 6,
                advised=0 if short else 0.2,
                streams=not short,
            )
        )
    assert not found.leaks, "\n".join(found.leaks[:5])
    return found


def test_random_games_of_a_title_made_of_secrets(ambuscade: Engine) -> None:
    found = sound(ambuscade, 100, 5 if ambuscade.backend == "compiled" else 2)
    assert found.worlds > 50 and found.histories > 30


@pytest.mark.parametrize("name", [*sorted(shipped_titles()), str(SKIRMISH)], ids=lambda name: Path(name).name)
def test_random_games_of_all_scenarios(name: str, backend: str) -> None:
    engine = engine_for(name, backend)
    if engine.ruleset.program.view is None:
        assert not engine.ruleset.schema.secret_fields
        return
    found = sound(engine, 50 if backend == "compiled" else 20)
    assert not found.told_apart
    assert found.worlds or backend == "interpreter"


def test_the_search_finds_answers_that_are_told_to_all(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Telling, "may_know", lambda *_: True)
    assert search(engine_for(AMBUSCADE, "interpreter"), "only", 1, 60).leaks
