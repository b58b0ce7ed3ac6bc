"""What is asked and what can be answered, as values."""

from __future__ import annotations

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
class Question:
    """What is asked: `name` as in the rules ("shoot.t"), `label` for people, the sections, who is asked.

    `kind` says what the answers are: "action", "number", "flag", or the name of a domain ("Unit", "Hex")."""

    name: str
    label: str
    cites: tuple[str, ...]
    seat: str
    kind: str


#: One of the choices, its raw value, its name or its label.
Answer: TypeAlias = Choice | int | str
