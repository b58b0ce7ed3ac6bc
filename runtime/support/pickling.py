"""Fast pickling of frozen dataclasses: the standard library looks the fields up again for every object."""

from __future__ import annotations

from typing import Any


def add_fast_pickling(kind: Any, fields: tuple[str, ...]) -> None:
    """Give a frozen dataclass with slots a state that is the list of these fields."""
    put = object.__setattr__

    def get_state(self: Any) -> list[Any]:
        return [getattr(self, name) for name in fields]

    def set_state(self: Any, state: list[Any]) -> None:
        for name, value in zip(fields, state):
            put(self, name, value)

    kind.__getstate__ = get_state
    kind.__setstate__ = set_state
