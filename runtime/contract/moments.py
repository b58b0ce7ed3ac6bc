"""A title that is being written, as whoever waits for the outcome of a change sees it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from grognard.contract.differences import ChangedSection
    from grognard.contract.ruleset import Ruleset
    from grognard.support.diagnostics import Sink


class Moment(Protocol):
    """A title without errors at one moment."""

    @property
    def examples(self) -> Sequence[str]:
        """The titles of its examples of play, in their order."""

    def changes_since(self, before: Moment) -> list[ChangedSection]:
        """What is declared otherwise than at another moment."""

    def with_examples(self, chosen: Sequence[str]) -> Ruleset | None:
        """A ruleset of these examples and of what they reach, for the interpreter; None after errors.  It can be asked once."""


class WatchedTitle(Protocol):
    """A title on disk; what has not changed since the last time is not looked at again."""

    def check(self) -> Sink:
        """All there is to say of the title now."""

    def now(self) -> Moment | None:
        """The title as it is; None if it has errors, which `check` tells."""
