"""Blocks of a machine that only one other leads to are written inside that, without a jump by number."""

from __future__ import annotations

from collections import Counter

from grognard.contract import ir


def labelled_blocks(machine: ir.Machine, writes_out: bool) -> list[int]:
    """Blocks that have a number: several others lead to them, or a frame can stand there; the others are written out where they are
    reached, unless that is too deep inside."""
    if machine.name.startswith("situation ") or not writes_out:
        # A situation is gone on with from outside, at a block of its own.
        return list(range(len(machine.blocks)))
    ways: Counter[int] = Counter()
    for block in machine.blocks:
        match block.end:
            case ir.Jump(block=to):
                ways[to] += 1
            case ir.Branch(then=then, otherwise=otherwise):
                ways.update((then, otherwise))
            case ir.CallMachine(block=to):
                ways[to] += 2
            case ir.Ask(block=to, empty=empty):
                ways[to] += 2
                if empty is not None:
                    ways[empty] += 1
    return [number for number in range(len(machine.blocks)) if number == 0 or ways[number] > 1]
