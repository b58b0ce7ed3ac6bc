"""A title that is being worked on: buffers shadow files, and answers follow them."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from grognard.compiler.driver.workspace import NoTitle, Workspace
from grognard.compiler.layers.title_paths import shipped_titles


@pytest.fixture
def workspace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Workspace:
    monkeypatch.setenv("GROGNARD_CACHE", str(tmp_path / "cache"))
    shutil.copytree(shipped_titles()["breakthrough"], tmp_path / "title")
    return Workspace(tmp_path / "title")


def messages(workspace: Workspace) -> list[str]:
    return [diagnostic.message for diagnostic in workspace.diagnostics()]


def test_a_buffer_shadows_its_file(workspace: Workspace) -> None:
    path = workspace.folder / "game.grog"
    text = path.read_text(encoding="utf-8")
    good = messages(workspace)
    workspace.set_text(path, text.replace("b.far is me", "b.farr is me"))
    assert any("`farr`" in message for message in messages(workspace))
    assert workspace.check().sources["game.grog"].text.count("farr") == 1
    path.write_text(text.replace("b.far is me", "b.fair is me"), encoding="utf-8")
    assert not any("`fair`" in message for message in messages(workspace))
    workspace.drop_text("game.grog")
    assert any("`fair`" in message for message in messages(workspace))
    workspace.set_text("game.grog", text)
    assert messages(workspace) == good


def test_a_buffer_may_be_a_new_file(workspace: Workspace) -> None:
    workspace.set_text(workspace.folder / "more.grog", "rule extra() -> int = nonsense\n")
    assert any("`nonsense`" in message for message in messages(workspace))


def test_paths_outside_are_refused(workspace: Workspace, tmp_path: Path) -> None:
    assert not workspace.belongs(tmp_path / "elsewhere.grog")
    with pytest.raises(ValueError, match="elsewhere"):
        workspace.set_text(tmp_path / "elsewhere.grog", "")
    with pytest.raises(NoTitle):
        Workspace(tmp_path / "nowhere")
