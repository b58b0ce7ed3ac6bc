"""Sets between the cells of a position and Python: masks whose lowest bit is the domain's first element."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import TypeAlias

Cells: TypeAlias = memoryview


def load_set(c: Cells, cell: int, words: int) -> int:
    """The mask in these cells, lowest word first."""
    if words == 1:
        return c[cell] & 0xFFFF_FFFF
    if sys.byteorder == "little":
        return int.from_bytes(c[cell : cell + words], "little")
    return sum((c[cell + i] & 0xFFFF_FFFF) << (32 * i) for i in range(words))


def set_words_of(mask: int, words: int) -> list[int]:
    """The mask as signed cells."""
    result = []
    for _ in range(words):
        word = mask & 0xFFFF_FFFF
        result.append(word - 0x1_0000_0000 if word & 0x8000_0000 else word)
        mask >>= 32
    return result


def store_set(c: Cells, cell: int, words: int, mask: int) -> None:
    if words == 1:
        c[cell] = mask - 0x1_0000_0000 if mask & 0x8000_0000 else mask
    elif sys.byteorder == "little":
        c[cell : cell + words] = memoryview(mask.to_bytes(4 * words, "little")).cast("i")
    else:
        for i, word in enumerate(set_words_of(mask, words)):
            c[cell + i] = word


def elements(mask: int, base: int) -> Iterator[int]:
    """The set's elements in ascending order."""
    while mask:
        low = mask & -mask
        yield base + low.bit_length() - 1
        mask ^= low
