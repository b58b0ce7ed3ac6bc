"""Bots: computer players.  They know no title, only what every title declares, and only what their seat may see.

bot = grognard.bots.make("mcts", seed=7)
position = position.play(bot.choose(position))
"""

from __future__ import annotations

import re

from grognard.bots.base import Bot, RandomBot
from grognard.bots.greedy import Greedy
from grognard.bots.knowledge import Knowledge
from grognard.bots.mcts import Mcts
from grognard.errors import UnknownName
from grognard.support.suggest import hint_for

#: All bots by their names, the weakest first.
BOTS: dict[str, type[Bot]] = {"random": RandomBot, "greedy": Greedy, "mcts": Mcts}

__all__ = ["BOTS", "Bot", "Greedy", "Knowledge", "Mcts", "RandomBot", "make"]


def make(name: str, seed: int = 1, seconds: float | None = None) -> Bot:
    """A bot by its name; `mcts:2000` searches with 2000 iterations, `greedy:50` considers 50 plans at most, `mcts:2s` thinks
    for two seconds at most, as any does with `seconds` (but one that a number was given for).

    UnknownName if there is none."""
    kind, colon, amount = name.partition(":")
    if kind not in BOTS:
        raise UnknownName(f"there is no bot `{kind}`", hint_for(kind, list(BOTS)) or ", ".join(BOTS))
    timed = re.fullmatch(r"(\d{1,5}(?:\.\d{1,3})?)s", amount)
    if timed and float(timed[1]) > 0 and kind != "random":
        colon, seconds = "", float(timed[1])
    if not colon:
        return BOTS[kind](seed, seconds=seconds)
    if not amount.isdigit() or not 0 < int(amount) <= 10_000_000 or kind == "random":
        raise UnknownName(
            f"`{name}` is no bot",
            "write mcts:1000 for 1000 iterations, mcts:2s for two seconds, greedy:50 for 50 plans",
        )
    return Greedy(seed, int(amount)) if kind == "greedy" else Mcts(seed, int(amount))
