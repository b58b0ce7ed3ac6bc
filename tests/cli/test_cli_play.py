"""Playing at the keyboard: answers, commands, the end of the input."""

from __future__ import annotations

from pathlib import Path

import pytest
from cli_running import SLOW, Cli
from engines import SKIRMISH
from grognard.cli.board.showing import log_texts
from grognard.cli.console import Console
from grognard.cli.prompting import keys_of, list_choices, read_choice
from grognard.contract.questions import Choice
from grognard.play.wording import LogLine

FOUR = ("play", "connect_four", "--seed", "3", *SLOW)


def test_a_whole_game(cli: Cli) -> None:
    result = cli(*FOUR, stdin="D1\nE1\nd2\n5\nD3\nE3\nD4\n")
    assert result.status == 0
    assert "red: drop a disc, into? [3]" in result.out
    assert "  · red: drop a disc, into D1 [3]" in result.out
    assert "The game is over: red wins." in result.out


def test_a_game_that_is_over_can_be_kept_and_taken_back(cli: Cli, tmp_path: Path) -> None:
    path = tmp_path / "won.json"
    won = "D1\nE1\nD2\nE2\nD3\nE3\nD4\n"
    result = cli(*FOUR, stdin=f"{won}:hint\nD5\n:save {path}\n:undo\n:quit\n")
    assert "the game is over (:undo takes something back)" in result.out
    assert "The game is over; :undo takes back" in result.out
    assert f"Saved to {path} after 7 answers." in result.out
    assert result.out.rstrip().endswith("The game stands after 6 answers.")
    assert "red wins" in cli("replay", str(path), *SLOW).out


def test_the_input_ends(cli: Cli) -> None:
    result = cli(*FOUR, stdin="D1\n")
    assert result.status == 0
    assert "Good-bye. The game stands after 1 answer." in result.out
    assert cli(*FOUR, stdin=":quit\n").out.rstrip().endswith("The game stands after 0 answers.")


def test_against_chance(cli: Cli) -> None:
    result = cli(*FOUR, "--side", "yellow", "--against", "random", stdin="1\n:undo\n1\n:undo\n:undo\n")
    assert result.status == 0
    # Red has played before yellow is asked for the first time, and undoing never leaves yellow without a question.
    assert result.out.count("yellow: drop a disc, into?") >= 3
    assert "red: drop, into?" not in result.out


def test_the_odds_stand_behind_the_choice_that_is_rolled_for(cli: Cli, skirmish: str) -> None:
    result = cli("play", skirmish, *SLOW, "--against", "random", stdin="fire\nA\n:undo\n")
    assert "squad A, 0202  (tank T hits +1 50 %)" in result.out
    assert "dice have fallen" in result.out.partition(":undo")[2], "what was thrown cannot be taken back"


def test_undo_and_redo(cli: Cli) -> None:
    result = cli(*FOUR, stdin=":undo\nD1\nE1\n:undo 2\n:redo\n:redo 9\n:redo\n:undo x\n")
    assert "there is nothing to undo" in result.out
    assert "there is nothing to redo" in result.out
    assert "`x` is not a number" in result.out
    assert "The game stands after 2 answers." in result.out


def test_save_and_load(cli: Cli, tmp_path: Path) -> None:
    path = tmp_path / "game.json"
    result = cli(
        *FOUR, stdin=f"D1\n:save {path}\nE1\n:load {path}\n:save {tmp_path}/no/x\n:save\n:load\n:load no\n"
    )
    assert f"Saved to {path} after 1 answer." in result.out
    assert "cannot be written" in result.out
    assert "save to which file?" in result.out and "load which file?" in result.out
    assert "no cannot be read" in result.out
    assert "The game stands after 1 answer." in result.out
    result = cli("play", "connect_four", "--load", str(path), *SLOW, stdin="E1\n")
    assert "The game stands after 2 answers." in result.out


def test_log_why_view_help(cli: Cli) -> None:
    result = cli(
        *FOUR, stdin=":why\nD1\n:why\n:why 9\n:log\n:view yellow\n:view\n:view yelow\n:view all\n:help\n?\n"
    )
    assert "nothing was played yet" in result.out
    assert "four = no [4]" in result.out
    assert "only 1 answer so far" in result.out
    assert "did you mean yellow?" in result.out
    assert result.out.count(":undo [N]") == 2


def test_one_side_sees_as_one_side(cli: Cli) -> None:
    hidden = str(SKIRMISH)
    alone = ("play", hidden, "--seed", "1", "--against", "random", *SLOW)
    result = cli(*alone, stdin=":view all\n:view soviet\n:view german\n")
    assert result.out.count("not shown while the game goes on") == 2
    both = cli("play", hidden, "--seed", "1", *SLOW, stdin=":view all\n:view soviet\n")
    assert "not shown" not in both.out


