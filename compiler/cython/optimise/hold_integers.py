"""Integers of a machine are C variables while it runs, and go to its frame where other code may look at it."""

from __future__ import annotations

from grognard.contract import ir

#: With more of them, moving them costs more than it saves.
MOST_INTEGERS = 16


def integers(machine: ir.Machine) -> list[int]:
    """The locals that are integers."""
    return [n for n, local in enumerate(machine.locals) if isinstance(local.type, ir.IntType)]


def holds_integers(machine: ir.Machine) -> bool:
    return len(integers(machine)) <= MOST_INTEGERS
