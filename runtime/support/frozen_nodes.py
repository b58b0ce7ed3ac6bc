"""Frozen dataclasses with slots whose methods are generated when the first of them is called.

The standard library generates and compiles half a dozen methods for every dataclass at import.  For the two hundred nodes
of the syntax tree and of the IR that would take a third of a warm start, which makes hardly any of them.  So a class gets
its slots at once and its methods lazily.  Type checkers see the standard decorator: the imports are under TYPE_CHECKING.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from threading import RLock
from typing import Any, TypeVar, cast

from grognard.support.pickling import add_fast_pickling

T = TypeVar("T")

_METHODS = ("__init__", "__repr__", "__eq__", "__hash__", "__setattr__", "__delattr__")
_DESCRIPTION = ("__dataclass_fields__", "__dataclass_params__")
_completing = RLock()


def dataclass(*, frozen: bool, slots: bool) -> Callable[[type[T]], type[T]]:
    """As `dataclasses.dataclass`, for classes whose bases have no fields."""
    if not (frozen and slots):
        raise TypeError("nodes are frozen and have slots")
    return _node


def _node(plain: type[T]) -> type[T]:
    names = tuple(plain.__annotations__)
    # What fields are set to in the class body are their defaults, which only the plain class keeps: a slot has that name.
    body = {name: value for name, value in plain.__dict__.items() if name not in names}
    for unwanted in ("__dict__", "__weakref__"):
        body.pop(unwanted, None)
    made: Any = type(
        plain.__name__,
        plain.__bases__,
        body | {"__slots__": names, "__match_args__": names, "__qualname__": plain.__qualname__},
    )
    own = [name for name in _METHODS if name not in plain.__dict__]
    waiting = True

    def complete() -> None:
        nonlocal waiting
        with _completing:
            if waiting:
                known: Any = dataclasses.dataclass(frozen=True)(plain)
                for name in (*_DESCRIPTION, *own):
                    setattr(made, name, known.__dict__[name])
                waiting = False

    for name in own:
        setattr(made, name, _once(name, made, complete))
    for name in _DESCRIPTION:
        setattr(made, name, _Description(name, made, complete))
    add_fast_pickling(made, names)
    return cast("type[T]", made)


def _once(name: str, made: type[Any], complete: Callable[[], None]) -> Any:
    """A placeholder that is called at most once: it installs the real methods and calls the one."""

    def method(self: Any, *args: Any, **named: Any) -> Any:
        complete()
        return getattr(made, name)(self, *args, **named)

    return method


class _Description:
    """A lazy attribute of a dataclass: reading it completes the class."""

    def __init__(self, name: str, made: type[Any], complete: Callable[[], None]) -> None:
        self.name, self.made, self.complete = name, made, complete

    def __get__(self, instance: Any, owner: Any) -> Any:
        self.complete()
        return getattr(self.made, self.name)
