"""Runs the command line in this process, as a pipe would see it."""

from __future__ import annotations

import io
import sys
from pathlib import Path

import pytest
from cli_running import Cli, Result
from grognard.cli.main import main

TITLES = Path(__file__).parent / "titles"


@pytest.fixture
def skirmish() -> str:
    """A small hex title that is not shipped."""
    return str(TITLES / "skirmish")


@pytest.fixture
def cli(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Cli:
    def run(*words: str, stdin: str = "") -> Result:
        monkeypatch.setattr(sys, "stdin", io.StringIO(stdin))
        capsys.readouterr()
        status = main(list(words))
        seen = capsys.readouterr()
        assert "Traceback" not in seen.err
        assert "\x1b" not in seen.out + seen.err
        return Result(status, seen.out, seen.err)

    return run


@pytest.fixture
def save(cli: Cli, tmp_path: Path) -> str:
    """A saved game of Connect Four: seven random answers."""
    path = str(tmp_path / "four.json")
    result = cli("play", "connect_four", "--auto", "7", "--save", path, "--backend", "interpreter")
    assert result.status == 0
    return path
