"""Every command does its work on a small title, for people and for programs."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from cli_running import SLOW, Cli
from grognard.cli.main import COMMANDS
from grognard.compiler.build.build import compiler_available

needs_compiler = pytest.mark.skipif(compiler_available() is not None, reason="no C compiler here")


def test_version_and_help(cli: Cli) -> None:
    assert cli("--version").out.startswith("grognard ")
    result = cli()
    assert result.status == 0
    assert "playout" in result.out
    result = cli("check", "--help")
    assert result.status == 0
    assert "--strict" in result.out


def test_titles(cli: Cli) -> None:
    result = cli("titles")
    assert result.status == 0
    assert "connect_four  Connect Four" in result.out
    listed = json.loads(cli("titles", "--json").out)["titles"]
    four = next(title for title in listed if title["id"] == "connect_four")
    assert four["scenarios"] == ["standard"]
    assert list(four) == ["id", "name", "series", "edition", "scenarios", "about"]
    assert next(title for title in listed if title["id"] == "hot_war")["series"] == "Art of Tactic"


def test_check(cli: Cli, skirmish: str) -> None:
    result = cli("check", "connect_four", skirmish)
    assert result.status == 0
    assert result.out.splitlines() == ["Connect Four: no problems", "Skirmish: no problems"]


def test_check_json(cli: Cli) -> None:
    result = cli("check", "connect_four", "--json")
    found = json.loads(result.out)
    assert found["ok"] is True
    assert found["titles"][0]["title"] == "connect_four"
    assert found["titles"][0]["diagnostics"] == []


@pytest.fixture
def broken(skirmish: str, tmp_path: Path) -> str:
    """The title with an error in its rules."""
    return _copy(skirmish, tmp_path, "roll die: d6", "roll die: d6\n  let a = bravery")


def _copy(title: str, tmp_path: Path, old: str, new: str) -> str:
    target = tmp_path / "copy"
    for path in Path(title).rglob("*"):
        if path.is_file():
            copy = target / path.relative_to(title)
            copy.parent.mkdir(parents=True, exist_ok=True)
            text = path.read_text(encoding="utf-8")
            assert path.name != "rules.grog" or old in text
            copy.write_text(text.replace(old, new), encoding="utf-8")
    return str(target)


def test_check_errors(cli: Cli, broken: str) -> None:
    result = cli("check", broken)
    assert result.status == 2
    assert "bravery" in result.out
    assert result.out.rstrip().splitlines()[-1].startswith("Skirmish: 1 error")
    found = json.loads(cli("check", broken, "--json").out)
    assert found["ok"] is False
    assert found["titles"][0]["errors"] == 1


def test_other_commands_refuse_errors(cli: Cli, broken: str) -> None:
    for words in (["play"], ["test"], ["playout"], ["perft"], ["coverage"], ["build"]):
        result = cli(*words, broken, *(["1"] if words == ["perft"] else []))
        assert result.status == 2, words
        assert "has 1 error and cannot be run" in result.err
        assert result.out == ""


def test_strict(cli: Cli, skirmish: str, tmp_path: Path) -> None:
    # An example that expects nothing is worth a warning.
    title = _copy(skirmish, tmp_path, "each side", "each side")
    example = Path(title) / "examples" / "fire.grog"
    example.write_text(example.read_text().replace("  expect T.hits is 0\n", ""))
    assert cli("check", title).status == 0
    result = cli("check", title, "--strict")
    assert result.status == 2
    assert "warnings count as errors" in result.out


@pytest.mark.parametrize("stage, word", [("ast", "ActionDecl drop"), ("ir", "machine"), ("pyx", "cdef")])
def test_build_show(cli: Cli, stage: str, word: str) -> None:
    result = cli("build", "connect_four", "--show", stage)
    assert result.status == 0
    assert word in result.out


def test_build_interpreter(cli: Cli) -> None:
    result = cli("build", "connect_four", *SLOW)
    assert result.status == 0
    assert "needs nothing built" in result.out


@needs_compiler
def test_build_twice_uses_the_cache(cli: Cli) -> None:
    assert cli("build", "connect_four").status == 0
    result = cli("build", "connect_four")
    assert "loaded from the cache" in result.out


def test_examples(cli: Cli, skirmish: str) -> None:
    result = cli("test", skirmish, *SLOW)
    assert result.status == 0
    assert "pass  woods give cover [4]" in result.out
    assert "2 examples: 2 passed, 0 failed" in result.out
    result = cli("test", skirmish, "-k", "WOODS cover", *SLOW)
    assert "1 example: 1 passed" in result.out
    found = json.loads(cli("test", skirmish, "--json", *SLOW).out)
    assert found["ok"] and [e["passed"] for e in found["examples"]] == [True, True]
    assert cli("test", "connect_four", *SLOW).status == 0


@needs_compiler
def test_examples_on_both(cli: Cli, skirmish: str) -> None:
    result = cli("test", skirmish)
    assert result.status == 0
    assert "compiled and interpreter" in result.out


def test_failing_example(cli: Cli, skirmish: str, tmp_path: Path) -> None:
    title = _copy(skirmish, tmp_path, "each side", "each side")
    example = Path(title) / "examples" / "fire.grog"
    example.write_text(example.read_text().replace("T.hits is 0", "T.hits is 2"))
    result = cli("test", title, *SLOW)
    assert result.status == 1
    assert "FAIL  woods give cover" in result.out
    assert "it is 0" in result.out
    found = json.loads(cli("test", title, "--json", *SLOW).out)
    assert found["failed"] == 1
    assert found["examples"][1]["failures"][0]["line"] == 13


def test_coverage(cli: Cli, skirmish: str) -> None:
    result = cli("coverage", skirmish)
    assert result.status == 0
    assert "--list missing" in result.out
    assert cli("coverage", skirmish, "--list", "missing").out == "6  Weather\n1 section missing\n"
    found = json.loads(cli("coverage", skirmish, "--json").out)
    assert (found["rules"], found["encoded"], found["missing"], found["not_applicable"]) == (6, 5, 1, 1)
    assert "no rulebook.yaml" in cli("coverage", "connect_four").out


def test_perft(cli: Cli) -> None:
    found = json.loads(cli("perft", "connect_four", "3", "--json", *SLOW).out)
    assert [entry["lines"] for entry in found["depths"]] == [7, 49, 343]
    result = cli("perft", "connect_four", "2", "--divide", *SLOW)
    assert result.status == 0
    assert "depth 2: 49 lines" in result.out
    # Plies of several answers are joined.
    result = cli("perft", "breakthrough", "1", "--divide", *SLOW)
    assert "A2 B3" in result.out and "depth 1: 22 lines" in result.out


def test_playout(cli: Cli) -> None:
    result = cli("playout", "connect_four", "-n", "6", *SLOW)
    assert result.status == 0
    assert "red wins" in result.out
    found = json.loads(cli("playout", "connect_four", "--games", "6", "--json", *SLOW).out)
    assert found["games"] == 6 == sum(found["wins"].values()) + found["draws"]


@needs_compiler
def test_playout_does_not_depend_on_threads(cli: Cli) -> None:
    one, four = (
        json.loads(cli("playout", "connect_four", "-n", "500", "--threads", n, "--json").out)
        for n in ("1", "4")
    )
    assert one["wins"] == four["wins"]
    assert one["plies"] == four["plies"]


def test_demo(cli: Cli) -> None:
    result = cli("demo", "connect_four", "--interpreter")
    assert result.status == 0
    assert "drop a disc, into" in result.out
    assert "grognard play connect_four" in result.out
    assert cli("demo", "connect_four", *SLOW).out.splitlines()[2:] == result.out.splitlines()[2:]


def test_every_command_tells_its_exit_status(cli: Cli) -> None:
    for command in ("", *COMMANDS):
        told = " ".join(cli(*command.split(), "--help").out.split())
        assert all(f" {status} " in told.partition("Exit status:")[2] for status in (0, 1, 2, 3, 130, 141))


def test_explain(cli: Cli) -> None:
    for word in ("GR0201", "gr201", "201", "[GR0201]"):
        assert cli("explain", word).out.startswith("GR0201  unknown name")
    assert json.loads(cli("explain", "GR0201", "--json").out)["title"] == "unknown name"
    assert "GR0001  file not found" in cli("explain", "--list").out


def test_replay(cli: Cli, save: str) -> None:
    result = cli("replay", save, *SLOW)
    assert result.status == 0
    assert "7 answers replayed and verified." in result.out
    assert "[3]" in result.out and "A  B  C" in result.out
    assert "A  B  C" not in cli("replay", save, "--log", *SLOW).out
    assert cli("replay", save, "--step", *SLOW).out.count("A  B  C") == 8
    found = json.loads(cli("replay", save, "--json", *SLOW).out)
    assert found["verified"] and len(found["answers"]) == 7


def test_why(cli: Cli, save: str) -> None:
    result = cli("why", save, *SLOW)
    assert result.status == 0
    assert result.out.startswith("answer 7 of 7\n")
    assert "four = no [4]" in result.out
    assert cli("why", save, "2", "--plain", *SLOW).out.isascii()
    assert json.loads(cli("why", save, "1", "--json", *SLOW).out)["reason"]["kind"] == "answer"
    assert "game.grog:" in cli("why", save, "--places", *SLOW).out


def test_why_shows_dice(cli: Cli, skirmish: str, tmp_path: Path) -> None:
    moves = tmp_path / "moves.txt"
    moves.write_text("fire   # a shot\nA\n")
    saved = str(tmp_path / "s.json")
    assert (
        cli(
            "play", skirmish, "--moves", str(moves), "--auto", "1", "--seed", "3", "--save", saved, *SLOW
        ).status
        == 0
    )
    assert "roll: die, d6: " in cli("why", saved, "2", "--title", skirmish, *SLOW).out
