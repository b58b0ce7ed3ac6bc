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


@pytest.mark.parametrize("old, new", [
    ("  size: -2..2", "  size: -200..2"),  # drm tables named by who asks for it
    ("  height: 0..9 = 0", "  height: 0..9? = none"),
    ("  storeys: 1..9 = 1", "  storeys: 1..99 = 1"),
    ("  tt: 1..360", "  tt: 100..360"),
    ("  turn: 0..50", "  turn: 0..3"),
    ("  cross, path, road: 1..40", "  cross, path: 1..40"),
])  # fmt: skip
def test_another_interval_of_a_field_is_seen_by_all_that_name_it(old: str, new: str) -> None:
    """Whoever knows the title already says the same as who looks at it for the first time."""
    folder = shipped_titles()["mbt"]
    known, fresh = Workspace(folder), Workspace(folder)
    assert messages(known) == []
    text = known.source("data.grog")
    assert text is not None and old in text.text
    for workspace in (known, fresh):
        workspace.set_text("data.grog", text.text.replace(old, new))
    assert messages(known) == messages(fresh)
    known.drop_text("data.grog")
    assert messages(known) == []
