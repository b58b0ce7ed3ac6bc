"""The titles of `titles/`: each a second one of a series, made of data alone, and found by its id from outside."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from grognard.compiler.driver.pipeline import compile_title
from grognard.compiler.driver.title_info import scenario_infos
from grognard.compiler.layers.library import PATH_VARIABLE
from grognard.compiler.layers.title_paths import library_titles
from grognard.play.examples import run_examples
from grognard.support.diagnostics import Sink

TITLES = Path(__file__).parents[2] / "titles"
ALL = sorted(folder.name for folder in TITLES.iterdir() if (folder / "title.yaml").is_file())


def test_they_are_there() -> None:
    assert ALL == ["dry_border", "karelia", "leine_valley", "sidi_rahal"]


@pytest.mark.parametrize("title", ALL)
def test_a_second_title_is_data(title: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its rules are the header; it is found by its id, checks without a message, and its examples hold."""
    monkeypatch.setenv(PATH_VARIABLE, str(TITLES))
    folder = library_titles()[title]
    assert folder.samefile(TITLES / title)
    rules = [
        line
        for file in folder.glob("*.grog")
        for line in file.read_text("utf-8").splitlines()
        if line.strip() and not line.startswith("#")
    ]
    assert len(rules) <= 4, rules
    assert not (folder / "series.yaml").exists()
    sink = Sink()
    ruleset = compile_title(folder, sink)
    assert ruleset is not None and not list(sink), list(sink)
    results = run_examples(ruleset)
    assert results and [(r.example.title, r.failures) for r in results if r.failures] == []


@pytest.mark.parametrize("title", ALL)
def test_it_has_two_scenarios_and_what_is_on_record_is_even(title: str) -> None:
    found = scenario_infos(str(TITLES / title))
    assert found is not None and len(found) >= 2
    for scenario in found:
        if not scenario.balance:
            continue
        told = {key: value for key, value in scenario.balance.items() if key not in ("bot", "seed")}
        games, drawn = int(told.pop("games")), int(told.pop("drawn", 0))
        first = int(next(iter(told.values())))
        assert games >= 12, scenario.id
        assert 0.35 <= (first + drawn / 2) / games <= 0.65, (scenario.id, json.dumps(told))
