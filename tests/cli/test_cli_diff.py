"""`grognard diff`: an erratum is seen in rules, cells and in the games that it changes."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import grognard
import pytest
from cli_running import Cli

ERRATA = """errata "second edition" 2020-01-01
  amend kind Terrain: woods.cover 1 -> 2
  amend kind UnitType: rename squad -> rifles "Rifles"
  amend rule cover: h.terrain.cover -> h.terrain.cover - 1
  exception to ready when u.hits is 2
    = no
"""


@pytest.fixture
def amended(skirmish: str, tmp_path: Path) -> Path:
    folder = tmp_path / "amended"
    shutil.copytree(skirmish, folder)
    (folder / "errata").mkdir()
    (folder / "errata" / "second.grog").write_text(ERRATA, encoding="utf-8")
    return folder


def test_what_an_erratum_changes(cli: Cli, amended: Path) -> None:
    game = grognard.load(str(amended), errata="none", backend="interpreter").game("duel", 5)
    while not game.position.over and len(game.history) < 60:
        values = game.position.values()
        game.play(values[0] if game.position.question.name != "march, fire" else values[-1])  # type: ignore[union-attr]
    saved = amended.parent / "game.json"
    game.save(saved)
    result = cli("diff", str(amended), "--json", "--random", "2", "--game", str(saved))
    assert result.status == 1
    found = json.loads(result.out)
    assert (found["before"]["errata"], found["after"]["errata"]) == ([], ["second edition"])
    changes = {
        (c["what"], c["name"], c["where"]): (c["before"], c["after"])
        for section in found["sections"]
        for c in section["changes"]
    }
    assert changes["kind", "Terrain", "woods.cover"] == ("1", "2")
    assert changes["kind", "UnitType", "row"] == ("squad", "rifles")
    rule = next(value for (what, name, _), value in changes.items() if (what, name) == ("rule", "cover"))
    assert rule == ("h.terrain.cover", "h.terrain.cover - 1")
    assert changes["exception", "ready 1", ""][0] is None
    courses = {course["name"]: course for course in found["courses"]}
    assert len(courses) == len(found["courses"]) >= 4
    assert all(course["same"] or course["difference"] for course in courses.values())
    assert str(saved) in courses


def test_the_same_twice_and_two_folders(cli: Cli, skirmish: str, amended: Path) -> None:
    result = cli("diff", skirmish, "--random", "1")
    assert result.status == 0 and result.out.splitlines()[-1] == "nothing differs"
    text = (amended / "rules.grog").read_text(encoding="utf-8")
    (amended / "rules.grog").write_text(text.replace("die >= 4", "die >= 5"), encoding="utf-8")
    result = cli("diff", str(amended), skirmish, "--errata", "none", "--random", "0")
    assert result.status == 1
    assert "procedure shoot" in result.out and "4 -> 5" in result.out
    heading = result.out.splitlines()[0]
    assert f" in {skirmish}, without errata -> " in heading and f" in {amended}, without errata" in heading


def test_exact_odds_in_both(cli: Cli, amended: Path) -> None:
    """An erratum that takes cover away: four faces hit in woods instead of three."""
    text = 'errata "thin woods" 2020-01-01\n  amend kind Terrain: woods.cover 1 -> 0\n'
    (amended / "errata" / "second.grog").write_text(text, encoding="utf-8")
    asked = ["--set", "board open 8x8", "--set", "terrain woods at 0404", "--random", "0"]
    asked += ["--set", "counter red squad as A at 0404", "--outcome", "hits = A.hits"]
    result = cli("diff", str(amended), "--odds", "shoot(A)", *asked, "--json")
    assert result.status == 1
    shares = {(s["outcome"], s["value"]): (s["before"], s["after"]) for s in json.loads(result.out)["odds"]}
    assert shares.keys() == {("hits", 0), ("hits", 1)}
    assert shares["hits", 1] == (pytest.approx(2 / 6), pytest.approx(3 / 6))
    assert "33.3333 %" in cli("diff", str(amended), "--odds", "shoot(A)", *asked).out
    same = cli("diff", str(amended), "--odds", "shoot(A)", *asked, "--errata", "none")
    assert same.status == 0 and "odds of shoot(A): the same in both" in same.out


def test_two_titles(cli: Cli) -> None:
    result = cli("diff", "breakthrough", "connect_four", "--random", "1")
    assert result.status == 1
    lines = result.out.splitlines()
    assert lines[0] == "Connect Four, without errata -> Breakthrough, without errata"
    assert [line.split("  ")[1] for line in lines if line[2:].startswith(("sides", "sequence", "evaluation"))] == [
        "sides", "sequence", "evaluation",
    ]  # fmt: skip
    assert lines[-1].strip() == 'red is asked for "into" (drop.q); then white is asked for "pawn" (move.a)'


def test_what_cannot_be_compared(cli: Cli, amended: Path, tmp_path: Path) -> None:
    assert cli("diff", str(amended), "--errata", "third").status == 2
    assert cli("diff", str(tmp_path / "nowhere")).status == 2
    assert cli("diff", str(amended), "--scenario", "nowhere").status == 2
