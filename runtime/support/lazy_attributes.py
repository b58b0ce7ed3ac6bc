"""Objects of a kept ruleset, parts of which are read when they are first asked for (kept.py)."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any


class Later:
    """A class whose instances may lack some attributes until somebody wants them."""

    __slots__ = ("_later",)

    #: the attributes that are still to come, and what sets them
    _later: tuple[frozenset[str], Callable[[str], None]]

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:
            # Python asks here only for what is not set.
            if name != "_later":
                try:
                    names, read = self._later
                except AttributeError:
                    names = frozenset()
                if name in names:
                    read(name)
                    return object.__getattribute__(self, name)
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")


def comes_later(obj: Later, names: frozenset[str], read: Callable[[str], None]) -> None:
    """Let `read` set these attributes of the object, or the one that it is given, when one of them is asked for."""
    object.__setattr__(obj, "_later", (names, read))


def give(obj: Later, values: dict[str, Any]) -> None:
    """Set attributes, of frozen objects too."""
    for name, value in values.items():
        object.__setattr__(obj, name, value)


def lacking(kind: type[Any], values: dict[str, Any]) -> Any:
    """An object with these attributes only."""
    made: Any = object.__new__(kind)
    give(made, values)
    return made
