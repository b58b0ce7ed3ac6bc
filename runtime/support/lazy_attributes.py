"""Objects with attributes that are read when they are first used (compiler/store/sections.py)."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any


class LazyAttributes:
    """A class whose instances may lack some attributes until they are used."""

    __slots__ = ("_lazy",)

    #: names of the attributes that are not set yet, and the function that sets them
    _lazy: tuple[frozenset[str], Callable[[str], None]]

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:
            # Python calls this only for an attribute that is not set.
            if name != "_lazy":
                try:
                    names, read = self._lazy
                except AttributeError:
                    names = frozenset()
                if name in names:
                    read(name)
                    return object.__getattribute__(self, name)
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")


def set_lazy(obj: LazyAttributes, names: frozenset[str], read: Callable[[str], None]) -> None:
    """Call `read` with the name of one of these attributes when it is first used.  `read` sets it, or all of them."""
    object.__setattr__(obj, "_lazy", (names, read))


def set_attributes(obj: LazyAttributes, values: dict[str, Any]) -> None:
    """Set attributes, of frozen objects too."""
    for name, value in values.items():
        object.__setattr__(obj, name, value)


def new_partial(kind: type[Any], values: dict[str, Any]) -> Any:
    """A new object with only these attributes."""
    made: Any = object.__new__(kind)
    set_attributes(made, values)
    return made
