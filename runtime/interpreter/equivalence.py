"""Interchangeable pieces: candidates that differ in nothing are offered once (`distinct` of a decision)."""

from __future__ import annotations

from typing import Any

from grognard.contract import ir
from grognard.contract.bitsets import Cells, load_set
from grognard.contract.layout import Layout, own_parts


class PieceEquivalence:
    """Which pieces of a domain are interchangeable: equal in every cell, and not referred to singly."""

    def __init__(self, program: ir.Program, layout: Layout, domain: int) -> None:
        self.base, self.count = layout.base[domain], layout.count[domain]
        #: (first cell, words) of what each piece has in fields with an axis for it
        self.own: list[tuple[int, int]] = []
        #: (first cell, words of an element, elements) of sets and lists, (first cell, cells) of integers
        self.sets: list[tuple[int, int, int]] = []
        self.lists: list[tuple[int, int, int]] = []
        self.values: list[tuple[int, int]] = []
        show = f"dom:{domain}"
        for entry in program.fields:
            start, words = layout.field_offset[entry.id], layout.field_words[entry.id]
            cells = layout.field_cells[entry.id]
            self.own += own_parts(entry, layout, domain)
            match entry.type:
                case ir.SetType(domain=inner) if inner == domain:
                    self.sets.append((start, words, cells // words))
                case ir.ListType(show=shown) if shown == show:
                    self.lists.append((start, words, cells // words))
                case ir.IntType(show=shown) if shown == show:
                    self.values.append((start, cells))

    def distinct(self, c: Cells, offered: list[int]) -> list[int]:
        """The candidates without those that equal an earlier one."""
        referred, masks = self._referred(c), self._masks(c)
        seen: set[tuple[Any, ...]] = set()
        distinct = []
        for value in offered:
            place = value - self.base
            if 0 <= place < self.count and value not in referred:
                form = self._form(c, masks, place)
                if form in seen:
                    continue
                seen.add(form)
            distinct.append(value)
        return distinct

    def like_first(self, c: Cells, within: int) -> int:
        """Of a set, given as a bit mask, those that equal its first member."""
        within &= (1 << self.count) - 1
        if not within:
            return 0
        first = (within & -within).bit_length() - 1
        referred = self._referred(c)
        found, left = 1 << first, within & within - 1
        if self.base + first in referred:
            return found
        masks = self._masks(c)
        form = self._form(c, masks, first)
        while left:
            place = (left & -left).bit_length() - 1
            left &= left - 1
            if self.base + place not in referred and self._form(c, masks, place) == form:
                found |= 1 << place
        return found

    def _referred(self, c: Cells) -> set[int]:
        """What single fields and lists name."""
        referred: set[int] = set()
        for start, cells in self.values:
            referred.update(c[start : start + cells])
        for start, words, count in self.lists:
            for element in range(count):
                place = start + element * words
                referred.update(c[place + 1 : place + 1 + c[place]])
        return referred

    def _masks(self, c: Cells) -> list[int]:
        return [
            load_set(c, start + element * words, words)
            for start, words, count in self.sets
            for element in range(count)
        ]

    def _form(self, c: Cells, masks: list[int], place: int) -> tuple[Any, ...]:
        """All that a piece is told apart by."""
        return (
            *(c[start + place * words : start + (place + 1) * words].tobytes() for start, words in self.own),
            *(mask >> place & 1 for mask in masks),
        )
