"""Completion, asked in real shells: commands, options, their values, titles, scenarios, errata, files."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from cli_running import Cli
from grognard.cli.main import COMMANDS

#: Completes the last of the words as readline would, after a bare start.
BASH = """
source "$1"; shift
COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); COMPREPLY=()
complete -p grognard | grep -q -- '-F _grognard grognard' || exit 9
_grognard grognard
((${#COMPREPLY[@]})) && printf '%s\\n' "${COMPREPLY[@]}"
exit 0
"""
#: A terminal in which the words and the key of completion are typed; what the shell makes of them is printed.
ZSH = r"""
zmodload zsh/zpty
zpty shell "zsh -f -i"
zpty -w shell "PS1=; fpath=($1 \$fpath); autoload -Uz compinit; compinit -u -D; zle-show() { print -r -- \"GOT:\$BUFFER:END\" }; zle -N zle-show"
zpty -w shell "bindkey '^I' complete-word; bindkey '^X' zle-show; print -r -- REA''DY"
zpty -r shell seen '*READY*'
zpty -n -w shell "$2"$'\t'$'\x18'
zpty -r shell seen '*GOT:*:END*'
print -r -- "$seen"
zpty -d shell
"""

Complete = Callable[..., list[str]]


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    found = dict(os.environ)
    found["PATH"] = f"{Path(sys.executable).parent}{os.pathsep}{found['PATH']}"
    found["GROGNARD_PATH"] = ""
    found["HOME"] = str(tmp_path)
    return found


@pytest.fixture
def complete(
    cli: Cli, tmp_path: Path, environment: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> Complete:
    bash = shutil.which("bash")
    if bash is None:
        pytest.skip("no bash here")
    script = tmp_path / "script.bash"
    script.write_text(cli("completion", "bash").out)
    (tmp_path / "here").mkdir()

    def run(*words: str) -> list[str]:
        done = subprocess.run(
            [bash, "--norc", "--noprofile", "-c", BASH, "bash", str(script), "grognard", *words],
            capture_output=True, text=True, cwd=tmp_path / "here", env=environment, timeout=300, check=True,
        )  # fmt: skip
        assert done.stderr == ""
        return done.stdout.splitlines()

    return run


def test_commands_and_options(complete: Complete) -> None:
    assert set(complete("")) == set(COMMANDS)
    assert complete("mu") == ["mutate"]
    assert complete("--ver") == ["--version"]
    assert set(complete("book", "hot_war", "--")) == {"--output", "--no-examples", "--errata", "--help", "--no-color", "--plain"}  # fmt: skip
    # The value of an option is no command, and a switch takes none.
    assert complete("--plain", "bo") == ["book"]
    assert complete("aids", "--backend", "interpreter", "--no-m") == ["--no-map"]


def test_values(complete: Complete) -> None:
    assert complete("aids", "mbt", "--backend", "") == ["auto", "compiled", "python", "interpreter"]
    assert complete("play", "--against", "g") == ["greedy"]
    assert complete("errata", "") == ["list", "show", "new"]
    assert complete("match", "connect_four", "greedy", "m") == ["mcts"]
    assert complete("completion", "z") == ["zsh"]
    # Readline makes three words of it.
    assert complete("play", "--against", "=", "r") == ["random"]
    assert complete("play", "--against", "=") == ["random", "greedy", "mcts"]
    assert complete("play", "--seed", "") == []
    assert complete("explain", "GR020")[:2] == ["GR0201", "GR0202"]


def test_titles_scenarios_and_errata(complete: Complete, tmp_path: Path, skirmish: str) -> None:
    assert {"connect_four", "hot_war", "mbt"} <= set(complete("play", ""))
    assert complete("errata", "show", "con") == ["connect_four"]
    assert complete("check", "connect_four", "bre") == ["breakthrough"]
    assert complete("play", "--seed", "4", "hot_war", "--scenario", "cr") == ["crossroads"]
    assert complete("play", "--scenario", "") == []
    # Names with spaces are quoted as the shell wants them.
    assert r"row\ -10\ of\ the\ hit\ table" in complete("check", "mbt", "--errata", "row")
    (tmp_path / "here" / "my titles").mkdir()
    (tmp_path / "here" / "map.tmj").touch()
    assert complete("check", "m") == ["mbt", "my titles"]
    assert complete("play", skirmish, "--scenario", "")
    assert complete("replay", "ma") == ["map.tmj"]
    assert complete("play", "no such title", "--scenario", "") == []


@pytest.mark.skipif(shutil.which("fish") is None, reason="no fish here")
def test_fish(cli: Cli, tmp_path: Path, environment: dict[str, str]) -> None:
    script = tmp_path / "script.fish"
    script.write_text(cli("completion", "fish").out)

    def complete(line: str) -> list[str]:
        done = subprocess.run(
            ["fish", "--no-config", "-c", "source $argv[1]; complete -C $argv[2]", str(script), line],
            capture_output=True, text=True, cwd=tmp_path, env=environment, timeout=300, check=True,
        )  # fmt: skip
        assert done.stderr == ""
        return [found.split("\t")[0] for found in done.stdout.splitlines()]

    assert set(complete("grognard ")) == set(COMMANDS)
    assert complete("grognard aids mbt --backend inter") == ["interpreter"]
    assert complete("grognard play --seed 4 hot_war --scenario cr") == ["crossroads"]
    assert complete("grognard errata show con") == ["connect_four"]
    assert complete("grognard check connect_four bre") == ["breakthrough"]
    assert "--no-map" in complete("grognard aids mbt --no-")
    assert complete("grognard play --seed ") == []
    assert "script.fish" in complete("grognard replay scr")


@pytest.mark.skipif(shutil.which("zsh") is None, reason="no zsh here")
def test_zsh(cli: Cli, tmp_path: Path, environment: dict[str, str]) -> None:
    (tmp_path / "functions").mkdir()
    (tmp_path / "functions" / "_grognard").write_text(cli("completion", "zsh").out)

    def complete(line: str) -> str:
        done = subprocess.run(
            ["zsh", "-f", "-c", ZSH, "zsh", str(tmp_path / "functions"), line],
            capture_output=True, text=True, cwd=tmp_path, env=environment, timeout=300, check=True,
        )  # fmt: skip
        return done.stdout.rpartition("GOT:")[2].partition(":END")[0].strip()

    assert complete("grognard mut") == "grognard mutate"
    assert complete("grognard aids mbt --no-m") == "grognard aids mbt --no-map"
    assert complete("grognard aids mbt --backend inter") == "grognard aids mbt --backend interpreter"
    play = "grognard play --seed 4 hot_war --scenario"
    assert complete(f"{play} cro") == f"{play} crossroads"
    assert complete("grognard errata show conn") == "grognard errata show connect_four"
    assert complete("grognard check connect_four brea") == "grognard check connect_four breakthrough"
    assert complete("grognard replay func") == "grognard replay functions/"


def test_which_shell(cli: Cli) -> None:
    result = cli("completion")
    assert result.status == 2 and "grognard completion bash" in result.err
    assert cli("completion", "tcsh").status == 2
    assert cli("completion", "--words", "nothing").status == 2
