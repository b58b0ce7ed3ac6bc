"""Routines of a small program that are called in one place only: the C compiler is told to write them out there.

It would find them too large to do so by itself, and what a random game does in a ply is not much more than the calls.  Cython
has no attribute for it; a declaration of its own in C gives a function the attribute, under the name that Cython gives it.  Should
that name ever be another one, nothing has this attribute and all works as before.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from grognard.binding.load import MODULE_NAME

if TYPE_CHECKING:
    from grognard.compiler.cython.print.routine import Routine

#: Lines of all routines up to which this is done, and of a routine.
MOST_LINES = 2500
LARGEST = 400


def force_inline_declarations(routines: Sequence[Routine]) -> list[str]:
    """The declarations in C of the routines that are to be written out where they are called."""
    if sum(routine.size for routine in routines) > MOST_LINES:
        return []
    names = {routine.name for routine in routines}
    called = {routine.name: [name for name in routine.calls if name in names] for routine in routines}
    # What only the driver calls, at decisions that it is stopped at or from outside, does not count.
    played = {name for name in called if name.startswith("m_")}
    waiting = list(played)
    while waiting:
        more = set(called[waiting.pop()]) - played
        played |= more
        waiting += more
    callers: dict[str, list[str]] = {name: [] for name in called}
    for name in sorted(played):
        for callee in called[name]:
            callers[callee].append(name)
    return [
        f"GROG_FORCE_INLINE {routine.result} "
        f"__pyx_f_{len(MODULE_NAME)}{MODULE_NAME}_{routine.name}({routine.params});"
        for routine in routines
        if len(callers[routine.name]) == 1
        # These take answers only in a traced run.
        and not routine.name.startswith("take_")
        and routine.size <= LARGEST
        and not _goes_round(callers, routine.name)
    ]


def _goes_round(callers: dict[str, list[str]], name: str) -> bool:
    """Whether going from caller to caller, as long as there is only one, comes back."""
    seen = {name}
    here = callers[name]
    while len(here) == 1 and here[0] not in seen:
        seen.add(here[0])
        here = callers[here[0]]
    return len(here) == 1
