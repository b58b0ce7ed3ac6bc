"""Names for the numbers by which emitted code finds fields, columns, domains, tables and symbols.

They are constants of an enumeration in C, so `s[off[F_Unit_at] + v_u]` costs what `s[off[10] + v_u]` does, and can be read."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

from grognard.compiler.cython.print.lines import Names
from grognard.contract import ir


def _named(prefix: str, names: Iterable[str]) -> list[str]:
    taken = Names()
    return [taken.take(f"{prefix}_{name}") for name in names]


@dataclass(frozen=True)
class IndexNames:
    program: ir.Program

    @cached_property
    def fields(self) -> list[str]:
        return _named("F", (entry.name for entry in self.program.fields))

    @cached_property
    def columns(self) -> list[str]:
        return _named("C", (entry.name for entry in self.program.columns))

    @cached_property
    def domains(self) -> list[str]:
        return _named("D", (entry.name for entry in self.program.domains))

    @cached_property
    def tables(self) -> list[str]:
        return _named("T", (entry.name for entry in self.program.tables))

    @cached_property
    def symbols(self) -> list[str]:
        return _named("Y", (entry.name for entry in self.program.symbols))

    @cached_property
    def constants(self) -> list[tuple[str, int]]:
        """All names with their numbers."""
        return [
            (name, number)
            for names in (self.domains, self.fields, self.columns, self.tables, self.symbols)
            for number, name in enumerate(names)
        ]
