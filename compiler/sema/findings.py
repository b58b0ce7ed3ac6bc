"""What checks find out on the way, which later ones ask for: who is used, which states something makes."""

from __future__ import annotations

from dataclasses import dataclass, field

from grognard.compiler.sema.symbols import Callable_
from grognard.compiler.sema.types import FieldInfo

#: A field with a life cycle: of which domain, and its name.
Cycle = tuple[str, str]


def cycle_of(info: FieldInfo) -> Cycle:
    return "" if info.owner is None else info.owner.name, info.name


@dataclass(slots=True)
class Findings:
    #: callables by their names
    used: set[str] = field(default_factory=set)
    #: states that statements make fields be; None: any
    made: set[tuple[Cycle, int | None]] = field(default_factory=set)

    def use(self, entry: Callable_) -> None:
        self.used.add(entry.name)

    def make(self, info: FieldInfo, state: int | None) -> None:
        self.made.add((cycle_of(info), state))

    def states_made(self, info: FieldInfo) -> set[int | None]:
        cycle = cycle_of(info)
        return {state for known, state in self.made if known == cycle}

    def add(self, other: Findings) -> None:
        self.used |= other.used
        self.made |= other.made
