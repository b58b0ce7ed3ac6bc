"""What is there for the sake of bots: declarations that only the evaluation uses."""

from __future__ import annotations

from typing import Any

from grognard.compiler.layers.merge import Merged
from grognard.compiler.sema.symbols import Symbols
from grognard.compiler.syntax import nodes as syn
from grognard.compiler.syntax.walk import walk


def only_for_evaluation(symbols: Symbols, merged: Merged) -> set[str]:
    """What only the evaluation uses, directly or not: how well one stands is no rule of the book."""
    users: dict[str, set[str]] = {}
    for _, decl in (*merged.decls, *merged.exceptions):
        owner = getattr(decl, "name", "") or type(decl).__name__
        for name in symbols.facts.of(_names, decl) - {owner}:
            users.setdefault(name, set()).add(owner)
    found = {syn.EVALUATION}
    while more := {name for name, by in users.items() if by <= found and name not in found}:
        found |= more
    return found


def _names(decl: Any) -> frozenset[str]:
    """The names that a declaration mentions."""
    names = {node.id for node in walk(decl) if isinstance(node, syn.Name)}
    return frozenset(names | {node.name for node in walk(decl) if isinstance(node, syn.Use)})