def test_map_and_look(cli: Cli, skirmish: str) -> None:
    result = cli(
        "play", skirmish, *SLOW, stdin=":map small\n:map huge\n:look 0202\n:look 0203\n:look 0299\n:look\n"
    )
    assert "maps are large or small" in result.out
    assert "01 02 03 04 05" in result.out
    assert "0202  house, level 1\n" in result.out
    assert "  A  red squad A facing ne\n      strength 2\n" in result.out, "what is printed on the counter"
    assert "there is no place `0299`" in result.out
    assert "look at which place?" in result.out


def test_rules_are_asked(cli: Cli) -> None:
    """MBT's players may check spotting at any time: yes or no, with the reasons; what cannot be asked is told."""
    asked = (
        ":ask spots(U1, S1, spot_move)\n:ask los 1A3 1B3\n:ask lso(1A3)\n:ask los(1A3)\n:ask engage(direct)\n"
    )
    result = cli("play", "mbt", *SLOW, stdin=asked + ":ask spots(U1, S99, spot_move)\n:ask\n")
    assert "spots: no\n" in result.out and "spots = no [S1, S7, S9, P5]" in result.out
    assert "los: yes\n" in result.out
    assert "there is no rule `lso`: did you mean `los`?" in result.out
    assert "`los` is asked with (a: Hex, b: Hex)" in result.out
    assert "`engage` cannot be asked by itself" in result.out
    assert "`t` is Vehicle, not `S99`" in result.out
    assert "ask which rule?" in result.out


def test_wrong_words(cli: Cli) -> None:
    result = cli(*FOUR, stdin="99\nX1\n:udno\n:\n\n:random 3\n")
    assert "`99` is not in the list" in result.out
    assert "`X1` is not offered" in result.out
    assert "did you mean :undo?" in result.out
    assert "there is no command `:`" in result.out
    assert "The game stands after 3 answers." in result.out


def test_scenarios_and_errors_of_rules(cli: Cli, skirmish: str) -> None:
    result = cli("play", skirmish, "--scenario", "duel", "--auto", "5", *SLOW)
    assert result.status == 0
    assert "T1" in result.out
    # The default seed of a demonstration is fixed.
    assert result.out == cli("play", skirmish, "--scenario", "duel", "--auto", "5", *SLOW).out


def _choices(*names: str) -> list[Choice]:
    return [Choice(n, f"{name} (label)", name) for n, name in enumerate(names)]


def test_dice_of_one_throw_stand_in_one_line() -> None:
    def rolled(text: str, *args: int, site: int = 1) -> LogLine:
        return LogLine(text, (), "roll", None, site, args)

    console = Console(plain=True)
    fired = [rolled(f"attacking, d6: {die}", 1, 1, 6, die) for die in (5, 1, 6)]
    other = rolled("defending, d6: 2", 1, 1, 6, 2, site=2)
    assert log_texts([*fired, other], console) == ["  - attacking, 3d6: 1 5 6", "  - defending, d6: 2"]
    pair = rolled("die, 2d6: 3 + 4 = 7", 2, 1, 6, 3, 4)
    assert log_texts([pair, pair], console) == ["  - die, 2d6: 3 + 4 = 7"] * 2
    pool = rolled("pool, 5d6: 5 + 4 + 5 + 1 + 2 = 17", 5, 1, 6, 5, 4, 5, 1, 2)
    assert log_texts([pool], console) == ["  - pool, 5d6: 1 2 4 5 5"]


def test_keys() -> None:
    assert keys_of(_choices("a", "b")) == ["1", "2"]
    # Hexes and numbers are their own keys: nobody can tell a place in the list from a name.
    assert keys_of(_choices("0101", "0102", "done")) == ["0101", "0102", "done"]


@pytest.mark.parametrize(
    "text, meant",
    [("2", "squad_2"), ("squad_1", "squad_1"), ("SQUAD_1", "squad_1"), ("tank", "tank_1"), ("pass", "done")],
)
def test_reading(text: str, meant: str) -> None:
    found = read_choice(text, _choices("squad_1", "squad_2", "tank_1", "done"))
    assert isinstance(found, Choice)
    assert found.name == meant


@pytest.mark.parametrize(
    "text, sentence",
    [
        ("squad", "may be squad_1, squad_2"),
        ("9", "not in the list"),
        ("tnak_1", "did you mean `tank_1`?"),
        ("undo 2", "begin with a colon: :undo"),
        ("q", "colon: :quit"),
    ],
)
def test_not_understood(text: str, sentence: str) -> None:
    found = read_choice(text, _choices("squad_1", "squad_2", "tank_1"), (":undo", ":quit"))
    assert isinstance(found, str)
    assert sentence in found


def test_many_choices_stand_in_columns() -> None:
    choices = [Choice(n, f"A{n}", f"A{n}") for n in range(40)]
    lines = list_choices(choices, Console(plain=True))
    assert len(lines) < 8
    assert "40  A39" in lines[-1]
