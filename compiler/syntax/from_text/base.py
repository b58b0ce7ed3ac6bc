"""The common part of the transformer: spans, texts, citations, lines and blocks."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from grognard.compiler.syntax import nodes as syn
from grognard.support.diagnostics import Sink
from grognard.support.source import SourceFile, Span
from lark import Token, Transformer, v_args
from lark.tree import Meta

#: The default and the greatest number of legs of a route.
DEFAULT_LEGS = 16
MAX_LEGS = 120


class Malformed(Exception):
    def __init__(self, code: str, span: Span, message: str, hint: str | None = None) -> None:
        super().__init__(message)
        self.code, self.span, self.message, self.hint = code, span, message, hint


def binary(op: str) -> Any:
    def method(self: Any, meta: Meta, c: list[Any]) -> syn.BinaryExpr:
        return syn.BinaryExpr(op, c[0], c[1], self.span_of(meta))

    return method


def tail(name: str) -> Any:
    def method(self: Any, meta: Meta, c: list[Any]) -> tuple[str, Any]:
        return (name, c[0] if c else True)

    return method


@v_args(meta=True)
class TreeBase(Transformer[Any, Any]):
    """One method per production of the grammar; no meaning is decided here."""

    def __init__(self, source: SourceFile, sink: Sink, offset: int = 0) -> None:
        super().__init__()
        self.source_file = source
        self.sink = sink
        self.line_offset = offset  # lines of the file before what was parsed

    def span_of(self, meta: Meta | Token) -> Span:
        line = getattr(meta, "line", None)
        if line is None:
            return Span(self.source_file.path, 1, 1, 1, 1)
        column = meta.column or 1
        end_line, end_column = (meta.end_line or line) + self.line_offset, meta.end_column or column
        line += self.line_offset
        if end_line > line:
            # A statement's span includes its line break: show its first line only.
            end_line, end_column = line, len(self.source_file.line(line)) + 1
        return Span(self.source_file.path, line, column, end_line, max(end_column, column + 1))

    @staticmethod
    def unquoted(token: Token | None) -> str:
        return "" if token is None else str(token)[1:-1]

    @staticmethod
    def condition_and_reason(expr: Any) -> tuple[Any, str]:
        """`c else "why"` behind `require` and `keep`: the condition, and what is said where it fails."""
        if isinstance(expr, syn.OrElse) and isinstance(expr.otherwise, syn.Text):
            return expr.value, expr.otherwise.value
        return expr, ""

    def check_once_each(self, meta: Meta, tails: list[Any], repeatable: tuple[str, ...] = ()) -> None:
        seen = set()
        for key, _ in tails:
            if key in seen and key not in repeatable:
                raise Malformed("GR0101", self.span_of(meta), f"`{key}` stands twice in this choice")
            seen.add(key)

    def new_add_to(self, meta: Meta, sort: str, target: str, cites: syn.Cites, **more: Any) -> syn.AddTo:
        return syn.AddTo(
            sort,
            target,
            tuple(more.get("entries", ())),
            tuple(more.get("items", ())),
            tuple(more.get("members", ())),
            tuple(more.get("fields", ())),
            tuple(more.get("rows", ())),
            tuple(more.get("body", ())),
            more.get("around", ("", "")),
            tuple(more.get("parts", ())),
            cites,
            self.span_of(meta),
            tuple(more.get("lines", ())),
            more.get("up_to"),
        )

    def start(self, meta: Meta, c: list[Any]) -> list[Any]:
        return [d for d in c if not isinstance(d, Token)]

    def cites(self, meta: Meta, c: list[Any]) -> syn.Cites:
        if not c:
            return syn.NO_CITES
        ids: list[str] = []
        for token in c:
            inner = str(token)[1:-1]
            parts = [part.strip() for part in inner.split(",")]
            if not inner.strip() or not all(parts):
                raise Malformed(
                    "GR0108", self.span_of(token), "a citation is empty", "write [7.1] or [7.1, 7.2]"
                )
            ids += parts
        return syn.Cites(tuple(ids), self.span_of(c[0]))

    def block(self, meta: Meta, c: list[Any]) -> tuple[Any, ...]:
        result: list[Any] = []
        for part in c:
            if isinstance(part, Line):
                result += part.statements
            else:
                result.append(part)
        return tuple(result)

    def line(self, meta: Meta, c: list[Any]) -> Line:
        *simple, cites = c
        return Line(tuple(cited(s, cites) for s in simple))

    def empty_body(self, meta: Meta, c: list[Any]) -> None:
        return None


class Line:
    """Several simple statements on one line."""

    def __init__(self, statements: tuple[Any, ...]) -> None:
        self.statements = statements


def several(expr: syn.Expr | None) -> tuple[syn.Expr, ...]:
    """`a` or `(a, b)` as written behind `for`."""
    if expr is None:
        return ()
    return expr.items if isinstance(expr, syn.Items) else (expr,)


def flat(parts: Any) -> list[Any]:
    return [item for part in parts if part is not None for item in part]


def cite_block(body: tuple[Any, ...], cites: syn.Cites) -> tuple[Any, ...]:
    """The citations of an arm's heading belong to those of its statements that have none of their own."""
    return tuple(part if getattr(part, "cites", None) else cited(part, cites) for part in body)


def both(a: syn.Cites, b: syn.Cites) -> syn.Cites:
    return syn.Cites(a.ids + b.ids, a.span or b.span)


def cited(node: Any, cites: syn.Cites) -> Any:
    """The node with the citations of its line (unless it has its own)."""
    if not cites:
        return node
    return replace(node, cites=both(node.cites, cites)) if hasattr(node, "cites") else node
