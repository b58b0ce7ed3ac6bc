"""Numbers of the whole program, by name: sites, machines, places in the memo, what a write invalidates.

A rule that gains a note shifts the sites of all rules behind it.  Emitted text therefore says `S_f_defence[3]` for the fourth site of the
rule `defence`, and the numbers themselves stand in a file of their own (templates/numbers.c.j2), so that routines that did not change are
compiled once.  In an engine of one file the C compiler sees the numbers, and writes them out."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any
from zlib import crc32

from grognard.contract import ir
from grognard.contract.ir.walk import nodes

#: Names of so many fields are part of the name of what their writes invalidate.
MOST_NAMED = 2


@dataclass(frozen=True, slots=True)
class LinkedNumber:
    """A constant, or an array of them, of the file of numbers."""

    name: str
    values: tuple[int, ...]
    array: bool = True
    #: whether these are words of validities
    wide: bool = False

    @property
    def kind(self) -> str:
        return "uint64_t" if self.wide else "int32_t"

    @property
    def declaration(self) -> str:
        """In C, without its value, and without its length: that would be more to change."""
        return f"const {self.kind} {self.name}{'[]' if self.array else ''}"

    @property
    def cython(self) -> str:
        """In Cython."""
        return f"const {self.kind} {'*' if self.array else ''}{self.name}"

    @property
    def initial(self) -> str:
        """The value in C."""
        texts = [f"{value:#x}ULL" if self.wide else str(value) for value in self.values]
        return f"{{{', '.join(texts)}}}" if self.array else texts[0]


@dataclass
class LinkedNumbers:
    """What has been named so far.  Names of routines come from the plan."""

    program: ir.Program
    functions: Sequence[str]
    machines: Sequence[str]
    movements: Sequence[str]
    known: dict[str, LinkedNumber] = field(default_factory=dict)

    def _named(self, number: LinkedNumber) -> str:
        assert self.known.setdefault(number.name, number) == number, number.name
        return number.name

    def one(self, name: str, value: int) -> str:
        """A number by name."""
        return self._named(LinkedNumber(name, (value,), array=False))

    def site(self, number: int) -> str:
        """A site by its place among those of the routine that it belongs to."""
        place = self._places.get(number)
        if place is None:
            return str(number)
        owner, at = place
        return f"{self._named(self._sites_of[owner])}[{at}]"

    def invalidated(self, fields: Sequence[int], words: Sequence[int], some: bool) -> str:
        """The validities that a write of these fields invalidates, in words.  `some`: but for boards that follow the write."""
        names = [self.program.fields[number].name.replace(".", "_") for number in sorted(set(fields))]
        name = "_and_".join(names[:MOST_NAMED])
        if len(names) > MOST_NAMED or not name.replace("_", "").isalnum() or not name.isascii():
            name = f"fields_{crc32('/'.join(names).encode()):08x}"
        return self._named(LinkedNumber(f"{'J' if some else 'I'}_{name}", tuple(words), wide=True))

    @cached_property
    def _sites(self) -> tuple[dict[str, LinkedNumber], dict[int, tuple[str, int]]]:
        """The sites of each routine, and where each is found.  A site that several have belongs to the first."""
        places: dict[int, tuple[str, int]] = {}
        owners: dict[str, LinkedNumber] = {}
        for name, sites in self._routines():
            own: list[int] = []
            for site in sites:
                if site >= 0 and site not in places:
                    places[site] = (name, len(own))
                    own.append(site)
            owners[name] = LinkedNumber(f"S_{name}", tuple(own))
        return owners, places

    @property
    def _sites_of(self) -> dict[str, LinkedNumber]:
        return self._sites[0]

    @property
    def _places(self) -> dict[int, tuple[str, int]]:
        return self._sites[1]

    def _routines(self) -> Iterator[tuple[str, Iterable[int]]]:
        program = self.program
        for function in program.functions:
            yield self.functions[function.id], (function.site, *_sites_below(function.body))
        for movement in program.movements:
            yield self.movements[movement.id], (movement.site,)
        for machine in program.machines:
            yield self.machines[machine.id], (machine.site, *_sites_below(machine.blocks))


def _sites_below(code: Any) -> Iterator[int]:
    for node in nodes(code):
        site = getattr(node, "site", None)
        if site is not None:
            yield site
