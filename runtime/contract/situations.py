"""Situations: a set-up, the procedure whose odds are asked, and what is looked at afterwards.

A situation is a machine that stops twice: when all is set up (the procedure's arguments are in locals), and when the
outcomes are worked out.  Between the two the caller runs the procedure, on any back end.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from grognard.contract import ir
from grognard.contract.examples import BoardSpec, Example
from grognard.contract.schema import ValueType
from grognard.support.source import Span

#: What text that a caller gives is called in messages.
TEXT_NAME = "(given)"


@dataclass(slots=True)
class Situation:
    """What is known of a situation without running it.  Locals are numbers in its machine's frame."""

    name: str
    title: str
    machine: int
    ground: Example
    params: list[tuple[str, ValueType]] = field(default_factory=list)
    #: the procedure, its arguments' locals, the local that takes its result
    target: str = ""
    args: list[int] = field(default_factory=list)
    result: int | None = None
    #: the block to go on at when the procedure is done
    after: int = -1
    #: (label, local, how it is shown)
    outcomes: list[tuple[str, int, str]] = field(default_factory=list)

    def place(self) -> str | BoardSpec | None:
        """The scenario or the plain board that it is set up on; None: the caller's choice."""
        return self.ground.ground()


@dataclass(slots=True)
class LoweredText:
    """A program with what a caller's text declares added; nothing that was there changes its number."""

    program: ir.Program
    situations: dict[str, Situation]
    policies: dict[str, ir.Policy]
    #: places that the last situation names: symbol, name as written, where
    places: list[tuple[int, str, Span]]
