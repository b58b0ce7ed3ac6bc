"""Where in a body a statement stands, as far as checks ask for it: the loops and blocks around, what is known to hold."""

from __future__ import annotations

from dataclasses import dataclass, field

from grognard.compiler.sema.types import Type
from grognard.compiler.syntax import nodes as syn


@dataclass(slots=True)
class Standing:
    #: the loops around: whether each is several blocks of a machine
    loops: list[bool] = field(default_factory=list)
    #: how many simultaneous and secret blocks stand around
    branching: int = 0
    #: conditions that are known to hold because an enclosing `if any(...)` tested them
    guards: list[syn.Expr] = field(default_factory=list)
    #: conditions that `require` and the filters of choices have tested
    demanded: list[syn.Expr] = field(default_factory=list)
    #: the type of `me`, where somebody acts for a while
    acting: Type | None = None
