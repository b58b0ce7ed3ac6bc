"""Rules that change under games: those that run keep theirs, a trial says what would change, `--watch` takes games along."""

from __future__ import annotations

import json
import os
import secrets
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from engines import SKIRMISH
from grognard.errors import RulesetError
from grognard.server.app import Table, make_app, make_table
from grognard.server.library import Library
from grognard.server.limits import Rate
from grognard.server.mistakes import Mistake
from grognard.server.store import Store
from grognard.server.watching import Watching
from starlette.testclient import TestClient
from table_client import Eyes, Player

Save = Callable[[str, str], None]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return Path(shutil.copytree(SKIRMISH, tmp_path / "skirmish"))


@pytest.fixture
def save(folder: Path) -> Save:
    """Saves the rules with one text replaced."""

    def change(old: str, new: str) -> None:
        path = folder / "game.grog"
        text = path.read_text()
        assert old in text
        path.write_text(text.replace(old, new))
        stat = path.stat()
        # Also where the clock of the file system is coarse.
        os.utime(path, ns=(stat.st_atime_ns, stat.st_mtime_ns + 5_000_000_000))

    return change


@pytest.fixture
def own(database: str, folder: Path) -> Iterator[tuple[Table, Player]]:
    made = make_table(Store(database), Library(str(folder), "interpreter"), rate=Rate(1e9, 1e9))
    with TestClient(make_app(made), base_url="http://localhost") as client:  # type: ignore[arg-type]
        yield made, Player(client, secrets.token_urlsafe(32))


def play(player: Player, game: str, answers: int) -> None:
    """First answers, whoever is asked."""
    for _ in range(answers):
        eyes = [Eyes(player, game, seat).look() for seat in ("german", "soviet")]
        asked = next(e for e in eyes if e.question is not None)
        player.answer(game, asked, asked.question["choices"][0]["name"])


def test_a_game_keeps_its_rules(own: tuple[Table, Player], save: Save) -> None:
    table, player = own
    game = player.create("skirmish", seed=1)
    play(player, game, 4)
    before = player.get(f"/api/g/{game}/snapshot", seat="german")
    assert player.get(f"/api/g/{game}/trial") == {
        "pinned": player.get(f"/api/g/{game}")["fingerprint"],
        "changed": False,
    }
    save("a.side.vp += 2", "a.side.vp += 3")
    save('action march "march"', 'action march "go on foot"')
    table.library.reload("skirmish")
    table.hall.forget(game)
    assert player.get(f"/api/g/{game}/snapshot", seat="german") == before
    play(player, game, 2)
    # The same labels as before, and bots and odds of the same rules.
    texts = json.dumps([player.get(f"/api/g/{game}/snapshot", seat=seat) for seat in ("german", "soviet")])
    assert "go on foot" not in texts
    found = player.get(f"/api/g/{game}/trial")
    assert found["changed"] and found["answers"] == 6 and isinstance(found["same"], bool)
    later = player.create("skirmish", seed=1)
    assert player.get(f"/api/g/{later}")["fingerprint"] != found["pinned"]
    layout = player.get(f"/api/g/{game}")["layout"]
    assert found["pinned"] in layout and player.get(layout)["spaces"]


def test_a_trial_names_the_first_difference(own: tuple[Table, Player], save: Save) -> None:
    table, player = own
    game = player.create("skirmish", seed=1)
    for seat in ("german", "soviet"):
        player.answer(game, Eyes(player, game, seat).look(), "hold")
    save("enum Order [2]: hold, advance", "enum Order [2]: stay, advance")
    save("hold", "stay") if "hold" in (
        Path(table.library.folders["skirmish"]) / "game.grog"
    ).read_text() else None
    table.library.reload("skirmish")
    found = player.get(f"/api/g/{game}/trial")
    assert (
        found["same"] is False and found["step"] == 0 and "hold" in found["what"] and "stay" in found["what"]
    )


def watch(table: Table, folder: Path) -> tuple[Watching, list[str]]:
    told: list[str] = []
    return Watching(table, "skirmish", folder, told.append), told


def test_a_title_in_the_making(own: tuple[Table, Player], folder: Path, save: Save) -> None:
    """The position is kept where only a value has changed; a mistake is told with its excerpt and changes nothing."""
    table, player = own
    watching, told = watch(table, folder)
    game = player.create("skirmish", seed=1)
    play(player, game, 4)
    before = player.get(f"/api/g/{game}/snapshot", seat="german")
    assert not watching.look() and watching.news("skirmish", game, -1) == (None, -1)
    save("a.side.vp += 2", "a.side.vp += nonsense")
    assert watching.look()
    news, number = watching.news("skirmish", game, -1)
    assert news is not None and news["ok"] is False and "game" not in news
    assert "nonsense" in news["text"] and "^" in news["text"] and news["diagnostics"][0]["line"]
    assert player.get(f"/api/g/{game}/snapshot", seat="german") == before
    save("a.side.vp += nonsense", "a.side.vp += 3")
    assert watching.look()
    news, number = watching.news("skirmish", game, number)
    assert news is not None and news["ok"] and news["kept"] == "position"
    after: dict[str, Any] = player.get(f"/api/g/{news['game']}/snapshot", seat="german")
    assert after["view"] == before["view"]
    assert [game["game"] for game in player.get("/api/games")["games"]] == [news["game"]]
    play(player, news["game"], 3)
    assert "read again" in told[-1] and "has mistakes" in told[0]
    assert watching.news("skirmish", game, number) == (None, number)


def test_where_the_position_cannot_be_kept_answers_are(
    own: tuple[Table, Player], folder: Path, save: Save
) -> None:
    table, player = own
    watching, _ = watch(table, folder)
    game = player.create("skirmish", seed=1)
    play(player, game, 4)
    save("  vp   : 0..20\n", "  vp   : 0..20\n  more : 0..3\n")
    assert watching.look()
    news, _ = watching.news("skirmish", game, -1)
    assert news is not None and news["ok"] and news["kept"] == "answers"
    log = player.get(f"/api/g/{news['game']}/snapshot", seat="german")["log"]
    assert log == player.get(f"/api/g/{game}/snapshot", seat="german")["log"]


def test_a_title_with_mistakes_can_be_watched_and_comes_alive(tmp_path: Path) -> None:
    """Its diagnostics are told with their excerpts; when the file is mended it can be played."""
    folder = tmp_path / "broken"
    shutil.copytree(SKIRMISH, folder)
    rules = folder / "game.grog"
    good = rules.read_text("utf-8")
    rules.write_text(good + "\nrule broken( -> flag\n", "utf-8")
    with pytest.raises(RulesetError):
        Library(str(folder), "interpreter")
    library = Library(str(folder), "interpreter", forgiving=True)
    entry = next(title for title in library.titles() if title["id"] == "broken")
    assert "rule broken(" in entry["problems"]
    with pytest.raises(Mistake) as refused:
        library.engine("broken")
    assert refused.value.status == 409 and "rule broken(" in refused.value.more["text"]
    rules.write_text(good, "utf-8")
    library.reload("broken")
    entry = library.title("broken")
    assert "problems" not in entry and entry["scenarios"][0]["seats"]
