"""What translated code calls that needs no state: sets as lists, divisions, matchings."""

from __future__ import annotations

from functools import lru_cache

from grognard.contract.bitsets import elements
from grognard.contract.header import NONE


@lru_cache(maxsize=1 << 14)
def members(mask: int, base: int) -> tuple[int, ...]:
    """The elements of a set in ascending order."""
    return tuple(elements(mask, base))


def present(items: tuple[int, ...]) -> list[int]:
    return [item for item in items if item != NONE]


def div_near(a: int, b: int) -> int:
    """Nearest, halves away from zero."""
    size = (2 * abs(a) + abs(b)) // (2 * abs(b))
    return size if (a < 0) == (b < 0) else -size


def covered(rows: list[list[int]]) -> int:
    """Whether every row can have a number of its own out of those that it lists."""
    holder: dict[int, int] = {}
    return int(all(_augment(rows, right, holder, set()) for right in range(len(rows))))


def _augment(rows: list[list[int]], right: int, holder: dict[int, int], tried: set[int]) -> bool:
    for left in rows[right]:
        if left not in tried:
            tried.add(left)
            if left not in holder or _augment(rows, holder[left], holder, tried):
                holder[left] = right
                return True
    return False
