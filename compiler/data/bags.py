"""The first content of bags and decks."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from grognard.compiler.data.ground import Ground
from grognard.compiler.data.values import Cells, Value
from grognard.compiler.sema.symbols import BagInfo
from grognard.compiler.sema.types import (
    FLAG,
    INT,
    NONE_TYPE,
    Type,
    dom_type,
)
from grognard.compiler.syntax import nodes as syn
from grognard.contract.header import NONE
from grognard.support.source import Span

if TYPE_CHECKING:
    from grognard.compiler.data.initial_position import Position


class _NotPlain(Exception):
    """The expression is more than the columns of a row can answer."""

    def __init__(self, span: Span) -> None:
        self.span = span


def bag_counts(
    ground: Ground, bag: BagInfo, columns: Cells, position: Position, options: Mapping[str, str]
) -> list[int]:
    """How many of each row a bag starts with; `options` are those that are set otherwise than the title has them."""
    counts: list[int] = []
    for ordinal in range(len(ground.members(bag.kind))):
        row = _BagRow(bag, columns, ordinal, position, options)
        try:
            inside = bag.decl.where is None or bool(row.number(bag.decl.where))
            count = row.number(bag.decl.copies) if inside else 0
        except _NotPlain as problem:
            ground.sink.error(
                "GR0301",
                problem.span,
                f"bag `{bag.name}` can be filled only by columns of {bag.kind.name}, fields of the game and options",
                hint=f"write for example: where {bag.decl.var}.column is 1, 2 each",
            )
            return [0] * len(ground.members(bag.kind))
        if not 0 <= count <= 999:
            ground.sink.error(
                "GR0605",
                bag.decl.copies.span,
                f"bag `{bag.name}` would hold {count} of {ground.members(bag.kind)[ordinal]}: 0..999 is possible",
            )
            count = 0
        counts.append(count)
    return counts


_COMPARE = {
    "lt": lambda a, b: a < b,
    "le": lambda a, b: a <= b,
    "gt": lambda a, b: a > b,
    "ge": lambda a, b: a >= b,
}


class _BagRow:
    """Plain expressions over the columns of one row."""

    def __init__(
        self, bag: BagInfo, columns: Cells, ordinal: int, position: Position, options: Mapping[str, str]
    ) -> None:
        self.bag = bag
        self.columns = columns
        self.ordinal = ordinal
        self.position = position
        self.options = options

    def _given(self, name: str) -> tuple[Type, Value] | None:
        """A field of the game as the scenario sets it, or an option."""
        ground = self.position.ground
        info = ground.symbols.globals.get(name)
        if info is not None and info.field is not None and not info.axes:
            if info.type.sort in ("int", "flag", "dom"):
                return info.type, self.position.cells[self.position.layout.field_offset[info.field]]
        option = ground.symbols.options.get(name)
        if option is not None:
            value = option.values.index(self.options.get(name, option.value))
            return (dom_type(option.dom) if option.dom is not None else FLAG), value
        return None

    def _set(self, name: str) -> set[int] | None:
        """A set of the game as the scenario sets it: the values in it."""
        info = self.position.ground.symbols.globals.get(name)
        if (
            info is None
            or info.field is None
            or info.axes
            or info.type.sort != "set"
            or info.type.dom is None
        ):
            return None
        layout = self.position.layout
        start = layout.field_offset[info.field]
        words = self.position.cells[start : start + layout.field_words[info.field]]
        first = self.position.ground.first(info.type.dom)
        return {first + 32 * n + bit for n, word in enumerate(words) for bit in range(32) if word >> bit & 1}

    def number(self, expr: syn.Expr) -> int:
        _, value = self.value(expr, None)
        if not isinstance(value, int) or value == NONE:
            raise _NotPlain(expr.span)
        return value

    def value(self, expr: syn.Expr, expected: Type | None) -> tuple[Type, Value]:
        match expr:
            case syn.Number(value=number):
                return INT, number
            case syn.FlagLit(value=flag):
                return FLAG, int(flag)
            case syn.NoneLit():
                return NONE_TYPE, NONE
            case syn.Name(id=name) if name == self.bag.decl.var:
                return dom_type(self.bag.kind), self.position.ground.base(self.bag.kind) + self.ordinal
            case syn.Name(id=name) if expected is not None and expected.dom is not None:
                place = self.position.ground.index(expected.dom, name)
                if place is not None:
                    return expected, self.position.ground.first(expected.dom) + place
            case syn.Name(id=name) if (given := self._given(name)) is not None:
                return given
            case syn.Dot(object=syn.Name(id="game" | "scenario"), name=name) if (
                given := self._given(name)
            ) is not None:
                return given
            case syn.Dot(object=syn.Name(id=owner), name=name) if owner == self.bag.decl.var:
                info = self.bag.kind.fields.get(name)
                if info is not None and info.column is not None and not info.axes:
                    found = self.columns.get(info.column, {}).get((self.ordinal,))
                    return info.type, self.position.ground.plain_default(
                        info.type
                    ) if found is None else found
            case syn.UnaryExpr(op="neg", value=inner):
                return INT, -self.number(inner)
            case syn.UnaryExpr(op="not", value=inner):
                return FLAG, int(not self.number(inner))
            case syn.BinaryExpr(op="and", left=left, right=right):
                return FLAG, int(bool(self.number(left)) and bool(self.number(right)))
            case syn.BinaryExpr(op="or", left=left, right=right):
                return FLAG, int(bool(self.number(left)) or bool(self.number(right)))
            case syn.BinaryExpr(op="is" | "is_not" as op, left=left, right=right):
                try:
                    type_, a = self.value(left, None)
                    _, b = self.value(right, type_)
                except _NotPlain:
                    type_, b = self.value(right, None)
                    _, a = self.value(left, type_)
                return FLAG, int((a == b) == (op == "is"))
            case syn.BinaryExpr(op="in" | "not_in" as op, left=left, right=syn.Name(id=name)):
                inside = self._set(name)
                if inside is not None:
                    return FLAG, int((self.number(left) in inside) == (op == "in"))
            case syn.BinaryExpr(op=op, left=left, right=right) if op in _COMPARE:
                a, b = self.value(left, None)[1], self.value(right, None)[1]
                if isinstance(a, int) and isinstance(b, int):
                    return FLAG, int(NONE not in (a, b) and _COMPARE[op](a, b))
        raise _NotPlain(expr.span)
