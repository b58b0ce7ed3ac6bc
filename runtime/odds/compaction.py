"""Compaction: scenarios with a smaller capacity for pieces.

Rules declare a capacity for all pieces that a game may ever have.  A battle has a few dozen, but exploring it copies and
compares whole positions a hundred thousand times.  A situation is therefore set up in a layout of small capacity, and
domains of which it has few pieces (sparse ones) get next to none.  Nothing else changes: pieces keep their numbers, and
the first free number is the same.  A piece that exceeds the capacity is a failure (FAIL_POOL), upon which the query is
repeated with a larger one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from grognard.contract import ir
from grognard.contract.datablock import Scenario
from grognard.contract.header import HEADER
from grognard.contract.layout import (
    Layout,
    compute_layout,
    default_value,
)

#: Capacities of each domain that are tried in order; the last resort is the capacity that the rules declare.
CAPACITIES = (32, 64, 96, 128, 192, 256, 384, 512)
#: The capacity of a sparse domain, of which a situation uses less than half.
SPARSE_CAPACITY = 8


@dataclass(frozen=True, slots=True)
class Capacity:
    """The capacity of each domain, and the domains (ids) that are sparse."""

    pieces: int
    sparse: frozenset[int] = frozenset()

    def of(self, domain: int) -> int:
        return SPARSE_CAPACITY if domain in self.sparse else self.pieces


@lru_cache(maxsize=256)
def capacities_for(least: int, sparse: frozenset[int]) -> tuple[Capacity | None, ...]:
    """Capacities for at least so many pieces in increasing order; None: the one that the rules declare."""
    kinds = [sparse, frozenset[int]()] if sparse else [sparse]
    return (*(Capacity(most, kind) for most in CAPACITIES if most >= least for kind in kinds), None)


def sparse_domains(program: ir.Program, layout: Layout, cells: bytearray) -> frozenset[int]:
    """The domains with few pieces in play."""
    found = set()
    with memoryview(cells) as raw, raw.cast("i") as c:
        for domain in program.domains:
            if domain.alive is not None:
                start = layout.field_offset[domain.alive]
                alive = c[start : start + layout.count[domain.id]].tolist()
                if not any(alive[SPARSE_CAPACITY // 2 :]):
                    found.add(domain.id)
    return frozenset(found)


def compact_scenario(program: ir.Program, scenario: Scenario, capacity: Capacity) -> Scenario | None:
    """The scenario with this capacity; None if it is no smaller, or too small for the initial pieces."""
    layout, fixed = scenario.layout, {domain for column in program.columns for domain in column.dims}
    counts = [
        min(count, capacity.of(domain.id)) if domain.alive is not None and domain.id not in fixed else count
        for domain, count in zip(program.domains, layout.count)
    ]
    if counts == list(layout.count) or not _fits(program, layout, scenario.cells, counts):
        return None
    domains = [
        replace(d, count=count, names=d.names[:count], titles=d.titles[:count])
        for d, count in zip(scenario.data.domains, counts)
    ]
    smaller = compute_layout(program, layout.base, counts)
    made = replace(scenario, data=replace(scenario.data, domains=domains), layout=smaller, prepared=None)
    made.cells = scenario.cells[:0]
    made.cells.frombytes(remap_fields(bytearray(scenario.cells.tobytes()), program.fields, layout, smaller))
    return made


def _fits(program: ir.Program, layout: Layout, cells: Sequence[int], counts: Sequence[int]) -> bool:
    """Whether the numbers of all pieces in play, and of all that anything refers to, remain."""
    for domain in program.domains:
        first, count = layout.base[domain.id], counts[domain.id]
        if count == layout.count[domain.id]:
            continue
        assert domain.alive is not None
        start = layout.field_offset[domain.alive]
        if any(cells[start + count : start + layout.count[domain.id]]):
            return False
        gone = range(first + count, first + layout.count[domain.id])
        for entry in program.fields:
            start = layout.field_offset[entry.id]
            found = cells[start : start + layout.field_cells[entry.id]]
            match entry.type:
                case ir.IntType(show=shown):
                    lost = domain.id in ir.shown_domains(shown) and any(value in gone for value in found)
                case ir.ListType():
                    # The type of a list does not say what its entries refer to.
                    lost = any(value in gone for value in found)
                case ir.SetType(domain=inner):
                    lost = inner == domain.id and any(found)
            if lost:
                return False
    return True


def remap_fields(cells: bytearray, fields: Sequence[ir.Field], source: Layout, target: Layout) -> bytearray:
    """The fields and header of a position in a layout of another capacity; stack and journal are empty.  Pieces beyond the
    capacity must be out of play and referred to by nothing."""
    made = bytearray(4 * target.cells)
    made[: 4 * HEADER] = cells[: 4 * HEADER]
    with memoryview(cells) as raw, memoryview(made) as other, raw.cast("i") as c, other.cast("i") as m:
        for entry in fields[: min(len(source.field_offset), len(target.field_offset))]:
            _copy(
                c, source.field_offset[entry.id], [source.count[d] for d in entry.dims], source.field_words[entry.id],
                m, target.field_offset[entry.id], [target.count[d] for d in entry.dims], target.field_words[entry.id],
                default_value(entry, target),
            )  # fmt: skip
    return made


def _copy(
    c: memoryview, start: int, counts: list[int], words: int,
    m: memoryview, at: int, others: list[int], other_words: int, default: int,
) -> None:  # fmt: skip
    """One field, axis by axis; elements that only the target has get the default."""
    if not others:
        both = min(words, other_words)
        m[at : at + both] = c[start : start + both]
        return
    size, other = words, other_words
    for count in counts[1:]:
        size *= count
    for count in others[1:]:
        other *= count
    if size == other and counts[1:] == others[1:]:
        both = size * min(counts[0], others[0])
        m[at : at + both] = c[start : start + both]
    else:
        for n in range(min(counts[0], others[0])):
            _copy(c, start + n * size, counts[1:], words, m, at + n * other, others[1:], other_words, default)
    for cell in range(at + min(counts[0], others[0]) * other, at + others[0] * other):
        m[cell] = default
