"""Machines without needless blocks: jumps lead where they end, and what only follows one block is part of it.

A block is a place where a game can stop, and costs a step; lowering makes more of them than that.  Numbers stay as they
are, blocks that are unreachable are left empty."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

from grognard.contract import ir

#: what stands where a block was
GONE = ir.Block((), ir.ReturnMachine(None))


def merge_blocks(machine: ir.Machine, entered: frozenset[int] = frozenset()) -> ir.Machine:
    """The machine with fewer blocks; `entered` are those that may be entered from outside."""
    blocks = [replace(block, end=_led(machine.blocks, block.end)) for block in machine.blocks]
    reached = _reached(blocks, entered)
    ways = Counter(target for number in reached for target in targets(blocks[number].end))
    for number in sorted(reached):
        while isinstance(end := blocks[number].end, ir.Jump):
            after = end.block
            if ways[after] != 1 or after in entered or after in (0, number) or after not in reached:
                break
            blocks[number] = ir.Block(blocks[number].body + blocks[after].body, blocks[after].end)
            blocks[after] = GONE
            reached.discard(after)
    kept = (block if number in reached else GONE for number, block in enumerate(blocks))
    return replace(machine, blocks=tuple(kept))


def _led(blocks: tuple[ir.Block, ...], end: ir.Terminator) -> ir.Terminator:
    """The end of a block, past blocks that do nothing but jump on."""

    def last(number: int) -> int:
        seen = {number}
        while not blocks[number].body and isinstance(jump := blocks[number].end, ir.Jump):
            if jump.block in seen:
                break
            number = jump.block
            seen.add(number)
        return number

    match end:
        case ir.Jump(block=block):
            return ir.Jump(last(block))
        case ir.Branch(then=then, otherwise=otherwise):
            return replace(end, then=last(then), otherwise=last(otherwise))
        case ir.CallMachine(block=block):
            return replace(end, block=last(block))
        case ir.Ask(block=block, empty=empty):
            return replace(end, block=last(block), empty=None if empty is None else last(empty))
    return end


def targets(end: ir.Terminator) -> list[int]:
    """The blocks that may come next."""
    match end:
        case ir.Jump(block=block) | ir.CallMachine(block=block):
            return [block]
        case ir.Branch(then=then, otherwise=otherwise):
            return [then, otherwise]
        case ir.Ask(block=block, empty=empty):
            return [block] if empty is None else [block, empty]
    return []


def _reached(blocks: list[ir.Block], entered: frozenset[int]) -> set[int]:
    reached: set[int] = set()
    waiting = [0, *entered]
    while waiting:
        number = waiting.pop()
        if number not in reached and number < len(blocks):
            reached.add(number)
            waiting += targets(blocks[number].end)
    return reached
