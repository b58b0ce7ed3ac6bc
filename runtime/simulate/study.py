"""What is to be played: a title with a scenario, who plays, and variants of it.

Every game has a number, and everything that chance decides in it follows from the study's seed and that number: it does not matter
where or when it is played, and games of the same number in two variants have the same dice.
"""

from __future__ import annotations

import hashlib
from dataclasses import asdict, dataclass, field
from typing import Any

from grognard.errors import GrognardError
from grognard.play.engine import BackendName

#: Answers after which a game is abandoned.
MAX_ANSWERS = 50_000


class StudyError(GrognardError):
    """A study that cannot be made, or gone on with; says why."""


@dataclass(frozen=True, slots=True)
class Variant:
    """One way to play the scenario.  `where`: the folder of the rules; `fields` are set before the first answer."""

    name: str
    where: str
    errata: tuple[str, ...] | None = None
    options: tuple[tuple[str, str], ...] = ()
    fields: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Study:
    """`bots`: a bot for each side, by its name.  `swap`: in every second game the sides change bots."""

    scenario: str
    bots: tuple[tuple[str, str], ...]
    variants: tuple[Variant, ...]
    seed: int = 1
    swap: bool = False
    max_answers: int = MAX_ANSWERS
    backend: BackendName = "auto"

    def seed_of(self, number: int) -> int:
        """What the dice and the bots of a game start from."""
        mixed = hashlib.blake2b(f"{self.seed}/{number}".encode(), digest_size=6).digest()
        return int.from_bytes(mixed, "big")

    def bot_of(self, side: str, number: int) -> str:
        known = dict(self.bots)
        if self.swap and number % 2:
            sides = list(known)
            side = sides[(sides.index(side) + 1) % len(sides)]
        return known[side]

    def described(self) -> dict[str, Any]:
        """What decides the results, for the study's file: not where it is played, nor how many games of it."""
        found = asdict(self)
        del found["backend"]
        for variant in found["variants"]:
            del variant["where"]
        return found


@dataclass(slots=True)
class Loss:
    """Counters that left play at one answer: of a side and type, where they stood last."""

    side: str
    type: str
    place: str
    ply: int


@dataclass(slots=True)
class Game:
    """The course of one game in figures.  `first`: the side that decided first; `winner`: None for a draw or none yet."""

    variant: str
    number: int
    seed: int
    bots: dict[str, str]
    winner: str | None
    finished: bool
    first: str
    plies: int
    answers: int
    #: numbers of the game and of the sides at the end, by name: `round`, `german.cap`
    end: dict[str, int] = field(default_factory=dict)
    losses: list[Loss] = field(default_factory=list)
    #: the rules failed: what they said
    failure: str = ""

    def as_dict(self) -> dict[str, Any]:
        return asdict(self)

    @staticmethod
    def from_dict(found: dict[str, Any]) -> Game:
        made = Game(**{key: value for key, value in found.items() if key != "losses"})
        made.losses = [Loss(**loss) for loss in found["losses"]]
        return made
