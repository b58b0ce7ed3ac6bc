"""One side of an attrition grid, and the terminal states on the grid's boundary."""

from __future__ import annotations

from array import array
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Protocol, TypeAlias

from grognard.contract.header import NONE
from grognard.odds.dice import chance_at_most
from grognard.odds.state_graph import PAGE

#: The dice of a side: (weight of a hit, total weight, number of such dice); dice that never hit are left out.
DicePool: TypeAlias = tuple[tuple[int, int, int], ...]
#: Dice pools that are cached at most.
MAX_POOLS = 100_000


class Chain(Protocol):
    """The chain of positions of one side's losses while the other side loses nothing."""

    @property
    def mark(self) -> bytes | bytearray:
        """A byte for each cell: whether losses change it."""

    def changed(self, a: bytearray, b: bytearray) -> bool:
        """Whether two positions differ in a cell that losses change."""

    def put(self, to: bytearray, losses: int) -> None:
        """Write the cells that so many losses change into a position."""


@dataclass(slots=True)
class HitDistributions:
    """The distributions of hits after 0, 1, 2 ... losses: concatenated, with the offset of each (and the end), and the
    numbers of dice."""

    values: array[float]
    at: array[int]
    dice: array[int]


class Side:
    """One side: its chain of losses, and its dice after each loss.  The dice of a native chain are fetched lazily."""

    __slots__ = ("_dice_changes", "_pools", "chain", "distributions", "in_python")

    def __init__(self, chain: Any, pools: list[DicePool] | None = None) -> None:
        self.chain, self._pools = chain, pools
        #: whether the chain is a Python object, unknown to the native code
        self.in_python = isinstance(chain, PythonChain)
        #: distributions of the hits (grid.py)
        self.distributions: HitDistributions | None = None
        self._dice_changes: list[int] | None = None

    def __len__(self) -> int:
        return len(self.chain)

    @property
    def pools(self) -> list[DicePool]:
        if self._pools is None:
            self._pools = [dice_pool(*dice) for dice in self.chain.dice()]
        return self._pools

    def same_dice(self, at: int, other: Side, there: int, count: int) -> bool:
        """Whether the dice equal those of another side, over `count` consecutive losses."""
        if self.in_python or other.in_python:
            return self.pools[at : at + count] == other.pools[there : there + count]
        return bool(self.chain.throws_as(at, other.chain, there, count))

    def dice_changes(self) -> list[int]:
        """Losses at which the kinds of dice change, and the first and the last loss."""
        if self._dice_changes is None and not self.in_python:
            self._dice_changes = self.chain.stages()
        elif self._dice_changes is None:
            kinds = [[dice[:2] for dice in pool] for pool in self.pools]
            last = len(kinds) - 1
            self._dice_changes = [n for n in range(len(kinds)) if n in (0, last) or kinds[n] != kinds[n - 1]]
        return self._dice_changes or []


class GridEnds:
    """The terminal states of a grid and their outcomes.  They are numbered: those in which the first side is gone by the
    losses of the second, then those in which only the second is, by the losses of the first."""

    def __init__(
        self,
        read: Callable[[bytearray], tuple[Any, ...]],
        m: int,
        n: int,
        base: bytearray,
        tables: Any = None,
    ) -> None:
        """`tables`: of the native code, which records ends itself as differences from `base`."""
        self.read, self.m, self.n = read, m, n
        #: the outcomes in each of them, None: not reached yet
        self.end_outcomes: list[tuple[Any, ...] | None] = [None] * (m + n + 1)
        self.cells: dict[int, bytes] = {}
        native_reader = getattr(read, "native_reader", None)
        self._named: Any = getattr(read, "named", None) if native_reader is not None else None
        # The native code gets a callback only where it has no native reader: a callback would be a reference cycle.
        self.native: Any = (
            None
            if tables is None
            else tables.ends(m, n, base, native_reader, self.record if native_reader is None else None)
        )

    def index(self, i: int, j: int) -> int:
        return min(j, self.n) if i >= self.m else self.n + 1 + i

    def record(self, end: int, cells: bytes | bytearray) -> bool:
        """Read the outcomes of an end; False if they contradict those recorded before."""
        values = self.read(cells)  # type: ignore[arg-type]
        known = self.end_outcomes[end]
        if known is None:
            self.end_outcomes[end] = values
        return known is None or known == values

    def merge_native(self) -> bool:
        """Merge the outcomes that the native code has read; False if they contradict those recorded before."""
        if self._named is None:
            return True
        named, end_outcomes = self._named, self.end_outcomes
        seen = [None if found is None else named[found] for found in self.native.values()]
        same = all(a is None or b is None or a == b for a, b in zip(end_outcomes, seen))
        end_outcomes[:] = [b if a is None else a for a, b in zip(end_outcomes, seen)]
        return same

    def merge_chains(self, first: Side, second: Side) -> None:
        """Merge the ends that were read while the chains were followed, the second against the last of the first."""
        if self.native is not None:
            self.native.along(first.chain, second.chain)

    def inherit(self, last: GridEnds) -> None:
        """Take the ends without the first side from a grid that reaches them from identical positions."""
        self.end_outcomes[: self.n + 1] = last.end_outcomes[: self.n + 1]
        self.cells.update((end, cells) for end, cells in last.cells.items() if end <= self.n)
        if self.native is not None and last.native is not None:
            self.native.take(last.native)


@dataclass(slots=True)
class PythonChain:
    """All positions of a chain, and a byte for each cell: whether it ever differs from the entry's."""

    entry: bytearray
    states: list[bytearray] = field(default_factory=list)
    mark: bytearray = field(default_factory=bytearray)

    def add(self, state: bytearray) -> None:
        self.states.append(state)
        for at in range(0, len(state), PAGE):
            if self.entry[at : at + PAGE] != state[at : at + PAGE]:
                for cell in _differing(self.entry, state, at):
                    self.mark[cell // 4] = 1

    def __len__(self) -> int:
        return len(self.states)

    def changed(self, a: bytearray, b: bytearray) -> bool:
        return any(mark and a[4 * n : 4 * n + 4] != b[4 * n : 4 * n + 4] for n, mark in enumerate(self.mark))

    def put(self, to: bytearray, losses: int) -> None:
        state = self.states[losses]
        for at in range(0, len(to), PAGE):
            if self.entry[at : at + PAGE] != state[at : at + PAGE]:
                for cell in _differing(self.entry, state, at):
                    to[cell : cell + 4] = state[cell : cell + 4]


def _differing(a: bytearray, b: bytearray, at: int) -> list[int]:
    """The byte offsets of the cells of a page that differ."""
    return [n for n in range(at, min(at + PAGE, len(a)), 4) if a[n : n + 4] != b[n : n + 4]]


_pools: dict[object, DicePool] = {}


def dice_pool(dice: int, lo: int, hi: int, limits: dict[int, int]) -> DicePool:
    """The pool of dice with these limits: {limit: number of dice}."""
    key = (dice, lo, hi, *limits.items())
    pool = _pools.get(key)
    if pool is None:
        counts: dict[tuple[int, int], int] = {}
        for limit, n in limits.items():
            # An empty limit never succeeds, like one below every face.
            ways = (0, 1) if limit == NONE else chance_at_most(dice, lo, hi, limit)
            if ways[0]:
                counts[ways] = counts.get(ways, 0) + n
        if len(_pools) > MAX_POOLS:
            _pools.clear()
        pool = _pools[key] = tuple(sorted((*ways, n) for ways, n in counts.items()))
    return pool
