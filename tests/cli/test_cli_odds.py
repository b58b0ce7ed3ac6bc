"""`grognard odds`: what people and programs get, and what is said when something is missing."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable
from pathlib import Path

import pytest
from cli_running import SLOW, Cli, Result

DUEL = str(Path(__file__).parents[1] / "odds" / "titles" / "duel")
Odds = Callable[..., Result]
CLASH = ("clash", "--with", "pikes=1", "--with", "guns=0", "--with", "foes=1", "--policy", "steady")


@pytest.fixture
def odds(cli: Cli) -> Callable[..., Result]:
    return lambda *words: cli("odds", DUEL, *words, *SLOW)


def test_list(odds: Odds) -> None:
    result = odds()
    assert result.status == 0
    assert "clash(pikes, guns, foes)" in result.out and "steady" in result.out


def test_chart_and_simulation(odds: Odds) -> None:
    result = odds(*CLASH, "--simulate", "300", "--plain")
    assert result.status == 0
    # One against one: hits of 1/6 and 1/2 at once.
    assert (
        "14.2857 %" in result.out
        and "###" in result.out
        and "simulated: 300 runs, all rules each time" in result.out
    )
    result = odds(*CLASH, "--by-piece")
    assert result.status == 2 and "--simulate" in result.err


def test_json_csv_and_fractions(odds: Odds) -> None:
    result = odds(*CLASH, "--exact", "--json")
    found = json.loads(result.out)["odds"]
    assert {tuple(row["values"]): row["probability"] for row in found["outcomes"]} == {
        (0, 0): "1/7",
        (0, 1): "5/7",
        (1, 0): "1/7",
    }
    rows = list(csv.reader(io.StringIO(odds(*CLASH, "--csv").out)))
    assert rows[0] == ["red", "blue", "probability"] and len(rows) == 4


def test_a_procedure_with_its_set_up(odds: Odds) -> None:
    result = odds(
        "lose_some(1)", "--set", "counters 2 of red gun", "--choose", "lose_some.u: lowest u.cost",
        "--outcome", "cost = result", "--json",
    )  # fmt: skip
    assert json.loads(result.out)["odds"]["distributions"]["cost"] == [{"value": 5, "probability": 1.0}]
    assert json.loads(result.out)["odds"]["title"] == "Duel: lose_some(1)"


@pytest.mark.parametrize("suffix", [".png", ".svg", ".PNG"])
def test_plot(odds: Odds, tmp_path: Path, suffix: str) -> None:
    pytest.importorskip("matplotlib")
    path = tmp_path / f"clash{suffix}"
    assert odds(*CLASH, "--plot", str(path)).status == 0
    assert path.stat().st_size > 1000


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("clash", "--with", "pikes=2", "--with", "guns=1", "--with", "foes=2"), "losses.v"),
        (("clash",), "situation `clash` needs a value for at least one of pikes, guns, foes"),
        (("clash", "--with", "pike=2"), "did you mean `pikes`"),
        ((*CLASH, "--with", "pikes=x"), "`pikes` of situation `clash` is a number (0..20), not x"),
        ((*CLASH, "--with", "pikes=21"), "`pikes` of situation `clash` is a number (0..20), not 21"),
        (("clash", "--set", "counters 1 of red gun"), "is a situation"),
        (("batle()",), "Duel has no situation or procedure `batle`"),
        (("batle",), "did you mean `battle`"),
        (("clash", "pikes=2"), "--with pikes=2"),
        (("mixed", "--outcome", "x"), "has no expression"),
        ((*CLASH, "--policy", "steedy"), "did you mean `steady`"),
        ((*CLASH, "--plot", "x.gif"), "does not say what to draw"),
        ((*CLASH, "--plot", "nowhere/x.png"), "there is no folder `nowhere`"),
        (("(1)",), "`(1)` names nothing"),
        (("of_side(red)",), "odds are of procedures and actions, and `of_side` is a rule"),
        ((*CLASH, "--otherwise", "last"), "--otherwise"),
        ((*CLASH, "--json", "--csv"), "take one of them"),
    ],
)
def test_mistakes_are_told_before_anything_is_built(
    cli: Cli, words: tuple[str, ...], said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    from grognard.engine import Engine

    def build(self: Engine, progress: object) -> None:
        raise AssertionError("an engine is built")

    monkeypatch.setattr(Engine, "_build", build)
    # Choices that nothing answers are found by running the rules.
    result = cli("odds", DUEL, *words, *(SLOW if said == "losses.v" else ()))
    assert result.status == 2
    assert said in result.err and "Traceback" not in result.err


@pytest.mark.parametrize(
    ("words", "place"),
    [
        (("lose_some(n)",), " --> (asked):1:11\n  |\n1 | lose_some(n)\n"),
        (
            ("mixed()", "--set", "counters 1 of red gun", "--set", "counters 1 of rod gun"),
            " --> (--set 2):1:1\n  |\n1 | counters 1 of rod gun\n",
        ),
        (("mixed()", "--outcome", "n = cuont(u in Unit)"), " --> (--outcome 1):1:5\n  |\n1 | n = cuont(u in Unit)\n"),
        ((*CLASH, "--choose", "loses.v: lowest 0"), " --> (given):1:1\n  |\n1 | loses.v: lowest 0\n"),
    ],
)  # fmt: skip
def test_mistakes_are_shown_as_they_were_written(cli: Cli, words: tuple[str, ...], place: str) -> None:
    result = cli("odds", DUEL, *words, *SLOW)
    assert result.status == 2
    assert place in result.err


def test_numbers_that_are_not_given_are_none(odds: Odds) -> None:
    given = odds("clash", "--with", "pikes=2", "--with", "foes=1", "--policy", "steady", "--csv")
    spelt = odds(
        "clash", "--with", "pikes=2", "--with", "guns=0", "--with", "foes=1", "--policy", "steady", "--csv"
    )
    assert given.status == 0 and given.out == spelt.out
