"""What a typed tree mentions beyond itself: callables, members and places."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from grognard.compiler.sema.typed import nodes as t


@dataclass(slots=True)
class Mentioned:
    #: callables, and the mark as of which they are read
    calls: list[tuple[str, str | None]] = field(default_factory=list)
    #: members and places that data numbers, as symbols name them
    symbols: list[str] = field(default_factory=list)
    #: something depends on what has held since a mark
    since: bool = False


def mentioned(trees: Iterable[Any], mark: str | None) -> Mentioned:
    """What these trees mention, read as of a mark."""
    found = Mentioned()

    def visit(node: Any, mark: str | None) -> None:
        match node:
            case t.Member(dom=dom, name=name):
                if not dom.from_code:
                    found.symbols.append(f"{dom.name}.{name}")
            case t.PlaceNamed(dom=dom, text=text, member=None):
                found.symbols.append(f"{dom.name}.{text}")
            case t.AsOf(mark=inner, value=value):
                visit(value, inner)
                return
            case t.RuleCall(entry=entry):
                found.calls.append((entry.name, mark))
            case t.MovementUse(entry=entry) | t.AtBest(entry=entry):
                found.calls.append((entry.name, None))
            case t.EverSince():
                found.since = True
        for name in _PARTS[type(node)]:
            below(getattr(node, name), mark)

    def below(value: Any, mark: str | None) -> None:
        kind = type(value)
        if kind is tuple:
            for part in value:
                below(part, mark)
        elif kind is dict:
            for part in value.values():
                below(part, mark)
        elif kind in _NODES:
            visit(value, mark)

    for tree in trees:
        below(tree, mark)
    return found


_NODES = frozenset(kind for name in t.__all__ if isinstance(kind := getattr(t, name), type))
_PARTS: dict[type, tuple[str, ...]] = {
    # The rest says what was written, which is not part of the tree.
    kind: tuple(
        f.name for f in dataclasses.fields(kind) if f.name not in ("type", "syntax", "written", "origin")
    )
    for kind in _NODES
    if dataclasses.is_dataclass(kind)
}
