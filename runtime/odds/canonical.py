"""The canonical form of positions, and the symmetry reduction of interchangeable pieces.

Dead locals are cleared.  The fields of a piece out of play that nothing refers to are reset to their defaults.  Two
interchangeable pieces are equivalent if all their cells are equal, every set contains both or neither, and nothing refers
to one of them: only the number of hits among them matters, not which are hit.  What a mark noted of pieces stays.  Pieces that the outcomes of a situation
refer to are always treated as referred to.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import TypeAlias

from grognard.contract import ir
from grognard.contract.bitsets import load_set
from grognard.contract.header import (
    H_EPOCH,
    H_FP,
    H_RNG_HI,
    H_RNG_LO,
    NONE,
)
from grognard.contract.layout import Layout, local_words
from grognard.odds.liveness import live_locals

#: Pieces that the outcomes of a situation refer to: (domain, value).
NamedPieces: TypeAlias = frozenset[tuple[int, int]]


class PieceLayout:
    """The cells that belong to the pieces of a domain, or refer to them."""

    def __init__(self, program: ir.Program, layout: Layout, domain: ir.Domain) -> None:
        self.id = domain.id
        self.base, self.count = layout.base[domain.id], layout.count[domain.id]
        self.words = max(1, (self.count + 31) // 32)
        self.interchangeable = domain.interchangeable
        assert domain.alive is not None
        self.alive = layout.field_offset[domain.alive]
        #: (first cell, cells of one piece, default) of fields whose first axis is the domain
        self.own_fields: list[tuple[int, int, int]] = []
        #: those of them that say nothing of a piece that left play
        self.cleared_fields: list[tuple[int, int, int]] = []
        remembered = _kept_at_marks(program) if domain.remembered else frozenset()
        self.sets: list[tuple[int, int]] = []
        self.lists: list[tuple[int, int]] = []
        self.values: list[tuple[int, int]] = []
        #: whether a field has the domain as a further axis: its pieces are then never equivalent
        self.is_inner_axis = False
        show = f"dom:{domain.id}"
        for entry in program.fields:
            start, words = layout.field_offset[entry.id], layout.field_words[entry.id]
            cells = layout.field_cells[entry.id]
            if entry.dims and entry.dims[0] == domain.id and self.count:
                default = entry.default if isinstance(entry.type, ir.IntType) else 0
                self.own_fields.append((start, cells // self.count, default))
                if entry.id not in remembered:
                    self.cleared_fields.append(self.own_fields[-1])
            self.is_inner_axis |= domain.id in entry.dims[1:]
            match entry.type:
                case ir.SetType(domain=inner) if inner == domain.id:
                    self.sets += [(at, words) for at in range(start, start + cells, words)]
                case ir.ListType(show=shown) if shown == show:
                    self.lists += [(at, words) for at in range(start, start + cells, words)]
                case ir.IntType(show=shown) if shown == show:
                    self.values.append((start, cells))


class Canonicaliser:
    """Brings positions of one program and layout into canonical form."""

    def __init__(self, program: ir.Program, layout: Layout, kept: NamedPieces = frozenset()) -> None:
        self.program, self.layout, self.named_pieces = program, layout, kept
        self.pieces = [
            PieceLayout(program, layout, d)
            for d in program.domains
            if d.alive is not None and layout.count[d.id]
        ]
        self.by_domain = {pieces.id: pieces for pieces in self.pieces}
        self._live: dict[int, list[frozenset[int]]] = {}
        self._kept: dict[tuple[int, int, bool], tuple[frozenset[int], list[tuple[int, int]]]] = {}

    # ---- frames

    def frames(self, c: memoryview) -> Iterator[tuple[int, ir.Machine, bool]]:
        """(offset, machine, whether it is the running one) of every frame on the stack, from the top down."""
        offset, runs = c[H_FP], True
        while offset != NONE:
            place = self.layout.stack_offset + offset
            yield place, self.program.machines[c[place]], runs
            offset, runs = c[place + 2], False

    def live_cells(
        self, machine: ir.Machine, block: int, runs: bool
    ) -> tuple[frozenset[int], list[tuple[int, int]]]:
        """The live locals of a frame, and the (offset, cells) of the dead ones."""
        key = (machine.id, block, runs)
        found = self._kept.get(key)
        if found is None:
            if machine.id not in self._live:
                self._live[machine.id] = live_locals(self.program, machine)
            live = self._live[machine.id]
            end = machine.blocks[block].end
            if runs and isinstance(end, ir.Ask):
                kept = set(live[end.block])
                chance = self.program.asks[end.ask].chance
                if chance is not None:
                    kept -= {end.local, chance.result}
                    kept |= {chance.elements, chance.limits, chance.number} - {-1}
                else:
                    # The candidates are computed from the arguments.
                    kept |= live[block]
            else:
                kept = set(live[block])
            offsets = self.layout.frames[machine.id].offsets
            others = [
                (offsets[n], local_words(local.type, self.layout.count))
                for n, local in enumerate(machine.locals)
                if n not in kept
            ]
            found = self._kept[key] = frozenset(kept), others
        return found

    def canonicalise(self, c: memoryview, before: memoryview | None) -> None:
        """Clear dead locals and dead pieces.  `before`: the canonical predecessor, if there is one."""
        c[H_RNG_LO] = c[H_RNG_HI] = c[H_EPOCH] = 0
        for place, machine, runs in self.frames(c):
            for offset, cells in self.live_cells(machine, c[place + 1], runs)[1]:
                if cells == 1:
                    c[place + offset] = 0
                elif c[place + offset] or any(c[place + offset : place + offset + cells]):
                    c[place + offset : place + offset + cells] = _zeros(cells)
        for pieces in self.pieces:
            self._clear_dead(c, pieces, before)

    def _clear_dead(self, c: memoryview, pieces: PieceLayout, before: memoryview | None) -> None:
        first, last = pieces.alive, pieces.alive + pieces.count
        if before is None:
            gone = [at for at in range(pieces.count) if not c[first + at]]
        else:
            now, then = c[first:last].tobytes(), before[first:last].tobytes()
            if now == then:
                return
            gone = _newly_cleared(then, now)
        if not gone:
            return
        named, masks = self._referenced(c, pieces)
        for at in gone:
            if pieces.base + at in named or any(mask >> at & 1 for mask in masks):
                continue
            for start, n, default in pieces.cleared_fields:
                for cell in range(start + at * n, start + (at + 1) * n):
                    c[cell] = default

    # ---- equivalent pieces

    def _referenced(self, c: memoryview, pieces: PieceLayout) -> tuple[set[int], list[int]]:
        """Pieces that values or lists refer to, and the sets of pieces as bit masks."""
        named = {value for domain, value in self.named_pieces if domain == pieces.id}
        for start, cells in pieces.values:
            found = c[start : start + cells].tobytes()
            # Most fields are empty: they are compared as a whole, which is faster than cell by cell.
            if found != _NONE_CELL * cells:
                named.update(memoryview(found).cast("i"))
        for at, _words in pieces.lists:
            named.update(c[at + 1 : at + 1 + c[at]])
        masks = [load_set(c, at, words) for at, words in pieces.sets]
        show = f"dom:{pieces.id}"
        for place, machine, runs in self.frames(c):
            offsets = self.layout.frames[machine.id].offsets
            for number in self.live_cells(machine, c[place + 1], runs)[0]:
                at = place + offsets[number]
                match machine.locals[number].type:
                    case ir.IntType(show=shown) if shown == show:
                        named.add(c[at])
                    case ir.ListType(show=shown) if shown == show:
                        named.update(c[at + 1 : at + 1 + c[at]])
                    case ir.SetType(domain=inner) if inner == pieces.id:
                        masks.append(load_set(c, at, pieces.words))
        return named, [mask for mask in masks if mask]

    def interchangeable_groups(self, c: memoryview, domain: int, found: list[int]) -> list[list[int]]:
        """The pieces of a list in groups of equivalent ones."""
        pieces = self.by_domain.get(domain)
        if pieces is None or not pieces.interchangeable or pieces.is_inner_axis or len(found) < 2:
            return [[value] for value in found]
        named, masks = self._referenced(c, pieces)
        groups: dict[object, list[int]] = {}
        for value in found:
            at = value - pieces.base
            look: object = value
            if value not in named:
                look = (
                    *(
                        c[start + at] if n == 1 else bytes(c[start + at * n : start + (at + 1) * n])
                        for start, n, _ in pieces.own_fields
                    ),
                    *(mask >> at & 1 for mask in masks),
                )
            groups.setdefault(look, []).append(value)
        return list(groups.values())


def _kept_at_marks(program: ir.Program) -> frozenset[int]:
    """The copies of fields that marks make: where pieces that left play are remembered, they are read of those, too."""
    return frozenset(
        node.target
        for function in program.functions
        for node in function.body
        if isinstance(node, ir.CopyField)
    )


def _newly_cleared(then: bytes, now: bytes) -> list[int]:
    """The indices whose flag was set and no longer is."""
    changed = int.from_bytes(then, sys.byteorder) & ~int.from_bytes(now, sys.byteorder)
    found = []
    while changed:
        low = changed & -changed
        found.append((low.bit_length() - 1) // 32)
        changed ^= low
    if sys.byteorder == "big":
        found = [len(then) // 4 - 1 - at for at in found]
    return found


_NONE_CELL = NONE.to_bytes(4, sys.byteorder, signed=True)
_zero_views: dict[int, memoryview] = {}


def _zeros(cells: int) -> memoryview:
    if cells not in _zero_views:
        _zero_views[cells] = memoryview(bytes(4 * cells)).cast("i")
    return _zero_views[cells]
