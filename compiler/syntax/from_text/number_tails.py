"""What may stand behind `choose numbers`, and what belongs to it alone."""

from __future__ import annotations

from collections.abc import Collection

from grognard.compiler.syntax.from_text.base import Malformed
from grognard.support.source import Span


def only_numbers(span: Span) -> Malformed:
    return Malformed(
        "GR0101",
        span,
        "`costing` belongs to `choose numbers`",
        "choose numbers of k in Kind costing k.cost within my.money -> bought",
    )


def refuse_sets_of(tails: Collection[str], span: Span) -> None:
    """Words of choices of one, and of sets."""
    for key in ("prefer", "quiet", "such_that", "keeping", "joined"):
        if key in tails:
            word = {"prefer": "preferring", "quiet": "quietly"}.get(key, key.replace("_", " "))
            raise Malformed(
                "GR0101",
                span,
                f"`{word}` does not belong to `choose numbers`",
                "its bounds are `up to`, `exactly`, `at least` and `costing ... within ...`",
            )
