"""A syntax tree some lines further down or up."""

from __future__ import annotations

import dataclasses
from typing import Any

from grognard.support.source import Span

#: Node class -> its fields; None for a class that is no node.
_FIELDS: dict[type, tuple[str, ...] | None] = {}


def moved(node: Any, lines: int) -> Any:
    """The same tree with all its places so many lines further down."""
    kind = type(node)
    if kind is Span:
        return Span(node.file, node.line + lines, node.column, node.end_line + lines, node.end_column)
    if kind is tuple:
        return tuple([moved(part, lines) for part in node]) if node else node
    names = _FIELDS[kind] if kind in _FIELDS else _fields_of(kind)
    if names is None:
        return node
    return kind(*[moved(getattr(node, name), lines) for name in names])


def _fields_of(kind: type) -> tuple[str, ...] | None:
    names = tuple(f.name for f in dataclasses.fields(kind)) if dataclasses.is_dataclass(kind) else None
    _FIELDS[kind] = names
    return names
