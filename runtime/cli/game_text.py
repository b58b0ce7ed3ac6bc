"""Sentences about a game and its choices, for the screen."""

from __future__ import annotations

import re
from collections.abc import Container, Mapping
from typing import TYPE_CHECKING

from grognard.cli.console import Console

if TYPE_CHECKING:
    from grognard.bots.advice import Advice
    from grognard.play.game import Game


def costs_text(costs: Mapping[str, tuple[int, int]]) -> str:
    """ "pool 1, cap up to 2"."""
    return ", ".join(
        f"{name.replace('_', ' ')} {f'up to {most}' if most != least else least}"
        for name, (least, most) in costs.items()
    )


def consequences_text(advice: Advice, unshown: Container[str] = ()) -> str:
    """ "HMG GM hit 42 %, gone 3 %"; nothing of fields that people are not shown."""
    told: dict[str, list[str]] = {}
    about = "" if advice.certain else "about "
    for counter, what, chance in sorted(advice.consequences, key=lambda consequence: -consequence[2]):
        if re.sub(r" [+-]\d+$", "", what).replace(" ", "_") in unshown:
            continue
        told.setdefault(counter, []).append(f"{what} {about}{100 * chance:.0f} %")
    return "; ".join(f"{counter} {', '.join(all_)}" for counter, all_ in told.items())


def outcome_line(game: Game, console: Console) -> str:
    """How a game ended, or that it did not."""
    position = game.position
    if not position.over:
        return f"{position.to_move} is to move."
    if position.outcome is None:
        return console.style("bold", "The game is over: a draw.")
    return console.style("bold", f"The game is over: {position.outcome} wins.")
