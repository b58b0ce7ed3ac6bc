"""One walk over the IR, for every pass that looks for something in it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any


def nodes(node: Any) -> Iterator[Any]:
    """The node and everything below it, in order; without recursion, since whole programs pass through here."""
    stack = [node]
    while stack:
        here = stack.pop()
        kind = type(here)
        if kind is tuple:
            stack.extend(reversed(here))
            continue
        # Dataclasses know their fields in order by this name; numbers and texts have no such thing.
        names = getattr(kind, "__match_args__", None)
        if names is not None:
            yield here
            stack.extend([getattr(here, name) for name in reversed(names)])
