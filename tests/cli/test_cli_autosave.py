"""A game at the keyboard outlives its session: rules that fail, signals, closed terminals, folders that cannot be written."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from cli_running import SLOW, Cli
from grognard.play.savefile import read_save

pty = pytest.importorskip("pty")

GROGNARD = [sys.executable, "-m", "grognard.cli.main"]


@pytest.fixture(autouse=True)
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("GROGNARD_DATA", str(tmp_path / "data"))
    return tmp_path / "data" / "games"


@pytest.fixture
def failing(skirmish: str, tmp_path: Path) -> str:
    """The skirmish, in which firing fails."""
    folder = tmp_path / "failing"
    shutil.copytree(skirmish, folder)
    rules = (folder / "rules.grog").read_text()
    (folder / "rules.grog").write_text(rules.replace("  shots += 1\n", "  shots += 100\n"))
    return str(folder)


def saves(data: Path) -> list[Path]:
    return [path for path in data.glob("*.json") if not path.name.endswith(".session.json")]


def test_the_last_game_is_taken_up_as_it_was_played(cli: Cli, skirmish: str, data: Path) -> None:
    result = cli("play", "connect_four", "--seed", "3", *SLOW, stdin="D1\nE1\n")
    assert "`grognard play --resume` goes on" in result.err
    (kept,) = saves(data)
    assert [answer.name for answer in read_save(kept).answers] == ["D1", "E1"]
    # A folder is found again from anywhere, with who plays.
    cli("play", skirmish, "--side", "blue", "--against", "random", "--seed", "1", *SLOW, stdin="1\n")
    again = cli("play", "--resume", stdin=":quit\n")
    assert again.status == 0 and "blue>" in again.out and "red>" not in again.out
    older = cli("play", "connect_four", "--resume", stdin="A1\n")
    assert "The game stands after 3 answers." in older.out
    assert len(read_save(kept).answers) == 3
    assert cli("play", "mbt", "--resume").status == 2


def test_a_rule_that_fails_does_not_end_the_session(cli: Cli, failing: str, data: Path) -> None:
    result = cli("play", failing, "--seed", "1", *SLOW, stdin="fire\n1\n1\n:log\nmarch\n")
    assert result.status == 0
    assert (
        "A rule failed in shoot: " in result.out and "The position before it stands, saved in " in result.out
    )
    (kept,) = saves(data)
    assert f"saved in {kept}" in result.out
    # Another answer than the one that failed, after those before it.
    assert read_save(kept).answers[0].name == "fire"
    assert "The game stands after " in result.out


def test_a_bot_gives_another_answer_when_rules_fail(cli: Cli, failing: str) -> None:
    words = ("play", failing, "--side", "red", "--against", "random", "--seed", "1", *SLOW)
    result = cli(*words, stdin=":random 60\n:quit\n")
    assert "A rule failed in shoot" in result.out
    # Where nothing but failing answers is left, the game ends with a sentence and not with a fault.
    assert result.status in (0, 2) and "internal error" not in result.err


@pytest.mark.parametrize("named", [False, True])
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_signals_leave_the_game(number: signal.Signals, named: bool, data: Path, tmp_path: Path) -> None:
    path = tmp_path / "named.json"
    process = subprocess.Popen(
        [*GROGNARD, "play", "connect_four", *SLOW, *(["--save", str(path)] if named else [])],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert process.stdin is not None and process.stdout is not None
    process.stdin.write(b"D1\n")
    process.stdin.flush()
    seen = b""
    while b"yellow> " not in seen:
        seen += os.read(process.stdout.fileno(), 65536)
    process.send_signal(number)
    _, told = process.communicate(timeout=60)
    assert process.returncode == 128 + number
    assert b"Traceback" not in told and b"--resume" in told
    kept = path if named else saves(data)[0]
    assert [answer.name for answer in read_save(kept).answers] == ["D1"]


def test_a_closed_terminal_leaves_the_game(data: Path) -> None:
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        [*GROGNARD, "play", "connect_four", "--plain", *SLOW],
        stdin=theirs, stdout=theirs, stderr=theirs, start_new_session=True,
    )  # fmt: skip
    os.close(theirs)
    seen = b""
    while b"red> " not in seen:
        seen += os.read(ours, 65536)
    os.write(ours, b"D1\n")
    while b"yellow> " not in seen:
        seen += os.read(ours, 65536)
    os.close(ours)
    process.wait(60)
    assert [answer.name for answer in read_save(saves(data)[0]).answers] == ["D1"]


def test_a_killed_save_leaves_nothing_for_long(cli: Cli, tmp_path: Path) -> None:
    path = tmp_path / "game.json"
    words = ("play", "connect_four", "--auto", "3", "--save", str(path), *SLOW)
    cli(*words)
    # Killed between making the file beside the save and giving it the save's name.
    code = (
        "import os, sys; from grognard.cli.main import main\n"
        "os.replace = lambda *a: os.kill(os.getpid(), 9)\n"
        f"main({list(words)!r})"
    )
    subprocess.run([sys.executable, "-c", code], check=False)
    (left,) = tmp_path.glob(".grognard-*.tmp")
    os.utime(left, (0, 0))
    cli(*words)
    assert not list(tmp_path.glob(".*")) and json.loads(path.read_text())["answers"]


def test_a_name_as_long_as_names_may_be(cli: Cli, tmp_path: Path) -> None:
    path = tmp_path / ("n" * 250 + ".json")
    assert cli("play", "connect_four", "--auto", "3", "--save", str(path), *SLOW).status == 0
    assert len(read_save(path).answers) == 3


def test_a_data_folder_that_cannot_be_written(cli: Cli, data: Path) -> None:
    data.parent.write_text("a file")
    result = cli("play", "connect_four", *SLOW, stdin="D1\n")
    assert result.status == 0
    assert result.err.count("the game is not saved as it goes on: the folder") == 1


def test_a_game_is_replayed_under_other_errata(cli: Cli, tmp_path: Path) -> None:
    path = str(tmp_path / "mbt.json")
    words = ("play", "mbt", "--errata", "none", "--auto", "4", "--save", path, *SLOW)
    assert cli(*words).status == 0
    result = cli("replay", path, "--errata", "all", "--log", *SLOW)
    assert result.status == 0 and "MBT" in result.out
    assert "there is no erratum" in cli("replay", path, "--errata", "nonsense", *SLOW).err
