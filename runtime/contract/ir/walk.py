"""One walk over the IR, for every pass that looks for something in it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from grognard.contract import ir


def nodes(node: Any) -> Iterator[Any]:
    """The node and everything below it, in order; without recursion, since whole programs pass through here."""
    stack = [node]
    while stack:
        here = stack.pop()
        kind = type(here)
        if kind is tuple:
            stack.extend(reversed(here))
            continue
        # Dataclasses know their fields in order by this name; numbers and texts have no such thing.
        names = getattr(kind, "__match_args__", None)
        if names is not None:
            yield here
            stack.extend([getattr(here, name) for name in reversed(names)])


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
