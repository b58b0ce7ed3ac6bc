"""The text of a rules file in the one layout, proved to say the same."""

from __future__ import annotations

import dataclasses
from typing import Any

from grognard.compiler.format.layout import layout
from grognard.compiler.format.lines import Item, Line, Remark, read_items
from grognard.compiler.format.rows import read_cells
from grognard.compiler.syntax.from_text.parse import parse
from grognard.support.diagnostics import Sink
from grognard.support.source import SourceFile, Span
from lark.exceptions import UnexpectedInput
from lark.indenter import DedentError


class FormatFault(Exception):
    """A fault of the formatter: what it made would not say the same."""


def format_source(source: SourceFile, sink: Sink) -> str | None:
    """The file in the one layout; None, with diagnostics, if it has syntax errors."""
    found = Sink()
    found.sources = sink.sources
    old = parse(source, found)
    if old is None or found.has_errors:
        for diagnostic in found:
            sink.add(diagnostic)
        return None
    text = source.text
    text = text if text.endswith("\n") else text + "\n"
    items = read_items(text)
    made = layout(items)
    if made == source.text:
        return made
    again = Sink()
    new = parse(SourceFile.from_text(source.path, made), again)
    try:
        same = (
            new is not None and _same(new.decls, old.decls) and _content(read_items(made)) == _content(items)
        )
    except (UnexpectedInput, DedentError):
        same = False
    if not same:
        raise FormatFault(
            f"{source.path} would not say the same after it was formatted, so it is left as it is"
        )
    return made


def _same(one: Any, other: Any) -> bool:
    """Whether two trees are equal.  The cells of rows have their places with them, which do not count."""
    if one == other or (isinstance(one, Span) and isinstance(other, Span)):
        return True
    if isinstance(one, tuple) and isinstance(other, tuple):
        return len(one) == len(other) and all(_same(a, b) for a, b in zip(one, other, strict=True))
    if type(one) is not type(other) or not dataclasses.is_dataclass(one):
        return False
    names = [entry.name for entry in dataclasses.fields(one) if entry.compare]
    return all(_same(getattr(one, name), getattr(other, name)) for name in names)


def _content(items: list[Item]) -> tuple[list[object], list[str]]:
    """What a layout must keep: tokens with their citations and the cells of rows, in order; comments."""
    tokens: list[object] = []
    comments: list[str] = []
    for item in items:
        if isinstance(item, Remark):
            comments.append(item.text)
        elif isinstance(item, Line):
            tokens += [(piece.kind, piece.text) for piece in item.pieces]
            comments += [item.comment] if item.comment else []
            comments += [text for _, text, _ in item.inside]
            for row in item.rows:
                cells, comment = read_cells(row)
                tokens.append(cells)
                comments += [comment] if comment else []
    return tokens, sorted(comments)
