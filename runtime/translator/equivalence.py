"""Interchangeable pieces, of cells in a list."""

from __future__ import annotations

from typing import Any

from grognard.interpreter.equivalence import PieceEquivalence


class ListEquivalence(PieceEquivalence):
    """As of the interpreter, where the cells of a position are a list of numbers."""

    def _masks(self, c: Any) -> list[int]:
        return [
            sum((c[at + word] & 0xFFFFFFFF) << 32 * word for word in range(words))
            for start, words, count in self.sets
            for at in range(start, start + count * words, words)
        ]

    def _form(self, c: Any, masks: list[int], place: int) -> tuple[Any, ...]:
        return (
            *(
                c[start + place]
                if words == 1
                else tuple(c[start + place * words : start + (place + 1) * words])
                for start, words in self.own
            ),
            *(mask >> place & 1 for mask in masks),
        )
