"""What was written around a node of the syntax tree: its parent, its declaration, its sections."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import fields, is_dataclass
from typing import Any

from grognard.compiler.syntax import nodes as syn
from grognard.support.source import Span

#: Declarations that say how bots or odds look at a game, not how it is played.
ASIDE = (syn.ExampleDecl, syn.SituationDecl, syn.PolicyDecl)


class Written:
    """The declarations of a title, with the way from each node to its declaration."""

    def __init__(self, decls: Iterable[Any]) -> None:
        self._around: dict[int, tuple[Any, Any]] = {}
        self._by_span: dict[tuple[type, Span | None], Any] = {}
        self._decls = list(decls)
        #: members of enums, by the enums that have them
        self._members: dict[str, list[tuple[str, ...]]] = {}
        for decl in self._decls:
            self._enter(decl)
            if isinstance(decl, syn.EnumDecl):
                names = tuple(member.name for member in decl.members)
                for name in names:
                    self._members.setdefault(name, []).append(names)

    def _enter(self, decl: Any) -> None:
        stack: list[tuple[Any, Any]] = [(decl, None)]
        while stack:
            node, parent = stack.pop()
            if isinstance(node, tuple | list):
                stack.extend((part, parent) for part in node)
            elif is_dataclass(node) and not isinstance(node, Span | syn.Cites | type):
                self._around[id(node)] = (node, parent)
                span = getattr(node, "span", None)
                if span is not None:
                    self._by_span.setdefault((type(node), span), node)
                stack.extend((getattr(node, part.name), node) for part in fields(node))

    def find(self, node: Any) -> Any:
        """The node as it stands in a declaration; None if lowering made it up."""
        known = self._around.get(id(node))
        if known is not None and known[0] is node:
            return node
        return self._by_span.get((type(node), getattr(node, "span", None)))

    def parent(self, node: Any) -> Any:
        return self._around[id(node)][1]

    def declaration(self, node: Any) -> Any:
        while (parent := self.parent(node)) is not None:
            node = parent
        return node

    def cites(self, node: Any) -> tuple[str, ...]:
        """The sections of the nearest line around it that cites some."""
        while node is not None:
            found = getattr(node, "cites", None)
            if isinstance(found, syn.Cites) and found.ids:
                return found.ids
            node = self.parent(node)
        return ()

    def other_member(self, name: str, place: int) -> tuple[str, int] | None:
        """The member after this one in its enum, with its place; None if that is not certain."""
        among = self._members.get(name, [])
        if len(among) != 1 or among[0].index(name) != place or len(among[0]) < 2:
            return None
        other = (place + 1) % len(among[0])
        return among[0][other], other

    def counts(self, node: Any) -> bool:
        """Whether it belongs to how the game is played."""
        decl = self.declaration(node)
        return not isinstance(decl, ASIDE) and getattr(decl, "name", "") not in (
            syn.EVALUATION,
            syn.PLAUSIBLE,
        )


def name_of(decl: Any) -> str:
    """What a declaration is called in the report."""
    for part in ("name", "target", "event"):
        found = getattr(decl, part, None)
        if isinstance(found, str) and found:
            return found
    return type(decl).__name__.removesuffix("Decl").lower()
