"""`grognard doctor` says what is there, tries what it can, and tells what is broken from what is only not installed."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from cli_running import Cli
from grognard.cli import health
from grognard.compiler.build.build import compiler_available

pytestmark = pytest.mark.skipif(os.name != "posix", reason="programs on the path are those of Unix")


@pytest.fixture(autouse=True)
def folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Folders of the user's that are in order."""
    (tmp_path / "cache").mkdir(mode=0o700)
    monkeypatch.setenv("GROGNARD_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("GROGNARD_DATA", str(tmp_path / "data"))
    monkeypatch.setenv("GROGNARD_PATH", "")


def states(cli: Cli) -> tuple[int, dict[str, dict[str, str]]]:
    result = cli("doctor", "--json")
    found = json.loads(result.out)
    assert found["ok"] == (result.status == 0)
    return result.status, {check["part"]: check for check in found["checks"]}


@pytest.mark.skipif(compiler_available() is not None, reason="no C compiler here")
def test_all_is_well_and_the_compiler_was_tried(cli: Cli, tmp_path: Path) -> None:
    status, found = states(cli)
    assert status == 0, found
    assert "compiled and loaded" in found["C compiler"]["found"]
    assert "lark" in found["extra compiler"]["found"]
    assert list((tmp_path / "cache").glob(".trial*")) == []
    shown = cli("doctor", "--plain").out
    assert shown.isascii() and "ok     C compiler: fast engines" in shown and "All is well" in shown


def test_what_is_not_installed_is_no_fault(cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setenv("CC", "gcc")
    monkeypatch.setattr(health, "requirements", lambda: {"editor": {"no-such-package": "2.0"}})
    status, found = states(cli)
    assert status == 0
    for part in ("C compiler", "Chromium", "git", "extra editor"):
        assert found[part]["state"] == "absent" and found[part]["hint"], part
    assert "pip install 'grognard[editor]'" in cli("doctor").out


def test_what_is_broken_is_named_with_what_mends_it(
    cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "bin").mkdir()
    for name, script in {"mycc": "echo 'mycc 1'; exit $(($# > 1))", "git": "echo broken >&2; exit 4"}.items():
        (tmp_path / "bin" / name).write_text(f"#!/bin/sh\n{script}\n")
        (tmp_path / "bin" / name).chmod(0o755)
    (tmp_path / "cache" / "a file").touch()
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setenv("CC", "mycc")
    monkeypatch.setenv("GROGNARD_CACHE", str(tmp_path / "cache" / "a file"))
    monkeypatch.setenv("GROGNARD_PATH", str(tmp_path / "gone"))
    monkeypatch.setattr(health, "requirements", lambda: {"compiler": {"lark": "999.1"}})
    status, found = states(cli)
    assert status == 1
    wrong = {part for part, check in found.items() if check["state"] == "wrong"}
    assert wrong >= {"cache", "git", "titles", "extra compiler"}
    if compiler_available() is None:
        assert found["C compiler"]["found"].startswith("mycc 1: it does not compile")
    assert "needed is 999.1" in found["extra compiler"]["found"]
    assert f"{len(wrong)} things to mend" in cli("doctor").out


def test_every_extra_for_users_is_told_of() -> None:
    """An extra that is added to the package gets a purpose here, or is one for work on Grognard itself."""
    assert set(health.requirements()) - {"dev", "docs", "bench", "browser"} == set(health.EXTRAS)
    assert "sqlalchemy" in health.requirements()["postgres"]
