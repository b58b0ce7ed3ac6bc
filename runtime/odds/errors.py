"""Errors of the odds; each message says what would help."""

from __future__ import annotations

from grognard.errors import GrognardError


class OddsError(GrognardError):
    """The odds cannot be computed as asked."""


class PolicyMissing(OddsError):
    """The procedure reaches a choice that no policy answers."""

    def __init__(self, message: str, choices: list[str]) -> None:
        super().__init__(message)
        #: every choice that the procedure can reach, by name
        self.choices = choices
