"""What every bot is: something that answers for a seat, from what that seat knows."""

from __future__ import annotations

import random
from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, ClassVar

from grognard.bots.determinisation import Worlds
from grognard.bots.knowledge import Knowledge

if TYPE_CHECKING:
    from grognard.play.position import Position
    from grognard.play.questions import Choice
    from grognard.play.setting import Setting


class Bot(ABC):
    """Answers for the seats it is given.  The same seed and the same positions give the same answers.

    One bot plays one game: it may remember what it meant to do next."""

    name: ClassVar[str]

    def __init__(self, seed: int = 1) -> None:
        self.seed = seed
        self._worlds: Worlds | None = None

    def choose(self, position: Position) -> Choice:
        """The answer for the seat that decides; ValueError when nobody does."""
        knowledge = Knowledge(position)
        legal = knowledge.legal()
        if len(legal) == 1:
            return legal[0]
        # Every decision has chances of its own, so that answering again after an undo gives the same answer.
        generator = random.Random(f"{self.seed}/{knowledge.seat}/{knowledge.moment}")
        value = self.decide(knowledge, generator)
        return next(choice for choice in legal if choice.value == value)

    @abstractmethod
    def decide(self, knowledge: Knowledge, generator: random.Random) -> int:
        """The value of one of the legal answers, of which there are at least two."""

    def worlds(self, knowledge: Knowledge) -> Worlds:
        setting: Setting = knowledge.setting
        if self._worlds is None or self._worlds.setting is not setting:
            self._worlds = Worlds(setting)
        return self._worlds


class RandomBot(Bot):
    """Every answer is as likely as every other."""

    name = "random"

    def decide(self, knowledge: Knowledge, generator: random.Random) -> int:
        return generator.choice(knowledge.values)
