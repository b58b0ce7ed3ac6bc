"""Modifiers lists: labels, and whether the result can be barred."""

from __future__ import annotations

from grognard.compiler.sema.types import INT
from grognard.compiler.sema.world import Callable_
from grognard.compiler.syntax import nodes as syn
from grognard.support.diagnostics import Sink
from grognard.support.suggest import hint_for


def check_modifiers(entry: Callable_, sink: Sink) -> None:
    decl: syn.ModifiersDecl = entry.decl
    _check_labels(decl, sink)
    if any(item.sort == "bar" for item in decl.entries) and not (entry.result or INT).optional:
        sink.error(
            "GR0301",
            decl.span,
            f"`{decl.name}` can be barred, so its result must be optional",
            hint="write the result as `-> 0..9?`",
        )


def _check_labels(decl: syn.ModifiersDecl, sink: Sink) -> None:
    seen: dict[str, syn.Entry] = {}
    for item in decl.entries:
        if item.label and item.sort in ("add", "set", "times", "bar"):
            if item.label in seen:
                sink.error(
                    "GR0412",
                    item.span,
                    f'"{item.label}" stands twice in `{decl.name}`',
                    hint="labels name entries: errata and `without` need them to differ",
                )
            seen[item.label] = item
    for item in decl.entries:
        for label in item.labels:
            if label not in seen:
                sink.error(
                    "GR0413",
                    item.span,
                    f'`{decl.name}` has no entry "{label}"',
                    hint=hint_for(label, list(seen)),
                )
