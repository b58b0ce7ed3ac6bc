"""One walk over the IR, for every pass that looks for something in it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import fields
from operator import attrgetter
from typing import Any

from grognard.contract import ir

#: Types of fields below which there is nothing: numbers and texts.  The others may be nodes, or tuples of them.
_PLAIN = frozenset(["int", "str", "bool", "int | None", "str | None", "tuple[int, ...]", "tuple[str, ...]"])
#: For each type of node, what gives its fields that may hold nodes, the last first; None: it has none.
_below: dict[type, Callable[[Any], Any] | None] = {}
#: Types of what may stand where a node could, and is none.
_no_nodes: set[type] = set()


def _fields_below(kind: type) -> Callable[[Any], Any] | None:
    """How to look below nodes of a type."""
    # Dataclasses know their fields in order by this name; numbers and texts have no such thing.
    names = [
        field.name
        for field in fields(kind)
        if field.name in kind.__match_args__ and field.type not in _PLAIN  # type: ignore[attr-defined]
    ]
    match names:
        case []:
            return None
        case [name]:
            one = attrgetter(name)
            return lambda node: (one(node),)
    return attrgetter(*reversed(names))


def nodes(node: Any) -> Iterator[Any]:
    """The node and everything below it, in order; without recursion, since whole programs pass through here."""
    stack = [node]
    pop, extend, known, others = stack.pop, stack.extend, _below, _no_nodes
    while stack:
        here = pop()
        kind = type(here)
        if kind is tuple:
            extend(here[::-1])
            continue
        if kind in others:
            continue
        if kind not in known:
            if not hasattr(kind, "__match_args__"):
                others.add(kind)
                continue
            known[kind] = _fields_below(kind)
        yield here
        below = known[kind]
        if below is not None:
            extend(below(here))


def conjuncts(
    node: ir.Expr | None, opened: Callable[[ir.Expr], ir.Expr | None] = lambda part: part
) -> list[ir.Expr]:
    """The parts of a condition that must all hold, in order; each side is looked at as `opened` gives it."""
    if node is None:
        return []
    if isinstance(node, ir.Binary) and node.op == "and":
        return [part for side in (node.left, node.right) for part in conjuncts(opened(side), opened)]
    return [node]


def successors(end: ir.Terminator) -> list[int]:
    """The blocks that a block may go on with."""
    match end:
        case ir.Jump(block=block):
            return [block]
        case ir.Branch(then=then, otherwise=otherwise):
            return [then, otherwise]
        case ir.CallMachine(block=block):
            return [block]
        case ir.Ask(block=block, empty=empty):
            return [block] if empty is None else [block, empty]
    return []
