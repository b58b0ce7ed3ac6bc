"""Tables of one chance program on one scenario, computed once: for Python, and for the native code (kernels/chance.h)."""

from __future__ import annotations

from array import array
from bisect import bisect_right
from collections.abc import Callable, Iterable
from functools import cached_property
from typing import TYPE_CHECKING, Any

from grognard.contract import ir
from grognard.contract.backend import Backend
from grognard.contract.layout import Layout, local_words
from grognard.odds.attrition.reuse import GridCache
from grognard.odds.canonical import (
    Canonicaliser,
    NamedPieces,
    PieceLayout,
)
from grognard.odds.outcomes import ChanceOutcomes
from grognard.odds.policy import Answers

if TYPE_CHECKING:
    from grognard.play.setting import Setting

#: As in kernels/outcomes.h.
SORTS = {"total": 1, "draw": 2, "pool": 3, "each": 4}
NAMES_ONE, NAMES_LIST, NAMES_SET = range(3)
#: Sets of named pieces whose tables are kept at the same time.
MAX_NAMED = 16
#: Combinations of policy and outcomes that have a cache at the same time.
MAX_CACHES = 32


def chance_tables(setting: Setting, named: NamedPieces = frozenset()) -> ChanceTables:
    """The tables of a chance program's setting.  Pieces that outcomes name are not interchangeable with others."""
    kept: dict[NamedPieces, ChanceTables] = setting.attached.setdefault(ChanceTables, {})
    if named not in kept:
        if len(kept) > MAX_NAMED:
            for other in [key for key in kept if key]:
                del kept[other]
        kept[named] = ChanceTables(setting.program, setting.scenario.layout, setting.backend, named)
    return kept[named]


def clear_chance_tables(setting: Setting) -> None:
    """Forget what battles have shown about each other."""
    kept: dict[NamedPieces, ChanceTables] = setting.attached.get(ChanceTables, {})
    for named in list(kept):
        if named:
            del kept[named]
        else:
            kept[named].forget()


