"""The syntax tree as an indented outline, for `grognard build --show ast`."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from typing import Any

from grognard.support.source import Span


def print_tree(node: Any) -> Iterator[str]:
    """One line for each node, without the places in the source."""
    yield from _lines(node, "", 0)


def _lines(node: Any, name: str, depth: int) -> Iterator[str]:
    start = "  " * depth + (f"{name}: " if name else "")
    if isinstance(node, (tuple, list)):
        if node and all(_is_plain(item) for item in node):
            yield f"{start}{', '.join(map(str, node))}"
            return
        yield f"{start}".rstrip()
        for item in node:
            yield from _lines(item, "", depth + 1)
        return
    if not is_dataclass(node):
        yield f"{start}{node}"
        return
    plain: list[str] = []
    deep: list[tuple[str, Any]] = []
    for entry in fields(node):
        value = getattr(node, entry.name)
        # Places, and whatever the author left out, only hide what is there.
        if isinstance(value, Span) or value is None or value == () or value is False:
            continue
        if _is_empty(value):
            continue
        if _is_plain(value):
            plain.append(f"{entry.name}={value}" if entry.name not in ("name", "id") else str(value))
        else:
            deep.append((entry.name, value))
    yield f"{start}{type(node).__name__}{' ' if plain else ''}{' '.join(plain)}"
    for label, value in deep:
        yield from _lines(value, label, depth + 1)


def _is_plain(value: Any) -> bool:
    return isinstance(value, (str, int, bool)) or value is None


def _is_empty(value: Any) -> bool:
    """A node of which nothing is left but its place."""
    return is_dataclass(value) and all(
        isinstance(part := getattr(value, entry.name), Span) or part is None or part == ()
        for entry in fields(value)
    )
