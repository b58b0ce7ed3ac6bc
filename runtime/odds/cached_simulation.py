"""Monte Carlo by numbers: a run is a walk on states, in which interchangeable pieces are numbers by kind and place.

The cache holds for each state its dice and the successor of each result.  Every die is rolled, once, by the generator of
the engines; only its consequences are looked up.  A new result is resolved by running the rules.  The distribution is
that of the procedure itself: states are merged only where no rule can distinguish them, and equivalent pieces are hit in
any order.
"""

from __future__ import annotations

from collections import Counter
from typing import Any

from grognard.odds.errors import OddsError
from grognard.odds.query import Query
from grognard.odds.state_graph import Explorer

#: Rolls of one run before it counts as endless.
MAX_THROWS = 1_000_000
#: Positions that are kept from one batch to the next (some hundred bytes each).
MAX_POSITIONS = 1_000_000


class CachedSimulation:
    """Runs the procedure of a query many times.  Needs a compiled engine."""

    def __init__(self, query: Query) -> None:
        machine = query.machine()
        tables = query.tables
        if tables.native is None:
            raise OddsError("cached positions are walked by compiled code, and this engine is interpreted")
        if machine is None:
            raise OddsError(f"{query.target} throws no dice: there is nothing to remember")
        self.query = query
        self.values: list[tuple[Any, ...]] = []
        self._numbers: dict[tuple[Any, ...], int] = {}
        self.explorer = Explorer(
            tables, query.setting.backend, query.answers(query.policy_key()), query.target
        )
        self._start = bytearray(query.cells)
        self.explorer.start(self._start, machine, query.args)
        self.memo: Any = self._empty()

    def _empty(self) -> Any:
        return self.query.tables.memo(
            self._start, *self.explorer.packed_policy, self._arrive, self._classes, self._outcome
        )

    @property
    def positions(self) -> int:
        """The number of cached states."""
        return int(self.memo.positions)

    def run(self, runs: int, seed: int) -> Counter[tuple[Any, ...]]:
        """The outcomes of so many runs; they depend only on that number and the seed."""
        if self.positions > MAX_POSITIONS:
            self.memo = self._empty()
        found = self.memo.walk(runs, seed & 0xFFFF_FFFF_FFFF_FFFF, MAX_THROWS)
        if found is None:
            raise OddsError(f"a run of {self.query.target} did not end after {MAX_THROWS:,} throws")
        return Counter({self.values[n]: count for n, count in enumerate(found) if count})

    # ---- callbacks of the native code

    def _arrive(self, before: bytearray, cells: bytearray) -> bytearray:
        return self.explorer.finish(before, (cells, False))

    def _classes(self, cells: bytearray) -> tuple[int, list[list[int]] | None]:
        outcomes = self.explorer.outcomes
        with memoryview(cells) as raw, raw.cast("i") as c:
            stop = outcomes.node_at(c)
            assert stop is not None
            return outcomes.face_classes(c, stop)

    def _outcome(self, end: bytearray) -> int:
        values = self.query.read(end)
        if values not in self._numbers:
            self._numbers[values] = len(self.values)
            self.values.append(values)
        return self._numbers[values]
