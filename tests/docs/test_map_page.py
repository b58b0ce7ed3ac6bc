"""The maps of docs/language.md hold what the page says of them: what is written later wins, edges add up, boards join."""

from __future__ import annotations

from pathlib import Path

import grognard
from snippets import blocks


def test_the_maps_hold_what_the_page_says(tmp_path: Path) -> None:
    for block in blocks("language.md"):
        if block.file.startswith("ford/"):
            path = tmp_path / block.file
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(block.text, encoding="utf-8")
    engine = grognard.load(tmp_path / "ford", backend="interpreter")
    small = engine.new_game(scenario="small")
    names = [place.name for place in small.places("Board")]
    assert len(names) == 5 * 4 - 2 and not {"0104", "0504"} & set(names)
    town, copse = small.place("Board", "0302"), small.place("Board", "0201")
    assert (town.terrain, town.level, town.victory, town.ruined) == ("town", 3, 2, True)
    assert (copse.terrain, copse.level, copse.victory) == ("woods", 1, 0)
    assert [small.get("Board", name, "victory") for name in ("0401", "0402")] == [1, 1]
    assert small.get("Board", "0202", "smoke") and not small.get("Board", "0201", "smoke")
    edge = small.place("Hexside", "0202-0302")
    assert (edge.road, edge.river, edge.bridge) == (True, True, False)
    assert small.place("Hexside", "0302-0303").river and small.place("Hexside", "0303-0402").river

    assert small.place("Board", "0501").ruined and not small.place("Board", "0401").ruined

    bank = engine.new_game(scenario="bank")
    names = [place.name for place in bank.places("Board")]
    assert names == ["0102", "0103", "0202", "0203", "0204", "0302", "0303", "0304"]
    assert bank.get("Board", "0202", "smoke") and bank.place("Board", "0302").terrain == "town"

    large = engine.new_game(scenario="large")
    names = [place.name for place in large.places("Board")]
    assert len(names) == 2 * 4 * 3 and {"A0101", "B0403"} <= set(names)
    assert (large.get("Board", "A0202", "terrain"), large.get("Board", "B0202", "terrain")) == (
        "town",
        "woods",
    )
    assert large.get("Land", "harbour", "depot") and large.get("Turns", "dusk", "night")
