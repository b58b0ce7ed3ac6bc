"""Load a title: from the ruleset cache, or compiled."""

from __future__ import annotations

from collections.abc import Sequence

from grognard.compiler.store.ruleset import Ruleset
from grognard.compiler.store.ruleset_cache import cached_ruleset
from grognard.support.diagnostics import Sink


def load_ruleset(
    where: str,
    sink: Sink,
    *,
    errata: Sequence[str] | None = None,
    examples: bool = True,
    chance: bool = False,
) -> Ruleset | None:
    """As compile_title, but a ruleset that was compiled before comes from the cache."""
    return cached_ruleset(where, sink, _compile, errata=errata, examples=examples, chance=chance)


def _compile(
    where: str, sink: Sink, *, errata: Sequence[str] | None, examples: bool, chance: bool
) -> Ruleset | None:
    # Imported here: a cached ruleset needs no front end, whose import would take half of a warm start.
    from grognard.compiler.driver.pipeline import compile_title

    return compile_title(where, sink, errata=errata, examples=examples, chance=chance)
