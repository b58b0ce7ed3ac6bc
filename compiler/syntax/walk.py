"""Traversal of syntax trees, and substitution in them."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from grognard.compiler.syntax import nodes as syn
from grognard.support.source import Span


def substitute(node: Any, old: Any, new: Any) -> tuple[Any, int]:
    """Replace every subtree that equals `old` (spans do not count) by `new`; also the number of replacements."""
    if node == old:
        return new, 1
    if isinstance(node, tuple):
        parts = [substitute(part, old, new) for part in node]
        count = sum(n for _, n in parts)
        return (tuple(part for part, _ in parts), count) if count else (node, 0)
    if (
        dataclasses.is_dataclass(node)
        and not isinstance(node, Span | syn.Cites)
        and not isinstance(node, type)
    ):
        changes: dict[str, Any] = {}
        count = 0
        for entry in dataclasses.fields(node):
            value = getattr(node, entry.name)
            made, n = substitute(value, old, new)
            if n:
                changes[entry.name] = made
                count += n
        return (replace(node, **changes), count) if count else (node, 0)
    return node, 0


#: Fields that hold spans, citations or plain words in every node.
_LEAVES = frozenset({"span", "cites", "name_span", "var_span", "label", "op", "rank", "id", "text"})
#: Node class -> its fields that can hold nodes, last first; None for a class that is no node.
_CHILDREN: dict[type, tuple[str, ...] | None] = {}


def _child_names(kind: type) -> tuple[str, ...] | None:
    """The fields of a class that can hold nodes, memoised because trees are walked often."""
    names = None
    if dataclasses.is_dataclass(kind) and kind not in (Span, syn.Cites):
        names = tuple(f.name for f in reversed(dataclasses.fields(kind)) if f.name not in _LEAVES)
    _CHILDREN[kind] = names
    return names


def walk(node: Any, without: tuple[type, ...] = ()) -> Iterable[Any]:
    """This node and every node below it, in preorder.  Nodes of the classes `without` are skipped with their subtrees."""
    stack = [node]
    children = _CHILDREN
    while stack:
        part = stack.pop()
        kind = type(part)
        if kind is tuple or kind is list:
            stack.extend(reversed(part))
            continue
        names = children[kind] if kind in children else _child_names(kind)
        if names is None or kind in without:
            continue
        yield part
        for name in names:
            value = getattr(part, name)
            if value is not None:
                stack.append(value)
