"""A machine under construction: blocks of straight code, each closed by a terminator."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from grognard.compiler.lower.code import Code
from grognard.contract import ir
from grognard.contract.ir.walk import successors


class MachineCode(Code):
    def __init__(self, name: str, owner: str) -> None:
        super().__init__(name, owner, pure=False, machine=True)
        self._blocks: list[tuple[list[ir.Stmt], ir.Terminator | None]] = [([], None)]
        self._current = 0
        #: terminators as `finish` made them, by the block that they end
        self.finished: dict[int, ir.Terminator] = {}
        self.body = self._blocks[0][0]

    @property
    def current(self) -> int:
        return self._current

    @property
    def count(self) -> int:
        """How many blocks there are."""
        return len(self._blocks)

    def written(self, block: int) -> list[ir.Stmt]:
        """The statements of a block so far."""
        return self._blocks[block][0]

    def new_block(self) -> int:
        self._blocks.append(([], None))
        return len(self._blocks) - 1

    def switch(self, block: int) -> None:
        """Go on writing in this block."""
        self._current = block
        self.body = self._blocks[block][0]

    @property
    def open(self) -> bool:
        return self._blocks[self._current][1] is None

    def end(self, terminator: ir.Terminator) -> None:
        """Close the current block.  Code after its end is unreachable and dropped."""
        if self.open:
            self._blocks[self._current] = (self._blocks[self._current][0], terminator)

    def jump(self, block: int) -> None:
        self.end(ir.Jump(block))

    def go_to(self, block: int) -> None:
        """Jump there and go on writing there."""
        self.jump(block)
        self.switch(block)

    def finish(self) -> tuple[ir.Block, ...]:
        """All reachable blocks."""
        self.end(ir.ReturnMachine(ir.Const(0) if self.result is not None else None))
        reached: list[int] = []
        pending = [0]
        while pending:
            number = pending.pop()
            if number in reached:
                continue
            reached.append(number)
            end = self._blocks[number][1] or ir.ReturnMachine(None)
            pending += successors(end)
        order = sorted(reached)
        place = {number: n for n, number in enumerate(order)}
        blocks = []
        for number in order:
            body, end_of = self._blocks[number]
            self.finished[number] = renumber(end_of or ir.ReturnMachine(None), place)
            blocks.append(ir.Block(tuple(body), self.finished[number]))
        return tuple(blocks)


def renumber(end: ir.Terminator, place: dict[int, int]) -> ir.Terminator:
    from dataclasses import replace

    match end:
        case ir.Jump():
            return ir.Jump(place[end.block])
        case ir.Branch():
            return ir.Branch(end.condition, place[end.then], place[end.otherwise])
        case ir.CallMachine():
            return replace(end, block=place[end.block])
        case ir.Ask():
            return replace(end, block=place[end.block], empty=None if end.empty is None else place[end.empty])
    return end


@contextmanager
def captured(code: Code) -> Iterator[list[ir.Stmt]]:
    """Collect the statements emitted inside into a separate list (the body of a structured statement)."""
    before = code.body
    made: list[ir.Stmt] = []
    code.body = made
    try:
        yield made
    finally:
        code.body = before
