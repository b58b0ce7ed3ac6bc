"""Positions that are built by hand, and the same positions as C structs."""

from __future__ import annotations

import ctypes
import re
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from grognard.contract.backend import Io
from grognard.contract.datablock import AXIS_CELLS, TABLE_HEAD
from grognard.contract.generator import seeded
from grognard.contract.header import (
    H_RNG_HI,
    H_RNG_LO,
    H_STATUS,
    STATUS_DECISION,
)
from native import POINTER, cells, filled, reference, structure


class Table:
    """A position that is built by hand: fields by name, members by name."""

    def __init__(self, engine: Any, scenario: str) -> None:
        self.engine = engine
        self.position = engine.new_game(scenario, seed=1)
        self.setting = self.position.setting
        self.program, self.layout = self.setting.program, self.setting.scenario.layout
        self.data = self.setting.scenario.data
        self.fields = {entry.name: entry for entry in self.program.fields}
        self.columns = {entry.name: entry for entry in self.program.columns}

    def member(self, domain: str, name: str) -> int:
        number = next(d.id for d in self.program.domains if d.name == domain)
        found = self.setting.number_of(number, name)
        assert found is not None, f"no {domain} {name}"
        return int(self.data.domains[number].base + found)

    def domain(self, name: str) -> Any:
        """The numbers of a domain: its base and its count."""
        return self.data.domains[next(d.id for d in self.program.domains if d.name == name)]

    def put(self, field: str, index: int, value: int) -> None:
        entry = self.fields[field]
        base = self.layout.base[entry.dims[0]]
        with memoryview(self.position.cells) as raw, raw.cast("i") as c:
            c[self.layout.field_offset[entry.id] + index - base] = value

    def get(self, field: str, cells_: bytearray | None = None) -> list[int]:
        """All cells of a field."""
        entry = self.fields[field]
        start, size = self.layout.field_offset[entry.id], self.layout.field_cells[entry.id]
        with memoryview(self.position.cells if cells_ is None else cells_) as raw, raw.cast("i") as c:
            return list(c[start : start + size])

    def column(self, name: str) -> list[int]:
        return list(self.data.columns[self.columns[name].id])

    def looked_up(self, name: str, *index: int) -> int:
        """A cell of a table; as grog_axis in kernels/engine.h finds it."""
        table = self.data.tables[next(entry.id for entry in self.program.tables if entry.name == name)]
        place = 0
        for axis, value in enumerate(index):
            low, _, _, size, rows = table[TABLE_HEAD + AXIS_CELLS * axis :][:AXIS_CELLS]
            place = place * size + table[rows + value - low]
        return int(table[table[1] + place])

    def once(self, procedure: str, args: list[int], seed: int) -> bytearray:
        """The cells after the procedure, with dice of their own; every choice takes the first candidate."""
        machine = next(m for m in self.program.machines if m.name == procedure)
        made = bytearray(self.position.cells)
        backend = self.setting.backend
        with memoryview(made) as raw, raw.cast("i") as c:
            c[H_RNG_LO], c[H_RNG_HI] = seeded(seed)
            backend.start(made, machine.id, args, Io())
            while c[H_STATUS] == STATUS_DECISION:
                backend.answer(made, backend.candidates(made)[0], Io())
        return made


class Reference:
    """The struct `field` of a reference, with the table's position in it.

    Its pointers are named after the title's fields and columns, and C indexes them by the title's numbers; `X_first` and
    `X_end` are the first and the last but one number of a domain.  Whatever else it has is given here."""

    def __init__(self, table: Table, file: str, **given: int | Sequence[int]) -> None:
        self.table = table
        self.library = reference(file)
        self.given: Mapping[str, int | Sequence[int]] = given
        self._kept: list[Any] = []
        #: the cells of the fields that C may change
        self.cells: dict[str, ctypes.Array[ctypes.c_int32]] = {}
        self._fields = {_plain(name): name for name in table.fields}
        self._columns = {_plain(name): name for name in table.columns}
        self.struct = filled(structure(f"{file}.c", "field"), self._value)

    def _value(self, name: str, pointer: bool) -> Any:
        if name == "map":
            return self._board()
        if name in self.given:
            value = self.given[name]
            return self._pointer(cells(list(value)), 0) if pointer else value  # type: ignore[arg-type]
        if name in self._fields:
            full = self._fields[name]
            made = cells(self.table.get(full))
            if not pointer:
                return made[0]
            entry = self.table.fields[full]
            self.cells[full] = made
            return self._pointer(made, self._shift(entry.dims, len(made)))
        if name in self._columns:
            made = cells(self.table.column(self._columns[name]))
            dims = self.table.columns[self._columns[name]].dims
            return self._pointer(made, self._shift(dims, len(made)))
        domain, end = name.rsplit("_", 1)
        entry = next(d for d in self.table.program.domains if d.name == domain)
        known = self.table.data.domains[entry.id]
        return known.base + (known.count if end == "end" else 0)

    def _shift(self, dims: Sequence[int], size: int) -> int:
        """Where the cell with all indices 0 would lie before the array."""
        shift = 0
        for number in dims:
            known = self.table.data.domains[number]
            size //= max(1, known.count)
            shift += known.base * size
        return shift

    def _pointer(self, made: ctypes.Array[ctypes.c_int32], shift: int) -> Any:
        self._kept.append(made)
        return ctypes.cast(ctypes.addressof(made) - 4 * shift, POINTER)

    def _board(self) -> Any:
        space = self.table.data.maps[0]
        width, height = max(space.q) - min(space.q) + 1, max(space.r) - min(space.r) + 1
        grid = [-1] * (width * height)
        for number, (q, r) in enumerate(zip(space.q, space.r)):
            grid[(r - min(space.r)) * width + q - min(space.q)] = number
        arrays = {"q": space.q, "r": space.r, "grid": grid}
        numbers = {"qmin": min(space.q), "rmin": min(space.r), "width": width, "height": height}

        def value(name: str, pointer: bool) -> Any:
            return self._pointer(cells(list(arrays[name])), 0) if pointer else numbers[name]

        return filled(structure("hexes.h", "board"), value)

    def differs(self, procedure: str, args: list[int], seed: int, *more: Any) -> str:
        """Both do the procedure with the same dice; the first field in which they then differ, empty if there is none."""
        after = self.table.once(procedure, args, seed)
        self.library.one(ctypes.byref(self.struct), *more, ctypes.c_uint64(seed))
        wrong = partial(self._wrong, after)
        found = next(filter(wrong, self.cells), "")
        self.library.back()
        return found

    def _wrong(self, after: bytearray, name: str) -> bool:
        return self.table.get(name, after) != list(self.cells[name])


def _plain(name: str) -> str:
    """A field's or column's name as C can have it."""
    return re.sub(r"\W", "_", name)
