"""Series are libraries: a second title of one lies anywhere, brings its own map, counters and scenarios, and may amend
what the series has; titles and series are found by id."""

from __future__ import annotations

import copy
import os
import pickle
import shutil
import zipfile
from collections.abc import Callable
from pathlib import Path

import grognard
import pytest
from engines import random_game
from grognard.compiler.layers.library import shipped_root
from grognard.compiler.layers.title_paths import library_titles, series_of, shared_ids
from grognard.compiler_access import check, export_title
from grognard.contract.build import BuildUnavailable
from grognard.errors import RulesetError, UnknownTitle
from grognard.play.catalogue import known_titles, scenarios_of
from grognard.server.library import Library
from grognard.support.diagnostics import Diagnostic, Severity

SECOND = Path(__file__).parent / "second_box"


@pytest.fixture
def second(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A title of a shipped series, in a folder that has nothing to do with it and that is on the path."""
    monkeypatch.setenv("GROGNARD_PATH", str(tmp_path / "own"))
    return Path(shutil.copytree(SECOND, tmp_path / "own" / "box"))


def told(where: str | Path) -> list[Diagnostic]:
    return [d for d in check(str(where))[2] if d.severity is not Severity.note]


def edit(path: Path, change: Callable[[str], str]) -> None:
    path.write_text(change(path.read_text(encoding="utf-8")), encoding="utf-8")


def armour_in(folder: Path, **words: str) -> Path:
    """A copy of the series alone, under another id."""
    made = Path(shutil.copytree(shipped_root() / "armour", folder, ignore=shutil.ignore_patterns("mbt")))
    edit(made / "series.yaml", lambda text: text + "".join(f"{key}: {word}\n" for key, word in words.items()))
    return made


def hit(title: str | Path) -> int:
    """A cell of the series' hit table, as the title has it."""
    return int(str(grognard.load(title, backend="interpreter").call("even_shot")))


def test_a_second_title_is_its_own_data_alone(second: Path) -> None:
    assert not told(second)
    assert series_of(second) == (shipped_root() / "armour").resolve()
    engine = grognard.load("second_box", backend="interpreter")
    assert random_game(engine, 3).position.over
    assert {site.file.split("/")[0] for site in engine.ruleset.program.sites} >= {"fire.grog", "turn.grog"}
    assert engine.ruleset.schema.rulebook is not None and "V2" in engine.ruleset.schema.rulebook.sections
    # An engine in a pickle is found again by the id.
    assert pickle.loads(pickle.dumps(engine)).ruleset.about.folder == second.resolve()
    assert copy.copy(engine) is engine


def test_found_in_every_list(second: Path) -> None:
    assert library_titles()["second_box"] == second.resolve()
    assert [title.series for title in known_titles() if title.id == "second_box"] == ["Armour"]
    assert [scenario.id for scenario in scenarios_of("second_box") or ()] == ["meeting"]
    table = Library(backend="interpreter")
    assert "second_box" in [title["id"] for title in table.titles()]
    assert table.title("second_box")["scenarios"][0]["seats"]


def test_what_the_series_has_is_amended(second: Path) -> None:
    """Rows and cells laid over those of the series, a table of one's own, an amendment in the rules."""
    assert hit(second) == 70
    shown = "Terrain:\n  woods: {cover: heavy}\n  bamboo: {name: Bamboo, cover: medium, track: 4, wheel: NA, turning: 2}\n"
    (second / "terrain.yaml").write_text(shown, encoding="utf-8")
    with (second / "game.grog").open("a", encoding="utf-8") as rules:
        rules.write('errata "second"  2020-01-01\n  amend table ap_hit: (0, S) 70 -> 71\n')
    assert not told(second)
    assert hit(second) == 71
    terrain = grognard.load(second, backend="interpreter").ruleset.schema
    kind = next(dom for dom in terrain.doms if dom.name == "Terrain")
    assert kind.members[:2] == ("open", "scrub") and kind.members[-1] == "bamboo"
    (second / "terrain.yaml").write_text("instead: yes\n" + shown, encoding="utf-8")
    messages = [d.message for d in told(second)]
    assert any("open" in message for message in messages), messages


def test_a_changed_series_is_seen(second: Path, tmp_path: Path) -> None:
    """A cached ruleset counts only with the series that it was made from."""
    series = armour_in(tmp_path / "own" / "plates", id="armour_of_ours")
    edit(second / "game.grog", lambda text: text.replace("of armour", "of armour_of_ours"))
    assert series_of(second) == series.resolve()
    assert hit("second_box") == 70
    edit(series / "ap_hit.yaml", lambda text: text.replace("90 |  70 |", "90 |  69 |"))
    assert hit("second_box") == 69
    edit(series / "fire.grog", lambda text: text.replace('-2 "target moving"', '-3 "target moving"'))
    assert not told(second)
    program = grognard.load("second_box", backend="interpreter").ruleset.program
    assert hit("second_box") == 69
    edit(series / "fire.grog", lambda text: text.replace('-3 "target moving"', '-2 "target moving"'))
    assert grognard.load("second_box", backend="interpreter").ruleset.program != program
    (series / "turn.grog").write_text("sequence nonsense\n", encoding="utf-8")
    assert "turn.grog" in [d.span.file for d in told(second) if d.span]


def test_a_series_that_is_not_there(second: Path) -> None:
    edit(second / "game.grog", lambda text: text.replace("of armour", "of armor"))
    (found,) = told(second)
    assert (found.code, found.message, found.hint) == (
        "GR0508",
        "there is no series `armor`",
        "did you mean `armour`?",
    )
    assert found.span is not None and (found.span.file, found.span.line) == ("game.grog", 1)
    assert str(shipped_root()) in found.notes[0] and str(second.parent) in found.notes[0]
    with pytest.raises(RulesetError, match="no series `armor`"):
        grognard.load(second)


def test_a_title_in_a_series_that_names_another(tmp_path: Path) -> None:
    """The name counts, not the folder."""
    series = tmp_path / "other"
    series.mkdir()
    (series / "series.yaml").write_text("name: Other\n", encoding="utf-8")
    folder = Path(shutil.copytree(SECOND, series / "box"))
    assert series_of(folder) == (shipped_root() / "armour").resolve()
    edit(folder / "game.grog", lambda text: text.replace(" of armour", ""))
    assert series_of(folder) == series.resolve()


def test_two_of_one_name(second: Path, tmp_path: Path) -> None:
    twin = Path(shutil.copytree(second, tmp_path / "own" / "deeper" / "twin"))
    (found,) = told("second_box")
    assert found.code == "GR0507" and str(second) in found.message and str(twin) in found.message
    assert set(shared_ids()) == {"second_box"} and "second_box" not in library_titles()
    assert not told(twin)
    with pytest.raises(RulesetError, match="2 titles are called `second_box`"):
        grognard.load("second_box")
    # A copy of a shipped title takes nothing away silently either.
    edit(twin / "title.yaml", lambda text: text.replace("second_box", "mbt"))
    with pytest.raises(RulesetError, match="2 titles are called `mbt`"):
        grognard.load("mbt")
    armour_in(tmp_path / "own" / "armour")
    assert not told(second)  # beside the title: that one is meant
    elsewhere = Path(shutil.copytree(second, tmp_path / "elsewhere"))
    (found,) = told(elsewhere)
    assert found.code == "GR0507" and len(found.notes) == 2


def test_a_title_that_lies_nowhere(second: Path) -> None:
    with pytest.raises(UnknownTitle, match="did you mean `second_box`"):
        grognard.load("secnd_box")
    (found,) = told("secnd_box")
    assert str(second.parent) in found.notes[0]
    (found,) = told(shipped_root() / "armour")
    assert "is a series, not a title" in found.message


def test_files_stay_in_their_folders(second: Path) -> None:
    (second.parent / "outside.yaml").write_text("a: 1\n", encoding="utf-8")
    edit(second / "scenarios" / "meeting.yaml", lambda text: text.replace("maps/field", "../outside"))
    assert [d.code for d in told(second)] == ["GR0003"]
    with (second / "game.grog").open("a", encoding="utf-8") as rules:
        rules.write('use "../../outside.grog"\n')
    assert "GR0003" in [d.code for d in told(second)]


def test_the_folder_of_a_package_and_of_the_user(
    second: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Titles of a package are named by an entry point, those of the user lie in the folder for data."""
    monkeypatch.delenv("GROGNARD_PATH")
    monkeypatch.setenv("GROGNARD_DATA", str(tmp_path / "data"))
    assert "second_box" not in library_titles()
    (tmp_path / "data").mkdir()
    os.symlink(second.parent, tmp_path / "data" / "titles")
    assert library_titles()["second_box"] == second.resolve()
    monkeypatch.delenv("GROGNARD_DATA")
    site = tmp_path / "site"
    package = Path(shutil.copytree(second.parent, site / "boxes_of_ours"))
    (package / "__init__.py").write_text("raise SystemExit('nothing is imported')\n", encoding="utf-8")
    about = site / "boxes_of_ours-1.dist-info"
    about.mkdir()
    (about / "METADATA").write_text(
        "Metadata-Version: 2.1\nName: boxes-of-ours\nVersion: 1\n", encoding="utf-8"
    )
    (about / "entry_points.txt").write_text("[grognard.rules]\nours = boxes_of_ours\n", encoding="utf-8")
    monkeypatch.syspath_prepend(str(site))
    assert library_titles()["second_box"] == (package / "box").resolve()


def test_a_wheel_of_a_title_outside_the_tree(
    second: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It holds all that is needed: neither the title's nor the series' folder is read again."""

    def none(*_args: object) -> None:
        raise BuildUnavailable("no compiler here")

    monkeypatch.setattr("grognard.compiler.driver.export.engine_parts", none)
    (wheel,) = export_title("second_box", tmp_path / "wheels", odds=False)
    with zipfile.ZipFile(wheel) as made:
        made.extractall(tmp_path / "site")
    here = grognard.load(second, backend="interpreter").fingerprint
    shutil.rmtree(second)
    monkeypatch.syspath_prepend(str(tmp_path / "site"))
    engine = grognard.load("second_box", backend="interpreter")
    assert engine.fingerprint == here
    assert engine.game(seed=1).position.legal()
    assert "series: Armour" in (
        tmp_path / "site" / "grognard_title_second_box" / "title.json"
    ).read_text().replace('"', "")
