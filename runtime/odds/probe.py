"""Rounds that are tried out: what attrition.py asks of positions where a die is thrown for each of some pieces."""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import TypeAlias

from grognard.odds.dice import chance_at_most
from grognard.odds.explore import PAGE, Explorer
from grognard.values import H_FP, H_STATUS, NONE, STATUS_OVER

#: The dice of a side: (ways of a hit, all ways, how many such dice); without those that never hit.
Pool: TypeAlias = tuple[tuple[int, int, int], ...]
#: Which blocks of which machines run.
Shape: TypeAlias = tuple[object, ...]


@dataclass(slots=True)
class Trial:
    """What a round of two rolls came to.  Later parts are None where there cannot be so many hits."""

    first: Pool | None
    between: Shape | None
    second: Pool | None
    after: Shape | None
    #: whether the position afterwards is the wanted one
    same: bool
    #: the position, if it is over
    over: bytearray | None


#: Changes: what differs between two positions.
Layers: TypeAlias = list[tuple[bytearray, bytearray]]


class Probe:
    """Done by Python on any back end; see QuickProbe for the compiled one."""

    def __init__(self, explorer: Explorer) -> None:
        self.explorer = explorer

    def shape(self, cells: bytearray) -> Shape:
        """Which machines run, and where each of them stands; empty when it is over."""
        with memoryview(cells) as raw, raw.cast("i") as c:
            if c[H_STATUS] == STATUS_OVER or c[H_FP] == NONE:
                return ()
            return tuple((machine.id, c[place + 1]) for place, machine, _ in self.explorer.alike.frames(c))

    def pool(self, cells: bytearray) -> Pool | None:
        """The dice that are thrown; None if they are not one for each of some elements."""
        rolling = self._rolling(cells)
        if rolling is None:
            return None
        return tuple(sorted((*ways, len(found)) for ways, found in rolling.items() if ways[0]))

    def _rolling(self, cells: bytearray) -> dict[tuple[int, int], list[int]] | None:
        with memoryview(cells) as raw, raw.cast("i") as c:
            stop = self.explorer.falls.stop(c)
            if stop is None or stop.chance.sort != "each":
                return None
            return self.explorer.falls.by_limit(c, stop)

    def fall(self, cells: bytearray, hits: int, seed: int = 0) -> bytearray | None:
        """The position after so many hits, by the first dice or with a seed by any; None if they cannot be."""
        sure: list[int] = []
        maybe: list[int] = []
        for (ways, all_ways), found in (self._rolling(cells) or {}).items():
            if ways:
                (sure if ways == all_ways else maybe).extend(found)
        if not len(sure) <= hits <= len(sure) + len(maybe):
            return None
        if seed:
            random.Random(seed).shuffle(maybe)
        return self.explorer.fall(cells, sure + maybe[: hits - len(sure)])

    def together(self, base: bytearray, a: bytearray, b: bytearray) -> bytearray:
        """A position in which all differs from `base` that differs in one of the others."""
        made = bytearray(a)
        for at in range(0, len(base), PAGE):
            if base[at : at + PAGE] != b[at : at + PAGE]:
                for cell in range(at, min(at + PAGE, len(base)), 4):
                    if base[cell : cell + 4] != b[cell : cell + 4]:
                        made[cell : cell + 4] = b[cell : cell + 4]
        return made

    def put_on(self, entry: bytearray, layers: Layers) -> bytearray:
        """A position with layers of changes."""
        made = entry
        for base, state in layers:
            made = state if made is base else self.together(base, made, state)
        return made

    def trial(
        self, entry: bytearray, layers: Layers, h: int, g: int, seed: int, wanted: Layers | None
    ) -> Trial:
        """A round with so many hits of each roll by any dice, from the entry with layers of changes."""
        here = self.put_on(entry, layers)
        first = self.pool(here)
        between = None if first is None else self.fall(here, h, seed)
        if between is None:
            return Trial(first, None, None, None, False, None)
        shape, second = self.shape(between), None
        if shape:
            second = self.pool(between)
        after = None if second is None else self.fall(between, g, seed + 1)
        if after is None:
            return Trial(first, shape, second, None, False, None)
        following = self.shape(after)
        same = wanted is not None and after == self.put_on(entry, wanted)
        return Trial(first, shape, second, following, same, None if following else after)

    def mark(self, mark: bytearray, a: bytearray, b: bytearray) -> None:
        """Set the bytes of the cells that differ."""
        for at in range(0, len(a), PAGE):
            if a[at : at + PAGE] != b[at : at + PAGE]:
                for cell in range(at, min(at + PAGE, len(a)), 4):
                    if a[cell : cell + 4] != b[cell : cell + 4]:
                        mark[cell // 4] = 1


class QuickProbe(Probe):
    """The same by compiled code (kernels/chance.h)."""

    def __init__(self, explorer: Explorer) -> None:
        super().__init__(explorer)
        self.quick = explorer.quick
        self._pools: dict[object, Pool] = {}

    def shape(self, cells: bytearray) -> Shape:
        found: Shape = self.quick.shape(cells)
        return found

    def together(self, base: bytearray, a: bytearray, b: bytearray) -> bytearray:
        made: bytearray = self.quick.together(base, a, b)
        return made

    def mark(self, mark: bytearray, a: bytearray, b: bytearray) -> None:
        self.quick.mark(mark, a, b)

    def pool(self, cells: bytearray) -> Pool | None:
        return self._pool(self.quick.limits(cells))

    def _pool(self, found: tuple[int, int, int, dict[int, int]] | None) -> Pool | None:
        if found is None:
            return None
        dice, lo, hi, limits = found
        key = (dice, lo, hi, *limits.items())
        pool = self._pools.get(key)
        if pool is None:
            counts: dict[tuple[int, int], int] = {}
            for limit, n in limits.items():
                # An empty limit is never reached; so is one that is lower than every face.
                ways = (0, 1) if limit == NONE else chance_at_most(dice, lo, hi, limit)
                if ways[0]:
                    counts[ways] = counts.get(ways, 0) + n
            pool = self._pools[key] = tuple(sorted((*ways, n) for ways, n in counts.items()))
        return pool

    def trial(
        self, entry: bytearray, layers: Layers, h: int, g: int, seed: int, wanted: Layers | None
    ) -> Trial:
        found = self.quick.trial(entry, layers, h, g, seed, wanted, *self.explorer.lines)
        if found is None:
            return super().trial(entry, layers, h, g, seed, wanted)
        limits, shape, between, after, same, over = found
        return Trial(self._pool(limits), shape, self._pool(between), after, same, over)

    def fall(self, cells: bytearray, hits: int, seed: int = 0) -> bytearray | None:
        found = self.quick.fall(cells, None, hits, seed, *self.explorer.lines)
        return None if found is None else self.explorer.arrived(cells, found)


def probe_of(explorer: Explorer) -> Probe:
    return Probe(explorer) if explorer.quick is None else QuickProbe(explorer)
