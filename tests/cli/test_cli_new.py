"""`grognard new`: what it makes checks, plays and passes its example as it is."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from cli_running import SLOW, Cli
from grognard.compiler_access import compile_title
from grognard.play.examples import run_examples


def whole(cli: Cli, folder: Path) -> None:
    checked = cli("check", str(folder), "--strict")
    assert checked.status == 0, checked.out
    ruleset = compile_title(str(folder))
    assert ruleset is not None
    results = run_examples(ruleset, "interpreter")
    assert results and all(result.passed for result in results)
    assert cli("fmt", "--check", str(folder)).status == 0
    played = cli("playout", str(folder), "-n", "3", "--json", *SLOW)
    assert json.loads(played.out)["unfinished"] == 0


def test_a_title(cli: Cli, tmp_path: Path) -> None:
    made = cli("new", "title", "Côte 304", "--in", str(tmp_path), "--json")
    folder = Path(json.loads(made.out)["title"])
    assert made.status == 0 and folder.parent == tmp_path
    whole(cli, folder)
    # Rows without an end are called as they are printed, in a sheet and in short.
    tried = cli("diff", str(folder), "--try", "amend table hits_of (12..) = 1", "--random", "0")
    assert tried.status == 1 and "(12..): 2 -> 1" in tried.out and "hits 2" in tried.out, tried.err
    sheet = folder / "errata" / "first.grog"
    sheet.parent.mkdir()
    sheet.write_text('errata "first" 2026-01-01 [sample 6]\n  amend table hits_of: (..8) 0 -> 1\n', "utf-8")
    assert cli("check", str(folder), "--strict").status == 0
    told = cli("diff", str(folder), "--random", "0").out
    assert "(first)" in told.partition("(..8): 0 -> 1")[0]
    again = cli("new", "title", "Côte 304", "--in", str(tmp_path))
    assert again.status == 2 and "there already" in again.err


def test_a_series_and_a_second_title_of_it(cli: Cli, tmp_path: Path) -> None:
    made = json.loads(cli("new", "series", "Ardennes", "--in", str(tmp_path), "--json").out)
    whole(cli, Path(made["title"]))
    result = cli("new", "title", "Bastogne", "--of", str(tmp_path / "ardennes"), "--json")
    second = Path(json.loads(result.out)["title"])
    assert second == tmp_path / "ardennes" / "bastogne"
    whole(cli, second)
    assert "Bastogne" in cli("check", str(second)).out
    assert cli("new", "title", "Elsewhere", "--of", str(tmp_path)).status == 2


@pytest.mark.parametrize("series", ["armour", "conflict_of_heroes", "art_of_tactic"])
def test_a_title_of_a_shipped_series(
    cli: Cli, tmp_path: Path, series: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The series is found by its id, and what it begins a title with is whole; nothing is written beside it."""
    monkeypatch.chdir(tmp_path)
    made = cli("new", "title", "Kasserine Pass", "--of", series, "--json")
    folder = Path(json.loads(made.out)["title"])
    assert folder.resolve() == tmp_path / "kasserine_pass"
    whole(cli, folder)
    text = (folder / "game.grog").read_text()
    assert f'title kasserine_pass "Kasserine Pass" of {series}' in text and "first" not in text
    wrong = cli("new", "title", "Elsewhere", "--of", f"{series}s")
    assert wrong.status == 2 and f"did you mean `{series}`" in wrong.err


def test_the_sections_of_a_rulebook(cli: Cli, tmp_path: Path) -> None:
    book = tmp_path / "book.md"
    book.write_text('# 1 Start\n\n## 1.1 Set up\n\n## 1.2 "Who" begins: the attacker\n', encoding="utf-8")
    made = cli("new", "title", "Ridge", "--in", str(tmp_path), "--rulebook", str(book))
    assert made.status == 0 and "3 sections, none encoded yet" in made.out
    whole(cli, tmp_path / "ridge")
    found = json.loads(cli("coverage", str(tmp_path / "ridge"), "--json").out)
    assert (found["rules"], found["encoded"], found["missing"]) == (3, 0, 3)
    assert [section["id"] for section in found["sections"]] == ["1", "1.1", "1.2"]
    wrong = cli("new", "title", "Other", "--in", str(tmp_path), "--rulebook", str(tmp_path / "none.txt"))
    assert wrong.status == 2 and not (tmp_path / "other").exists()
