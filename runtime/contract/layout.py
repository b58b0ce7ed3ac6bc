"""Where everything lies in a position: one layout, computed once from the program and the sizes of its data.

A position is `Layout.cells` signed 32-bit cells: header, fields in order of their ids, journal, stack.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from grognard.contract import ir
from grognard.contract.header import FRAME_HEADER, HEADER

#: Cells of one journal entry: where (cell), what (0 set, 1 add, 2 set bits, 3 clear bits), operand, value before.
JOURNAL_ENTRY = 4
#: Frames that a recursive group of machines may have on the stack at once.
RECURSION_LIMIT = 24


@dataclass(frozen=True, slots=True)
class FrameLayout:
    """Cells of a machine's frame, and where each local starts in it.

    Integers and lists come first, so that their places do not depend on data; sets come last."""

    size: int
    offsets: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Layout:
    base: tuple[int, ...]  # first value of each domain
    count: tuple[int, ...]  # number of values of each domain
    field_offset: tuple[int, ...]  # first cell of each field
    field_words: tuple[int, ...]  # cells of one element
    field_cells: tuple[int, ...]  # cells of the whole field
    journal_offset: int
    journal_entries: int
    stack_offset: int
    stack_cells: int
    frames: tuple[FrameLayout, ...]
    cells: int


def set_words(count: int) -> int:
    """Cells of a bit set over a domain of that many elements."""
    return max(1, (count + 31) // 32)


def local_words(kind: ir.LocalType, count: Sequence[int]) -> int:
    """Cells of one value of the type; a list is its length and its items."""
    match kind:
        case ir.IntType():
            return 1
        case ir.ListType(capacity=capacity):
            return capacity + 1
        case ir.SetType(domain=domain):
            return set_words(count[domain])


def frame_layout(machine: ir.Machine, count: Sequence[int]) -> FrameLayout:
    offsets = [0] * len(machine.locals)
    place = FRAME_HEADER
    for sets in (False, True):
        for number, local in enumerate(machine.locals):
            if isinstance(local.type, ir.SetType) == sets:
                offsets[number] = place
                place += local_words(local.type, count)
    return FrameLayout(place, tuple(offsets))


def compute_layout(program: ir.Program, base: Sequence[int], count: Sequence[int]) -> Layout:
    offsets: list[int] = []
    words: list[int] = []
    cells: list[int] = []
    place = HEADER
    for entry in program.fields:
        element = local_words(entry.type, count)
        size = element
        for domain in entry.dims:
            size *= count[domain]
        offsets.append(place)
        words.append(element)
        cells.append(size)
        place += size
    journal = place
    created = set(program.created_in_branches)
    entries = program.journal + sum(
        size for entry, size in zip(program.fields, cells, strict=True) if created & set(entry.dims[:1])
    )
    place += entries * JOURNAL_ENTRY
    frames = tuple(frame_layout(machine, count) for machine in program.machines)
    stack_cells = _stack_need(program, frames)
    return Layout(
        base=tuple(base),
        count=tuple(count),
        field_offset=tuple(offsets),
        field_words=tuple(words),
        field_cells=tuple(cells),
        journal_offset=journal,
        journal_entries=entries,
        stack_offset=place,
        stack_cells=stack_cells,
        frames=frames,
        cells=place + stack_cells,
    )


def default_value(entry: ir.Field, layout: Layout) -> int:
    """What a field's cells hold at first; sets and lists start empty."""
    if not isinstance(entry.type, ir.IntType):
        return 0
    return entry.default if entry.first is None else layout.base[entry.first]


def own_parts(entry: ir.Field, layout: Layout, domain: int) -> list[tuple[int, int]]:
    """Where the cells of a domain's elements lie in a field that has an axis for it: (first cell of the first
    element, cells of each), once for every combination of the axes before."""
    parts: list[tuple[int, int]] = []
    for axis, dim in enumerate(entry.dims):
        if dim != domain:
            continue
        inner = layout.field_words[entry.id] * math.prod(layout.count[d] for d in entry.dims[axis + 1 :])
        outer = math.prod(layout.count[d] for d in entry.dims[:axis])
        start = layout.field_offset[entry.id]
        parts += [(start + n * layout.count[domain] * inner, inner) for n in range(outer)]
    return parts


def shape(program: ir.Program) -> tuple[int, ...]:
    """What code and data must agree on, beside what the data itself says."""
    return (
        len(program.domains),
        len(program.fields),
        len(program.columns),
        len(program.tables),
        len(program.symbols),
        len(program.functions),
        len(program.machines),
        sum(len(machine.locals) for machine in program.machines),
    )


def _callees(machine: ir.Machine) -> set[int]:
    return {block.end.machine for block in machine.blocks if isinstance(block.end, ir.CallMachine)}


def _stack_need(program: ir.Program, frames: Sequence[FrameLayout]) -> int:
    """The deepest stack that any machine can need: exact without recursion, generous with it."""
    calls = [sorted(_callees(machine)) for machine in program.machines]
    need: dict[int, int] = {}
    recursive = False
    # With a stack of its own: chains of procedures may be longer than Python likes its calls.
    for root in range(len(calls)):
        begun = {} if root in need else {root: 0}
        path = list(begun)
        while path:
            here = path[-1]
            if begun[here] < len(calls[here]):
                callee = calls[here][begun[here]]
                begun[here] += 1
                if callee in begun:
                    recursive = True
                elif callee not in need:
                    begun[callee] = 0
                    path.append(callee)
            else:
                need[here] = frames[here].size + max(
                    (need.get(callee, 0) for callee in calls[here]), default=0
                )
                del begun[here]
                path.pop()
    deepest = max(need.values(), default=0)
    if recursive:
        deepest = sum(frame.size for frame in frames) + RECURSION_LIMIT * max(frame.size for frame in frames)
    return deepest