class ChanceTables:
    """`native` is the binding of the compiled engine; None on the interpreter."""

    def __init__(
        self, program: ir.Program, layout: Layout, backend: Backend, kept: NamedPieces = frozenset()
    ) -> None:
        self.program, self.layout = program, layout
        self.canonical = Canonicaliser(program, layout, kept)
        self.outcomes = ChanceOutcomes(program, layout, self.canonical)
        self._blocks = [0]
        for machine in program.machines:
            self._blocks.append(self._blocks[-1] + len(machine.blocks))
        self._backend: Any = backend
        self._grid_caches: dict[object, GridCache] = {}
        self._answers: dict[object, Answers] = {}
        made = getattr(backend, "chance", None)
        self.native: Any = None if made is None else made(*self._tables())

    @cached_property
    def machines(self) -> dict[str, int]:
        """Machines by name, the first of each."""
        return {machine.name: machine.id for machine in reversed(self.program.machines)}

    def grid_cache(self, key: object) -> GridCache:
        """The cache of grids for one policy and one set of outcomes."""
        if key not in self._grid_caches:
            if len(self._grid_caches) >= MAX_CACHES:
                self._grid_caches.clear()
            self._grid_caches[key] = GridCache(self._backend.grids(self.native))
        return self._grid_caches[key]

    def answers(self, key: object, make: Callable[[], Answers]) -> Answers:
        """The answers of a policy, cached by key; without a key they are made each time."""
        if key is None:
            return make()
        if key not in self._answers:
            if len(self._answers) >= MAX_CACHES:
                self._answers.clear()
                self._grid_caches.clear()
            # The entry keeps its lines alive, so that their ids stay unique.
            self._answers[key] = make()
        return self._answers[key]

    def forget(self) -> None:
        """Drop the caches of earlier battles."""
        self._grid_caches.clear()

    def ends(self, *given: Any) -> Any:
        """The native terminal states of a grid (attrition/sides.py)."""
        return self._backend.ends(self.native, *given)

    def memo(self, *given: Any) -> Any:
        """The native transition cache of a procedure (cached_simulation.py)."""
        return self._backend.memo(self.native, *given)

    def _tables(self) -> tuple[Any, ...]:
        stop_of: list[int] = []
        stops: list[int] = []
        for machine in self.program.machines:
            for block in machine.blocks:
                stop = self._stop(machine, block.end)
                stop_of.append(len(stops) // len(stop) if stop else -1)
                stops += stop
        pieces = [self._pieces(each) for each in self.canonical.pieces]
        untyped_lists = [
            self.layout.field_offset[entry.id] + element * self.layout.field_words[entry.id]
            for entry in self.program.fields
            if isinstance(entry.type, ir.ListType) and not ir.shown_domains(entry.type.show)
            for element in range(self.layout.field_cells[entry.id] // self.layout.field_words[entry.id])
        ]
        return (
            pieces,
            _int64(untyped_lists),
            _int64(self._blocks),
            _int64(stop_of),
            _int64(stops),
            self._frame_liveness,
        )

    def _stop(self, machine: ir.Machine, end: ir.Terminator | None) -> list[int]:
        """A chance node in the order of grog_stop; empty if the block ends otherwise."""
        chance = self.program.asks[end.ask].chance if isinstance(end, ir.Ask) else None
        if chance is None:
            return []
        assert isinstance(end, ir.Ask)
        offsets = self.layout.frames[machine.id].offsets
        at = [
            -1 if local is None or local < 0 else offsets[local]
            for local in (end.local, chance.number, chance.elements, chance.limits, chance.result)
        ]
        capacity = bag = rows = bag_base = base = words = 0
        pieces = -1
        holder = {"each": chance.limits, "pool": chance.result}.get(chance.sort)
        if holder is not None:
            kind = machine.locals[holder].type
            assert isinstance(kind, ir.ListType)
            capacity = kind.capacity
        if chance.sort == "draw":
            bag, rows = self.layout.field_offset[chance.bag], self.layout.field_cells[chance.bag]
            bag_base = self.layout.base[self.program.fields[chance.bag].dims[0]]
        if chance.sort == "each":
            elements = machine.locals[chance.elements].type
            assert isinstance(elements, ir.SetType)
            base = self.layout.base[elements.domain]
            words = max(1, (self.layout.count[elements.domain] + 31) // 32)
            pieces = self._number_of(elements.domain)
        return [
            SORTS[chance.sort], chance.dice, chance.lo, chance.hi, *at, capacity, bag, rows, bag_base, base, words, pieces,
            end.block,
        ]  # fmt: skip

    def _number_of(self, domain: int) -> int:
        found = self.canonical.by_domain.get(domain)
        return -1 if found is None else self.canonical.pieces.index(found)

    def _pieces(self, each: PieceLayout) -> tuple[Any, ...]:
        return (
            each.id,
            each.base,
            each.count,
            each.alive,
            int(each.interchangeable and not each.is_inner_axis),
            _int64(number for own in each.cleared_fields for number in own),
            *(_int64(number for pair in pairs for number in pair) for pairs in (each.sets, each.lists, each.values)),
            _int64(number for start, cells, _ in each.own_fields if start not in self._piece_locals for number in (start, cells)),
            _int64(value for domain, value in sorted(self.canonical.named_pieces) if domain == each.id),
        )  # fmt: skip

    @cached_property
    def _piece_locals(self) -> set[int]:
        """First cells of fields that refer to pieces."""
        return {
            start
            for each in self.canonical.pieces
            for start, _ in (*each.sets, *each.lists, *each.values)
        }  # fmt: skip

    def _frame_liveness(self, number: int, runs: bool) -> tuple[array[int], array[int]]:
        """The dead cells of a frame, and the live ones that refer to pieces, by the number of its block."""
        place = bisect_right(self._blocks, number) - 1
        machine = self.program.machines[place]
        kept, others = self.canonical.live_cells(machine, number - self._blocks[place], runs)
        offsets = self.layout.frames[machine.id].offsets
        names: list[int] = []
        for local in sorted(kept):
            kind = machine.locals[local].type
            match kind:
                case ir.IntType(show=show) | ir.ListType(show=show):
                    how = NAMES_ONE if isinstance(kind, ir.IntType) else NAMES_LIST
                    pieces = [n for n, each in enumerate(self.canonical.pieces) if show == f"dom:{each.id}"]
                case ir.SetType(domain=domain):
                    how, pieces = NAMES_SET, [n for n in (self._number_of(domain),) if n >= 0]
            for found in pieces:
                names += (how, found, offsets[local], local_words(kind, self.layout.count))
        return _int64(number for pair in others for number in pair), _int64(names)


def _int64(numbers: Iterable[int]) -> array[int]:
    """64-bit integers with a sentinel, so that no array is empty."""
    return array("q", [*numbers, 0])
