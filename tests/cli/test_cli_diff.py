"""`grognard diff`: an erratum is seen in rules, cells and in the games that it changes."""

from __future__ import annotations

import json
import random
import shutil
import subprocess
from pathlib import Path

import grognard
import pytest
from cli_running import Cli
from grognard.authoring.beginnings import new_title

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
    result = cli("diff", skirmish, str(amended), "--errata", "none", "--random", "0")
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
    result = cli("diff", "connect_four", "breakthrough", "--random", "1")
    assert result.status == 1
    lines = result.out.splitlines()
    assert lines[0] == "Connect Four, without errata -> Breakthrough, without errata"
    assert [line.split("  ")[1] for line in lines if line[2:].startswith(("sides", "sequence", "evaluation"))] == [
        "sides", "sequence", "evaluation",
    ]  # fmt: skip
    assert (
        next(line for line in lines if "is asked for" in line).strip()
        == 'red is asked for "into" (drop.q); then white is asked for "pawn" (move.a)'
    )


def test_what_cannot_be_compared(cli: Cli, amended: Path, tmp_path: Path) -> None:
    assert cli("diff", str(amended), "--errata", "third").status == 2
    assert cli("diff", str(tmp_path / "nowhere")).status == 2
    assert cli("diff", str(amended), "--scenario", "nowhere").status == 2


def _recorded(folder: Path, games: int, errata: str, into: Path) -> None:
    """Games with random answers, saved."""
    engine = grognard.load(str(folder), errata=errata, backend="python")
    into.mkdir()
    for seed in range(1, games + 1):
        pick = random.Random(seed)
        game = engine.game("duel", seed)
        while not game.position.over and len(game.history) < 40:
            game.play(pick.choice(game.position.values()))
        game.save(into / f"{seed:03}.json")


def test_recorded_games_whose_course_changes(cli: Cli, amended: Path, tmp_path: Path) -> None:
    """The erratum renames a row and makes woods thicker: a rename alone changes no course, and each game that parts is one that
    the same answers lead elsewhere when they are played by hand."""
    (amended / "errata" / "second.grog").write_text(
        'errata "a name" 2020-01-01\n  amend kind UnitType: rename squad -> rifles "Rifles"\n'
        'errata "thick" 2020-01-02\n  amend kind Terrain: woods.cover 1 -> 2\n', encoding="utf-8"
    )  # fmt: skip
    folder = tmp_path / "games"
    _recorded(amended, 30, "none", folder)
    (folder / "notes.json").write_text("{}", encoding="utf-8")
    same = cli("diff", str(amended), "--errata", "a name", "--random", "0", "--games", str(folder), "--json")
    renamed = json.loads(same.out)["recorded"]
    assert (renamed["games"], renamed["changed"], len(renamed["unreadable"])) == (30, 0, 1)
    found = json.loads(
        cli("diff", str(amended), "--random", "0", "--games", str(folder), "--json", "--jobs", "1").out
    )["recorded"]
    before, after = (
        grognard.load(str(amended), errata=errata, backend="interpreter") for errata in ("none", "all")
    )
    parted = {Path(course["file"]).name: course for course in found["courses"]}
    for path in sorted(folder.glob("0*.json")):
        saved = json.loads(path.read_text(encoding="utf-8"))
        one, other = before.new_game("duel", saved["seed"]), after.new_game("duel", saved["seed"])
        step = None
        for number, answer in enumerate(saved["answers"], 1):
            one, other = one.play(answer["value"]), other.play(answer["value"])
            if one.state() != other.state() or one.values() != other.values():
                step = number
                break
        assert (parted[path.name]["step"] if path.name in parted else None) == step
    assert 0 < len(parted) < 30
    assert all(course["difference"] for course in list(parted.values())[:5])
    assert any("cover" in course["reason"] for course in found["courses"])


def test_what_if(cli: Cli, skirmish: str, tmp_path: Path) -> None:
    page, post = tmp_path / "what.html", tmp_path / "what.md"
    result = cli(
        "diff", skirmish, "--try", "amend kind Terrain woods.cover = 2", "--random", "0",
        "--output", str(page), "--output", str(post),
    )  # fmt: skip
    assert result.status == 1
    assert "woods.cover: 1 -> 2" in result.out and "no engine must be built" in result.out
    assert "<td>kind Terrain woods.cover" in page.read_text(encoding="utf-8")
    assert "| kind Terrain woods.cover | `1` | `2` |" in post.read_text(encoding="utf-8")
    assert not (Path(skirmish) / "errata").exists()
    wrong = cli("diff", skirmish, "--try", "amend kind Terrain wods.cover = 2")
    assert wrong.status == 2 and "did you mean `woods`" in wrong.err


def test_two_revisions(cli: Cli, skirmish: str, tmp_path: Path) -> None:
    folder = tmp_path / "repository" / "titles" / "skirmish"
    shutil.copytree(skirmish, folder)

    def git(*words: str) -> None:
        who = ("-c", "user.name=x", "-c", "user.email=x@x")
        subprocess.run(
            ["git", *who, "-C", str(tmp_path / "repository"), *words], check=True, capture_output=True
        )

    git("init", "-q")
    git("add", ".")
    git("commit", "-qm", "one")
    rules = folder / "rules.grog"
    rules.write_text(rules.read_text(encoding="utf-8").replace("die >= 4", "die >= 5"), encoding="utf-8")
    git("commit", "-qam", "two")
    rules.write_text(rules.read_text(encoding="utf-8").replace("die >= 5", "die >= 6"), encoding="utf-8")
    assert "4 -> 6" in cli("diff", str(folder), "--rev", "HEAD~1", "--random", "0").out
    assert "4 -> 5" in cli("diff", str(folder), "--rev", "HEAD~1", "--rev", "HEAD", "--random", "0").out
    result = cli("diff", str(folder), "--rev", "HEAD~7")
    assert result.status == 2 and "git knows no revision" in result.err


def test_a_game_parts_where_something_else_can_be_chosen(cli: Cli, tmp_path: Path) -> None:
    """No value of the answer before is another: what has changed of what is offered is the reason."""
    folder = new_title("Ridge", tmp_path).title
    games = tmp_path / "games"
    games.mkdir()
    game, dice = grognard.load(str(folder), backend="interpreter").game(seed=3), random.Random(3)
    while game.position.legal() and len(game.history) < 30:
        game.play(dice.choice(game.position.legal()))
    game.save(games / "one.json")
    # Farther than anybody stands at first, and as far as they do.
    for reach, sorts in (("4", ("asked", "offered")), ("6", ("set-up",))):
        told = cli("diff", str(folder), "--try", f"amend rule in_range: 3 -> {reach}", "--random", "0", "--cases", "0",
                   "--games", str(games), "--json").out  # fmt: skip
        (course,) = json.loads(told)["recorded"]["courses"]
        assert course["sort"] in sorts
        assert course["reason"].startswith("what is offered depends on in_range")
