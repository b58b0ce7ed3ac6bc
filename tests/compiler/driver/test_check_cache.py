"""Remembered answers of `check`: the same words while nothing changes, new ones as soon as something does."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from grognard.compiler.driver import check_cache as checked
from grognard.compiler.driver.pipeline import compile_title
from grognard.compiler.layers.title_paths import shipped_titles
from grognard.support.diagnostics import format_text


def test_an_answer_is_cached_until_a_file_changes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GROGNARD_CACHE", str(tmp_path / "cache"))
    title = tmp_path / "title"
    shutil.copytree(shipped_titles()["breakthrough"], title)
    rules = title / "game.grog"
    text = rules.read_text(encoding="utf-8")
    rules.write_text(text.replace("b.far is me", "b.farr is me"), encoding="utf-8")
    name, shown, sink = checked.check(str(title))
    first = format_text(sink.sorted(), sink.sources, False)
    assert (name, shown, sink.has_errors) == ("breakthrough", "Breakthrough", True)
    assert "did you mean `far`?" in first
    with monkeypatch.context() as patch:
        patch.setattr(checked, "_check", lambda *_: pytest.fail("nothing changed"))
        _, _, again = checked.check(str(title))
    assert format_text(again.sorted(), again.sources, False) == first
    rules.write_text(text, encoding="utf-8")
    assert not checked.check(str(title))[2].has_errors
    assert checked.check(str(title), errata=["no such"])[2].has_errors


def test_which_errata_are_in_force(tmp_path: Path) -> None:
    title = tmp_path / "small"
    shutil.copytree(shipped_titles()["connect_four"], title)
    (title / "errata").mkdir()
    for year, old, new in ((2001, 4, 3), (2002, 3, 2)):
        (title / "errata" / f"{year}.grog").write_text(
            f'errata "{year}" {year}-01-01\n  replace rule odd_{year}() -> int = {new}\n'
        )
        with (title / "extra.grog").open("a") as rules:
            rules.write(f"rule odd_{year}() -> int = {old}\n")
    yaml = title / "title.yaml"
    yaml.write_text(yaml.read_text() + 'errata: ["2001"]\n')

    def in_force(errata: list[str] | None) -> list[str]:
        made = compile_title(str(title), errata=errata)
        assert made is not None and not made.sink.has_errors
        return made.merged.errata

    assert in_force(None) == ["2001"]
    assert in_force(["all"]) == ["2001", "2002"]
    assert in_force([]) == []
