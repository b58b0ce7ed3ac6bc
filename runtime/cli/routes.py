"""Routes that are entered by their end: the ways to a place that is asked for leg by leg."""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING

from grognard.cli.sentences import imagined
from grognard.errors import RuleError

if TYPE_CHECKING:
    from grognard.contract.questions import Choice
    from grognard.play.position import Position

#: Legs of a way that is looked for, and positions that are looked at.
MAX_LEGS = 12
MAX_LOOKS = 600


def way_to(position: Position, goal: str) -> list[Choice]:
    """The fewest legs that end at the place, with the answer that ends the route; nothing if there is no such route.

    Legs are answers to one question that is asked again and again, each a place."""
    question = position.question
    if question is None or question.kind in ("action", "number", "flag"):
        return []
    wanted = goal.casefold()
    # Not the true position: what is hidden must not decide which way is found.
    begin = imagined(position, question.seat)
    waiting: deque[tuple[Position, list[Choice]]] = deque([(begin, [])])
    met: set[str] = set()
    looks = 0
    while waiting and looks < MAX_LOOKS:
        here, legs = waiting.popleft()
        for choice in here.legal():
            if choice.name in ("done", "none") or choice.name in met:
                continue
            looks += 1
            met.add(choice.name)
            try:
                after = here.play(choice)
            except RuleError:
                continue
            again = after.question
            goes_on = again is not None and (again.name, again.seat) == (question.name, question.seat)
            if wanted in (choice.name.casefold(), choice.label.casefold()):
                ends = [c for c in after.legal() if c.name in ("done", "none")] if goes_on else []
                if goes_on and not ends:
                    return []
                return [*legs, choice, *ends[:1]] if legs else []
            if goes_on and len(legs) + 1 < MAX_LEGS and not any(c.name == choice.name for c in after.legal()):
                waiting.append((after, [*legs, choice]))
    return []
