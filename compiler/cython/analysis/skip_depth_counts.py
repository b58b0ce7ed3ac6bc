"""Whether the depth of calls must be counted: not where no chain of calls is as long as a run may have it."""

from __future__ import annotations

from collections.abc import Sequence

from grognard.contract import ir
from grognard.contract.ir.walk import nodes

#: Calls inside each other that are certain to be fewer than a run may have (interpreter/frames.py, kernels/budget.h).
MOST_INSIDE = 100


def uncounted_functions(program: ir.Program, calls: Sequence[set[int]]) -> frozenset[int]:
    """All functions, or in programs with long chains of calls and with hypotheticals none."""
    if any(isinstance(node, ir.AtBest) for node in nodes((program.functions, program.machines))):
        return frozenset()
    inside = everybody = frozenset(function.id for function in program.functions)
    for _ in range(MOST_INSIDE):
        # Recursive functions stay among them.
        inside = frozenset(callee for number in inside for callee in calls[number])
        if not inside:
            return everybody
    return frozenset()
