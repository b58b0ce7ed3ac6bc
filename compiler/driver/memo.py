"""What a process remembers of a title between two looks at it: files, trees, and what was found out about them.

Everything is remembered by content, so nothing here can be wrong: what changed is simply not found.  Things with something to
say (diagnostics) are not remembered at all but looked at again, so that places and hints in messages are always of now.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, field
from typing import Any

from grognard.compiler.layers.shelf import Shelf
from grognard.compiler.sema.facts import Facts
from grognard.compiler.sema.typed.units import Outcome


@dataclass(frozen=True, slots=True)
class Unit:
    """A callable that there was nothing to say of."""

    #: numbers of its own trees, and the events that its blocks may emit
    own: Hashable
    outcome: Outcome


@dataclass(slots=True)
class Memo:
    """What is remembered; one for each title that is being worked on."""

    facts: Facts = field(default_factory=Facts)
    shelf: Shelf = field(default_factory=Shelf)
    versions: Versions = field(default_factory=lambda: Versions())
    #: what came of callables that there was nothing to say of, the last time that all were looked at
    units: dict[Hashable, Unit] = field(default_factory=dict)
    #: the ground and the signatures at that time (signatures.py)
    ground: int = 0
    signatures: dict[str, int] = field(default_factory=dict)
    #: scenarios that there was nothing to say of, with what they depended on
    scenarios: dict[str, Hashable] = field(default_factory=dict)

    def begin(self) -> None:
        """A new look begins."""
        self.facts.rotate()


class Versions:
    """Numbers for trees and other values: the same number for what is equal, places in the source aside."""

    def __init__(self) -> None:
        self._trees: dict[Hashable, tuple[Any, int]] = {}
        self._values: dict[Hashable, int] = {}
        self._next = 0

    def of_tree(self, name: Hashable, tree: Any) -> int:
        """The number of the tree that has this name; another one when it changes."""
        known = self._trees.get(name)
        if known is not None:
            if known[0] is tree:
                return known[1]
            if known[0] == tree:
                self._trees[name] = (tree, known[1])
                return known[1]
        self._next += 1
        self._trees[name] = (tree, self._next)
        return self._next

    def of_value(self, value: Hashable) -> int:
        """The number of a value."""
        number = self._values.get(value)
        if number is None:
            self._next += 1
            number = self._values[value] = self._next
        return number
