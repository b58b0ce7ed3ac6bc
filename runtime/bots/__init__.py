"""Bots: computer players.  They know no title, only what every title declares, and only what their seat may see.

bot = grognard.bots.make("mcts", seed=7)
position = position.play(bot.choose(position))
"""

from __future__ import annotations

from grognard.bots.base import Bot, RandomBot
from grognard.bots.greedy import Greedy
from grognard.bots.knowledge import Knowledge
from grognard.bots.mcts import Mcts
from grognard.errors import UnknownName
from grognard.support.suggest import hint_for

#: All bots by their names, the weakest first.
BOTS: dict[str, type[Bot]] = {"random": RandomBot, "greedy": Greedy, "mcts": Mcts}

__all__ = ["BOTS", "Bot", "Greedy", "Knowledge", "Mcts", "RandomBot", "make"]


def make(name: str, seed: int = 1) -> Bot:
    """A bot by its name; `mcts:2000` searches with 2000 iterations, `greedy:50` considers 50 plans at most.

    UnknownName if there is none."""
    kind, colon, amount = name.partition(":")
    if kind not in BOTS:
        raise UnknownName(f"there is no bot `{kind}`", hint_for(kind, list(BOTS)) or ", ".join(BOTS))
    if not colon:
        return BOTS[kind](seed)
    if not amount.isdigit() or not 0 < int(amount) <= 10_000_000 or kind == "random":
        raise UnknownName(
            f"`{name}` is no bot", "write mcts:1000 for 1000 iterations, greedy:50 for 50 plans"
        )
    return Greedy(seed, int(amount)) if kind == "greedy" else Mcts(seed, int(amount))
