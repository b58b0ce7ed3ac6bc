"""A C function: its head, the tree of its body, and where it comes from."""

from __future__ import annotations

from dataclasses import dataclass, replace

from grognard.compiler.cython.print.body import Body
from grognard.compiler.cython.print.texts import (
    HOISTED,
    hoisted,
)
from grognard.compiler.cython.tree import Node, line_count, lines, rendered, without_comments
from grognard.contract import ir

NOEXCEPT = "noexcept nogil"


@dataclass(frozen=True, slots=True)
class Routine:
    """One C function: what is known of its origin, its head, its lines."""

    comments: tuple[str, ...]
    result: str
    name: str
    params: str
    body: tuple[Node, ...]
    #: whether it is not to be written out where it is called
    noinline: bool = False
    #: the routines that it calls, as often as a call stands in it, and the constants that it names
    calls: tuple[str, ...] = ()
    constants: frozenset[str] = frozenset()

    @property
    def prototype(self) -> str:
        """The declaration in C."""
        return f"{self.result} {self.name}({self.params})"

    @property
    def declaration(self) -> str:
        return f"{self.prototype} {NOEXCEPT}"

    @property
    def size(self) -> int:
        """Lines of text, without comments."""
        return line_count(self.body)

    @property
    def lines(self) -> list[str]:
        return list(rendered(self.body))

    @property
    def bare(self) -> Routine:
        """Without comments: where rules stand in a file is no reason to compile them again."""
        return replace(self, comments=(), body=tuple(without_comments(self.body)))

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


def declarations(body: Body) -> list[Node]:
    """What a body declares: hoisted pointers, then its variables."""
    pointers = [f"cdef {hoisted(body.program, name)}" for name in HOISTED if name in body.used]
    return lines(*pointers, *(f"cdef {text}" for text in body.out.variables))
