"""Machines that often end without a decision, and how far they can run without a frame."""

from __future__ import annotations

from functools import lru_cache

from grognard.contract import ir
from grognard.contract.call_classes import WRITES
from grognard.contract.ir.walk import nodes

#: Nodes of code that may be emitted for one such run; where ways meet again, it is written out for each.
MOST_NODES = 240


@lru_cache(maxsize=4096)
def frameless_blocks(machine: ir.Machine) -> frozenset[int]:
    """The blocks that can be run without a frame; empty if no way through them leads to the end.

    Before a block that needs a frame nothing may have been changed, for then everything is done again."""
    if not all(isinstance(local.type, ir.IntType) for local in machine.locals):
        return frozenset()
    sure: dict[int, bool] = {}

    def is_sure(number: int, above: frozenset[int] = frozenset()) -> bool:
        """Whether nothing but the end can come of the block."""
        if number in above:
            return False
        if number not in sure:
            after = _after(machine.blocks[number].end)
            sure[number] = after is not None and all(is_sure(n, above | {number}) for n in after)
        return sure[number]

    found: set[int] = set()
    ends = False
    size = 0
    waiting: list[tuple[int, frozenset[int]]] = [(0, frozenset())]
    while waiting:
        number, above = waiting.pop()
        block = machine.blocks[number]
        after = _after(block.end)
        if after is None or number in above:
            if number in above:
                return frozenset()
            continue
        changes = any(isinstance(n, (*WRITES, ir.Do, ir.AtBest)) for n in nodes((block.body, block.end)))
        if changes and not is_sure(number):
            continue
        found.add(number)
        size += sum(1 for _ in nodes((block.body, block.end)))
        if size > MOST_NODES:
            return frozenset()
        ends |= isinstance(block.end, ir.ReturnMachine)
        waiting += [(n, above | {number}) for n in after]
    return frozenset(found) if ends else frozenset()


def _after(end: ir.Terminator) -> list[int] | None:
    """Where a block goes on; None if there is a decision or a call on the way."""
    match end:
        case ir.Jump(block=block):
            return [block]
        case ir.Branch(then=then, otherwise=otherwise):
            return [then, otherwise]
        case ir.ReturnMachine():
            return []
    return None
