"""A C function as text: its head, its lines, and where it comes from."""

from __future__ import annotations

from dataclasses import dataclass, replace

from grognard.compiler.cython.print.body import (
    HOISTED,
    hoisted,
)
from grognard.compiler.cython.print.statements import Stmts
from grognard.contract import ir

NOEXCEPT = "noexcept nogil"


def is_comment(line: str) -> bool:
    return line.lstrip().startswith("#")


@dataclass(frozen=True, slots=True)
class Routine:
    """One C function: what is known of its origin, its head, its lines."""

    comments: tuple[str, ...]
    result: str
    name: str
    params: str
    lines: tuple[str, ...]
    #: whether it is not to be written out where it is called
    noinline: bool = False

    @property
    def prototype(self) -> str:
        """The declaration in C."""
        return f"{self.result} {self.name}({self.params})"

    @property
    def declaration(self) -> str:
        return f"{self.prototype} {NOEXCEPT}"

    @property
    def size(self) -> int:
        return sum(not is_comment(line) for line in self.lines)

    @property
    def bare(self) -> Routine:
        """Without comments: where rules stand in a file is no reason to compile them again."""
        return replace(self, comments=(), lines=tuple(line for line in self.lines if not is_comment(line)))

    @property
    def given(self) -> list[str]:
        """The names of the parameters."""
        return [param.split()[-1].lstrip("*") for param in self.params.split(", ")]


def origin(program: ir.Program, name: str, site: int, what: str) -> tuple[str, ...]:
    """Where a routine comes from: its name, source place and the sections it cites."""
    if not 0 <= site < len(program.sites):
        return (f"{what} {name}",)
    entry = program.sites[site]
    cites = f"  [{', '.join(entry.cites)}]" if entry.cites else ""
    return (" ".join(f"{what} {name} ({entry.file}:{entry.line}){cites}".split()),)


def declarations(body: Stmts) -> list[str]:
    """What a body declares: hoisted pointers, then its variables."""
    pointers = [f"cdef {hoisted(body.program, name)}" for name in HOISTED if name in body.used]
    return pointers + [f"cdef {text}" for text in body.out.variables]
