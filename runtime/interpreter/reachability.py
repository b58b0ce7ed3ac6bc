"""Movement: the cheapest-cost search behind ReachSet and ReachCost.

A place can be reached in two ways: free to go on, or stopped (`stop` held for the step that led there).
Each way has a label of its own, because a dear way round may go on where the cheap one ends; what a place
costs is the cheaper label.  Labels are settled in order of cost, then place, then free before stopped.
"""

from __future__ import annotations

import heapq
from collections.abc import Sequence

from grognard.contract import ir
from grognard.contract.backend import RuleFailure
from grognard.contract.header import (
    FAIL_INDEX,
    FAIL_OVERFLOW,
    FAIL_RANGE,
    NONE,
)
from grognard.interpreter.frames import (
    Eval,
    Frame,
    Unit,
)
from grognard.interpreter.operators import MOST

FREE = 0
STOPPED = 1


def search(
    unit: Unit,
    movement: int,
    fr: Frame,
    args: list[int],
    target: int,
    came: dict[tuple[int, int], tuple[int, int]] | None = None,
) -> tuple[int, dict[int, int]]:
    """The start and the least cost of every place in reach; ends early when `target` is settled.

    In `came`, where it is given, each label finds the one before it on the cheapest way."""
    how = unit.program.movements[movement]
    functions = unit.functions
    start = functions[how.start](fr, [*args])
    if start == NONE:
        return NONE, {}
    if unit.geography.space(start) is None:
        raise RuleFailure(FAIL_INDEX, how.site, (start,))
    allowance = functions[how.allowance](fr, [*args])
    cost = functions[how.cost]
    stop = None if how.stop is None else functions[how.stop]
    first, beyond = unit.layout.base[how.space], unit.layout.base[how.space] + unit.layout.count[how.space]
    label: dict[tuple[int, int], int] = {(start, FREE): 0}
    settled: set[tuple[int, int]] = set()
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
        for b in unit.geography.steps_from(a, how.leap):
            # No way into a place that is settled free can be any better.
            if not first <= b < beyond or (b, FREE) in settled:
                continue
            price = cost(fr, [*args, a, b, spent])
            if price == NONE:
                continue
            if price < 0:
                raise RuleFailure(FAIL_RANGE, how.site, (price,))
            total = spent + price
            if NONE != allowance < total and not (how.minimum and a == start):
                continue
            if total > MOST:
                raise RuleFailure(FAIL_OVERFLOW, how.site, (spent, price))
            held = STOPPED if stop is not None and stop(fr, [*args, a, b]) else FREE
            if total < label.get((b, held), total + 1):
                label[b, held] = total
                if came is not None:
                    came[b, held] = a, way
                heapq.heappush(heap, (total, b, held))
    return start, reached


def _movement(unit: Unit, movement: int, args: Sequence[Eval]) -> ir.Movement:
    how = unit.program.movements[movement]
    if len(args) != how.params:
        raise ValueError(f"movement {how.name}: wrong number of arguments")
    return how


def reach_set(unit: Unit, movement: int, args: Sequence[Eval], domain: int) -> Eval:
    how = _movement(unit, movement, args)
    base, count = unit.layout.base[domain], unit.layout.count[domain]

    def reach(fr: Frame) -> int:
        values = [arg(fr) for arg in args]
        start, reached = search(unit, movement, fr, values, NONE)
        mask = 0
        for place in sorted(reached):
            if place == start and not how.may_stay:
                continue
            if how.ends is not None and not unit.functions[how.ends](fr, [*values, place]):
                continue
            if not 0 <= place - base < count:
                raise RuleFailure(FAIL_INDEX, how.site, (place,))
            mask |= 1 << (place - base)
        return mask

    return reach


def reach_cost(unit: Unit, movement: int, args: Sequence[Eval], to: Eval) -> Eval:
    how = _movement(unit, movement, args)

    def cost(fr: Frame) -> int:
        values = [arg(fr) for arg in args]
        target = to(fr)
        if target == NONE:
            return NONE
        start, reached = search(unit, movement, fr, values, target)
        if target not in reached or (target == start and not how.may_stay):
            return NONE
        if how.ends is not None and not unit.functions[how.ends](fr, [*values, target]):
            return NONE
        return reached[target]

    return cost
