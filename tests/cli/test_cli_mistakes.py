"""Every mistake gives one clear sentence, a hint and status 2; never a traceback."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest
from cli_running import SLOW, Cli
from grognard.cli.commands import check
from grognard.cli.main import main


@pytest.mark.parametrize(
    "words, sentence, hint",
    [
        (["chek"], "there is no command `chek`", "did you mean `check`?"),
        (["check"], "something is missing: TITLE", "grognard check --help"),
        (["check", "conect_four"], "there is no title `conect_four`", "did you mean `connect_four`?"),
        (["play", "zzzzzz"], "there is no title `zzzzzz`", "known are"),
        (["check", "connect_four", "--strct"], "there is no option `--strct`", "did you mean `--strict`?"),
        (["titles", "mbt", "extra"], "`extra` is one argument too many", "grognard titles --help"),
        (["titles", "mtb"], "there is no title `mtb`", "did you mean `mbt`?"),
        (["perft", "connect_four", "x"], "`x` is not a whole number from 1 to 64", "--help"),
        (["perft", "connect_four", "0"], "`0` is not a whole number from 1 to 64", "--help"),
        (["perft", "connect_four", "-1"], "`-1` is not a whole number from 1 to 64", "--help"),
        (["playout", "connect_four", "-n", "1e9"], "`1e9` is not a whole number", "--help"),
        (["playout", "connect_four", "--backend", "cython"], "--backend cannot be `cython`", "did you mean `python`?"),
        (["build", "connect_four", "--show", "irr"], "--show cannot be `irr`", "did you mean `ir`?"),
        (["explain"], "which code?", "grognard explain GR0201"),
        (["explain", "GR9999"], "there is no code `GR9999`", "--list"),
        (["play", "connect_four", "--scenario", "standrd"], "has no scenario `standrd`", "did you mean `standard`?"),
        (["play", "connect_four", "--scenario", "xyz"], "has no scenario `xyz`", "there is `standard`"),
        (["play", "connect_four", "--side", "redd", "--against", "random"], "has no side `redd`", "did you mean `red`?"),
        (
            ["play", "storms_of_steel", "--side", "axis", "--against", "random"],
            "`axis` is several seats",
            "say which: `german`",
        ),
        (["play", "connect_four", "--side", "red"], "somebody must play the others", "--against greedy"),
        (["play", "connect_four", "--load", "no.json"], "no.json cannot be read: No such file", ""),
        (["play", "connect_four", "--moves", "no.txt"], "no.txt cannot be read: No such file", ""),
        (["play", "connect_four", "--load", "x", "--seed", "1"], "has its own scenario, options and seed", "leave"),
        (["play", "connect_four", "--seed", "-4"], "--seed: `-4` is not a whole number from 0", "--help"),
        (["replay", "no.json"], "no.json cannot be read: No such file", ""),
        (["replay"], "something is missing: FILE", "--help"),
        (["why", "no.json"], "no.json cannot be read: No such file", ""),
        (["check", "connect_four", "--errata", "2009"], 'there is no erratum "2009"', ""),
        (["check", "connect_four", "--errata", "all", "--errata", "none"], "cannot be joined", "name the errata"),
        (["test", "connect_four", "--backend", "all"], "--backend cannot be `all`", "--help"),
        (["coverage", "connect_four", "--list", "mising"], "--list cannot be `mising`", "did you mean `missing`?"),
        (["check", "\x1b[31mred"], "there is no title `?[31mred`", ""),
    ],
)  # fmt: skip
def test_one_sentence(cli: Cli, words: list[str], sentence: str, hint: str) -> None:
    result = cli(*words)
    assert result.status == 2
    if "--errata" in words and "2009" in words:
        assert sentence in result.out
        return
    first, *rest = result.err.splitlines()
    assert first.startswith("grognard: ")
    assert sentence in first
    assert hint in "".join(rest)
    assert result.out == ""


def test_bad_saves(cli: Cli, save: str, tmp_path: Path) -> None:
    text = Path(save).read_text(encoding="utf-8")
    cases = {
        "empty": (b"", "is empty"),
        "binary": (b"\xff\xfe\x00", "is not text"),
        "half": (text[: len(text) // 2].encode(), "is truncated"),
        "other": (b"[1, 2]", "is not a saved game"),
        "moved": (
            text.replace('"seed": 1', '"seed": 2').replace('"value": ', '"value": 1').encode(),
            "damaged",
        ),
        "title": (text.replace('"connect_four"', '"../../etc"').encode(), "not found here"),
        "deep": (b"[" * 100_000, "nested too deeply"),
    }
    for name, (content, sentence) in cases.items():
        path = tmp_path / f"{name}.json"
        path.write_bytes(content)
        for command in ("replay", "why"):
            result = cli(command, str(path), *SLOW)
            assert result.status == 2, name
            assert sentence in result.err, name
    result = cli("replay", str(tmp_path), *SLOW)
    assert result.status == 2
    assert "is not a file" in result.err


def test_a_save_of_another_title(cli: Cli, save: str) -> None:
    result = cli("play", "breakthrough", "--load", save, *SLOW)
    assert result.status == 2
    assert "is a game of Connect Four, not of Breakthrough" in result.err
    # Whose save it is comes before what it was saved under.
    text = Path(save).read_text(encoding="utf-8")
    Path(save).write_text(text.replace('"errata": []', '"errata": ["1.1"]'), encoding="utf-8")
    assert cli("play", "breakthrough", "--load", save, *SLOW).err == result.err
    result = cli("play", "connect_four", "--load", save, *SLOW)
    assert result.status == 2
    assert 'errata that the title does not have: there is no erratum "1.1"' in result.err
    result = cli("play", "connect_four", "--load", save, "--errata", "none", *SLOW)
    assert result.status == 2
    assert 'was saved under "1.1", and Connect Four is loaded without errata' in result.err
    assert "leave --errata away" in result.err


def test_a_save_of_a_folder(cli: Cli, skirmish: str, tmp_path: Path) -> None:
    for name in ("first", "second"):
        shutil.copytree(skirmish, tmp_path / name)
        title = tmp_path / name / "title.yaml"
        title.write_text(re.sub(r"(?m)^id:.*\n", "", title.read_text(encoding="utf-8")), encoding="utf-8")
    path = str(tmp_path / "game.json")
    assert cli("play", str(tmp_path / "first"), "--auto", "1", "--save", path, *SLOW).status == 0
    assert "is a game of Skirmish, which is not found here" in cli("replay", path, *SLOW).err
    assert cli("replay", path, "--title", str(tmp_path / "first"), *SLOW).status == 0
    told = cli("replay", path, "--title", str(tmp_path / "second"), *SLOW).err
    assert "is a game of Skirmish with the id `first`, not of the one with the id `second`" in told


def test_an_erratum_that_is_not_there(cli: Cli) -> None:
    for command in (["test"], ["diff"], ["perft", "1"]):
        result = cli(command[0], "connect_four", *command[1:], "--errata", "x")
        assert result.status == 2
        assert 'there is no erratum "x"' in result.err
        assert "shows everything" not in result.err


def test_why_beyond_the_end(cli: Cli, save: str) -> None:
    result = cli("why", save, "99", *SLOW)
    assert result.status == 2
    assert "there is no number 99" in result.err
    assert "there is no number" not in cli("why", save, "7", *SLOW).err
    assert cli("why", save, "0", *SLOW).status == 2
    assert "did you mean `red`?" in cli("why", save, "--view", "rde", *SLOW).err


def test_bad_moves(cli: Cli, tmp_path: Path) -> None:
    moves = tmp_path / "moves.txt"
    moves.write_text("# first\nD1\nD9\n")
    result = cli("play", "connect_four", "--moves", str(moves), "--auto", "1", *SLOW)
    assert result.status == 2
    assert "line 3: `D9` is not offered" in result.err
    moves.write_bytes(b"\xff\xfe")
    assert "is not text" in cli("play", "connect_four", "--moves", str(moves), *SLOW).err


def test_save_that_cannot_be_written(cli: Cli, tmp_path: Path) -> None:
    path = str(tmp_path / "no" / "such.json")
    result = cli("play", "connect_four", "--auto", "1", "--save", path, *SLOW)
    assert result.status == 2
    assert "cannot be written" in result.err


def test_changed_rules(cli: Cli, save: str) -> None:
    text = Path(save).read_text(encoding="utf-8")
    start = text.index('"fingerprint": "') + len('"fingerprint": "')
    Path(save).write_text(text[:start] + "00000000" + text[start + 8 :], encoding="utf-8")
    result = cli("replay", save, *SLOW)
    assert result.status == 2
    assert "--allow-changed" in result.err
    assert cli("replay", save, "--allow-changed", *SLOW).status == 0


def test_internal_errors(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> int:
        raise RuntimeError("a surprise")

    monkeypatch.setattr(check, "run", fail)
    result = cli("check", "connect_four")
    assert result.status == 3
    assert "internal error: RuntimeError: a surprise" in result.err
    assert "report" in result.err
    monkeypatch.setenv("GROGNARD_DEBUG", "1")
    with pytest.raises(RuntimeError):
        main(["check", "connect_four"])


def test_interrupted(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    def stop(*_: object) -> int:
        raise KeyboardInterrupt

    monkeypatch.setattr(check, "run", stop)
    result = cli("check", "connect_four")
    assert result.status == 130
    assert result.err == "grognard: interrupted\n"
