"""Arithmetic and aggregates of the interpreter, apart from how the operands are found."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, TypeAlias

from grognard.contract.backend import RuleFailure
from grognard.contract.header import (
    FAIL_DIVIDE,
    FAIL_OVERFLOW,
    NONE,
)
from grognard.interpreter.frames import Eval, Frame

#: The largest value; the smallest is its negative, because one below that is NONE.
MOST = 0x7FFF_FFFF

# ------------------------------------------------------------------------------------------- arithmetic


def _arithmetic(compute: Callable[[int, int], int], divides: bool) -> Callable[[Eval, Eval, int], Eval]:
    def make(left: Eval, right: Eval, site: int) -> Eval:
        def binary(fr: Frame) -> int:
            a = left(fr)
            b = right(fr)
            if divides and b == 0:
                raise RuleFailure(FAIL_DIVIDE, site, (a,))
            result = compute(a, b)
            if -MOST <= result <= MOST:
                return result
            raise RuleFailure(FAIL_OVERFLOW, site, (a, b))

        return binary

    return make


def _add(left: Eval, right: Eval, site: int) -> Eval:
    def add(fr: Frame) -> int:
        a = left(fr)
        b = right(fr)
        result: int = a + b
        if -MOST <= result <= MOST:
            return result
        raise RuleFailure(FAIL_OVERFLOW, site, (a, b))

    return add


def _sub(left: Eval, right: Eval, site: int) -> Eval:
    def sub(fr: Frame) -> int:
        a = left(fr)
        b = right(fr)
        result: int = a - b
        if -MOST <= result <= MOST:
            return result
        raise RuleFailure(FAIL_OVERFLOW, site, (a, b))

    return sub


def _mod(left: Eval, right: Eval, site: int) -> Eval:
    def mod(fr: Frame) -> int:
        a = left(fr)
        b = right(fr)
        if b == 0:
            raise RuleFailure(FAIL_DIVIDE, site, (a,))
        result: int = a % b
        if -MOST <= result <= MOST:
            return result
        raise RuleFailure(FAIL_OVERFLOW, site, (a, b))

    return mod


def _div_near(a: int, b: int) -> int:
    """Nearest, halves away from zero."""
    size = (2 * abs(a) + abs(b)) // (2 * abs(b))
    return size if (a < 0) == (b < 0) else -size


def _less(left: Eval, right: Eval, site: int) -> Eval:
    # NONE is the least value: where a is none b may be anything, but a value below b shows that b is one.
    def less(fr: Frame) -> int:
        a = left(fr)
        b = right(fr)
        return 1 if NONE != a < b else 0

    return less


def _at_most(left: Eval, right: Eval, site: int) -> Eval:
    def at_most(fr: Frame) -> int:
        a = left(fr)
        b = right(fr)
        return 1 if NONE != a <= b else 0

    return at_most


def _greater(left: Eval, right: Eval, site: int) -> Eval:
    def greater(fr: Frame) -> int:
        a = left(fr)
        b = right(fr)
        return 1 if a > b != NONE else 0

    return greater


def _at_least(left: Eval, right: Eval, site: int) -> Eval:
    def at_least(fr: Frame) -> int:
        a = left(fr)
        b = right(fr)
        return 1 if a >= b != NONE else 0

    return at_least


BINARY: dict[str, Callable[[Eval, Eval, int], Eval]] = {
    "add": _add,
    "sub": _sub,
    "mul": _arithmetic(lambda a, b: a * b, False),
    "div_down": _arithmetic(lambda a, b: a // b, True),
    "div_up": _arithmetic(lambda a, b: -(-a // b), True),
    "div_near": _arithmetic(_div_near, True),
    "mod": _mod,
    "min": lambda left, right, site: lambda fr: min(left(fr), right(fr)),
    "max": lambda left, right, site: lambda fr: max(left(fr), right(fr)),
    "eq": lambda left, right, site: lambda fr: 1 if left(fr) == right(fr) else 0,
    "ne": lambda left, right, site: lambda fr: 1 if left(fr) != right(fr) else 0,
    "lt": _less,
    "le": _at_most,
    "gt": _greater,
    "ge": _at_least,
    "and": lambda left, right, site: lambda fr: 1 if left(fr) and right(fr) else 0,
    "or": lambda left, right, site: lambda fr: 1 if left(fr) or right(fr) else 0,
}

#: The same for comparisons with a constant, which most comparisons are: one call less.
WITH_CONSTANT: dict[str, Callable[[Eval, int], Eval]] = {
    "eq": lambda left, b: lambda fr: 1 if left(fr) == b else 0,
    "ne": lambda left, b: lambda fr: 1 if left(fr) != b else 0,
    "lt": lambda left, b: lambda fr: 1 if NONE != left(fr) < b else 0,
    "le": lambda left, b: lambda fr: 1 if NONE != left(fr) <= b else 0,
    "gt": lambda left, b: lambda fr: 1 if left(fr) > b != NONE else 0,
    "ge": lambda left, b: lambda fr: 1 if left(fr) >= b != NONE else 0,
}

# ------------------------------------------------------------------------------------------- aggregates

Gather: TypeAlias = Callable[[Frame, Any, int, Iterable[int], Eval, Eval], int]


def _count(fr: Frame, v: Any, slot: int, items: Iterable[int], where: Eval, value: Eval) -> int:
    found = 0
    for item in items:
        v[slot] = item
        if where(fr):
            found += 1
    return found


def _any(fr: Frame, v: Any, slot: int, items: Iterable[int], where: Eval, value: Eval) -> int:
    for item in items:
        v[slot] = item
        if where(fr):
            return 1
    return 0


def _all(fr: Frame, v: Any, slot: int, items: Iterable[int], where: Eval, value: Eval) -> int:
    for item in items:
        v[slot] = item
        if where(fr) and not value(fr):
            return 0
    return 1


def _first(fr: Frame, v: Any, slot: int, items: Iterable[int], where: Eval, value: Eval) -> int:
    for item in items:
        v[slot] = item
        if where(fr):
            return item
    return NONE


def _last(fr: Frame, v: Any, slot: int, items: Iterable[int], where: Eval, value: Eval) -> int:
    found = NONE
    for item in items:
        v[slot] = item
        if where(fr):
            found = item
    return found


def _only(fr: Frame, v: Any, slot: int, items: Iterable[int], where: Eval, value: Eval) -> int:
    found = NONE
    hits = 0
    for item in items:
        v[slot] = item
        if where(fr):
            hits += 1
            if hits > 1:
                return NONE
            found = item
    return found


def _sum(fr: Frame, v: Any, slot: int, items: Iterable[int], where: Eval, value: Eval) -> int:
    total = 0
    for item in items:
        v[slot] = item
        if where(fr):
            worth = value(fr)
            if worth != NONE:
                total += worth
    return total


def _extreme(highest: bool) -> Gather:
    def extreme(fr: Frame, v: Any, slot: int, items: Iterable[int], where: Eval, value: Eval) -> int:
        best = NONE
        for item in items:
            v[slot] = item
            if where(fr):
                worth = value(fr)
                if worth != NONE and (best == NONE or (worth > best if highest else worth < best)):
                    best = worth
        return best

    return extreme


def _best(highest: bool, alone: bool) -> Gather:
    """The element of the best value; with `alone`, NONE if another one equals it."""

    def best_of(fr: Frame, v: Any, slot: int, items: Iterable[int], where: Eval, value: Eval) -> int:
        best = found = NONE
        tie = False
        for item in items:
            v[slot] = item
            if where(fr):
                worth = value(fr)
                if worth == NONE:
                    continue
                if best == NONE or (worth > best if highest else worth < best):
                    best, found, tie = worth, item, False
                elif worth == best:
                    tie = True
        return NONE if alone and tie else found

    return best_of


WITHOUT_VALUE = ("count", "any", "first", "last", "only", "the")
AGGREGATE: dict[str, Gather] = {
    "count": _count,
    "sum": _sum,
    "any": _any,
    "all": _all,
    "min": _extreme(False),
    "max": _extreme(True),
    "first": _first,
    "last": _last,
    "only": _only,
    "the": _only,
    "best_high": _best(True, False),
    "best_low": _best(False, False),
    "only_high": _best(True, True),
    "only_low": _best(False, True),
}
