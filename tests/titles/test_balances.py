"""Every scenario of a shipped title is even between equal players, by what its file has on record, or says why it need not be."""

from __future__ import annotations

import pytest
from grognard.compiler.driver.title_info import scenario_infos
from grognard.compiler.layers.title_paths import shipped_titles

#: A share of the points of the first side that still is a game for both.
EVEN = (0.35, 0.65)
#: Too long for as many games as would tell anything; none has a record.
UNMEASURED: set[str] = {"tarn_sound/campaign", "tarn_sound/campaign_advanced", "europe_1940/europe_1940"}

SCENARIOS = [
    (title, info) for title in shipped_titles() for info in scenario_infos(str(shipped_titles()[title])) or ()
]


@pytest.mark.parametrize(
    ("title", "info"), SCENARIOS, ids=[f"{title}/{info.id}" for title, info in SCENARIOS]
)
def test_it_is_even_or_says_why_not(title: str, info) -> None:  # type: ignore[no-untyped-def]
    if f"{title}/{info.id}" in UNMEASURED:
        assert not info.balance, "it has been measured: take it off the list"
        return
    assert bool(info.balance) != bool(info.not_balanced), "a record, or a reason why there is none"
    if info.balance:
        told = {
            key: value for key, value in info.balance.items() if key not in ("bot", "games", "seed", "drawn")
        }
        games, drawn = int(info.balance["games"]), int(info.balance["drawn"])
        assert games >= 8
        assert EVEN[0] <= (int(next(iter(told.values()))) + drawn / 2) / games <= EVEN[1]
