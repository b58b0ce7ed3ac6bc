"""What can go wrong when an engine is built, and how it can be built."""

from __future__ import annotations

from typing import Literal, TypeAlias

#: How an engine is compiled: to run fast, to be ready soon (examples of play), or to find faults of the engine.
Flavour: TypeAlias = Literal["fast", "quick", "sanitized"]


class UnknownPass(ValueError):
    """A pass of the compiler was named that there is not."""

    def __init__(self, message: str, hint: str) -> None:
        super().__init__(message)
        self.hint = hint


class BuildUnavailable(RuntimeError):
    """Nothing can be compiled here; the message says what is missing."""


class BuildError(RuntimeError):
    """Cython or the C compiler did not accept the generated code: a fault of the compiler, never of the rules."""
