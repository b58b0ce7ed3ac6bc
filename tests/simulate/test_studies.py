"""Studies: the same games wherever they are played, none lost and none twice, and figures that are right."""

from __future__ import annotations

import csv
import json
import math
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import grognard
import pytest
from grognard.cli.main import main
from grognard.simulate.figures import holm, split_chance, spread
from grognard.simulate.playing import play_game, start
from grognard.simulate.study import Study, StudyError, Variant
from grognard.simulate.vary import variants

SKIRMISH = Path(__file__).parents[1] / "cli" / "titles" / "skirmish"
ENDS = "  end game won by me if t.hits is 3                                [5]\n"
DIES = """  if t.hits is 3
    destroy t
  end game won by me if not any(u in Unit where u.side is other(me)) [5]
"""


@pytest.fixture(scope="module")
def battle(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The skirmish, in which units die and the last side wins."""
    folder = tmp_path_factory.mktemp("titles") / "skirmish"
    shutil.copytree(SKIRMISH, folder, ignore=shutil.ignore_patterns("examples"))
    rules = (folder / "rules.grog").read_text(encoding="utf-8")
    assert ENDS in rules
    (folder / "rules.grog").write_text(rules.replace(ENDS, DIES), encoding="utf-8")
    return folder


def simulate(title: Path, folder: Path, *words: str) -> dict[str, object]:
    plain = ["simulate", str(title), "--backend", "python", "--output", str(folder), "--json"]
    assert main([*plain, *words]) == 0
    found: dict[str, object] = json.loads((folder / "summary.json").read_text(encoding="utf-8"))
    return found


def rows(folder: Path, name: str = "games.csv") -> list[dict[str, str]]:
    with (folder / name).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def test_the_same_games_in_one_process_and_in_two(battle: Path, tmp_path: Path) -> None:
    words = ("--games", "50", "--bots", "random")
    alone = simulate(battle, tmp_path / "one", *words, "--jobs", "1")
    assert simulate(battle, tmp_path / "two", *words, "--jobs", "2") == alone
    assert rows(tmp_path / "one") == rows(tmp_path / "two")
    assert rows(tmp_path / "one", "losses.csv") == rows(tmp_path / "two", "losses.csv")


def test_a_run_that_is_killed_goes_on_where_it_was(battle: Path, tmp_path: Path) -> None:
    words = ["--games", "400", "--bots", "random"]
    folder = tmp_path / "study"
    command = [
        sys.executable, "-m", "grognard", "simulate", str(battle), "--backend", "python", "--output", str(folder),
        "--jobs", "2", *words,
    ]  # fmt: skip
    running = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        deadline = time.monotonic() + 120
        while len(list(folder.glob("parts/*.json"))) < 2:
            assert running.poll() is None and time.monotonic() < deadline
            time.sleep(0.02)
    finally:
        running.send_signal(signal.SIGKILL)
        running.wait()
    kept = {path: path.read_bytes() for path in folder.glob("parts/*.json")}
    assert 0 < len(kept) < 20
    found = simulate(battle, folder, *words, "--jobs", "1")
    assert all(path.read_bytes() == before for path, before in kept.items())
    numbers = [int(row["game"]) for row in rows(folder)]
    assert numbers == list(range(400))
    assert simulate(battle, tmp_path / "whole", *words, "--jobs", "1") == found
    # More games go on from those that are there; a changed study does not.
    assert simulate(battle, folder, "--games", "410", "--bots", "random", "--jobs", "1")["games"] == 410
    assert (
        main(["simulate", str(battle), "--output", str(folder), "--bots", "greedy", "--backend", "python"])
        == 2
    )


def test_what_a_game_leaves_behind(battle: Path, tmp_path: Path) -> None:
    """Each loss is a counter that was in play before an answer and not after it, at the place where it stood."""
    simulate(battle, tmp_path, "--games", "20", "--bots", "random", "--jobs", "1")
    engine = grognard.load(str(battle), backend="interpreter")
    losses = rows(tmp_path, "losses.csv")
    assert losses
    for row in rows(tmp_path):
        end = engine.new_game(None, int(row["seed"])).state()
        begun = sum(len(found) for found in end["pieces"].values())
        gone = [loss for loss in losses if loss["game"] == row["game"]]
        assert int(row["losses"]) == len(gone) <= begun
        assert all(loss["place"] and loss["type"] and loss["side"] for loss in gone)
    picture = (tmp_path / "losses_map.svg").read_text(encoding="utf-8")
    assert picture.count("<title>") >= len({loss["place"] for loss in losses})


def test_variants_with_the_same_dice(battle: Path, tmp_path: Path) -> None:
    """Woods that cover as printed and woods that cover more: the printed value is one of them and plays as it always does."""
    found = simulate(
        battle,
        tmp_path,
        "--games",
        "40",
        "--bots",
        "random",
        "--vary",
        "kind Terrain woods.cover = 1, 2",
        "--jobs",
        "1",
    )
    names = [variant["variant"] for variant in found["variants"]]  # type: ignore[attr-defined]
    assert names == ["Terrain woods.cover 1", "Terrain woods.cover 2"]
    played = {name: [row for row in rows(tmp_path) if row["variant"] == name] for name in names}
    assert [row["seed"] for row in played[names[0]]] == [row["seed"] for row in played[names[1]]]
    plain = tmp_path / "plain"
    simulate(battle, plain, "--games", "40", "--bots", "random", "--jobs", "1")
    for with_variant, without in zip(played[names[0]], rows(plain), strict=True):
        assert {**with_variant, "variant": ""} == {**without, "variant": ""}
    assert sum(int(row["losses"]) for row in played[names[0]]) != sum(
        int(row["losses"]) for row in played[names[1]]
    )
    assert {entry["side"] for entry in found["contrasts"]} == {"red", "blue"}  # type: ignore[attr-defined]


def test_parquet_holds_the_same(battle: Path, tmp_path: Path) -> None:
    parquet = pytest.importorskip("pyarrow.parquet")
    simulate(battle, tmp_path, "--games", "10", "--bots", "random", "--jobs", "1")
    table = parquet.read_table(tmp_path / "games.parquet").to_pylist()
    assert [str(row["seed"]) for row in table] == [row["seed"] for row in rows(tmp_path)]
    assert all(isinstance(row["finished"], bool) and isinstance(row["plies"], int) for row in table)


def test_a_cluster_that_loses_a_worker(battle: Path, tmp_path: Path) -> None:
    """A real cluster of processes, of which one is killed on the way."""
    distributed = pytest.importorskip("distributed")
    from grognard.simulate.cluster import play_on_cluster

    study = Study(
        "duel", (("red", "random"), ("blue", "random")), (Variant("plain", str(battle)),), backend="python"
    )
    handfuls = [(0, list(range(first, first + 10))) for first in range(0, 200, 10)]
    settings = {"distributed.scheduler.allowed-failures": 10}
    import dask

    with (
        dask.config.set(settings),
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, processes=True, host="127.0.0.1", dashboard_address=None
        ) as cluster,
    ):
        victim = next(iter(cluster.workers.values())).pid
        played: dict[int, dict[str, object]] = {}
        for number, (_handful, games) in enumerate(
            play_on_cluster(study, handfuls, cluster.scheduler_address)
        ):
            for game in games:
                assert game["number"] not in played
                played[game["number"]] = game
            if number == 2:
                os.kill(victim, signal.SIGKILL)
    assert sorted(played) == list(range(200))
    engine = grognard.load(str(battle), backend="python")
    for number in (0, 57, 123, 199):
        assert play_game(engine, study, study.variants[0], number).as_dict() == played[number]


def test_figures() -> None:
    assert split_chance(5, 5) == 1.0 and split_chance(0, 0) == 1.0
    assert split_chance(10, 0) == pytest.approx(2 / 2**10)
    assert split_chance(600, 500) == pytest.approx(
        2 * sum(math.comb(1100, k) for k in range(501)) / 2**1100, rel=0.02
    )
    assert holm([0.01, 0.04, 0.03]) == pytest.approx([0.03, 0.06, 0.06])
    found = spread([1, 2, 3, 4, 5])
    assert (found.mean, found.quantiles[2]) == (3.0, 3.0)
    assert found.interval[1] - found.mean == pytest.approx(1.96 * math.sqrt(2.5 / 5))


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("--bots", "greedie"), "greedie"),
        (("--bots", "green=random"), "there is no side"),
        (("--vary", "nothing"), "gives nothing to compare"),
        (("--vary", "kind Terrain wods.cover = 1, 2"), "did you mean `woods`"),
        (("--vary", "green.hits = 1, 2"), "nothing called `green`"),
        (("--cluster", "tcp://127.0.0.1:1"), "no Dask cluster"),
    ],
)
def test_mistakes(
    battle: Path, capsys: pytest.CaptureFixture[str], tmp_path: Path, words: tuple[str, ...], told: str
) -> None:
    plain = [
        "simulate",
        str(battle),
        "--backend",
        "python",
        "--games",
        "4",
        "--output",
        str(tmp_path / "s"),
    ]
    assert main([*plain, *words]) == 2
    shown = capsys.readouterr().err
    assert told in shown and "Traceback" not in shown


def test_combinations() -> None:
    base = Variant("as it is", "here", ())
    made = variants(base, ["snow = on, off", "red.cap = 1, 2"], ["snow"], lambda statements: ("there", ()))
    assert [variant.name for variant in made] == ["snow on, red.cap 1", "snow on, red.cap 2", "snow off, red.cap 1", "snow off, red.cap 2"]  # fmt: skip
    assert made[3].options == (("snow", "off"),) and made[3].fields == (("red.cap", "2"),)


def test_fields_of_armies_and_under_secret_orders() -> None:
    """What varies is so at the first answer, of powers too, and where the first answers are secret."""
    for title, scenario, owner, field, value in (
        ("storms_of_steel", "village_square", "soviet", "cap", 3),
        ("hot_war", "oil_road", "usa", "credit", 5),
    ):
        engine = grognard.load(title, backend="python")
        variant = Variant("varied", title, (), fields=((f"{owner}.{field}", str(value)),))
        game = start(engine, scenario, variant, 1)
        before = engine.new_game(scenario, 1)
        assert before.side(owner, field) != value == game.side(owner, field)
        assert [game.side(seat, field) for seat in engine.seats if seat != owner] == [
            before.side(seat, field) for seat in engine.seats if seat != owner
        ]
        assert game.question is not None and game.legal()
    # The round is counted from its first on, whatever it was before.
    with pytest.raises(StudyError, match="set `turn` anew"):
        start(engine, "oil_road", Variant("", "hot_war", (), fields=(("turn", "3"),)), 1)


def test_the_balance_is_recorded_in_the_scenario(
    battle: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Who won how often stands in the file, once, and is what the study says; nothing else of the file changes."""
    file = next((battle / "scenarios").glob("*.yaml"))
    before = file.read_text(encoding="utf-8")
    words = ("--games", "12", "--bots", "random", "--jobs", "1", "--record", "--scenario", file.stem)
    try:
        summary = simulate(battle, tmp_path / "one", *words)
        lines = [
            line for line in file.read_text(encoding="utf-8").splitlines() if line.startswith("balance:")
        ]
        simulate(battle, tmp_path / "two", *words)
        again = [
            line for line in file.read_text(encoding="utf-8").splitlines() if line.startswith("balance:")
        ]
        assert lines == again and len(lines) == 1 and "bot: random, games: 12, seed: 1" in lines[0]
        wins = summary["variants"][0]["wins"]  # type: ignore[index]
        assert all(f"{side}: {share['count']}" in lines[0] for side, share in wins.items())
        left = file.read_text(encoding="utf-8").replace(lines[0] + "\n", "")
        assert left == before
        assert main(["check", str(battle)]) == 0
        mixed = ["simulate", str(battle), "--output", str(tmp_path / "x"), "--record", "--bots"]
        assert main([*mixed, "red=random", "greedy"]) == 2
    finally:
        file.write_text(before, encoding="utf-8")
    assert "one bot for all sides" in capsys.readouterr().err
