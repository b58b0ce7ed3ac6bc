"""Rules that need their own value."""

from __future__ import annotations

from collections.abc import Sequence

from grognard.compiler.sema.symbols import Callable_
from grognard.support.diagnostics import Sink


def tell_circle(sink: Sink, entry: Callable_, through: Sequence[str]) -> None:
    """`through`: the rules from this one on until it is needed again, if that is known."""
    path = f": {' -> '.join([*through, entry.name])}" if through else ""
    sink.error("GR0314", entry.span, f"rule `{entry.name}` needs its own value{path}")
