"""Messages that only echo another mistake.

A test for none that is misspelt tests nothing, so whatever it stood before "may be none", which the author need not be
told.  If the file of a kind cannot be read, the names of its rows are unknown wherever they are used.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from grognard.support.diagnostics import (
    Diagnostic,
    Severity,
    Sink,
)

if TYPE_CHECKING:
    from grognard.support.source import Span

#: "this may be none"
ECHO = "GR0305"
_UNKNOWN_NAMES = ("GR0201", "GR0204", "GR0608")
#: Mistakes in a cell: names and sizes are as they should be.
_CELLS = ("GR0602", "GR0603", "GR0604", "GR0605")
#: Declarations of what is done, not of what there is.
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
    """Tests of something that could not be made out, each with the place where it counts: where it stands, and wherever
    a rule is asked that makes it.  Most are of things that simply nobody keeps track of."""

    tests: set[tuple[Span, Span]] = field(default_factory=set)

    def add(self, test: Span, here: Span) -> None:
        self.tests.add((test, here))


def drop_echoes(sink: Sink, lost: LostTests, unread: Collection[str]) -> None:
    """Take back what was said only because of something else; `unread` are the kinds whose files could not be read."""
    if unread:
        # What looks like a misspelling of something that is known stays.
        sink.withdraw(lambda found: found.code in _UNKNOWN_NAMES and found.hint is None)
    if sink.has_errors and any(found.code == ECHO for found in sink):
        _drop_untested(sink, lost)


def data_is_clear(sink: Sink) -> bool:
    """Whether the data of scenarios can be read although there are errors: they stand in what rules do, or in single
    cells of tables and rows."""
    return all(
        found.severity is not Severity.error
        or found.code in _CELLS
        or (found.code.startswith("GR01") and found.span is not None and _in_a_rule(sink, found.span))
        for found in sink
    )


def _in_a_rule(sink: Sink, span: Span) -> bool:
    source = sink.sources.get(span.file)
    _file, line = _declaration(sink, span)
    words = source.line(line).split() if source is not None and line else []
    return bool(words) and words[0] in _RULES


def _drop_untested(sink: Sink, lost: LostTests) -> None:
    """Take back what was said only because a test in the same declaration is in error."""
    causes = [d.span for d in sink if d.severity is Severity.error and d.code != ECHO and d.span is not None]
    excused = {
        _declaration(sink, here) for test, here in lost.tests if any(_within(cause, test) for cause in causes)
    }

    def is_echo(diagnostic: Diagnostic) -> bool:
        span = diagnostic.span
        return diagnostic.code == ECHO and span is not None and _declaration(sink, span) in excused

    if excused:
        sink.withdraw(is_echo)


def _declaration(sink: Sink, span: Span) -> tuple[str, int]:
    """The file, and the line at which the declaration begins: the last one before it that is not indented."""
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
