"""What data is read for: the program of a title without its code."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from grognard.compiler.sema.symbols import Symbols
from grognard.compiler.sema.types import Dom
from grognard.contract import ir

Snapshots = Mapping[tuple[int, str], int]


def declared_program(symbols: Symbols, names: Iterable[str]) -> ir.Program:
    """Declared domains, fields and tables, and symbols of these names: nothing in it can be run."""
    assert symbols.seats and symbols.sides
    return ir.Program(
        name=symbols.name,
        domains=domains_of(symbols, symbols.doms, {}),
        fields=tuple(symbols.fields),
        columns=tuple(symbols.columns),
        tables=tuple(symbols.tables),
        symbols=tuple(ir.Symbol(number, name) for number, name in enumerate(names)),
        sites=(),
        functions=(),
        machines=(),
        asks=(),
        actions=(),
        movements=(),
        main=0,
        entry_points=(),
        view=None,
        seats=symbols.seats.id,
        sides=symbols.sides.id,
        journal=0,
        created_in_branches=(),
        spaces=tuple(dom.id for dom in symbols.spaces),
    )


def domains_of(symbols: Symbols, doms: Sequence[Dom], snapshots: Snapshots) -> tuple[ir.Domain, ...]:
    """Domains of a program; `snapshots`: (field, mark) -> the field of what the mark keeps of it."""
    return tuple(
        ir.Domain(
            dom.id,
            dom.name,
            dom.sort,
            _zero_based(symbols, dom),
            dom.alive,
            dom.interchangeable,
            _remembered(snapshots, dom),
        )
        for dom in doms
    )


def _remembered(snapshots: Snapshots, dom: Dom) -> tuple[int, ...]:
    """The copies of the domain's `alive` that marks make."""
    if dom.alive is None:
        return ()
    return tuple(sorted(kept for (field, _), kept in snapshots.items() if field == dom.alive))


def _zero_based(symbols: Symbols, dom: Dom) -> bool:
    """Whether the domain's values start at 0 with any data.  Only the first space, the first pieces and most ranges do."""
    if dom.sort == "range":
        return dom.range_lo == 0
    if dom.sort == "place":
        return bool(symbols.spaces and dom is symbols.spaces[0])
    if dom.sort in ("piece", "record"):
        first = next((d for d in symbols.doms if d.sort in ("piece", "record")), None)
        return dom is first
    if dom.sort == "edge":
        return bool(symbols.spaces and symbols.spaces[0].edges is dom)
    return True
