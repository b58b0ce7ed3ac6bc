"""Productions as nodes: expressions and types."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from grognard.compiler.syntax import nodes as syn
from grognard.compiler.syntax.from_text.base import (
    Malformed,
    TreeBase,
    binary,
)
from grognard.support.source import Span
from lark import Token, v_args
from lark.tree import Meta

_ROUNDING = {"up": "div_up", "down": "div_down", "nearest": "div_near"}


@v_args(meta=True)
class Expressions(TreeBase):
    # ---- expressions

    def name(self, meta: Meta, c: list[Any]) -> syn.Name:
        return syn.Name(str(c[0]), self.span_of(meta))

    def number(self, meta: Meta, c: list[Any]) -> syn.Number:
        if len(c[0]) > 9:
            raise Malformed(
                "GR0107", self.span_of(c[0]), f"{c[0]} is too large", "numbers have at most nine digits"
            )
        return syn.Number(str(c[0]), self.span_of(meta))

    def string(self, meta: Meta, c: list[Any]) -> syn.Text:
        return syn.Text(self.unquoted(c[0]), self.span_of(meta))

    def none(self, meta: Meta, c: list[Any]) -> syn.NoneLit:
        return syn.NoneLit(self.span_of(meta))

    def yes(self, meta: Meta, c: list[Any]) -> syn.FlagLit:
        return syn.FlagLit(True, self.span_of(meta))

    def no(self, meta: Meta, c: list[Any]) -> syn.FlagLit:
        return syn.FlagLit(False, self.span_of(meta))

    def dot(self, meta: Meta, c: list[Any]) -> syn.Dot:
        if isinstance(c[0], syn.Number) and str(c[1]).isdigit():
            raise Malformed(
                "GR0107",
                self.span_of(meta),
                "there are no fractions",
                "write halves with rounding: `x * 3 / 2 rounded down`",
            )
        return syn.Dot(c[0], str(c[1]), self.span_of(c[1]), self.span_of(meta))

    def named_arg(self, meta: Meta, c: list[Any]) -> syn.NamedArg:
        return syn.NamedArg(str(c[0]), c[1], self.span_of(meta))

    named = named_arg

    def named_at(self, meta: Meta, c: list[Any]) -> syn.NamedArg:
        return syn.NamedArg("at", c[0], self.span_of(meta))

    def args(self, meta: Meta, c: list[Any]) -> list[Any]:
        return c

    def call(self, meta: Meta, c: list[Any]) -> syn.CallExpr:
        return self._call(c[0], c[1] or [], self.span_of(meta))

    def _call(self, callee: syn.Expr, args: list[Any], span: Span) -> syn.CallExpr:
        plain = tuple(a for a in args if not isinstance(a, syn.NamedArg))
        named = tuple(a for a in args if isinstance(a, syn.NamedArg))
        return syn.CallExpr(callee, plain, named, span)

    def agg_call(self, meta: Meta, c: list[Any]) -> syn.CallExpr:
        return self._call(syn.Name(str(c[0]), self.span_of(c[0])), c[1], self.span_of(meta))

    def agg_each(self, meta: Meta, c: list[Any]) -> tuple[str, str, Any]:
        return ("each", "", c[0])

    def agg_by(self, meta: Meta, c: list[Any]) -> tuple[str, str, Any]:
        return ("by", str(c[0]) if len(c) > 1 else "highest", c[-1])

    def aggregate(self, meta: Meta, c: list[Any]) -> syn.AggregateExpr:
        op, var, source, where, tail = c
        value = tail[2] if tail and tail[0] == "each" else None
        key = tail[2] if tail and tail[0] == "by" else None
        rank = tail[1] if tail and tail[0] == "by" else "highest"
        return syn.AggregateExpr(
            str(op), str(var), source, where, value, key, rank, self.span_of(var), self.span_of(meta)
        )

    def matched(self, meta: Meta, c: list[Any]) -> syn.MatchedExpr:
        _, left, left_source, left_at, right, right_source, right_at, room = c
        spans = (self.span_of(left), self.span_of(right), self.span_of(meta))
        return syn.MatchedExpr(
            str(left), left_source, left_at, str(right), right_source, right_at, room, *spans
        )

    def items(self, meta: Meta, c: list[Any]) -> syn.Items:
        return syn.Items(tuple(c), self.span_of(meta))

    def set_literal(self, meta: Meta, c: list[Any]) -> syn.SetLiteral:
        return syn.SetLiteral(tuple(c[0] or ()), self.span_of(meta))

    def as_of_mark(self, meta: Meta, c: list[Any]) -> syn.AsOf:
        return syn.AsOf(c[0], str(c[1]), self.span_of(meta))

    def ternary(self, meta: Meta, c: list[Any]) -> syn.Ternary:
        return syn.Ternary(c[1], c[0], c[2], self.span_of(meta))

    def or_else(self, meta: Meta, c: list[Any]) -> syn.OrElse:
        return syn.OrElse(c[0], c[1], self.span_of(meta))

    def range(self, meta: Meta, c: list[Any]) -> syn.RangeExpr:
        return syn.RangeExpr(c[0], c[1], self.span_of(meta))

    op_or, op_and = binary("or"), binary("and")
    op_is, op_is_not = binary("is"), binary("is_not")
    op_lt, op_le, op_gt, op_ge = binary("lt"), binary("le"), binary("gt"), binary("ge")
    op_in, op_not_in = binary("in"), binary("not_in")
    op_add, op_sub, op_mul, op_mod = binary("add"), binary("sub"), binary("mul"), binary("mod")

    def op_div(self, meta: Meta, c: list[Any]) -> syn.BinaryExpr:
        return syn.BinaryExpr(_ROUNDING[str(c[2])], c[0], c[1], self.span_of(meta))

    def op_half(self, meta: Meta, c: list[Any]) -> syn.BinaryExpr:
        span = self.span_of(meta)
        return syn.BinaryExpr(_ROUNDING[str(c[1])], c[0], syn.Number("2", span), span)

    def op_not(self, meta: Meta, c: list[Any]) -> syn.UnaryExpr:
        return syn.UnaryExpr("not", c[0], self.span_of(meta))

    def op_neg(self, meta: Meta, c: list[Any]) -> syn.UnaryExpr:
        return syn.UnaryExpr("neg", c[0], self.span_of(meta))

    def op_pos(self, meta: Meta, c: list[Any]) -> syn.Expr:
        return c[0]

    # ---- types

    def type(self, meta: Meta, c: list[Any]) -> syn.TypeExpr:
        optional = isinstance(c[-1], Token)
        parts = c[:-1] if optional else c
        span = self.span_of(meta)
        if len(parts) > 1:
            return syn.TypeExpr("union", None, None, 0, optional, span, tuple(parts))
        return replace(parts[0], optional=optional, span=span)

    def type_shape(self, meta: Meta, c: list[Any]) -> syn.TypeExpr:
        sort, *types, result = c
        parts = tuple(part for part in types if part is not None)
        base = syn.Name(str(sort), self.span_of(sort))
        return syn.TypeExpr("callable", base, result, 0, False, self.span_of(meta), parts)

    def type_set(self, meta: Meta, c: list[Any]) -> syn.TypeExpr:
        return syn.TypeExpr("set", None, c[0], 0, False, self.span_of(meta))

    def type_list(self, meta: Meta, c: list[Any]) -> syn.TypeExpr:
        return syn.TypeExpr("list", None, c[0], int(c[1]), False, self.span_of(meta))

    def type_name(self, meta: Meta, c: list[Any]) -> syn.TypeExpr:
        return syn.TypeExpr(
            "name", syn.Name(str(c[0]), self.span_of(c[0])), None, 0, False, self.span_of(meta)
        )

    def type_expr(self, meta: Meta, c: list[Any]) -> syn.TypeExpr:
        return syn.TypeExpr("plain", c[0], None, 0, False, self.span_of(meta))
