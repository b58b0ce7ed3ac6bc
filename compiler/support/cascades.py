"""Cascading errors: diagnostics that only follow from another error, and are withdrawn.

A misspelt test for none narrows nothing, so the uses behind it are reported as "may be none".  If the file of a kind cannot
be read, every use of the names of its rows is reported as unknown.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from grognard.support.diagnostics import (
    UNREAD,
    Diagnostic,
    Severity,
    Sink,
)

if TYPE_CHECKING:
    from grognard.support.source import Span

#: "this may be none"
MAY_BE_NONE = "GR0305"
_UNKNOWN_NAME = "GR0201"
_UNKNOWN_NAMES = (_UNKNOWN_NAME, "GR0204", "GR0608")
#: Errors in a single cell: names and sizes are right.
_CELLS = ("GR0602", "GR0603", "GR0604", "GR0605")
#: Keywords of declarations that no data depends on.
_RULES = (
    "rule",
    "modifiers",
    "procedure",
    "action",
    "on",
    "exception",
    "victory",
    "policy",
    "evaluation",
    "example",
)


@dataclass(slots=True)
class LostTests:
    """Tests whose types are unknown, each with the place where it would narrow: its own, or that of a call of its rule.

    Most of them are no errors: narrowing does not follow every kind of expression."""

    tests: set[tuple[Span, Span]] = field(default_factory=set)

    def add(self, test: Span, here: Span) -> None:
        self.tests.add((test, here))


def text_is_unread(sink: Sink) -> bool:
    """Whether a declaration could not be read: what it declares, a phase or a counter, may be anything."""
    return any(found.code.startswith(UNREAD) for found in sink)


def drop_cascades(sink: Sink, lost: LostTests, unread: Collection[str]) -> None:
    """Withdraw cascading errors.  `unread` are the kinds whose files could not be read."""
    if unread:
        # A likely misspelling of a member of a known type stays; a name of any type may be that of a row.
        sink.withdraw(
            lambda found: found.code in _UNKNOWN_NAMES and (found.hint is None or found.code == _UNKNOWN_NAME)
        )
    if sink.has_errors and any(found.code == MAY_BE_NONE for found in sink):
        _drop_untested(sink, lost)


def data_is_clear(sink: Sink) -> bool:
    """Whether the data of scenarios can be read although there are errors: all are in bodies of rules or in single cells."""
    return all(
        found.severity is not Severity.error
        or found.code in _CELLS
        or (found.code.startswith(UNREAD) and found.span is not None and _in_a_rule(sink, found.span))
        for found in sink
    )


def _in_a_rule(sink: Sink, span: Span) -> bool:
    source = sink.sources.get(span.file)
    _file, line = _declaration(sink, span)
    words = source.line(line).split() if source is not None and line else []
    return bool(words) and words[0] in _RULES


def _drop_untested(sink: Sink, lost: LostTests) -> None:
    """Withdraw "may be none" where a test in the same declaration is in error."""
    causes = [
        d.span for d in sink if d.severity is Severity.error and d.code != MAY_BE_NONE and d.span is not None
    ]
    excused = {
        _declaration(sink, here) for test, here in lost.tests if any(_within(cause, test) for cause in causes)
    }

    def is_cascading(diagnostic: Diagnostic) -> bool:
        span = diagnostic.span
        return diagnostic.code == MAY_BE_NONE and span is not None and _declaration(sink, span) in excused

    if excused:
        sink.withdraw(is_cascading)


def _declaration(sink: Sink, span: Span) -> tuple[str, int]:
    """The file and the first line of the declaration: the last line before the span that is not indented."""
    return span.file, next(_beginnings(sink, span), 0)


def _beginnings(sink: Sink, span: Span) -> Iterator[int]:
    source = sink.sources.get(span.file)
    if source is not None:
        for number in range(span.line, 0, -1):
            line = source.line(number)
            if line.strip() and not line.startswith((" ", "\t", "#")):
                yield number


def _within(inner: Span, outer: Span) -> bool:
    return (
        inner.file == outer.file
        and (outer.line, outer.column) <= (inner.line, inner.column)
        and (inner.end_line, inner.end_column) <= (outer.end_line, outer.end_column)
    )
