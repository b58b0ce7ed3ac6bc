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
        referred: set[int] = set()
        for start, cells in self.values:
            referred.update(c[start : start + cells])
        for start, words, count in self.lists:
            for element in range(count):
                place = start + element * words
                referred.update(c[place + 1 : place + 1 + c[place]])
        masks = [
            load_set(c, start + element * words, words)
            for start, words, count in self.sets
            for element in range(count)
        ]
        seen: set[tuple[Any, ...]] = set()
        distinct = []
        for value in offered:
            place = value - self.base
            if 0 <= place < self.count and value not in referred:
                form = (
                    *(
                        c[start + place * words : start + (place + 1) * words].tobytes()
                        for start, words in self.own
                    ),
                    *(mask >> place & 1 for mask in masks),
                )
                if form in seen:
                    continue
                seen.add(form)
            distinct.append(value)
        return distinct
