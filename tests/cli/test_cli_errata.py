"""`grognard errata`: sheets in the order in which they apply, and a new one that checks as it is made."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from cli_running import Cli

SHEETS = """errata "later" 2021-05-01 [err]
  source "the publisher's list, page 2"
  reason "The chart and the text disagree."
  amend kind Terrain: woods.cover 2 -> 3 [err 4.1]
errata "earlier" 2020-01-01
  amend kind Terrain: woods.cover 1 -> 2
  exception to ready when u.hits is 2
    = no
"""


@pytest.fixture
def title(skirmish: str, tmp_path: Path) -> Path:
    folder = tmp_path / "title"
    shutil.copytree(skirmish, folder)
    (folder / "errata").mkdir()
    (folder / "errata" / "sheets.grog").write_text(SHEETS, encoding="utf-8")
    return folder


def test_sheets_in_order(cli: Cli, title: Path) -> None:
    found = json.loads(cli("errata", "list", str(title), "--json").out)["errata"]
    assert [(s["name"], s["date"], s["source"]) for s in found] == [
        ("earlier", "2020-01-01", ""), ("later", "2021-05-01", "the publisher's list, page 2"),
    ]  # fmt: skip
    assert found[0]["changes"][1]["text"] == "exception to ready when u.hits is 2\n  = no"
    assert found[1]["changes"][0]["cites"] == ["err 4.1"]
    shown = cli("errata", "show", str(title), "2").out
    assert "The chart and the text disagree." in shown and "woods.cover 2 -> 3" in shown
    assert cli("check", str(title)).status == 0


def test_a_new_sheet_checks_as_it_is(cli: Cli, title: Path) -> None:
    made = cli("errata", "new", str(title), "Forum, May", "--source", "the forum", "--date", "2022-05-01")
    assert made.status == 0 and "reason" in made.out
    place = title / "errata" / "forum_may.grog"
    assert str(place) in made.out
    assert cli("check", str(title), "--strict").status == 0
    place.write_text(
        place.read_text(encoding="utf-8") + "  amend kind Terrain: woods.cover 3 -> 4\n", encoding="utf-8"
    )
    assert "woods.cover: 3 -> 4" in cli(
        "diff", str(title), "--errata", "earlier", "--errata", "later", "--errata", "Forum, May",
        "--against", "earlier", "--against", "later", "--random", "0",
    ).out  # fmt: skip
    again = cli("errata", "new", str(title), "Forum, May")
    assert again.status == 2 and "already" in again.err


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("show",), "which sheet?"),
        (("show", "earlyer"), "did you mean `earlier`?"),
        (("new", "x", "--date", "May"), "is no date"),
        (("list", "earlier"), "one argument too many"),
    ],
)
def test_mistakes(cli: Cli, title: Path, words: tuple[str, ...], told: str) -> None:
    action, *rest = words
    result = cli("errata", action, str(title), *rest)
    assert result.status == 2 and told in result.err
