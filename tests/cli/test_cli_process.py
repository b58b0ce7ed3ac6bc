"""The command line as other programs meet it: pipes, encodings, closed ends, terminals."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

# Terminals are tested where they can be made.
pty = pytest.importorskip("pty")

GROGNARD = [sys.executable, "-m", "grognard.cli.main"]


def run(*words: str, **more: str) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        [*GROGNARD, *words],
        capture_output=True,
        env=os.environ | more,
        timeout=120,
        check=False,
        stdin=subprocess.DEVNULL,
    )


def test_pipes_have_no_escape_codes() -> None:
    result = run("check", "connect_four", "nonsense")
    assert result.returncode == 2
    assert b"\x1b" not in result.stdout + result.stderr
    assert result.stdout.splitlines()[-1] == b"nonsense: 1 error"


@pytest.mark.parametrize("encoding", ["ascii", "latin-1"])
def test_narrow_encodings(encoding: str) -> None:
    result = run("play", "connect_four", "--auto", "4", "--backend", "interpreter", PYTHONIOENCODING=encoding)
    assert result.returncode == 0
    assert b"+-----" in result.stdout
    assert b"?" not in result.stdout


def test_broken_pipe() -> None:
    process = subprocess.Popen(
        [*GROGNARD, "build", "connect_four", "--show", "ir"], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    assert process.stdout is not None and process.stderr is not None
    # Gone before the first line comes.
    process.stdout.close()
    told = process.stderr.read()
    process.stderr.close()
    assert process.wait(120) == 141
    assert told == b""


def test_head(tmp_path: Path) -> None:
    line = f"{sys.executable} -m grognard.cli.main explain --list | head -1"
    result = subprocess.run(["sh", "-c", line], capture_output=True, timeout=120, check=False)
    assert result.stdout.startswith(b"GR0000")
    assert result.stderr == b""


def test_internal_errors_show_where_on_request() -> None:
    code = (
        "import sys; from grognard.cli import main; from grognard.cli.commands import titles\n"
        "titles.run = lambda *a: 1 / 0\n"
        "sys.exit(main.main(['titles']))"
    )
    quiet = subprocess.run([sys.executable, "-c", code], capture_output=True, check=False)
    assert quiet.returncode == 3
    assert b"Traceback" not in quiet.stderr
    loud = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        env=os.environ | {"GROGNARD_DEBUG": "1"},
        check=False,
    )
    assert b"Traceback" in loud.stderr


def _in_terminal(*words: str, **more: str) -> bytes:
    """What a terminal receives."""
    ours, theirs = pty.openpty()
    environment = os.environ | {"TERM": "xterm-256color", "COLUMNS": "100", "LINES": "50"} | more
    if "NO_COLOR" not in more:
        environment.pop("NO_COLOR", None)
    process = subprocess.Popen(
        [*GROGNARD, *words], stdin=theirs, stdout=theirs, stderr=theirs, env=environment
    )
    os.close(theirs)
    seen = b""
    while True:
        try:
            part = os.read(ours, 65536)
        except OSError:
            break
        if not part:
            break
        seen += part
    process.wait(120)
    os.close(ours)
    return seen


def test_terminals_have_colours() -> None:
    assert b"\x1b[1;97;41m" in _in_terminal("play", "connect_four", "--auto", "4", "--backend", "interpreter")


@pytest.mark.parametrize("option", ["--no-color", "--plain"])
def test_colours_can_be_left_away(option: str) -> None:
    seen = _in_terminal("titles", option)
    assert b"connect_four" in seen
    assert b"\x1b[" not in seen
    assert b"\x1b[" not in _in_terminal("titles", NO_COLOR="1")


def test_without_rich_and_prompt_toolkit() -> None:
    code = (
        "import sys\n"
        "for name in ('rich', 'prompt_toolkit'): sys.modules[name] = None\n"
        "from grognard.cli.main import main\n"
        "sys.exit(main(sys.argv[1:]))"
    )
    for words in (["perft", "connect_four", "1"], ["play", "connect_four"]):
        result = subprocess.run(
            [sys.executable, "-c", code, *words, "--backend", "interpreter"],
            input=b"D1\n",
            capture_output=True,
            timeout=120,
            check=False,
        )
        assert result.returncode == 0, result.stderr
