"""Where values are kept: fields of the state, as the contract declares them."""

from __future__ import annotations

from collections.abc import Iterable

from grognard.compiler.sema.types import Dom, Type
from grognard.contract import ir

_NUMBERED_BY_DATA = ("place", "edge", "piece", "record")


def field_of(
    number: int,
    name: str,
    dims: Iterable[Dom],
    type_: Type,
    default: int = 0,
    lo: int | None = None,
    hi: int | None = None,
) -> ir.Field:
    """A field with an axis for each of these domains, for values of this type."""
    local: ir.IntType | ir.SetType | ir.ListType
    if type_.sort == "set":
        assert type_.dom
        local = ir.SetType(type_.dom.id)
    elif type_.sort == "list":
        assert type_.element
        local = ir.ListType(type_.capacity, type_.element.show)
    else:
        local = ir.IntType(type_.show)
    if lo is None or hi is None:
        lo, hi = (type_.lo, type_.hi) if type_.sort in ("int", "flag") else (0, 0x7FFF_FFFF)
    # Places and counters do not begin at 0: where they do is data.
    first = None
    if type_.sort == "dom" and not type_.optional and type_.dom and type_.dom.sort in _NUMBERED_BY_DATA:
        first = type_.dom.id
    return ir.Field(number, name, tuple(d.id for d in dims), local, lo, hi, type_.optional, default, first)
