"""What a title says of itself before anything of it is compiled."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class TitleInfo:
    id: str
    name: str
    series: str
    edition: str
    scenarios: tuple[str, ...]
    about: str
    #: its place among the titles of the demo; None: it has none
    demo: int | None = None


@dataclass(frozen=True, slots=True)
class ScenarioInfo:
    id: str
    name: str
    about: str
    #: as the file records it: bot, games, seed, wins of each side, drawn
    balance: dict[str, str]
    #: why its sides need not be equal: a bare map for examples of play, a game for one player
    not_balanced: str = ""
