"""Bitboards that several routines of a small program ask for: the first makes one, the others find it.

Whether an action can begin and what it then offers is mostly the same question.  A shared board is valid until a field that it
reads is written, by the memo's validities (passes/analyses/memoisable.py).  The boards that others are made of, which places hold
some value, need not be made anew: where a machine writes a single cell, they are maintained.

A pass over the trees of all routines: it sees what they ask for, decides what is shared, and finishes the nodes that depend on it,
among them what a write invalidates.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from grognard.compiler.cython.print.texts import literal
from grognard.compiler.cython.tree import (
    AnyHolds,
    BitboardKey,
    Block,
    HeldBoard,
    Invalidate,
    Line,
    MakeBoard,
    Node,
    Pending,
    Write,
    lines,
    mapped,
    walked,
)
from grognard.compiler.passes.analyses.memoisable import VALIDITIES
from grognard.contract import ir
from grognard.contract.ir.walk import nodes

if TYPE_CHECKING:
    from grognard.compiler.cython.analysis.plan import Plan
    from grognard.compiler.cython.print.routine import Routine

#: Boards that there is room for, as in the kernel.
MOST_BOARDS = 8


@dataclass(frozen=True, slots=True)
class SharedBitboard:
    number: int
    validity: int


@dataclass(slots=True)
class SharedBitboards:
    """Which boards are shared and which are maintained, and the nodes that depend on it."""

    plan: Plan
    shared: dict[BitboardKey, SharedBitboard] = field(default_factory=dict)
    #: by field and value: which places hold it
    maintained: dict[tuple[int, int], SharedBitboard] = field(default_factory=dict)
    #: numbers that the routine that is being finished names
    names: set[str] = field(default_factory=set)

    @property
    def kept(self) -> bool:
        """Whether any board is kept."""
        return bool(self.shared or self.maintained)

    def finished(self, routine: Routine) -> Routine:
        """The routine with nothing left to decide."""
        self.names = set()
        body = tuple(mapped(routine.body, self._finished))
        return replace(routine, body=body, constants=routine.constants | self.names)

    def _finished(self, node: Pending) -> list[Node] | None:
        match node:
            case MakeBoard(key=key, result=result, body=body):
                board = self.shared.get(key)
                if board is None:
                    return body
                found = f"{result} = ctx.board[{board.number}]"
                store = f"grog_board_store(ctx, {board.validity}, {board.number}, {result})"
                return [
                    Block(f"if grog_board_known(ctx, {board.validity}):", lines(found)),
                    Block("else:", [*body, Line(store)]),
                ]
            case HeldBoard(result=result, cells=cells):
                board = self.maintained.get((node.field, node.value))
                if board is None:
                    return lines(f"{result} = {node.made}({cells})")
                return lines(f"{result} = {node.maintained}(ctx, {board.validity}, {board.number}, {cells})")
            case AnyHolds(result=result, cells=cells):
                board = self.maintained.get((node.field, node.value))
                if board is None:
                    return lines(f"{result} = grog_any_holds({cells})")
                return lines(f"{result} = grog_board_any(ctx, {board.validity}, {board.number}, {cells})")
            case Write(text=text, fields=fields):
                changed = self._changed(node)
                return [Block(f"if {text}:", changed)] if changed else lines(text)
            case Invalidate(fields=fields):
                return self._invalidated(fields, 0)
        return None

    def _changed(self, node: Write) -> list[Node]:
        """What follows a write that changed something."""
        if node.cell is None:
            return self._invalidated(node.fields, 0)
        (written,), (start, at) = node.fields, node.cell
        following = [(value, board) for (of, value), board in self.maintained.items() if of == written]
        updates = lines(
            *(
                f"grog_board_update(ctx, {board.validity}, {board.number}, {start}, {at}, {literal(value)})"
                for value, board in following
            )
        )
        return updates + self._invalidated(node.fields, sum(1 << board.validity for _, board in following))

    def _invalidated(self, fields: Sequence[int], besides: int) -> list[Node]:
        """What reads these fields is invalidated, besides the boards that were maintained."""
        validities = self.plan.memoised.of_fields(fields) | self._of_fields(fields)
        validities &= ~besides
        if not validities:
            return []
        words = [validities >> 64 * word & 0xFFFF_FFFF_FFFF_FFFF for word in range(VALIDITIES // 64)]
        name = self.plan.numbers.invalidated(fields, words, bool(besides))
        self.names.add(name)
        return lines(f"grog_invalidate_all(ctx, {name})")

    def _of_fields(self, fields: Iterable[int]) -> int:
        """The validities of boards that writes of these fields invalidate, where no board is maintained."""
        written = set(fields)
        validities = 0
        for (_, asked), board in self.shared.items():
            if any(isinstance(node, ir.Load) and node.field in written for node in nodes(asked)):
                validities |= 1 << board.validity
        for (of, _), board in self.maintained.items():
            if of in written:
                validities |= 1 << board.validity
        return validities


def share_bitboards(plan: Plan, routines: Sequence[Routine]) -> SharedBitboards:
    """Decide: all boards that several routines ask for are shared, the rest of the room is for maintained ones."""
    made = SharedBitboards(plan)
    if not plan.shares_boards:
        return made
    asked: dict[BitboardKey, set[tuple[str, int]]] = {}
    held: dict[tuple[int, int], None] = {}
    for routine in routines:
        for node in walked(routine.body):
            if isinstance(node, MakeBoard):
                asked.setdefault(node.key, set()).add(node.who)
            elif isinstance(node, HeldBoard):
                held.setdefault((node.field, node.value))
    first = plan.memoised.next_validity
    room = iter(range(min(MOST_BOARDS, max(0, VALIDITIES - first))))
    several = [key for key, who in asked.items() if len(who) > 1]
    for key, number in zip(several, room):
        made.shared[key] = SharedBitboard(number, first + number)
    for held_by, number in zip(held, room):
        made.maintained[held_by] = SharedBitboard(number, first + number)
    return made
