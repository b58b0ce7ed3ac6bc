"""Random single changes of the code of a program: an id, an operator, an argument, a node in another's place."""

from __future__ import annotations

import dataclasses
import random
from typing import Any

from grognard.contract import ir
from grognard.contract.ir.verify.grammar import GRAMMAR, OPERATORS
from grognard.contract.ir.walk import nodes

#: Nodes that stand in functions and machines.
CODE = tuple(node for group in GRAMMAR.values() for node in group)


def rewritten(node: Any, old: Any, new: Any) -> Any:
    """The tree with one node, found by identity, replaced."""
    if node is old:
        return new
    if type(node) is tuple:
        made = tuple(rewritten(part, old, new) for part in node)
        return made if any(a is not b for a, b in zip(made, node)) else node
    names = getattr(type(node), "__match_args__", None)
    if names is None:
        return node
    parts = {name: getattr(node, name) for name in names}
    changed = {name: made for name, part in parts.items() if (made := rewritten(part, old, new)) is not part}
    return dataclasses.replace(node, **changed) if changed else node


def mutated(code: ir.Function | ir.Machine, chance: random.Random) -> ir.Function | ir.Machine | None:
    """The code with one thing changed; None if there is nothing to change."""
    found = [node for node in nodes(code) if isinstance(node, CODE) and type(node).__match_args__]
    if not found:
        return None
    node = chance.choice(found)
    name = chance.choice(type(node).__match_args__)
    value = getattr(node, name)
    new = _other(node, name, value, found, chance)
    if new is value or new == value:
        return None
    made: ir.Function | ir.Machine = rewritten(code, node, dataclasses.replace(node, **{name: new}))
    return made


def _other(node: Any, name: str, value: Any, found: list[Any], chance: random.Random) -> Any:
    match value:
        case bool():
            return not value
        case int():
            return chance.choice((value + 1, value - 1, 0, 1, 2, -1, 99, value * 3))
        case str():
            return chance.choice(
                sorted(OPERATORS.get(type(node), frozenset()) | {"distance", "within", "none of these"})
            )
        case tuple() if value:
            place = chance.randrange(len(value))
            return chance.choice(
                (
                    value[:place] + value[place + 1 :],
                    (*value, value[place]),
                    (*value[:place], chance.choice(found), *value[place + 1 :]),
                    value[::-1],
                )
            )
        case None | tuple():
            return chance.choice((0, 1, chance.choice(found), (), None))
    return chance.choice((chance.choice(found), None, ir.Const(0)))
