"""What is asked and what can be answered, as values."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TypeAlias


@dataclass(frozen=True, slots=True)
class Choice:
    """One legal answer.  `name` is what authors write and saves keep, `label` is for people."""

    value: int
    label: str
    name: str

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True, slots=True)
class Count(Choice):
    """A number for every group at once: "3 infantry, 1 tank".  `given` are the raw answers, one after the other."""

    given: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Group:
    """Counters of which nothing tells one from another, or members that can be had several times: how many, by themselves,
    can be chosen of them.  What all groups allow together is seen when an answer is played."""

    name: str
    label: str
    least: int
    most: int
    #: the names of the counters
    members: tuple[str, ...]
    #: what one costs, where there is a budget
    cost: int | None = None


class Offered(list[Choice]):
    """Legal answers.  Where counters are chosen by number, `groups` tells of how many of each: all of them can be answered at once,
    by "3 infantry, 1 tank" or {"infantry": 3, "tank": 1}; the list itself then is of the numbers of the first group."""

    __slots__ = ("budget", "fewest", "groups", "most")

    def __init__(
        self,
        choices: Iterable[Choice] = (),
        groups: tuple[Group, ...] = (),
        fewest: int = 0,
        most: int = 0,
        budget: int | None = None,
    ) -> None:
        super().__init__(choices)
        self.groups = groups
        #: how many there must be and can be in all, and what they may cost
        self.fewest, self.most, self.budget = fewest, most, budget


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked: `name` as in the rules ("shoot.t"), `label` for people, the sections, who is asked.

    `kind` says what the answers are: "action", "number", "flag", "numbers" (of counters that are alike), or the name of a
    domain ("Unit", "Hex")."""

    name: str
    label: str
    cites: tuple[str, ...]
    seat: str
    kind: str


#: One of the choices, its raw value, its name or its label; by number also how many of each group, as a text or by name.
Answer: TypeAlias = Choice | int | str | Mapping[str, int]
