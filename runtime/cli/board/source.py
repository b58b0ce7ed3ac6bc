"""Cells of a position by field, and values in words: what the board is drawn from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from grognard.contract import ir
from grognard.contract.datablock import DataBlock
from grognard.contract.header import NONE
from grognard.contract.layout import Layout, set_words
from grognard.contract.schema import DomainSchema, FieldSchema, Schema


def spoken(field: str) -> str:
    """The name of a field for people; of a part of a record its own, or the record's: `order.name` is the order."""
    record, _, part = field.partition(".")
    return (record if part in ("", "name") else part).replace("_", " ")


@dataclass(frozen=True, slots=True)
class BoardSource:
    """Everything constant that reading a position needs."""

    schema: Schema
    program: ir.Program
    data: DataBlock
    layout: Layout
    #: names of fields that people are not shown
    unshown: frozenset[str] = frozenset()

    # ---- cells

    def state(self, cells: Sequence[int], info: FieldSchema, *index: int) -> int:
        """An integer of a state field; `index` are values, not numbers."""
        assert info.field is not None
        entry = self.program.fields[info.field]
        return cells[self.layout.field_offset[info.field] + self._flat(entry.dims, index)]

    def members(self, cells: Sequence[int], info: FieldSchema, *index: int) -> list[int]:
        """The members of a set field."""
        assert info.field is not None and info.type.dom is not None
        entry = self.program.fields[info.field]
        words = self.layout.field_words[info.field]
        start = self.layout.field_offset[info.field] + self._flat(entry.dims, index) * words
        base, count = self.layout.base[info.type.dom.id], self.layout.count[info.type.dom.id]
        assert words == set_words(count)
        return [base + n for n in range(count) if cells[start + n // 32] >> (n % 32) & 1]

    def datum(self, info: FieldSchema, *index: int) -> int:
        """An integer of a constant column."""
        assert info.column is not None
        return self.data.columns[info.column][self._flat(self.program.columns[info.column].dims, index)]

    def _flat(self, dims: Sequence[int], index: Sequence[int]) -> int:
        place = 0
        for domain, value in zip(dims, index, strict=True):
            place = place * self.layout.count[domain] + value - self.layout.base[domain]
        return place

    # ---- names

    def title(self, dom: DomainSchema, value: int) -> str:
        data = self.data.domains[dom.id]
        if not 0 <= value - data.base < data.count:
            return "none" if value == NONE else str(value)
        return data.title(value)

    def name(self, dom: DomainSchema, value: int) -> str:
        data = self.data.domains[dom.id]
        return data.names[value - data.base] if 0 <= value - data.base < data.count else "none"

    def shown(self, info: FieldSchema, value: int) -> str:
        """A value of a field in words."""
        if value == NONE:
            return "none"
        if info.type.sort == "flag":
            return "yes" if value else "no"
        if info.type.sort == "dom" and info.type.dom is not None:
            return self.title(info.type.dom, value)
        return str(value)

    def seats(self) -> list[str]:
        return list(self.data.domains[self.program.seats].names)

    # ---- states in words

    def states(
        self,
        cells: Sequence[int],
        fields: dict[str, FieldSchema],
        owner: tuple[int, ...],
        skip: Sequence[FieldSchema],
    ) -> list[str]:
        """Fields that are not as they were when the counter was new: `hits 2`, `spent`."""
        found: list[str] = []
        for name, info in fields.items():
            if info.field is None or info in skip or info.edge or name in self.unshown:
                continue
            words = spoken(name)
            entry = self.program.fields[info.field]
            if len(entry.dims) == len(owner):
                text = self._one_state(cells, info, words, owner)
                if text:
                    found.append(text)
                continue
            if len(entry.dims) == len(owner) + 1:
                axis = self.data.domains[entry.dims[-1]]
                parts = []
                for value in range(axis.base, axis.base + axis.count):
                    text = self._one_state(cells, info, axis.title(value), (*owner, value))
                    if text:
                        parts.append(text)
                if parts:
                    found.append(f"{words} ({', '.join(parts)})")
        return found

    def _one_state(self, cells: Sequence[int], info: FieldSchema, words: str, index: tuple[int, ...]) -> str:
        assert info.field is not None
        if info.type.sort == "set":
            held = self.members(cells, info, *index)
            assert info.type.dom is not None
            return f"{words}: {', '.join(self.title(info.type.dom, m) for m in held)}" if held else ""
        if info.type.sort not in ("int", "flag", "dom"):
            return ""
        value = self.state(cells, info, *index)
        if value == self.program.fields[info.field].default or value == NONE:
            return ""
        if info.type.sort == "flag":
            return words if value else f"not {words}"
        return f"{words} {self.shown(info, value)}"

    def printed(self, kind: DomainSchema, row: int) -> list[str]:
        """What is printed on every counter of a kind: `move cost 1`, `dr (front 12, rear 11)`; nothing that is nothing."""
        found: list[str] = []
        for name, info in kind.fields.items():
            if info.column is None or info.type.sort not in ("int", "flag", "dom") or len(info.axes) > 1:
                continue
            words = name.replace("_", " ")
            if not info.axes:
                found.append(self._one_print(info, words, (row,)))
                continue
            axis = self.data.domains[info.axes[0].id]
            parts = (
                self._one_print(info, axis.title(value), (row, value))
                for value in range(axis.base, axis.base + axis.count)
            )
            told = ", ".join(filter(None, parts))
            found.append(f"{words} ({told})" if told else "")
        return [text for text in found if text]

    def _one_print(self, info: FieldSchema, words: str, index: tuple[int, ...]) -> str:
        value = self.datum(info, *index)
        if len(index) > 1 and info.type.optional:
            # Of several numbers that may be none, 0 is one.
            return f"{words} {'-' if value == NONE else self.shown(info, value)}"
        if value == NONE or (value == 0 and info.type.sort != "dom"):
            return ""
        return words if info.type.sort == "flag" else f"{words} {self.shown(info, value)}"
