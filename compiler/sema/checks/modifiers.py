"""Modifiers lists: labels, and whether the result can be barred."""

from __future__ import annotations

from grognard.compiler.sema.symbols import Callable_
from grognard.compiler.sema.types import INT
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
            if item.name in seen:
                sink.error(
                    "GR0412",
                    item.span,
                    f'"{item.label}" stands twice in `{decl.name}`'
                    if item.label == seen[item.name].label
                    else f"two entries of `{decl.name}` are called `{item.name}`",
                    hint=f"errata and `without` need their names to differ: name one with `as`, "
                    f"for example `as {item.name}_2`",
                )
            seen[item.name] = item
    for item in decl.entries:
        for name in item.struck:
            if name not in seen:
                sink.error(
                    "GR0413",
                    item.span,
                    f"`{decl.name}` has no entry `{name}`",
                    hint=hint_for(name, list(seen)),
                )
