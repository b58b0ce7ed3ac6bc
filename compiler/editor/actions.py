"""Mends that messages themselves name: "did you mean `x`?", "write `x`"."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from grognard.support.diagnostics import Diagnostic
from grognard.support.source import SourceFile, Span


@dataclass(frozen=True, slots=True)
class Mend:
    """One replacement that a message proposes."""

    title: str
    span: Span
    text: str
    sure: bool


_MEANT = re.compile(r"did you mean `([^`]+)`")
_WRITE = re.compile(r"^write `([^`.]+(?:\.[^`.]+)*)`$")
_FLAG = re.compile(r"flags are `yes` and `no`: write `(yes|no)`")
_NO = re.compile(r"there is no (?:\w+ )?`([^`]+)`|has no (?:\w+ )?`([^`]+)`|`([^`]+)` (?:is|cannot|stands)")


def mends(diagnostic: Diagnostic, source: SourceFile) -> Iterator[Mend]:
    """What a message's hint would write, and where."""
    span, hint = diagnostic.span, diagnostic.hint
    if span is None or hint is None:
        return
    meant = _MEANT.search(hint) or _FLAG.search(hint)
    if meant is not None:
        place = _wrong_word(diagnostic, span, source)
        if place is not None:
            yield Mend(f"Change to `{meant.group(1)}`", place, meant.group(1), True)
        return
    write = _WRITE.match(hint)
    if write is not None and span.line == span.end_line and "..." not in write.group(1):
        yield Mend(f"Write `{write.group(1)}`", span, write.group(1), False)


def _wrong_word(diagnostic: Diagnostic, span: Span, source: SourceFile) -> Span | None:
    """The word that a message calls wrong, within its span."""
    text = source.line(span.line)
    end = span.end_column if span.end_line == span.line else len(text) + 1
    shown = text[span.column - 1 : end - 1]
    words = [word for groups in _NO.findall(diagnostic.message) for word in groups if word]
    words += re.findall(r"`([^`]+)`", diagnostic.message)
    for word in words:
        found = re.search(rf"(?<!\w){re.escape(word)}(?!\w)", shown)
        if found is not None:
            column = span.column + found.start()
            return Span(span.file, span.line, column, span.line, column + len(word))
    if shown and re.fullmatch(r'[\w.]+|"[^"]*"', shown):
        return Span(span.file, span.line, span.column, span.line, end)
    return None
