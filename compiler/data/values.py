"""Values of data before they are packed: constants by column, defaults of types, deferred cells."""

from __future__ import annotations

import re
from array import array
from collections.abc import Iterable
from dataclasses import dataclass, field

from grognard.compiler.layers.merge import Merged
from grognard.compiler.sema.types import (
    Dom,
    FieldInfo,
    Type,
)
from grognard.compiler.support.yamlfile import YNode
from grognard.compiler.syntax import nodes as syn
from grognard.support.source import Span

Value = int | frozenset[int]
Index = tuple[int, ...]
Cells = dict[int, dict[Index, Value]]

#: How authors write an empty optional.
NOTHING = ("-", "NA", "none", "")
#: Keys that every row may have beside its columns.
ROW_KEYS = ("name", "cite", "note")
#: Domains whose members are known only with a map or a scenario.
MAP_SORTS = ("place", "edge", "piece", "record")


@dataclass(slots=True)
class DeferredCell:
    """A cell that names places: it can be read only when a map is loaded."""

    info: FieldInfo
    index: Index
    node: YNode | None
    row_span: Span
    what: str


@dataclass(slots=True)
class Values:
    """Constants by column id, then by index (ordinals, without the bases of domains).

    Integer cells and elements of sets are values of their domain, with its base."""

    columns: Cells = field(default_factory=dict)
    spans: dict[tuple[int, Index], Span] = field(default_factory=dict)
    tables: dict[int, array[int]] = field(default_factory=dict)
    deferred: list[DeferredCell] = field(default_factory=list)
    merged: Merged = field(default_factory=Merged)


def needs_map(type_: Type, axes: Iterable[Dom] = ()) -> bool:
    doms = [*axes, *([type_.dom] if type_.dom is not None else [])]
    return any(dom.sort in MAP_SORTS for dom in doms)


def plain_number(expr: syn.Expr) -> int | None:
    if isinstance(expr, syn.Number):
        return expr.value
    if isinstance(expr, syn.UnaryExpr) and expr.op in ("neg", "pos") and isinstance(expr.value, syn.Number):
        return -expr.value.value if expr.op == "neg" else expr.value.value
    return None


_KEY = re.compile(r"([+-]?\d{1,9})?\s*\.\.\s*([+-]?\d{1,9})?")


def number_key(text: str) -> tuple[int | None, int | None] | None:
    """`3`, `-5`, `0..3`, `..-1`, `10..`, `5+`, `<=0`, `>=7` as (low, high); an open end is None."""
    text = text.strip()
    if re.fullmatch(r"[+-]?\d{1,9}", text):
        return int(text), int(text)
    if match := re.fullmatch(r"([+-]?\d{1,9})\s*\+", text):
        return int(match[1]), None
    if match := re.fullmatch(r"(<=|>=)\s*([+-]?\d{1,9})", text):
        return (None, int(match[2])) if match[1] == "<=" else (int(match[2]), None)
    if match := _KEY.fullmatch(text):
        if match[1] is None and match[2] is None:
            return None
        return (int(match[1]) if match[1] else None), (int(match[2]) if match[2] else None)
    return None
