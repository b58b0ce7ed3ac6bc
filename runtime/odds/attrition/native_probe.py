"""The probe on a compiled engine (kernels/attrition.h)."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Sequence
from typing import Any

from grognard.odds.attrition.probe import (
    MAX_CHAIN,
    SEED,
    ControlPoint,
    NotAttrition,
    Probe,
    Round,
)
from grognard.odds.attrition.sides import DicePool, GridEnds, Side, dice_pool
from grognard.odds.state_graph import Explorer


class NativeProbe(Probe):
    """Runs rounds in native code; what that does not support is left to Python."""

    def __init__(self, explorer: Explorer) -> None:
        super().__init__(explorer)
        self.native = explorer.native
        self.native.created = False
        self.tables = explorer.tables
        #: the number of verified grids: each gets dice of its own
        self.proofs = 0

    def ends(
        self, read: Callable[[bytearray], tuple[Any, ...]], m: int, n: int, base: bytearray, plain: bool
    ) -> GridEnds:
        return GridEnds(read, m, n, base, None if plain else self.tables)

    def creates_pieces(self) -> bool:
        created = bool(self.native.created)
        self.native.created = False
        return created

    def control_point(self, cells: bytearray) -> ControlPoint:
        found: ControlPoint = self.native.shape(cells)
        return found

    def pool(self, cells: bytearray) -> DicePool | None:
        found = self.native.limits(cells)
        return None if found is None else dice_pool(*found)

    def after_hits(self, cells: bytearray, hits: int, seed: int = 0) -> bytearray | None:
        found = self.native.fall(cells, None, hits, seed, *self.explorer.packed_policy)
        return None if found is None else self.explorer.finish(cells, found)

    def control_without_hits(self, entry: bytearray) -> ControlPoint:
        found = self.native.idle(entry, *self.explorer.packed_policy)
        if isinstance(found, str):
            raise NotAttrition(found)
        return super().control_without_hits(entry) if found is None else found

    def overlap(self, first: Side, second: Side) -> bool:
        if first.in_python or second.in_python:
            return super().overlap(first, second)
        return bool(first.chain.meets(second.chain))

    def loss_chain(
        self,
        entry: bytearray,
        control_point: ControlPoint,
        middle: ControlPoint,
        by_first: bool,
        native_reader: Any = None,
    ) -> Side:
        found = self.native.follow(
            entry, control_point, middle, by_first, MAX_CHAIN, native_reader, *self.explorer.packed_policy
        )
        if found is None:
            return super().loss_chain(entry, control_point, middle, by_first)
        if isinstance(found, str):
            raise NotAttrition(found)
        return Side(found)

    def verify(
        self,
        entry: bytearray,
        first: Side,
        second: Side,
        middle: ControlPoint,
        frontier: Sequence[int],
        sample: Sequence[Round] | None,
        ends: GridEnds,
    ) -> None:
        done: bool | str = False
        if ends.native is not None:
            self.proofs += 1
            tried = None if sample is None else array("i", [number for each in sample for number in each])
            done = self.native.prove(
                entry, first.chain, second.chain, middle, array("q", frontier) if sample is None else None, tried,
                SEED + self.proofs, ends.native, bytes(values is not None for values in ends.end_outcomes), *self.explorer.packed_policy,
            )  # fmt: skip
        if isinstance(done, str):
            raise NotAttrition(done)
        if done and not ends.merge_native():
            raise NotAttrition("an end that depends on the way to it")
        if not done:
            # The native code does not support a choice of the policy.
            super().verify(entry, first, second, middle, frontier, sample, ends)


def make_probe(explorer: Explorer) -> Probe:
    return Probe(explorer) if explorer.native is None else NativeProbe(explorer)
