"""Movement: the cheapest-cost search, as in `interpreter/reachability.py`, with what it found kept for the next question."""

from __future__ import annotations

import heapq
from typing import Any

from grognard.contract.backend import RuleFailure
from grognard.contract.header import FAIL_INDEX, FAIL_OVERFLOW, FAIL_RANGE, NONE
from grognard.translator.code import MOST, Unit
from grognard.translator.facts import parts

FREE = 0
STOPPED = 1
#: Questions to a movement that are remembered at once.
MOST_KEPT = 1 << 14


class Search:
    """A movement under a trace of one level."""

    def __init__(self, unit: Unit, movement: int, level: int) -> None:
        self.unit = unit
        self.state = unit.state
        self.how = unit.program.movements[movement]
        self.level = level
        used = sorted(parts(self.how))
        reads = [unit.facts.reads(number) for number in used]
        silent = all(unit.facts.level_of(number, level) == 0 for number in used)
        #: what was found, if it depends on nothing but fields: (value, steps that it took)
        self.kept: dict[Any, tuple[int, int]] | None = None
        if silent and all(fields is not None for fields in reads):
            self.kept = self.state.keep({field for fields in reads for field in fields or ()})
        self._steps: dict[int, tuple[int, ...]] = {}

    def _function(self, number: int) -> Any:
        return self.unit.names[self.unit.function(number, self.level)]

    def ends(self, args: tuple[int, ...], domain: int) -> int:
        """All places that a move can end in."""
        return self._known((domain, args), self._ends, args, domain)

    def cost(self, args: tuple[int, ...], target: int) -> int:
        """The cheapest way to a place, NONE if there is none."""
        if target == NONE:
            return NONE
        return self._known((None, args, target), self._cost, args, target)

    def _known(self, key: Any, find: Any, *given: Any) -> int:
        state, kept = self.state, self.kept
        if kept is None:
            return int(find(*given))
        if state.dirty:
            state.flush()
        known = kept.get(key)
        if known is None:
            if len(kept) >= MOST_KEPT:
                kept.clear()
            before = state.steps
            value = find(*given)
            kept[key] = value, state.steps - before
            return int(value)
        state.steps += known[1]
        return known[0]

    def _ends(self, args: tuple[int, ...], domain: int) -> int:
        start, reached = self._search(args, NONE)
        layout, how = self.unit.layout, self.how
        base, count = layout.base[domain], layout.count[domain]
        ends = None if how.ends is None else self._function(how.ends)
        mask = 0
        for place in sorted(reached):
            if place == start and not how.may_stay:
                continue
            if ends is not None and not ends(*args, place):
                continue
            if not 0 <= place - base < count:
                raise RuleFailure(FAIL_INDEX, how.site, (place,))
            mask |= 1 << (place - base)
        return mask

    def _cost(self, args: tuple[int, ...], target: int) -> int:
        start, reached = self._search(args, target)
        if target not in reached or (target == start and not self.how.may_stay):
            return NONE
        if self.how.ends is not None and not self._function(self.how.ends)(*args, target):
            return NONE
        return reached[target]

    def _neighbours(self, place: int) -> tuple[int, ...]:
        """Where a step can lead, inside the movement's space."""
        known = self._steps.get(place)
        if known is None:
            layout, space = self.unit.layout, self.how.space
            first, beyond = layout.base[space], layout.base[space] + layout.count[space]
            found = self.state.geography.steps_from(place, self.how.leap)
            known = self._steps[place] = tuple(b for b in found if first <= b < beyond)
        return known

    def _search(self, args: tuple[int, ...], target: int) -> tuple[int, dict[int, int]]:
        """The start and the least cost of every place in reach; ends early when `target` is settled."""
        how, state = self.how, self.state
        start = self._function(how.start)(*args)
        if start == NONE:
            return NONE, {}
        if state.geography.space(start) is None:
            raise RuleFailure(FAIL_INDEX, how.site, (start,))
        allowance = self._function(how.allowance)(*args)
        cost = self._function(how.cost)
        stop = None if how.stop is None else self._function(how.stop)
        label: dict[tuple[int, int], int] = {(start, FREE): 0}
        settled: set[tuple[int, int]] = set()
        free: set[int] = set()
        reached: dict[int, int] = {}
        heap = [(0, start, FREE)]
        while heap:
            spent, a, way = heapq.heappop(heap)
            if (a, way) in settled:
                continue
            settled.add((a, way))
            reached.setdefault(a, spent)
            if a == target:
                break
            if way == STOPPED:
                continue
            free.add(a)
            for b in self._neighbours(a):
                # No way into a place that is settled free can be any better.
                if b in free:
                    continue
                price = cost(*args, a, b, spent)
                if price == NONE:
                    continue
                if price < 0:
                    raise RuleFailure(FAIL_RANGE, how.site, (price,))
                total = spent + price
                if NONE != allowance < total and not (how.minimum and a == start):
                    continue
                if total > MOST:
                    raise RuleFailure(FAIL_OVERFLOW, how.site, (spent, price))
                held = STOPPED if stop is not None and stop(*args, a, b) else FREE
                if total < label.get((b, held), total + 1):
                    label[b, held] = total
                    heapq.heappush(heap, (total, b, held))
        return start, reached
