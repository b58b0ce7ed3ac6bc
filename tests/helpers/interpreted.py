"""A hand-built program with one position on the interpreter, by names."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from grognard.contract.backend import (
    Io,
    RuleFailure,
)
from grognard.interpreter.machine import Interpreter
from programs import Built, function_id, machine_id, site_id


class Game:
    """A program with one position, by names."""

    def __init__(self, build: Callable[[], Built]) -> None:
        self.program, self.layout, self.data, self.cells = build()
        self.engine = Interpreter(self.program, self.layout, self.data)

    def call(self, name: str, *args: Any, io: Io | None = None) -> Any:
        return self.engine.call(self.cells, function_id(self.program, name), args, io or Io())

    def fails(
        self, kind: int, name: str, *args: Any, at: str | None = None, io: Io | None = None
    ) -> RuleFailure:
        before = bytes(self.cells)
        with pytest.raises(RuleFailure) as caught:
            self.call(name, *args, io=io)
        self.cells[:] = before
        assert caught.value.kind == kind
        if at is not None:
            assert caught.value.site == site_id(self.program, at)
        return caught.value

    def start(self, name: str, *args: Any, io: Io | None = None) -> None:
        self.engine.start(self.cells, machine_id(self.program, name), args, io or Io())

    def candidates(self) -> list[int]:
        return self.engine.candidates(self.cells)

    def answer(self, value: int, io: Io | None = None) -> None:
        self.engine.answer(self.cells, value, io or Io())

    def __getitem__(self, cell: int) -> int:
        return memoryview(self.cells).cast("i")[cell]

    def field(self, name: str) -> list[int]:
        entry = next(f for f in self.program.fields if f.name == name)
        start = self.layout.field_offset[entry.id]
        return memoryview(self.cells).cast("i")[start : start + self.layout.field_cells[entry.id]].tolist()

    def put(self, name: str, number: int, value: int) -> None:
        entry = next(f for f in self.program.fields if f.name == name)
        memoryview(self.cells).cast("i")[self.layout.field_offset[entry.id] + number] = value

    def stack(self) -> list[int]:
        return memoryview(self.cells).cast("i")[self.layout.stack_offset :].tolist()
