"""The base class of bots: a bot answers for a seat, from what that seat knows."""

from __future__ import annotations

import random
import time
from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, ClassVar

from grognard.bots.determinisation import ForwardModel
from grognard.bots.knowledge import Knowledge
from grognard.play.by_number import by_steps

if TYPE_CHECKING:
    from grognard.contract.questions import Choice
    from grognard.play.position import Position
    from grognard.play.setting import Setting


class Bot(ABC):
    """Answers for the seats it is given.  The same seed and the same positions give the same answers, unless it thinks by
    the clock.

    One bot plays one game: it may store the rest of its plan."""

    name: ClassVar[str]

    def __init__(self, seed: int = 1, seconds: float | None = None) -> None:
        self.seed = seed
        #: time for a decision; None: as long as it takes
        self.seconds = seconds
        self._begun = 0.0
        self._model: ForwardModel | None = None

    def choose(self, position: Position) -> Choice:
        """The answer for the seat to move, by number that for all groups; ValueError when the game is over."""
        self._begun = time.monotonic()
        question = position.question
        if question is not None and question.kind == "numbers":
            return by_steps(position, lambda here: self._choose_one(here).value)
        return self._choose_one(position)

    def _choose_one(self, position: Position) -> Choice:
        knowledge = Knowledge(position)
        legal = knowledge.legal()
        if len(legal) == 1:
            return legal[0]
        # The generator is seeded for each decision, so that answering again after an undo gives the same answer.
        generator = random.Random(f"{self.seed}/{knowledge.seat}/{knowledge.moment}")
        value = self.decide(knowledge, generator)
        return next(choice for choice in legal if choice.value == value)

    @abstractmethod
    def decide(self, knowledge: Knowledge, generator: random.Random) -> int:
        """The value of one of the legal answers, of which there are at least two."""

    def model(self, knowledge: Knowledge) -> ForwardModel:
        setting: Setting = knowledge.setting
        if self._model is None or self._model.setting is not setting:
            self._model = ForwardModel(setting)
        self.allow(1.0)
        return self._model

    def allow(self, share: float) -> None:
        """Let the model work until this share of the time for the decision is used."""
        if self._model is not None and self.seconds is not None:
            self._model.deadline = self._begun + share * self.seconds


class RandomBot(Bot):
    """Uniform random answers."""

    name = "random"

    def decide(self, knowledge: Knowledge, generator: random.Random) -> int:
        return generator.choice(knowledge.values)
